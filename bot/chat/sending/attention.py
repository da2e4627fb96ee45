"""Who looks at a place, and who is still to be called there because a board changed in place.

A board that changes calls no one. Players who act at its place see it; if they do nothing for a minute after, they are called by a
fresh board. When that is due stands in the store, so a process that ends forgets no call; who acts where is known to a process alone,
and one that does not know calls.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from bot.chat.fair_queue import Recent
from bot.chat.presenting.boards import has_to_answer, waits_for
from bot.chat.sending.ports import Recipient
from bot.chat.sending.unreached import announce
from play.errors import NoSuchMatch, PlayError
from play.facts import Waiting
from play.match import Match
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


def acted_lately(match: Match, account: Account, at: datetime) -> bool:
    """Whether the log of a match shows that a player looks."""
    for entry in reversed(match.log):
        if at - entry.at > LOOKS:
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
        self._acted = Recent[tuple[Recipient, Account], datetime](_KEPT)

    def acted(self, where: Recipient, *who: Account) -> None:
        """Note that a person has pressed or typed something at a place, or in private, by any of their accounts."""
        for account in who:
            self._acted[where, account] = self._now()

    def looks(self, where: Recipient, who: Iterable[Account]) -> bool:
        """Whether people have all acted there lately."""
        return all(self._since(where, account) <= LOOKS for account in who)

    def _since(self, where: Recipient, account: Account) -> timedelta:
        last = self._acted.get((where, account))
        return timedelta.max if last is None else self._now() - last

    async def call_later(self, match_id: str, to: Recipient) -> None:
        """Have those whom a match waits for be called there in a minute; if that was due before, then instead."""
        await self._store.timelines.add(_DUE, _text(match_id, to), self._now() + CALLS_AFTER)

    async def call_no_more(self, match_id: str, to: Recipient) -> None:
        """Call no one there, since a fresh board did."""
        await self._store.timelines.remove(_DUE, _text(match_id, to))

    async def call(self) -> None:
        """Call all for whom that is due, save those who have acted since: they are called a minute after that."""
        now = self._now()
        for text in await self._store.timelines.read(_DUE, until=now):
            match_id, to = _read(text)
            with suppress(NoSuchMatch):
                match = (await self._store.matches.load(match_id)).match
                since = self._since_waited_for(match, to)
                if since < CALLS_AFTER:
                    await self._store.timelines.add(_DUE, text, now + CALLS_AFTER - since)
                    continue
                where, person = (to, None) if isinstance(to, Address) else (None, to)
                await announce(self._store.matches, Waiting(match, where, person))
            await self._store.timelines.remove(_DUE, text)

    def _since_waited_for(self, match: Match, to: Recipient) -> timedelta:
        """How long ago the last of those acted whom a match waits for."""
        waited_for: Sequence[Account] = ()
        with suppress(PlayError):
            course = self._table.course(match)
            waited_for = (*waits_for(match, course), *has_to_answer(match, course))
        return min((self._since(to, account) for account in waited_for), default=timedelta.max)


def _text(match_id: str, to: Recipient) -> str:
    kind, name = ("at", to.place) if isinstance(to, Address) else ("to", to.uid)
    return json.dumps([match_id, kind, to.platform, name], ensure_ascii=False)


def _read(text: str) -> tuple[str, Recipient]:
    match_id, kind, platform, name = json.loads(text)
    return match_id, Address(platform, name) if kind == "at" else Account(platform, name)
