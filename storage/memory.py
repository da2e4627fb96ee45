"""The store that forgets: everything in this process. It passes the same contract tests as the real one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from play.errors import NoSuchMatch, Refused, Stale

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from play.match import Match
    from play.people import Account, Address

OVER_KEPT = 20
"""How many matches that are over a list shows: the "last few" of the port."""


class MemoryStore:
    """A `play.ports.Store` in memory, for tests and trials."""

    def __init__(self) -> None:
        self._matches: dict[
            str, Match
        ] = {}  # a changed match moves to the end, so the order is that of changes
        self._languages: dict[Account | Address, str] = {}

    async def load(self, match_id: str) -> Match:
        """See `Store.load`."""
        try:
            return self._matches[match_id]
        except KeyError:
            raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match_id) from None

    async def commit(self, match: Match, expected: int) -> Match:
        """See `Store.commit`.

        Raises:
            NoSuchMatch: a revision is expected, and nothing at all is stored.
        """
        stored = self._matches.get(match.id)
        if stored is None and expected:
            raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match.id)
        if stored is not None and stored.revision != expected:
            raise Stale(stored)
        self._matches.pop(match.id, None)
        committed = replace(match, revision=expected + 1)
        self._matches[match.id] = committed
        return committed

    async def at(self, address: Address) -> Sequence[Match]:
        """See `Store.at`."""
        return self._latest(lambda match: address in match.addresses)

    async def of(self, account: Account) -> Sequence[Match]:
        """See `Store.of`."""
        return self._latest(lambda match: account in match.people())

    async def language(self, whose: Account | Address) -> str | None:
        """See `Store.language`."""
        return self._languages.get(whose)

    async def set_language(self, whose: Account | Address, language: str) -> None:
        """See `Store.set_language`."""
        self._languages[whose] = language

    def _latest(self, concerns: Callable[[Match], bool]) -> Sequence[Match]:
        found = []
        over = 0
        for match in reversed(self._matches.values()):
            if concerns(match):
                over += not match.live
                if match.live or over <= OVER_KEPT:
                    found.append(match)
        return tuple(found)
