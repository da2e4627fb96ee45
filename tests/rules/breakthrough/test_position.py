"""Positions of Breakthrough: legal moves, text and diagram."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.breakthrough import GAME, BreakthroughPosition, Move
from rules.breakthrough.options import BadOdds, BEnding, Refusal, Setup
from rules.core import (
    Area,
    BadNotation,
    BadOption,
    Grid,
    Highlights,
    IllegalMove,
    Legality,
    Mark,
    OptionReason,
    Outcome,
    Reason,
    Seat,
    Sign,
    Spelling,
    Square,
    Zone,
    sq,
)
from tests.rules.breakthrough import oracle
from tests.rules.breakthrough.oracle import (
    boards,
    every_move,
    options,
    played,
    position,
    positions,
    start,
    variants,
)

# What a position is and says.


@pytest.mark.parametrize(
    ("text", "variant", "winner", "ending"),
    [
        ("w3/4/1b2/4 b", "classic", Seat.S1, BEnding.REACHED),
        ("w3/4/1b2/4 b", "misere", Seat.S2, BEnding.MISERE_REACHED),
        ("4/3w/4/2b1 w", "classic", Seat.S2, BEnding.REACHED),
        ("4/3w/4/2b1 w", "misere", Seat.S1, BEnding.MISERE_REACHED),
        ("4/3w/4/4 b", "classic", Seat.S1, BEnding.CAPTURED),
        ("4/3w/4/4 b", "misere", Seat.S2, BEnding.MISERE_CAPTURED),
        ("4/3b/4/4 w", "classic", Seat.S2, BEnding.CAPTURED),
        ("4/3b/4/4 w", "misere", Seat.S1, BEnding.MISERE_CAPTURED),
        # The last man is taken on the far rank: both ends say the same.
        ("w3/4/4/4 b", "classic", Seat.S1, BEnding.REACHED),
        ("w3/4/4/4 b", "misere", Seat.S2, BEnding.MISERE_REACHED),
    ],
)
def test_endings(text: str, variant: str, winner: Seat, ending: BEnding) -> None:
    here = position(text, variant)
    assert here.outcome == Outcome((winner,), ending)
    assert len(here.legal_moves()) == 0
    for move in (Move(sq("d3"), sq("d4")), Move(sq("d3"), sq("d2")), Move(sq("b2"), sq("b1"))):
        with pytest.raises(IllegalMove) as refused:
            here.play(move)
        assert refused.value.reason is Legality.GAME_OVER


@pytest.mark.parametrize(
    ("move", "reason", "fields"),
    [
        (Move(sq("d2"), sq("e3")), Spelling.OFF_THE_BOARD, {"square": sq("e3"), "board": Grid(4, 4)}),
        (Move(sq("a2"), sq("b3")), Refusal.IS_A_CAPTURE, {"start": sq("a2"), "end": sq("b3")}),
        (Move(sq("a2"), sq("a3"), True), Refusal.BLOCKED, {"start": sq("a2"), "end": sq("a3")}),
    ],
)
def test_moves_that_break_a_rule(move: Move, reason: object, fields: dict[str, object]) -> None:
    with pytest.raises(IllegalMove) as refused:
        start("4x4").play(move)
    assert refused.value.reason is reason
    assert refused.value.fields == fields


def test_legal_moves_are_a_sequence() -> None:
    here = start("4x4")
    moves = here.legal_moves()
    listed = tuple(moves)
    assert len(moves) == 6
    assert (moves[0], moves[-1], moves[1:3]) == (listed[0], listed[-1], listed[1:3])
    assert moves == listed == tuple(here.legal_moves())
    assert moves == start("4x4").legal_moves()
    assert moves != listed[:5]
    assert moves != 6
    assert hash(moves) == hash(listed)
    assert repr(moves) == repr(listed)
    assert list(reversed(moves)) == list(reversed(listed))
    assert listed[3] in moves
    assert object() not in moves
    assert not position("4/3w/4/4 b").legal_moves()
    with pytest.raises(IndexError):
        moves[6]


# Every legal move and no other, beside the plain version, on boards of every size.


def step(move: Move) -> oracle.Step:
    return (move.start.file, move.start.rank), (move.end.file, move.end.rank), move.captures


def agree(position: BreakthroughPosition, board: oracle.Board) -> None:
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


# Positions as text.


_NOTATION = GAME.notation


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
        ("b3/wwww/wwww/w3 w", Setup.TOO_MANY_WHITE, {"count": 9, "limit": 8}),
        ("1bbb/bbbb/bb2/3w b", Setup.TOO_MANY_BLACK, {"count": 9, "limit": 8}),
        ("3w/4/1b2/4 w", Setup.PLAYED_ON, {"squares": (sq("d4"),)}),
        ("4/1w2/4/b3 b", Setup.PLAYED_ON, {"squares": (sq("a1"),)}),
        ("w2w/4/1b2/4 b", Setup.PLAYED_ON, {"squares": (sq("a4"), sq("d4"))}),
        ("w3/4/4/b3 b", Setup.PLAYED_ON, {"squares": (sq("a1"),)}),
        ("w3/4/4/b3 w", Setup.PLAYED_ON, {"squares": (sq("a4"),)}),
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


def test_every_fault_is_named() -> None:
    with pytest.raises(BadNotation) as refused:
        _NOTATION.parse_position("wwww/wwww/4/4 w", options("4x4", "classic"))
    faults = (refused.value, *refused.value.also)
    assert [fault.reason for fault in faults] == [Setup.PLAYED_ON, Setup.NO_MEN]
    with pytest.raises(BadNotation) as refused:
        _NOTATION.parse_position("wwww/wwww/wwww/bbbb w", options("4x4", "classic"))
    faults = (refused.value, *refused.value.also)
    assert [fault.reason for fault in faults] == [Setup.TOO_MANY_WHITE, Setup.PLAYED_ON]
    assert len(str(faults[1].fields["squares"])) > len("a1")


# Odds.


@pytest.mark.parametrize(
    ("size", "giver", "typed", "gone"),
    [
        ("8x8", Seat.S1, "1", "d2"),
        ("8x8", Seat.S1, "3", "c2 d2 e2"),
        ("8x8", Seat.S2, "2", "d7 e7"),
        ("5x5", Seat.S1, "2", "b2 c2"),
        ("5x5", Seat.S2, "5", "a4 b4 c4 d4 e4"),
        ("8x8", Seat.S1, "H1, a2", "h1 a2"),
        ("8x8", Seat.S2, "а7 е8", "a7 e8"),  # on a Cyrillic keyboard
    ],
)
def test_men_that_are_given(size: str, giver: Seat, typed: str, gone: str) -> None:
    before = start(size)
    made = GAME.odds["without"](before, giver, typed)
    missing = {at for at in before.options.grid if before.at(at) is not made.at(at)}
    assert missing == {sq(at) for at in gone.split()}
    assert all(before.at(at) is giver and made.at(at) is None for at in missing)


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("9", OptionReason.OUT_OF_BOUNDS),
        ("0", OptionReason.OUT_OF_BOUNDS),
        ("-1", OptionReason.NOT_A_NUMBER),
        ("men", OptionReason.NOT_SQUARES),
        ("a7", BadOdds.NO_MAN),
        ("a3", BadOdds.NO_MAN),
        ("z9", BadOdds.NO_MAN),
        ("a2,b2,a2", BadOdds.TWICE),
        ("a1,b1,c1,d1,e1,f1,g1,h1,a2", BadOdds.TOO_MANY),
    ],
)
def test_men_that_cannot_be_given(typed: str, reason: Reason) -> None:
    with pytest.raises(BadOption) as refused:
        GAME.odds["without"](start("8x8"), Seat.S1, typed)
    assert refused.value.reason is reason


# What there is to see.


def test_the_far_ranks_are_goals_unless_no_side_wants_them() -> None:
    goals = tuple(
        Area(Zone.GOAL, tuple(Square(f, rank) for f in range(3)), seat)
        for rank, seat in ((3, Seat.S1), (0, Seat.S2))
    )
    for here in (start("3x4"), played(start("3x4"), "a2xb3")):
        assert GAME.draw(here).areas == goals
    assert GAME.draw(start("3x4", "misere")).areas == ()


def test_candidates_are_numbered_where_they_differ() -> None:
    here = position("8/b6w/8/8/wbbb4/1w1w4/3w4/8 w")
    to_one_square = [move for move in here.legal_moves() if move.end == sq("c4")]
    to_one_square.sort(key=lambda move: move.start)
    assert GAME.draw(here, Highlights(candidates=to_one_square)).marks == (
        Mark(Sign.CANDIDATE, sq("b3"), "1"),
        Mark(Sign.CANDIDATE, sq("d3"), "2"),
    )
    of_one_man = sorted((m for m in here.legal_moves() if m.start == sq("h7")), key=lambda move: move.end)
    assert GAME.draw(here, Highlights(candidates=of_one_man)).marks == (
        Mark(Sign.CANDIDATE, sq("g8"), "1"),
        Mark(Sign.CANDIDATE, sq("h8"), "2"),
    )
