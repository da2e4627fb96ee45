"""Pairs those who seek: seeks that were opened at once, or that suit each other only after some time; and standing challenges.

A pair is made in steps, each an operation that is done once: the later invitation is withdrawn, its host takes the
free seat of the older one, and where that is gone, seeks again. What is to be done is noted before it is begun, so any bot
finishes it; one of several bots decides with whom.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from bot.periodic import periodically
from bot.seeking.seeks import Pair, Seek, Seeks, Terms, pairs
from bot.sender.backoff import Sleep
from play.actions.invitations import Withdraw
from play.actions.seating import Join
from play.actions.watching import show
from play.blocking import blocked_pairs
from play.errors import PlayError, Unavailable
from play.events.facts import AnyFact, Changed
from play.facts import Fact, Started
from play.match import Match, Phase
from play.opening import Challenge
from play.people import Account, Address, Player
from play.ports import Operation
from play.ratings.model import START
from play.request import Request
from play.table import Table
from rules.core import RulesError
from storage.faults import fault
from storage.ports import FullStore

LOOK: Final = 10.0
"""Seconds between looks at the list."""

STANDING_KEPT: Final = timedelta(days=30)
"""How long a standing challenge stands."""

MOST_STANDING: Final = 500
"""Standing challenges in all."""

_UNDER_WAY: Final = "seek-pairs"
_STANDING: Final = "standing"
_LAST: Final = 20  # matches of a standing challenge that are remembered

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Standing:
    """A standing challenge: a person plays anyone, so many at once.

    Attributes:
        id: Tells it from others.
        terms: What kind of match.
        player: Who.
        place: Where its invitations are made.
        limit: How many of its matches are played at once.
        since: Since when it stands.
    """

    id: str
    terms: Terms
    player: Player
    place: Address
    limit: int
    since: datetime

    def pack(self) -> str:
        """Return it as text."""
        seek = Seek(self.id, self.terms, self.player, 0, self.since)
        return json.dumps([seek.pack(), self.place.platform, self.place.place, self.limit])

    @classmethod
    def unpack(cls, text: str) -> Standing | None:
        """Return what a text packs; None for any other text."""
        try:
            packed, platform, place, limit = json.loads(text)
        except (TypeError, ValueError):
            return None
        seek = Seek.unpack(packed)
        if seek is None:
            return None
        return cls(seek.match, seek.terms, seek.player, Address(platform, place), int(limit), seek.since)


class Pairing:
    """Looks at the list now and then, and renews a standing challenge with the facts of its matches.

    Any number of bots may share one store.
    """

    def __init__(self, table: Table, store: FullStore, *, sleep: Sleep = asyncio.sleep) -> None:
        self._table = table
        self._store = store
        self._sleep = sleep
        self._seeks = Seeks(store)

    async def run(self) -> None:
        """Pair until cancelled."""
        await periodically(self.tick, LOOK, self._sleep, "pairing seeks")

    async def tick(self) -> None:
        """Finish pairs that are under way, drop seeks that are over, make new pairs, renew standing challenges.

        Raises:
            Unavailable: the store does not answer.
        """
        at = await self._store.now()
        for text in await self._store.timelines.read(_UNDER_WAY):
            await self._finish(text, at)
        waiting = [seek for seek in await self._seeks.open() if await self._waits(seek)]
        apart: set[Pair] = set()
        while blocked := [pair for pair in pairs(waiting, at, apart) if not await self._may_meet(*pair)]:
            apart.update(blocked)
        for older, later in pairs(waiting, at, apart):
            await self._pair(older, later, at)
        for text in await self._store.timelines.read(_STANDING):
            standing = Standing.unpack(text)
            if standing is None or at >= standing.since + STANDING_KEPT:
                await self._store.timelines.remove(_STANDING, text)
            else:
                await self._renew(standing, at)

    async def _waits(self, seek: Seek) -> bool:
        """Whether a seek's invitation is still open; a seek whose is not is dropped."""
        match = await self._table.find(seek.match)
        if match is not None and match.phase is Phase.OPEN:
            return True
        await self._seeks.remove(seek)
        return False

    async def _may_meet(self, one: Seek, other: Seek) -> bool:
        return not await blocked_pairs(self._store.settings, (one.player.account, other.player.account))

    async def _pair(self, older: Seek, later: Seek, at: datetime) -> None:
        """Note a pair, and make it."""
        text = json.dumps([older.pack(), later.pack()])
        await self._store.timelines.add(_UNDER_WAY, text, at)
        fault("seek-noted")
        await self._finish(text, at)

    async def _finish(self, text: str, at: datetime) -> None:
        """Make a noted pair, from wherever it was left."""
        older, later = map(Seek.unpack, json.loads(text))
        if older is not None and later is not None and await self._withdrawn(later, older, at):
            fault("seek-withdrawn")
            if await self._joined(later, older, at):
                await self._seeks.remove(older)
            else:
                await self._again(later, at)
        fault("seek-joined")
        await self._store.timelines.remove(_UNDER_WAY, text)

    async def _withdrawn(self, seek: Seek, older: Seek, at: datetime) -> bool:
        """Withdraw an invitation for a pair; whether this pair did: it may have been taken or withdrawn before.

        Of bots that have noted different pairs, one does: the operation has the older invitation as its payload.
        """
        done = await self._done(
            self._table.act(seek.match, Withdraw(), self._request(seek, older, "out", at))
        )
        await self._seeks.remove(seek)
        return done

    async def _joined(self, seek: Seek, older: Seek, at: datetime) -> bool:
        """Show the older invitation where the later one was, and take its seat."""
        mine, match = await self._table.find(seek.match), await self._table.find(older.match)
        if mine is not None and match is not None:
            request = self._request(seek, older, "shown", at)
            await self._done(show(self._table, match, mine.addresses[0], request, joins=True))
        return await self._done(self._table.act(older.match, Join(), self._request(seek, older, "in", at)))

    async def _done(self, act: Awaitable[Fact]) -> bool:
        try:
            await act
        except Unavailable:
            raise
        except (PlayError, RulesError) as refused:
            _log.info("a pair: %s", refused)
            return False
        return True

    async def _again(self, seek: Seek, at: datetime) -> None:
        """Open a seek once more whose opponent was gone."""
        mine = await self._table.find(seek.match)
        if mine is None:
            return
        operation = Operation(f"seek:{seek.match}:again", seek.match)
        made = await opened(
            self._table, seek.terms, mine.addresses[0], Request(seek.player, at, operation=operation)
        )
        await self._seeks.add(replace(seek, match=made.id))

    def _request(self, seek: Seek, older: Seek, step: str, at: datetime) -> Request:
        return Request(seek.player, at, operation=Operation(f"seek:{seek.match}:{step}", older.match))

    # --- standing challenges

    async def __call__(self, fact: AnyFact) -> Iterable[AnyFact]:
        """Renew the host's standing challenges when a match of two has begun or is over; return no further facts.

        Raises:
            Unavailable: the store does not answer; the fact comes again.
        """
        if isinstance(fact, Changed) or len(fact.match.chairs) != 2:
            return ()
        if isinstance(fact, Started) or not fact.match.live:
            for standing in await self.standing_of(fact.match.host.account):
                await self._renew(standing, await self._store.now())
        return ()

    async def stand(self, standing: Standing) -> None:
        """Add a standing challenge, once."""
        await self._store.timelines.add(_STANDING, standing.pack(), standing.since, most=MOST_STANDING)

    async def standing_of(self, account: Account) -> Sequence[Standing]:
        """Return a person's standing challenges."""
        found = map(Standing.unpack, await self._store.timelines.read(_STANDING))
        return [each for each in found if each is not None and each.player.account == account]

    async def end(self, standing: Standing) -> None:
        """Remove a standing challenge."""
        await self._store.timelines.remove(_STANDING, standing.pack())

    async def _renew(self, standing: Standing, at: datetime) -> None:
        """Open the next invitation of a standing challenge, if none is open and fewer than its matches are played."""
        try:
            await self._open_next(standing, at)
        except Unavailable:
            raise
        except (PlayError, RulesError) as refused:
            _log.info("the standing challenge %s: %s", standing.id, refused)

    async def _open_next(self, standing: Standing, at: datetime) -> None:
        note = f"standing:{standing.player.account}:{standing.id}"
        (text,) = await self._store.notes.read(note)
        codes: list[str] = json.loads(text) if text else []
        found = [await self._table.find(code) for code in codes[-_LAST:]]
        phases = [match.phase for match in found if match is not None]
        if Phase.OPEN in phases or phases.count(Phase.PLAYING) >= standing.limit:
            return
        if found and found[-1] is not None and found[-1].cancelled is not None and found[-1].expires > at:
            await self._store.timelines.remove(_STANDING, standing.pack())  # its person has withdrawn it
            return
        operation = Operation(f"standing:{standing.id}:{len(codes)}", standing.id)
        request = Request(standing.player, at, operation=operation)
        made = await opened(self._table, standing.terms, standing.place, request)
        fault("standing-opened")
        await self._store.notes.write(note, json.dumps([*codes, made.id]), keep=STANDING_KEPT)
        rating = await shown_rating(self._store, standing)
        await self._seeks.add(Seek(made.id, standing.terms, standing.player, rating, made.opened))


async def opened(table: Table, terms: Terms, place: Address, request: Request) -> Match:
    """Open the invitation of a seek; the seats are dealt at random.

    Raises:
        PlayError, RulesError: such a match cannot be opened.
    """
    chosen = dict(terms.options)
    challenge = Challenge(place, terms.game, chosen, side="random", clock=terms.clock, rated=terms.rated)
    return (await table.open(challenge, request)).match


async def shown_rating(store: FullStore, of: Standing | Seek) -> int:
    """Return a person's rating in the game that they seek, as people see it."""
    (rating,) = await store.ratings.get(of.terms.game, of.player.account)
    return rating.shown if rating else START
