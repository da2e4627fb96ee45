"""Queue for the workers: bounded, and fair between players, persons and chats."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Hashable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Final

MOST: Final = 2000  # jobs that may wait at once
EACH: Final = 3  # questions of one person, or of one chat, that may be under way at once


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


class JobQueue:
    """Hands out the workers: turns of matches first, then to one owner after the other. Raises `Busy` if too many jobs wait."""

    def __init__(self, places: int, most: int = MOST, each: int = EACH) -> None:
        self._free = places
        self._places: Final = places
        self._most: Final = most
        self._each: Final = each
        self._players: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()
        self._askers: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()
        self._asking: dict[Hashable, int] = {}
        self._advising = 0
        # By class: when each began to wait, by the loop's clock.
        self._since: tuple[dict[asyncio.Future[None], float], ...] = ({}, {})

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return sum(map(len, self._since))

    def by_class(self) -> Mapping[str, Waiting]:
        """Return the jobs that wait and are worked at: turns of engines, and advice."""
        now = asyncio.get_running_loop().time()
        turns, advice = (
            Waiting(len(since), taken, now - min(since.values(), default=now))
            for since, taken in zip(
                self._since, (self._places - self._free - self._advising, self._advising), strict=True
            )
        )
        return {"turn": turns, "advice": advice}

    @asynccontextmanager
    async def player(self, owner: Hashable) -> AsyncIterator[None]:
        """Hold a worker for a turn in a match; turns come before advice."""
        await self._enter(self._players, owner)
        try:
            yield
        finally:
            self._leave()

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

    @asynccontextmanager
    async def adviser(self, person: Hashable) -> AsyncIterator[None]:
        """Hold a worker for a search that a question needs."""
        await self._enter(self._askers, person, advising=True)
        try:
            yield
        finally:
            self._advising -= 1
            self._leave()

    def _room(self, advising: bool) -> bool:
        """Return whether a worker is free; of several, advice never gets the last one."""
        if not self._free:
            return False
        return not advising or self._places == 1 or self._advising < self._places - 1

    async def _enter(
        self,
        queue: OrderedDict[Hashable, deque[asyncio.Future[None]]],
        owner: Hashable,
        *,
        advising: bool = False,
    ) -> None:
        if self._room(advising) and not queue and not (advising and self._players):
            self._take(advising)
            return
        if self.waiting >= self._most:
            raise Busy(everybody=True)
        loop, since = asyncio.get_running_loop(), self._since[advising]
        turn: asyncio.Future[None] = loop.create_future()
        queue.setdefault(owner, deque()).append(turn)
        since[turn] = loop.time()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it got the worker at the same moment
                self._advising -= advising
                self._leave()
            else:
                with suppress(KeyError, ValueError):  # unless it was just passed over
                    queue[owner].remove(turn)
                    if not queue[owner]:
                        del queue[owner]
            raise
        finally:
            since.pop(turn, None)

    def _take(self, advising: bool) -> None:
        self._free -= 1
        self._advising += advising

    def _leave(self) -> None:
        self._free += 1
        for queue, advising in ((self._players, False), (self._askers, True)):
            while queue and self._room(advising):
                owner, turns = next(iter(queue.items()))
                turn = turns.popleft()
                if turns:
                    queue.move_to_end(owner)  # an owner with more jobs goes to the end
                else:
                    del queue[owner]
                if turn.cancelled():
                    continue
                self._since[advising].pop(turn)
                self._take(advising)
                turn.set_result(None)
