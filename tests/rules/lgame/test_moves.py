"""Moves as values, and their canonical text."""

from __future__ import annotations

import pytest

from rules.core import BadNotation
from rules.lgame import Move
from rules.lgame.board import GRID, mask_of, mv
from tests.rules.lgame.shared import NOTATION, start

TRIPLES = [
    ("L c1-c3-d3", ("c1 c2 c3 d3", "", "")),
    ("L c1-c3-d3 n a4-b2", ("c1 c2 c3 d3", "a4", "b2")),
    ("L a1-c1-c2 n d1-a4", ("a1 b1 c1 c2", "d1", "a4")),
    ("L d3-b3-b2 n a1-a2 n b1-d4", ("b2 b3 c3 d3", "a1 b1", "a2 d4")),
    ("L d3-b3-b2 n d1-c1 n a4-d4", ("b2 b3 c3 d3", "a4 d1", "d4 c1")),
]


def move_of(cells: str, lifted: str, put: str) -> Move:
    return Move(*(mask_of(map(GRID.find, text.split())) for text in (cells, lifted, put)))


@pytest.mark.parametrize(("text", "parts"), TRIPLES)
def test_text_value_text(text: str, parts: tuple[str, str, str]) -> None:
    move = move_of(*parts)
    assert mv(text) == move
    assert NOTATION.format(move) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "l c1-c3-d3",
        "L c3-c1-d3",
        "L d3-c3-c1",
        "L c1-c3",
        "L c1-c3-e3",
        "L c1-c3-b2",
        "L c1-c3-d3 n a4",
        "L c1-c3-d3  n a4-b2",
        "L c1-c3-d3 n d1-c4 n a4-b2 n a1-a2",
        "L c1-c3-d3 n a4-d4 n d1-b2",
        "L c1-c3-d3 n a4-b2 n d1-d4",
        "L c1-c3-d3\n",
    ],
)
def test_only_the_canonical_text_is_a_value(text: str) -> None:
    with pytest.raises(BadNotation):
        mv(text)


def test_swapping_the_neutrals_moves_neither() -> None:
    (move,) = NOTATION.parse("L a1-a3-b3 n a4-d1 n d1-a4", start("sudden-death"))
    assert move == mv("L a1-a3-b3")


def test_two_ways_to_an_arrangement_are_one_move() -> None:
    position = start("sudden-death")
    texts = ("n a4-d1 n d1-d2", "n d1-d2 n a4-d1", "n a4-d2", "n d1 n d2")
    found = {NOTATION.parse(f"L a1-a3-b3 {text}", position) for text in texts}
    assert found == {(mv("L a1-a3-b3 n a4-d2"),)}
    crossed = {NOTATION.parse(f"L a1-a3-b3 {text}", position) for text in ("n a4-d2 n d1-b1", "n d2 n b1")}
    assert crossed == {(mv("L a1-a3-b3 n d1-b1 n a4-d2"),)}
