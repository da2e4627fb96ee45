"""What a bot keeps in the store beside matches: when it ran, and which match a request was about."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final, Protocol

from play.clock import Outage
from play.ports import Store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Iterable, Sequence
    from datetime import datetime

    from play.people import Account
    from play.ports import Operation
    from storage.outgoing import Bucket, Outgoing


NOTE_KEPT: Final = timedelta(days=365)
"""How long a note is kept that is not said again."""


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

    def match_ids(self) -> AsyncIterator[str]:
        """The ids of all matches, by and by; one that is made meanwhile may be left out."""
        ...

    async def forget(self, account: Account, name: str, matches: Collection[str]) -> None:
        """Throw away what is kept of somebody beside the matches: settings, ratings, lists, results that name them.

        Args:
            account: Whose.
            name: What they are called.
            matches: Those that they had a part in.
        """
        ...

    async def notes(self, *names: str) -> Sequence[str | None]:
        """What stands in the notes of these names, in their order; None where nothing does.

        Notes are small texts that a platform's adapter or the desk wants to know again after a restart: a code that can
        be used once, a name that somebody goes by.
        """
        ...

    async def set_note(self, name: str, text: str | None, *, keep: timedelta = NOTE_KEPT) -> None:
        """Write a note, for so long; with None, throw it away."""
        ...

    async def note_once(self, name: str, text: str, *, keep: timedelta = NOTE_KEPT) -> bool:
        """Write a note if there is none of that name; whether there was none."""
        ...

    async def take_note(self, name: str) -> str | None:
        """What stands in a note, and throw it away: of several who ask at once, at most one gets it."""
        ...

    async def shelve(self, name: str, text: str, at: datetime, *, most: int | None = None) -> None:
        """Put a text on a shelf, under a moment; one that stands there already is moved to that moment.

        Args:
            name: Of the shelf.
            text: Stands there once.
            at: The moment, aware: when it was made, or when it is wanted.
            most: Of more texts than these the ones of the earliest moments are thrown away; None: all are kept.
        """
        ...

    async def shelf(self, name: str, *, until: datetime | None = None) -> Sequence[str]:
        """The texts on a shelf, those of the earliest moments first; with `until`, those of later ones left out."""
        ...

    async def unshelve(self, name: str, text: str) -> None:
        """Take a text from a shelf. One that does not stand there changes nothing."""
        ...


class FullStore(Upkeep, Store, Protocol):
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
