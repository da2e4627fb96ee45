"""Puzzles made of analysed matches: positions in which one turn alone is proved to win, or to save the game."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, Final

from bot.analysis.judging import ANALYSED, Judged, proof_of
from bot.puzzles.library import Library, Posed
from bot.puzzles.ports import PuzzleStore
from bot.thinking import Busy, NoAnswer, Thinker
from bot.thinking.jobs import EVERY, Job, JobClass, Reply, job_for
from engine.core import LONGEST, SHORTEST, GameValue, Puzzle, task_of
from play.errors import Unavailable
from play.match import Match, Phase
from play.people import is_forgotten
from play.replay import Course
from rules.core import Position

SECONDS: Final = 1.0
"""Seconds of search for all turns of one position."""

MOST: Final = 6
"""Positions searched of one match."""

_OWNER: Final = "puzzles"  # of the searches, so that no person's searches wait behind them

_log: Final = logging.getLogger(__name__)


@ANALYSED
async def harvest(
    thinker: Thinker, store: PuzzleStore, match: Match, course: Course, turns: Sequence[Judged]
) -> None:
    """Make puzzles of an analysed match in the background."""
    if fair(match):
        work = _harvest(thinker, Library(store), match, course, turns)
        thinker.in_background(work, name=f"harvest {match.id}")


async def _harvest(
    thinker: Thinker, library: Library, match: Match, course: Course, turns: Sequence[Judged]
) -> None:
    try:
        if await library.takes(match.id):
            for posed in await harvested(
                course, turns, lambda job: thinker.search(job, _OWNER, JobClass.SYSTEM)
            ):
                await library.add(posed)
    except (Busy, NoAnswer, Unavailable) as error:
        _log.info("no puzzles of the match %s: %r", match.id, error)


def fair(match: Match) -> bool:
    """Whether puzzles may be made of a match: two played it here to its end, and neither wants to be forgotten."""
    people = [chair.player for chair in match.chairs]
    return (
        match.phase is Phase.OVER
        and match.result is not None
        and not match.imported
        and len(people) == 2
        and not any(player is None or is_forgotten(player.account) for player in people)
    )


async def harvested(
    course: Course, turns: Sequence[Judged], ask: Callable[[Job], Awaitable[Reply]]
) -> list[Posed]:
    """Return the puzzles in the judged turns of a fair match; `ask` has a position searched."""
    found = []
    for position in _promising(course, turns):
        job = job_for(course.game, course.options, position, seconds=SECONDS, most=EVERY)
        lines = (await ask(job)).lines
        whole = len(lines) == len(position.legal_moves())
        task = task_of([proof_of(line) for line in lines]) if whole else None
        if task is not None:
            found.append(Posed(course.game.key, Puzzle(*task, job.options, job.position), played=True))
    return found


def _promising(course: Course, turns: Sequence[Judged]) -> Iterator[Position[Any]]:
    """Yield the positions to search; first those in which the player went wrong.

    None where a turn has several plies: the engines do not prove all of its turns.
    """
    taken = 0
    for turn in sorted(turns, key=lambda turn: (-turn.lost, turn.played.number)):
        position = course.positions[turn.played.first]
        if taken < MOST and _may_be(turn) and position.turn_length == 1:
            taken += 1
            yield position


def _may_be(turn: Judged) -> bool:
    """Whether one turn alone may do, as far as the analysis can tell."""
    best = proof_of(turn.best)
    if best is None or (turn.keep is not None and turn.keep > 1):
        return False
    if best.result is GameValue.WIN:
        return SHORTEST <= best.plies <= LONGEST
    return best.result is GameValue.DRAW and (turn.keep == 1 or turn.sure)
