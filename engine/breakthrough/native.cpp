// Breakthrough's native search core as a Python module; see native.pyi for what it offers.

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "board.hpp"

namespace nb = nanobind;

namespace klop {
namespace {

class Core {
  public:
    Core(int files, int ranks, bool misere) : on(files, ranks), misere(misere) {}

    Board board(u64 white, u64 black, int to_move) const {
        if ((white | black) & ~on.all || white & black || to_move < 0 || to_move > 1)
            throw std::invalid_argument("men off the board, or two on one square");
        return {{white, black}, static_cast<Side>(to_move)};
    }

    u64 count(u64 white, u64 black, int to_move, int depth) const {
        const Board at = board(white, black, to_move);
        nb::gil_scoped_release released;
        return to_move == WHITE ? perft<WHITE>(on, white, black, depth) : perft<BLACK>(on, black, white, depth);
    }

    std::vector<Step> legal(u64 white, u64 black, int to_move) const {
        const Board at = board(white, black, to_move);
        Steps steps;
        if (!is_over(on, at)) {
            if (to_move == WHITE) {
                captures<WHITE>(on, white, black, on.all, steps);
                quiets<WHITE>(on, white, black, on.all, steps);
            } else {
                captures<BLACK>(on, black, white, on.all, steps);
                quiets<BLACK>(on, black, white, on.all, steps);
            }
        }
        return {steps.step, steps.step + steps.count};
    }

  private:
    Geometry on;
    bool misere;
};

}  // namespace
}  // namespace klop

NB_MODULE(native, module) {
    using klop::Core;
    nb::class_<Core>(module, "Core")
        .def(nb::init<int, int, bool>(), nb::arg("files"), nb::arg("ranks"), nb::arg("misere"))
        .def("legal", &Core::legal, nb::arg("white"), nb::arg("black"), nb::arg("to_move"))
        .def("perft", &Core::count, nb::arg("white"), nb::arg("black"), nb::arg("to_move"), nb::arg("depth"));
}
