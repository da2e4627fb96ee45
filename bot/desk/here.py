"""The matches of a room, looked up once for a request however often they are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from play.match import Match
from play.people import Account, Address
from play.ports import Store


class Here:
    """What is shown at one place, as it was when a request first asked.

    A request looks at the room several times: for what is overdue, and for each kind of match that could be meant. The
    table decides on the match as it is then, so that an old look costs nobody a move.
    """

    __slots__ = ("_all", "_live", "_own", "_place", "_store")

    def __init__(self, store: Store, place: Address) -> None:
        self._store = store
        self._place = place
        self._live: Sequence[Match] | None = None
        self._all: Sequence[Match] | None = None
        self._own: Sequence[Match] | None = None

    async def live(self) -> Sequence[Match]:
        """The matches that are not over, the latest change first: all that most requests need."""
        if self._live is None:
            self._live = await self._store.matches.at(self._place, over=False)
        return self._live

    async def matches(self) -> Sequence[Match]:
        """The matches, those that are over included, the latest change first."""
        if self._all is None:
            self._all = await self._store.matches.at(self._place)
        return self._all

    async def own(self, account: Account) -> Sequence[Match]:
        """The matches of whoever asks, at all places."""
        if self._own is None:
            self._own = await self._store.matches.of(account)
        return self._own

    def changed(self) -> None:
        """Look again next time: the request itself has changed something here."""
        self._live = self._all = self._own = None
