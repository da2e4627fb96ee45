"""Notes and timelines in memory."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from play.people import Account
from play.ports import NOTE_KEPT
from storage.ports import names_in_text


class MemoryNotes:
    """A `NoteStore` in memory."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._notes: dict[str, tuple[str, datetime]] = {}  # text, until when

    async def read(self, *names: str) -> Sequence[str | None]:
        now = self._clock()
        found = [self._notes.get(name) for name in names]
        return [note[0] if note and note[1] > now else None for note in found]

    async def write(self, name: str, text: str | None, *, keep: timedelta = NOTE_KEPT) -> None:
        self._notes.pop(name, None)
        if text is not None:
            self._notes[name] = (text, self._clock() + keep)

    async def write_once(self, name: str, text: str, *, keep: timedelta = NOTE_KEPT) -> bool:
        if (await self.read(name))[0] is not None:
            return False
        await self.write(name, text, keep=keep)
        return True

    async def hold(self, name: str, *, keep: timedelta) -> str | None:
        mine = secrets.token_hex(8)
        return mine if await self.write_once(name, mine, keep=keep) else None

    async def take(self, name: str) -> str | None:
        (text,) = await self.read(name)
        self._notes.pop(name, None)
        return text

    def naming(self, account: Account) -> Sequence[tuple[str, str]]:
        """Return the names and texts of the notes that name an account."""
        names = names_in_text(account)
        found = [(name, text) for name, (text, _) in self._notes.items()]
        return [(name, text) for name, text in found if names(name) or names(text)]


class MemoryTimelines:
    """A `TimelineStore` in memory."""

    def __init__(self) -> None:
        self._timelines: dict[str, dict[str, datetime]] = {}  # by name: times by text

    async def add(self, name: str, text: str, at: datetime, *, most: int | None = None) -> None:
        times = self._timelines.setdefault(name, {})
        times[text] = at
        for early in _in_order(times)[: 0 if most is None else max(0, len(times) - most)]:
            del times[early]

    async def read(
        self, name: str, *, until: datetime | None = None, since: datetime | None = None
    ) -> Sequence[str]:
        times = self._timelines.get(name, {})
        return [
            text
            for text in _in_order(times)
            if (until is None or times[text] <= until) and (since is None or times[text] >= since)
        ]

    async def remove(self, name: str, text: str) -> None:
        times = self._timelines.get(name, {})
        times.pop(text, None)
        if not times:
            self._timelines.pop(name, None)

    def naming(self, account: Account) -> Sequence[tuple[str, str]]:
        """Return the names and texts of the entries that name an account."""
        names = names_in_text(account)
        return [
            (name, text)
            for name, times in self._timelines.items()
            for text in times
            if names(name) or names(text)
        ]


def _in_order(times: dict[str, datetime]) -> list[str]:
    """Return the texts in the order of Redis: by time, and of one time by their bytes."""
    return sorted(times, key=lambda text: (times[text], text.encode()))
