"""Spot checks of the results of lent computers, by searches of the bot's own workers.

They must never suspend a key for bad luck: searches end by time, machines differ, and chance chooses between equal turns. So two
things count. A proof that an own proof contradicts is false, whatever machine found it. An estimate is judged only where a long
own search and one of a tenth of its time both find the same great difference; and not at all against a computer that names
fewer positions than the short one made, or for a level that is limited on purpose.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from bot.thinking.checking import played, value_for
from bot.thinking.jobs import EVERY, Job, JobClass, Reply, Variation, job_for
from bot.thinking.ports import Solver
from bot.thinking.thinker import GRACE
from engine import engine_for, levels_of
from engine.core import EngineKind
from rules import GAMES
from rules.core import AnyGame, Position

SHARE: Final = 50  # one result of so many is checked
SUSPICIOUS: Final = (
    5  # the same for a key with an unlikely result among its last ones, and for its first results
)
FIRST: Final = 3

WORSE: Final = 0.5
"""The loss of value of a turn that no honest search explains; 2 is from a sure win to a sure loss."""
OFF: Final = 1.0
"""The same for the distance of a value from the true one."""
MOST: Final = 3
"""The unlikely results among the last ones for which a key is suspended, or rests if it is slow."""

SHORT: Final = 0.1  # the time of the short search, as a share of the long one's
_LEAST: Final = 0.5
_LONGEST: Final = 3.0  # seconds of the long search


class Verdict(StrEnum):
    """What a check found, as the letter of a record."""

    GOOD = "g"
    UNLIKELY = "u"  # no search of that size should find it
    SLOW = "s"  # the same of a search that was smaller than the short one
    FALSE = "f"  # it contradicts a proof


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found, and in which result."""

    verdict: Verdict
    what: str = ""


GOOD: Final = Finding(Verdict.GOOD)


def is_solved(job: Job) -> bool:
    """Return whether the bot knows the result of every turn of a job's positions."""
    game = GAMES[job.game]
    options = game.choose(dict(job.options))
    position = game.notation.parse_position(job.position, options)
    return engine_for(game, options, position).kind is EngineKind.TABLES


async def exact(pool: Solver, job: Job, reply: Reply) -> tuple[Reply, Finding]:
    """Check a reply about a solved game against the tables; return what they say of the job too, or of a level's turn the reply.

    Raises:
        SearchFailed: there is no worker for it.
    """
    asked = replace(job, level=None, most=EVERY, job_class=JobClass.ADVICE)  # it takes some milliseconds
    known = await pool.solve(asked, asked.total + GRACE)
    for position, said, true in zip(
        (job.position, *job.after), (reply, *reply.after), (known, *known.after), strict=True
    ):
        values = {line.turn: line.value for line in true.lines}
        for line in said.lines:
            if line.plies is not None and values.get(line.turn, line.value) != line.value:
                return reply, Finding(Verdict.FALSE, _told(job, position, line, values[line.turn]))
    if job.level is not None:
        return reply, GOOD
    best = [replace(each, lines=each.lines[: job.most]) for each in (known, *known.after)]
    return replace(best[0], after=tuple(best[1:])), GOOD


async def by_search(pool: Solver, job: Job, reply: Reply, chance: random.Random) -> Finding:
    """Check a random line of a reply; `GOOD` too where nothing can be said.

    Raises:
        SearchFailed: there is no worker for it.
    """
    game = GAMES[job.game]
    if len(game.sides(game.choose(dict(job.options)))) != 2:
        return GOOD  # among more sides a value after the turn is another side's
    position, said = chance.choice([*zip((job.position, *job.after), (reply, *reply.after), strict=True)])
    line = chance.choice(said.lines)
    return await _Check(pool, game, job, position, said).judged(line)


@dataclass(frozen=True, slots=True)
class _Known:
    """What an own search says of a position, for the side of the job; `sure` where it is proved."""

    value: float
    sure: bool
    nodes: int
    turn: tuple[str, ...]


class _Check:
    """The check of a reply about one position."""

    def __init__(self, pool: Solver, game: AnyGame, job: Job, position: str, reply: Reply) -> None:
        self._pool, self._game, self._job, self._reply = pool, game, job, reply
        self._options = game.choose(dict(job.options))
        self._text = position
        self._start: Position[Any] = game.notation.parse_position(position, self._options)
        self._side = next(side for side in game.sides(self._options) if self._start.to_move in side)
        self._seconds = min(max(job.seconds, _LEAST), _LONGEST)

    async def judged(self, line: Variation) -> Finding:
        """Return the verdict on a line."""
        first = line is self._reply.lines[0] and self._is_strongest()
        short_best, short_after = await self._looked(line, self._seconds * SHORT, first=first)
        doubtful = self._is_doubtful(line, short_best, short_after)
        if line.plies is None and not doubtful:
            return GOOD
        best, after = await self._looked(line, self._seconds, first=first)
        if line.plies is not None and after.sure and after.value != line.value:
            return self._finding(Verdict.FALSE, line, after)
        if not doubtful or not self._is_doubtful(line, best, after):
            return GOOD
        nodes = max(short_after.nodes, short_best.nodes if short_best else 0)
        is_small = line.plies is None and self._reply.nodes < nodes
        return self._finding(Verdict.SLOW if is_small else Verdict.UNLIKELY, line, after)

    def _is_strongest(self) -> bool:
        """Whether the best turn is wanted, with no limit but the time."""
        if self._job.level is None:
            return True
        level = levels_of(self._job.game, self._options)[self._job.level]
        return level.most == 1 and level.care.nodes is None and level.care.depth is None

    def _is_doubtful(self, line: Variation, best: _Known | None, after: _Known) -> bool:
        if best is not None and best.value - after.value >= WORSE:
            return True
        is_estimate_judged = line.plies is not None or self._is_strongest()
        return is_estimate_judged and abs(line.value - after.value) >= OFF

    async def _looked(self, line: Variation, seconds: float, *, first: bool) -> tuple[_Known | None, _Known]:
        """Return the worth of the best turn, where the line is to be the best, and that of the line's turn, searched alike."""
        after = await self._worth(self._played(line.turn), seconds)
        if not first:
            return None, after
        best = await self._worth(self._start, seconds)
        if not best.sure and best.turn:
            followed = await self._worth(self._played(best.turn), seconds)
            best = replace(followed, nodes=max(best.nodes, followed.nodes))
        return best, after

    async def _worth(self, position: Position[Any], seconds: float) -> _Known:
        if position.outcome is not None:
            return _Known(value_for(self._start.to_move, position.outcome), sure=True, nodes=0, turn=())
        job = job_for(self._game, self._options, position, seconds=seconds)
        # The short search must know no more than the lender's: nothing of this position, or of those after it.
        job = replace(job, job_class=JobClass.SYSTEM, fresh=seconds < self._seconds)
        reply = await self._pool.solve(job, job.total + GRACE)
        found = reply.lines[0]
        value = found.value if position.to_move in self._side else -found.value
        return _Known(value, found.plies is not None, reply.nodes, found.turn)

    def _played(self, plies: tuple[str, ...]) -> Position[Any]:
        return played(self._game, self._start, plies)

    def _finding(self, verdict: Verdict, line: Variation, after: _Known) -> Finding:
        return Finding(verdict, _told(self._job, self._text, line, after.value))


def _told(job: Job, position: str, line: Variation, value: float) -> str:
    """Return a result for the log and the operator."""
    options = " ".join(f"{name}={chosen}" for name, chosen in job.options)
    what = "proved" if line.plies is not None else "estimated"
    turn = " ".join(line.turn)
    return f"{job.game} {options}: {turn} in {position} is {what} {line.value:g}, by own workers {value:g}"
