"""What can be chosen, and what cannot."""

from __future__ import annotations

import pytest

from rules.breakthrough import GAME
from rules.breakthrough.options import Options, Variant
from rules.core import Grid


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
