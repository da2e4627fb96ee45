"""The board as data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.core import AmbiguousMove, Diagram, Highlights, Kind, Seat, Sign, Zone, sq
from rules.lgame import GAME
from rules.lgame.board import mv
from tests.rules.lgame.shared import NOTATION, at, start


def signs(shown: Diagram, sign: Sign) -> str:
    return " ".join(
        sorted(f"{mark.square}{mark.label and ':'}{mark.label}" for mark in shown.marks if mark.sign is sign)
    )


def test_pieces() -> None:
    shown = GAME.draw(start())
    first, second, *discs = shown.pieces
    assert (first.kind, first.owner, " ".join(map(str, first.cells))) == (Kind.TILE, Seat.S1, "b1 c1 b2 b3")
    assert (second.kind, second.owner, " ".join(map(str, second.cells))) == (
        Kind.TILE,
        Seat.S2,
        "c2 c3 b4 c4",
    )
    assert [(disc.kind, disc.owner, disc.cells) for disc in discs] == [
        (Kind.DISC, None, (sq("d1"),)),
        (Kind.DISC, None, (sq("a4"),)),
    ]
    assert not shown.areas
    assert not shown.marks
    assert shown.scores == ()


@pytest.mark.parametrize(
    ("corner", "cells"),
    [("a4", "a3 b3 a4 b4"), ("a1", "a1 b1 a2 b2"), ("d1", "c1 d1 c2 d2"), ("d4", "c3 d3 c4 d4")],
)
def test_painted_cells_and_scores(corner: str, cells: str) -> None:
    shown = GAME.draw(at("o22./.12./.12./.11o 2 7-3", "scoring", corner=corner))
    (area,) = shown.areas
    assert (area.zone, area.owner, " ".join(map(str, area.cells))) == (Zone.PAINTED, None, cells)
    assert shown.scores == (7, 3)


def test_pieces_that_went_back_to_the_start() -> None:
    before = at("o222/..12/..1./.o11 1 4-1", "scoring")
    move = mv("L a3-c3-c2 n a4-d2")
    shown = GAME.draw(before.play(move), Highlights(last=(move,), before=before))
    assert replace(shown, first=None) == GAME.draw(before.play(move)), "the new start"
    block = shown.first
    assert block is not None, "and above it, the block"
    assert [" ".join(map(str, piece.cells)) for piece in block.pieces[:2]] == ["c2 a3 b3 c3", "d3 b4 c4 d4"]
    assert signs(block, Sign.ENTERED) == "a3 b3 d2"
    assert signs(block, Sign.LEFT) == "a4 c1 d1"
    assert len(block.arrows) == 1
    assert GAME.draw(before.play(move), Highlights(last=(move,))).first is None


@pytest.mark.parametrize(
    ("typed", "labels"),
    [
        ("L b3-b1", "a1:2 a3:1"),  # the feet
        ("L a1-a3-b3 n b2", "a4:2 d1:1"),  # the neutrals
        ("L b1-b3 n d4", "a1:4 a3:1 a4:2 d1:3"),  # both
    ],
)
def test_candidates_are_numbered_where_they_differ(typed: str, labels: str) -> None:
    with pytest.raises(AmbiguousMove) as refused:
        NOTATION.parse(typed, start())
    moves = [move for move in start().legal_moves() if move in refused.value.candidates]
    assert tuple(moves) == refused.value.candidates
    shown = GAME.draw(start(), Highlights(candidates=moves))
    found = signs(shown, Sign.CANDIDATE)
    assert found == labels
    squares = [mark.square for mark in shown.marks]
    assert len(set(squares)) == len(moves), "two numbers on one square"
    assert [mark.label for mark in shown.marks] == [str(n) for n in range(1, len(moves) + 1)]


@pytest.mark.parametrize(
    ("path", "picked"),
    [
        ((), ""),
        (("c1-a1-a2",), "a1 a2 b1 c1"),
        (("c1-a1-a2", "keep"), "a1 a2 b1 c1"),
        (("c1-a1-a2", "n a4"), "a1 a2 a4 b1 c1"),
        (("c1-a1-a2", "n a4", "b2"), "a1 a2 a4 b1 b2 c1"),
    ],
)
def test_picked(path: tuple[str, ...], picked: str) -> None:
    assert signs(GAME.draw(start(), Highlights(picked=path)), Sign.PICKED) == picked
