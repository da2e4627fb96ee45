// The board: squares, men and steps, for sets of cells of any size.
//
// Cell (file, rank) is bit `rank * files + file`, a1 being bit 0. White walks up, to higher ranks, Black down. What
// decides in a match are the rules in Python; tests compare this generator with theirs on random positions.
#pragma once

#include <stdexcept>

#include "cells.hpp"

namespace klop {

enum Side : int { WHITE = 0, BLACK = 1 };

constexpr Side other(Side side) { return static_cast<Side>(side ^ 1); }

constexpr int MOST_RANKS = 26;
constexpr int MOST_MEN = 64;  ///< of a side; in a match there are two ranks of up to 26

/// What is fixed about a board.
template <typename Set>
struct Geometry {
    int files, ranks, cells;
    Set all{};       ///< every cell
    Set not_left{};  ///< cells with a file on their left
    Set not_right{};
    Set rank_of[MOST_RANKS]{};  ///< cells of a rank
    std::uint8_t to_go[2][8 * sizeof(Set)]{};  ///< ranks to a side's goal: a division takes longer

    Geometry(int files, int ranks) : files(files), ranks(ranks), cells(files * ranks) {
        if (files < 2 || files > 26 || ranks < 4 || ranks > MOST_RANKS || cells > static_cast<int>(8 * sizeof(Set)))
            throw std::invalid_argument("no board of this size");
        for (int cell = 0; cell < cells; ++cell) {
            const int file = cell % files;
            add(all, cell);
            const int rank = cell / files;
            add(rank_of[rank], cell);
            to_go[WHITE][cell] = static_cast<std::uint8_t>(ranks - 1 - rank);
            to_go[BLACK][cell] = static_cast<std::uint8_t>(rank);
            if (file > 0) add(not_left, cell);
            if (file < files - 1) add(not_right, cell);
        }
    }

    /// The ranks to a side's goal from one of its men: 0 on the far rank.
    int distance(Side side, int cell) const { return to_go[side][cell]; }

    /// The rank that is so far from a side's goal.
    Arg<Set> at_distance(Side side, int distance) const {
        return rank_of[side == WHITE ? ranks - 1 - distance : distance];
    }

    /// Where men of a side step to the file on the left, wherever that is on the board.
    template <Side side>
    Set left(Arg<Set> men) const {
        if constexpr (side == WHITE) return (men & not_left) << (files - 1) & all;
        else return (men & not_left) >> (files + 1);
    }
    template <Side side>
    Set right(Arg<Set> men) const {
        if constexpr (side == WHITE) return (men & not_right) << (files + 1) & all;
        else return (men & not_right) >> (files - 1);
    }
    template <Side side>
    Set straight(Arg<Set> men) const {
        if constexpr (side == WHITE) return men << files & all;
        else return men >> files;
    }

    /// The squares that men of a side could capture on.
    template <Side side>
    Set hits(Arg<Set> men) const {
        return left<side>(men) | right<side>(men);
    }

    /// How a cell changes in a step to the left, straight ahead, to the right.
    template <Side side>
    int delta(int lane) const {
        return (side == WHITE ? files : -files) + lane;
    }
};

/// Who stands where.
template <typename Set>
struct Board {
    Set men[2];
    Side to_move;

    const Set& own() const { return men[to_move]; }
    const Set& foe() const { return men[to_move ^ 1]; }

    /// The board after a step of the side to move, which may also be pseudo-legal.
    Board after(Step<Set> step) const {
        Board next = *this;
        next.men[to_move] = moved(men[to_move], step.from(), step.to());
        next.men[to_move ^ 1] = without(men[to_move ^ 1], step.to());
        next.to_move = other(to_move);
        return next;
    }
};

/// The legal steps of a side while the game goes on.
template <typename Set>
struct Steps {
    Step<Set> step[3 * MOST_MEN];
    int count = 0;

    void add(int from, int to, bool takes) { step[count++] = Step<Set>::of(from, to, takes); }
};

/// Adds the steps of a lane whose targets are in a set.
template <Side side, typename Set>
inline void steps_to(const Geometry<Set>& on, Arg<Set> targets, int lane, bool takes, Steps<Set>& found) {
    const int delta = on.template delta<side>(lane);
    each_cell(targets, [&](int to) { found.add(to - delta, to, takes); });
}

/// Captures on the squares of `on_these`.
template <Side side, typename Set>
inline void captures(const Geometry<Set>& on, Arg<Set> own, Arg<Set> foe, Arg<Set> on_these, Steps<Set>& found) {
    const Set wanted = foe & on_these;
    steps_to<side>(on, on.template left<side>(own) & wanted, -1, true, found);
    steps_to<side>(on, on.template right<side>(own) & wanted, 1, true, found);
}

/// Steps to empty squares of `on_these`.
template <Side side, typename Set>
inline void quiets(const Geometry<Set>& on, Arg<Set> own, Arg<Set> foe, Arg<Set> on_these, Steps<Set>& found) {
    const Set empty = on.all & ~(own | foe) & on_these;
    steps_to<side>(on, on.template left<side>(own) & empty, -1, false, found);
    steps_to<side>(on, on.template straight<side>(own) & empty, 0, false, found);
    steps_to<side>(on, on.template right<side>(own) & empty, 1, false, found);
}

/// Whether the side that has just moved stands on its far rank, or the side to move has no men.
template <typename Set>
inline bool is_over(const Geometry<Set>& on, const Board<Set>& board) {
    return !board.own() || static_cast<bool>(board.foe() & on.at_distance(other(board.to_move), 0));
}

/// How many sequences of so many steps there are; shorter ones that end the game do not count.
template <Side side, typename Set>
u64 perft(const Geometry<Set>& on, Arg<Set> own, Arg<Set> foe, int depth) {
    if (depth == 0) return 1;
    if (foe & on.at_distance(other(side), 0)) return 0;
    Steps<Set> steps;
    captures<side>(on, own, foe, on.all, steps);
    quiets<side>(on, own, foe, on.all, steps);
    if (depth == 1) return steps.count;
    u64 total = 0;
    for (int at = 0; at < steps.count; ++at) {
        const Step<Set> step = steps.step[at];
        total += perft<other(side)>(on, without(foe, step.to()), moved(own, step.from(), step.to()), depth - 1);
    }
    return total;
}

}  // namespace klop
