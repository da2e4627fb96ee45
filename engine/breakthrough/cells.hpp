// Sets of cells. Boards of up to 64 cells take one word, a plain integer; larger ones several words. Both offer the
// operators of an integer, and the functions below.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace klop {

using u64 = std::uint64_t;

/// A set of up to 64 * W cells, the lowest word first.
template <int W>
struct Words {
    std::array<u64, W> words{};

    explicit operator bool() const {
        u64 any = 0;
        for (const u64 word : words) any |= word;
        return any != 0;
    }
    bool operator==(const Words&) const = default;

    Words& operator&=(const Words& other) {
        for (int at = 0; at < W; ++at) words[at] &= other.words[at];
        return *this;
    }
    Words& operator|=(const Words& other) {
        for (int at = 0; at < W; ++at) words[at] |= other.words[at];
        return *this;
    }
    Words& operator^=(const Words& other) {
        for (int at = 0; at < W; ++at) words[at] ^= other.words[at];
        return *this;
    }
    friend Words operator&(Words a, const Words& b) { return a &= b; }
    friend Words operator|(Words a, const Words& b) { return a |= b; }
    friend Words operator^(Words a, const Words& b) { return a ^= b; }
    Words operator~() const {
        Words made;
        for (int at = 0; at < W; ++at) made.words[at] = ~words[at];
        return made;
    }

    /// Shifts by 1 to 63 bits.
    friend Words operator<<(const Words& set, int by) {
        Words made;
        for (int at = W - 1; at > 0; --at) made.words[at] = set.words[at] << by | set.words[at - 1] >> (64 - by);
        made.words[0] = set.words[0] << by;
        return made;
    }
    friend Words operator>>(const Words& set, int by) {
        Words made;
        for (int at = 0; at < W - 1; ++at) made.words[at] = set.words[at] >> by | set.words[at + 1] << (64 - by);
        made.words[W - 1] = set.words[W - 1] >> by;
        return made;
    }
};

template <int W>
struct SetOf {
    using Type = Words<W>;
};
template <>
struct SetOf<1> {
    using Type = u64;
};

/// The set of boards of up to 64 * W cells.
template <int W>
using Cells = typename SetOf<W>::Type;

/// How a set is passed: an integer in a register.
template <typename Set>
using Arg = std::conditional_t<sizeof(Set) == sizeof(u64), Set, const Set&>;

/// A step: the cell left, the cell entered, and whether a man is taken there. All zero, from a1 to a1, is none.
template <typename Set>
struct Step {
    static constexpr bool small = sizeof(Set) == sizeof(u64);
    static constexpr int bits = small ? 6 : 10;
    using Code = std::conditional_t<small, std::uint16_t, std::uint32_t>;

    Code code;

    static constexpr Step of(int from, int to, bool takes) {
        return {static_cast<Code>(from | to << bits | (takes ? 1 << 2 * bits : 0))};
    }
    constexpr int from() const { return code & ((1 << bits) - 1); }
    constexpr int to() const { return code >> bits & ((1 << bits) - 1); }
    constexpr bool takes() const { return code >> 2 * bits & 1; }
    explicit constexpr operator bool() const { return code != 0; }
    constexpr bool operator==(const Step&) const = default;
};

inline void add(u64& set, int cell) { set |= u64{1} << cell; }
template <int W>
void add(Words<W>& set, int cell) {
    set.words[cell >> 6] |= u64{1} << (cell & 63);
}

/// The set of one cell.
template <typename Set>
Set only(int cell) {
    Set made{};
    add(made, cell);
    return made;
}

/// The board's cells after a man has left one and entered another.
inline u64 moved(u64 men, int from, int to) { return men ^ (u64{1} << from | u64{1} << to); }
template <int W>
Words<W> moved(Words<W> men, int from, int to) {
    men.words[from >> 6] ^= u64{1} << (from & 63);
    men.words[to >> 6] ^= u64{1} << (to & 63);
    return men;
}

inline u64 without(u64 set, int cell) { return set & ~(u64{1} << cell); }
template <int W>
Words<W> without(Words<W> set, int cell) {
    set.words[cell >> 6] &= ~(u64{1} << (cell & 63));
    return set;
}

inline bool has(u64 set, int cell) { return set >> cell & 1; }
template <int W>
bool has(const Words<W>& set, int cell) {
    return set.words[cell >> 6] >> (cell & 63) & 1;
}

/// The lowest and the highest cell of a set that has one.
inline int lowest(u64 set) { return std::countr_zero(set); }
template <int W>
int lowest(const Words<W>& set) {
    int at = 0;
    while (at < W - 1 && !set.words[at]) ++at;
    return 64 * at + std::countr_zero(set.words[at]);
}
inline int highest(u64 set) { return 63 - std::countl_zero(set); }
template <int W>
int highest(const Words<W>& set) {
    int at = W - 1;
    while (at > 0 && !set.words[at]) --at;
    return 64 * at + 63 - std::countl_zero(set.words[at]);
}

/// Whether it has more than one cell.
inline bool several(u64 set) { return set & (set - 1); }
template <int W>
bool several(const Words<W>& set) {
    bool one = false;
    for (const u64 word : set.words) {
        if (word && (one || several(word))) return true;
        one = one || word;
    }
    return false;
}

/// The cells of a rank: up to 26 bits from a cell on.
inline unsigned slice(u64 set, int from, unsigned mask) { return set >> from & mask; }
template <int W>
unsigned slice(const Words<W>& set, int from, unsigned mask) {
    const int at = from >> 6, shift = from & 63;
    u64 part = set.words[at] >> shift;
    if (shift > 38 && at + 1 < W) part |= set.words[at + 1] << (64 - shift);
    return part & mask;
}

/// Calls `visit(cell)` for each cell, the lowest first.
template <typename Visit>
void each_cell(u64 set, Visit&& visit) {
    for (; set; set &= set - 1) visit(std::countr_zero(set));
}
template <int W, typename Visit>
void each_cell(const Words<W>& set, Visit&& visit) {
    for (int at = 0; at < W; ++at)
        for (u64 word = set.words[at]; word; word &= word - 1) visit(64 * at + std::countr_zero(word));
}

/// A number whose bits all depend on all bits of another.
inline u64 mixed(u64 x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

/// A set as one number, which is the set itself where it is one word.
inline u64 folded(u64 set) { return set; }
template <int W>
u64 folded(const Words<W>& set) {
    u64 made = 0;
    for (const u64 word : set.words) made = mixed(made + 0x9e3779b97f4a7c15u) ^ word;
    return made;
}

}  // namespace klop
