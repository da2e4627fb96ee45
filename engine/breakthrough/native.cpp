// Breakthrough's native search core as a Python module; see native.pyi for what it offers.

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "board.hpp"
#include "eval.hpp"
#include "search.hpp"
#include "solver.hpp"

namespace nb = nanobind;

namespace klop {
namespace {

// A set of cells, as Python has it: an integer of any size.
using Number = nb::int_;
using Lines = std::vector<std::pair<int, std::vector<unsigned>>>;
using Answer = std::tuple<int, u64, Lines>;
using Solved = std::pair<int, std::vector<unsigned>>;

struct Position {
    Number white, black;
    int to_move;
};

/// What to search for, as `think` takes it.
struct Wanted {
    int depth;
    u64 nodes;
    int most;
    u64 seed;
};

/// What the sizes of sets have in common.
class AnyCore {
  public:
    virtual ~AnyCore() = default;
    virtual u64 count(const Position& at, int depth) const = 0;
    virtual std::vector<unsigned> legal(const Position& at) const = 0;
    virtual int evaluate(const Position& at) const = 0;
    virtual int certain(const Position& at) const = 0;
    virtual Answer think(const Position& at, const Wanted& wanted, const std::function<bool(u64)>& poll,
                         const std::function<void(Answer)>& report) = 0;
    virtual Solved solve(const Position& at, int most, const std::function<bool(u64)>& poll) = 0;
};

inline void assign(u64& set, const Number& number) { set = nb::cast<u64>(number); }
template <int W>
void assign(Words<W>& set, Number number) {
    const Number low(~u64{0}), bits(64);
    for (u64& word : set.words) {
        word = nb::cast<u64>(number & low);
        number = Number(number >> bits);
    }
    if (nb::cast<u64>(number)) throw std::invalid_argument("men off the board");
}

/// A core for boards of up to 64 * W cells.
template <int W>
class Core final : public AnyCore {
    using Set = Cells<W>;

  public:
    Core(int files, int ranks, bool misere, const std::vector<int>& bricks, const std::vector<int>& crosses,
         std::size_t megabytes)
        : on(files, ranks), evaluation(on, bricks, crosses), search(on, evaluation, misere, megabytes),
          misere(misere), megabytes(megabytes) {}

    // What is searched holds on to its neighbours.
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    u64 count(const Position& from, int depth) const override {
        const Board<Set> at = board(from);
        nb::gil_scoped_release released;
        return at.to_move == WHITE ? perft<WHITE>(on, at.own(), at.foe(), depth)
                                   : perft<BLACK>(on, at.own(), at.foe(), depth);
    }

    std::vector<unsigned> legal(const Position& from) const override {
        const Board<Set> at = board(from);
        Steps<Set> steps;
        if (!is_over(on, at)) {
            if (at.to_move == WHITE) {
                captures<WHITE>(on, at.own(), at.foe(), on.all, steps);
                quiets<WHITE>(on, at.own(), at.foe(), on.all, steps);
            } else {
                captures<BLACK>(on, at.own(), at.foe(), on.all, steps);
                quiets<BLACK>(on, at.own(), at.foe(), on.all, steps);
            }
        }
        std::vector<unsigned> found;
        for (int each = 0; each < steps.count; ++each) found.push_back(told(steps.step[each]));
        return found;
    }

    int evaluate(const Position& at) const override { return evaluation.of(board(at)); }

    int certain(const Position& at) const override { return search.without_looking(board(at), 0).value_or(0); }

    Answer think(const Position& from, const Wanted& wanted, const std::function<bool(u64)>& poll,
                 const std::function<void(Answer)>& report) override {
        const Board<Set> at = board(from);
        if (is_over(on, at)) throw std::invalid_argument("the game is over");
        const typename Search<Set>::Poll look = [&](u64 spent) {
            nb::gil_scoped_acquire held;
            return poll(spent);
        };
        const typename Search<Set>::Report tell = [&](const Found<Set>& found) {
            nb::gil_scoped_acquire held;
            report(answer(found));
        };
        nb::gil_scoped_release released;
        const u64 limit = wanted.nodes ? wanted.nodes : std::numeric_limits<u64>::max();
        return answer(search.think(at, wanted.depth ? wanted.depth : DEEPEST, limit, wanted.most, wanted.seed,
                                   poll ? look : typename Search<Set>::Poll{},
                                   report ? tell : typename Search<Set>::Report{}));
    }

    Solved solve(const Position& from, int most, const std::function<bool(u64)>& poll) override {
        const Board<Set> at = board(from);
        if (is_over(on, at)) throw std::invalid_argument("the game is over");
        const typename Solver<Set>::Poll look = [&](u64 made) {
            nb::gil_scoped_acquire held;
            return poll(made);
        };
        nb::gil_scoped_release released;
        if (!solver) solver = std::make_unique<Solver<Set>>(on, misere, megabytes);
        std::vector<unsigned> steps;
        try {
            const int plies = solver->distance(at, most, look);
            if (plies)
                for (const auto step : solver->line(at, plies, look)) steps.push_back(told(step));
            return {plies, std::move(steps)};
        } catch (const typename Solver<Set>::Spent&) {
            return {0, {}};
        }
    }

  private:
    Board<Set> board(const Position& from) const {
        Board<Set> made{{}, static_cast<Side>(from.to_move)};
        assign(made.men[WHITE], from.white);
        assign(made.men[BLACK], from.black);
        const Set &white = made.men[WHITE], &black = made.men[BLACK];
        if ((white | black) & ~on.all || white & black || from.to_move < 0 || from.to_move > 1)
            throw std::invalid_argument("men off the board, or two on one square");
        for (const Set& men : made.men) {
            int most = 0;
            each_cell(men, [&](int) { ++most; });
            if (most > MOST_MEN) throw std::invalid_argument("too many men");
        }
        return made;
    }

    /// A step in one form for all sizes of sets.
    static unsigned told(Step<Set> step) { return step.from() | step.to() << 10 | step.takes() << 20; }

    static Answer answer(const Found<Set>& found) {
        Lines lines;
        for (const auto& line : found.lines) {
            std::vector<unsigned> steps;
            for (const auto step : line.steps) steps.push_back(told(step));
            lines.emplace_back(line.score, std::move(steps));
        }
        return {found.depth, found.nodes, std::move(lines)};
    }

    Geometry<Set> on;
    Evaluation<Set> evaluation;
    Search<Set> search;
    bool misere;
    std::size_t megabytes;
    std::unique_ptr<Solver<Set>> solver;  ///< made when it is first asked
};

/// The core for a board, with the smallest sets that hold it.
class AnySize {
  public:
    AnySize(int files, int ranks, bool misere, const std::vector<int>& bricks, const std::vector<int>& crosses,
            std::size_t megabytes) {
        const auto make = [&]<int W>() { core = std::make_unique<Core<W>>(files, ranks, misere, bricks, crosses, megabytes); };
        const int cells = files * ranks;
        if (cells <= 64) make.operator()<1>();
        else if (cells <= 128) make.operator()<2>();
        else if (cells <= 256) make.operator()<4>();
        else make.operator()<11>();
    }

    AnyCore& get() const { return *core; }

  private:
    std::unique_ptr<AnyCore> core;
};

}  // namespace
}  // namespace klop

NB_MODULE(native, module) {
    using namespace klop;
    module.attr("VERSION") = 2;
    nb::class_<AnySize>(module, "Core")
        .def(nb::init<int, int, bool, const std::vector<int>&, const std::vector<int>&, std::size_t>(),
             nb::arg("files"), nb::arg("ranks"), nb::arg("misere"), nb::arg("bricks"), nb::arg("crosses"),
             nb::arg("megabytes"))
        .def("legal",
             [](const AnySize& core, Number white, Number black, int to_move) {
                 return core.get().legal({white, black, to_move});
             },
             nb::arg("white"), nb::arg("black"), nb::arg("to_move"))
        .def("perft",
             [](const AnySize& core, Number white, Number black, int to_move, int depth) {
                 return core.get().count({white, black, to_move}, depth);
             },
             nb::arg("white"), nb::arg("black"), nb::arg("to_move"), nb::arg("depth"))
        .def("evaluate",
             [](const AnySize& core, Number white, Number black, int to_move) {
                 return core.get().evaluate({white, black, to_move});
             },
             nb::arg("white"), nb::arg("black"), nb::arg("to_move"))
        .def("think",
             [](const AnySize& core, Number white, Number black, int to_move, int depth, u64 nodes, int most, u64 seed,
                const std::function<bool(u64)>& poll, const std::function<void(Answer)>& report) {
                 return core.get().think({white, black, to_move}, {depth, nodes, most, seed}, poll, report);
             },
             nb::arg("white"), nb::arg("black"), nb::arg("to_move"), nb::arg("depth"), nb::arg("nodes"),
             nb::arg("most"), nb::arg("seed"), nb::arg("poll").none(), nb::arg("report").none())
        .def("solve",
             [](const AnySize& core, Number white, Number black, int to_move, int most,
                const std::function<bool(u64)>& poll) {
                 return core.get().solve({white, black, to_move}, most, poll);
             },
             nb::arg("white"), nb::arg("black"), nb::arg("to_move"), nb::arg("most"), nb::arg("poll"))
        .def("certain",
             [](const AnySize& core, Number white, Number black, int to_move) {
                 return core.get().certain({white, black, to_move});
             },
             nb::arg("white"), nb::arg("black"), nb::arg("to_move"));
}
