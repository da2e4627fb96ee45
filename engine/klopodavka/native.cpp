// Klopodavka's native search core as a Python module; see native.pyi for what it offers.

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <tuple>

#include "search.hpp"

namespace nb = nanobind;

namespace klopodavka {
namespace {

using Words = std::vector<std::uint64_t>;
using Answer = std::tuple<Words, double, bool, int, std::vector<Words>>;
using Answers = std::tuple<std::vector<Answer>, bool, int, std::uint64_t>;

struct Rules {
    int files, ranks, actions, sides;
    bool joined_files, joined_ranks, anchored, fenced, counted;
    std::vector<Words> homes;
    Words soft;
};

// What a size of sets hides.
class Any {
  public:
    virtual ~Any() = default;
    virtual void set(const std::vector<Words>& bugs, const std::vector<Words>& walls, int seat, int left, int gone) = 0;
    virtual void act(int cell) = 0;
    virtual std::tuple<int, int, int, int> standing() const = 0;
    virtual Words reached() const = 0;
    virtual std::vector<std::pair<Words, Words>> far() const = 0;
    virtual std::vector<std::vector<int>> rows() const = 0;
    virtual double worth(int side) const = 0;
    virtual Answers search(std::uint64_t nodes, int depth, int most, const Shape& shape,
                           const std::function<bool()>& stopped) const = 0;
};

template <int W, int S>
class Sized final : public Any {
  public:
    Sized(const Rules& rules, const Weights& by) : by_(by) {
        on_.files = rules.files;
        on_.ranks = rules.ranks;
        on_.actions = rules.actions;
        on_.sides = rules.sides;
        on_.seats = static_cast<int>(rules.homes.size());
        on_.joined_files = rules.joined_files;
        on_.joined_ranks = rules.joined_ranks;
        on_.anchored = rules.anchored;
        on_.fenced = rules.fenced;
        on_.counted = rules.counted;
        for (int seat = 0; seat < on_.seats; ++seat) {
            on_.side[seat] = seat % on_.sides;
            on_.homes[seat] = cells(rules.homes[seat]);
        }
        on_.soft = cells(rules.soft);
        on_.prepare();
        by_.fit(on_.cells);
    }

    void set(const std::vector<Words>& bugs, const std::vector<Words>& walls, int seat, int left, int gone) override {
        if (bugs.size() != static_cast<std::size_t>(on_.seats) || walls.size() != bugs.size() || seat < 0 ||
            seat >= on_.seats || left < 1 || left > MOST_TURN)
            throw std::invalid_argument("no position of this kind");
        State<W, S> made;
        for (int who = 0; who < on_.seats; ++who) {
            made.seats[who].bugs = cells(bugs[who]);
            made.seats[who].walls = cells(walls[who]);
        }
        made.seat = seat;
        made.left = left;
        made.gone = gone;
        made.prepare(on_);
        made.end = made.outcome(on_);
        state_ = made;
    }
    void act(int cell) override {
        if (cell < 0 || cell >= 64 * W || !state_.reached(on_).has(cell)) throw std::invalid_argument("not reached");
        state_.act(on_, cell);
    }
    std::tuple<int, int, int, int> standing() const override {
        return {state_.seat, state_.left, state_.gone, state_.end};
    }
    Words reached() const override { return words(state_.reached(on_)); }
    std::vector<std::pair<Words, Words>> far() const override {
        std::vector<std::pair<Words, Words>> found;
        for (int who = 0; who < on_.seats; ++who)
            found.emplace_back(words(state_.seats[who].touches), words(state_.seats[who].ever));
        return found;
    }
    std::vector<std::vector<int>> rows() const override {
        const Rows<S> all = Sights<W, S>(on_, state_).rows;
        std::vector<std::vector<int>> found;
        for (int who = 0; who < on_.seats; ++who)
            if (state_.gone >> who & 1)
                found.emplace_back();
            else
                found.emplace_back(all[who].begin(), all[who].end());
        return found;
    }
    double worth(int side) const override { return evaluate(on_, state_, side, by_); }

    Answers search(std::uint64_t nodes, int depth, int most, const Shape& shape,
                   const std::function<bool()>& stopped) const override {
        if (state_.end != OPEN || most < 1) throw std::invalid_argument("there is nothing to play");
        nb::gil_scoped_release released;
        Meter meter(nodes, [&] {
            nb::gil_scoped_acquire held;
            return stopped();
        });
        Tree<W, S> tree(on_, state_, by_, meter, shape, depth);
        tree.grow(most);
        std::vector<Answer> found;
        for (const auto* node : tree.ranked(most)) {
            std::vector<Words> line;
            for (const auto& turn : tree.line(node)) line.push_back(words(turn));
            found.emplace_back(words(node->cells), node->value, node->sure, node->visits, std::move(line));
        }
        return {std::move(found), tree.root.sure, tree.depth, meter.nodes};
    }

  private:
    Cells<W> cells(const Words& from) const {
        if (from.size() > W) throw std::invalid_argument("cells off the board");
        Cells<W> made;
        std::copy(from.begin(), from.end(), made.words.begin());
        return made;
    }
    static Words words(const Cells<W>& from) { return {from.words.begin(), from.words.end()}; }

    Kind<W> on_;
    Weights by_;
    State<W, S> state_;
};

class Core {
  public:
    Core(int files, int ranks, int actions, int sides, std::tuple<bool, bool, bool, bool, bool> kind,
         std::vector<Words> homes, Words soft, const std::vector<double>& weights) {
        const auto [joined_files, joined_ranks, anchored, fenced, counted] = kind;
        const int bits = (files + 1) * ranks;
        if (files < 3 || files > 26 || ranks < 3 || ranks > 30 || actions < 1 || actions > MOST_ACTIONS ||
            homes.size() < 2 || homes.size() > MOST_SEATS || sides < 2 || sides > static_cast<int>(homes.size()) ||
            weights.size() != 4 * FEATURES)
            throw std::invalid_argument("no such kind of game");
        Weights by;
        std::size_t at = 0;
        for (auto& who : by.of)
            for (auto& feature : who)
                for (double& number : feature) number = weights[at++];
        const Rules rules{files,  ranks,   actions,          sides, joined_files, joined_ranks, anchored,
                          fenced, counted, std::move(homes), soft};
        if (bits <= 128)
            core_ = sized<2>(rules, by);
        else if (bits <= 256)
            core_ = sized<4>(rules, by);
        else if (bits <= 640)
            core_ = sized<10>(rules, by);
        else
            core_ = sized<13>(rules, by);
    }

    Any& get() { return *core_; }

  private:
    template <int W>
    static std::unique_ptr<Any> sized(const Rules& rules, const Weights& by) {
        if (rules.homes.size() == 2) return std::make_unique<Sized<W, 2>>(rules, by);
        // A state has room for all its seats; that of ten is much to copy where four play.
        if (rules.homes.size() <= 4) return std::make_unique<Sized<W, 4>>(rules, by);
        return std::make_unique<Sized<W, MOST_SEATS>>(rules, by);
    }

    std::unique_ptr<Any> core_;
};

}  // namespace
}  // namespace klopodavka

NB_MODULE(native, module) {
    using namespace klopodavka;
    module.attr("VERSION") = 4;
    nb::class_<Core>(module, "Core")
        .def(nb::init<int, int, int, int, std::tuple<bool, bool, bool, bool, bool>, std::vector<Words>, Words,
                      const std::vector<double>&>(),
             nb::arg("files"), nb::arg("ranks"), nb::arg("actions"), nb::arg("sides"), nb::arg("kind"),
             nb::arg("homes"), nb::arg("soft"), nb::arg("weights"))
        .def("set",
             [](Core& core, const std::vector<Words>& bugs, const std::vector<Words>& walls, int seat, int left,
                int gone) { core.get().set(bugs, walls, seat, left, gone); },
             nb::arg("bugs"), nb::arg("walls"), nb::arg("seat"), nb::arg("left"), nb::arg("gone"))
        .def("act", [](Core& core, int cell) { core.get().act(cell); }, nb::arg("cell"))
        .def("standing", [](Core& core) { return core.get().standing(); })
        .def("reached", [](Core& core) { return core.get().reached(); })
        .def("far", [](Core& core) { return core.get().far(); })
        .def("rows", [](Core& core) { return core.get().rows(); })
        .def("worth", [](Core& core, int side) { return core.get().worth(side); }, nb::arg("side"))
        .def(
            "search",
            [](Core& core, std::uint64_t nodes, int depth, int most, std::pair<int, int> shape,
               const std::function<bool()>& stopped) {
                return core.get().search(nodes, depth, most, {shape.first, shape.second}, stopped);
            },
            nb::arg("nodes"), nb::arg("depth"), nb::arg("most"), nb::arg("shape"), nb::arg("stopped"));
}
