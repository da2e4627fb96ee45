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

_SPARE: Final = 4
MOST_OPEN: Final = COMMANDS.limit + _SPARE
"""Commands and presses of one person that are not answered; more are dropped. The notice is among the answers."""

_TOLD: Final = "told"


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
        self._closed: dict[tuple[str, str], datetime] = {}  # by person and quota: until when
        self._refused: frozenset[str] = frozenset()  # the people among them

    @staticmethod
    def most_open(quota: Rate) -> int:
        """Return how many requests of one person may wait for their answers."""
        return quota.limit + _SPARE

    @staticmethod
    def wait(quota: Rate) -> timedelta:
        """Return for how long the gate is closed after a refusal."""
        return quota.window / 2

    def refuses(self, person: str) -> bool:
        """Whether the gate may be closed for a person's requests of some kind."""
        return person in self._refused

    def closed(self, person: str, quota: Rate | None) -> bool:
        """Whether a request would be dropped without a look into the store; not for a refusal later than now: the clock was set back."""
        if quota is None:
            return False
        until = self._closed.get((person, quota.name))
        return until is not None and until - self.wait(quota) <= self._now() < until

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
            self._close(person, quota, at)
            once = Rate(f"{quota.name}:{_TOLD}", 1, quota.window, None)  # of all processes
            told = quota.reason is None or await take(self._bucket, once, whose, at)
        except Unavailable:
            return Entry.ADMITTED
        return Entry.DROPPED if told else Entry.REFUSED

    def _close(self, person: str, quota: Rate, at: datetime) -> None:
        self._closed = {who: until for who, until in self._closed.items() if at < until}
        self._closed[person, quota.name] = at + self.wait(quota)
        self._refused = frozenset(who for who, _ in self._closed)


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
