"""What a bot keeps in the store beside matches: when it ran, and which match a request was about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from play.clock import Outage
from play.ports import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from play.ports import Operation
    from storage.outgoing import Bucket, Outgoing


class Upkeep(Protocol):
    """What a bot remembers of itself. Every method may raise `Unavailable`."""

    async def beat(self, at: datetime) -> None:
        """Say that the bot runs. A moment before the last one changes nothing."""
        ...

    async def last_beat(self) -> datetime | None:
        """When the bot last said so; None if never."""
        ...

    async def add_outage(self, outage: Outage) -> None:
        """Remember that the bot was down. The same once more changes nothing."""
        ...

    async def outages(self, since: datetime) -> Sequence[Outage]:
        """When the bot was down, as far as it ended after `since`: in order, none touching another."""
        ...

    async def bind(self, operation: Operation, match_id: str) -> str:
        """Say once for all which match a request is about that did not name one, and get what was said first.

        A request that means "the match here where I am on turn" means another match when it is delivered again, after
        the turn has passed. Its first delivery binds it; to the others the same id is returned. Kept for 7 days.

        Raises:
            ReusedOperation: the operation's id was bound with another payload.
        """
        ...


class FullStore(Store, Upkeep, Protocol):
    """Everything that a bot's store does."""

    def outgoing(self) -> Outgoing:
        """A new sender's view of the facts to be told."""
        ...

    def bucket(self) -> Bucket:
        """How fast things may be done."""
        ...


def merged(outages: Iterable[Outage]) -> list[Outage]:
    """Outages in order, those that overlap or touch made one."""
    apart: list[Outage] = []
    for outage in sorted(outages, key=lambda each: each.start):
        if apart and outage.start <= apart[-1].end:
            apart[-1] = Outage(apart[-1].start, max(apart[-1].end, outage.end))
        else:
            apart.append(outage)
    return apart
