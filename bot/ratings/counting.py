"""Counting of matches that are over: the sender passes every fact at least once, so no end of a match is missed."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from bot.ratings.record_store import Records
from play.errors import PlayError, Unavailable
from play.events.facts import AnyFact, Changed
from play.ratings.counting import counted
from play.table import Table
from storage.ports import FullStore

_log: Final = logging.getLogger(__name__)


class Counts:
    """Counts rated matches that are over, and stores the records of people, also where an end is shown nowhere.

    Raises:
        Unavailable: the store does not say whether a match has been counted; the fact comes again.
    """

    def __init__(self, table: Table, store: FullStore) -> None:
        self._table = table
        self._records = Records(store)

    async def __call__(self, fact: AnyFact) -> Iterable[AnyFact]:
        """Count the match of a fact; return no further facts."""
        if isinstance(fact, Changed):
            return ()
        try:
            changes = await counted(self._table, fact.match)
            await self._records.add(self._table, fact.match, changes)
        except Unavailable:
            raise
        except PlayError as broken:  # it cannot be replayed, or is gone
            _log.error("match %s cannot be counted: %s", fact.match.id, broken)
        return ()
