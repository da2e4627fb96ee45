"""The gate: drops what a person sends beyond their quota, with one notice.

    match await gate.enter(person, COMMANDS):
        case Entry.ADMITTED: ...    # handle the request
        case Entry.REFUSED: ...     # say once that it is too much: `too_many`
        case Entry.DROPPED: ...     # nothing

Once a person was refused, the gate stays closed for them for half the quota's window, without another look into the store.
What has no quota (moves, resignations, answers to offers) always passes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Final, TypeAlias

from bot.i18n import Words
from bot.quotas import COMMANDS, OverQuota, Rate, take
from bot.receiver.lanes import Rest
from play.errors import Unavailable
from storage.inbox import Update
from storage.outgoing import Bucket

SPARE: Final = 4
"""How many more requests of a person may wait than a quota has, so that one of them is refused with the notice."""

_TOLD: Final = "told"
_FULL: Final = "full"


class Entry(Enum):
    """What becomes of a request."""

    ADMITTED = auto()
    REFUSED = auto()
    DROPPED = auto()


class Gate:
    """Admits the requests of a platform's people as far as their quotas go."""

    def __init__(self, platform: str, bucket: Bucket, now: Callable[[], datetime]) -> None:
        self._platform = platform
        self._bucket = bucket
        self._now = now
        self._closed: dict[str, dict[str, datetime]] = {}  # by person and quota: until when

    @staticmethod
    def wait(quota: Rate) -> timedelta:
        """Return for how long the gate is closed after a refusal."""
        return quota.window / 2

    def may_be_closed(self, person: str) -> bool:
        """Whether the gate was closed for some requests of a person lately."""
        return person in self._closed

    def takes(self, person: str, quota: Rate | None, waiting: int) -> bool:
        """Whether a request that arrives is to be handled, while so many of its person wait; known without the store.

        Once more of them wait than the quota has, what arrives is dropped for as long as after a refusal: a flood that is
        answered slowly takes no more than one that is answered at once.
        """
        if quota is None:
            return True
        full, wait = f"{quota.name}:{_FULL}", self.wait(quota)
        if waiting >= quota.limit + SPARE and not self._is_closed(person, full, wait):
            self._close(person, full, wait)
        return not self._is_closed(person, full, wait) and not self.closed(person, quota)

    def closed(self, person: str, quota: Rate | None) -> bool:
        """Whether a request would be dropped without a look into the store."""
        return quota is not None and self._is_closed(person, quota.name, self.wait(quota))

    def _is_closed(self, person: str, name: str, wait: timedelta) -> bool:
        """Whether the gate is closed for some requests; not by a refusal later than now: the clock was set back."""
        until = self._closed.get(person, {}).get(name)
        return until is not None and until - wait <= self._now() < until

    async def enter(self, person: str, quota: Rate | None) -> Entry:
        """Take one of a person's quota, and return what becomes of the request. Without a store, it passes."""
        if quota is None:
            return Entry.ADMITTED
        if self.closed(person, quota):
            return Entry.DROPPED
        at, whose = self._now(), f"{self._platform}:{person}"
        try:
            if not await take(self._bucket, quota, whose, at):
                return Entry.ADMITTED
            self._close(person, quota.name, self.wait(quota))
            once = Rate(f"{quota.name}:{_TOLD}", 1, quota.window, None)  # of all processes
            told = quota.reason is None or await take(self._bucket, once, whose, at)
        except Unavailable:
            return Entry.ADMITTED
        return Entry.DROPPED if told else Entry.REFUSED

    def _close(self, person: str, name: str, wait: timedelta) -> None:
        at = self._now()
        self._closed = {
            who: times for who, times in self._closed.items() if any(at < until for until in times.values())
        }
        self._closed.setdefault(person, {})[name] = at + wait


def too_many(words: Words) -> str:
    """Return what a refused person is told, once."""
    wait = words.time_left(Gate.wait(COMMANDS))
    return words(OverQuota.COMMANDS, limit=COMMANDS.limit, wait=wait)


Cost: TypeAlias = Callable[[Update], Rate | None]
"""The quota that an update counts for, read from its body without the platform's library; None: it is never dropped."""


@dataclass(frozen=True, slots=True)
class Entrance:
    """How a receiver's updates pass the gate.

    Attributes:
        gate: Of the platform.
        cost: See `Cost`.
        refuse: Tells the person of an update that it is too much.
    """

    gate: Gate
    cost: Cost
    refuse: Callable[[Update], Awaitable[Rest]]
