"""What passes between events and their matches; the sender passes every fact at least once, so nothing is missed."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from typing import Final

from play.errors import PlayError, Unavailable
from play.events.events import Events
from play.events.facts import AnyFact, Changed
from play.events.matches import report, serve
from play.request import CLOCKWORK, Request
from rules.core import RulesError

_log: Final = logging.getLogger(__name__)


class EventMatches:
    """Opens the matches that events want, and reports those that are over.

    Raises:
        Unavailable: the store does not answer; the fact comes again.
    """

    def __init__(self, events: Events, now: Callable[[], Awaitable[datetime]]) -> None:
        self._events = events
        self._now = now

    async def __call__(self, fact: AnyFact) -> Iterable[AnyFact]:
        """Follow a fact; return no further facts."""
        if not isinstance(fact, Changed) and (fact.match.event is None or fact.match.live):
            return ()
        request = Request(CLOCKWORK, await self._now())
        try:
            if isinstance(fact, Changed):
                await serve(self._events, fact, request)
            else:
                await report(self._events, fact.match, request)
        except Unavailable:
            raise
        except (
            PlayError,
            RulesError,
        ) as broken:  # a game that is not known any more, or a log that does not replay
            _log.error("an event cannot go on: %s", broken)
        return ()
