// A rival for Breakthrough's engines on 8x8, for the bench alone: alpha-beta and an evaluation by hand.
//
// It shares nothing with ours. It plays as the strongest public engines of its kind do: bitboards, principal variation
// search with iterative deepening, a transposition table, killers and history, null move, late moves reduced, races
// decided by counting; and a sum of what people know to matter: men, how far they have come, whether they are guarded
// where they stand, men side by side, empty columns, guards at home, and room to move.
//
// The side to move always goes up: the board is turned over after each move. Bit 8 * rank + file.

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using Bits = std::uint64_t;

constexpr Bits FILE_A = 0x0101010101010101u, FILE_H = FILE_A << 7, RANK = 0xff;
constexpr int INF = 32000, MATE = 31000, SURE = 30000, MAX_PLY = 128;

constexpr Bits rank(int at) { return RANK << 8 * at; }
Bits turned(Bits men) { return __builtin_bswap64(men); }
int first(Bits men) { return __builtin_ctzll(men); }
int count(Bits men) { return __builtin_popcountll(men); }
Bits up_left(Bits men) { return (men & ~FILE_A) << 7; }
Bits up_right(Bits men) { return (men & ~FILE_H) << 9; }
Bits down_left(Bits men) { return (men & ~FILE_A) >> 9; }
Bits down_right(Bits men) { return (men & ~FILE_H) >> 7; }
Bits above(Bits men) { return up_left(men) | up_right(men); }    // what the side going up could take
Bits below(Bits men) { return down_left(men) | down_right(men); }

// The evaluation

enum Term : int {
    PLACE = 0,                    // 8 ranks by 4 files from the edge
    HANGING = 32,                 // by rank: more attackers than guards, and it is the other side's turn
    LOOSE = HANGING + 8,          // the same at one's own turn
    SAFE = LOOSE + 8,             // by rank: attacked by nobody
    HELD = SAFE + 8,              // by rank: attacked, with as many guards
    ALONE = HELD + 8,             // by rank: without a guard
    BESIDE = ALONE + 8,           // by rank: a neighbour on the right
    BEHIND = BESIDE + 8,          // by rank: a man right behind
    STUCK = BEHIND + 8,           // by rank: a foe right ahead
    FREE = STUCK + 8,             // by rank: nobody in the way, or beside it
    NEARLY = FREE + 8,            // by rank: one foe in the way
    HOLES = NEARLY + 8,           // how many of the squares before home nobody guards
    COLUMNS = HOLES + 9,          // empty columns
    ROOM = COLUMNS + 9,           // moves
    TURN = ROOM + 1,
    TERMS
};

// Found by regression from games; a man is worth some 80, and 128 make winning e times as likely as losing.
int weight[TERMS] = {
    11, 5, 20, 7, 26, 26, 29, 22, 34, 35, 31, 29, 40, 38, 39, 36, 47, 45, 51, 45, 71, 67, 70, 79, 28, -2, -36, 10, 0, 0, 0, 0,  // place
    0, -182, -55, -39, -39, -32, 0, 0,  // hanging
    2, 36, 50, 53, 63, 134, 0, 0,  // loose
    23, 45, 49, 55, 62, 105, 0, 0,  // safe
    0, 45, 63, 59, 67, 33, 0, 0,  // held
    23, 10, -1, 1, 1, -32, 0, 0,  // alone
    4, 2, 2, 2, 27, 5, 0, 0,  // beside
    0, 9, 9, 4, 11, 17, 0, 0,  // behind
    -23, 6, -2, 0, 2, -6, 23, 0,  // stuck
    0, 0, 0, 0, 0, 123, 0, 0,  // free
    0, 0, 0, 45, 47, 26, -23, 0,  // nearly
    47, 22, -5, -9, -20, -41, -40, -15, -23,  // holes
    6, 1, 0, 0, -25, -11, 0, 0, 0,  // columns
    4,  // room
    11,  // turn
};

Bits way[64], way_wide[64], column[64];  // what can stop a man that goes up, at its own turn and at the other's

struct Tables {
    Tables() {
        for (int at = 0; at < 64; ++at)
            for (int to = at - at % 8 + 8; to < 64; ++to) {
                const int ahead = to / 8 - at / 8, aside = std::abs(to % 8 - at % 8);
                if (2 * aside <= ahead) way[at] |= Bits{1} << to;
                if (2 * aside <= ahead + 1) way_wide[at] |= Bits{1} << to;
                if (!aside) column[at] |= Bits{1} << to;
            }
    }
} const tables;

/// One side's terms, as that side goes up; `mine`: it is its turn.
template <typename Add>
void terms(Bits me, Bits you, bool mine, Add add) {
    const Bits left = up_left(me), right = up_right(me), foe_left = down_left(you), foe_right = down_right(you);
    const Bits guarded = left | right, twice = left & right, hit = foe_left | foe_right, hit_twice = foe_left & foe_right;
    const Bits lost = me & ((hit & ~guarded) | (hit_twice & ~twice));
    const Bits behind = me << 8, stuck = you >> 8;
    for (Bits men = me; men; men &= men - 1) {
        const int at = first(men), up = at / 8, file = at % 8;
        const Bits bit = Bits{1} << at;
        add(PLACE + 4 * up + std::min(file, 7 - file), 1);
        if (bit & lost) add((mine ? LOOSE : HANGING) + up, 1);
        else add((bit & hit ? HELD : SAFE) + up, 1);
        if (!(bit & guarded)) add(ALONE + up, 1);
        if (bit & me >> 1 & ~FILE_H) add(BESIDE + up, 1);
        if (bit & behind) add(BEHIND + up, 1);
        if (bit & stuck) add(STUCK + up, 1);
        if (up >= 3) {
            const Bits met = way_wide[at] & you;
            if (!met) add(FREE + up, 1);
            else if (!(met & (met - 1))) add(NEARLY + up, 1);
        }
    }
    add(HOLES + count(rank(1) & ~above(me & rank(0))), 1);
    Bits files = me | me >> 8;
    files |= files >> 16;
    files |= files >> 32;
    add(COLUMNS + 8 - count(files & RANK), 1);
    add(ROOM, count(left & ~me) + count(right & ~me) + count(me << 8 & ~(me | you)));
    if (mine) add(TURN, 1);
}

int judged(Bits me, Bits you) {
    int score = 0;
    terms(me, you, true, [&](int term, int times) { score += weight[term] * times; });
    terms(turned(you), turned(me), false, [&](int term, int times) { score -= weight[term] * times; });
    return score;
}

// The search

struct Kept {
    Bits key;
    std::int16_t score;
    std::uint16_t move;
    std::int8_t depth;
    std::uint8_t kind;  // 1 at least, 2 at most, 3 exact
    std::uint8_t age;
};

struct Rival {
    std::vector<Kept> kept = std::vector<Kept>(std::size_t{1} << 21);
    std::uint8_t age = 0;
    int history[64 * 64] = {}, lines[2][64 * 64] = {};
    std::uint16_t killers[MAX_PLY + 2][2] = {};
    std::uint64_t nodes = 0, most = 0;
    double end = 0;
    bool stop = false;
    std::uint16_t best_root = 0;
    int finished = 0;

    static double now() {
        timespec at;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
        return at.tv_sec + 1e-9 * at.tv_nsec;
    }

    static Bits key_of(Bits me, Bits you) {
        Bits x = me * 0xff51afd7ed558ccdu ^ (you + 0x2545f4914f6cdd1du) * 0xc4ceb9fe1a85ec53u;
        x ^= x >> 29;
        x *= 0xbf58476d1ce4e5b9u;
        return x ^ x >> 32;
    }

    bool spent() {
        if (nodes >= most || ((nodes & 1023) == 0 && end > 0 && now() >= end)) stop = true;
        ++nodes;
        return stop;
    }

    /// Whether some end is in sight; the score then.
    static bool over(Bits me, Bits you, int ply, int& score) {
        if (you & rank(0) || !me) return score = ply - MATE, true;
        if (me & rank(6)) return score = MATE - ply - 1, true;
        if (const Bits near = you & rank(1)) {
            if (near & (near - 1) || !(near & above(me))) return score = ply + 2 - MATE, true;
            return false;
        }
        const Bits five = me & rank(5);
        if (five && ((above(five) & ~me) | (five << 8 & ~(me | you))) & ~below(you)) return score = MATE - ply - 3, true;
        // Who runs free, and is there first?
        const int mine = 7 - (63 - __builtin_clzll(me)) / 8, yours = first(you) / 8;
        for (int left = mine; left <= yours; ++left)
            for (Bits men = me & rank(7 - left); men; men &= men - 1)
                if (const int at = first(men); !(way[at] & you) && !(column[at] & me)) return score = MATE - ply - 2 * left + 1, true;
        for (int left = yours; left < mine; ++left)
            for (Bits men = you & rank(left); men; men &= men - 1)
                if (const int at = first(men) ^ 56; !(way_wide[at] & turned(me)) && !(column[at] & turned(you)))
                    return score = ply + 2 * left - MATE, true;
        return false;
    }

    /// Squares a step before home that the other side can enter now and not be taken there.
    static Bits feared(Bits me, Bits you) {
        const Bits two = you & rank(2);
        return two ? ((below(two) & ~you) | (two >> 8 & ~(me | you))) & ~above(me) : 0;
    }

    static int moves(Bits me, Bits you, Bits targets, bool quiet, std::uint16_t* found) {
        int count = 0;
        const Bits open = targets & ~me & (quiet ? ~Bits{0} : you);
        for (Bits to = up_left(me) & open; to; to &= to - 1) found[count++] = (first(to) - 7) | first(to) << 6;
        for (Bits to = up_right(me) & open; to; to &= to - 1) found[count++] = (first(to) - 9) | first(to) << 6;
        if (quiet)
            for (Bits to = me << 8 & open & ~you; to; to &= to - 1) found[count++] = (first(to) - 8) | first(to) << 6;
        return count;
    }

    int quiet(Bits me, Bits you, int alpha, int beta, int ply, int deep) {
        int score;
        if (spent()) return 0;
        if (over(me, you, ply, score)) return score;
        if (ply >= MAX_PLY) return judged(me, you);
        const Bits near = you & rank(1);
        if (!near && deep < 6 && feared(me, you)) return tree(me, you, alpha, beta, 1, ply, false, true);
        int best = -INF;
        Bits prey = near;
        if (!near) {
            best = judged(me, you);
            if (best >= beta) return best;
            alpha = std::max(alpha, best);
            // What is free to take, or far on its way.
            prey = you & (~below(you) | rank(2) | rank(3) | (up_left(me) & up_right(me)));
        }
        std::uint16_t found[48];
        const int all = moves(me, you, prey, false, found);
        std::sort(found, found + all, [](int a, int b) { return a >> 9 < b >> 9; });  // the furthest first
        for (int at = 0; at < all; ++at) {
            const Bits from = Bits{1} << (found[at] & 63), to = Bits{1} << (found[at] >> 6);
            score = -quiet(turned(you & ~to), turned(me ^ from ^ to), -beta, -alpha, ply + 1, deep + 1);
            if (stop) return 0;
            if (score > best) best = score;
            if (score > alpha) alpha = score;
            if (alpha >= beta) break;
        }
        return best;
    }

    int tree(Bits me, Bits you, int alpha, int beta, int depth, int ply, bool may_pass, bool counted = false) {
        int score;
        if (!counted) {
            if (spent()) return 0;
            if (ply && over(me, you, ply, score)) return score;
        }
        const Bits near = you & rank(1), fear = near ? 0 : feared(me, you);
        if (near || fear) ++depth;
        if (depth <= 0 || ply >= MAX_PLY) {
            --nodes;
            return quiet(me, you, alpha, beta, ply, 0);
        }
        alpha = std::max(alpha, ply - MATE);
        beta = std::min(beta, MATE - ply - 1);
        if (alpha >= beta) return alpha;
        const bool full = beta - alpha > 1;
        const Bits key = key_of(me, you);
        Kept& slot = kept[key & (kept.size() - 1)];
        std::uint16_t hint = 0;
        if (slot.key == key) {
            hint = slot.move;
            int known = slot.score;
            if (known > SURE) known -= ply;
            if (known < -SURE) known += ply;
            if (ply && slot.depth >= depth && (slot.kind == 3 || (slot.kind == 1 && known >= beta) || (slot.kind == 2 && known <= alpha)) && (!full || slot.kind == 3))
                return known;
        }
        const bool calm = !near && !fear;
        const int standing = calm ? judged(me, you) : 0;
        if (!full && calm && std::abs(beta) < SURE) {
            if (depth <= 4 && standing - 70 * depth >= beta) return standing;
            if (may_pass && depth >= 3 && standing >= beta) {
                score = -tree(turned(you), turned(me), -beta, 1 - beta, depth - 3 - depth / 4, ply + 1, false);
                if (stop) return 0;
                if (score >= beta) return score > SURE ? beta : score;
            }
        }
        if (!hint && depth >= 5) --depth;

        std::uint16_t found[64];
        int worth[64];
        const int all = moves(me, you, near ? near : ~Bits{0}, !near, found);
        const Bits hit = below(you), guarded = above(me);
        for (int at = 0; at < all; ++at) {
            const int to = found[at] >> 6;
            const Bits bit = Bits{1} << to;
            if (found[at] == hint) worth[at] = 1 << 30;
            else if (bit & you) worth[at] = (1 << 24) + (bit & hit ? 0 : 1 << 22) + ((7 - to / 8) << 18);
            else if (found[at] == killers[ply][0]) worth[at] = 1 << 23;
            else if (found[at] == killers[ply][1]) worth[at] = (1 << 23) - 1;
            else worth[at] = lines[ply & 1][found[at]] + 30 * (to / 8) - (bit & hit && !(bit & guarded & ~below(bit)) ? 600 : 0);
        }
        int best = -INF, tried = 0;
        const int low = alpha;
        std::uint16_t chosen = 0;
        for (int at = 0; at < all; ++at) {
            int top = at;
            for (int next = at + 1; next < all; ++next)
                if (worth[next] > worth[top]) top = next;
            std::swap(worth[at], worth[top]);
            std::swap(found[at], found[top]);
            const std::uint16_t move = found[at];
            const Bits from = Bits{1} << (move & 63), to = Bits{1} << (move >> 6);
            const bool plain = calm && !(to & you) && move >> 6 < 40;
            if (plain && !full && tried && best > -SURE && alpha < SURE) {
                if (depth <= 3 && standing + 60 + 90 * depth <= alpha) continue;
                if (depth <= 4 && tried > 5 + 2 * depth * depth) continue;
            }
            const Bits next_me = turned(you & ~to), next_you = turned(me ^ from ^ to);
            if (!tried++) score = -tree(next_me, next_you, -beta, -alpha, depth - 1, ply + 1, true);
            else {
                int less = 0;
                if (plain && depth >= 3 && tried > 3) {
                    less = static_cast<int>(0.4 + std::log(depth) * std::log(tried) / 2.0) - full - (worth[at] >= 1 << 22);
                    less = std::clamp(less, 0, depth - 2);
                }
                score = -tree(next_me, next_you, -alpha - 1, -alpha, depth - 1 - less, ply + 1, true);
                if (less && score > alpha) score = -tree(next_me, next_you, -alpha - 1, -alpha, depth - 1, ply + 1, true);
                if (score > alpha && score < beta) score = -tree(next_me, next_you, -beta, -alpha, depth - 1, ply + 1, true);
            }
            if (stop) return 0;
            if (score > best) {
                best = score;
                if (score > alpha) {
                    alpha = score;
                    chosen = move;
                    if (!ply) best_root = move;
                    if (alpha >= beta) {
                        if (!(to & you)) {
                            if (killers[ply][0] != move) killers[ply][1] = killers[ply][0], killers[ply][0] = move;
                            praise(lines[ply & 1][move], depth * depth);
                            for (int other = 0; other < at; ++other)
                                if (!(you >> (found[other] >> 6) & 1)) praise(lines[ply & 1][found[other]], -depth * depth);
                        }
                        break;
                    }
                }
            }
        }
        if (best == -INF) best = std::min(alpha, standing);
        if (slot.key == key || slot.age != age || slot.depth <= depth + 2)
            slot = {key, static_cast<std::int16_t>(best > SURE ? best + ply : best < -SURE ? best - ply : best), chosen ? chosen : hint,
                    static_cast<std::int8_t>(depth), static_cast<std::uint8_t>(best >= beta ? 1 : best > low ? 3 : 2), age};
        return best;
    }

    static void praise(int& entry, int by) {
        by = std::clamp(16 * by, -2000, 2000);
        entry += by - entry * std::abs(by) / 16384;
    }

    int think(Bits me, Bits you, double seconds, std::uint64_t limit) {
        nodes = 0;
        most = limit ? limit : ~std::uint64_t{0};
        end = seconds > 0 ? now() + seconds : 0;
        stop = false;
        ++age;
        std::memset(killers, 0, sizeof killers);
        for (auto& side : lines)
            for (int& entry : side) entry /= 8;
        std::uint16_t found[64];
        if (moves(me & rank(6), you, ~Bits{0}, true, found)) return finished = 0, found[0];  // home at once
        moves(me, you, ~Bits{0}, true, found);
        best_root = found[0];
        int guess = 0;
        for (finished = 0; finished < MAX_PLY; ++finished) {
            int low = finished < 3 ? -INF : guess - 30, high = finished < 3 ? INF : guess + 30, score;
            for (int wide = 100;; wide *= 4) {
                score = tree(me, you, low, high, finished + 1, 0, false);
                if (stop) return best_root;
                if (score <= low && low > -INF) low = wide > 2000 ? -INF : guess - wide;
                else if (score >= high && high < INF) high = wide > 2000 ? INF : guess + wide;
                else break;
            }
            guess = score;
            if (std::abs(score) > SURE && finished + 1 >= MATE - std::abs(score)) break;
        }
        return best_root;
    }
};

}  // namespace

extern "C" {

void* rival_new() { return new Rival; }
void rival_delete(void* rival) { delete static_cast<Rival*>(rival); }

/// The move for the side that goes up: its first square and 64 times its last; told of are depth and nodes.
int rival_move(void* rival, Bits me, Bits you, double seconds, std::uint64_t limit, std::uint64_t* told) {
    Rival& at = *static_cast<Rival*>(rival);
    const int move = at.think(me, you, seconds, limit);
    told[0] = at.finished;
    told[1] = at.nodes;
    return move;
}

#ifdef RIVAL_TUNING
int rival_terms() { return TERMS; }
void rival_set(int term, int to) { weight[term] = to; }
int rival_judge(Bits me, Bits you) { return judged(me, you); }
void rival_features(Bits me, Bits you, std::int32_t* found) {
    terms(me, you, true, [&](int term, int times) { found[term] += times; });
    terms(turned(you), turned(me), false, [&](int term, int times) { found[term] -= times; });
}
#endif
}
