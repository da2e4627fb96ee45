"""People whom a message does not reach: they are called in private or elsewhere; where that cannot be, the others are told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from bot.chat.fair_queue import Recent
from bot.chat.presenting.boards import has_to_answer, waits_for
from bot.chat.sending.ports import Blocked, Gone, Recipient
from bot.chat.sending.queue import Bundle
from bot.chat.sending.routing import (
    MessageKind,
    is_for_readers,
    message_kind,
    parted,
    pinged_at,
    readers,
    state_address,
)
from play.errors import PlayError, Stale
from play.facts import Absent, Challenged, Fact, Reached, Told, Unreached, Waiting
from play.match import Match, Phase
from play.people import Account, Address, Player, private_place
from play.ports import MatchStore
from play.settings import Settings
from play.table import Table
from storage.ports import AddressState, FullStore, Outgoing

MOST: Final = 10  # boards that are shown; the last one says how many matches more there are


async def reopen(matches: MatchStore, outgoing: Outgoing, to: Recipient) -> None:
    """Send to a recipient again, if that was given up, and first of all the boards that they missed.

    The boards are queued before the mark is cleared: a process that ends in between loses none. If they are queued
    again, none is shown twice: the delivery knows the revision that was shown last. What happens in between is dropped
    by the mark, so those boards are queued after it.
    """
    if await outgoing.dead(state_address(to)) is None:
        return
    missed = await _missed(matches, outgoing, to)
    for place, match in reversed(list(enumerate(missed[:MOST]))):
        more = 0 if place else max(0, len(missed) - MOST)
        await announce(matches, Reached(match, *_split(to), more))
    await outgoing.set_dead(state_address(to), None)
    revisions = {match.id: match.revision for match in missed}
    for match in await _missed(matches, outgoing, to):
        if match.revision != revisions.get(match.id):
            await announce(matches, Reached(match, *_split(to)))


def _split(to: Recipient) -> tuple[Address | None, Account | None]:
    return (to, None) if isinstance(to, Address) else (None, to)


async def _missed(matches: MatchStore, outgoing: Outgoing, to: Recipient) -> Sequence[Match]:
    if isinstance(to, Address):
        live = [match for match in await matches.at(to, over=False) if to in readers(match)]
    else:
        left = (await outgoing.known(state_address(to), to)).chosen[to].left
        live = [match for match in await matches.of(to) if match.live and pinged_at(match, to, left) == to]
    shown = await asyncio.gather(*[outgoing.shown(match.id, state_address(to)) for match in live])
    both = zip(live, shown, strict=True)
    return [match for match, known in both if known is None or known.revision < match.revision]


async def announce(matches: MatchStore, fact: Fact) -> None:
    """Queue a fact about a match as it is, with the match as it is by then."""
    while True:
        try:
            return await matches.announce(fact)
        except Stale as newer:
            fact = replace(fact, match=newer.match)


LOOK_EVERY: Final = timedelta(hours=1)
"""How long what a platform says about whether a person reads a place is believed."""

LOOKED: Final = 20_000  # people, counted in each place, of whom that is remembered
MOST_LEFT: Final = 50  # places that are remembered as left, of one person
NOTIFY_AGAIN: Final = timedelta(days=30)  # until it is told again that the bot cannot write to a person

Reads: TypeAlias = Callable[[Address, Account], Awaitable[bool]]
"""See `Courier.reads`."""

Letters: TypeAlias = Mapping[Recipient, Sequence[Fact]]


async def leave(table: Table, where: Address, who: Account) -> None:
    """Call a person in private from now on, where a match is shown at no other place that they read.

    That is announced before it is stored: a process that ends in between does so twice at most.
    """
    settings = table.store.settings
    first = (await settings.get(who)).person or who
    chosen = await settings.get(first)
    if where in chosen.left:
        return
    accounts = (first, *chosen.others)
    for match in await table.store.matches.of(first):
        before = _place_of(match, accounts, chosen.left)
        left = before is not None and not _place_of(match, accounts, (*chosen.left, where))
        if before is not None and left and _plays(table, match, first):
            player = next(one for one in match.players() if one.account == first)
            await announce(table.store.matches, Absent(match, player, before))
    await settings.change(
        first, lambda now: replace(now, left=tuple(dict.fromkeys((*now.left, where)))[-MOST_LEFT:])
    )


async def come_back(table: Table, where: Address, who: Account) -> None:
    """Call a person at a place again, if they had left it."""
    settings = table.store.settings
    first = (await settings.get(who)).person or who
    if where in (await settings.get(first)).left:
        await settings.change(first, lambda now: read_again(now, where))


def read_again(chosen: Settings, *where: Address) -> Settings:
    """Return the settings of a person who reads some places again."""
    return replace(chosen, left=tuple(place for place in chosen.left if place not in where))


class Unreachable:
    """Says what follows where a message does not reach a person. What was told once stands in notes."""

    def __init__(self, table: Table, store: FullStore, now: Callable[[], datetime]) -> None:
        self._table = table
        self._store = store
        self._now = now
        self._looked = Recent[tuple[Address, Account], tuple[datetime, bool]](LOOKED)

    async def follow(self, bundle: Bundle, to: Recipient, gone: Gone | None, reads: Reads) -> Letters:
        """See `bot.chat.sending.sender.DeliveryHook`."""
        _, news = parted(bundle.facts)
        if not news or bundle.known is None:
            return {}
        case = _DeliveryCase(bundle, news, to, bundle.known)
        letters = dict(await self._follow(case, gone, reads))
        for writer, lost in case.undelivered().items() if gone is not None else ():
            letters[writer] = [*letters.get(writer, ()), *lost]
        return letters

    async def _follow(self, case: _DeliveryCase, gone: Gone | None, reads: Reads) -> Letters:
        to = case.to
        if gone is not None and (who := case.person(gone)) is not None:
            return await self._missed(case, who, gone, reads)
        if isinstance(to, Account):
            return case.announced(reached=True)
        if gone is None:
            for one in case.bundle.pinged:
                await self._look(to, one, reads)
        return case.in_private(dead=gone is not None)

    async def _look(self, where: Address, who: Account, reads: Reads) -> bool:
        if who.platform != where.platform:
            return True
        at, there = self._looked.get((where, who), (None, True))
        if at is None or self._now() - at >= LOOK_EVERY:
            there = await reads(where, who)
            if not there:
                await leave(self._table, where.chat, who)
            self._looked[where, who] = self._now(), there
        return there

    async def _missed(self, case: _DeliveryCase, who: Account, gone: Gone, reads: Reads) -> Letters:
        if isinstance(case.news[-1], Challenged):
            return {} if gone.known else case.uninvited(who)
        player = case.player(who)
        if player is None or case.match.phase is not Phase.PLAYING or isinstance(case.news[-1], Unreached):
            return {}
        once = f"unreached:{case.match.id}:{player.account}"
        if letters := case.announced(reached=False):
            await self._once(once, case.bundle.entries)
        elif self._waits(case, player):
            if case.match.event is not None:
                letters = await self._at_event(case, player, reads)
            lost = not any(isinstance(to, Address) for to in letters) and await self._is_lost(
                case, player, reads
            )
            if lost and await self._once(once, case.bundle.entries):
                letters = {**letters, **case.to_others(player)}
        return letters

    def _waits(self, case: _DeliveryCase, player: Player) -> bool:
        course = self._table.course(case.match)
        waited_for = (*waits_for(case.match, course), *has_to_answer(case.match, course))
        return player.account in waited_for and max(map(message_kind, case.news)) >= MessageKind.QUESTION

    async def _at_event(self, case: _DeliveryCase, player: Player, reads: Reads) -> Letters:
        assert case.match.event is not None, "of an event"  # noqa: S101 - the caller looked
        event = (await self._store.events.load(case.match.event[0])).event
        where = await self._where_read(case, event.addresses, player, reads)
        letters: dict[Recipient, Sequence[Fact]] = {}
        if where is not None and case.match.id not in case.chosen(player.account).muted:
            letters[where] = [Unreached(case.match, None, (player,), where, called=True)]
        host, once = event.host.account, f"unreached:{event.id}:{player.account}"
        if host not in case.accounts(player) and await self._once(once, case.bundle.entries):
            letters[host] = [Unreached(case.match, host, (player,), called=where is not None)]
        return letters

    async def _is_lost(self, case: _DeliveryCase, player: Player, reads: Reads) -> bool:
        """Whether a player reads no other place of the match; one who is just found to have left it is announced as such."""
        if await self._where_read(case, case.places, player, reads) is not None:
            return False
        return (await self._store.settings.get(player.account)).left == case.chosen(player.account).left

    async def _where_read(
        self, case: _DeliveryCase, places: Iterable[Address], player: Player, reads: Reads
    ) -> Address | None:
        left, outgoing = case.chosen(player.account).left, self._store.outgoing()
        private = {private_place(account) for account in case.match.people()}
        for place in places:
            account = next((one for one in case.accounts(player) if one.platform == place.platform), None)
            if account is None or place in private or place in left or place.chat in left:
                continue
            known = await outgoing.known(place, place)
            open_to_all = known.dead is None and known.chosen[place].person is None
            if open_to_all and await self._look(place, account, reads):
                return place
        return None

    async def _once(self, name: str, entries: Sequence[str]) -> bool:
        """Whether something is to be told: it was not, or by the same entry of the stream, which is delivered again."""
        (held,) = await self._store.notes.read(name)
        if held is None:
            await self._store.notes.write(name, entries[0], keep=NOTIFY_AGAIN)
        return held is None or held in entries


class _DeliveryCase:
    def __init__(self, bundle: Bundle, news: Sequence[Fact], to: Recipient, known: AddressState) -> None:
        self.bundle = bundle
        self.news = news
        self.to = to
        self.match = max((fact.match for fact in news), key=lambda match: match.revision)
        self._chosen = known.chosen

    @property
    def places(self) -> Sequence[Address]:
        return [place for place in self.match.addresses if place != self.to]

    def chosen(self, whose: Recipient) -> Settings:
        return self._chosen.get(whose, Settings())

    def accounts(self, player: Player) -> tuple[Account, ...]:
        return (player.account, *self.chosen(player.account).others)

    def person(self, gone: Gone) -> Account | None:
        if isinstance(self.to, Account):
            return self.to
        if isinstance(gone, Blocked) and gone.uid:
            return Account(self.to.platform, gone.uid)
        own = next((one for one in self.match.people() if private_place(one) == self.to), None)
        return own or self.chosen(self.to).person

    def player(self, who: Account) -> Player | None:
        seated = (chair.player for chair in self.match.chairs if chair.player)
        return next((player for player in seated if who in self.accounts(player)), None)

    def announced(self, *, reached: bool) -> Letters:
        """Return what the others are told of a player who has left their place, and was now written to in private."""
        absent = [fact for fact in self.news if isinstance(fact, Absent) and fact.reached is None]
        if not absent or self.match.phase is not Phase.PLAYING:
            return {}
        return {absent[-1].where: [replace(absent[-1], match=self.match, reached=reached)]}

    def in_private(self, *, dead: bool) -> Letters:
        """Return what the players get in private who do not read this place, where they were called: all if it is dead."""
        letters: dict[Recipient, Sequence[Fact]] = {}
        seated = {who.account for chair in self.match.chairs for who in (chair.player, chair.reserved) if who}
        for account in seated:
            reads = pinged_at(self.match, account, self.chosen(account).left)
            absent = reads == account and pinged_at(self.match, account) == self.to
            if absent or (dead and reads == self.to):
                own = (_privately(fact, account) for fact in self.news)
                letters[account] = [fact for fact in own if fact is not None]
        return {account: facts for account, facts in letters.items() if facts}

    def uninvited(self, who: Account) -> Letters:
        host = self.match.host.account
        kept = [chair.reserved for chair in self.match.chairs if chair.reserved and not chair.player]
        players = [player for player in kept if player.account == who] or kept
        return {} if host == who else {host: [Unreached(self.match, host, tuple(players))]}

    def undelivered(self) -> Letters:
        """Return what players are told whose messages did not get through."""
        letters: dict[Recipient, Sequence[Fact]] = {}
        for fact in self.news:
            if not isinstance(fact, Told) or fact.to is None or not fact.text:
                continue
            if (seat := self.match.seat_of(fact.to)) is not None:
                writer = self.match.player(fact.seat).account
                number = -len(self.match.chairs) * fact.number - seat  # no message has it, nor another seat
                lost = Told(self.match, writer, "", seat, number)
                letters[writer] = [*letters.get(writer, ()), lost]
        return letters

    def to_others(self, player: Player) -> Letters:
        own = {*self.accounts(player), self.to}
        letters: dict[Recipient, Sequence[Fact]] = {}
        for to in readers(self.match):
            if to not in own:
                where, person = _split(to)
                letters[to] = [Unreached(self.match, person, (player,), where)]
        return letters


def _place_of(match: Match, accounts: Iterable[Account], left: Sequence[Address]) -> Address | None:
    found = (pinged_at(match, account, left) for account in accounts)
    return next((place for place in found if isinstance(place, Address)), None)


def _privately(fact: Fact, to: Account) -> Fact | None:
    if isinstance(fact, Unreached) and fact.to is None and not fact.called:
        return None if any(who.account == to for who in fact.who) else replace(fact, to=to, where=None)
    if isinstance(fact, Waiting):
        return Reached(fact.match, to=to)
    return fact if is_for_readers(fact) else None


def _plays(table: Table, match: Match, who: Account) -> bool:
    if match.phase is not Phase.PLAYING:
        return False
    try:
        live = table.course(match).live
    except PlayError:
        return False
    return any(seat in live for seat in match.seats_of(who))
