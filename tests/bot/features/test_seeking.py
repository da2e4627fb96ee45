"""/seek, and pairs of those who seek."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.chat.i18n import words
from bot.features.seeking import pairing
from bot.features.seeking.pairing import (
    ANY_AFTER,
    EACH_HOUR,
    NEAR,
    STANDING_KEPT,
    Pairing,
    Seek,
    Seeks,
    Standing,
    Terms,
    opened,
    pairs,
)
from play.actions.leaving import Resign
from play.actions.seating import Join, Withdraw
from play.errors import PlayError
from play.match import Match, Phase
from play.people import Address, Player
from play.request import Request
from play.settings import Settings
from play.table import Table
from rules import GAMES
from tests.bot.world import ANN, BOB, CEM, DAN, EVE, HALL, NOON, ROOM, Counted, World, person
from tests.support.memory import MemoryStore
from tests.support.stores import set_settings

# /seek: whom it joins, what it refuses, what a press does, and what comes twice.


LINE = "/seek lgame clock:1d"


async def test_a_request_that_comes_twice_seeks_once() -> None:
    world = World()
    for who, expected in ((ANN, 1), (BOB, 1)):
        visitor = replace(world.visitor(who), request=f"r{who.name}")
        for _ in range(3):
            await world.desk.answer(visitor, LINE)
        assert len(world.snapshot().matches) == expected
    assert len(world.playing()) == 1


async def test_five_are_enough() -> None:
    world = World()
    boards = ("5x5", "6x6", "7x7", "8x9", "9x8")
    for board in boards:
        await world.say(ANN, f"/seek breakthrough {board}")
    (message,) = await world.say(ANN, LINE)
    assert message.view.lines == (words("en")("bot.quota.seeks", limit=5),)
    first, *others = world.snapshot().matches.values()
    assert await Seeks(world.store).beside(first) == [match.id for match in others]
    assert "1. ann: " in (await world.told(ANN, "/seek"))
    await world.say(ANN, "/seek off")
    assert not [match for match in world.snapshot().matches.values() if match.phase is Phase.OPEN]


async def test_a_standing_challenge_said_again_is_the_same_one_with_its_new_number() -> None:
    world = World()
    for line in ("/seek breakthrough standing:1", "/seek breakthrough standing:3"):
        await world.say(ANN, line)
    assert len(world.snapshot().matches) == 1
    for who in (BOB, CEM, DAN, EVE):
        await world.say(who, "/seek breakthrough", HALL)
        await Pairing(world.table, world.store).tick()
    mine = [match for match in world.playing() if next(match.seats_of(ANN.account), None) is not None]
    assert len(mine) == 3


# Pairs of those who seek: each plays once, none is lost, with several bots that are killed at any step.


FIVE = Terms("breakthrough", (("board", "5x5"),))
RATED = Terms("lgame", (), "1d", rated=True)
HOUR = timedelta(hours=1)


class Killed(BaseException):
    """A bot that ends between two steps."""


class Interleaved(Table):
    """A table at which others may come between any two steps."""

    luck = random.Random(0)

    async def act(self, *given: Any, **named: Any) -> Any:
        await self._yielded()
        fact = await super().act(*given, **named)
        await self._yielded()
        return fact

    async def get(self, match_id: str) -> Match:
        await self._yielded()
        return await super().get(match_id)

    async def _yielded(self) -> None:
        for _ in range(self.luck.randrange(4)):
            await asyncio.sleep(0)


class Club:
    """People in places of their own, and bots."""

    def __init__(self, seed: int = 0) -> None:
        self.now = NOON
        self.store = MemoryStore(lambda: self.now)
        self.table = Interleaved(self.store, GAMES, Counted())
        self.table.luck = random.Random(seed)
        self.seeks = Seeks(self.store)

    async def seek(self, who: Player, terms: Terms = FIVE, rating: int = 1500) -> Match:
        """Open a seek without a look at the others."""
        made = await opened(self.table, terms, home(who), Request(who, self.now))
        await self.seeks.add(Seek(made.id, terms, who, rating, self.now))
        return made

    async def tick(self) -> None:
        await Pairing(self.table, self.store).tick()

    def of(self, who: Player, phase: Phase) -> list[Match]:
        every: Sequence[Match] = list(self.store.matches.stored.values())
        return [
            match
            for match in every
            if match.phase is phase and next(match.seats_of(who.account), None) is not None
        ]


def home(who: Player) -> Address:
    return Address("console", f"of-{who.name}")


def faults_at(patched: pytest.MonkeyPatch, club: Club, fault: Callable[[], None]) -> None:
    """Have a fault called once a pair is noted, its later invitation is withdrawn, it is joined, or a standing one is opened."""
    timelines, act, open_ = club.store.timelines, club.table.act, pairing.opened
    add, remove = timelines.add, timelines.remove

    async def noted(name: str, *given: Any, **named: Any) -> None:
        await add(name, *given, **named)
        if name == "seek-pairs":
            fault()

    async def joined(name: str, text: str) -> None:
        if name == "seek-pairs":
            fault()
        await remove(name, text)

    async def withdrawn(match_id: str, action: Any, request: Request, **named: Any) -> Any:
        fact = await act(match_id, action, request, **named)
        if isinstance(action, Withdraw) and request.operation is not None:
            fault()
        return fact

    async def standing(*given: Any) -> Match:
        match = await open_(*given)
        fault()
        return match

    patched.setattr(timelines, "add", noted)
    patched.setattr(timelines, "remove", joined)
    patched.setattr(club.table, "act", withdrawn)
    patched.setattr(pairing, "opened", standing)


class Rush(Club):
    """Many who seek at once, some who cancel, passers-by who take a seat, and bots that are killed between steps."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.luck = random.Random(seed)
        self.people = [person(f"p{number}") for number in range(self.luck.randrange(2, 9))]
        self.kinds = {who: self.luck.choice((FIVE, FIVE, RATED)) for who in self.people}
        self.made: dict[Player, Match] = {}
        self.left: set[Player] = set()

    def killed(self) -> None:
        if self.luck.random() < 0.3:
            raise Killed

    async def open(self) -> None:
        self.made = {who: await self.seek(who, self.kinds[who]) for who in self.people}

    async def bot(self) -> None:
        with suppress(Killed):
            await self.tick()

    async def by_hand(self, who: Player) -> None:
        """A person cancels, or a passer-by takes the seat; which may be too late."""
        with suppress(PlayError):
            if self.luck.random() < 0.5:
                await self.table.act(self.made[who].id, Withdraw(), Request(who, self.now))
                self.left.add(who)
            else:
                await self.table.act(self.made[who].id, Join(), Request(person("passerby"), self.now))

    async def round(self) -> None:
        """Three bots at once, and perhaps a person."""
        works = [self.bot() for _ in range(3)]
        if self.luck.random() < 0.4:
            works.append(self.by_hand(self.luck.choice(self.people)))
        await asyncio.gather(*works)


@pytest.mark.parametrize("seed", range(60))
async def test_of_many_who_seek_at_once_each_plays_once_and_nobody_is_lost(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rush = Rush(seed)
    await rush.open()
    with monkeypatch.context() as patched:
        faults_at(patched, rush, rush.killed)
        for _ in range(6):
            await rush.round()
    for _ in range(3):
        await rush.tick()
    waiting = {who: rush.of(who, Phase.OPEN) for who in rush.people}
    for who in rush.people:
        playing = rush.of(who, Phase.PLAYING)
        assert len(playing) + len(waiting[who]) == (who not in rush.left), who
        assert all(home(who) in match.addresses for match in playing)  # both are told
    for terms in (FIVE, RATED):
        assert len([who for who in rush.people if rush.kinds[who] is terms and waiting[who]]) <= 1
    listed = {seek.match for seek in await rush.seeks.open()}
    assert listed == {match.id for found in waiting.values() for match in found}
    assert not await rush.store.timelines.read("seek-pairs")


def seek_of(who: Player, rating: int, terms: Terms = RATED, hours: float = 0) -> Seek:
    return Seek(who.name, terms, who, rating, NOON - hours * HOUR)


def test_the_longer_one_waits_the_less_ratings_matter() -> None:
    old, new = seek_of(ANN, 1500), seek_of(BOB, 1500 + NEAR)
    assert old.suits(new, NOON)
    far = replace(new, rating=1500 + NEAR + EACH_HOUR)
    assert not old.suits(far, NOON)
    assert old.suits(far, NOON + HOUR)
    assert far.suits(old, NOON + HOUR)
    farther = replace(new, rating=9000)
    assert not old.suits(farther, NOON + ANY_AFTER - HOUR)
    assert old.suits(farther, NOON + ANY_AFTER)
    casual = replace(RATED, rated=False)
    assert seek_of(ANN, 1500, casual).suits(seek_of(BOB, 9000, casual), NOON)
    assert not old.suits(seek_of(ANN, 1500), NOON)  # no one plays themselves


def test_the_oldest_come_first_and_each_is_paired_once() -> None:
    seeks = [seek_of(who, 1500, hours=3 - number) for number, who in enumerate((ANN, BOB, CEM))]
    assert list(pairs(seeks, NOON)) == [(seeks[0], seeks[1])]
    assert [Seek.unpack(seek.pack()) for seek in seeks] == seeks
    assert Seek.unpack("[]") is None


async def test_those_who_block_each_other_are_not_paired() -> None:
    club = Club()
    await set_settings(club.store, BOB.account, Settings(blocked=(ANN,)))
    await club.seek(ANN)
    await club.seek(BOB)
    await club.tick()
    assert club.of(ANN, Phase.OPEN)
    assert club.of(BOB, Phase.OPEN)
    await club.seek(CEM)
    await club.tick()
    (match,) = club.of(CEM, Phase.PLAYING)
    assert set(match.people()) == {ANN.account, CEM.account}


async def test_a_standing_challenge_is_renewed_up_to_its_limit_and_after_kills(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    club = Club()
    standing = Standing(Seek("abc", FIVE, ANN, 1500, NOON), home(ANN), 2)
    assert Standing.unpack(standing.pack()) == standing
    await Pairing(club.table, club.store).stand(standing)

    def killed() -> None:
        raise Killed

    with monkeypatch.context() as patched:
        faults_at(patched, club, killed)
        for _ in range(3):  # each bot ends before it has noted the invitation
            with pytest.raises(Killed):
                await club.tick()
    for number, who in enumerate((BOB, CEM), 1):
        await asyncio.gather(*(club.tick() for _ in range(3)))
        (invitation,) = club.of(ANN, Phase.OPEN)
        await club.table.act(invitation.id, Join(), Request(who, club.now))
        assert len(club.of(ANN, Phase.PLAYING)) == number
    await club.tick()
    assert not club.of(ANN, Phase.OPEN)
    match, _ = club.of(ANN, Phase.PLAYING)
    await club.table.act(match.id, Resign(), Request(ANN, club.now))
    await club.tick()
    (invitation,) = club.of(ANN, Phase.OPEN)
    await club.table.act(invitation.id, Withdraw(), Request(ANN, club.now))
    await club.tick()
    await club.tick()
    assert not club.of(ANN, Phase.OPEN)  # its person has ended it
    await Pairing(club.table, club.store).stand(replace(standing, seek=replace(standing.seek, match="def")))
    club.now += STANDING_KEPT
    await club.tick()
    assert not await Pairing(club.table, club.store).standing_of(ANN.account)


async def test_what_is_sought_goes_with_its_person() -> None:
    club = Club()
    await club.seek(ANN)
    await Pairing(club.table, club.store).stand(Standing(Seek("abc", FIVE, ANN, 1500, NOON), ROOM, 2))
    await club.store.forget(ANN.account)
    assert not await club.seeks.open()
    assert not await Pairing(club.table, club.store).standing_of(ANN.account)
