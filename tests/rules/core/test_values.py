"""Diagrams, outcomes, phrases, the defaults of a position, perft, and a game's own helpers."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from rules.core import (
    Diagram,
    Grid,
    Kind,
    Piece,
    Seat,
    perft,
    sq,
)
from tests.rules.conformance import split
from tests.toy.notches import GAME, Notch


def test_a_diagram_tells_what_stands_where() -> None:
    man = Piece(Kind.MAN, (sq("a1"),), Seat.S1)
    tile = Piece(Kind.TILE, (sq("b1"), sq("b2")), Seat.S2)
    diagram = Diagram(Grid(3, 3), (man, tile))
    assert diagram.at(sq("a1")) is man
    assert diagram.at(sq("b2")) is tile
    assert diagram.at(sq("c3")) is None
    assert diagram.out == frozenset()
    assert hash(diagram) == hash(Diagram(Grid(3, 3), (man, tile)))
    with pytest.raises(FrozenInstanceError):
        diagram.pieces = ()  # type: ignore[misc]


def test_perft_counts_sequences() -> None:
    # Two people on a strip of four: a1 and d1 leave the other two cells, b1 and c1 one.
    start = GAME.start(GAME.choose({"players": "2", "board": "4x1", "cuts": "1"}))
    assert [perft(start, depth) for depth in range(4)] == [1, 4, 6, 4]
    assert split(start, 2) == {Notch(sq("a1")): 2, Notch(sq("b1")): 1, Notch(sq("c1")): 1, Notch(sq("d1")): 2}
    assert sum(split(start, 3).values()) == perft(start, 3)


def test_a_game_over_counts_nothing() -> None:
    over = GAME.start(GAME.choose({"players": "3"})).retire(Seat.S1).retire(Seat.S2)
    assert over.outcome
    assert perft(over, 0) == 1
    assert perft(over, 1) == perft(over, 2) == 0
    assert split(over, 1) == {}
