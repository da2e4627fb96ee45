"""Puzzles made of analysed matches: positions in which only one turn wins, or saves the game."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, Final

from bot.analysis.judging import Judged, proof_of
from bot.puzzles.library import Posed
from bot.thinking.jobs import EVERY, Job, Reply, job_for
from engine.core import LONGEST, SHORTEST, GameValue, Puzzle, Task, hopeless, task_of
from play.match import Match, Phase
from play.people import Player, is_forgotten
from play.replay import Course
from rules.core import Position

SECONDS: Final = 1.0
"""How long all turns of one position are thought about."""

SURE: Final = 3.0
"""How long a turn is thought about that is said not to lose."""

MOST: Final = 6
"""Positions of one match that are looked at."""

WIDTH: Final = 24
"""Turns that are compared where a turn has several plies, for of those there are too many to look at all."""

_log: Final = logging.getLogger(__name__)


def fair(match: Match) -> bool:
    """Whether puzzles may be made of a match: two played it here to its end, and neither wants to be forgotten."""
    people = [chair.player for chair in match.chairs]
    return (
        match.phase is Phase.OVER
        and match.result is not None
        and not match.imported
        and len(people) == 2
        and not any(_gone(player) for player in people)
    )


def _gone(player: Player | None) -> bool:
    return player is None or is_forgotten(player.account)


async def harvested(
    course: Course, turns: Sequence[Judged], ask: Callable[[Job], Awaitable[Reply]]
) -> list[Posed]:
    """The puzzles of a match.

    Args:
        course: Of a match that is fair to take.
        turns: Judged.
        ask: Has a position searched.
    """
    found = []
    for position in _promising(course, turns):
        single = position.plies_left == 1
        most = EVERY if single else WIDTH
        job = job_for(course.game, course.options, position, seconds=SECONDS, most=most)
        lines = (await ask(job)).lines
        whole = single and len(lines) == len(position.legal_moves())
        task = task_of([proof_of(line) for line in lines], whole=whole)
        if task is not None and (task[0] is Task.WIN or not await _loses(course, position, ask)):
            found.append(Posed(course.game.key, Puzzle(*task, job.options, job.position), played=True))
    return found


async def _loses(course: Course, position: Position[Any], ask: Callable[[Job], Awaitable[Reply]]) -> bool:
    """Whether a position is lost after all, or as good as that, looked at for longer."""
    best = (await ask(job_for(course.game, course.options, position, seconds=SURE))).lines[0]
    return hopeless(best.value, proof_of(best))


def _promising(course: Course, turns: Sequence[Judged]) -> Iterator[Position[Any]]:
    """The positions worth a closer look; first those in which the player went wrong."""
    taken = 0
    for turn in sorted(turns, key=lambda turn: (-turn.lost, turn.played.number)):
        position = course.positions[turn.played.first]
        if taken < MOST and _may_be(turn) and position.plies_left == position.turn_length:
            taken += 1
            yield position


def _may_be(turn: Judged) -> bool:
    """Whether one turn alone may do, as far as the analysis can tell."""
    best = proof_of(turn.best)
    if turn.keep is not None and turn.keep > 1:
        return False
    if best is None:  # nothing is certain of the best one, but perhaps of all others
        return turn.proved and turn.value is not None and turn.value < 0
    if best.result is GameValue.WIN:
        return SHORTEST <= best.plies <= LONGEST
    return best.result is GameValue.DRAW and (turn.keep == 1 or turn.sure)
