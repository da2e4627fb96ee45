// The search of engine/klopodavka/turns.py and tree.py: whole turns by a beam, and a tree of them grown where it matters.
#pragma once

#include <functional>
#include <iterator>
#include <memory>
#include <tuple>

#include "evaluation.hpp"

namespace klopodavka {

struct Spent {};

// Counts nodes, and asks every 2048 of them whether to stop: a millisecond or two.
class Meter {
public:
    Meter(std::uint64_t most, std::function<bool()> stopped) : most_(most), stopped_(std::move(stopped)) {}

    void tick() {
        if (nodes == most_) throw Spent{};
        if (++nodes % 2048 == 0 && stopped_()) throw Spent{};
    }

    std::uint64_t nodes = 0;

private:
    std::uint64_t most_;
    std::function<bool()> stopped_;
};

struct Shape {
    int root, reply;
};

// The same numbers as in tree.py.
constexpr int GROWTH = 4, BROADEST = 256, ROOT_PATIENCE = 16, REPLY_PATIENCE = 8;

constexpr int kept(int width) { return width + width / 2; }

template <int W>
struct Turn {
    double value;
    Cells<W> cells;
    State<W> after;
};

// Remembers keys; emptied in no time.
class Seen {
public:
    void clear(std::size_t expected) {
        std::size_t size = 1024;
        while (size < 2 * expected) size *= 2;
        if (size > keys_.size()) keys_.assign(size, {0, 0}), round_ = 0;
        ++round_;
    }
    // Whether it is new.
    bool add(std::uint64_t key) {
        for (std::size_t at = key & (keys_.size() - 1);; at = (at + 1) & (keys_.size() - 1)) {
            auto& [round, held] = keys_[at];
            if (round != round_) {
                round = round_;
                held = key;
                return true;
            }
            if (held == key) return false;
        }
    }

private:
    std::vector<std::pair<std::uint64_t, std::uint64_t>> keys_;
    std::uint64_t round_ = 0;
};

inline std::uint64_t key_of(int cell) {
    std::uint64_t x = (cell + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

template <int W>
class Beam {
public:
    Beam(const Kind<W>& on, const Weights& by, Meter& meter) : on_(on), by_(by), meter_(meter) {}

    // The best turns, the best first; `whole` tells whether these are all there are.
    std::vector<Turn<W>> turns(const State<W>& state, int width, int most, bool& whole) {
        const int side = on_.side[state.seat];
        std::vector<Partial> beam;
        beam.push_back({0, Cells<W>{}, State<W>(state, on_.seats)});
        std::vector<Turn<W>> done;
        std::vector<Tried> made;
        whole = true;
        for (int left = state.left; left > 0; --left) {
            std::size_t expected = 0;
            for (const auto& partial : beam) expected += partial.state.reached(on_).count();
            seen_.clear(expected);
            made.clear();
            for (std::size_t from = 0; from < beam.size(); ++from) {
                const Partial& partial = beam[from];
                const Rows<W> before(on_, partial.state);
                partial.state.reached(on_).each([&](int at) {
                    const std::uint64_t key = partial.key ^ key_of(at);
                    if (!seen_.add(key)) return;
                    meter_.tick();
                    State<W> after(partial.state, on_.seats);
                    after.act(on_, at);
                    const bool over = after.end != OPEN || after.seat != state.seat;
                    double value;
                    if (after.end != OPEN)
                        value = ended(after.end, side);
                    else if (!partial.state.live.has(at) && before.serves(on_, after))
                        value = evaluate(on_, after, Rows<W>(on_, after, before, state.seat, at), side, by_);
                    else
                        value = evaluate(on_, after, Rows<W>(on_, after), side, by_);
                    made.push_back({value, key, static_cast<int>(from), at, over || left == 1});
                });
            }
            std::stable_sort(made.begin(), made.end(), [](const Tried& a, const Tried& b) { return a.value > b.value; });
            std::vector<Partial> next;
            int kept = 0, passed = 0;
            for (const auto& tried : made) {
                if (tried.over ? kept >= most : passed >= width) {
                    whole = false;
                    continue;
                }
                const Partial& from = beam[tried.from];
                State<W> after(from.state, on_.seats);
                after.act(on_, tried.at);
                const Cells<W> cells = from.cells | Cells<W>::bit(tried.at);
                if (tried.over) {
                    done.push_back({tried.value, cells, after});
                    ++kept;
                } else {
                    next.push_back({tried.key, cells, after});
                    ++passed;
                }
            }
            beam = std::move(next);
        }
        std::stable_sort(done.begin(), done.end(), [](const Turn<W>& a, const Turn<W>& b) { return a.value > b.value; });
        if (static_cast<int>(done.size()) > most) {
            done.resize(most);
            whole = false;
        }
        return done;
    }

private:
    struct Partial {
        std::uint64_t key;
        Cells<W> cells;
        State<W> state;
    };
    struct Tried {
        double value;
        std::uint64_t key;
        int from, at;
        bool over;
    };

    const Kind<W>& on_;
    const Weights& by_;
    Meter& meter_;
    Seen seen_;
};

template <int W>
struct Node {
    std::unique_ptr<State<W>> state;
    Cells<W> cells;
    double value = 0;
    bool ours = false, closed = false, whole = false, sure = false;
    int visits = 0, width = 0;
    std::vector<Node> children;

    Node() = default;
    Node(const State<W>& at, const Cells<W>& by, double worth, bool mine, int seats)
        : state(std::make_unique<State<W>>(at, seats)), cells(by), value(worth), ours(mine),
          closed(at.end != OPEN || std::abs(worth) >= DECIDED), sure(closed) {}

    static constexpr double DECIDED = COUNTED_OUT / 2, DELAY = 0.01, BOREDOM = 0.1;

    const Node* best() const {
        const Node* found = nullptr;
        for (const auto& child : children)
            if (!found || (ours ? child.value > found->value : child.value < found->value)) found = &child;
        return found;
    }
    // The open child to go on with: the most promising, those that were seen often a little less.
    Node* next() {
        Node* found = nullptr;
        double most = 0;
        for (auto& child : children) {
            if (child.closed) continue;
            const double promise = (ours ? child.value : -child.value) - BOREDOM * std::log1p(child.visits);
            if (!found || promise > most) {
                found = &child;
                most = promise;
            }
        }
        return found;
    }
    void update() {
        const Node* chosen = best();
        value = chosen->value;
        if (std::abs(chosen->value) > DECIDED) value -= chosen->value > 0 ? DELAY : -DELAY;
        const bool won = chosen->closed && (ours ? chosen->value : -chosen->value) > DECIDED;
        bool all = true, certain = whole;
        for (const auto& child : children) {
            all = all && child.closed;
            certain = certain && child.sure;
        }
        closed = won || (all && (whole || width >= BROADEST));
        sure = (won && chosen->sure) || certain;
    }
};

template <int W>
class Tree {
public:
    Tree(const Kind<W>& on, const State<W>& state, const Weights& by, Meter& meter, Shape shape, int depth)
        : on_(on), by_(by), meter_(meter), beam_(on, by, meter), shape_(shape), limit_(depth ? depth : 64),
          seat_(state.seat), side_(on.side[state.seat]), many_(on.sides > 2),
          root(state, {}, 0, true, on.seats) {
        root.closed = root.sure = false;
    }

    void grow(int most) {
        at_hand();
        try {
            for (int width : {1, 4, 16})
                if (width < shape_.root) open(width);
            open(shape_.root);
            while (limit_ > 1 && size_ < MOST_NODES && !root.closed) visit(most);
        } catch (const Spent&) {
        }
    }

    // The turns of the root, the best first: what wins, then what the search came back to most, or, where all were to be
    // judged with equal care, what is worth most; then what was never looked into; what loses comes last.
    std::vector<const Node<W>*> ranked(int most) const {
        bool judged = false;
        for (const auto& child : root.children) judged = judged || child.closed || !child.children.empty();
        std::vector<const Node<W>*> found;
        for (const auto& child : root.children) found.push_back(&child);
        const auto key = [&](const Node<W>* child) {
            const int decided = !child->closed ? 0 : child->value > Node<W>::DECIDED ? 2 : child->value < -Node<W>::DECIDED ? -2 : 0;
            const bool looked = !judged || child->closed || !child->children.empty();
            return std::tuple(decided, looked, most == 1 && !decided ? child->visits : 0, child->value);
        };
        std::stable_sort(found.begin(), found.end(),
                         [&](const Node<W>* a, const Node<W>* b) { return key(a) > key(b); });
        return found;
    }

    std::vector<Cells<W>> line(const Node<W>* node) const {
        std::vector<Cells<W>> found;
        while (!node->children.empty() && !many_) {
            node = node->best();
            found.push_back(node->cells);
        }
        return found;
    }

    int depth = 1;

private:
    static constexpr std::size_t MOST_NODES = 128'000'000 / sizeof(State<W>);

    void open(int width) {
        root.children = expanded(root, width);
        root.width = width;
        root.update();
    }

    void at_hand() {
        State<W> state(*root.state, on_.seats);
        Cells<W> cells;
        for (int n = 0; n < root.state->left && state.end == OPEN && state.seat == seat_; ++n) {
            const int at = state.reached(on_).lowest();
            cells |= Cells<W>::bit(at);
            state.act(on_, at);
        }
        root.children.clear();
        root.children.emplace_back(state, cells, 0.0, false, on_.seats);
    }

    void visit(int most) {
        std::vector<Node<W>*> path{&root};
        if (most > 1 && !due(root)) {
            std::vector<Node<W>*> wanted;
            for (auto& one : root.children) wanted.push_back(&one);
            std::stable_sort(wanted.begin(), wanted.end(), [](auto* a, auto* b) { return a->value > b->value; });
            if (static_cast<int>(wanted.size()) > most) wanted.resize(most);
            Node<W>* chosen = nullptr;
            for (auto* one : wanted)
                if (!one->closed && (!chosen || one->visits < chosen->visits)) chosen = one;
            if (!chosen) chosen = root.next();
            if (chosen) path.push_back(chosen);
        }
        while (!path.back()->children.empty() && !due(*path.back())) {
            Node<W>* next = path.back()->next();
            if (!next) break;
            path.push_back(next);
        }
        Node<W>* last = path.back();
        if (static_cast<int>(path.size()) > limit_) {
            last->closed = true;
        } else {
            widen(*last);
            depth = std::max(depth, static_cast<int>(path.size()));
        }
        for (auto it = path.rbegin(); it != path.rend(); ++it) {
            ++(*it)->visits;
            if (!(*it)->children.empty()) (*it)->update();
        }
    }

    // Whether a node was visited so often that more of its turns are worth a look.
    bool due(const Node<W>& node) const {
        if (node.whole || node.width >= BROADEST) return false;
        const bool first = &node == &root;
        const int start = first ? shape_.root : shape_.reply;
        return node.visits * start >= (first ? ROOT_PATIENCE : REPLY_PATIENCE) * node.width;
    }

    // Looks at the turns of a node, or at more of them; what is known of those already there is kept.
    void widen(Node<W>& node) {
        const int width = node.width ? node.width * GROWTH : shape_.reply;
        std::vector<Node<W>> found = expanded(node, width);
        node.width = width;
        if (!node.children.empty()) {
            const auto less = [](const Node<W>* a, const Node<W>* b) { return a->cells.words < b->cells.words; };
            std::vector<Node<W>*> by_cells;
            for (auto& one : found) by_cells.push_back(&one);
            std::sort(by_cells.begin(), by_cells.end(), less);
            std::vector<Node<W>> others;
            for (auto& known : node.children) {
                const auto at = std::lower_bound(by_cells.begin(), by_cells.end(), &known, less);
                if (at != by_cells.end() && (*at)->cells == known.cells) **at = std::move(known);
                else others.push_back(std::move(known));
            }
            std::move(others.begin(), others.end(), std::back_inserter(found));
        }
        size_ += found.size() - node.children.size();
        node.children = std::move(found);
    }

    std::vector<Node<W>> expanded(Node<W>& node, int width) {
        std::vector<Node<W>> children;
        const State<W>& state = *node.state;
        if (!many_ || node.ours) {
            bool whole;
            auto found = beam_.turns(state, width, kept(width), whole);
            children.reserve(found.size());
            for (const auto& turn : found) children.push_back(child(node, state, turn));
            node.whole = whole && (!many_ || &node == &root);
            return children;
        }
        const Cells<W> mine = on_.spread(state.seats[seat_].bugs);
        for (int enemy : on_.enemies[seat_]) {
            Cells<W> far = state.seats[enemy].touches & state.open_to(on_, enemy);
            if (state.gone >> enemy & 1 || !far.any()) continue;
            for (int n = 1; n < on_.actions; ++n) far = on_.spread(far);
            if (!far.meets(mine)) continue;
            State<W> turned(state, on_.seats);
            turned.seat = enemy;
            turned.left = on_.actions;
            bool whole;
            for (const auto& turn : beam_.turns(turned, width, 2, whole))
                children.push_back(child(node, turned, turn));
        }
        std::stable_sort(children.begin(), children.end(),
                         [](const Node<W>& a, const Node<W>& b) { return a.value < b.value; });
        if (static_cast<int>(children.size()) > kept(width)) children.resize(kept(width));
        if (children.empty()) children.push_back(child(node, state, {0.0, {}, state}));
        return children;
    }

    Node<W> child(const Node<W>& node, const State<W>& from, const Turn<W>& turn) {
        if (!many_ || turn.after.end != OPEN) {
            const double value = on_.side[from.seat] == side_ ? turn.value : -turn.value;
            Node<W> made(turn.after, turn.cells, value, on_.side[turn.after.seat] == side_, on_.seats);
            made.sure = made.closed && (!many_ || &node == &root);
            return made;
        }
        if (node.ours) return Node<W>(turn.after, turn.cells, turn.value, false, on_.seats);
        State<W> after(turn.after, on_.seats);
        after.seat = seat_;
        after.left = on_.actions;
        const bool blocked = after.gone >> seat_ & 1 || !after.reached(on_).any();
        Node<W> made(after, turn.cells, blocked ? -WON : evaluate(on_, after, side_, by_), true, on_.seats);
        made.sure = false;
        return made;
    }

    const Kind<W>& on_;
    const Weights& by_;
    Meter& meter_;
    Beam<W> beam_;
    Shape shape_;
    int limit_, seat_, side_;
    bool many_;
    std::size_t size_ = 0;

public:
    Node<W> root;
};

}  // namespace klopodavka
