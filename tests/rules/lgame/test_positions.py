"""Positions as text."""

from __future__ import annotations

import random

import pytest

from rules.core import BadNotation, Seat, Spelling, sq
from rules.lgame import GAME, LPosition
from rules.lgame.board import mask_of
from rules.lgame.options import Options, Symmetry, Variant
from tests.rules.lgame.shared import NOTATION, VARIANTS, at, play, start


@pytest.mark.parametrize("preset", VARIANTS)
def test_round_trip(preset: str) -> None:
    chance = random.Random(preset)
    for _ in range(10):
        position = start(preset)
        for _ in range(20):
            text = NOTATION.format_position(position)
            again = NOTATION.parse_position(text, position.options)
            assert (again, hash(again)) == (position, hash(position))
            assert again.outcome == position.outcome
            assert NOTATION.format_position(again) == text
            if position.outcome:
                break
            position = position.play(chance.choice(position.legal_moves()))


def test_parts() -> None:
    position = at("o22./.12./.12./.11o 2 7-3", "scoring")
    assert position == LPosition(
        GAME.choose({"preset": "scoring"}),
        Seat.S2,
        first=mask_of(map(sq, ("b1", "c1", "b2", "b3"))),
        second=mask_of(map(sq, ("b4", "c4", "c3", "c2"))),
        neutrals=mask_of(map(sq, ("a4", "d1"))),
        scores=(7, 3),
    )


def test_repr_pastes_back() -> None:
    for preset in VARIANTS:
        names = {c.__name__: c for c in (LPosition, Options, Variant, Symmetry, Seat)}
        assert eval(repr(start(preset)), names) == start(preset)


def test_a_win_by_an_image_is_in_the_text() -> None:
    won = play(at("..2./o12./.122/11o. 1", "symmetry"), "L b4-b2-a2")
    assert NOTATION.format_position(won) == ".12./o12./1122/..o. 2 mirrored"
    assert at(".12./o12./1122/..o. 2 mirrored", "symmetry") == won


START = "o22./.12./.12./.11o"


@pytest.mark.parametrize(
    ("text", "preset"),
    [
        ("", "classic"),
        (START, "classic"),
        (f"{START} 0", "classic"),
        (f"{START} 3", "classic"),
        (f"{START} 1 0-0", "classic"),
        (f"{START} 1 ", "scoring"),
        (f"{START} 1 mirrored", "classic"),
        (f"{START} 1 x", "classic"),
        ("o22./.12./.12. 1", "classic"),
        ("o22./.12./.12./.11o/.... 1", "classic"),
        ("o22../.12./.12./.11 1", "classic"),
        ("o22./.12./.12./.11. 1", "classic"),  # one neutral
        ("o22o/.12./.12./.11o 1", "classic"),  # three
        ("o22./.12./.12./..1o 1", "classic"),  # three cells are no L
        ("o22./.12./.12./111o 1", "classic"),  # nor are five
        ("o22./.122/.1../.11o 1", "classic"),  # four that are no L
        ("ox2./.12./.12./.11o 1", "classic"),
        (f"{START} 1 00-0", "scoring"),
        (f"{START} 1 -1-0", "scoring"),
        (f"{START} 1 1000-0", "scoring"),
        (f"{START} 1 15-0", "scoring"),  # the seat to move cannot have won
        (f"{START} 2 15-15", "scoring"),
        (f"{START} 2 23-0", "scoring"),  # 14 and 8 are 22
        ("111o/122./o.2./..2. 1 3-9", "scoring"),  # after a block the pieces are at the start
        (".12./o12./1122/..o. 2", "symmetry"),  # an image, but nobody has won by it
        (".12./o12./1122/..o. 2 mirrored", "half-turn"),
        (".12./o12./1122/..o. 2 mirrored", "classic"),
        (f"{START} 1 mirrored", "symmetry"),
        (f"{START} 2", "half-turn"),
        (".22./o12./.12./.11o 1", "half-turn"),  # the start's L's, but a neutral has moved
    ],
)
def test_refused(text: str, preset: str) -> None:
    with pytest.raises(BadNotation) as refused:
        at(text, preset)
    assert refused.value.reason in {Spelling.NOT_A_POSITION, Spelling.EMPTY}


def test_won_by_points() -> None:
    position = at("o222/.1.2/.1../.11o 2 22-14", "scoring")
    assert position.outcome
    assert position.outcome.winners == (Seat.S1,)
