// The search of engine/klopodavka/turns.py and tree.py: whole turns by a beam, and a tree of them grown where it matters.
#pragma once

#include <functional>
#include <iterator>
#include <memory>
#include <optional>
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
constexpr int GROWTH = 4, BROADEST = 256, ROOT_PATIENCE = 16, REPLY_PATIENCE = 8, KILLERS = 12, TEMPO_PATIENCE = 8;

constexpr int kept(int width) { return width + width / 2; }

// The cells of a turn, as they were acted on.
struct Order {
    std::array<std::int16_t, MOST_TURN> cells;
    std::int16_t count = 0;

    void push(int at) { cells[count++] = static_cast<std::int16_t>(at); }
};

template <int W, int S>
struct Turn {
    double value;
    Cells<W> cells;
    Order order;
    State<W, S> after;
};

// Remembers keys; emptied in no time.
class Seen {
public:
    void clear(std::size_t expected) {
        std::size_t size = 1024;
        while (size < 2 * expected) size *= 2;
        if (size > keys_.size()) keys_.assign(size, {0, 0}), round_ = 0;
        mask_ = size - 1;  // A smaller table stays in the processor's cache.
        ++round_;
    }
    // Whether it is new.
    bool add(std::uint64_t key) {
        for (std::size_t at = key & mask_;; at = (at + 1) & mask_) {
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
    std::size_t mask_ = 0;
};

inline std::uint64_t key_of(int cell) {
    std::uint64_t x = (cell + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

template <int W, int S>
class Beam {
public:
    Beam(const Kind<W>& on, const Weights& by, Meter& meter) : on_(on), by_(by), meter_(meter) {}

    // The best turns, the best first; `whole` tells whether these are all there are.
    std::vector<Turn<W, S>> turns(const State<W, S>& state, int width, int most, bool& whole) {
        std::vector<Partial> beam;
        beam.push_back({0, {}, {}, state});
        std::vector<Turn<W, S>> done;
        std::vector<Tried> over, open;
        whole = true;
        for (int left = state.left; left > 0; --left) {
            std::size_t expected = 0;
            for (const auto& partial : beam) expected += partial.state.reached(on_).count();
            seen_.clear(expected);
            over.clear();
            open.clear();
            for (std::size_t from = 0; from < beam.size(); ++from) {
                const Partial& partial = beam[from];
                const Stage stage(on_, by_, partial.state);
                stage.sights.reach(state.seat).each([&](int at) {
                    const std::uint64_t key = partial.key ^ key_of(at);
                    if (!seen_.add(key)) return;
                    meter_.tick();
                    bool ends;
                    const double value = after(stage, at, ends);
                    (ends ? over : open).push_back({value, key, static_cast<int>(from), at});
                });
            }
            whole = keep(over, most) && whole;
            whole = keep(open, width) && whole;
            for (const auto& tried : over) {
                const Partial played = with(beam[tried.from], tried);
                done.push_back({tried.value, played.cells, played.order, played.state});
            }
            std::vector<Partial> longer;
            for (const auto& tried : open) longer.push_back(with(beam[tried.from], tried));
            beam = std::move(longer);
        }
        std::stable_sort(done.begin(), done.end(), [](const auto& a, const auto& b) { return a.value > b.value; });
        if (static_cast<int>(done.size()) > most) {
            done.resize(most);
            whole = false;
        }
        return done;
    }

    // The turn that acts on these cells, where a whole turn does.
    std::optional<Turn<W, S>> made(const State<W, S>& state, const Cells<W>& cells) {
        Turn<W, S> turn{0, cells, {}, state};
        State<W, S>& after = turn.after;
        for (Cells<W> rest = cells; rest.any();) {
            const Cells<W> ready = rest & after.reached(on_);
            if (!ready.any() || after.seat != state.seat) return {};
            rest ^= Cells<W>::bit(ready.lowest());
            turn.order.push(ready.lowest());
            after.act(on_, ready.lowest());
        }
        if (after.end == OPEN && after.seat == state.seat) return {};
        meter_.tick();
        turn.value = evaluate(on_, after, on_.side[state.seat], by_);
        return turn;
    }

private:
    struct Partial {
        std::uint64_t key;
        Cells<W> cells;
        Order order;
        State<W, S> state;
    };
    struct Tried {
        double value;
        std::uint64_t key;
        int from, at;
    };

    // A state of the beam and what its actions are judged by.
    struct Stage {
        const State<W, S>& state;
        Sights<W, S> sights;
        int filled, next, owed;
        Scale as_full, fuller;

        Stage(const Kind<W>& on, const Weights& by, const State<W, S>& of)
            : state(of), sights(on, of), filled(of.filled()), next(of.left > 1 ? of.seat : of.after(on, of.seat)),
              owed(of.left > 1 ? of.left - 1 : on.actions), as_full(by, filled, on.cells),
              fuller(by, filled + 1, on.cells) {}
    };

    // What an action is worth; `ends` tells whether the turn is over with it.
    double after(const Stage& stage, int at, bool& ends) const {
        const State<W, S>& state = stage.state;
        const int side = on_.side[state.seat];
        ends = state.left == 1;
        if (!on_.shared && !state.live.has(at)) {
            const Rows<S> rows = stage.sights.after_put(on_, state, at);
            // The state is made only where the seat to move cannot act.
            if (stage.next == state.seat ? rows[stage.next][MOBILITY] > 0 : stage.sights.reach(stage.next).any())
                return evaluate<W, S>(on_, rows, stage.next, stage.owed, state.gone, side, stage.fuller);
        }
        State<W, S> made = state;
        made.act(on_, at);
        ends = ends || made.end != OPEN || made.seat != state.seat;
        if (made.end != OPEN) return ended(made.end, side);
        const Scale& scale = made.filled() > stage.filled ? stage.fuller : stage.as_full;
        return evaluate<W, S>(on_, Sights<W, S>(on_, made).rows, made.seat, made.left, made.gone, side, scale);
    }

    // Keeps the best, the best first; of equal ones what was tried first. Returns whether these are all.
    static bool keep(std::vector<Tried>& tried, int most) {
        const auto better = [](const Tried& a, const Tried& b) {
            return a.value > b.value || (a.value == b.value && std::tie(a.from, a.at) < std::tie(b.from, b.at));
        };
        const bool all = static_cast<int>(tried.size()) <= most;
        if (!all) {
            std::nth_element(tried.begin(), tried.begin() + most, tried.end(), better);
            tried.resize(most);
        }
        std::sort(tried.begin(), tried.end(), better);
        return all;
    }

    Partial with(const Partial& partial, const Tried& tried) const {
        Partial made{tried.key, partial.cells | Cells<W>::bit(tried.at), partial.order, partial.state};
        made.order.push(tried.at);
        made.state.act(on_, tried.at);
        return made;
    }

    const Kind<W>& on_;
    const Weights& by_;
    Meter& meter_;
    Seen seen_;
};

template <int W, int S>
struct Node {
    // Made when the node is looked into: most never are.
    std::unique_ptr<State<W, S>> state;
    // The turn that led here, and who made it.
    Cells<W> cells;
    Order order;
    int mover = 0;
    double value = 0, first = 0;
    bool ours = false, closed = false, whole = false, sure = false;
    int visits = 0, width = 0;
    std::vector<Node> children;

    Node() = default;
    Node(const Turn<W, S>& turn, int by, double worth, bool mine)
        : cells(turn.cells), order(turn.order), mover(by), value(worth), first(worth), ours(mine),
          closed(turn.after.end != OPEN || std::abs(worth) >= DECIDED), sure(closed) {}

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
            const double promise = (ours ? child.value : -child.value) - BOREDOM * logarithm(child.visits);
            if (!found || promise > most) {
                found = &child;
                most = promise;
            }
        }
        return found;
    }
    void update() {
        const Node* chosen = best();
        value = width ? chosen->value : ours ? std::max(chosen->value, first) : std::min(chosen->value, first);
        if (std::abs(value) > DECIDED) value -= value > 0 ? DELAY : -DELAY;
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

template <int W, int S>
class Tree {
public:
    Tree(const Kind<W>& on, const State<W, S>& state, const Weights& by, Meter& meter, Shape shape, int depth)
        : on_(on), by_(by), meter_(meter), beam_(on, by, meter), shape_(shape), limit_(depth ? depth : 64),
          seat_(state.seat), side_(on.side[state.seat]), many_(on.sides > 2),
          root({0, {}, {}, state}, seat_, 0, true) {
        root.state = std::make_unique<State<W, S>>(state);
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
    std::vector<const Node<W, S>*> ranked(int most) const {
        bool judged = false;
        for (const auto& child : root.children) judged = judged || child.closed || !child.children.empty();
        std::vector<const Node<W, S>*> found;
        for (const auto& child : root.children) found.push_back(&child);
        const auto key = [&](const Node<W, S>* child) {
            const bool sure = child->closed && std::abs(child->value) > Node<W, S>::DECIDED;
            const int decided = !sure ? 0 : child->value > 0 ? 2 : -2;
            const bool looked = !judged || child->closed || !child->children.empty();
            return std::tuple(decided, looked, most == 1 && !decided ? child->visits : 0, child->value);
        };
        std::stable_sort(found.begin(), found.end(),
                         [&](const Node<W, S>* a, const Node<W, S>* b) { return key(a) > key(b); });
        return found;
    }

    std::vector<Cells<W>> line(const Node<W, S>* node) const {
        std::vector<Cells<W>> found;
        while (!node->children.empty() && !many_) {
            node = node->best();
            found.push_back(node->cells);
        }
        return found;
    }

    int depth = 1;

private:
    static constexpr std::size_t MOST_NODES = 150'000'000 / sizeof(Node<W, S>);

    void open(int width) {
        root.children = expanded(root, width);
        root.width = width;
        root.update();
    }

    void at_hand() {
        State<W, S> state = *root.state;
        Cells<W> cells;
        Order order;
        for (int n = 0; n < root.state->left && state.end == OPEN && state.seat == seat_; ++n) {
            const int at = state.reached(on_).lowest();
            cells |= Cells<W>::bit(at);
            order.push(at);
            state.act(on_, at);
        }
        root.children.clear();
        root.children.push_back(Node<W, S>({0, cells, order, state}, seat_, 0.0, false));
    }

    void visit(int most) {
        std::vector<Node<W, S>*> path{&root};
        if (most > 1 && !due(root)) {
            std::vector<Node<W, S>*> wanted;
            for (auto& one : root.children) wanted.push_back(&one);
            std::stable_sort(wanted.begin(), wanted.end(), [](auto* a, auto* b) { return a->value > b->value; });
            if (static_cast<int>(wanted.size()) > most) wanted.resize(most);
            Node<W, S>* chosen = nullptr;
            for (auto* one : wanted)
                if (!one->closed && (!chosen || one->visits < chosen->visits)) chosen = one;
            if (!chosen) chosen = root.next();
            if (chosen) path.push_back(chosen);
        }
        while (!path.back()->children.empty() && !due(*path.back())) {
            Node<W, S>* next = path.back()->next();
            if (!next) break;
            path.push_back(next);
        }
        Node<W, S>* last = path.back();
        bool tried = false;  // killers alone: what costs a beam is a visit
        if (static_cast<int>(path.size()) > limit_) {
            last->closed = true;
        } else {
            if (!last->state) last->state = std::make_unique<State<W, S>>(state_of(*last, *path[path.size() - 2]));
            tried = last->children.empty() && path.size() > 1 && try_killers(*last, *path[path.size() - 2]);
            if (!tried) {
                const bool fresh = !last->width;
                widen(*last);
                if (fresh && !many_) learn_tempo(*last);
            }
            depth = std::max(depth, static_cast<int>(path.size()));
        }
        for (auto it = path.rbegin(); it != path.rend(); ++it) {
            (*it)->visits += !tried;
            if (!(*it)->children.empty()) (*it)->update();
        }
    }

    State<W, S> state_of(const Node<W, S>& node, const Node<W, S>& parent) const {
        State<W, S> made = *parent.state;
        const bool answer = many_ && !parent.ours;
        if (answer) turn_to(made, node.mover);
        for (int n = 0; n < node.order.count; ++n) made.act(on_, node.order.cells[n]);
        if (answer) turn_to(made, seat_);
        return made;
    }

    void turn_to(State<W, S>& state, int seat) const {
        state.seat = seat;
        state.left = on_.actions;
    }

    // Corrects what it is worth to be to move by what a node turned out to be worth when its turns were looked at first.
    void learn_tempo(const Node<W, S>& node) {
        const double best = node.best()->value;
        if (std::abs(best) > Node<W, S>::DECIDED || std::abs(node.first) > Node<W, S>::DECIDED) return;
        const double gain = node.ours ? best - node.first : node.first - best;
        // Half of it: the other half is corrected in the children, where the other side is to move.
        tempo_ += gain / (2 * (++learned_ + TEMPO_PATIENCE));
    }

    // Whether a node was visited so often that more of its turns are worth a look.
    bool due(const Node<W, S>& node) const {
        if (node.whole || node.width >= BROADEST) return false;
        const bool first = &node == &root;
        const int start = first ? shape_.root : shape_.reply;
        return node.visits * start >= (first ? ROOT_PATIENCE : REPLY_PATIENCE) * node.width;
    }

    // Looks only at turns that are the best after the node's siblings; whether any of them can be played.
    bool try_killers(Node<W, S>& node, const Node<W, S>& parent) {
        if (many_) return false;
        std::vector<Cells<W>> tried;
        std::vector<Node<W, S>> found;
        for (const auto& sibling : parent.children) {
            if (!sibling.width || found.size() == KILLERS) continue;
            const Cells<W>& cells = sibling.best()->cells;
            if (std::find(tried.begin(), tried.end(), cells) != tried.end()) continue;
            tried.push_back(cells);
            if (auto turn = beam_.made(*node.state, cells)) found.push_back(child(node, *node.state, *turn));
        }
        size_ += found.size();
        node.children = std::move(found);
        return !node.children.empty();
    }

    // Looks at the turns of a node, or at more of them; what is known of those already there is kept.
    void widen(Node<W, S>& node) {
        const int width = node.width ? node.width * GROWTH : shape_.reply;
        std::vector<Node<W, S>> found = expanded(node, width);
        node.width = width;
        if (!node.children.empty()) {
            const auto less = [](const Node<W, S>* a, const Node<W, S>* b) { return a->cells.words < b->cells.words; };
            std::vector<Node<W, S>*> by_cells;
            for (auto& one : found) by_cells.push_back(&one);
            std::sort(by_cells.begin(), by_cells.end(), less);
            std::vector<Node<W, S>> others;
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

    std::vector<Node<W, S>> expanded(Node<W, S>& node, int width) {
        std::vector<Node<W, S>> children;
        const State<W, S>& state = *node.state;
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
            State<W, S> turned = state;
            turn_to(turned, enemy);
            bool whole;
            for (const auto& turn : beam_.turns(turned, width, 2, whole))
                children.push_back(child(node, turned, turn));
        }
        std::stable_sort(children.begin(), children.end(),
                         [](const Node<W, S>& a, const Node<W, S>& b) { return a.value < b.value; });
        if (static_cast<int>(children.size()) > kept(width)) children.resize(kept(width));
        if (children.empty()) children.push_back(child(node, state, {0.0, {}, {}, state}));
        return children;
    }

    Node<W, S> child(const Node<W, S>& node, const State<W, S>& from, const Turn<W, S>& turn) {
        if (!many_ || turn.after.end != OPEN) {
            const double value = on_.side[from.seat] == side_ ? turn.value : -turn.value;
            Node<W, S> made(turn, from.seat, value, on_.side[turn.after.seat] == side_);
            if (!made.closed) made.first = made.value += made.ours ? tempo_ : -tempo_;
            made.sure = made.closed && (!many_ || &node == &root);
            return made;
        }
        if (node.ours) return Node<W, S>(turn, from.seat, turn.value, false);
        State<W, S> after = turn.after;
        turn_to(after, seat_);
        const bool blocked = after.gone >> seat_ & 1 || !after.reached(on_).any();
        Node<W, S> made(turn, from.seat, blocked ? -WON : evaluate(on_, after, side_, by_), true);
        made.sure = false;
        return made;
    }

    const Kind<W>& on_;
    const Weights& by_;
    Meter& meter_;
    Beam<W, S> beam_;
    Shape shape_;
    int limit_, seat_, side_;
    bool many_;
    std::size_t size_ = 0;
    double tempo_ = 0;
    int learned_ = 0;

public:
    Node<W, S> root;
};

}  // namespace klopodavka
