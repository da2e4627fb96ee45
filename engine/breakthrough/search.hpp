// Alpha-beta: iterative deepening, principal variation search, a transposition table, and races seen without looking.
//
// A score is for the side to move. Beyond +-PROVED it is certain: WIN less the plies to the end, which is then no
// further than that. Whatever is left out by judgement (late moves, quiet leaves) leaves a guess behind, never a proof.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "board.hpp"
#include "eval.hpp"
#include "pages.hpp"

namespace klop {

constexpr int WIN = 30000, PROVED = 29000, ENDLESS = 32000;
constexpr int SOON = 5;       ///< plies within which the quickest win is found, where some win is
constexpr int UNAVENGED = 40000;  ///< in the order of moves, a capture that nobody can answer with one
constexpr int DEEPEST = 200;  ///< plies; no game on 64 cells is longer: each step brings a man nearer

constexpr bool proved(int score) { return score >= PROVED || score <= -PROVED; }

/// Numbers found by playing; the same kind of search in Python has some of them too.
struct Tuning {
    static constexpr int margin = 110;       ///< a step from the leaves, a quiet move gains so little more
    static constexpr int ahead = 60;         ///< a step from the leaves, so much beyond what is wanted is enough
    static constexpr int ahead_depth = 7;    ///< and how far from the leaves that holds
    static constexpr int unsure_depth = 5;   ///< from here on, where no step is known to be good, one ply less is searched
    static constexpr int reduce_from = 3;    ///< moves searched in full before later ones are tried shallower
    static constexpr int reduce_base = 80;   ///< hundredths of a ply that they lose at least, and more by the logarithms of both
    static constexpr int reduce_by = 240;    ///< how slowly
    static constexpr int late_depth = 6;     ///< up to here quiet moves after the first few are left out
    static constexpr int null_depth = 3;
    static constexpr int null_by = 60;       ///< so much more than wanted, and a pass is searched a ply less, by three plies at most
    static constexpr int quiet_plies = 8;
};

/// What is remembered of a position.
template <typename Set>
struct Entry {
    u64 key = 0;
    std::int16_t score = 0;
    Step<Set> step{};
    std::int8_t depth = 0;
    std::uint8_t bound = 0;  ///< 1 at least, 2 at most, 3 exact
    std::uint8_t age = 0;
    std::uint8_t unused = 0;
};

template <typename Set>
class Table {
  public:
    explicit Table(std::size_t megabytes) {
        std::size_t count = 2;
        while (count * 2 * sizeof(Entry<Set>) <= megabytes << 20) count *= 2;
        entries.resize(count);
        mask = count - 2;
    }

    /// Begins a search. What earlier ones remembered is seen if they are `kept`, and gives way to what is new.
    void next(bool kept) {
        if (++age == 0) {
            std::fill(entries.begin(), entries.end(), Entry<Set>{});
            age = oldest = 1;
        }
        if (!kept) oldest = age;
    }

    const Entry<Set>* find(u64 key) const {
        const Entry<Set>* pair = &entries[key & mask];
        for (int at = 0; at < 2; ++at)
            if (seen(pair[at], key)) return &pair[at];
        return nullptr;
    }

    /// Begins to fetch what `find` will read; memory is slow.
    void fetch(u64 key) const { __builtin_prefetch(&entries[key & mask]); }

    void keep(u64 key, int score, Step<Set> step, int depth, int bound) {
        Entry<Set>* pair = &entries[key & mask];
        Entry<Set>* slot;
        if (seen(pair[0], key)) slot = pair;
        else if (seen(pair[1], key)) slot = pair + 1;
        else slot = pair[0].age != age || pair[0].depth <= depth ? pair : pair + 1;
        if (seen(*slot, key) && !step) step = slot->step;
        *slot = {key, static_cast<std::int16_t>(score), step, static_cast<std::int8_t>(std::min(depth, 127)),
                 static_cast<std::uint8_t>(bound), age, 0};
    }

  private:
    bool seen(const Entry<Set>& entry, u64 key) const { return entry.key == key && entry.age >= oldest; }

    std::vector<Entry<Set>, LargePages<Entry<Set>>> entries;
    std::size_t mask;
    std::uint8_t age = 1, oldest = 1;
};

template <typename Set>
struct Line {
    int score = 0;
    std::vector<Step<Set>> steps;
};

template <typename Set>
struct Found {
    int depth = 0;
    u64 nodes = 0;
    std::vector<Line<Set>> lines;
};

template <typename Set>
class Search {
  public:
    using Poll = std::function<bool(u64)>;
    using Report = std::function<void(const Found<Set>&)>;

    Search(const Geometry<Set>& on, const Evaluation<Set>& evaluation, bool misere, std::size_t megabytes)
        : on(on), evaluation(evaluation), misere(misere), table(megabytes) {
        for (int cell = 0; cell < on.cells; ++cell)
            for (int side = 0; side < 2; ++side) {
                const int file = cell % on.files, rank = cell / on.files;
                for (int at = 0; at < on.cells; ++at) {
                    const int ahead = (at / on.files - rank) * (side == WHITE ? 1 : -1);
                    const int aside = std::abs(at % on.files - file);
                    if (ahead >= 1 && aside <= (ahead + 1) / 2) add(cones[side][cell], at);
                    if (ahead >= 1 && aside == 0) add(columns[side][cell], at);
                }
            }
    }

    /// The best steps, each with a score of its own; the deepest search that was finished within the budget.
    Found<Set> think(const Board<Set>& board, int depth, u64 limit, int most, u64 seed, const Poll& poll,
                const Report& report) {
        table.next(follows(board));
        last = board;
        std::memset(history, 0, sizeof history);
        std::memset(killers, 0, sizeof killers);
        nodes = 0;
        this->limit = limit;
        this->poll = &poll;
        wanted = most;
        root = ordered(board, seed);
        stands[0] = evaluation.of(board);
        Found<Set> found;
        const int count = static_cast<int>(root.size());
        most = wanted = std::clamp(most, 1, count);
        for (int at = 0; at < most; ++at) found.lines.push_back({0, {root[at].step}});
        improved = Step<Set>{};
        std::vector<Root> finished;  // the root moves as the deepest finished search left them
        try {
            for (auto& move : root) {
                count_node();
                move.score = glance(board.after(move.step));
            }
            sort_root();
            finished = root;
            take(found, 0);
            for (int goal = 1; goal <= std::min(depth, DEEPEST); ++goal) {
                search_root(board, goal, most);
                sort_root();
                finished = root;
                take(found, goal);
                if (report) report(found);
                if (settled(most, goal)) break;
            }
        } catch (const Spent&) {
            take_up(finished);
            take(found, found.depth);
        }
        found.nodes = nodes;
        return found;
    }

    /// The end that is in sight for the side to move, if there is one.
    std::optional<int> without_looking(const Board<Set>& board, int ply) const {
        return board.to_move == WHITE ? without_looking<WHITE>(board.men[0], board.men[1], ply)
                                      : without_looking<BLACK>(board.men[1], board.men[0], ply);
    }

  private:
    struct Spent {};

    struct Root {
        Step<Set> step;
        int bonus;  ///< from the seed, so that equal moves are chosen by chance
        int score = 0;
        std::vector<Step<Set>> line;
        bool exact = true;  ///< else the score is only known to be no higher
        bool lost() const { return score <= -PROVED; }
        int rank() const { return proved(score) ? score : score + (exact ? bonus : -1000); }
    };

    struct Pv {
        Step<Set> steps[DEEPEST + 64];
        int count = 0;
    };

    struct Counted {
        Step<Set> step;
        int worth;
    };

    u64 key_of(const Board<Set>& board) const {
        return mixed(folded(board.men[0]) * 0x9e3779b97f4a7c15u ^
                     std::rotl(folded(board.men[1]) * 0xc2b2ae3d27d4eb4fu, 31) ^
                     (board.to_move ? 0x165667b19e3779f9u : 0));
    }

    /// Whether a match that stood where the last search began stands here two plies later, so that it goes on with what
    /// it remembers. Anything else forgets: what a search finds depends on its match alone.
    bool follows(const Board<Set>& board) const {
        const auto stepped = [&]<Side side>() {
            const Set gone = last.men[side] & ~board.men[side], came = board.men[side] & ~last.men[side];
            return came && !several(came) && (on.template hits<side>(gone) | on.template straight<side>(gone)) & came;
        };
        return board.to_move == last.to_move && stepped.template operator()<WHITE>() &&
               stepped.template operator()<BLACK>();
    }

    void count_node() {
        if (nodes >= limit) throw Spent{};
        if ((++nodes & 4095) == 0 && *poll && (*poll)(nodes)) throw Spent{};
    }

    // The root

    std::vector<Root> ordered(const Board<Set>& board, u64 seed) const {
        Steps<Set> steps;
        all_steps(board, steps);
        std::vector<Root> found;
        u64 state = mixed(seed + 0x9e3779b97f4a7c15u);
        for (int at = 0; at < steps.count; ++at) {
            state = mixed(state + steps.step[at].code + 0x9e3779b97f4a7c15u);
            found.push_back({steps.step[at], static_cast<int>(state & 3), -MOST, {}});
        }
        return found;
    }

    void sort_root() {
        std::stable_sort(root.begin(), root.end(),
                         [](const Root& a, const Root& b) { return a.rank() > b.rank(); });
    }

    /// The order after an unfinished depth: what it has proved stays proved, and a better first move that it has found
    /// is taken; all other scores are those of the depth before. A refuted move comes after all that are not.
    void take_up(const std::vector<Root>& finished) {
        for (const Root& before : finished) {
            Root& move = *std::find_if(root.begin(), root.end(), [&](const Root& one) { return one.step == before.step; });
            if (!proved(move.score) && move.step != improved) move = before;
        }
        sort_root();
        std::stable_partition(root.begin(), root.end(),
                              [&](const Root& move) { return move.step == improved && !move.lost(); });
    }

    void take(Found<Set>& found, int depth) const {
        found.depth = depth;
        found.nodes = nodes;
        for (std::size_t at = 0; at < found.lines.size(); ++at) {
            found.lines[at].score = root[at].score;
            found.lines[at].steps = root[at].line;
            if (root[at].line.empty()) found.lines[at].steps = {root[at].step};
        }
    }

    /// Whether a deeper search would change nothing: all is proved, and no win is there in fewer plies than those found,
    /// of those that are looked for.
    bool settled(int most, int depth) const {
        return std::all_of(root.begin(), root.begin() + most, [&](const Root& move) {
            return proved(move.score) && (move.score < 0 || depth >= std::min(SOON, WIN - move.score));
        });
    }

    /// A first score of a root move, for the order: from the opponent's view, turned.
    int glance(const Board<Set>& next) {
        if (is_over(on, next)) return misere ? -(WIN - 1) : WIN - 1;
        const auto seen = without_looking(next, 1);
        return seen ? -*seen : -evaluation.of(next);
    }

    void search_root(const Board<Set>& board, int depth, int most) {
        improved = Step<Set>{};
        std::vector<int> best;  // of the `most` best so far, the best first
        for (std::size_t at = 0; at < root.size(); ++at) {
            Root& move = root[at];
            const Board<Set> next = board.after(move.step);
            const int floor = static_cast<int>(best.size()) < most ? -ENDLESS : best.back();
            if (move.lost() && move.score <= floor) continue;
            int score;
            Pv line;
            if (floor == -ENDLESS) {
                score = most == 1 && depth >= 4 && !proved(move.score) ? aspire(next, depth, move.score, line)
                                                                       : -search(next, -ENDLESS, ENDLESS, depth - 1, 1, line, true);
            } else {
                const int alpha = proved(floor) ? floor : floor - move.bonus;
                score = -search(next, -alpha - 1, -alpha, depth - 1, 1, line, true);
                if (score > alpha) score = -search(next, -ENDLESS, -alpha, depth - 1, 1, line, true);
                if (score <= alpha) {
                    move.score = proved(score) ? score : std::min(score, alpha);
                    move.exact = false;
                    continue;
                }
            }
            move.score = score;
            move.exact = true;
            move.line.assign(1, move.step);
            move.line.insert(move.line.end(), line.steps, line.steps + line.count);
            best.insert(std::upper_bound(best.begin(), best.end(), move.rank(), std::greater<>()), move.rank());
            if (static_cast<int>(best.size()) > most) best.pop_back();
            if (most == 1) improved = move.step;
        }
    }

    /// A window around what the depth before has found. How soon a refuted move loses is not asked: the others get the time.
    int aspire(const Board<Set>& next, int depth, int guess, Pv& line) {
        int low = guess - 40, high = guess + 40;
        for (int width = 120;; width *= 4) {
            const int score = -search(next, -high, -low, depth - 1, 1, line, true);
            if (score <= -PROVED) return score;
            if (score <= low && low > -ENDLESS) low = width > 2000 ? -ENDLESS : guess - width;
            else if (score >= high && high < ENDLESS) high = width > 2000 ? ENDLESS : guess + width;
            else return score;
        }
    }

    void all_steps(const Board<Set>& board, Steps<Set>& steps) const {
        if (board.to_move == WHITE) all_steps<WHITE>(board.men[0], board.men[1], steps);
        else all_steps<BLACK>(board.men[1], board.men[0], steps);
    }

    template <Side side>
    void all_steps(Arg<Set> own, Arg<Set> foe, Steps<Set>& steps) const {
        captures<side>(on, own, foe, on.all, steps);
        quiets<side>(on, own, foe, on.all, steps);
    }

    // What is certain without looking ahead

    /// The end that is in sight while nobody stands on a far rank, if there is one: steps to the goal that nothing can
    /// stop, and men that run free.
    template <Side side>
    std::optional<int> without_looking(Arg<Set> own, Arg<Set> foe, int ply) const {
        constexpr Side enemy = other(side);
        if (misere) {
            if (!own) return WIN - ply;
            return std::nullopt;
        }
        if (!own) return -(WIN - ply);
        if (own & on.at_distance(side, 1)) return WIN - (ply + 1);
        const Set threats = foe & on.at_distance(enemy, 1);
        if (threats) {
            if (several(threats) || !(on.template hits<side>(own) & threats)) return -(WIN - (ply + 2));
            return std::nullopt;  // it has to be taken; the rest is to be seen
        }
        if (safe_arrivals<side>(own, foe)) return WIN - (ply + 3);
        return race<side>(own, foe, ply);
    }

    /// Cells a step before the goal that a side can enter now without being taken there.
    template <Side side>
    Set safe_arrivals(Arg<Set> own, Arg<Set> foe) const {
        const Set runners = own & on.at_distance(side, 2);
        if (!runners) return {};
        const Set entered = (on.template hits<side>(runners) & ~own) | (on.template straight<side>(runners) & ~(own | foe));
        return entered & ~on.template hits<other(side)>(foe);
    }

    /// The ranks between a side's foremost man and its goal.
    template <Side side>
    int nearest(Arg<Set> men) const {
        return on.distance(side, side == WHITE ? highest(men) : lowest(men));
    }

    /// How far the foremost man of a side is that nobody can stop any more, looking at men up to `limit` ranks away; a
    /// large number where there is none.
    template <Side side>
    int runner(Arg<Set> own, Arg<Set> foe, int limit) const {
        for (int distance = nearest<side>(own); distance <= limit; ++distance)
            for (Set men = own & on.at_distance(side, distance); men; men = without(men, lowest(men))) {
                const int cell = lowest(men);
                if (!(foe & cones[side][cell]) && !(own & columns[side][cell])) return distance;
            }
        return 99;
    }

    template <Side side>
    std::optional<int> race(Arg<Set> own, Arg<Set> foe, int ply) const {
        constexpr Side enemy = other(side);
        const int mine = nearest<side>(own), theirs = nearest<enemy>(foe);
        if (mine <= theirs)
            if (const int far = runner<side>(own, foe, theirs); far <= theirs) return WIN - (ply + 2 * far - 1);
        if (theirs < mine)
            if (const int far = runner<enemy>(foe, own, mine - 1); far < mine) return -(WIN - (ply + 2 * far));
        return std::nullopt;
    }

    // The tree

    int search(const Board<Set>& board, int alpha, int beta, int depth, int ply, Pv& line, bool may_pass) {
        return board.to_move == WHITE ? search<WHITE>(board.men[0], board.men[1], alpha, beta, depth, ply, line, may_pass)
                                      : search<BLACK>(board.men[1], board.men[0], alpha, beta, depth, ply, line, may_pass);
    }

    static int from_table(int score, int ply) {
        return score >= PROVED ? score - ply : score <= -PROVED ? score + ply : score;
    }
    static int to_table(int score, int ply) {
        return score >= PROVED ? score + ply : score <= -PROVED ? score - ply : score;
    }

    /// The steps that can matter: all, or only those that keep the opponent from an arrival he is sure of.
    /// Returns whether steps were left out.
    template <Side side>
    bool candidates(Arg<Set> own, Arg<Set> foe, Steps<Set>& steps) const {
        constexpr Side enemy = other(side);
        if (misere) {
            // Steps to the far rank lose at once: only where there is nothing else.
            const Set inside = on.all & ~on.at_distance(side, 0);
            captures<side>(on, own, foe, inside, steps);
            quiets<side>(on, own, foe, inside, steps);
            if (!steps.count) all_steps<side>(own, foe, steps);
            return false;
        }
        if (const Set threats = foe & on.at_distance(enemy, 1)) {
            captures<side>(on, own, foe, threats, steps);
            return true;
        }
        if (const Set arrivals = safe_arrivals<enemy>(foe, own)) {
            // He steps to such a cell and then home. His man is taken, or met, or something is nearer to our goal.
            const Set ahead = on.at_distance(side, 1), runners = foe & on.at_distance(enemy, 2);
            captures<side>(on, own, foe, runners | ahead, steps);
            quiets<side>(on, own, foe, arrivals | ahead, steps);
            return true;
        }
        all_steps<side>(own, foe, steps);
        return false;
    }

    template <Side side>
    int search(Arg<Set> own, Arg<Set> foe, int alpha, int beta, int depth, int ply, Pv& line, bool may_pass) {
        constexpr Side enemy = other(side);
        line.count = 0;
        const Board<Set> board = side == WHITE ? Board<Set>{{own, foe}, side} : Board<Set>{{foe, own}, side};
        const u64 key = key_of(board);
        table.fetch(key);
        count_node();
        if (foe & on.at_distance(enemy, 0)) return misere ? WIN - ply : -(WIN - ply);
        if (const auto seen = without_looking<side>(own, foe, ply)) return *seen;
        // Nothing is over before the next ply.
        alpha = std::max(alpha, -(WIN - (ply + 1)));
        beta = std::min(beta, WIN - (ply + 1));
        if (alpha >= beta) return alpha;

        const bool threatened = !misere && foe & on.at_distance(enemy, 1);
        if (threatened) ++depth;  // one or two steps are left to choose from
        if (depth <= 0) return quiesce<side>(own, foe, alpha, beta, ply, 0);
        if (ply >= DEEPEST) return evaluation.template sum<side>(own, foe);

        const bool full = beta - alpha > 1;
        // Before the table is read, as it is fetched meanwhile.
        const bool hot = threatened || (!misere && safe_arrivals<enemy>(foe, own));
        const int standing = hot ? 0 : evaluation.template sum<side>(own, foe);
        Step<Set> hinted{};
        if (const Entry<Set>* entry = table.find(key)) {
            hinted = entry->step;
            const int score = from_table(entry->score, ply);
            const bool won = entry->bound & 1 && score >= PROVED, lost = entry->bound & 2 && score <= -PROVED;
            if (entry->depth >= depth || won || lost) {
                if (entry->bound == 3 && (!full || won || lost)) return score;
                if (!full && entry->bound & 1 && score >= beta) return score;
                if (!full && entry->bound & 2 && score <= alpha) return score;
            }
        }

        stands[ply] = hot ? ENDLESS : standing;
        const bool rising = !hot && ply >= 2 && standing > stands[ply - 2];  // since the side's last move
        Pv below;

        if (!full && !hot && !misere && !proved(beta)) {
            if (depth <= Tuning::ahead_depth && standing - Tuning::ahead * (depth - rising) >= beta) return standing;
            if (may_pass && depth >= Tuning::null_depth && standing >= beta) {
                // Even if it were the opponent's turn again: steps seldom hurt the one who makes them.
                const int less = 3 + depth / 4 + std::min(3, (standing - beta) / Tuning::null_by);
                const int score = -search<enemy>(foe, own, -beta, -beta + 1, depth - less, ply + 1, below, false);
                if (score >= beta) return proved(score) ? beta : score;
            }
        }

        if (!hinted && !hot && depth >= Tuning::unsure_depth) --depth;  // the next time there will be one

        Steps<Set> steps;
        const bool chosen = candidates<side>(own, foe, steps);
        // What was left out loses to an arrival in four plies.
        int best = chosen ? -(WIN - (ply + (threatened ? 2 : 4))) : -ENDLESS;
        Counted order[3 * MOST_MEN];
        sort_steps<side>(own, foe, steps, hinted, ply, order);
        Step<Set> best_step{};
        const int before = alpha;
        int tried = 0;
        for (int at = 0; at < steps.count; ++at) {
            pick(order, at, steps.count);
            const Step<Set> step = order[at].step;
            const Set after = moved(own, step.from(), step.to()), left_over = without(foe, step.to());
            const bool takes_man = step.takes();
            const int left = on.distance(side, step.to());
            const bool quiet = !takes_man && left > 3 && !hot;
            // Where only a quicker win would do, guesses say nothing.
            if (quiet && !full && !misere && alpha < PROVED && best > -PROVED && tried > 0) {
                if (depth <= 3 && standing + Tuning::margin * depth + 60 <= alpha) {
                    best = std::max(best, std::min(standing + Tuning::margin * depth + 60, alpha));
                    continue;
                }
                if (depth <= Tuning::late_depth && tried > (4 + 2 * depth * depth) / (rising ? 1 : 2)) {
                    best = std::max(best, std::max(standing, -MOST));
                    best = std::min(best, std::max(alpha, -MOST));
                    continue;
                }
            }
            int score;
            if (tried == 0) {
                score = -search<enemy>(left_over, after, -beta, -alpha, depth - 1, ply + 1, below, true);
            } else {
                int less = 0;
                if (depth >= 3 && !hot && left > 3 && alpha < PROVED && tried >= Tuning::reduce_from) {
                    if (quiet) {
                        less = reductions[std::min(depth, 63)][std::min(tried, 63)];
                        if (full) less = std::max(0, less - 1);
                        if (order[at].worth > 2000) less = std::max(0, less - 1);
                        if (!rising) ++less;
                    } else if (!full && order[at].worth < UNAVENGED) {
                        less = 1;
                    }
                }
                score = -search<enemy>(left_over, after, -alpha - 1, -alpha, depth - 1 - less, ply + 1, below, true);
                if (score > alpha && less)
                    score = -search<enemy>(left_over, after, -alpha - 1, -alpha, depth - 1, ply + 1, below, true);
                if (score > alpha && score < beta)
                    score = -search<enemy>(left_over, after, -beta, -alpha, depth - 1, ply + 1, below, true);
            }
            ++tried;
            if (score > best) {
                best = score;
                if (score > alpha) {
                    alpha = score;
                    best_step = step;
                    line.steps[0] = step;
                    std::copy_n(below.steps, below.count, line.steps + 1);
                    line.count = below.count + 1;
                    if (alpha >= beta) {
                        if (!takes_man) praise(side, step, ply, depth, order, at);
                        break;
                    }
                }
            }
        }
        table.keep(key, to_table(best, ply), best_step, depth, best >= beta ? 1 : best > before ? 3 : 2);
        return best;
    }

    /// Captures only, until nothing hangs; and answers to whoever is about to arrive. In misère any capture but home
    /// may be good, and nothing is urgent.
    template <Side side>
    int quiesce(Arg<Set> own, Arg<Set> foe, int alpha, int beta, int ply, int plies) {
        constexpr Side enemy = other(side);
        int best = -ENDLESS;
        Steps<Set> steps;
        const bool threatened = !misere && foe & on.at_distance(enemy, 1);
        const bool arriving = !misere && !threatened && safe_arrivals<enemy>(foe, own);
        if (threatened || (arriving && plies < Tuning::quiet_plies)) {
            candidates<side>(own, foe, steps);
            best = -(WIN - (ply + (threatened ? 2 : 4)));
        } else {
            best = evaluation.template sum<side>(own, foe);
            if (best >= beta || plies >= Tuning::quiet_plies) return best;
            alpha = std::max(alpha, best);
            captures<side>(on, own, foe, misere ? on.all & ~on.at_distance(side, 0) : prey<side>(foe), steps);
        }
        Counted order[3 * MOST_MEN];
        for (int at = 0; at < steps.count; ++at)
            order[at] = {steps.step[at], steps.step[at].takes() * 64 - on.distance(enemy, steps.step[at].to())};
        for (int at = 0; at < steps.count; ++at) {
            pick(order, at, steps.count);
            const Step<Set> step = order[at].step;
            const Set after = moved(own, step.from(), step.to()), left_over = without(foe, step.to());
            const int score = -after_capture<enemy>(left_over, after, -beta, -alpha, ply + 1, plies + 1);
            if (score > best) {
                best = score;
                alpha = std::max(alpha, score);
                if (alpha >= beta) break;
            }
        }
        return best;
    }

    /// Men that nobody avenges, and men that have come far.
    template <Side side>
    Set prey(Arg<Set> foe) const {
        constexpr Side enemy = other(side);
        Set worth = foe & ~on.template hits<enemy>(foe);
        for (int distance = 2; distance <= std::min(3, on.ranks - 3); ++distance)
            worth |= foe & on.at_distance(enemy, distance);
        return worth;
    }

    template <Side side>
    int after_capture(Arg<Set> own, Arg<Set> foe, int alpha, int beta, int ply, int plies) {
        count_node();
        if (const auto seen = without_looking<side>(own, foe, ply)) return *seen;
        return quiesce<side>(own, foe, alpha, beta, ply, plies);
    }

    // The order of steps

    template <Side side>
    void sort_steps(Arg<Set> own, Arg<Set> foe, const Steps<Set>& steps, Step<Set> hinted, int ply, Counted* order) const {
        constexpr Side enemy = other(side);
        const Set feared = on.template hits<enemy>(foe), backed = on.template hits<side>(own);
        for (int at = 0; at < steps.count; ++at) {
            const Step<Set> step = steps.step[at];
            const int cell = step.to();
            const int left = on.distance(side, step.to());
            int worth;
            if (step == hinted) worth = 1 << 30;
            else if (step.takes()) {
                const int prey = on.distance(enemy, step.to());
                worth = (has(feared, cell) ? UNAVENGED / 2 : UNAVENGED) + 1000 * (on.ranks - prey);
            } else {
                worth = history[side][step.from()][lane(side, step)];
                if (step == killers[ply][0]) worth += 15000;
                else if (step == killers[ply][1]) worth += 14000;
                if (has(feared, cell) && !has(backed, cell)) worth -= 4000;
                worth += 40 * (on.ranks - left);
                if (left <= 2 && !has(feared, cell)) worth += 9000;
            }
            order[at] = {step, worth};
        }
    }

    /// Brings the best of what is left to a place.
    static void pick(Counted* order, int at, int count) {
        int best = at;
        for (int other = at + 1; other < count; ++other)
            if (order[other].worth > order[best].worth) best = other;
        std::swap(order[at], order[best]);
    }

    /// A step's way: 0 to the left, 1 straight on, 2 to the right.
    int lane(Side side, Step<Set> step) const { return step.to() - step.from() + (side == WHITE ? 1 - on.files : 1 + on.files); }

    void praise(Side side, Step<Set> step, int ply, int depth, const Counted* order, int at) {
        if (killers[ply][0] != step) {
            killers[ply][1] = killers[ply][0];
            killers[ply][0] = step;
        }
        const int bonus = std::min(depth * depth, 400);
        const auto shift = [&](Step<Set> of, int by) {
            int& entry = history[side][of.from()][lane(side, of)];
            entry += by * 8 - entry * std::abs(by) / 1024;
        };
        shift(step, bonus);
        for (int other = 0; other < at; ++other)
            if (!order[other].step.takes()) shift(order[other].step, -bonus);
    }

    std::array<std::array<int, 64>, 64> make_reductions() const {
        std::array<std::array<int, 64>, 64> made{};
        for (int depth = 1; depth < 64; ++depth)
            for (int at = 1; at < 64; ++at)
                made[depth][at] = static_cast<int>(Tuning::reduce_base / 100.0 +
                                                    std::log(depth) * std::log(at) * 100.0 / Tuning::reduce_by);
        return made;
    }

    const Geometry<Set>& on;
    const Evaluation<Set>& evaluation;
    const bool misere;
    Table<Set> table;
    static constexpr int CELLS = 8 * sizeof(Set);
    Set cones[2][CELLS] = {}, columns[2][CELLS] = {};
    int history[2][CELLS][3] = {};
    Step<Set> killers[DEEPEST + 64][2] = {};
    const std::array<std::array<int, 64>, 64> reductions = make_reductions();
    int stands[DEEPEST + 64] = {};  ///< what the positions of the line that is searched are worth without looking ahead
    Board<Set> last{};  ///< where the last search began
    u64 nodes = 0, limit = 0;
    const Poll* poll = nullptr;
    std::vector<Root> root;
    int wanted = 1;
    Step<Set> improved{};
};

}  // namespace klop
