"""What can be chosen, what it means, and what is refused."""

from __future__ import annotations

import pytest

from rules.core import BadOption, OptionReason
from rules.lgame import GAME
from rules.lgame.options import Options, Refusal, Symmetry, Variant


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
    ("chosen", "option", "value", "variant"),
    [
        ("points:20", "points", "20", "scoring"),
        ("variant:classic points:15", "points", "15", "scoring"),  # a default that was typed was meant
        ("corner:a4", "corner", "a4", "scoring"),
        ("preset:scoring symmetry:axes", "symmetry", "axes", "symmetry"),
        ("preset:symmetry corner:d1", "corner", "d1", "scoring"),
        ("variant:scoring symmetry:any", "symmetry", "any", "symmetry"),
        ("variant:classic preset:puzzle", "symmetry", "any", "symmetry"),
    ],
)
def test_an_option_of_another_variant_is_refused(chosen: str, option: str, value: str, variant: str) -> None:
    with pytest.raises(BadOption) as refused:
        GAME.choose(dict(word.split(":") for word in chosen.split()))
    assert refused.value.reason is Refusal.ONLY_IN
    assert refused.value.fields == {"option": option, "value": value, "variant": variant}


@pytest.mark.parametrize("chosen", [{"points": "4"}, {"points": "101"}, {"corner": "b2"}])
def test_a_value_out_of_bounds_is_refused(chosen: dict[str, str]) -> None:
    with pytest.raises(BadOption) as refused:
        GAME.choose({"variant": "scoring", **chosen})
    assert refused.value.reason in {OptionReason.OUT_OF_BOUNDS, OptionReason.NOT_OFFERED}


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
