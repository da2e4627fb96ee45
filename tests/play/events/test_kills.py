"""Cups on a store that fails, by processes that end between any two steps: no game is lost, and none is played twice."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.events.following import EventMatches
from play.actions.agreeing import Answer, OfferDraw
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.errors import PlayError, Unavailable
from play.events import cup
from play.events.actions import Enter, Leave
from play.events.cup import CupSettings, round_length
from play.events.event import Form, Setup
from play.events.events import Events
from play.match import Ask, Match
from play.people import Account, Address, Player
from play.ports import Operation
from play.request import Request
from play.table import Table
from play.time.clock import Clock
from play.time.firing import fire
from rules import GAMES
from rules.core import Seat
from storage.memory import MemoryStore
from tests.bot.world import Counted

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
HALL = Address("console", "hall")


class Failing:
    """A part of a store whose calls fail now and then, before or after they were carried out."""

    def __init__(self, part: Any, luck: random.Random) -> None:
        self._part = part
        self._luck = luck

    def __getattr__(self, name: str) -> Any:
        called = getattr(self._part, name)
        if name not in ("load", "commit"):
            return called

        async def call(*args: Any, **kwargs: Any) -> Any:
            if self._luck.random() < 0.1:
                raise Unavailable
            done = await called(*args, **kwargs)
            if self._luck.random() < 0.1:
                raise Unavailable
            return done

        return call


class Season:
    """A cup with its matches, served by a process that ends again and again."""

    def __init__(self, seed: int) -> None:
        self.luck = random.Random(seed)
        self.now = AT
        self.store = MemoryStore(lambda: self.now)
        self.sound = Events(Table(self.store, GAMES, Counted()), self.store)
        self.operations = 0
        self.game, self.options, seats = self.luck.choice(
            [
                ("lgame", (), 2),
                ("breakthrough", (("board", "4x4"),), 2),
                ("klopodavka", (("players", "4"),), 4),
            ]
        )
        clock = Clock(timedelta(days=1))
        self.people = [
            Player(Account("console", f"p{n}"), f"p{n}") for n in range(self.luck.randrange(3, 14))
        ]
        settings = CupSettings(AT + timedelta(days=1), 64, round_length(clock), seats)
        self.setup = Setup(Form.CUP, self.game, self.options, clock, True, settings.texts())
        self.outgoing = self.store.outgoing()

    def failing(self) -> Events:
        """A process's view of the events."""
        store = self.failing_store()
        return Events(Table(store, GAMES, Counted()), store)

    def failing_store(self) -> MemoryStore:
        """A process's view of the store."""
        store = MemoryStore(lambda: self.now)
        vars(store).update(vars(self.store))
        vars(store).update(
            matches=Failing(self.store.matches, self.luck), events=Failing(self.store.events, self.luck)
        )
        return store

    async def asked(self, do: Any, who: Player) -> None:
        """Do something as a platform has it done: again under the same name until it is answered."""
        self.operations += 1
        request = Request(who, self.now, operation=Operation(f"update:{self.operations}", "it"))
        while True:
            try:
                await do(self.failing(), request)
            except Unavailable:
                continue
            except PlayError:
                pass
            return

    async def told(self) -> None:
        """Have the hook follow all facts; each comes again until it was followed, and sometimes once more."""

        while facts := await self.outgoing.read(50):
            for sent in facts:
                again = True
                while again:
                    try:
                        store = self.failing_store()
                        await EventMatches(Table(store, GAMES, Counted()), store)(sent.fact)
                        again = self.luck.random() < 0.1
                    except Unavailable:
                        continue
            await self.outgoing.done(facts)

    async def play(self) -> None:
        opened = await self.sound.open(self.setup, [HALL], Request(self.people[0], AT))
        cup_id = opened.event.id
        for who in self.people:
            await self.asked(lambda held, request: held.act(cup_id, Enter(request.account), request), who)
        for _ in range(400):
            await self.told()
            await self.check(cup_id)
            event = await self.sound.get(cup_id)
            if not event.live:
                break
            live = [match for match in self.store.matches.stored.values() if match.live]
            if self.luck.random() < 0.04:
                who = self.luck.choice(self.people)
                await self.asked(lambda held, request: held.act(cup_id, Leave(), request), who)
            elif live and self.luck.random() < 0.9:
                await self.move(self.luck.choice(live))
            else:
                await self.wait()
        await self.told()
        await self.check(cup_id)
        assert not (await self.sound.get(cup_id)).live

    async def move(self, match: Match) -> None:
        """One person gives up or plays, or all agree to a draw."""
        seat = self.sound.table.position(match).to_move
        who, chance = match.player(seat), self.luck.random()
        if chance < 0.5:
            await self.asked(lambda held, request: held.table.act(match.id, Resign(), request), who)
        elif chance < 0.8 and self.game == "lgame":
            other = match.player(Seat(1 - seat))
            await self.asked(lambda held, request: held.table.act(match.id, OfferDraw(), request), who)
            await self.asked(
                lambda held, request: held.table.act(match.id, Answer(Ask.DRAW, yes=True), request), other
            )
        else:
            position = self.sound.table.position(match)
            text = GAMES[match.game].notation.format(self.luck.choice(list(position.legal_moves())))
            await self.asked(lambda held, request: held.table.act(match.id, MakeMove(text), request), who)

    async def wait(self) -> None:
        """Time goes by; every timer fires, some twice."""
        self.now += timedelta(hours=self.luck.choice([1, 13, 30]))
        for due in await self.store.timers.due(self.now, self.now + timedelta(seconds=1), 100):
            while True:
                try:
                    held = self.failing()
                    if due.timer.name == "event":
                        await held.fire(due.match_id, held.table.now(self.now))
                    else:
                        await fire(held.table, due.match_id, due.timer.name, held.table.now(self.now))
                except Unavailable:
                    continue
                if self.luck.random() < 0.9:
                    break
            await self.store.timers.settle(due)

    async def check(self, cup_id: str) -> None:
        """Every game that has begun has its one match; what has ended is reported."""
        event = await self.sound.get(cup_id)
        matches = self.store.matches.stored
        of = Counter(match.event for match in matches.values())
        assert max(of.values(), default=0) <= 1, "no game is played twice"
        for game in event.state.games:
            if not (event.live and game.open and game.match):
                continue
            match = matches[game.match]
            assert match.event == (cup_id, game.number)
            assert match.live, "a match that is over is reported"
            seated = [chair.player and chair.player.name for chair in match.chairs]
            assert len(seated) == len(game.entrants)
        if not event.live and not event.state.stopped:
            assert not [
                match.id for match in matches.values() if match.live and event.state.round < cup.rounds(event)
            ]


@pytest.mark.parametrize("seed", range(12))
async def test_a_cup_survives_kills(seed: int) -> None:
    await Season(seed).play()


@pytest.mark.slow
@pytest.mark.parametrize("block", range(8))
async def test_many_cups_survive_kills(block: int) -> None:
    for seed in range(100 + 10 * block, 110 + 10 * block):
        await Season(seed).play()
