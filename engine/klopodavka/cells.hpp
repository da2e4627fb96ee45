// Sets of cells of a fixed size, in the layout of rules.klopodavka.bitboard: a rank takes one bit more than it has
// cells, so that what spreads over an edge lands in a spare bit and is masked away.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace klopodavka {

[[gnu::always_inline]] inline int ones(std::uint64_t x) {
    // Without an instruction for it that every processor has, this is quicker than the library's table.
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<int>(x * 0x0101010101010101u >> 56);
}

template <int W>
struct Cells {
    std::array<std::uint64_t, W> words{};

    static Cells bit(int at) {
        Cells made;
        made.words[at >> 6] = std::uint64_t{1} << (at & 63);
        return made;
    }

    bool any() const {
        std::uint64_t all = 0;
        for (auto word : words) all |= word;
        return all != 0;
    }
    bool has(int at) const { return words[at >> 6] >> (at & 63) & 1; }
    [[gnu::always_inline]] int count() const {
        int found = 0;
        for (auto word : words) found += ones(word);
        return found;
    }
    int lowest() const {
        for (int n = 0; n < W; ++n)
            if (words[n]) return 64 * n + std::countr_zero(words[n]);
        return -1;
    }
    template <typename Each>
    void each(Each&& call) const {
        for (int n = 0; n < W; ++n)
            for (auto word = words[n]; word; word &= word - 1) call(64 * n + std::countr_zero(word));
    }

    bool operator==(const Cells&) const = default;
    Cells& operator|=(const Cells& o) {
        for (int n = 0; n < W; ++n) words[n] |= o.words[n];
        return *this;
    }
    Cells& operator&=(const Cells& o) {
        for (int n = 0; n < W; ++n) words[n] &= o.words[n];
        return *this;
    }
    Cells& operator^=(const Cells& o) {
        for (int n = 0; n < W; ++n) words[n] ^= o.words[n];
        return *this;
    }
    friend Cells operator|(Cells a, const Cells& b) { return a |= b; }
    friend Cells operator&(Cells a, const Cells& b) { return a &= b; }
    friend Cells operator^(Cells a, const Cells& b) { return a ^= b; }
    // What is in this set and not in the other.
    Cells without(const Cells& o) const {
        Cells made;
        for (int n = 0; n < W; ++n) made.words[n] = words[n] & ~o.words[n];
        return made;
    }
    bool meets(const Cells& o) const {
        std::uint64_t all = 0;
        for (int n = 0; n < W; ++n) all |= words[n] & o.words[n];
        return all != 0;
    }

    Cells up1() const {
        Cells made;
        made.words[0] = words[0] << 1;
        for (int n = 1; n < W; ++n) made.words[n] = words[n] << 1 | words[n - 1] >> 63;
        return made;
    }
    Cells down1() const {
        Cells made;
        for (int n = 0; n + 1 < W; ++n) made.words[n] = words[n] >> 1 | words[n + 1] << 63;
        made.words[W - 1] = words[W - 1] >> 1;
        return made;
    }
    // By 1 to 63 bits.
    Cells up(int by) const {
        Cells made;
        made.words[0] = words[0] << by;
        for (int n = 1; n < W; ++n) made.words[n] = words[n] << by | words[n - 1] >> (64 - by);
        return made;
    }
    Cells down(int by) const {
        Cells made;
        for (int n = 0; n + 1 < W; ++n) made.words[n] = words[n] >> by | words[n + 1] << (64 - by);
        made.words[W - 1] = words[W - 1] >> by;
        return made;
    }
    // By any number of bits.
    Cells shifted(int by) const {
        Cells made;
        const bool upwards = by >= 0;
        const int whole = (upwards ? by : -by) >> 6, rest = (upwards ? by : -by) & 63;
        for (int n = 0; n < W; ++n) {
            const int from = upwards ? n - whole : n + whole, beside = upwards ? from - 1 : from + 1;
            std::uint64_t word = from >= 0 && from < W ? (upwards ? words[from] << rest : words[from] >> rest) : 0;
            if (rest && beside >= 0 && beside < W)
                word |= upwards ? words[beside] >> (64 - rest) : words[beside] << (64 - rest);
            made.words[n] = word;
        }
        return made;
    }
};

}  // namespace klopodavka
