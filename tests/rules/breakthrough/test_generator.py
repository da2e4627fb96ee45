"""Every legal move and no other, beside the plain version, on boards of every size."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.breakthrough import GAME, BreakthroughPosition, Move
from rules.core import BadNotation, IllegalMove, Seat, Square
from tests.rules.breakthrough import oracle
from tests.rules.breakthrough.making import (
    boards,
    every_move,
    options,
    positions,
    start,
    variants,
)


def step(move: Move) -> oracle.Step:
    """A move as the plain version writes it."""
    return (move.start.file, move.start.rank), (move.end.file, move.end.rank), move.captures


def agree(position: BreakthroughPosition, board: oracle.Board) -> None:
    """Same moves, each once, and the same end."""
    found = list(map(step, position.legal_moves()))
    assert len(position.legal_moves()) == len(found) == len(set(found))
    assert set(found) == board.steps(), repr(position)
    assert (position.outcome is None) == bool(found)
    if position.outcome:
        assert [("w", "b")[seat] for seat in position.outcome.winners] == [board.winner]


@settings(max_examples=60, deadline=None)
@given(boards, variants, st.integers(0, 2**32))
def test_random_games(size: str, variant: str, seed: int) -> None:
    position = start(size, variant)
    board = oracle.of(position)
    chance, captured = random.Random(seed), 0
    for _ in range(60):
        agree(position, board)
        pieces = GAME.draw(position).pieces
        assert {piece.cells: piece.owner for piece in pieces} == {
            (Square(*cell),): Seat("wb".index(colour)) for cell, colour in board.men.items()
        }
        assert len(pieces) == 4 * board.files - captured
        if position.outcome:
            break
        legal = position.legal_moves()
        # Captures half of the time, so that there are wide gaps and short armies.
        captures = [move for move in legal if move.captures]
        move = chance.choice(captures if captures and chance.random() < 0.5 else legal)
        captured += move.captures
        position = position.play(move)
        board = board.play(step(move))
        assert oracle.of(position) == board


@settings(max_examples=100, deadline=None)
@given(st.data(), boards, variants)
def test_scattered_men(data: st.DataObject, size: str, variant: str) -> None:
    """Men anywhere, as in positions that are read in; if it can be read, moves are missing only at the end."""
    kind = options(size, variant)
    grid = kind.grid
    squares = data.draw(
        st.lists(st.sampled_from(list(grid)), unique=True, min_size=1, max_size=4 * grid.files)
    )
    white = squares[: data.draw(st.integers(0, len(squares)))]
    black = [square for square in squares if square not in white]
    held = dict.fromkeys(white, "w") | dict.fromkeys(black, "b")
    ranks = (
        "".join(held.get(Square(file, rank), " ") for file in range(grid.files)) for rank in range(grid.ranks)
    )
    men = re.sub(" +", lambda gap: str(len(gap[0])), "/".join(reversed(list(ranks))))
    for seat, own, foe, own_goal, foe_goal in (
        (Seat.S1, white, black, grid.ranks - 1, 0),
        (Seat.S2, black, white, 0, grid.ranks - 1),
    ):
        playable = (
            len(foe) > 0
            and max(len(own), len(foe)) <= 2 * grid.files
            and all(square.rank != own_goal for square in own)
            and sum(square.rank == foe_goal for square in foe) <= 1
        )
        if playable:
            position = BreakthroughPosition.of(kind, men, seat)
            agree(position, oracle.of(position))
        else:
            with pytest.raises(BadNotation):
                BreakthroughPosition.of(kind, men, seat)


@settings(max_examples=40, deadline=None)
@given(positions(st.sampled_from(["2x4", "3x4", "2x6", "4x4", "5x5", "4x6"])))
def test_play_takes_what_is_legal_and_nothing_else(position: BreakthroughPosition) -> None:
    legal = set(position.legal_moves())
    for move in every_move(position):
        assert (move in position.legal_moves()) == (move in legal)
        if move in legal:
            assert position.play(move).to_move is not position.to_move
        else:
            with pytest.raises(IllegalMove):
                position.play(move)


def test_moves_of_another_board_or_side_are_looked_up_again() -> None:
    """A move is its squares, wherever it was made: what it remembers of its board is no part of it."""
    here = start("8x8")
    wide = {str(move): move for move in start("12x8").legal_moves()}
    for move in here.legal_moves():
        elsewhere = wide[str(move)]
        assert elsewhere == move
        assert hash(elsewhere) == hash(move)
        assert here.play(elsewhere) == here.play(move) == here.play(Move(move.start, move.end))
    black = here.play(next(iter(here.legal_moves()))).legal_moves()
    for move in black:
        with pytest.raises(IllegalMove):
            here.play(move)
    misere = start("8x8", "misere")
    assert {str(misere.play(move)) for move in here.legal_moves()} == {
        str(misere.play(move)) for move in misere.legal_moves()
    }
    for move in start("12x8").legal_moves():
        if move.end.file > 7:
            with pytest.raises(IllegalMove):
                here.play(move)


def test_the_moves_of_a_position_are_shared() -> None:
    first, again = start().legal_moves(), start().legal_moves()
    assert all(one is other for one, other in zip(first, again, strict=True))
