"""The outbox and the rate limits in memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from play.facts import Fact
from play.people import Address
from storage.keys import TAGS, tag_of
from storage.outgoing import BoardMessage, Sent
from storage.wakeup import Wakeup


class Outbox:
    """The facts to be sent, by entry, and what senders remember, by the tags that they hold; one for each store."""

    def __init__(self) -> None:
        self.waiting: dict[str, Sent] = {}
        self.shown: dict[tuple[str, Address], BoardMessage] = {}
        self.dead: dict[Address, datetime] = {}
        self.holders: dict[int, MemoryOutgoing] = {}
        self.wakeup = Wakeup()
        self._count = 0

    def post(self, fact: Fact) -> None:
        """Add a fact."""
        self._count += 1
        entry = f"{tag_of(fact.match.id)}/{self._count}"
        self.waiting[entry] = Sent(entry, fact)
        self.wakeup.wake()


class MemoryOutgoing:
    """An `Outgoing` in memory."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._waiter = outbox.wakeup.waiter()
        self._in_hand: set[str] = set()

    async def read(self, limit: int) -> Sequence[Sent]:
        self._waiter.clear()
        found: list[Sent] = []
        for entry, sent in self._outbox.waiting.items():
            if len(found) >= limit:
                break
            tag = tag_of(sent.match.id)
            if entry in self._in_hand or self._outbox.holders.setdefault(tag, self) is not self:
                continue
            self._in_hand.add(entry)
            found.append(sent)
        return tuple(found)

    async def done(self, entries: Sequence[Sent]) -> None:
        for sent in entries:
            self._outbox.waiting.pop(sent.entry, None)
            self._in_hand.discard(sent.entry)
        busy = {int(entry.partition("/")[0]) for entry in self._in_hand}
        for tag in range(TAGS):
            if tag not in busy and self._outbox.holders.get(tag) is self:
                del self._outbox.holders[tag]

    async def wait(self, seconds: float) -> None:
        await self._waiter.wait_for(seconds)

    async def close(self) -> None:
        self._in_hand.clear()
        await self.done(())

    async def backlog(self) -> int:
        return len(self._outbox.waiting)

    async def shown(self, match_id: str, address: Address) -> BoardMessage | None:
        return self._outbox.shown.get((match_id, address))

    async def set_shown(self, match_id: str, address: Address, shown: BoardMessage | None) -> None:
        tag_of(match_id)
        if shown is None:
            self._outbox.shown.pop((match_id, address), None)
        else:
            self._outbox.shown[match_id, address] = shown

    async def known(self, match_id: str, address: Address) -> tuple[datetime | None, BoardMessage | None]:
        return await self.dead(address), await self.shown(match_id, address)

    async def dead(self, address: Address) -> datetime | None:
        return self._outbox.dead.get(address)

    async def set_dead(self, address: Address, at: datetime | None) -> None:
        if at is None:
            self._outbox.dead.pop(address, None)
        else:
            self._outbox.dead[address] = at


class MemoryBucket:
    """A `Bucket` in memory."""

    def __init__(self, spent: dict[str, datetime]) -> None:
        self._spent: Final = spent  # up to when each bucket's tokens are spent

    async def take(self, key: str, rate: float, burst: int, at: datetime) -> float:
        every = timedelta(seconds=1 / rate)
        spent = max(self._spent.get(key, at), at)
        wait = spent + every - burst * every - at
        if wait > timedelta():
            return wait.total_seconds()
        self._spent[key] = spent + every
        return 0.0

    async def hold(self, key: str, rate: float, burst: int, at: datetime, until: datetime) -> None:
        spent = until + (burst - 1) * timedelta(seconds=1 / rate)
        if until > at and spent > self._spent.get(key, at):
            self._spent[key] = spent
