"""Lanes: requests are handled one at a time in each chat, people by turns. The gate before them."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any, Final, TypeAlias
from zlib import crc32

from bot.chat.callback_data import Verb
from bot.chat.fair_queue import less
from bot.chat.i18n import Words
from bot.chat.periodic import Barrier
from bot.chat.quotas import COMMANDS, OverQuota, Quota, take
from play.errors import Unavailable
from storage.ports import Bucket, Update

_log: Final = logging.getLogger(__name__)

MOST_WAITING: Final = 32  # requests handled at once
AT_ONCE: Final = 4  # of one person
SHOWN_AT_ONCE: Final = 16  # answers of one person still to be shown; with more, their next requests wait
IN_ORDER: Final = 5  # waiting requests of a person in a chat that no one else's overtake
MANY_AT_ONCE: Final = 4
"""Of all people of whom more than that wait; one while others are handled. So any number of them leaves time for the others."""
LONGEST: Final = 60.0  # seconds that one may take, and as many that its answer may take

Rest: TypeAlias = Coroutine[Any, Any, None] | None
"""What of an answer is still to be shown. It may take long, and no later request waits for it."""


@dataclass(frozen=True, slots=True, eq=False)
class Handling:
    """A request that waits for its turn, or is being handled.

    Attributes:
        person: Who asks; the chat where that is unknown.
        chat: Where, or what stands for it.
        handle: Decides the request, and returns what of the answer is still to be shown.
        done: Done once the request is handled and its answer is shown, also if that failed.
        counts: Whether it is one of the many of a person who has many waiting; moves are not.
    """

    person: str
    chat: str
    handle: Callable[[], Awaitable[Rest]]
    done: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    counts: bool = True


BALLOT_LANES: Final = 4  # lanes of the votes of a chat: more of them would keep those of other chats waiting
_BALLOT: Final = f"1{Verb.BALLOT}:"


def is_ballot(pressed: object) -> bool:
    """Whether packed callback data is a vote's. Votes come from many people at once, and need no order among these."""
    return isinstance(pressed, str) and pressed.startswith(_BALLOT)


def lane(chat: str, person: str, pressed: object) -> str:
    """Return what a press is ordered by: its chat, or for a vote the part of the chat's people with whom its person is."""
    return f"{chat}/{crc32(person.encode()) % BALLOT_LANES}" if is_ballot(pressed) else chat


_Place: TypeAlias = tuple[int, int, Handling]
"""Five requests of a person come first, then the next five; and those of all people in the order they came."""


class Lanes:
    """Handles requests in time, those of a chat one after the other. One that fails is logged and counts as handled.

    A chat's requests keep their order, but the sixth one of a person that waits there comes after the first five of everyone
    else: many requests of one person delay those of others by five. Those of all people who have many waiting take few lanes.
    """

    def __init__(self, most: int = MOST_WAITING, longest: float = LONGEST) -> None:
        self._most = most
        self._longest = longest
        self._waiting: dict[str, dict[str, deque[_Place]]] = {}  # by chat and person
        self._queued: Counter[str] = Counter()  # by person: how many wait
        self._counted: Counter[str] = Counter()  # of these, those that count
        self._going: Counter[str] = Counter()  # by person: how many are being handled
        self._of_many: set[Handling] = set()  # those being handled of people who have many waiting
        self._showing: Counter[str] = Counter()  # by person: how many answers are still to be shown
        self._busy: set[str] = set()  # chats
        self._number = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def put(self, request: Handling) -> None:
        """Queue a request."""
        mine = self._waiting.setdefault(request.chat, {}).setdefault(request.person, deque())
        self._number += 1
        self._queued[request.person] += 1
        if request.counts:
            self._counted[request.person] += 1
        mine.append((len(mine) // IN_ORDER, self._number, request))
        self._serve()

    def waiting(self, person: str) -> int:
        """Return how many requests of a person are not begun."""
        return self._queued[person]

    def _serve(self) -> None:
        while len(self._busy) < self._most and (request := self._next()) is not None:
            if self._has_many(request.person):
                self._of_many.add(request)
            less(self._queued, request.person)
            if request.counts:
                less(self._counted, request.person)
            self._going[request.person] += 1
            self._busy.add(request.chat)
            self._start(self._handled(request), f"request in {request.chat}")

    def _next(self) -> Handling | None:
        for chat, people in self._waiting.items():
            if chat in self._busy:
                continue
            first = min((mine[0] for mine in people.values()), key=lambda head: head[:2])
            heads = [mine[0] for person, mine in people.items() if self._may(person)]
            if not heads or (first[0] == 0 and first not in heads and self._has_many(first[-1].person)):
                continue  # the first five of a person in a chat are overtaken by none there
            request = min(heads, key=lambda head: head[:2])[-1]
            del self._waiting[chat]
            people[request.person].popleft()
            if not people[request.person]:
                del people[request.person]
            if people:
                self._waiting[chat] = people  # behind the others
            return request
        return None

    def _may(self, person: str) -> bool:
        if self._has_many(person):
            most = MANY_AT_ONCE if len(self._busy) == len(self._of_many) else 1
            if len(self._of_many) >= most:
                return False
        return self._going[person] < AT_ONCE and self._showing[person] < SHOWN_AT_ONCE

    def _has_many(self, person: str) -> bool:
        return self._counted[person] > IN_ORDER

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _handled(self, request: Handling) -> None:
        rest: Rest = None
        with Barrier() as barrier:  # a bug must not stop the later requests
            async with asyncio.timeout(self._longest):
                rest = await request.handle()
        if barrier.error:
            _log.error("a request in %s failed", request.chat, exc_info=barrier.error)
        less(self._going, request.person)
        self._of_many.discard(request)
        self._busy.remove(request.chat)
        if rest is None:
            _settle(request)
        else:
            self._showing[request.person] += 1
            self._start(self._shown(request, rest), f"answer in {request.chat}")
        self._serve()

    async def _shown(self, request: Handling, rest: Coroutine[Any, Any, None]) -> None:
        with Barrier() as barrier:  # the later answers are shown all the same
            async with asyncio.timeout(self._longest):
                await rest
        if barrier.error:
            _log.error("an answer in %s failed", request.chat, exc_info=barrier.error)
        less(self._showing, request.person)
        _settle(request)
        self._serve()

    async def settled(self) -> None:
        """Wait until all that was put is handled and answered."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def drop_waiting(self) -> None:
        """Cancel what was not begun."""
        waiting = [
            request for people in self._waiting.values() for mine in people.values() for *_, request in mine
        ]
        self._waiting.clear()
        self._queued.clear()
        self._counted.clear()
        for request in waiting:
            request.done.cancel()

    async def close(self) -> None:
        """Stop for good, and cancel what is not done."""
        self.drop_waiting()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _settle(request: Handling) -> None:
    if not request.done.done():
        request.done.set_result(None)


SPARE: Final = 4
"""How many more requests of a person may wait than a quota has, so that one of them is refused with the notice."""

_NOTICED: Final = "told"
_FULL: Final = "full"


class Admission(Enum):
    """What becomes of a request."""

    ADMITTED = auto()
    REFUSED = auto()  # the person is told once that it is too much: `too_many`
    DROPPED = auto()


class Gate:
    """Admits the requests of a platform's people as far as their quotas go.

    Once a person was refused, it stays closed for them for half the quota's window, without another look into the store.
    What has no quota (moves, resignations, answers to offers) always passes.
    """

    def __init__(self, platform: str, bucket: Bucket, now: Callable[[], datetime]) -> None:
        self._platform = platform
        self._bucket = bucket
        self._now = now
        self._closed: dict[tuple[str, str], datetime] = {}  # by person and quota: until when

    @staticmethod
    def wait(quota: Quota) -> timedelta:
        """Return for how long the gate is closed after a refusal."""
        return quota.window / 2

    def takes(self, person: str, quota: Quota | None, waiting: int) -> bool:
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

    def closed(self, person: str, quota: Quota | None) -> bool:
        """Whether a request would be dropped without a look into the store."""
        return quota is not None and self._is_closed(person, quota.name, self.wait(quota))

    def _is_closed(self, person: str, name: str, wait: timedelta) -> bool:
        """Whether the gate is closed for some requests; not by a refusal later than now: the clock was set back."""
        until = self._closed.get((person, name))
        return until is not None and until - wait <= self._now() < until

    async def enter(self, person: str, quota: Quota | None) -> Admission:
        """Take one of a person's quota, and return what becomes of the request. Without a store, it passes."""
        if quota is None:
            return Admission.ADMITTED
        if self.closed(person, quota):
            return Admission.DROPPED
        at, whose = self._now(), f"{self._platform}:{person}"
        try:
            if not await take(self._bucket, quota, whose, at):
                return Admission.ADMITTED
            self._close(person, quota.name, self.wait(quota))
            once = Quota(f"{quota.name}:{_NOTICED}", 1, quota.window, None)  # of all processes
            noticed = quota.reason is None or await take(self._bucket, once, whose, at)
        except Unavailable:
            return Admission.ADMITTED
        return Admission.DROPPED if noticed else Admission.REFUSED

    def _close(self, person: str, name: str, wait: timedelta) -> None:
        at = self._now()
        self._closed = {key: until for key, until in self._closed.items() if at < until}
        self._closed[person, name] = at + wait


def too_many(words: Words) -> str:
    """Return what a refused person is told, once."""
    wait = words.time_left(Gate.wait(COMMANDS))
    return words(OverQuota.COMMANDS, limit=COMMANDS.limit, wait=wait)


Cost: TypeAlias = Callable[[Update], Quota | None]
"""The quota that an update counts for, read from its body without the platform's library."""


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
