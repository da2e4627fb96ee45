"""Diagrams, outcomes, phrases, the defaults of a position, perft, and a game's own helpers."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from rules.core import (
    BadOption,
    Diagram,
    Grid,
    Kind,
    OptionReason,
    Outcome,
    Phrase,
    Piece,
    Position,
    Seat,
    perft,
    split,
    sq,
)
from tests.toy.notches import GAME, Notch
from tests.toy.notches.position import End


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


def test_a_draw_is_an_outcome_without_winners() -> None:
    assert Outcome((), End.LAST_LEFT).drawn
    assert not Outcome((Seat.S1, Seat.S3), End.LAST_LEFT).drawn


def test_a_phrase_needs_no_fields() -> None:
    assert Phrase("key") == Phrase("key", {})


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


def test_a_position_has_defaults_for_what_few_games_have() -> None:
    position = GAME.start(GAME.choose({}))
    assert Position.plies_left.fget(position) == 1  # type: ignore[attr-defined]
    assert Position.turn_length.fget(position) == 1  # type: ignore[attr-defined]
    assert Position.out.fget(position) == frozenset()  # type: ignore[attr-defined]
    assert Position.scores.fget(position) == ()  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="a game of two ends"):
        Position.retire(position, Seat.S1)


def test_a_game_chooses_and_describes_its_options() -> None:
    options = GAME.choose({"preset": "wide", "cuts": "3"})
    assert GAME.seats(options) == 4
    assert GAME.choose(GAME.describe(options)) == options
    assert GAME.describe(GAME.choose({})) == {}
    with pytest.raises(BadOption) as refused:
        GAME.choose({"players": "5"})
    assert refused.value.reason is OptionReason.OUT_OF_BOUNDS


def test_a_game_may_leave_the_rare_parts_out() -> None:
    options = GAME.choose({})
    bare = replace(GAME)
    assert bare.repetitions(options) == 0
    assert bare.ratable(options)
