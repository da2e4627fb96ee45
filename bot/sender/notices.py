"""Private notices to players who asked to know when they are next."""

from __future__ import annotations

from collections.abc import Iterable

from bot.sender.routing import MessageKind, message_kind
from play.events.facts import AnyFact, Changed
from play.facts import Absent, HeadsUp, Reached, Reminded
from play.match import Phase
from play.ports import Store
from play.table import Table
from play.time.reminders import heads_up


class NextTurnNotices:
    """Makes a notice for the player who is next after a fact, where they want one.

    Raises:
        Unavailable: the store does not say what they want.
    """

    def __init__(self, table: Table, store: Store) -> None:
        self._table = table
        self._store = store

    async def __call__(self, fact: AnyFact) -> Iterable[AnyFact]:
        """Return the notice that follows from a fact, if it begins a turn."""
        if (
            isinstance(fact, Changed | Reminded | HeadsUp | Reached | Absent)
            or message_kind(fact) is not MessageKind.BOARD
        ):
            return ()
        if fact.match.phase is not Phase.PLAYING or len(fact.match.chairs) < 3:
            return ()
        found = heads_up(fact.match, self._table.course(fact.match))
        if found is None:
            return ()
        chosen = await self._store.settings.get(found.to)
        if not chosen.heads_up or fact.match.id in chosen.muted:
            return ()
        return (found,)
