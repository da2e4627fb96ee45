"""Queue for the workers: bounded, and fair between players, persons and chats."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Final, TypeVar

from bot.thinking.jobs import JobClass

MOST: Final = 2000  # jobs that may wait at once
EACH: Final = 3  # questions of one person, or of one chat, that may be under way at once

GIVING_WAY: Final = frozenset({JobClass.ANALYSIS, JobClass.SYSTEM})
"""The classes whose searches are stopped where the turn of a match would wait for a worker, and begin again later."""

TIMES: Final = 3  # so often a search gives way; then it goes on to its end, or it would never come to it

T = TypeVar("T")


class Busy(Exception):
    """The queue is full: for all (`everybody`), or for this person or chat."""

    def __init__(self, *, everybody: bool) -> None:
        super().__init__(everybody)
        self.everybody = everybody


@dataclass(frozen=True, slots=True)
class Waiting:
    """Jobs of one class.

    Attributes:
        queued: How many wait.
        taken: How many workers are at work on.
        oldest: For how many seconds the one has waited that waits longest.
    """

    queued: int
    taken: int
    oldest: float


class GaveWay(Exception):
    """A search was stopped, so that the turn of a match need not wait for its worker."""


class JobQueue:
    """Hands out the workers: the most urgent class first, in each to one owner after the other. Raises `Busy` if too many jobs wait.

    Of several workers, `spare` are for moves alone.
    """

    def __init__(self, places: int, most: int = MOST, each: int = EACH, spare: int = 1) -> None:
        self._free = places
        self._places: Final = places
        self._spare: Final = spare
        self._stoppable: dict[asyncio.Timeout, JobClass] = {}
        self._most: Final = most
        self._each: Final = each
        self._queues: Final[dict[JobClass, _Queue]] = {each: _Queue() for each in JobClass}
        self._asking: dict[Hashable, int] = {}

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return sum(len(queue.since) for queue in self._queues.values())

    def by_class(self) -> Mapping[str, Waiting]:
        """Return the jobs that wait and are worked at, by their class."""
        now = asyncio.get_running_loop().time()
        return {
            job_class.value: Waiting(
                len(queue.since), queue.taken, now - min(queue.since.values(), default=now)
            )
            for job_class, queue in self._queues.items()
        }

    async def run(self, job_class: JobClass, owner: Hashable, search: Callable[[], Awaitable[T]]) -> T:
        """Return what a search of a match, or of a person, finds with a worker. One that gives way is made again from its beginning."""
        for _ in range(TIMES if job_class in GIVING_WAY else 0):
            with suppress(GaveWay):
                async with self.place(job_class, owner, gives_way=True):
                    return await search()
        async with self.place(job_class, owner):
            return await search()

    @asynccontextmanager
    async def place(
        self, job_class: JobClass, owner: Hashable, *, gives_way: bool = False
    ) -> AsyncIterator[None]:
        """Hold a worker for a search of a match, or of a person.

        Raises:
            GaveWay: one that `gives_way` was cancelled for the turn of a match.
        """
        await self._enter(job_class, owner)
        scope = asyncio.timeout(None)
        try:
            async with scope:
                if gives_way:
                    self._stoppable[scope] = job_class
                yield
        except TimeoutError:
            if scope.expired():
                raise GaveWay from None
            raise
        finally:
            self._stoppable.pop(scope, None)
            self._leave(job_class)

    @contextmanager
    def question(self, person: Hashable, chat: Hashable) -> Iterator[None]:
        """Count a question of a person in a chat while it lasts, unless they have too many; it may need a worker several times."""
        owners = (("person", person), ("chat", chat))
        if any(self._asking.get(owner, 0) >= self._each for owner in owners):
            raise Busy(everybody=False)
        for owner in owners:
            self._asking[owner] = self._asking.get(owner, 0) + 1
        try:
            yield
        finally:
            for owner in owners:
                self._asking[owner] -= 1
                if not self._asking[owner]:
                    del self._asking[owner]

    def _room(self, job_class: JobClass) -> bool:
        """Return whether a worker is free for a class."""
        if not self._free:
            return False
        others = self._places - self._free - self._queues[JobClass.MOVE].taken
        return job_class is JobClass.MOVE or self._places == 1 or others < self._places - self._spare

    def _make_room(self) -> None:
        """Stop the least urgent search that gives way; of those the one that began last."""
        order = list(JobClass)
        last_first = reversed(self._stoppable)
        scope = max(last_first, key=lambda each: order.index(self._stoppable[each]), default=None)
        if scope is not None:
            del self._stoppable[scope]
            scope.reschedule(asyncio.get_running_loop().time())

    async def _enter(self, job_class: JobClass, owner: Hashable) -> None:
        queue = self._queues[job_class]
        before = list(JobClass)[: list(JobClass).index(job_class) + 1]
        if self._room(job_class) and not any(self._queues[each].owners for each in before):
            self._take(queue)
            return
        if self.waiting >= self._most:
            raise Busy(everybody=True)
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        queue.owners.setdefault(owner, deque()).append(turn)
        queue.since[turn] = loop.time()
        if job_class is JobClass.MOVE:
            self._make_room()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it got the worker at the same moment
                self._leave(job_class)
            else:
                with suppress(KeyError, ValueError):  # unless it was just passed over
                    queue.owners[owner].remove(turn)
                    if not queue.owners[owner]:
                        del queue.owners[owner]
            raise
        finally:
            queue.since.pop(turn, None)

    def _take(self, queue: _Queue) -> None:
        self._free -= 1
        queue.taken += 1

    def _leave(self, job_class: JobClass) -> None:
        self._free += 1
        self._queues[job_class].taken -= 1
        for each, queue in self._queues.items():
            while queue.owners and self._room(each):
                owner, turns = next(iter(queue.owners.items()))
                turn = turns.popleft()
                if turns:
                    queue.owners.move_to_end(owner)  # an owner with more jobs goes to the end
                else:
                    del queue.owners[owner]
                if turn.cancelled():
                    continue
                queue.since.pop(turn)
                self._take(queue)
                turn.set_result(None)


class _Queue:
    """The jobs of one class.

    Attributes:
        owners: Those that wait, by owner.
        since: When each of them began to wait, by the loop's clock.
        taken: How many workers are at work on.
    """

    def __init__(self) -> None:
        self.owners: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()
        self.since: dict[asyncio.Future[None], float] = {}
        self.taken = 0
