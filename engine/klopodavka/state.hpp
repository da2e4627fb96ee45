// A position and what follows from an action, as rules.klopodavka has it. The search believes this file; what is
// played in a match is decided by the rules alone, and the tests hold the two against each other.
#pragma once

#include <vector>

#include "cells.hpp"

namespace klopodavka {

constexpr int MOST_SEATS = 10, MOST_ACTIONS = 10, MOST_TURN = 19;  // with odds, the first turn is longer

// How a game ended: nothing yet, a draw, or 1 + the number of the side that won.
constexpr int OPEN = 0, DRAWN = -1;

template <int W>
struct Kind {
    int files, ranks, actions, seats, sides, cells;
    bool joined_files, joined_ranks, anchored, fenced, counted, shared;
    std::array<int, MOST_SEATS> side{};
    std::array<std::vector<int>, MOST_SEATS> allies, enemies, members;
    std::array<Cells<W>, MOST_SEATS> homes{};
    Cells<W> soft, mask, left, right;
    std::vector<Cells<W>> near;

    int stride() const { return files + 1; }

    void prepare() {
        cells = files * ranks;
        for (int rank = 0; rank < ranks; ++rank) {
            left |= Cells<W>::bit(rank * stride());
            right |= Cells<W>::bit(rank * stride() + files - 1);
            for (int file = 0; file < files; ++file) mask |= Cells<W>::bit(rank * stride() + file);
        }
        for (int seat = 0; seat < seats; ++seat) {
            members[side[seat]].push_back(seat);
            for (int other = 0; other < seats; ++other)
                (side[other] == side[seat] ? allies : enemies)[seat].push_back(other);
        }
        shared = sides < seats;
        near.resize(stride() * ranks);
        mask.each([&](int at) { near[at] = spread(Cells<W>::bit(at)).without(Cells<W>::bit(at)); });
    }

    [[gnu::always_inline]] Cells<W> spread(const Cells<W>& set) const {
        if (joined_files || joined_ranks) return spread_over_edges(set);
        const Cells<W> row = set | set.up1() | set.down1();
        return (row | row.up(stride()) | row.down(stride())) & mask;
    }
    Cells<W> spread_over_edges(const Cells<W>& set) const {
        Cells<W> row = set | set.up1() | set.down1();
        if (joined_files) row |= (set & left).shifted(files - 1) | (set & right).shifted(1 - files);
        Cells<W> made = row | row.up(stride()) | row.down(stride());
        if (joined_ranks) made |= row.shifted(stride() * (ranks - 1)) | row.shifted(-stride() * (ranks - 1));
        return made & mask;
    }

    // A set with all cells of another that are connected to it by cells of the other, and all that touches these.
    Cells<W> touched(Cells<W> front, Cells<W> through) const {
        Cells<W> found;
        while (front.any()) {
            front = spread(front);
            found |= front;
            front &= through;
            through = through.without(front);
        }
        return found;
    }

    // What a chain touches with one more cell, of what may carry it and is not part of it yet.
    [[gnu::always_inline]] Cells<W> linked(int at, const Cells<W>& unlinked) const {
        const Cells<W>& beside = near[at];
        const Cells<W> found = beside & unlinked;
        return found.any() ? beside | touched(found, unlinked ^ found) : beside;
    }
};

// Of at most S seats.
template <int W, int S>
struct State {
    struct Seat {
        Cells<W> bugs, walls, touches, ever;
    };
    int seat = 0, left = 0, gone = 0, end = OPEN;
    Cells<W> live, stones;
    std::array<Seat, S> seats;

    int filled() const { return (live | stones).count(); }

    Cells<W> open_to(const Kind<W>& on, int who) const {
        Cells<W> barred = stones | seats[who].bugs;
        if (on.shared)
            for (int ally : on.allies[who]) barred |= seats[ally].bugs;
        return on.soft.without(barred);
    }
    Cells<W> carriers(const Kind<W>& on, int who) const {
        Cells<W> found = seats[who].walls;
        if (on.shared)
            for (int ally : on.allies[who]) found |= seats[ally].walls;
        return on.anchored ? found | seats[who].bugs : found;
    }
    Cells<W> start(const Kind<W>& on, int who) const {
        return on.anchored ? seats[who].bugs & on.homes[who] : seats[who].bugs;
    }
    Cells<W> touched(const Kind<W>& on, int who) const {
        const Cells<W> from = start(on, who);
        return on.touched(from, carriers(on, who).without(from));
    }
    Cells<W> could_ever(const Kind<W>& on, int who) const {
        const Cells<W> from = start(on, who);
        const Cells<W> through = seats[who].bugs | carriers(on, who) | open_to(on, who);
        return from | (on.touched(from, through.without(from)) & through);
    }
    Cells<W> reached(const Kind<W>& on) const {
        return end == OPEN ? seats[seat].touches & open_to(on, seat) : Cells<W>{};
    }

    void prepare(const Kind<W>& on) {
        live = stones = {};
        for (int who = 0; who < on.seats; ++who) {
            live |= seats[who].bugs;
            stones |= seats[who].walls;
        }
        for (int who = 0; who < on.seats; ++who) {
            seats[who].touches = touched(on, who);
            seats[who].ever = could_ever(on, who);
        }
    }

    void act(const Kind<W>& on, int at) {
        const int actor = seat;
        const Cells<W> bit = Cells<W>::bit(at);
        const bool crush = live.has(at);
        if (crush) {
            live ^= bit;
            stones |= bit;
            int victim = -1;
            for (int who = 0; who < on.seats; ++who)
                if (seats[who].bugs.has(at)) {
                    seats[who].bugs ^= bit;
                    victim = who;
                }
            seats[actor].walls |= bit;
            for (int who = 0; who < on.seats; ++who) {
                const bool ally = on.side[who] == on.side[actor];
                if (!ally && seats[who].ever.has(at)) seats[who].ever = could_ever(on, who);
                if (who == victim || (ally && who != actor)) seats[who].touches = touched(on, who);
            }
        } else {
            live |= bit;
            seats[actor].bugs |= bit;
            if (on.shared)
                for (int ally : on.allies[actor])
                    if (ally != actor && seats[ally].ever.has(at)) seats[ally].ever = could_ever(on, ally);
        }
        Cells<W>& touches = seats[actor].touches;
        touches |= on.linked(at, carriers(on, actor).without(touches));
        if (left > 1) {
            --left;
        } else {
            seat = after(on, actor);
            left = on.actions;
        }
        if (!reached(on).any() || (on.fenced && (crush || on.shared))) settle(on, actor);
    }

    int after(const Kind<W>& on, int who) const {
        do who = (who + 1) % on.seats;
        while (gone >> who & 1);
        return who;
    }

    // Everybody goes out who must act and cannot.
    void settle(const Kind<W>& on, int actor) {
        for (;;) {
            if (gone >> seat & 1) {
                seat = after(on, seat);
                left = on.actions;
            }
            end = outcome(on);
            if (end != OPEN || reached(on).any()) return;
            if (on.counted) {
                gone |= 1 << seat;
                end = outcome(on);
                return;
            }
            if (!anybody(on)) {
                for (int other = 0; other < on.seats; ++other)
                    if (on.side[other] != on.side[actor]) gone |= 1 << other;
            } else {
                gone |= 1 << seat;
            }
        }
    }

    bool anybody(const Kind<W>& on) const {
        for (int who = 0; who < on.seats; ++who)
            if (!(gone >> who & 1) && (seats[who].touches & open_to(on, who)).any()) return true;
        return false;
    }

    int outcome(const Kind<W>& on) const {
        if (on.counted && gone >> seat & 1) return by_count(on);
        int standing = 0, last = 0;
        for (int side = 0; side < on.sides; ++side)
            for (int member : on.members[side])
                if (!(gone >> member & 1)) {
                    ++standing;
                    last = side;
                    break;
                }
        if (standing == 1) return 1 + last;
        return on.fenced ? by_fence(on) : OPEN;
    }

    // How many bases a seat holds.
    int held(const Kind<W>& on, int who) const {
        Cells<W> threat;
        for (int enemy : on.enemies[who])
            if (!(gone >> enemy & 1)) threat |= seats[enemy].ever;
        int found = 0;
        for (Cells<W> rest = seats[who].bugs; rest.any();) {
            const Cells<W> first = Cells<W>::bit(rest.lowest());
            const Cells<W> group = first | (on.touched(first, rest ^ first) & rest);
            found += !group.meets(threat);
            rest = rest.without(group);
        }
        return found;
    }

    // The end by counting bases, when the seat to move cannot act: he can still win, who has left before cannot.
    int by_count(const Kind<W>& on) const {
        const int left_before = gone & ~(1 << seat);
        int most = -1, winner = 0, equal = 0;
        for (int side = 0; side < on.sides; ++side) {
            int total = 0;
            bool stays = false;
            for (int member : on.members[side]) {
                total += held(on, member);
                stays = stays || !(left_before >> member & 1);
            }
            if (!stays) continue;
            if (total > most) {
                most = total;
                winner = side;
                equal = 1;
            } else if (total == most) {
                ++equal;
            }
        }
        return equal > 1 ? DRAWN : 1 + winner;
    }

    int by_fence(const Kind<W>& on) const {
        bool comes[2] = {false, false};
        for (int who = 0; who < on.seats; ++who) {
            const int mine = on.side[who];
            if (comes[mine] || gone >> who & 1) continue;
            const Cells<W> near = on.spread(seats[who].ever);
            for (int enemy : on.enemies[who]) comes[mine] = comes[mine] || near.meets(on.homes[enemy]);
        }
        return comes[0] == comes[1] ? OPEN : comes[0] ? 1 : 2;
    }
};

}  // namespace klopodavka
