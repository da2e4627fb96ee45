"""Telling those who asked for it that they are next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from bot.sender.routing import Placement, placement
from play.facts import Fact, HeadsUp, Reminded
from play.match import Phase
from play.ports import Store
from play.table import Table
from play.time.reminders import heads_up


class NextTurnNotices:
    """Finds who is next after a fact, and whether they want to hear of it.

    Raises:
        Unavailable: the store does not say what they want.
    """

    def __init__(self, table: Table, store: Store) -> None:
        self._table = table
        self._store = store

    async def __call__(self, fact: Fact) -> Iterable[Fact]:
        """What else is to be told because of a fact: that somebody is next, if it begins a turn."""
        if isinstance(fact, Reminded | HeadsUp) or placement(fact) is not Placement.BOARD:
            return ()
        if fact.match.phase is not Phase.PLAYING or len(fact.match.chairs) < 3:
            return ()
        found = heads_up(fact.match, self._table.course(fact.match))
        if found is None or not (await self._store.settings.get(found.to)).heads_up:
            return ()
        return (found,)


class Hearers:
    """Several that want to hear of each fact."""

    def __init__(self, *hearers: Callable[[Fact], Awaitable[Iterable[Fact]]]) -> None:
        self._hearers = hearers

    async def __call__(self, fact: Fact) -> Iterable[Fact]:
        """What else is to be told because of a fact, by any of them."""
        return [also for hearer in self._hearers for also in await hearer(fact)]
