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

namespace nb = nanobind;

namespace klop {
namespace {

using Lines = std::vector<std::pair<int, std::vector<Step>>>;
using Answer = std::tuple<int, u64, Lines>;

class Core {
  public:
    Core(int files, int ranks, bool misere, const std::vector<int>& bricks, const std::vector<int>& crosses,
         std::size_t megabytes)
        : on(files, ranks), evaluation(on, bricks, crosses), search(on, evaluation, misere, megabytes) {}

    // What is searched holds on to its neighbours.
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    u64 count(u64 white, u64 black, int to_move, int depth) const {
        const Board at = board(white, black, to_move);
        nb::gil_scoped_release released;
        return at.to_move == WHITE ? perft<WHITE>(on, white, black, depth) : perft<BLACK>(on, black, white, depth);
    }

    std::vector<Step> legal(u64 white, u64 black, int to_move) const {
        const Board at = board(white, black, to_move);
        Steps steps;
        if (!is_over(on, at)) {
            if (at.to_move == WHITE) {
                captures<WHITE>(on, white, black, on.all, steps);
                quiets<WHITE>(on, white, black, on.all, steps);
            } else {
                captures<BLACK>(on, black, white, on.all, steps);
                quiets<BLACK>(on, black, white, on.all, steps);
            }
        }
        return {steps.step, steps.step + steps.count};
    }

    int evaluate(u64 white, u64 black, int to_move) const { return evaluation.of(board(white, black, to_move)); }

    Answer think(u64 white, u64 black, int to_move, int depth, u64 nodes, int most, u64 seed,
                 const std::function<bool(u64)>& poll, const std::function<void(Answer)>& report) {
        const Board at = board(white, black, to_move);
        if (is_over(on, at)) throw std::invalid_argument("the game is over");
        const Search::Poll look = [&](u64 spent) {
            nb::gil_scoped_acquire held;
            return poll(spent);
        };
        const Search::Report tell = [&](const Found& found) {
            nb::gil_scoped_acquire held;
            report(answer(found));
        };
        nb::gil_scoped_release released;
        const u64 limit = nodes ? nodes : std::numeric_limits<u64>::max();
        return answer(search.think(at, depth ? depth : DEEPEST, limit, most, seed, poll ? look : Search::Poll{},
                                   report ? tell : Search::Report{}));
    }

    int certain(u64 white, u64 black, int to_move) const {
        return search.without_looking(board(white, black, to_move), 0).value_or(0);
    }

#ifdef KLOP_TUNING
    void tune(const std::string& name, int value) {
        auto& t = search.tuning;
        if (name == "margin") t.margin = value;
        else if (name == "ahead") t.ahead = value;
        else if (name == "ahead_depth") t.ahead_depth = value;
        else if (name == "unsure_depth") t.unsure_depth = value;
        else if (name == "reduce_from") t.reduce_from = value;
        else if (name == "null_depth") t.null_depth = value;
        else if (name == "quiet_plies") t.quiet_plies = value;
        else if (name == "tempo_null") t.tempo_null = value;
        else if (name == "see") t.see = value;
        else throw std::invalid_argument("no such figure");
    }
#endif

  private:
    Board board(u64 white, u64 black, int to_move) const {
        if ((white | black) & ~on.all || white & black || to_move < 0 || to_move > 1)
            throw std::invalid_argument("men off the board, or two on one square");
        return {{white, black}, static_cast<Side>(to_move)};
    }

    static Answer answer(const Found& found) {
        Lines lines;
        for (const auto& line : found.lines) lines.emplace_back(line.score, line.steps);
        return {found.depth, found.nodes, std::move(lines)};
    }

    Geometry on;
    Evaluation evaluation;
    Search search;
};

}  // namespace
}  // namespace klop

NB_MODULE(native, module) {
    using klop::Core;
    nb::class_<Core>(module, "Core")
        .def(nb::init<int, int, bool, const std::vector<int>&, const std::vector<int>&, std::size_t>(),
             nb::arg("files"), nb::arg("ranks"), nb::arg("misere"), nb::arg("bricks"), nb::arg("crosses"),
             nb::arg("megabytes"))
        .def("legal", &Core::legal, nb::arg("white"), nb::arg("black"), nb::arg("to_move"))
        .def("perft", &Core::count, nb::arg("white"), nb::arg("black"), nb::arg("to_move"), nb::arg("depth"))
        .def("evaluate", &Core::evaluate, nb::arg("white"), nb::arg("black"), nb::arg("to_move"))
        .def("think", &Core::think, nb::arg("white"), nb::arg("black"), nb::arg("to_move"), nb::arg("depth"),
             nb::arg("nodes"), nb::arg("most"), nb::arg("seed"), nb::arg("poll").none(), nb::arg("report").none())
#ifdef KLOP_TUNING
        .def("tune", &Core::tune)
#endif
        .def("certain", &Core::certain, nb::arg("white"), nb::arg("black"), nb::arg("to_move"));
}
