"""When which place is given the puzzle of the day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final

from play.people import Address
from play.settings import DailyPuzzle, Settings
from play.time.reminders import zone_of
from storage.ports import FullStore

AT_WORK: Final = timedelta(minutes=3)
"""For how long one bot of several may be at the posting of one puzzle."""

_DONE_KEPT: Final = timedelta(days=3)
_DAY: Final = timedelta(days=1)


class Agenda:
    """The places that want the puzzle of the day, by when they want it next.

    What a place has chosen is what counts; the agenda only says when to look at it.
    """

    def __init__(self, store: FullStore) -> None:
        self._store = store

    async def plan(self, place: Address, chosen: Settings, at: datetime) -> None:
        """Write down when a place wants its next one, after a moment; or that it wants none."""
        if chosen.puzzle is None:
            await self._store.timelines.remove(_shelf(place.platform), place.place)
        else:
            await self._store.timelines.add(_shelf(place.platform), place.place, after(chosen.puzzle, at))

    async def due(self, platform: str, at: datetime) -> Sequence[Address]:
        """The places of a platform whose time has come."""
        return [
            Address(platform, place) for place in await self._store.timelines.read(_shelf(platform), until=at)
        ]

    async def begin(self, place: Address, day: date) -> bool:
        """Whether the puzzle of a day is to be posted, and nobody else is at it. Nobody else will be for a while."""
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


def _shelf(platform: str) -> str:
    return f"daily:{platform}"


def _note(place: Address, day: date) -> str:
    return f"daily:{place}:{day}"
