"""What a position is and says."""

from __future__ import annotations

import pytest

from rules.breakthrough import Move
from rules.breakthrough.options import BEnding, Refusal
from rules.core import Grid, IllegalMove, Legality, Outcome, Seat, Spelling, sq
from tests.rules.breakthrough.making import position, start


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
        (Move(sq("c4"), sq("c5")), Refusal.NO_MAN, {"square": sq("c4")}),
        (Move(sq("a2"), sq("c3")), Refusal.TOO_FAR, {"start": sq("a2"), "end": sq("c3")}),
        (Move(sq("a2"), sq("b3"), True), Refusal.NOTHING_TO_CAPTURE, {"square": sq("b3")}),
        (Move(sq("h2"), sq("i3")), Spelling.OFF_THE_BOARD, {"square": sq("i3"), "board": Grid(8, 8)}),
    ],
)
def test_moves_that_break_a_rule(move: Move, reason: object, fields: dict[str, object]) -> None:
    with pytest.raises(IllegalMove) as refused:
        start().play(move)
    assert refused.value.reason is reason
    assert refused.value.fields == fields


def test_a_capture_has_to_be_called_one() -> None:
    here = start("4x4")
    with pytest.raises(IllegalMove) as refused:
        here.play(Move(sq("a2"), sq("b3")))
    assert refused.value.reason is Refusal.IS_A_CAPTURE
    with pytest.raises(IllegalMove) as refused:
        here.play(Move(sq("a2"), sq("a3"), True))
    assert refused.value.reason is Refusal.BLOCKED


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
