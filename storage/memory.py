"""The store that forgets: everything in this process. It passes the same contract tests as the real one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from play.errors import NoSuchMatch, Refused, Stale
from storage.codec import encode
from storage.keys import match_key
from storage.listing import OVER_KEPT, concerns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from play.match import Match
    from play.people import Account, Address


class MemoryStore:
    """A `play.ports.Store` in memory, for tests and trials."""

    def __init__(self) -> None:
        # A changed match moves to the end, so the order is that of changes.
        self._matches: dict[str, Match] = {}
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
            ValueError: the match could not be stored for good as it is.
        """
        committed = replace(match, revision=expected + 1)
        match_key(match.id)
        encode(committed)  # only to refuse here whatever the real store refuses
        stored = self._matches.get(match.id)
        if stored is None and expected:
            raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match.id)
        if stored is not None and stored.revision != expected:
            raise Stale(stored)
        self._matches.pop(match.id, None)
        self._matches[match.id] = committed
        return committed

    async def at(self, address: Address) -> Sequence[Match]:
        """See `Store.at`."""
        return self._latest(address)

    async def of(self, account: Account) -> Sequence[Match]:
        """See `Store.of`."""
        return self._latest(account)

    async def language(self, whose: Account | Address) -> str | None:
        """See `Store.language`."""
        return self._languages.get(whose)

    async def set_language(self, whose: Account | Address, language: str) -> None:
        """See `Store.set_language`."""
        self._languages[whose] = language

    def _latest(self, whose: Account | Address) -> Sequence[Match]:
        found = []
        over = 0
        for match in reversed(self._matches.values()):
            if concerns(match, whose):
                over += not match.live
                if match.live or over <= OVER_KEPT:
                    found.append(match)
        return tuple(found)
