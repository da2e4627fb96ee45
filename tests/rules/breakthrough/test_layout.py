"""Positions as text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from rules.breakthrough import GAME, BreakthroughPosition
from rules.breakthrough.options import Setup
from rules.core import BadNotation, Grid, Reason, Spelling, sq
from tests.rules.breakthrough.making import options, positions

_NOTATION = GAME.notation


@settings(max_examples=80, deadline=None)
@given(positions())
def test_round_trip(here: BreakthroughPosition) -> None:
    text = _NOTATION.format_position(here)
    again = _NOTATION.parse_position(text, here.options)
    assert again == here
    assert hash(again) == hash(here)
    assert again.outcome == here.outcome
    assert list(again.legal_moves()) == list(here.legal_moves())
    assert _NOTATION.format_position(again) == text


@pytest.mark.parametrize(
    ("text", "reason", "fields"),
    [
        ("", Spelling.EMPTY, {}),
        ("4/1b2/2w1/4", Spelling.NOT_A_POSITION, {"text": "4/1b2/2w1/4"}),
        ("4/1b2/2w1/4 x", Spelling.NOT_A_POSITION, {"text": "4/1b2/2w1/4 x"}),
        ("4/1p2/2w1/4 w", Spelling.NOT_A_POSITION, {"text": "4/1p2/2w1/4"}),
        ("4/1b02/2w1/4 w", Spelling.NOT_A_POSITION, {"text": "4/1b02/2w1/4"}),
        ("4/1b2/2w1//4 w", Spelling.NOT_A_POSITION, {"text": "4/1b2/2w1//4"}),
        ("100/4/4/4 w", Spelling.NOT_A_POSITION, {"text": "100/4/4/4"}),
        ("4/1b2/2w1 w", Setup.WRONG_BOARD, {"board": Grid(4, 4)}),
        ("4/1b2/2w1/4/4 w", Setup.WRONG_BOARD, {"board": Grid(4, 4)}),
        ("4/1b3/2w1/4 w", Setup.WRONG_BOARD, {"board": Grid(4, 4)}),
        ("b3/wwww/wwww/w3 w", Setup.TOO_MANY_MEN, {"limit": 8}),
        ("1bbb/bbbb/bb2/3w b", Setup.TOO_MANY_MEN, {"limit": 8}),
        ("3w/4/1b2/4 w", Setup.PLAYED_ON, {"square": sq("d4")}),
        ("4/1w2/4/b3 b", Setup.PLAYED_ON, {"square": sq("a1")}),
        ("w2w/4/1b2/4 b", Setup.PLAYED_ON, {"square": sq("a4")}),
        ("w3/4/4/b3 b", Setup.PLAYED_ON, {"square": sq("a1")}),
        ("w3/4/4/b3 w", Setup.PLAYED_ON, {"square": sq("a4")}),
        ("4/4/4/4 w", Setup.NO_MEN, {}),
        ("4/4/2w1/4 w", Setup.NO_MEN, {}),
        ("4/4/2b1/4 b", Setup.NO_MEN, {}),
        ("b" * 500, Spelling.TOO_LONG, {"limit": 400}),
    ],
)
@pytest.mark.parametrize("variant", ["classic", "misere"])
def test_refused(variant: str, text: str, reason: Reason, fields: dict[str, object]) -> None:
    with pytest.raises(BadNotation) as refused:
        _NOTATION.parse_position(text, options("4x4", variant))
    assert refused.value.reason is reason
    assert refused.value.fields == fields
