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

    Rows(const Kind<W>& on, const State<W>& state) {
        std::array<Cells<W>, MOST_SEATS> free, reach, turn;
        for (int who = 0; who < on.seats; ++who) {
            if (state.gone >> who & 1) {
                free[who] = reach[who] = turn[who] = {};
                continue;
            }
            free[who] = state.open_to(on, who);
            reach[who] = turn[who] = state.seats[who].touches & free[who];
            for (int n = 1; n < on.actions; ++n) turn[who] |= on.spread(turn[who]) & free[who];
        }
        std::array<int, MOST_SEATS> held{};
        if (on.counted) held = state.held(on);
        for (int who = 0; who < on.seats; ++who) {
            if (state.gone >> who & 1) continue;
            const auto& mine = state.seats[who];
            Cells<W> near, soon, threat;
            for (int enemy : on.enemies[who]) {
                near |= reach[enemy];
                soon |= turn[enemy];
                if (!(state.gone >> enemy & 1)) threat |= state.seats[enemy].ever;
            }
            const Cells<W> start = state.start(on, who);
            const Cells<W> carry = state.carriers(on, who).without(start);
            const Cells<W> hit = mine.bugs & near, hit_soon = mine.bugs & soon;
            const int mobility = reach[who].count();
            int firm = mobility;
            if (hit.any()) firm = (on.touched(start.without(hit), carry.without(hit)) & free[who]).count();
            int firmer = firm;
            if (!(hit_soon == hit))
                firmer = (on.touched(start.without(hit_soon), carry.without(hit_soon)) & free[who]).count();
            int reserve = 0;
            if (const Cells<W> begin = start.without(threat); begin.any()) {
                const Cells<W> safe = free[who].without(threat);
                reserve = (on.touched(begin, (safe | carry.without(threat)).without(begin)) & safe).count();
            }
            const int linked = (mine.touches & mine.walls).count();
            const int wide = turn[who].count(), capacity = (mine.ever & free[who]).count();
            const Cells<W> supports = mine.bugs & on.spread(mine.walls);
            of[who] = {mobility,
                       mobility,
                       wide,
                       mine.bugs.count(),
                       hit.count(),
                       hit_soon.count(),
                       (reach[who] & state.live).count(),
                       mine.bugs.without(threat).count(),
                       capacity,
                       reserve,
                       firm,
                       firmer,
                       linked,
                       mine.walls.count() - linked,
                       reserve,
                       reach[who].without(soon).count(),
                       supports.count(),
                       supports.without(hit).count(),
                       capacity,
                       wide,
                       held[who]};
        }
    }
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
double evaluate(const Kind<W>& on, const State<W>& state, int side, const Weights& by) {
    if (state.end != OPEN) return state.end == DRAWN ? 0.0 : state.end == 1 + side ? WON : -WON;
    const Rows<W> rows(on, state);
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

}  // namespace klopodavka
