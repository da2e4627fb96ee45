"""Who looks at a place, and who is still to be called there because a board changed in place.

A board that changes calls no one. Players who act at its place see it; if they do nothing for a minute after, they are called by a
fresh board. When that is due stands in the store, so a process that ends forgets no call; who acts where is known to a process alone,
and one that does not know calls.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from bot.chat.fair_queue import Recent
from bot.chat.presenting.boards import has_to_answer, waits_for
from bot.chat.sending.ports import Recipient
from bot.chat.sending.routing import readers
from play.errors import PlayError, Stale, Unavailable
from play.facts import Waiting
from play.match import Match, is_engine
from play.people import Account, Address
from play.table import Table
from storage.ports import FullStore

LOOKS: Final = timedelta(seconds=90)
"""So long after they have acted at a place, players look at it."""

CALLS_AFTER: Final = timedelta(seconds=60)
"""So long after a board changed in place, or after they acted last, players are called."""

CALLS_EVERY: Final = 2.0  # seconds between looks at the calls that are due

_KEPT: Final = 8192  # people at places of whom it is known when they acted
_DUE: Final = "calls"  # the timeline of calls
_MOST: Final = 20_000  # calls that are due at once; platforms take fewer edits than that in a minute


def acted_lately(match: Match, account: Account, at: datetime) -> bool:
    """Whether the log of a match shows that a player looks."""
    for entry in reversed(match.log):
        if not timedelta() <= at - entry.at <= LOOKS:  # it may be later, where the clock was set back
            return False
        player = match.chairs[entry.seat].player
        if player is not None and player.account == account:
            return True
    return False


class Attention:
    """When people acted at places, and when they are to be called there."""

    def __init__(self, table: Table, store: FullStore, now: Callable[[], datetime]) -> None:
        self._table = table
        self._store = store
        self._now = now
        self._called: datetime | None = None  # when those were called last for whom it was due
        self._acted = Recent[tuple[Recipient, Account], datetime](_KEPT)

    def acted(self, where: Recipient, *who: Account) -> None:
        """Note that a person has pressed or typed something at a place, or in private, by any of their accounts."""
        for account in who:
            self._acted[where, account] = self._now()

    def looks(self, where: Recipient, who: Iterable[Account]) -> bool:
        """Whether people have all acted there lately."""
        return all(self._since(where, account) <= LOOKS for account in who)

    def _since(self, where: Recipient, account: Account) -> timedelta:
        return _passed(self._acted.get((where, account)), self._now())

    async def call_later(self, match_id: str, to: Recipient) -> None:
        """Have those whom a match waits for be called there in a minute; if that was due before, then instead."""
        due = self._now() + CALLS_AFTER
        await self._store.timelines.add(_DUE, _text(match_id, to), due, most=_MOST)

    async def call_no_more(self, match_id: str, to: Recipient) -> None:
        """Call no one there, since a fresh board did. If the store does not answer, the call finds that board."""
        with suppress(Unavailable):
            await self._store.timelines.remove(_DUE, _text(match_id, to))

    async def call(self) -> None:
        """Call all for whom that is due, save those who have acted since: they are called a minute after that.

        What is due stays so until all of it is announced; a call that is announced twice finds a board that called.
        """
        now, timelines = self._now(), self._store.timelines
        if self._called is None or now < self._called:  # the clock was set back, perhaps while none looked
            for text in await timelines.read(_DUE, since=now + 2 * CALLS_AFTER):
                await timelines.add(_DUE, text, now)
        self._called = now
        due = await timelines.read(_DUE, until=now)
        for text in due:
            if (again := await self._call(*_read(text), now)) is not None:
                await timelines.add(_DUE, text, again)
        if due:
            await timelines.cut(_DUE, until=now)

    async def _call(self, match_id: str, to: Recipient, now: datetime) -> datetime | None:
        """Call those whom a match waits for; return when that is due again, if it is not done."""
        where, person = (to, None) if isinstance(to, Address) else (None, to)
        try:
            match = (await self._store.matches.load(match_id)).match
            waited_for = self._waited_for(match)
            if to not in readers(match) or not waited_for:
                return None
            since = min(self._since(to, account) for account in waited_for)
            since = min(since, _passed(match.log[-1].at if match.log else None, now))
            if since < CALLS_AFTER:
                return now + CALLS_AFTER - since
            await self._store.matches.announce(Waiting(match, where, person))
        except Stale:  # something has just happened, perhaps the move that is waited for
            return now + timedelta(seconds=CALLS_EVERY)
        except Unavailable:
            raise
        except PlayError:  # it is gone, or cannot be read
            pass
        return None

    def _waited_for(self, match: Match) -> tuple[Account, ...]:
        course = self._table.course(match)
        on_turn = () if match.paused else waits_for(match, course)
        return tuple(one for one in (*on_turn, *has_to_answer(match, course)) if not is_engine(one))


def _passed(since: datetime | None, now: datetime) -> timedelta:
    """Return how long ago something was: very long where that is not known, or would be later."""
    return timedelta.max if since is None or since > now else now - since


def _text(match_id: str, to: Recipient) -> str:
    kind, name = ("at", to.place) if isinstance(to, Address) else ("to", to.uid)
    return json.dumps([match_id, kind, to.platform, name], ensure_ascii=False)


def _read(text: str) -> tuple[str, Recipient]:
    match_id, kind, platform, name = json.loads(text)
    return match_id, Address(platform, name) if kind == "at" else Account(platform, name)
