"""Playing plies: typed, or picked step by step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from play.checks import check_fresh, check_in, check_playing, seat_of
from play.errors import NotAllowed, Refused
from play.facts import Moved
from play.match import Match, Phase, Ply
from play.people import Who
from play.replay import Course
from rules.core import Fork, IllegalMove, Legality, Seat


def typed(
    match: Match, course: Course, who: Who, text: str, *, at: datetime, seen: int | None
) -> tuple[Moved, Course]:
    """Play what somebody typed: all of it, or nothing.

    Raises:
        NotAllowed: not seated, out, or not on turn.
        WrongPhase: not begun, or over.
        Stale: looking at another revision.
        RulesError: the text is no move here; nothing is played.
    """
    seat = _on_turn(match, course, who, seen)
    return _play(match, course, seat, course.game.notation.parse(text, course.position), at)


def picked(
    match: Match, course: Course, who: Who, path: Sequence[str], *, at: datetime, seen: int
) -> tuple[Moved, Course]:
    """Play the move that a path of tokens through the game's fork leads to.

    Raises:
        NotAllowed, WrongPhase, Stale: as for `typed`.
        IllegalMove: the path leads to no move, or not yet.
    """
    fork = ahead(match, course, who, path, seen=seen)
    if fork.move is None:
        raise IllegalMove(Legality.NO_SUCH_STEP, step=" ".join(path)[:60])
    return _play(match, course, course.position.to_move, (fork.move,), at)


def ahead(match: Match, course: Course, who: Who, path: Sequence[str], *, seen: int | None) -> Fork[Any]:
    """Where a half-made move can go: what somebody on turn may pick next.

    Raises:
        NotAllowed, WrongPhase, Stale: as for `typed`.
        IllegalMove: the path leads nowhere.
    """
    _on_turn(match, course, who, seen)
    fork: Fork[Any] = course.game.fork(course.position, tuple(path))
    return fork


def _on_turn(match: Match, course: Course, who: Who, seen: int | None) -> Seat:
    seat = seat_of(match, who)
    check_playing(match)
    check_in(course, seat)
    if seat != course.position.to_move:
        raise NotAllowed(Refused.NOT_YOUR_TURN, seat=course.position.to_move)
    check_fresh(match, seen)
    return seat


def _play(
    match: Match, course: Course, seat: Seat, moves: Iterable[Any], at: datetime
) -> tuple[Moved, Course]:
    before = course
    for move in moves:
        course = course.played(move, at)
        if course.result:
            break  # a repetition in the middle of a turn ends it there
    result = course.result
    after = replace(
        match,
        log=course.log,
        offer=None,  # playing on is an answer
        phase=Phase.OVER if result else Phase.PLAYING,
        result=result,
    )
    plies = tuple(entry for entry in course.log[len(before.log) :] if isinstance(entry, Ply))
    handed_on = result is None and course.position.to_move != seat
    fell = tuple(sorted(course.position.out - before.position.out))
    return Moved(after, seat, plies, handed_on, fell), course
