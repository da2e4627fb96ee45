"""Notes, timelines, settings and ratings in memory."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from play.people import Account, Address, private_place
from play.ports import NOTE_KEPT
from play.ratings.model import Rating, RatingChange
from play.settings import Settings
from storage.ports import JournalState, names_in_text


class MemoryNotes:
    """A `NoteStore` in memory."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._notes: dict[str, tuple[str, datetime]] = {}  # text, until when

    async def read(self, *names: str) -> Sequence[str | None]:
        return list(map(self._read, names))

    def _read(self, name: str) -> str | None:
        text, until = self._notes.get(name, ("", self._clock()))
        return text if until > self._clock() else None

    async def write(self, name: str, text: str | None, *, keep: timedelta = NOTE_KEPT) -> None:
        self._notes.pop(name, None)
        if text is not None:
            self._notes[name] = (text, self._clock() + keep)

    async def write_once(self, name: str, text: str, *, keep: timedelta = NOTE_KEPT) -> bool:
        if (await self.read(name))[0] is not None:
            return False
        await self.write(name, text, keep=keep)
        return True

    async def change(self, name: str, change: Callable[[str | None], str]) -> str:
        text = change(self._read(name))
        await self.write(name, text)
        return text

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

    async def cut(self, name: str, *, until: datetime) -> None:
        for text in await self.read(name, until=until):
            await self.remove(name, text)

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


class MemorySettings:
    """A `SettingsStore` in memory."""

    def __init__(self) -> None:
        self._settings: dict[Account | Address, Settings] = {}

    async def get(self, whose: Account | Address) -> Settings:
        return self._settings.get(whose, Settings())

    async def get_many(self, *whose: Account | Address) -> Sequence[Settings]:
        return [await self.get(each) for each in whose]

    async def change(self, whose: Account | Address, change: Callable[[Settings], Settings]) -> Settings:
        self._settings[whose] = changed = change(self._settings.get(whose, Settings()))
        return changed

    def forget(self, account: Account) -> None:
        """Delete a person's settings, and those of the chat that is called as they are."""
        self._settings.pop(account, None)
        self._settings.pop(private_place(account), None)


class MemoryRatings:
    """A `RatingStore` in memory."""

    def __init__(self) -> None:
        self._ratings: dict[tuple[str, Account], Rating] = {}  # by game and person
        self._replaced: dict[tuple[str, Account], Rating | None] = {}  # by game and the account merged
        self._counted: dict[tuple[str, str], Sequence[RatingChange | None]] = {}  # by game and match

    async def get(self, game: str, *whose: Account) -> Sequence[Rating | None]:
        return [self._ratings.get((game, person)) for person in whose]

    async def counted(self, game: str, match_id: str) -> Sequence[RatingChange | None] | None:
        return self._counted.get((game, match_id))

    async def count(
        self,
        game: str,
        match_id: str,
        whose: Sequence[Account | None],
        change: Callable[[Sequence[Rating | None]], Sequence[RatingChange]],
    ) -> Sequence[RatingChange | None]:
        if (done := self._counted.get((game, match_id))) is not None:
            return done
        changed = change([self._ratings.get((game, person)) if person else None for person in whose])
        for person, one in zip(whose, changed, strict=True):
            if person is not None:
                self._ratings[game, person] = one.after
        kept = [one if person else None for person, one in zip(whose, changed, strict=True)]
        self._counted[game, match_id] = kept
        return kept

    async def merge(self, old: Account, new: Account) -> None:
        for (game, person), theirs in list(self._ratings.items()):
            own = self._ratings.get((game, new))
            if person == old and (own is None or theirs.played > own.played):
                self._ratings[game, new] = theirs
                self._replaced[game, old] = own

    async def part(self, old: Account, new: Account) -> None:
        for game, person in [key for key in self._replaced if key[1] == old]:
            own = self._replaced.pop((game, person))
            if self._ratings.get((game, new)) != self._ratings.get((game, old)):
                continue
            if own is None:
                self._ratings.pop((game, new), None)
            else:
                self._ratings[game, new] = own

    def forget(self, account: Account) -> None:
        """Delete a person's ratings."""
        self._ratings = {key: rating for key, rating in self._ratings.items() if key[1] != account}
        self._replaced = {key: rating for key, rating in self._replaced.items() if key[1] != account}


class MemoryJournal:
    """A `Journal` without a file, which counts its rewrites and says what a test has it say."""

    def __init__(self) -> None:
        self.rewrites, self.allowed = 0, True
        self.now = JournalState("run")
        self.oldest: datetime | None = None

    async def rewrite(self) -> bool:
        self.rewrites += self.allowed
        return self.allowed

    async def state(self) -> JournalState:
        return self.now

    async def oldest_entry(self) -> datetime | None:
        return self.oldest

    async def fsync(self) -> str | None:
        return None
