"""The sender: reads the outgoing stream, keeps a queue for each recipient, and acknowledges what all have received.

Facts that an engine is about to answer: held back for a moment, so that one board shows both moves.

The newest messages of chats, as far as a process sees them: whether a board is still where its player looks.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from bot.chat.metrics import FACTS, FINISHED
from bot.chat.periodic import Sleep, delay
from bot.chat.sending.composer import Composes
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Courier, Gone, Recipient, RetryAfter, Transient
from bot.chat.sending.queue import Bundle, Clock, DeliveryQueue
from bot.chat.sending.routing import label, recipients
from bot.chat.sending.stream_reader import StreamReader
from bot.chat.sending.unreached import Unreachable
from play.errors import PlayError, Unavailable
from play.events.event import AnyFact, subject_of
from play.facts import Absent, Imported, Reached, Watching
from play.match import Match
from play.people import Account, Address
from storage.ports import TRIES, Bucket, Outgoing, Sent, is_failure

MOMENT: Final = 1.0
"""Seconds that a fact waits at most for the answer of an engine."""

_Key: TypeAlias = tuple[Recipient, str]


class EngineAnswers:
    """Bundles on the way to their queues. Those that wait for an engine delay no other match."""

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
            held[0].add(bundle)
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


BATCH: Final = 64  # entries read at once

MOST: Final = 20_000
"""Entries held at once, at some kilobytes each. They wait in the stream beyond that."""

_AFTER_THE_END: Final = (Absent, Imported, Reached, Watching)  # what also happens to a match that is over

_log: Final = logging.getLogger(__name__)

Hook: TypeAlias = Callable[[AnyFact], Awaitable[Iterable[AnyFact]]]
"""Returns the further facts that follow from one; the sender delivers them with it."""


_Attempt: TypeAlias = Callable[[Courier, Recipient, Bundle], Awaitable[bool | None]]


@dataclass(slots=True)
class _Failed:
    """How often a bundle did not get through: because of the network, and because of unexpected exceptions; or for good."""

    tries: int = 0
    bugs: int = 0
    gone: Gone | None = None


class Sender:
    """Delivers facts to all recipients on the platforms of its couriers. Any number of senders may share one stream."""

    def __init__(
        self,
        outgoing: Outgoing,
        bucket: Bucket,
        composer: Composes,
        couriers: Iterable[Courier],
        *,
        now: Clock,
        sleep: Sleep = asyncio.sleep,
        also: Iterable[Hook] = (),
        paced: Clock | None = None,
        unreachable: Unreachable | None = None,
    ) -> None:
        """Deliver what is in `outgoing`, paced by some time; None: the store's."""
        self._unreachable = unreachable
        self._outgoing = outgoing
        self._couriers = {courier.platform: courier for courier in couriers}
        self._delivery = Delivery(outgoing, bucket, composer, now=now, sleep=sleep, paced=paced)
        self._sleep = sleep
        self._answers = EngineAnswers(composer.awaits_engine, self._put, sleep)
        self._hooks = tuple(also)
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

    async def backlog(self) -> int:
        """Return the number of facts that no sender has delivered yet."""
        return await self._outgoing.backlog()

    async def _round(self) -> None:
        """Acknowledge what was delivered, and read what waits."""
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
        try:
            letters = await self._letters(sent)
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001 - the facts after it are read all the same
            _log.exception("it is not known who is told of %s", sent.subject.id)
            self._reader.fail(sent, error)
            letters = []
        if not letters:
            self._reader.finish(sent)
            return
        self._reader.held[sent.entry] = sent
        self._open[sent.entry] = len(letters)
        for to, fact in letters:
            self._answers.pass_on(to, Bundle(subject_of(fact).id, [fact], [sent.entry]))

    async def _letters(self, sent: Sent) -> list[tuple[Recipient, AnyFact]]:
        """Return a fact and what follows from it, with those who are told."""
        _count(sent.fact)
        facts = [sent.fact]
        for hook in self._hooks:
            facts += await self._following(hook, sent)
        return [(to, fact) for fact in facts for to in recipients(fact) if to.platform in self._couriers]

    async def _following(self, hook: Hook, sent: Sent) -> Iterable[AnyFact]:
        """Return the facts that a hook has follow; none where it fails: the fact is told all the same, and set aside then."""
        for tries in range(1, TRIES + 1):
            try:
                return await hook(sent.fact)
            except Unavailable:
                raise
            except Exception as error:  # noqa: BLE001 - one broken event must not stop what is told of all others
                if tries == TRIES:
                    _log.exception("what follows from a fact about %s cannot be done", sent.subject.id)
                    self._reader.fail(sent, error)
        return ()

    def _put(self, to: Recipient, bundle: Bundle) -> None:
        queue = self._queues.get(to)
        if queue is None:
            queue = self._queues[to] = DeliveryQueue(to)
        queue.put(bundle)
        if queue.task is None:
            queue.task = asyncio.create_task(self._serve(queue), name=f"delivery {label(to)}")

    async def _serve(self, queue: DeliveryQueue) -> None:
        courier = self._couriers[queue.to.platform]
        while True:
            if (bundle := queue.take()) is not None:
                await self._deliver(courier, queue, bundle)
            elif (bundle := queue.take_delivered()) is not None:
                await self._retire(courier, queue.to, bundle)
            else:
                break
        queue.task = None
        del self._queues[queue.to]

    async def _deliver(self, courier: Courier, queue: DeliveryQueue, bundle: Bundle) -> None:
        """Deliver a bundle, however often it takes, unless a newer one of its match takes its place meanwhile."""
        failed = _Failed()
        while True:
            if silent := self._silent.get(courier.platform):
                await asyncio.shield(silent)
            if queue.replaced(bundle):
                return
            replaces = await self._tried(self._delivery.deliver, courier, queue.to, bundle, failed)
            if replaces is not None:
                await self._follow(courier, queue.to, bundle, failed.gone)
                queue.retire_later(bundle) if replaces else self._done(bundle)
                return

    async def _retire(self, courier: Courier, to: Recipient, bundle: Bundle) -> None:
        """Fold what a bundle has replaced, however often it takes."""
        failed = _Failed()
        while await self._tried(self._delivery.retire, courier, to, bundle, failed) is None:
            if silent := self._silent.get(courier.platform):
                await asyncio.shield(silent)
        self._done(bundle)

    async def _tried(
        self, what: _Attempt, courier: Courier, to: Recipient, bundle: Bundle, failed: _Failed
    ) -> bool | None:
        """Try once and return the result, or False if nothing is left to try; None after waiting to try again."""
        try:
            return await what(courier, to, bundle) or False
        except RetryAfter as late:
            await self._be_silent(courier, to, late)
            return None
        except (Transient, Unavailable):
            failed.tries += 1
            await self._sleep(delay(failed.tries))
            return None
        except Gone as gone:
            failed.gone = gone
            if not gone.known:
                await self._delivery.give_up(to)
        except Exception as error:  # noqa: BLE001 - a bug must not block its chat for good
            failed.bugs += 1
            if isinstance(
                error, PlayError
            ):  # what is stored has no board; it is `klop verify` that says what to do
                _log.error("match %s cannot be shown: %s", bundle.match_id, error)
            else:
                _log.exception("match %s cannot be shown at %s", bundle.match_id, label(to))
            if not is_failure(error):
                return False
            if failed.bugs < TRIES:
                await self._sleep(delay(failed.bugs))
                return None
            for entry in bundle.entries:
                self._reader.fail(self._reader.held[entry], error)
        return False

    async def _follow(self, courier: Courier, to: Recipient, bundle: Bundle, gone: Gone | None) -> None:
        """Queue what follows from a bundle that reached its recipient, or did not because they are gone."""
        if (unreachable := self._unreachable) is None:
            return

        async def follow(_courier: Courier, to: Recipient, bundle: Bundle) -> None:
            for other, facts in (await unreachable.follow(bundle, to, gone, self._reads)).items():
                if other.platform in self._couriers:
                    for entry in bundle.entries:
                        self._open[entry] += 1
                    letter = Bundle(bundle.match_id, list(facts), list(bundle.entries))
                    self._put(other, letter)

        failed = _Failed()
        while await self._tried(follow, courier, to, bundle, failed) is None:
            pass

    async def _reads(self, where: Address, who: Account) -> bool:
        """See `Courier.reads`."""
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
    """Count a fact, and a match that it ends."""
    subject = subject_of(fact)
    if not isinstance(subject, Match):
        FACTS.add(type(fact).__name__.lower(), "event")
        return
    FACTS.add(type(fact).__name__.lower(), subject.game)
    if not subject.live and not isinstance(fact, _AFTER_THE_END):
        FINISHED.add(subject.game, subject.phase.value)


KEPT: Final = 4096  # chats, and pressed messages, that are remembered

_K = TypeVar("_K")


class NewestMessages:
    """The newest message of each chat, by its number, which rises in a chat; nothing of it is stored."""

    def __init__(self) -> None:
        self._newest: OrderedDict[str, int] = OrderedDict()
        self._read: OrderedDict[tuple[str, int], int] = OrderedDict()

    def came(self, chat: str, number: int) -> None:
        """Note that a message is in a chat."""
        self._newest[chat] = max(number, self._newest.get(chat, 0))
        _bound(self._newest, chat)

    def pressed(self, chat: str, number: int) -> None:
        """Note that a person looks at a message, even with others below it."""
        self.came(chat, number)
        self._read[chat, number] = self._newest[chat]
        _bound(self._read, (chat, number))

    def buried(self, chat: str, number: int) -> bool:
        """Whether a message came below another since that was sent or pressed, or nothing is known of the chat."""
        newest = self._newest.get(chat)
        return newest is None or newest > max(number, self._read.get((chat, number), 0))


def _bound(held: OrderedDict[_K, int], key: _K) -> None:
    held.move_to_end(key)
    while len(held) > KEPT:
        held.popitem(last=False)
