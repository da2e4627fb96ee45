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

struct Weights {
    // Who moves and who waits; by feature; on an empty board, and what is added on a full one.
    double of[2][FEATURES][2];
};

inline double logarithm(int count) {
    static const auto table = [] {
        std::array<double, 1024> made{};
        for (int n = 0; n < 1024; ++n) made[n] = std::log1p(n);
        return made;
    }();
    return table[count];
}

inline bool outlasts(int reserve, int capacity, int actions, int left, bool first) {
    const auto turns = [&](int count) { return count <= 0 ? 0 : (count + actions - 1) / actions; };
    if (first) return reserve > (capacity ? left + (turns(capacity) - 1) * actions : 0);
    return reserve > turns(capacity - left) * actions;
}

template <int W>
struct Rows {
    std::array<Row, MOST_SEATS> of;

    Rows(const Kind<W>& on, const State<W>& state) : gone_(state.gone) {
        for (int who = 0; who < on.seats; ++who) {
            auto& sight = sights_[who];
            if (gone_ >> who & 1)
                sight.reach = sight.turn = {};
            else
                look(on, state, who);
        }
        for (int who = 0; who < on.seats; ++who) {
            if (gone_ >> who & 1) continue;
            auto& sight = sights_[who];
            face(on, who);
            sight.threat = {};
            for (int enemy : on.enemies[who])
                if (!(gone_ >> enemy & 1)) sight.threat |= state.seats[enemy].ever;
            count(on, state, who);
        }
        hold(on, state);
    }

    // After a bug was put, from what it was before. Of the others only what that bug comes near to has changed.
    Rows(const Kind<W>& on, const State<W>& state, const Rows& before, int actor, int at) : gone_(before.gone_) {
        std::copy_n(before.sights_.begin(), on.seats, sights_.begin());
        std::copy_n(before.of.begin(), on.seats, of.begin());
        look(on, state, actor);
        count(on, state, actor);
        for (int who : on.enemies[actor]) {
            if (gone_ >> who & 1) continue;
            auto& sight = sights_[who];
            const Cells<W> hit = sight.hit, hit_soon = sight.hit_soon;
            face(on, who);
            sight.hit = state.seats[who].bugs & sight.near;
            sight.hit_soon = state.seats[who].bugs & sight.soon;
            of[who][CRUSHES] += sight.reach.has(at);
            of[who][CLEAR] = sight.reach.without(sight.soon).count();
            if (!(hit == sight.hit) || !(hit_soon == sight.hit_soon)) stand(on, state, who);
        }
        hold(on, state);
    }

    // Whether rows after a put can be made from those before it.
    bool serves(const Kind<W>& on, const State<W>& after) const { return !on.shared && after.gone == gone_; }

private:
    struct Sight {
        Cells<W> free, reach, turn, near, soon, threat, hit, hit_soon, supports;
    };

    // Where a seat can act, and come to in a turn.
    void look(const Kind<W>& on, const State<W>& state, int who) {
        auto& sight = sights_[who];
        sight.free = state.open_to(on, who);
        sight.reach = sight.turn = state.seats[who].touches & sight.free;
        for (int n = 1; n < on.actions; ++n) sight.turn |= on.spread(sight.turn) & sight.free;
    }

    // The same of its enemies.
    void face(const Kind<W>& on, int who) {
        auto& sight = sights_[who];
        sight.near = sight.soon = {};
        for (int enemy : on.enemies[who]) {
            sight.near |= sights_[enemy].reach;
            sight.soon |= sights_[enemy].turn;
        }
    }

    // What is left of it when bugs that are hit fall.
    void stand(const Kind<W>& on, const State<W>& state, int who) {
        const auto& sight = sights_[who];
        const Cells<W> start = state.start(on, who);
        const Cells<W> carry = state.carriers(on, who).without(start);
        Row& row = of[who];
        row[HIT] = sight.hit.count();
        row[HIT_SOON] = sight.hit_soon.count();
        row[FIRM] = row[MOBILITY];
        if (row[HIT]) row[FIRM] = (on.touched(start.without(sight.hit), carry.without(sight.hit)) & sight.free).count();
        row[FIRMER] = row[FIRM];
        if (row[HIT] != row[HIT_SOON])
            row[FIRMER] = (on.touched(start.without(sight.hit_soon), carry.without(sight.hit_soon)) & sight.free).count();
        row[FIRM_SUPPORTS] = sight.supports.without(sight.hit).count();
    }

    void count(const Kind<W>& on, const State<W>& state, int who) {
        auto& sight = sights_[who];
        const auto& mine = state.seats[who];
        sight.hit = mine.bugs & sight.near;
        sight.hit_soon = mine.bugs & sight.soon;
        sight.supports = mine.bugs & on.spread(mine.walls);
        Row& row = of[who];
        row[MOBILITY] = row[FREEDOM] = sight.reach.count();
        row[TURN] = row[WIDE] = sight.turn.count();
        row[LIVE] = mine.bugs.count();
        row[CRUSHES] = (sight.reach & state.live).count();
        row[SAFE] = mine.bugs.without(sight.threat).count();
        row[CAPACITY] = row[ROOM] = (mine.ever & sight.free).count();
        row[LINKED] = (mine.touches & mine.walls).count();
        row[LOOSE] = mine.walls.count() - row[LINKED];
        row[CLEAR] = sight.reach.without(sight.soon).count();
        row[SUPPORTS] = sight.supports.count();
        stand(on, state, who);
        int reserve = 0;
        if (const Cells<W> begin = state.start(on, who).without(sight.threat); begin.any()) {
            const Cells<W> safe = sight.free.without(sight.threat);
            const Cells<W> room = safe | state.carriers(on, who).without(sight.threat);
            reserve = (on.touched(begin, room.without(begin)) & safe).count();
        }
        row[RESERVE] = row[SPARE] = reserve;
    }

    void hold(const Kind<W>& on, const State<W>& state) {
        std::array<int, MOST_SEATS> held{};
        if (on.counted) held = state.held(on);
        for (int who = 0; who < on.seats; ++who) of[who][HELD] = held[who];
    }

    int gone_;
    std::array<Sight, MOST_SEATS> sights_;
};

inline double worth(const Row& row, const double (&by)[FEATURES][2], double full) {
    double total = 0;
    for (int feature = 0; feature < FEATURES; ++feature) {
        if (!row[feature]) continue;
        const bool logarithmic = feature == FREEDOM || feature == FIRM || feature == FIRMER || feature == SPARE ||
                                 feature == ROOM || feature == WIDE;
        total += (by[feature][0] + by[feature][1] * full) * (logarithmic ? logarithm(row[feature]) : row[feature]);
    }
    return total;
}

template <int W>
double evaluate(const Kind<W>& on, const State<W>& state, const Rows<W>& rows, int side, const Weights& by) {
    if (on.seats == 2 && !on.counted && !on.fenced)
        for (int who = 0; who < 2; ++who)
            if (rows.of[who][RESERVE] && outlasts(rows.of[who][RESERVE], rows.of[1 - who][CAPACITY], on.actions,
                                                  state.left, who == state.seat))
                return on.side[who] == side ? COUNTED_OUT : -COUNTED_OUT;
    const double full = double((state.live | state.stones).count()) / on.cells;
    std::array<double, MOST_SEATS> worths{};
    int playing = 0;
    for (int who = 0; who < on.seats; ++who) {
        if (state.gone >> who & 1) continue;
        worths[on.side[who]] += worth(rows.of[who], by.of[who != state.seat], full);
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

template <int W>
double evaluate(const Kind<W>& on, const State<W>& state, int side, const Weights& by) {
    return state.end != OPEN ? ended(state.end, side) : evaluate(on, state, Rows<W>(on, state), side, by);
}

}  // namespace klopodavka
