// The board of up to 64 cells: squares, men and steps.
//
// Cell (file, rank) is bit `rank * files + file`, a1 being bit 0. White walks up, to higher ranks, Black down. What
// decides in a match are the rules in Python; tests compare this generator with theirs on random positions.
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>

namespace klop {

using u64 = std::uint64_t;

enum Side : int { WHITE = 0, BLACK = 1 };

constexpr Side other(Side side) { return static_cast<Side>(side ^ 1); }

/// A step: the cell left, the cell entered, and whether a man is taken there.
using Step = std::uint16_t;

constexpr Step NO_STEP = 0;  // from a1 to a1: never a step

constexpr Step step_of(int from, int to, bool takes) {
    return static_cast<Step>(from | to << 6 | (takes ? 1 << 12 : 0));
}
constexpr int from_of(Step step) { return step & 63; }
constexpr int to_of(Step step) { return step >> 6 & 63; }
constexpr bool takes(Step step) { return step >> 12 & 1; }

inline int lowest(u64 set) { return std::countr_zero(set); }

/// What is fixed about a board.
struct Geometry {
    int files, ranks, cells;
    u64 all;       ///< every cell
    u64 not_left;  ///< cells with a file on their left
    u64 not_right;
    u64 rank_of[32];  ///< cells of a rank

    Geometry(int files, int ranks) : files(files), ranks(ranks), cells(files * ranks) {
        if (files < 2 || ranks < 4 || cells > 64) throw std::invalid_argument("no board of up to 64 cells");
        all = cells == 64 ? ~u64{0} : (u64{1} << cells) - 1;
        u64 left = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            left |= u64{1} << rank * files;
            rank_of[rank] = ((u64{1} << files) - 1) << rank * files;
        }
        not_left = all & ~left;
        not_right = all & ~(left << (files - 1));
    }

    /// The ranks to a side's goal from one of its men: 0 on the far rank.
    int distance(Side side, int cell) const {
        const int rank = cell / files;
        return side == WHITE ? ranks - 1 - rank : rank;
    }

    /// The rank that is so far from a side's goal.
    u64 at_distance(Side side, int distance) const {
        return rank_of[side == WHITE ? ranks - 1 - distance : distance];
    }

    /// Where men of a side step to the file on the left, wherever that is on the board.
    template <Side side>
    u64 left(u64 men) const {
        if constexpr (side == WHITE) return (men & not_left) << (files - 1) & all;
        else return (men & not_left) >> (files + 1);
    }
    template <Side side>
    u64 right(u64 men) const {
        if constexpr (side == WHITE) return files == 63 ? 0 : (men & not_right) << (files + 1) & all;
        else return (men & not_right) >> (files - 1);
    }
    template <Side side>
    u64 straight(u64 men) const {
        if constexpr (side == WHITE) return men << files & all;
        else return men >> files;
    }

    /// The squares that men of a side could capture on.
    template <Side side>
    u64 hits(u64 men) const {
        return left<side>(men) | right<side>(men);
    }

    /// How a cell changes in a step to the left, straight ahead, to the right.
    template <Side side>
    int delta(int lane) const {
        return (side == WHITE ? files : -files) + lane;
    }
};

/// Who stands where.
struct Board {
    u64 men[2];
    Side to_move;

    u64 own() const { return men[to_move]; }
    u64 foe() const { return men[to_move ^ 1]; }

    /// The board after a step of the side to move, which may also be pseudo-legal.
    Board after(Step step) const {
        Board next = *this;
        next.men[to_move] ^= u64{1} << from_of(step) | u64{1} << to_of(step);
        next.men[to_move ^ 1] &= ~(u64{1} << to_of(step));
        next.to_move = other(to_move);
        return next;
    }
};

/// Calls `visit(from, to)` for each step whose target is in a set of the lane's targets.
template <Side side, typename Visit>
inline void each(const Geometry& on, u64 targets, int lane, Visit&& visit) {
    const int delta = on.delta<side>(lane);
    for (; targets; targets &= targets - 1) {
        const int to = lowest(targets);
        visit(to - delta, to);
    }
}

/// The legal steps of a side while the game goes on.
struct Steps {
    Step step[3 * 64];
    int count = 0;

    void add(int from, int to, bool takes) { step[count++] = step_of(from, to, takes); }
};

/// Captures on the squares of `on_these`.
template <Side side>
inline void captures(const Geometry& on, u64 own, u64 foe, u64 on_these, Steps& found) {
    const u64 wanted = foe & on_these;
    each<side>(on, on.left<side>(own) & wanted, -1, [&](int from, int to) { found.add(from, to, true); });
    each<side>(on, on.right<side>(own) & wanted, 1, [&](int from, int to) { found.add(from, to, true); });
}

/// Steps to empty squares of `on_these`.
template <Side side>
inline void quiets(const Geometry& on, u64 own, u64 foe, u64 on_these, Steps& found) {
    const u64 empty = on.all & ~(own | foe) & on_these;
    each<side>(on, on.left<side>(own) & empty, -1, [&](int from, int to) { found.add(from, to, false); });
    each<side>(on, on.straight<side>(own) & empty, 0, [&](int from, int to) { found.add(from, to, false); });
    each<side>(on, on.right<side>(own) & empty, 1, [&](int from, int to) { found.add(from, to, false); });
}

/// Whether the side that has just moved stands on its far rank, or the side to move has no men.
inline bool is_over(const Geometry& on, const Board& board) {
    return !board.own() || board.foe() & on.at_distance(other(board.to_move), 0);
}

/// How many sequences of so many steps there are; shorter ones that end the game do not count.
template <Side side>
u64 perft(const Geometry& on, u64 own, u64 foe, int depth) {
    if (depth == 0) return 1;
    if (foe & on.at_distance(other(side), 0)) return 0;
    Steps steps;
    captures<side>(on, own, foe, on.all, steps);
    quiets<side>(on, own, foe, on.all, steps);
    if (depth == 1) return steps.count;
    u64 total = 0;
    for (int at = 0; at < steps.count; ++at) {
        const u64 from = u64{1} << from_of(steps.step[at]), to = u64{1} << to_of(steps.step[at]);
        total += perft<other(side)>(on, foe & ~to, own ^ from ^ to, depth - 1);
    }
    return total;
}

}  // namespace klop
