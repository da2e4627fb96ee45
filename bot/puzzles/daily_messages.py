"""The cards of the puzzle of the day: one message a place and day, edited when a person has finished."""

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
    """A card: its place and day, its message, and the solution of the day before in it."""

    place: Address
    day: date
    ref: str
    solution: str = ""


class DailyMessages:
    """Which cards are posted, and which of them are out of date."""

    def __init__(self, store: PuzzleStore) -> None:
        self._store = store

    async def posted(self, puzzle: PostedPuzzle) -> None:
        """Remember a message."""
        text = json.dumps([puzzle.ref, puzzle.solution], ensure_ascii=False)
        await self._store.notes.write(_note(puzzle.place, puzzle.day), text, keep=KEPT)

    async def known(self, place: Address, day: date) -> PostedPuzzle | None:
        """Return the card of a place and day, if there is one."""
        return _read(place, day, (await self._store.notes.read(_note(place, day)))[0])

    async def changed(self, place: Address, day: date, at: datetime) -> None:
        """Have the card of a place and day edited, if there is one: a person has finished."""
        if await self.known(place, day) is not None:
            await self._store.timelines.add(_timeline(place.platform), f"{day} {place.place}", at)

    async def outdated(self, platform: str) -> Sequence[PostedPuzzle]:
        """Return the cards of a platform that are to be edited."""
        found = []
        for text in await self._store.timelines.read(_timeline(platform)):
            day, _, where = text.partition(" ")
            puzzle = await self.known(Address(platform, where), date.fromisoformat(day))
            if puzzle is None:
                await self._store.timelines.remove(_timeline(platform), text)
            else:
                found.append(puzzle)
        return found

    async def updated(self, puzzle: PostedPuzzle) -> None:
        """Note that a card says who has finished."""
        text = f"{puzzle.day} {puzzle.place.place}"
        await self._store.timelines.remove(_timeline(puzzle.place.platform), text)


def _read(place: Address, day: date, text: str | None) -> PostedPuzzle | None:
    try:
        ref, solution = json.loads(text or "")
        return PostedPuzzle(place, day, ref, solution)
    except (TypeError, ValueError):
        return None


def _note(place: Address, day: date) -> str:
    return f"daily-message:{place}:{day}"


def _timeline(platform: str) -> str:
    return f"daily-solved:{platform}"
