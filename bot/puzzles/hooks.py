"""What puzzles do when something happens elsewhere in the bot."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from bot.analysis.judging import ANALYSED, Judged
from bot.desk.hooks import DAILY_PUZZLE_CHOSEN, FORGOTTEN
from bot.puzzles import progress, selection
from bot.puzzles.generation import fair, harvested
from bot.puzzles.library import Library
from bot.puzzles.ports import PuzzleStore
from bot.puzzles.schedule import DailySchedule
from bot.thinking import Busy, NoAnswer, Thinker
from play.errors import Unavailable
from play.match import Match
from play.people import Account, Address
from play.replay import Course
from play.settings import Settings

_OWNER: Final = "puzzles"
"""The owner of the searches that make puzzles: no person's wait behind them."""

_log: Final = logging.getLogger(__name__)


@FORGOTTEN
async def forget(store: PuzzleStore, account: Account) -> None:
    """Delete which puzzles a person has seen, and where they are in one."""
    await progress.forget(store, account)
    await selection.forget(store, account)


@DAILY_PUZZLE_CHOSEN
async def reschedule(store: PuzzleStore, place: Address, chosen: Settings, at: datetime) -> None:
    """Plan the next daily puzzle of a place anew."""
    await DailySchedule(store).plan(place, chosen, at)


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
            for posed in await harvested(course, turns, lambda job: thinker.search(job, _OWNER)):
                await library.add(posed)
    except (Busy, NoAnswer, Unavailable) as error:
        _log.info("no puzzles of the match %s: %r", match.id, error)
