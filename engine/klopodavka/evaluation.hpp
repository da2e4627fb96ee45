// The numbers of engine/klopodavka/features.py and what they are worth, by the same weights.
#pragma once

#include <algorithm>
#include <cmath>

#include "state.hpp"

namespace klopodavka {

enum Feature {
    MOBILITY, FREEDOM, TURN, LIVE, HIT, HIT_SOON, CRUSHES, SAFE, CAPACITY, RESERVE, FIRM, FIRMER, LINKED, LOOSE, SPARE,
    CLEAR, SUPPORTS, FIRM_SUPPORTS, ROOM, WIDE, HELD, FEATURES
};

constexpr double WON = 1000.0, COUNTED_OUT = 500.0;

using Row = std::array<int, FEATURES>;

// As in evaluation.py.
constexpr int LEARNED = 100;

struct Weights {
    // Who moves and who waits; by feature; on an empty board, and what is added on a full one.
    double of[2][FEATURES][2];
    // How much of a capacity counts on a board of this size, and the logarithms of that.
    double share = 1;
    std::array<double, 1024> rooms{};

    void fit(int cells) {
        share = double(LEARNED) / cells;
        for (int n = 0; n < 1024; ++n) rooms[n] = std::log1p(n * share);
    }
};

inline const std::array<double, 1024> LOGARITHMS = [] {
    std::array<double, 1024> made{};
    for (int n = 0; n < 1024; ++n) made[n] = std::log1p(n);
    return made;
}();

inline double logarithm(int count) { return count < 1024 ? LOGARITHMS[count] : std::log1p(count); }

inline bool outlasts(int reserve, int capacity, int actions, int left, bool first) {
    const auto turns = [&](int count) { return count <= 0 ? 0 : (count + actions - 1) / actions; };
    if (first) return reserve > (capacity ? left + (turns(capacity) - 1) * actions : 0);
    return reserve > turns(capacity - left) * actions;
}

template <int S>
using Rows = std::array<Row, S>;

// What each seat of a state sees, and the rows that follow.
template <int W, int S>
class Sights {
public:
    Rows<S> rows;

    Sights(const Kind<W>& on, const State<W, S>& state) {
        for (int who = 0; who < on.seats; ++who)
            if (!(state.gone >> who & 1)) look(on, state, who);
        for (int who = 0; who < on.seats; ++who) {
            if (state.gone >> who & 1) continue;
            auto& sight = of_[who];
            for (int enemy : on.enemies[who])
                if (!(state.gone >> enemy & 1)) {
                    sight.near |= of_[enemy].reach;
                    sight.soon |= of_[enemy].turn;
                    sight.threat |= state.seats[enemy].ever;
                }
            count(on, state, who);
        }
        for (int who = 0; who < on.seats; ++who) rows[who][HELD] = on.counted ? state.held(on, who) : 0;
    }

    // Where a seat can act.
    const Cells<W>& reach(int who) const { return of_[who].reach; }

    // The rows after the seat to move has put a bug, in a game without teams. All others can come to what they could
    // come to before, and so can it; each number is the one before and what the bug changes.
    Rows<S> after_put(const Kind<W>& on, const State<W, S>& state, int at) const {
        Rows<S> made = rows;
        const int actor = state.seat;
        const auto& sight = of_[actor];
        const auto& touches = state.seats[actor].touches;
        Put put{at, sight.free.without(Cells<W>::bit(at)), on.linked(at, sight.carriers.without(touches)), {}, {}};
        put.reach = (put.linked & put.free).without(sight.reach);
        // By these cells alone it can come to more: all that is open beside the bug is reached.
        if (put.reach.any()) put.turn = in_a_turn(on, put.reach, put.free).without(sight.turn);
        put_own(on, state, put, made[actor]);
        for (int who : on.enemies[actor])
            if (!(state.gone >> who & 1)) put_beside(on, state, put, who, made[who]);
        return made;
    }

private:
    struct Sight {
        // Where it can act, do so in a turn, and where enemies can; the bugs that these hit.
        Cells<W> free, reach, turn, near, soon, threat, hit, hit_soon;
        // What carries its chain and what touches its walls; what the chain touches without the bugs that are hit, and
        // without those that are hit soon; where no enemy can come.
        Cells<W> carriers, beside, firm, firmer, refuge;
    };

    // A bug that is put: what is open to its seat then, what its chain touches by it, and where else its seat can act
    // now, and come to in a turn.
    struct Put {
        int at;
        Cells<W> free, linked, reach, turn;
    };

    void put_own(const Kind<W>& on, const State<W, S>& state, const Put& put, Row& row) const {
        const int at = put.at;
        const auto& sight = of_[state.seat];
        const auto& mine = state.seats[state.seat];
        const bool hit = sight.near.has(at), hit_soon = sight.soon.has(at), supports = sight.beside.has(at);
        const bool starts = !on.anchored || on.homes[state.seat].has(at);
        const int grown = put.reach.any() ? put.reach.count() - 1 : -1;
        row[MOBILITY] = row[FREEDOM] = row[MOBILITY] + grown;
        row[TURN] = row[WIDE] = row[TURN] - 1;
        row[CLEAR] -= !hit_soon;
        if (put.reach.any()) {
            row[TURN] = row[WIDE] = row[TURN] + put.turn.count();
            row[CLEAR] += put.reach.without(sight.soon).count();
            row[CRUSHES] += (put.reach & state.live).count();
        }
        ++row[LIVE];
        row[HIT] += hit;
        row[HIT_SOON] += hit_soon;
        row[SAFE] += !sight.threat.has(at);
        row[CAPACITY] = row[ROOM] = row[CAPACITY] - mine.ever.has(at);
        if (const Cells<W> walls = (put.linked & mine.walls).without(mine.touches); walls.any()) {
            row[LINKED] += walls.count();
            row[LOOSE] -= walls.count();
        }
        row[SUPPORTS] += supports;
        row[FIRM_SUPPORTS] += supports && !hit;
        const auto firm_grown = [&](const Cells<W>& firm, const Cells<W>& fallen, bool falls) {
            if (falls || !(starts || firm.has(at))) return -firm.has(at);
            const Cells<W> linked = on.linked(at, sight.carriers.without(fallen).without(firm));
            return (linked & put.free).without(firm).count() - firm.has(at);
        };
        row[FIRM] += row[HIT] ? firm_grown(sight.firm, sight.hit, hit) : grown;
        if (row[HIT] == row[HIT_SOON])
            row[FIRMER] = row[FIRM];
        else
            row[FIRMER] += firm_grown(sight.firmer, sight.hit_soon, hit_soon);
        if (sight.refuge.has(at)) {
            --row[RESERVE];
        } else if (starts && !sight.threat.has(at)) {
            const Cells<W> safe = put.free.without(sight.threat);
            const Cells<W> room = safe | (sight.carriers | mine.bugs).without(sight.threat);
            row[RESERVE] += (on.touched(Cells<W>::bit(at), room) & safe).count();
        }
        row[SPARE] = row[RESERVE];
        if (on.counted) {
            State<W, S> after = state;
            after.seats[state.seat].bugs |= Cells<W>::bit(at);
            row[HELD] = after.held(on, state.seat);
        }
    }

    // What an enemy of the seat to move sees of it.
    void put_beside(const Kind<W>& on, const State<W, S>& state, const Put& put, int who, Row& row) const {
        const auto& sight = of_[who];
        if (sight.reach.has(put.at)) {
            ++row[CRUSHES];
            bool clear = true;
            for (int enemy : on.enemies[who])
                clear = clear && (enemy == state.seat || !of_[enemy].turn.has(put.at));
            row[CLEAR] += clear;
        }
        if (!put.reach.any()) return;
        row[CLEAR] -= (sight.reach & put.turn).without(sight.soon).count();
        const Cells<W>& bugs = state.seats[who].bugs;
        if (const Cells<W> hit = sight.hit | (bugs & put.reach); !(hit == sight.hit)) {
            row[HIT] = hit.count();
            row[FIRM] = (firm(on, state, who, hit) & sight.free).count();
            row[FIRM_SUPPORTS] = (bugs & sight.beside).without(hit).count();
        }
        if (const Cells<W> hit_soon = sight.hit_soon | (bugs & put.turn); !(hit_soon == sight.hit_soon)) {
            row[HIT_SOON] = hit_soon.count();
            row[FIRMER] = row[FIRM];
            if (row[HIT] != row[HIT_SOON]) row[FIRMER] = (firm(on, state, who, hit_soon) & sight.free).count();
        }
    }

    void look(const Kind<W>& on, const State<W, S>& state, int who) {
        auto& sight = of_[who];
        sight.free = state.open_to(on, who);
        sight.carriers = state.carriers(on, who);
        sight.reach = state.seats[who].touches & sight.free;
        sight.turn = in_a_turn(on, sight.reach, sight.free);
    }

    static Cells<W> in_a_turn(const Kind<W>& on, Cells<W> from, const Cells<W>& free) {
        for (int n = 1; n < on.actions; ++n) from |= on.spread(from) & free;
        return from;
    }

    // What a seat's chain touches without some of its bugs.
    Cells<W> firm(const Kind<W>& on, const State<W, S>& state, int who, const Cells<W>& fallen) const {
        const Cells<W> start = state.start(on, who).without(fallen);
        return on.touched(start, of_[who].carriers.without(fallen).without(start));
    }

    void count(const Kind<W>& on, const State<W, S>& state, int who) {
        auto& sight = of_[who];
        const auto& mine = state.seats[who];
        sight.hit = mine.bugs & sight.near;
        sight.hit_soon = mine.bugs & sight.soon;
        sight.beside = on.spread(mine.walls);
        sight.firm = sight.hit.any() ? firm(on, state, who, sight.hit) : mine.touches;
        sight.firmer = sight.hit_soon == sight.hit ? sight.firm : firm(on, state, who, sight.hit_soon);
        const Cells<W> supports = mine.bugs & sight.beside;
        Row& row = rows[who];
        row[MOBILITY] = row[FREEDOM] = sight.reach.count();
        row[TURN] = row[WIDE] = sight.turn.count();
        row[LIVE] = mine.bugs.count();
        row[HIT] = sight.hit.count();
        row[HIT_SOON] = sight.hit_soon.count();
        row[CRUSHES] = (sight.reach & state.live).count();
        row[SAFE] = mine.bugs.without(sight.threat).count();
        row[CAPACITY] = row[ROOM] = (mine.ever & sight.free).count();
        row[FIRM] = (sight.firm & sight.free).count();
        row[FIRMER] = (sight.firmer & sight.free).count();
        row[LINKED] = (mine.touches & mine.walls).count();
        row[LOOSE] = mine.walls.count() - row[LINKED];
        row[CLEAR] = sight.reach.without(sight.soon).count();
        row[SUPPORTS] = supports.count();
        row[FIRM_SUPPORTS] = supports.without(sight.hit).count();
        row[RESERVE] = 0;
        if (const Cells<W> begin = state.start(on, who).without(sight.threat); begin.any()) {
            const Cells<W> safe = sight.free.without(sight.threat);
            const Cells<W> room = begin | safe | sight.carriers.without(sight.threat);
            sight.refuge = on.touched(begin, room.without(begin)) & room;
            row[RESERVE] = (sight.refuge & safe).count();
        }
        row[SPARE] = row[RESERVE];
    }

    std::array<Sight, S> of_;
};

// The weights of a board as full as it is.
struct Scale {
    double of[2][FEATURES];
    const Weights& weights;

    Scale(const Weights& by, int filled, int cells) : weights(by) {
        const double full = double(filled) / cells;
        for (int who = 0; who < 2; ++who)
            for (int feature = 0; feature < FEATURES; ++feature)
                of[who][feature] = by.of[who][feature][0] + by.of[who][feature][1] * full;
    }
};

inline double worth(const Row& row, const double (&by)[FEATURES], const Weights& weights) {
    double total = 0;
#pragma GCC unroll 32
    for (int feature = 0; feature < FEATURES; ++feature) {
        const bool logarithmic = feature == FREEDOM || feature == FIRM || feature == FIRMER || feature == SPARE ||
                                 feature == WIDE;
        const int number = row[feature];
        total += by[feature] * (feature == CAPACITY ? number * weights.share
                                : feature == ROOM   ? weights.rooms[number]
                                : logarithmic       ? LOGARITHMS[number]
                                                    : number);
    }
    return total;
}

// Of a state that goes on, by its rows.
template <int W, int S>
double evaluate(const Kind<W>& on, const Rows<S>& rows, int seat, int left, int gone, int side, const Scale& by) {
    if (on.seats == 2 && !on.counted && !on.fenced)
        for (int who = 0; who < 2; ++who)
            if (rows[who][RESERVE] &&
                outlasts(rows[who][RESERVE], rows[1 - who][CAPACITY], on.actions, left, who == seat))
                return on.side[who] == side ? COUNTED_OUT : -COUNTED_OUT;
    std::array<double, S> worths{};
    int playing = 0;
    for (int who = 0; who < on.seats; ++who) {
        if (gone >> who & 1) continue;
        worths[on.side[who]] += worth(rows[who], by.of[who != seat], by.weights);
        playing |= 1 << on.side[who];
    }
    if (!(playing >> side & 1)) return -WON;
    double most = -1e300, sum = 0;
    int others = 0;
    for (int other = 0; other < on.sides; ++other)
        if (other != side && playing >> other & 1) {
            most = std::max(most, worths[other]);
            ++others;
        }
    if (others <= 1) return worths[side] - most;
    for (int other = 0; other < on.sides; ++other)
        if (other != side && playing >> other & 1) sum += std::exp(worths[other] - most);
    return worths[side] - most - std::log(sum);
}

inline double ended(int end, int side) { return end == DRAWN ? 0.0 : end == 1 + side ? WON : -WON; }

template <int W, int S>
double evaluate(const Kind<W>& on, const State<W, S>& state, int side, const Weights& by) {
    if (state.end != OPEN) return ended(state.end, side);
    const Scale scale(by, state.filled(), on.cells);
    return evaluate<W, S>(on, Sights<W, S>(on, state).rows, state.seat, state.left, state.gone, side, scale);
}

}  // namespace klopodavka
