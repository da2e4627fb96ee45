// Proofs: in how many plies a side can force its win, when it hurries and the other side holds out.
//
// Nothing here is judged. Every step is tried, save where what is in sight is certain, and a position is known again by all
// its men. So what is found is exact, and does not depend on the order in which it was asked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <vector>

#include "board.hpp"

namespace klop {

constexpr int FOREVER = 250;  ///< more plies than any game takes on a board that can be solved

template <typename Set>
class Solver {
  public:
    /// Asked now and then, with the positions made so far, whether to stop.
    using Poll = std::function<bool(u64)>;

    struct Spent {};

    Solver(const Geometry<Set>& on, bool misere, std::size_t megabytes) : on(on), misere(misere) {
        std::size_t count = 2;
        while (count * 2 * sizeof(Known) <= megabytes << 20) count *= 2;
        known.resize(count);
    }

    /// The plies to the end with best play, negative where the side to move loses; 0 where neither side can force its win
    /// within so many, or the game is over. Raises Spent.
    int distance(const Board<Set>& board, int most, const Poll& poll) {
        this->poll = &poll;
        for (int plies = 1; plies <= most; ++plies) {
            // The last ply is the winner's; in misère it is the loser's.
            const bool wins = (plies & 1) != misere;
            if (within(board, wins ? board.to_move : other(board.to_move), plies)) return wins ? plies : -plies;
        }
        return 0;
    }

    /// The steps of best play from a position whose distance is known, as far as there is time.
    std::vector<Step<Set>> line(Board<Set> board, int distance, const Poll& poll) {
        this->poll = &poll;
        const Side side = distance > 0 ? board.to_move : other(board.to_move);
        std::vector<Step<Set>> found;
        try {
            for (int plies = std::abs(distance); plies > 0; --plies) {
                Steps<Set> steps;
                every(board, steps);
                const auto best = std::find_if(steps.step, steps.step + steps.count - 1, [&](Step<Set> step) {
                    return board.to_move == side ? within(board.after(step), side, plies - 1)
                                                 : !within(board.after(step), side, plies - 2);
                });
                found.push_back(*best);
                board = board.after(*best);
            }
        } catch (const Spent&) {
        }
        return found;
    }

  private:
    /// What is known of a position: within how many plies a side wins, and within how many it cannot.
    struct Known {
        Set men[2]{};
        std::uint8_t to_move = 2;  ///< 2: empty
        std::uint8_t wins[2] = {FOREVER, FOREVER};
        std::uint8_t fails[2] = {0, 0};
    };

    /// Whether a side wins within so many plies, however the other one plays.
    bool within(const Board<Set>& board, Side side, int plies) {
        if (is_over(on, board)) return (board.to_move == side) == misere;
        if (plies < fewest(board, side)) return false;
        if (!misere) {
            if (const int end = in_sight(board)) {
                const Side ahead = end > 0 ? board.to_move : other(board.to_move);
                if (ahead != side) return false;
                if (std::abs(end) <= plies) return true;
            }
        }
        Known* entry = find(board);
        if (entry) {
            if (entry->wins[side] <= plies) return true;
            if (entry->fails[side] >= plies) return false;
        }
        if ((++nodes & 4095) == 0 && *poll && (*poll)(nodes)) throw Spent{};
        const bool own = board.to_move == side;
        Steps<Set> steps;
        listed(board, steps);
        bool won = !own;
        for (int at = 0; at < steps.count && won != own; ++at)
            won = within(board.after(steps.step[at]), side, plies - 1);
        keep(board, side, plies, won);
        return won;
    }

    /// The plies that a win of a side takes at least.
    int fewest(const Board<Set>& board, Side side) const {
        const Side runs = misere ? other(side) : side;  // who reaches a far rank, and who takes all men, if this side wins
        const Set &men = board.men[runs], &prey = board.men[other(runs)];
        int left = 0;
        each_cell(prey, [&](int) { ++left; });
        const int steps = std::min(on.distance(runs, runs == WHITE ? highest(men) : lowest(men)), left);
        return 2 * steps - (board.to_move == runs);
    }

    /// Plies in which the side to move wins at the latest, or negative ones in which it loses; 0 if nothing is certain.
    int in_sight(const Board<Set>& board) const {
        return board.to_move == WHITE ? in_sight<WHITE>(board.men[WHITE], board.men[BLACK])
                                      : in_sight<BLACK>(board.men[BLACK], board.men[WHITE]);
    }

    template <Side side>
    int in_sight(Arg<Set> own, Arg<Set> foe) const {
        constexpr Side enemy = other(side);
        if (own & on.at_distance(side, 1)) return 1;
        if (const Set threats = foe & on.at_distance(enemy, 1))
            return several(threats) || !(on.template hits<side>(own) & threats) ? -2 : 0;
        const Set runners = own & on.at_distance(side, 2);
        if (!runners) return 0;
        const Set entered = (on.template hits<side>(runners) & ~own) | (on.template straight<side>(runners) & ~(own | foe));
        return entered & ~on.template hits<enemy>(foe) ? 3 : 0;
    }

    /// The legal steps, without those that let the other side win at once.
    void listed(const Board<Set>& board, Steps<Set>& steps) const {
        const Side side = board.to_move;
        const Set threats = board.foe() & on.at_distance(other(side), 1);
        if (misere || !threats) every(board, steps);
        else if (side == WHITE) captures<WHITE>(on, board.own(), board.foe(), threats, steps);
        else captures<BLACK>(on, board.own(), board.foe(), threats, steps);
    }

    /// The legal steps: captures first, then those of the foremost men; in misère those last.
    void every(const Board<Set>& board, Steps<Set>& steps) const {
        if (board.to_move == WHITE) every<WHITE>(board, steps);
        else every<BLACK>(board, steps);
    }

    template <Side side>
    void every(const Board<Set>& board, Steps<Set>& steps) const {
        captures<side>(on, board.own(), board.foe(), on.all, steps);
        quiets<side>(on, board.own(), board.foe(), on.all, steps);
        std::stable_sort(steps.step, steps.step + steps.count, [&](Step<Set> a, Step<Set> b) {
            return worth<side>(a) > worth<side>(b);
        });
    }

    template <Side side>
    int worth(Step<Set> step) const {
        const int gone = on.ranks - on.distance(side, step.to());
        return misere ? -gone - 2 * step.takes() : gone + (step.takes() ? on.ranks : 0);
    }

    Known* slots(const Board<Set>& board) {
        const u64 key = mixed(folded(board.men[0]) * 0x9e3779b97f4a7c15u ^ mixed(folded(board.men[1])) ^ board.to_move);
        return &known[key & (known.size() - 2)];
    }

    static bool same(const Known& entry, const Board<Set>& board) {
        return entry.to_move == board.to_move && entry.men[0] == board.men[0] && entry.men[1] == board.men[1];
    }

    Known* find(const Board<Set>& board) {
        Known* pair = slots(board);
        return same(pair[0], board) ? pair : same(pair[1], board) ? pair + 1 : nullptr;
    }

    /// The first of two places is for what took long to find out.
    void keep(const Board<Set>& board, Side side, int plies, bool won) {
        Known* entry = find(board);
        if (!entry) {
            Known* pair = slots(board);
            const int first = std::max(effort(pair[0], 0), effort(pair[0], 1));
            entry = plies >= first ? pair : pair + 1;
            if (entry == pair) pair[1] = pair[0];
            *entry = Known{};
            entry->men[0] = board.men[0];
            entry->men[1] = board.men[1];
            entry->to_move = static_cast<std::uint8_t>(board.to_move);
        }
        std::uint8_t& bound = won ? entry->wins[side] : entry->fails[side];
        bound = static_cast<std::uint8_t>(won ? std::min<int>(bound, plies) : std::max<int>(bound, plies));
    }

    static int effort(const Known& entry, int side) {
        return std::max<int>(entry.fails[side], entry.wins[side] == FOREVER ? 0 : entry.wins[side]);
    }

    const Geometry<Set>& on;
    bool misere;
    std::vector<Known> known;
    u64 nodes = 0;
    const Poll* poll = nullptr;
};

}  // namespace klop
