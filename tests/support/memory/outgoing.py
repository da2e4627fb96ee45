"""The outbox and the rate limits in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from play.events.event import AnyFact, subject_of
from play.people import Account, Address
from storage.keys import tag_of
from storage.ports import AddressState, BoardMessage, Limit, Sent, names_in_text
from tests.support.memory.people import MemorySettings
from tests.support.memory.streams import MemoryAside, MemoryReader, MemoryStreams

_SKEW: Final = timedelta(seconds=1)  # by which the clocks of processes may differ


class Outbox:
    """The facts to be sent, and what senders remember; one for each store."""

    def __init__(self, aside: MemoryAside | None = None) -> None:
        self.streams: MemoryStreams[Sent] = MemoryStreams("out", lambda sent: sent.subject.id, aside)
        self.shown: dict[tuple[str, Address], BoardMessage] = {}
        self.dead: dict[Address, datetime] = {}

    def post(self, fact: AnyFact) -> None:
        """Add a fact."""
        self.streams.add(tag_of(subject_of(fact).id), lambda entry: Sent(entry, fact))

    def forget(self, account: Account) -> None:
        """Delete what is remembered of the chat with a person."""
        names = names_in_text(account)
        self.shown = {key: shown for key, shown in self.shown.items() if not names(str(key[1]))}
        self.dead = {place: since for place, since in self.dead.items() if not names(str(place))}


class MemoryOutgoing(MemoryReader[Sent]):
    """An `Outgoing` in memory."""

    def __init__(self, outbox: Outbox, settings: MemorySettings) -> None:
        super().__init__(outbox.streams)
        self._outbox = outbox
        self._settings = settings

    async def shown(self, match_id: str, address: Address) -> BoardMessage | None:
        return self._outbox.shown.get((match_id, address))

    async def set_shown(self, match_id: str, address: Address, shown: BoardMessage | None) -> None:
        tag_of(match_id)
        if shown is None:
            self._outbox.shown.pop((match_id, address), None)
        else:
            self._outbox.shown[match_id, address] = shown

    def set_shown_later(self, match_id: str, address: Address, shown: BoardMessage) -> None:
        self._outbox.shown[match_id, address] = shown

    async def known(
        self, address: Address, *whose: Account | Address, match_id: str | None = None
    ) -> AddressState:
        chosen = await self._settings.get_many(*whose)
        return AddressState(
            await self.dead(address),
            None if match_id is None else await self.shown(match_id, address),
            dict(zip(whose, chosen, strict=True)),
        )

    async def dead(self, address: Address) -> datetime | None:
        return self._outbox.dead.get(address)

    async def set_dead(self, address: Address, at: datetime | None) -> None:
        if at is None:
            self._outbox.dead.pop(address, None)
        else:
            self._outbox.dead[address] = at


class MemoryBucket:
    """A `Bucket` in memory."""

    def __init__(
        self, spent: dict[str, tuple[datetime, timedelta]], clock: Callable[[], datetime] | None = None
    ) -> None:
        self._spent: Final = spent  # up to when each bucket's tokens are spent, and for how long it was held
        self._clock = clock or (lambda: datetime.now(UTC))

    async def take(self, limit: Limit, at: datetime | None = None) -> float:
        return self._take([limit], at or self._clock())

    async def take_all(self, limits: Sequence[Limit], at: datetime | None = None) -> bool:
        return not self._take(limits, at or self._clock())

    def _before(self, limit: Limit, at: datetime) -> tuple[datetime, timedelta]:
        before, span = self._spent.get(limit.key, (at, timedelta()))
        possible = before <= at + limit.burst * _every(limit) + span + _SKEW
        return (before, span) if possible else (at, timedelta())

    def _take(self, limits: Sequence[Limit], at: datetime) -> float:
        spent = {limit.key: max(self._before(limit, at)[0], at) + _every(limit) for limit in limits}
        wait = max(spent[limit.key] - limit.burst * _every(limit) - at for limit in limits)
        if wait > timedelta():
            return wait.total_seconds()
        self._spent.update({key: (until, timedelta()) for key, until in spent.items()})
        return 0.0

    async def hold(self, limit: Limit, seconds: float, at: datetime | None = None) -> None:
        now, span = at or self._clock(), timedelta(seconds=seconds)
        held = (now + span + (limit.burst - 1) * _every(limit), span)
        self._spent[limit.key] = max(held, self._before(limit, now))


def _every(limit: Limit) -> timedelta:
    return timedelta(seconds=1 / limit.rate)
