// Memory of large tables.
#pragma once

#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace klop {

/// Takes pages of two megabytes where the system has them, so that their addresses are found sooner.
template <typename One>
struct LargePages {
    using value_type = One;

    One* allocate(std::size_t count) {
        constexpr std::size_t page = std::size_t{2} << 20;
        const std::size_t bytes = (count * sizeof(One) + page - 1) / page * page;
        void* made = std::aligned_alloc(page, bytes);
        if (!made) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
        madvise(made, bytes, MADV_HUGEPAGE);
#endif
        return static_cast<One*>(made);
    }
    void deallocate(One* made, std::size_t) { std::free(made); }
    bool operator==(const LargePages&) const = default;
};

}  // namespace klop
