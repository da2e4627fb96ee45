"""What follows from facts about events and their matches; the sender passes every fact at least once, so nothing is missed."""

from __future__ import annotations

from collections.abc import Iterable

from bot.events.honours import store_places
from play.errors import Unavailable
from play.events.errors import StaleEvent
from play.events.events import Events
from play.events.facts import AnyFact, Changed
from play.events.matches import report, serve
from play.request import CLOCKWORK, Request
from play.table import Table
from storage.ports import FullStore


class EventMatches:
    """Opens the matches that events want, reports those that are over, and stores the places of cups.

    Raises:
        Unavailable: the store does not answer; the fact comes again.
    """

    def __init__(self, table: Table, store: FullStore) -> None:
        self._events = Events(table, store)
        self._store = store

    async def __call__(self, fact: AnyFact) -> Iterable[AnyFact]:
        """Follow a fact; return no further facts."""
        if not isinstance(fact, Changed) and (fact.match.event is None or fact.match.live):
            return ()
        request = Request(CLOCKWORK, await self._store.now())
        try:
            if isinstance(fact, Changed):
                await serve(self._events, fact, request)
                await store_places(self._store, fact)
            else:
                await report(self._events, fact.match, request)
        except StaleEvent as busy:
            raise Unavailable from busy
        return ()
