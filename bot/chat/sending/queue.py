"""Per-recipient delivery queue: ordered, coalesced per match; what waits for an engine, and for the turns of a rate limit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Final, TypeAlias

from bot.chat.fair_queue import FairQueue, LastTurns
from bot.chat.periodic import Barrier, Sleep
from bot.chat.sending.ports import Rate, Recipient
from bot.chat.sending.routing import is_final
from play.errors import Unavailable
from play.events.event import AnyFact, Changed
from play.facts import LobbyOpened
from play.match import Phase
from play.people import Account
from storage.ports import AddressState, Bucket, Limit

MOST_CLOSING: Final = 4  # matches whose older messages wait to be closed while new ones are shown


@dataclass(slots=True, eq=False)
class Bundle:
    """Facts of one match, or of one event, that are delivered together.

    Attributes:
        facts: In the order of their revisions.
        entries: Where in the stream they came from.
        also: Older lobbies of the same host that were opened meanwhile: the one card names them all.
        known: What the delivery left behind, as long as it is the last one there.
        pinged: Whom its message called.
    """

    match_id: str
    facts: list[AnyFact]
    entries: list[str]
    also: list[str] = field(default_factory=list)
    known: AddressState | None = None
    pinged: tuple[Account, ...] = ()

    @property
    def final(self) -> bool:
        """Whether it holds the end of its match."""
        return any(map(is_final, self.facts))

    @property
    def card(self) -> bool:
        """Whether it makes the card of an invitation or an event, for which no player on turn waits."""
        newest = self.facts[-1]
        return isinstance(newest, Changed) or newest.match.phase is Phase.OPEN

    @property
    def lobby(self) -> Account | None:
        """The host of a lobby that was opened and nothing more; None for all else."""
        opened = [fact for fact in self.facts if isinstance(fact, LobbyOpened)]
        return opened[-1].match.host.account if len(opened) == len(self.facts) else None


class DeliveryQueue:
    """The bundles for one recipient, delivered by one task, so that a slow chat delays no other."""

    def __init__(self, to: Recipient) -> None:
        self.to = to
        self.task: asyncio.Task[None] | None = None
        self._waiting = FairQueue[Bundle]((Urgency.BOARD, Urgency.CARD), LastTurns())
        self._delivered: dict[str, Bundle] = {}  # whose older messages are still to be closed

    def put(self, bundle: Bundle) -> None:
        """Add a bundle at the end.

        What waits of the same match goes out with it, and the older board never does; but the end of a match is not
        replaced by anything. A board keeps its turn then, so that a match of many moves is shown, too. Of several new
        lobbies of one host the newest is shown, and names the others.
        """
        for waiting in self._waiting:
            if bundle.match_id in waiting.also:
                waiting.also.remove(bundle.match_id)  # it is shown again, for more has happened
        before = self._of(bundle.match_id)
        if before is not None and not before.final:
            if not (before.card or bundle.card):
                before.facts += bundle.facts
                before.entries += bundle.entries
                before.also += bundle.also
                return
            self._waiting.drop(before)
            _merge(before, bundle)
        older = next((each for each in self._waiting if bundle.lobby and each.lobby == bundle.lobby), None)
        if older is None:
            self._waiting.put(bundle, Urgency.CARD if bundle.card else Urgency.BOARD)
            return
        older.entries += bundle.entries
        older.also += (older.match_id, *bundle.also)
        older.match_id, older.facts = bundle.match_id, bundle.facts

    def take(self) -> Bundle | None:
        """Remove and return the next bundle, boards before cards; None if none waits, or closing is overdue."""
        if not self._waiting or len(self._delivered) > MOST_CLOSING:
            return None
        for earlier in self._delivered.values():
            earlier.known = None
        return self._waiting.pop()

    def close_later(self, bundle: Bundle) -> None:
        """Keep a delivered bundle until nothing newer waits: its older messages are closed then."""
        before = self._delivered.pop(bundle.match_id, None)
        if before is not None:
            _merge(before, bundle)
        self._delivered[bundle.match_id] = bundle

    def take_delivered(self) -> Bundle | None:
        """Remove and return the first bundle whose older messages are still to be closed; None if there is none."""
        first = next(iter(self._delivered), None)
        return None if first is None else self._delivered.pop(first)

    def replaced(self, bundle: Bundle) -> bool:
        """Merge a bundle that did not get through into a newer one of its match, if one waits; whether one did."""
        if bundle.final:
            return False
        newer = self._of(bundle.match_id, last=False)
        if newer is None:
            return False
        _merge(bundle, newer)
        return True

    def _of(self, match_id: str, *, last: bool = True) -> Bundle | None:
        waiting = [bundle for bundle in self._waiting if bundle.match_id == match_id]
        return waiting[-1 if last else 0] if waiting else None


def _merge(before: Bundle, after: Bundle) -> None:
    after.facts[:0] = before.facts
    after.entries[:0] = before.entries
    after.also[:0] = before.also


MOMENT: Final = 1.0
"""Seconds that a fact waits at most for the answer of an engine."""

_Key: TypeAlias = tuple[Recipient, str]


class EngineAnswers:
    """Bundles on the way to their queues: those that an engine is about to answer are held, so that one board shows both moves."""

    def __init__(
        self,
        awaited: Callable[[AnyFact], bool],
        put: Callable[[Recipient, Bundle], None],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._awaited = awaited
        self._put = put
        self._sleep: Sleep = sleep
        self._held: dict[_Key, tuple[Bundle, asyncio.Task[None]]] = {}

    def pass_on(self, to: Recipient, bundle: Bundle) -> None:
        """Pass a bundle on to its queue: at once, or with the answer of an engine if that comes within a moment."""
        key = (to, bundle.match_id)
        awaited = self._awaited(bundle.facts[-1])
        if (held := self._held.get(key)) is not None:
            _merge(held[0], bundle)
            self._held[key] = (bundle, held[1])
            if not awaited:
                held[1].cancel()
                self._release(key)
        elif awaited:
            self._held[key] = (bundle, asyncio.create_task(self._later(key), name="answer of an engine"))
        else:
            self._put(to, bundle)

    async def close(self) -> None:
        """Forget what is held; another sender reads it again."""
        held = [task for _, task in self._held.values()]
        self._held.clear()
        for task in held:
            task.cancel()
        await asyncio.gather(*held, return_exceptions=True)

    async def _later(self, key: _Key) -> None:
        await self._sleep(MOMENT)
        self._release(key)

    def _release(self, key: _Key) -> None:
        bundle, _ = self._held.pop(key)
        self._put(key[0], bundle)


Clock: TypeAlias = Callable[[], Awaitable[datetime]]


class Urgency(IntEnum):
    """What waits for a turn, the most urgent first."""

    PRESS = 0  # the answer to a press
    BOARD = 1  # of a match, and all else that its players wait for
    CARD = 2  # of an invitation
    ANSWER = 3  # to a command, such as a list; and older messages that are folded
    FILM = 4  # an animation; and short replies that are deleted


class Turns:
    """Gives out the turns of token buckets that all processes share, by the rules of a `FairQueue`.

    So many requests of some people hold up those of others by one turn.
    """

    def __init__(self, bucket: Bucket, now: Clock | None = None, sleep: Sleep = asyncio.sleep) -> None:
        """Take turns of `bucket` by some time; None: the store's."""
        self._bucket = bucket
        self._now = now
        self._sleep = sleep
        self._queues: dict[str, tuple[FairQueue[asyncio.Future[None]], asyncio.Task[None]]] = {}
        self._last = LastTurns()

    async def take(self, rates: Mapping[str, Rate], urgency: Urgency, whose: Hashable = None) -> None:
        """Wait for a turn of each bucket, one after the other; where all have one it takes one trip.

        It is a turn of `whose`, or else of what the first bucket is named for.
        """
        limits = [Limit(key, rate.each_second, rate.burst) for key, rate in rates.items()]
        whose = next(iter(rates), None) if whose is None else whose
        alone = len(limits) > 1 and not self._queues.keys() & rates.keys()
        if alone and await self._bucket.take_all(limits, await self._time()):
            for key in rates:
                self._last.note((key, whose))
            return
        for limit in limits:
            await self._take(limit, urgency, whose)

    async def _time(self) -> datetime | None:
        return None if self._now is None else await self._now()

    async def _take(self, limit: Limit, urgency: Urgency, whose: Hashable) -> None:
        key = limit.key
        if key not in self._queues:
            created: FairQueue[asyncio.Future[None]] = FairQueue(Urgency, self._last)
            task = asyncio.create_task(self._serve(limit, created), name=f"turns of {key}")
            self._queues[key] = created, task
        served = self._queues[key]
        queue, serving = served
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.put(turn, urgency, (key, whose))
        try:
            await turn
        except asyncio.CancelledError:
            queue.drop(turn)
            if not queue and self._queues.get(key) is served:
                del self._queues[key]
                serving.cancel()
            raise

    async def hold(self, key: str, rate: Rate, seconds: float) -> None:
        """Give out no turn of a bucket for so many seconds."""
        await self._bucket.hold(Limit(key, rate.each_second, rate.burst), seconds, await self._time())

    async def _serve(self, limit: Limit, queue: FairQueue[asyncio.Future[None]]) -> None:
        barrier = Barrier()  # each of those who wait gets the error
        try:
            with barrier:
                while queue:
                    if wait := await self._bucket.take(limit, await self._time()):
                        await self._sleep(wait)
                    else:
                        _give(queue)
        finally:
            if limit.key in self._queues and self._queues[limit.key][0] is queue:
                del self._queues[limit.key]
            for turn in queue:
                if not turn.done():
                    turn.set_exception(barrier.error or Unavailable())


def _give(queue: FairQueue[asyncio.Future[None]]) -> None:
    while queue:
        turn = queue.pop()
        if not turn.done():  # else its task was just cancelled
            turn.set_result(None)
            return
