"""Analysis of a match that is over: the value of each turn, a better one, and where the match was decided."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.desk.hooks import Hook
from bot.thinking import Thinker
from bot.thinking.jobs import Job, Reply, Variation, job_for
from engine.core import GameValue, Proof
from play.match import Match, Ply
from play.replay import Course
from rules.core import Outcome, Seat
from storage.ports import FullStore

SECONDS: Final = 24.0
"""Seconds of search for a whole match, some more or less."""
LEAST: Final = 0.1
MOST: Final = 1.0
"""Seconds for one position."""
TURNS: Final = 240
"""Turns analysed; of a longer match the last ones."""
SIDE_BY_SIDE: Final = 2

TURNING: Final = 0.3
"""Loss of value that makes a turn a turning point; 2 is from a sure win to a sure loss."""
CLOSE: Final = 0.04
"""A loss this small is no mistake: searches of two positions differ by as much."""


@dataclass(frozen=True, slots=True)
class Played:
    """A turn of a match.

    Attributes:
        number: Counted from 1.
        seat: Whose turn it was.
        first: Where in the log it begins.
        end: Where in the log it ends.
        plies: What was played.
    """

    number: int
    seat: Seat
    first: int
    end: int
    plies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A turn, judged.

    Attributes:
        played: The turn.
        best: What the engine would have played, and its value for the seat.
        keep: How many turns would have kept the result, where that is known for sure.
        value: Of what was played, for the seat; None if unknown.
        proved: Whether that value is certain.
    """

    played: Played
    best: Variation
    keep: int | None
    value: float | None
    proved: bool

    @property
    def lost(self) -> float:
        """How much of the value the turn gave away."""
        return 0.0 if self.value is None else max(0.0, self.best.value - self.value)

    @property
    def sure(self) -> bool:
        """Whether it is certain that the turn threw the result away."""
        return self.proved and self.best.plies is not None and self.lost >= 1

    @property
    def turning(self) -> bool:
        """Whether the match turned here."""
        return self.sure or (self.lost >= TURNING and not self.same)

    @property
    def same(self) -> bool:
        """Whether it was the engine's own choice, in any order of its plies."""
        return sorted(self.played.plies) == sorted(self.best.turn)


ANALYSED: Final = Hook[Thinker, FullStore, Match, Course, tuple[Judged, ...]]()
"""A match that is over has been analysed."""


def turns_of(course: Course) -> list[Played]:
    """The turns of a match, in order."""
    found: list[Played] = []
    first = 0
    while first < len(course.log):
        entry = course.log[first]
        end = first + 1
        if isinstance(entry, Ply):
            before = course.positions[first]
            while end < len(course.log):
                more = course.log[end]
                here = course.positions[end]
                if (
                    not isinstance(more, Ply)
                    or more.seat != entry.seat
                    or here.plies_left >= before.plies_left
                ):
                    break
                before = here
                end += 1
            plies = tuple(ply.text for ply in course.log[first:end] if isinstance(ply, Ply))
            found.append(Played(len(found) + 1, entry.seat, first, end, plies))
        first = end
    return found


async def analysed(
    match: Match, course: Course, ask: Callable[[Job], Awaitable[Reply]]
) -> tuple[Judged, ...]:
    """Return the judged turns of a finished match; `ask` has a position searched."""
    turns = turns_of(course)[-TURNS:]
    if not turns:
        return ()
    seconds = min(MOST, max(LEAST, SECONDS / len(turns)))
    places = asyncio.Semaphore(SIDE_BY_SIDE)

    async def answer(at: int) -> Reply:
        async with places:
            position = course.positions[at]
            return await ask(job_for(course.game, course.options, position, seconds=seconds))

    asked = [turn.first for turn in turns]
    if course.position.outcome is None and match.result is not None:
        asked.append(len(course.log))
    replies = dict(zip(asked, await asyncio.gather(*map(answer, asked)), strict=True))
    return tuple(_judged(course, turn, replies) for turn in turns)


def _judged(course: Course, turn: Played, replies: dict[int, Reply]) -> Judged:
    reply = replies[turn.first]
    value, proved = _worth(course, turn, replies)
    best = reply.lines[0]
    if best.plies is None and not proved and value is not None and abs(best.value - value) < CLOSE:
        value = min(value, best.value)
    return Judged(turn, best, reply.keep, value, proved)


def _worth(course: Course, turn: Played, replies: dict[int, Reply]) -> tuple[float | None, bool]:
    """Return the value of a turn for its seat, by what followed."""
    side = next(side for side in course.sides if turn.seat in side)
    end = course.positions[turn.end]
    if end.outcome is not None:
        return _result(end.outcome, side), True
    duel = len(course.sides) == 2
    for at in sorted(at for at in replies if at >= turn.end):
        position: Any = course.positions[at]
        line = replies[at].lines[0]
        if position.to_move in side:
            return line.value, line.plies is not None
        if duel:
            return -line.value, line.plies is not None
    if course.position.outcome is not None:
        return _result(course.position.outcome, side), False
    return None, False


def _result(outcome: Outcome, side: Sequence[Seat]) -> float:
    if outcome.drawn:
        return 0.0
    return 1.0 if set(side) & set(outcome.winners) else -1.0


def proof_of(line: Variation) -> Proof | None:
    """Return what is proved of a variation, if anything."""
    return None if line.plies is None else Proof(GameValue(round(line.value)), line.plies)
