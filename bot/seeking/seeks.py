"""Open seeks. A seek is an open challenge, an ordinary invitation, in one list of all places: who finds one joins it.

So a pair is made as any seat is taken: of several who join at once, one does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

from play.match import Match
from play.people import Account, Player
from play.time.clock_text import clock_of
from storage.ports import FullStore

MOST: Final = 500
"""Open seeks in all; of more the oldest are forgotten, and stay ordinary invitations."""

NEAR: Final = 150
"""How far apart the ratings of a rated match may be at first."""

EACH_HOUR: Final = 100
"""How much further apart they may be for each hour that the older seek has waited."""

ANY_AFTER: Final = timedelta(hours=6)
"""After how long ratings do not matter."""

_LIST: Final = "seeks"
_HOUR: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Terms:
    """What kind of match is sought.

    Attributes:
        game: Its key.
        options: The texts of options that differ from the defaults.
        clock: As typed; None for no clock.
        rated: Whether it is to count for ratings.
    """

    game: str
    options: tuple[tuple[str, str], ...] = ()
    clock: str | None = None
    rated: bool = False

    def fits(self, other: Terms) -> bool:
        """Whether one match can be both."""
        alike = (self.game, self.options, self.rated) == (other.game, other.options, other.rated)
        return alike and clock_of(self.clock) == clock_of(other.clock)


@dataclass(frozen=True, slots=True)
class Seek:
    """An open seek.

    Attributes:
        match: The code of its invitation.
        terms: What kind of match is sought.
        player: Who seeks.
        rating: Their rating as people see it, when they began to seek.
        since: Since when they seek.
    """

    match: str
    terms: Terms
    player: Player
    rating: int
    since: datetime

    def suits(self, other: Seek, at: datetime) -> bool:
        """Whether the two can play each other: the longer the older one has waited, the less ratings matter."""
        if self.player.account == other.player.account or not self.terms.fits(other.terms):
            return False
        waited = max(timedelta(), at - min(self.since, other.since))
        near = NEAR + EACH_HOUR * (waited / _HOUR)
        return not self.terms.rated or waited >= ANY_AFTER or abs(self.rating - other.rating) <= near

    def pack(self) -> str:
        """Return the seek as text."""
        terms = [
            self.terms.game,
            [list(pair) for pair in self.terms.options],
            self.terms.clock,
            self.terms.rated,
        ]
        who = [self.player.account.platform, self.player.account.uid, self.player.name]
        return json.dumps([self.match, *terms, *who, self.rating, self.since.timestamp()], ensure_ascii=False)

    @classmethod
    def unpack(cls, text: str) -> Seek | None:
        """Return the seek in a text of `pack`; None for any other."""
        try:
            match, game, options, clock, rated, platform, uid, name, rating, since = json.loads(text)
            terms = Terms(game, tuple((key, value) for key, value in options), clock, rated)
            begun = datetime.fromtimestamp(since, UTC)
            return cls(match, terms, Player(Account(platform, uid), name), rating, begun)
        except (TypeError, ValueError):
            return None


class Seeks:
    """The list of open seeks."""

    def __init__(self, store: FullStore) -> None:
        self._store = store

    async def add(self, seek: Seek) -> None:
        """Add a seek, once."""
        await self._store.timelines.add(_LIST, seek.pack(), seek.since, most=MOST)

    async def remove(self, seek: Seek) -> None:
        """Remove a seek, if it is there."""
        await self._store.timelines.remove(_LIST, seek.pack())

    async def open(self) -> Sequence[Seek]:
        """Return the seeks, the oldest first. The invitation of one may be taken or called off already."""
        found = map(Seek.unpack, await self._store.timelines.read(_LIST))
        return [seek for seek in found if seek is not None]

    async def of(self, account: Account) -> Sequence[Seek]:
        """Return a person's seeks."""
        return [seek for seek in await self.open() if seek.player.account == account]

    async def beside(self, match: Match) -> Sequence[str]:
        """Return the codes of the other seeks of its host, where a match is sought. The invitation of one may be over."""
        codes = [seek.match for seek in await self.of(match.host.account)]
        return [code for code in codes if code != match.id] if match.id in codes else []


Pair: TypeAlias = tuple[Seek, Seek]
"""Two seeks that suit each other, the older one first."""


def pairs(seeks: Sequence[Seek], at: datetime, apart: AbstractSet[Pair] = frozenset()) -> Iterator[Pair]:
    """Yield the pairs of seeks that suit each other, but for those to be kept `apart`; each seek at most once."""
    taken: set[str] = set()
    for number, seek in enumerate(seeks):
        if seek.match in taken:
            continue
        for later in seeks[number + 1 :]:
            if later.match not in taken and (seek, later) not in apart and seek.suits(later, at):
                taken |= {seek.match, later.match}
                yield seek, later
                break
