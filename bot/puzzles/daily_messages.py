"""The messages of posted daily puzzles, which say how many have solved them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from bot.puzzles.ports import PuzzleStore
from play.people import Address

KEPT: Final = timedelta(days=4)
"""How long a message is remembered: longer than people are counted who solve its puzzle."""


@dataclass(frozen=True, slots=True)
class PostedPuzzle:
    """A posted puzzle: its place and day, its message, and the lines about the day before in it."""

    place: Address
    day: date
    ref: str
    before: tuple[str, ...] = ()


class DailyMessages:
    """Which messages of daily puzzles are posted, and which of them say an old number of solvers."""

    def __init__(self, store: PuzzleStore) -> None:
        self._store = store

    async def posted(self, puzzle: PostedPuzzle) -> None:
        """Remember a message."""
        text = json.dumps([puzzle.ref, *puzzle.before], ensure_ascii=False)
        await self._store.notes.write(_note(puzzle.place, puzzle.day), text, keep=KEPT)

    async def recount(self, place: Address, day: date, at: datetime) -> None:
        """Have the message of a day's puzzle edited, if there is one: another person has solved it."""
        if (await self._store.notes.read(_note(place, day)))[0] is not None:
            await self._store.timelines.add(_timeline(place.platform), f"{day} {place.place}", at)

    async def outdated(self, platform: str, at: datetime) -> Sequence[PostedPuzzle]:
        """Return the messages of a platform whose number of solvers has changed."""
        found = []
        for text in await self._store.timelines.read(_timeline(platform), until=at):
            day, _, where = text.partition(" ")
            place = Address(platform, where)
            (held,) = await self._store.notes.read(_note(place, date.fromisoformat(day)))
            if held is None:
                await self._store.timelines.remove(_timeline(platform), text)
                continue
            ref, *before = json.loads(held)
            found.append(PostedPuzzle(place, date.fromisoformat(day), ref, tuple(before)))
        return found

    async def counted(self, puzzle: PostedPuzzle) -> None:
        """Note that a message says how many have solved its puzzle."""
        text = f"{puzzle.day} {puzzle.place.place}"
        await self._store.timelines.remove(_timeline(puzzle.place.platform), text)


def _note(place: Address, day: date) -> str:
    return f"daily-message:{place}:{day}"


def _timeline(platform: str) -> str:
    return f"daily-solved:{platform}"
