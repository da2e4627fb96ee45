"""What can be chosen, what it means, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core import BadOption, OptionReason
from rules.lgame import GAME
from rules.lgame.options import Options, Symmetry, Variant
from rules.lgame.reasons import Refusal


@pytest.mark.parametrize(
    ("chosen", "options"),
    [
        ({}, Options()),
        ({"preset": "classic"}, Options()),
        ({"variant": "Sudden Death"}, Options(Variant.SUDDEN_DEATH)),
        ({"preset": "scoring"}, Options(Variant.SCORING)),
        (
            {"variant": "scoring", "points": "5", "corner": "D1"},
            Options(Variant.SCORING, points=5, corner="d1"),
        ),
        ({"preset": "scoring", "points": "100"}, Options(Variant.SCORING, points=100)),
        ({"preset": "half-turn"}, Options(Variant.SYMMETRY, Symmetry.HALF_TURN)),
        ({"variant": "symmetry", "symmetry": "any"}, Options(Variant.SYMMETRY, Symmetry.ANY)),
    ],
)
def test_chosen(chosen: dict[str, str], options: Options) -> None:
    assert GAME.choose(chosen) == options
    assert GAME.choose(GAME.describe(options)) == options
    assert eval(repr(options)) == options


@pytest.mark.parametrize(
    ("chosen", "reason", "fields"),
    [
        ({"points": "20"}, Refusal.ONLY_IN, {"option": "points", "value": "20", "variant": "scoring"}),
        # A default that was typed was meant.
        (
            {"variant": "classic", "points": "15"},
            Refusal.ONLY_IN,
            {"option": "points", "value": "15", "variant": "scoring"},
        ),
        ({"corner": "a4"}, Refusal.ONLY_IN, {"option": "corner", "value": "a4", "variant": "scoring"}),
        (
            {"preset": "scoring", "symmetry": "axes"},
            Refusal.ONLY_IN,
            {"option": "symmetry", "value": "axes", "variant": "symmetry"},
        ),
        (
            {"preset": "symmetry", "corner": "d1"},
            Refusal.ONLY_IN,
            {"option": "corner", "value": "d1", "variant": "scoring"},
        ),
        (
            {"variant": "scoring", "symmetry": "any"},
            Refusal.ONLY_IN,
            {"option": "symmetry", "value": "any", "variant": "symmetry"},
        ),
        (
            {"variant": "classic", "preset": "puzzle"},
            Refusal.ONLY_IN,
            {"option": "symmetry", "value": "any", "variant": "symmetry"},
        ),
        (
            {"variant": "scoring", "points": "4"},
            OptionReason.OUT_OF_BOUNDS,
            {"option": "points", "value": 4, "low": 5, "high": 100},
        ),
        (
            {"variant": "scoring", "points": "101"},
            OptionReason.OUT_OF_BOUNDS,
            {"option": "points", "value": 101, "low": 5, "high": 100},
        ),
        (
            {"variant": "scoring", "corner": "b2"},
            OptionReason.NOT_OFFERED,
            {"option": "corner", "value": "b2", "offered": ("a4", "a1", "d1", "d4")},
        ),
    ],
)
def test_refused(chosen: dict[str, str], reason: Any, fields: dict[str, Any]) -> None:
    with pytest.raises(BadOption) as refused:
        GAME.choose(chosen)
    assert (refused.value.reason, dict(refused.value.fields)) == (reason, fields)


def test_what_is_rated_and_what_repeats() -> None:
    said = {
        preset: (GAME.ratable(options), GAME.repetitions(options))
        for preset in GAME.schema.presets
        for options in (GAME.choose({"preset": preset}),)
    }
    assert said == {
        "classic": (True, 3),
        "sudden-death": (True, 3),
        "scoring": (True, 0),
        "symmetry": (True, 3),
        "half-turn": (True, 3),
        "puzzle": (False, 3),
    }
