"""Moves that lose at once: the mover's own end, or a turn of the next seat that ends it. Decided by the rules alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from play.replay import Course
from rules.core import Position, Seat

MOST: Final = 5_000
"""Positions looked at, at most: all that follow within a turn on boards of up to 7x7, and some tenths of a second on large ones."""


def losing_reply(course: Course, text: str) -> Sequence[str] | None:
    """Return the plies by which the next seat wins after a move; none where the move itself loses, None where it does not.

    A move that does not complete its turn is not judged.

    Raises:
        RulesError: the text is no move here.
    """
    start = course.position
    seat, position = start.to_move, start
    own = course.side_of(seat)
    for move in course.game.notation.parse(text, start):
        position = position.play(move)
    if _lost(position, seat, own):
        return ()
    if position.outcome or position.to_move in own:
        return None
    found = _winning(position, seat, own, unordered=course.game.unordered)
    return None if found is None else [course.game.notation.format(move) for move in found]


def _winning(
    start: Position[Any], seat: Seat, own: Sequence[Seat], *, unordered: bool
) -> Sequence[Any] | None:
    """Return a turn of the seat to move after which another seat has lost; of an unordered turn one order is tried."""
    ahead: list[tuple[Position[Any], tuple[Any, ...]]] = [(start, ())]
    tried: set[frozenset[Any]] = set()
    looked = 0
    while ahead:
        before, line = ahead.pop()
        for move in before.legal_moves():
            if unordered:
                moves = frozenset((*line, move))
                if moves in tried:
                    continue
                tried.add(moves)
            looked += 1
            if looked > MOST:
                return None
            after = before.play(move)
            if _lost(after, seat, own):
                return (*line, move)
            if not after.outcome and after.to_move == start.to_move and after.plies_left < after.turn_length:
                ahead.append((after, (*line, move)))
    return None


def _lost(position: Position[Any], seat: Seat, own: Sequence[Seat]) -> bool:
    outcome = position.outcome
    return seat in position.out or (
        outcome is not None and bool(outcome.winners) and not set(outcome.winners) & set(own)
    )
