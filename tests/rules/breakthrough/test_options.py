"""What can be chosen, and what cannot."""

from __future__ import annotations

import pytest

from rules.breakthrough import GAME
from rules.breakthrough.options import Options, Variant
from rules.core import BadOption, Grid, OptionReason, Reason, Seat


@pytest.mark.parametrize(
    ("preset", "grid", "variant"),
    [
        ("classic", Grid(8, 8), Variant.CLASSIC),
        ("7x7", Grid(7, 7), Variant.CLASSIC),
        ("mini", Grid(5, 5), Variant.CLASSIC),
        ("6x6", Grid(6, 6), Variant.CLASSIC),
        ("10x10", Grid(10, 10), Variant.CLASSIC),
        ("misere", Grid(8, 8), Variant.MISERE),
    ],
)
def test_presets(preset: str, grid: Grid, variant: Variant) -> None:
    assert GAME.choose({"preset": preset}) == Options(grid, variant)
    assert preset in GAME.schema.presets
    assert len(GAME.schema.presets) == 6


def test_options_on_top_of_a_preset() -> None:
    assert GAME.choose({"preset": "mini", "variant": "misere"}) == Options(Grid(5, 5), Variant.MISERE)
    assert GAME.choose({"preset": "misere", "board": "12х6"}) == Options(Grid(12, 6), Variant.MISERE)


def test_described_by_what_differs() -> None:
    assert GAME.describe(GAME.choose({})) == {}
    assert GAME.describe(GAME.choose({"preset": "classic", "board": "8*8"})) == {}
    assert GAME.describe(GAME.choose({"preset": "misere", "board": "9"})) == {
        "board": "9x9",
        "variant": "misere",
    }


@pytest.mark.parametrize("board", ["2x4", "2x26", "26x4", "26x26", "7x12"])
def test_boards_within_bounds(board: str) -> None:
    assert str(GAME.choose({"board": board}).grid) == board


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        ({"board": "1x8"}, OptionReason.FILES_OUT_OF_BOUNDS),
        ({"board": "27x8"}, OptionReason.FILES_OUT_OF_BOUNDS),
        ({"board": "8x3"}, OptionReason.RANKS_OUT_OF_BOUNDS),
        ({"board": "8x27"}, OptionReason.RANKS_OUT_OF_BOUNDS),
        ({"board": "0x0"}, OptionReason.FILES_OUT_OF_BOUNDS),
        ({"board": "8x8x8"}, OptionReason.NOT_A_SIZE),
        ({"board": "big"}, OptionReason.NOT_A_SIZE),
        ({"variant": "suicide"}, OptionReason.NOT_OFFERED),
        ({"preset": "9x9"}, OptionReason.UNKNOWN_PRESET),
        ({"actions": "3"}, OptionReason.UNKNOWN_OPTION),
    ],
)
def test_refused(chosen: dict[str, str], reason: Reason) -> None:
    with pytest.raises(BadOption) as refused:
        GAME.choose(chosen)
    assert refused.value.reason is reason


@pytest.mark.parametrize(
    "chosen",
    [
        {"preset": "mini"},
        {"board": "5"},
        *({"board": size} for size in ("5 х 5", "2x4", "3x6", "5x7", "12x5")),
    ],
)
@pytest.mark.parametrize("variant", [{}, {"variant": "misere"}])
def test_boards_below_six_by_six_are_not_ratable(chosen: dict[str, str], variant: dict[str, str]) -> None:
    assert not GAME.ratable(GAME.choose(chosen | variant))


@pytest.mark.parametrize(
    "chosen", [{}, {"preset": "6x6"}, {"preset": "misere"}, {"board": "6x7"}, {"board": "20x6"}]
)
def test_others_are(chosen: dict[str, str]) -> None:
    assert GAME.ratable(GAME.choose(chosen))


def test_two_sides_and_no_repetition() -> None:
    options = GAME.choose({})
    assert GAME.sides(options) == ((Seat.S1,), (Seat.S2,))
    assert GAME.seats(options) == 2
    assert GAME.repetitions(options) == 0
