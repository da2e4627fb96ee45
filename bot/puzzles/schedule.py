"""Schedule of the daily puzzle: when each place gets its next one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final

from bot.puzzles.ports import PuzzleStore
from play.people import Address
from play.settings import DailyPuzzle, Settings
from play.time.reminders import zone_of

AT_WORK: Final = timedelta(minutes=3)
"""How long one bot of several may take to post one puzzle."""

_DONE_KEPT: Final = timedelta(days=3)
_DAY: Final = timedelta(days=1)


class DailySchedule:
    """The places with a daily puzzle, by the time of their next one.

    It only says when to look: the settings of the place decide.
    """

    def __init__(self, store: PuzzleStore) -> None:
        self._store = store

    async def plan(self, place: Address, chosen: Settings, at: datetime) -> None:
        """Store when a place gets its next puzzle after a moment, or that it gets none."""
        if chosen.puzzle is None:
            await self._store.timelines.remove(_timeline(place.platform), place.place)
        else:
            await self._store.timelines.add(_timeline(place.platform), place.place, after(chosen.puzzle, at))

    async def due(self, platform: str, at: datetime) -> Sequence[Address]:
        """The places of a platform whose time has come."""
        return [
            Address(platform, place)
            for place in await self._store.timelines.read(_timeline(platform), until=at)
        ]

    async def begin(self, place: Address, day: date) -> bool:
        """Claim the posting of a day's puzzle for a while; return whether it is still to be done and no other bot has it."""
        if await self.is_done(place, day):
            return False
        mine = await self._store.notes.write_once(f"{_note(place, day)}:at-work", "", keep=AT_WORK)
        return mine and not await self.is_done(place, day)

    async def done(self, place: Address, day: date) -> None:
        """The puzzle of a day has been posted."""
        await self._store.notes.write(_note(place, day), "", keep=_DONE_KEPT)

    async def is_done(self, place: Address, day: date) -> bool:
        """Whether it has been."""
        return (await self._store.notes.read(_note(place, day)))[0] is not None


def moment_of(puzzle: DailyPuzzle, day: date) -> datetime:
    """When a day's puzzle is due, in UTC."""
    return datetime.combine(day, puzzle.at, tzinfo=zone_of(puzzle.zone)).astimezone(UTC)


def after(puzzle: DailyPuzzle, at: datetime) -> datetime:
    """When the next one is due after a moment, in UTC."""
    day = at.astimezone(zone_of(puzzle.zone)).date()
    today = moment_of(puzzle, day)
    return today if today > at else moment_of(puzzle, day + _DAY)


def _timeline(platform: str) -> str:
    return f"daily:{platform}"


def _note(place: Address, day: date) -> str:
    return f"daily:{place}:{day}"
