"""The sender: reads the outgoing stream, keeps a queue for each recipient, and acknowledges what all have received."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Generic, NoReturn, Protocol, TypeAlias, runtime_checkable

from bot.chat.metrics import FACTS, FINISHED
from bot.chat.periodic import Barrier, Sleep, delay
from bot.chat.sending.attention import Attention
from bot.chat.sending.composer import Composer
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Courier, Gone, Recipient, RetryAfter, Transient
from bot.chat.sending.queue import Bundle, Clock, DeliveryQueue, EngineAnswers
from bot.chat.sending.routing import label, recipients
from bot.chat.sending.unreached import Letters, Reads
from play.errors import PlayError, Unavailable
from play.events.event import AnyFact, subject_of
from play.facts import Absent, Imported, Reached, Told, Waiting, Watching
from play.match import Match
from play.people import Account, Address
from storage.ports import TRIES, Bucket, E, Outgoing, Sent, Stream, is_failure, reason_of

IDLE: Final = 2.0  # seconds between looks at a stream to which nothing was added

SOON: Final = 1.0
"""Seconds at most until a stream is asked again that did not answer: else another process takes over."""


class StreamReader(Generic[E]):
    """Reads a stream for the sender or a receiver: keeps which entries are held, and acknowledges those that are finished.

    Attributes:
        held: What is read and not acknowledged, by entry.
        finished: What is to be acknowledged.
    """

    def __init__(self, stream: Stream[E], sleep: Sleep) -> None:
        self.held: dict[str, E] = {}
        self.finished: list[E] = []
        self._failed: dict[str, str] = {}  # by entry: why it is to be set aside
        self._stream = stream
        self._sleep = sleep

    def wake(self) -> None:
        """End the present or the next pause."""
        self._stream.wake()

    def finish(self, entry: E) -> None:
        """Have an entry acknowledged in the next round."""
        self.held[entry.entry] = entry
        self.finished.append(entry)
        self.wake()

    def fail(self, entry: E, error: Exception) -> None:
        """Have an entry set aside where it would be acknowledged: it was tried often enough."""
        self._failed[entry.entry] = reason_of(error)

    async def run(self, a_round: Callable[[], Awaitable[None]]) -> NoReturn:
        """Call rounds, which read all that waits, with pauses between until cancelled."""
        tries = 0
        while True:
            try:
                await a_round()
                tries = 0
            except Unavailable:
                tries += 1
                await self._sleep(min(delay(tries), SOON))
            else:
                await self.pause()

    async def read(self, limit: int) -> Sequence[E]:
        """Delete from the stream what is finished, and return up to `limit` new entries.

        What is finished from now on ends the next pause.
        """
        done = tuple(self.finished)
        found = await self._stream.read(limit, await self._handled(done))
        del self.finished[: len(done)]
        for each in done:
            self.held.pop(each.entry, None)
            self._failed.pop(each.entry, None)
        return found

    async def _handled(self, finished: Sequence[E]) -> Sequence[E]:
        for each in finished:
            if each.entry in self._failed:
                await self._stream.set_aside(each, self._failed[each.entry])
        return [each for each in finished if each.entry not in self._failed]

    async def pause(self) -> None:
        """Wait for something to do: a new entry of this process, one that is finished, the time for another look."""
        await self._stream.wait(IDLE)

    async def close(self) -> None:
        """Leave what is not finished to the next reader."""
        finished = tuple(self.finished)
        self.held.clear()
        self.finished.clear()
        with suppress(Unavailable):
            await self._stream.done(await self._handled(finished))
        self._failed.clear()
        with suppress(Unavailable):
            await self._stream.close()


BATCH: Final = 64  # entries read at once

MOST: Final = 20_000
"""Entries held at once, at some kilobytes each. They wait in the stream beyond that."""

_AFTER_THE_END: Final = (Absent, Imported, Reached, Told, Waiting, Watching)  # also of a match that is over

_log: Final = logging.getLogger(__name__)

FactHook: TypeAlias = Callable[[AnyFact], Awaitable[Iterable[AnyFact]]]
"""Returns the further facts that follow from one; the sender delivers them with it."""


@runtime_checkable
class DeliveryHook(Protocol):
    """A hook on deliveries, also on those that reached no one."""

    async def follow(self, bundle: Bundle, to: Recipient, gone: Gone | None, reads: Reads) -> Letters:
        """Return what is still to be sent after a bundle was delivered, or could not be because the recipient is `gone`."""


@dataclass(slots=True)
class _Attempt:
    """How often a bundle did not get through: because of the network, and because of unexpected exceptions; or for good."""

    courier: Courier
    to: Recipient
    bundle: Bundle
    tries: int = 0
    bugs: int = 0
    gone: Gone | None = None
    over: bool = False


class Sender:
    """Delivers facts to all recipients on the platforms of its couriers. Any number of senders may share one stream."""

    def __init__(
        self,
        outgoing: Outgoing,
        bucket: Bucket,
        composer: Composer,
        couriers: Iterable[Courier],
        *,
        now: Clock,
        sleep: Sleep = asyncio.sleep,
        also: Iterable[FactHook | DeliveryHook] = (),
        paced: Clock | None = None,
        attention: Attention | None = None,
    ) -> None:
        """Deliver what is in `outgoing`, paced by some time; None: the store's.

        Without `attention` a board for several people never changes in place.
        """
        self._outgoing = outgoing
        self._couriers = {courier.platform: courier for courier in couriers}
        self._delivery = Delivery(
            outgoing, bucket, composer, now=now, sleep=sleep, paced=paced, attention=attention
        )
        self._sleep = sleep
        self._answers = EngineAnswers(composer.awaits_engine, self._put, sleep)
        hooks = tuple(also)
        self._hooks = tuple(hook for hook in hooks if not isinstance(hook, DeliveryHook))
        self._delivery_hooks = tuple(hook for hook in hooks if isinstance(hook, DeliveryHook))
        self._queues: dict[Recipient, DeliveryQueue] = {}
        self._open: dict[str, int] = {}  # entry: lanes that have not been served yet
        self._read: deque[Sent] = deque()
        self._reader = StreamReader(outgoing, sleep)
        self._silent: dict[str, asyncio.Task[None]] = {}  # platforms that want nothing for a while
        self._last: asyncio.Future[None] | None = None  # of `finish`
        self._taking = True

    async def run(self) -> None:
        """Serve the stream until cancelled. What is under way then is delivered again by the next sender."""
        try:
            await self._reader.run(self._round)
        finally:
            await self.close()

    async def drain(self) -> None:
        """Deliver everything that is in the stream now, and return."""
        await self._round()
        while self._open or self._reader.finished:
            if self._open:
                await self._reader.pause()
            await self._round()

    async def finish(self) -> None:
        """Have `run` read once more what waits, then nothing; return once all that was read is delivered."""
        self._last = asyncio.get_running_loop().create_future()
        self._reader.wake()
        await self._last

    async def pause(self) -> None:
        """Wait until there may be something to deliver."""
        await self._reader.pause()

    async def backlog(self) -> int:
        """Return the number of facts that no sender has delivered yet."""
        return await self._outgoing.backlog()

    async def _round(self) -> None:
        # Also with no room: a sender that does not read for some seconds is taken for dead. And all that waits, before anything is
        # delivered: what a dead sender delivered together, a board of many turns, goes out together again, with the same nonce.
        while True:
            room = MOST - len(self._open) - len(self._read) if self._taking else 0
            more = await self._reader.read(max(0, min(BATCH, room)))
            self._read.extend(more)
            if len(more) < BATCH:
                break
        while self._read:
            await self._accept(self._read[0])
            self._read.popleft()
        if self._last is not None:
            if not self._taking and not self._open and not self._last.done():
                self._last.set_result(None)
            self._taking = False

    async def _accept(self, sent: Sent) -> None:
        if sent.entry in self._reader.held:
            return
        _count(sent.fact)
        facts, letters = [sent.fact], list[tuple[Recipient, AnyFact]]()

        async def address(_fact: AnyFact) -> Iterable[AnyFact]:
            found = [(to, fact) for fact in facts for to in recipients(fact)]
            letters[:] = [each for each in found if each[0].platform in self._couriers]
            return ()

        for hook in (*self._hooks, address):
            facts += await self._following(hook, sent)
        if not letters:
            self._reader.finish(sent)
            return
        self._reader.held[sent.entry] = sent
        self._open[sent.entry] = len(letters)
        for to, fact in letters:
            self._answers.pass_on(to, Bundle(subject_of(fact).id, [fact], [sent.entry]))

    async def _following(self, hook: FactHook, sent: Sent) -> Iterable[AnyFact]:
        """Return the facts that a hook has follow; none where it fails: the fact is sent all the same, and set aside then."""
        barrier = Barrier(Unavailable)  # a hook that fails must not stop what is sent of all others
        for _ in range(TRIES):
            with barrier:
                return await hook(sent.fact)
        if barrier.error:
            _log.error("nothing follows from a fact about %s", sent.subject.id, exc_info=barrier.error)
            self._reader.fail(sent, barrier.error)
        return ()

    def _put(self, to: Recipient, bundle: Bundle) -> None:
        queue = self._queues.get(to)
        if queue is None:
            queue = self._queues[to] = DeliveryQueue(to)
        queue.put(bundle)
        if queue.task is None:
            queue.task = asyncio.create_task(self._serve(queue), name=f"delivery {label(to)}")

    async def _serve(self, queue: DeliveryQueue) -> None:
        """Deliver what waits for a recipient, and then close what that replaced, however often it takes."""
        to, courier = queue.to, self._couriers[queue.to.platform]
        while True:
            closing = (bundle := queue.take()) is None
            if bundle is None and (bundle := queue.take_delivered()) is None:
                break
            attempt, replaces = _Attempt(courier, to, bundle), False
            while not attempt.over:
                if silent := self._silent.get(courier.platform):
                    await asyncio.shield(silent)
                if not closing and queue.replaced(bundle):
                    break
                with Barrier() as barrier:  # a bug must not block its chat for good
                    if closing:
                        await self._delivery.close_replaced(courier, to, bundle)
                    else:
                        replaces = await self._delivery.deliver(courier, to, bundle)
                await self._judge(attempt, barrier.error)
            else:
                if not closing:
                    await self._follow(attempt)
                queue.close_later(bundle) if replaces else self._done(bundle)
        queue.task = None
        del self._queues[queue.to]

    async def _follow(self, attempt: _Attempt) -> None:
        bundle = attempt.bundle
        for hook in self._delivery_hooks:
            following = _Attempt(attempt.courier, attempt.to, bundle)
            while not following.over:
                with Barrier() as barrier:  # see `_serve`
                    found = await hook.follow(bundle, attempt.to, attempt.gone, self._reads)
                    for other, facts in found.items():
                        if other.platform in self._couriers:
                            for entry in bundle.entries:
                                self._open[entry] += 1
                            self._put(other, Bundle(bundle.match_id, list(facts), list(bundle.entries)))
                await self._judge(following, barrier.error)

    async def _judge(self, attempt: _Attempt, error: Exception | None) -> None:
        attempt.over, bundle, to = False, attempt.bundle, attempt.to
        match error:
            case None:
                attempt.over = True
            case RetryAfter():
                await self._be_silent(attempt.courier, to, error)
            case Transient() | Unavailable():
                attempt.tries += 1
                await self._sleep(delay(attempt.tries))
            case Gone():
                attempt.gone, attempt.over = error, True
                if not error.known:
                    await self._delivery.give_up(to)
            case _:
                attempt.bugs += 1
                attempt.over = attempt.bugs == TRIES or not is_failure(error)
                if isinstance(error, PlayError):  # what is stored has no board; `klop verify` says what to do
                    _log.error("match %s cannot be shown: %s", bundle.match_id, error)
                else:
                    _log.error("match %s cannot be shown at %s", bundle.match_id, label(to), exc_info=error)
                if not attempt.over:
                    await self._sleep(delay(attempt.bugs))
                elif is_failure(error):
                    for entry in bundle.entries:
                        self._reader.fail(self._reader.held[entry], error)

    async def _reads(self, where: Address, who: Account) -> bool:
        courier = self._couriers.get(where.platform)
        return courier is not None and await courier.reads(where, who)

    async def _be_silent(self, courier: Courier, to: Recipient, late: RetryAfter) -> None:
        if late.everywhere and courier.platform not in self._silent:

            async def silence() -> None:
                await self._sleep(late.seconds)
                del self._silent[courier.platform]

            name = f"silence {courier.platform}"
            self._silent[courier.platform] = asyncio.create_task(silence(), name=name)
        with suppress(Unavailable):
            await self._delivery.hold(courier, to, late)
        if not late.everywhere:
            await self._sleep(late.seconds)

    def _done(self, bundle: Bundle) -> None:
        for entry in bundle.entries:
            self._open[entry] -= 1
            if not self._open[entry]:
                del self._open[entry]
                self._reader.finish(self._reader.held[entry])

    async def close(self) -> None:
        """Leave what has not been delivered to the other senders."""
        await self._answers.close()
        tasks = [queue.task for queue in self._queues.values() if queue.task] + list(self._silent.values())
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
        for held in (self._queues, self._silent, self._open, self._read):
            held.clear()
        await self._reader.close()


def _count(fact: AnyFact) -> None:
    subject = subject_of(fact)
    if not isinstance(subject, Match):
        FACTS.add(type(fact).__name__.lower(), "event")
        return
    FACTS.add(type(fact).__name__.lower(), subject.game)
    if not subject.live and not isinstance(fact, _AFTER_THE_END):
        FINISHED.add(subject.game, subject.phase.value)
