"""Open seeks, and pairs of those that were opened at once or suit each other only after some time; and standing challenges.

A seek is an open challenge, an ordinary invitation, in one list of all places: who finds one joins it, and of several who join at
once, one does. A pair is made in steps, each an operation that is done once: the later invitation is withdrawn, its host takes the
free seat of the older one, and where that is gone, seeks again. What is to be done is noted before it is begun, so any bot
finishes it; one of several bots decides with whom.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

from bot.chat.registry import Registry
from bot.chat.services import Services
from play.actions.renaming import show
from play.actions.seating import Join, Withdraw
from play.errors import PlayError, Unavailable
from play.events.event import AnyFact, Changed
from play.facts import Started
from play.match import Match, Phase
from play.opening import Challenge
from play.people import Account, Address, Player, is_channel
from play.ports import Operation
from play.ratings.model import START
from play.request import Request, blocked_pairs
from play.table import Table
from play.time.clock_text import clock_of
from rules.core import RulesError
from storage.ports import FullStore

_MOST: Final = 500  # open seeks in all; of more the oldest are forgotten, and stay ordinary invitations

NEAR: Final = 150  # how far apart the ratings of a rated match may be at first
EACH_HOUR: Final = 100  # how much further apart they may be for each hour that the older seek has waited
ANY_AFTER: Final = timedelta(hours=6)  # after how long ratings do not matter
registry: Final = Registry()
registry.composing["beside"] = lambda services: Seeks(services.store).beside
registry.hooks.append(lambda services: Pairing(services.table, services.store))

_LIST: Final = "seeks"


@dataclass(frozen=True, slots=True)
class Terms:
    """What kind of match is sought: a game, the texts of options that differ from the defaults, a clock as typed, whether rated."""

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
    """An open seek: the code of its invitation, and a person's rating as people saw it when they began to seek."""

    match: str
    terms: Terms
    player: Player
    rating: int
    since: datetime

    def suits(self, other: Seek, at: datetime) -> bool:
        """Whether the two can play each other, places only places: the longer the older one has waited, the less ratings matter."""
        one, another = self.player.account, other.player.account
        if one == another or is_channel(one) is not is_channel(another) or not self.terms.fits(other.terms):
            return False
        waited = max(timedelta(), at - min(self.since, other.since))
        near = NEAR + EACH_HOUR * (waited / timedelta(hours=1))
        return not self.terms.rated or waited >= ANY_AFTER or abs(self.rating - other.rating) <= near

    def pack(self) -> str:
        """Return the seek as text."""
        terms = [self.terms.game, self.terms.options, self.terms.clock, self.terms.rated]
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
        await self._store.timelines.add(_LIST, seek.pack(), seek.since, most=_MOST)

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


Pair: TypeAlias = tuple[Seek, Seek]  # two seeks that suit each other, the older one first


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


_LOOK: Final = 10.0  # seconds between looks at the list
STANDING_KEPT: Final = timedelta(days=30)  # how long a standing challenge stands
_MOST_STANDING: Final = 500  # standing challenges in all
_UNDER_WAY: Final = "seek-pairs"
_STANDING: Final = "standing"
_LAST: Final = 20  # matches of a standing challenge that are remembered
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Standing:
    """A standing challenge: a person plays anyone, at most `limit` at once; its invitations are made at a place.

    Its `seek` has an id of its own in place of a match.
    """

    seek: Seek
    place: Address
    limit: int

    def pack(self) -> str:
        """Return it as text."""
        return json.dumps([self.seek.pack(), self.place.platform, self.place.place, self.limit])

    @classmethod
    def unpack(cls, text: str) -> Standing | None:
        """Return what a text packs; None for any other text."""
        try:
            packed, platform, place, limit = json.loads(text)
        except (TypeError, ValueError):
            return None
        seek = Seek.unpack(packed)
        return None if seek is None else cls(seek, Address(platform, place), int(limit))


class Pairing:
    """Looks at the list now and then, and renews a standing challenge with the facts of its matches.

    Any number of bots may share one store.
    """

    def __init__(self, table: Table, store: FullStore) -> None:
        self._table = table
        self._store = store
        self._seeks = Seeks(store)

    async def tick(self) -> None:
        """Finish pairs that are under way, drop seeks that are over, make new pairs, renew standing challenges."""
        at = await self._store.now()
        for text in await self._store.timelines.read(_UNDER_WAY):
            await self._finish(text, at)
        waiting = [seek for seek in await self._seeks.open() if await self._waits(seek)]
        apart: set[Pair] = set()
        while blocked := [
            (one, other)
            for one, other in pairs(waiting, at, apart)
            if not await may_meet(self._store, one.player.account, other)
        ]:
            apart.update(blocked)
        for older, later in pairs(waiting, at, apart):
            await self._pair(older, later, at)
        for text in await self._store.timelines.read(_STANDING):
            standing = Standing.unpack(text)
            if standing is None or at >= standing.seek.since + STANDING_KEPT:
                await self._store.timelines.remove(_STANDING, text)
            else:
                await self._renew(standing, at)

    async def _waits(self, seek: Seek) -> bool:
        match = await self._table.find(seek.match)
        if match is not None and match.phase is Phase.OPEN:
            return True
        await self._seeks.remove(seek)
        return False

    async def _pair(self, older: Seek, later: Seek, at: datetime) -> None:
        text = json.dumps([older.pack(), later.pack()])
        await self._store.timelines.add(_UNDER_WAY, text, at)
        await self._finish(text, at)

    async def _finish(self, text: str, at: datetime) -> None:
        older, later = map(Seek.unpack, json.loads(text))
        if older is not None and later is not None and await self._withdrawn(later, older, at):
            if await self._joined(later, older, at):
                await self._seeks.remove(older)
            else:
                await self._again(later, at)
        await self._store.timelines.remove(_UNDER_WAY, text)

    async def _withdrawn(self, seek: Seek, older: Seek, at: datetime) -> bool:
        # Of bots that have noted different pairs, one does: the operation has the older invitation as its payload.
        request = self._request(seek, older, "out", at)
        done = await self._done(self._table.act(seek.match, Withdraw(), request))
        await self._seeks.remove(seek)
        return done

    async def _joined(self, seek: Seek, older: Seek, at: datetime) -> bool:
        mine, match = await self._table.find(seek.match), await self._table.find(older.match)
        if mine is not None and match is not None:
            request = self._request(seek, older, "shown", at)
            await self._done(show(self._table, match, mine.addresses[0], request, joins=True))
        return await self._done(self._table.act(older.match, Join(), self._request(seek, older, "in", at)))

    async def _done(self, act: Awaitable[object], what: str = "a pair") -> bool:
        try:
            await act
        except Unavailable:
            raise
        except (PlayError, RulesError) as refused:
            _log.info("%s: %s", what, refused)
            return False
        return True

    async def _again(self, seek: Seek, at: datetime) -> None:
        if (mine := await self._table.find(seek.match)) is not None:
            request = self._request(seek, seek, "again", at)
            made = await opened(self._table, seek.terms, mine.addresses[0], request)
            await self._seeks.add(replace(seek, match=made.id))

    def _request(self, seek: Seek, older: Seek, step: str, at: datetime) -> Request:
        return Request(seek.player, at, operation=Operation(f"seek:{seek.match}:{step}", older.match))

    # --- standing challenges

    async def __call__(self, fact: AnyFact) -> Iterable[AnyFact]:
        """Renew the host's standing challenges when a match of two has begun or is over; return no further facts."""
        if isinstance(fact, Changed) or len(fact.match.chairs) != 2:
            return ()
        if isinstance(fact, Started) or not fact.match.live:
            for standing in await self.standing_of(fact.match.host.account):
                await self._renew(standing, await self._store.now())
        return ()

    async def stand(self, standing: Standing) -> None:
        """Add a standing challenge, once."""
        await self._store.timelines.add(_STANDING, standing.pack(), standing.seek.since, most=_MOST_STANDING)

    async def standing_of(self, account: Account) -> Sequence[Standing]:
        """Return a person's standing challenges."""
        found = map(Standing.unpack, await self._store.timelines.read(_STANDING))
        return [each for each in found if each is not None and each.seek.player.account == account]

    async def end(self, standing: Standing) -> None:
        """Remove a standing challenge."""
        await self._store.timelines.remove(_STANDING, standing.pack())

    async def _renew(self, standing: Standing, at: datetime) -> None:
        await self._done(self._open_next(standing, at), f"the standing challenge {standing.seek.match}")

    async def _open_next(self, standing: Standing, at: datetime) -> None:
        seek = standing.seek
        note = f"standing:{seek.player.account}:{seek.match}"
        (text,) = await self._store.notes.read(note)
        codes: list[str] = json.loads(text) if text else []
        found = [await self._table.find(code) for code in codes[-_LAST:]]
        phases = [match.phase for match in found if match is not None]
        if Phase.OPEN in phases or phases.count(Phase.PLAYING) >= standing.limit:
            return
        if found and found[-1] is not None and found[-1].cancelled is not None and found[-1].expires > at:
            await self._store.timelines.remove(_STANDING, standing.pack())  # its person has withdrawn it
            return
        operation = Operation(f"standing:{seek.match}:{len(codes)}", seek.match)
        request = Request(seek.player, at, operation=operation)
        made = await opened(self._table, seek.terms, standing.place, request)
        await self._store.notes.write(note, json.dumps([*codes, made.id]), keep=STANDING_KEPT)
        rating = await shown_rating(self._store, seek)
        await self._seeks.add(replace(seek, match=made.id, rating=rating, since=made.opened))


@registry.periodically("opponents", _LOOK)
async def _pair(services: Services, *_: object) -> None:
    await Pairing(services.table, services.store).tick()


async def opened(table: Table, terms: Terms, place: Address, request: Request) -> Match:
    """Open the invitation of a seek; the seats are dealt at random."""
    chosen = dict(terms.options)
    challenge = Challenge(place, terms.game, chosen, side="random", clock=terms.clock, rated=terms.rated)
    return (await table.open(challenge, request)).match


async def may_meet(store: FullStore, one: Account, other: Seek) -> bool:
    """Whether neither of a person and one who seeks has blocked the other."""
    return not await blocked_pairs(store.settings, (one, other.player.account))


async def shown_rating(store: FullStore, of: Seek) -> int:
    """Return a person's rating in the game that they seek, as people see it."""
    (rating,) = await store.ratings.get(of.terms.game, of.player.account)
    return rating.shown if rating else START
