"""Events on a store that fails, by processes that end between any two steps.

No game is lost or played twice, no result either, and each entry of a log is announced in one fact.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.features.events.following import Adjudicator, follow
from play.actions.agreeing import Answer, OfferDraw
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.errors import PlayError, Unavailable
from play.events.actions import Enter, EventAction, LeaveEvent
from play.events.entries import GameEnd
from play.events.event import Changed, Event, EventSetup
from play.events.events import Events
from play.events.forms import cup
from play.events.forms.cup import CupSettings, round_length
from play.events.forms.ladder import AnswerChallenge, ChallengeAbove, TakeBack, ladder_of
from play.events.forms.league import NextSeason
from play.match import Ask, Match
from play.people import Account, Address, Player
from play.ports import Operation
from play.request import Request
from play.table import Table
from play.time.clock import Clock
from play.time.firing import fire
from rules import GAMES
from rules.core import Seat
from tests.bot.world import Counted
from tests.support.memory import MemoryStore

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
HALL = Address("console", "hall")
CLOCK = Clock(timedelta(days=1))
Options = tuple[tuple[str, str], ...]


FAILING = ("load", "commit", "hold", "add", "read", "remove")
"""The calls that events need."""


class Failing:
    """A part of a store whose calls fail now and then, before or after they were carried out."""

    def __init__(self, part: Any, luck: random.Random, often: float) -> None:
        self._part = part
        self._luck = luck
        self._often = often

    def __getattr__(self, name: str) -> Any:
        called = getattr(self._part, name)
        if name not in FAILING:
            return called

        async def call(*args: Any, **kwargs: Any) -> Any:
            if self._luck.random() < self._often:
                raise Unavailable
            done = await called(*args, **kwargs)
            if self._luck.random() < self._often:
                raise Unavailable
            return done

        return call


class Cups:
    """What people do in a cup; it ends."""

    games: Sequence[tuple[str, Options, int]] = (
        ("lgame", (), 2),
        ("breakthrough", (("board", "4x4"),), 2),
        ("klopodavka", (("players", "4"),), 4),
    )
    people = range(3, 14)
    turns = 400
    deeds = 0.04
    """How often people do something in the event and not in a match."""
    failing = 0.1
    """How often a call fails before it is carried out, and how often after that."""
    waits = (1, 13, 30)
    """Hours that go by."""

    def setup(self, game: str, options: Options, seats: int) -> EventSetup:
        settings = CupSettings(AT + timedelta(days=1), 64, round_length(CLOCK), seats)
        return EventSetup("cup", game, options, CLOCK, True, settings.texts())

    def enter(self, account: Account) -> EventAction:
        return Enter()

    def deed(self, _event: Event, _account: Account, _luck: random.Random) -> EventAction:
        return LeaveEvent()

    def over(self, event: Event) -> bool:
        """Whether it is over at the end of an evening."""
        return not event.live


class Ladders(Cups):
    """What people do on a ladder."""

    games = Cups.games[:2]
    people = range(4, 9)
    turns = 150
    deeds = 0.4

    def setup(self, game: str, options: Options, seats: int) -> EventSetup:
        return EventSetup("ladder", game, options, CLOCK, rated=True)

    def enter(self, account: Account) -> EventAction:
        return Enter()

    def deed(self, event: Event, account: Account, luck: random.Random) -> EventAction:
        ladder, entrant = ladder_of(event), event.state.entrant_of(account)
        if entrant is None or entrant.out is not None:
            return Enter()
        calls = [one.number for one in ladder.waiting if one.challenged == entrant.number]
        own = [one.number for one in ladder.waiting if one.challenger == entrant.number]
        if calls and luck.random() < 0.6:
            return AnswerChallenge(luck.choice(calls), accept=luck.random() < 0.8)
        if own and luck.random() < 0.2:
            return TakeBack(luck.choice(own))
        free = [target for target, barred in ladder.targets(entrant.number, event.log[-1].at) if not barred]
        return LeaveEvent() if luck.random() < 0.05 else ChallengeAbove(luck.choice(free or [0]))

    def over(self, event: Event) -> bool:
        """It never ends: games and refusals have been enough."""
        return event.live and event.state.count > 1


class Leagues(Cups):
    """What people do in a league."""

    games = Cups.games[:2]
    people = range(7, 14)
    turns = 400
    failing = 0.02  # a season has many games, which one fact opens
    waits = (13, 30, 170)

    def setup(self, game: str, options: Options, seats: int) -> EventSetup:
        return EventSetup("league", game, options, CLOCK, rated=True)

    def enter(self, account: Account) -> EventAction:
        return Enter()

    def deed(self, event: Event, account: Account, luck: random.Random) -> EventAction:
        entrant = event.state.entrant_of(account)
        if entrant is None or entrant.out is not None:
            return Enter()
        return LeaveEvent() if luck.random() < 0.05 else NextSeason(stays=luck.random() < 0.8)

    def over(self, event: Event) -> bool:
        """It never ends: a season has."""
        return event.live and event.state.round > 1


class Evening:
    """An event with its matches, served by processes that end again and again."""

    def __init__(self, seed: int, held: Cups) -> None:
        self.held = held
        self.luck = random.Random(seed)
        self.now = AT
        self.store = MemoryStore(lambda: self.now)
        self.sound = Events(Table(self.store, GAMES, Counted()), self.store)
        self.operations = 0
        self.game, options, seats = self.luck.choice(held.games)
        self.people = [
            Player(Account("console", f"p{n}"), f"p{n}") for n in range(self.luck.choice(held.people))
        ]
        self.setup = held.setup(self.game, options, seats)
        self.outgoing = self.store.outgoing()
        self.announced = 0

    def failing(self) -> Events:
        """A process's view of the events."""
        store = self.failing_store()
        return Events(Table(store, GAMES, Counted()), store)

    def failing_store(self) -> MemoryStore:
        """A process's view of the store."""
        store = MemoryStore(lambda: self.now)
        vars(store).update(vars(self.store))
        parts = {name: getattr(self.store, name) for name in ("matches", "events", "notes", "timelines")}
        vars(store).update(
            {name: Failing(part, self.luck, self.held.failing) for name, part in parts.items()}
        )
        return store

    def adjudicator(self) -> Adjudicator:
        """Return what a process decides open games with, as draws: it has no engine."""
        store = self.failing_store()
        return Adjudicator(Table(store, GAMES, Counted()), store, None)

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
        """Have the hooks follow all facts; each comes again until it was followed, and sometimes once more."""

        while facts := await self.outgoing.read(50):
            for sent in facts:
                if isinstance(sent.fact, Changed):
                    assert sent.fact.since == self.announced, "each entry is announced once, in order"
                    self.announced = sent.fact.event.length
                again = True
                while again:
                    try:
                        store = self.failing_store()
                        await follow(Table(store, GAMES, Counted()), store, sent.fact)
                        await self.adjudicator()(sent.fact)
                        again = self.luck.random() < 0.1
                    except Unavailable:
                        continue
            await self.outgoing.done(facts)

    async def play(self) -> None:
        opened = await self.sound.open(self.setup, [HALL], Request(self.people[0], AT))
        event_id = opened.event.id

        async def does(action: EventAction, who: Player) -> None:
            await self.asked(lambda held, request: held.act(event_id, action, request), who)

        for who in self.people:
            await does(self.held.enter(who.account), who)
        for _ in range(self.held.turns):
            await self.told()
            await self.check(event_id)
            event = await self.sound.get(event_id)
            if not event.live:
                break
            live = [match for match in self.store.matches.stored.values() if match.live]
            if self.luck.random() < self.held.deeds:
                who = self.luck.choice(self.people)
                await does(self.held.deed(event, who.account, self.luck), who)
            elif live and self.luck.random() < 0.9:
                await self.move(self.luck.choice(live))
            else:
                await self.wait()
        await self.told()
        await self.check(event_id)
        assert self.held.over(await self.sound.get(event_id))

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
        self.now += timedelta(hours=self.luck.choice(self.held.waits))
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
        with suppress(Unavailable):  # the next look goes on
            await self.adjudicator().sweep()

    async def check(self, event_id: str) -> None:
        """Every game that has begun has its one match; what has ended is reported, as it ended; all is announced."""
        event = await self.sound.get(event_id)
        assert self.announced == event.length
        matches = self.store.matches.stored
        of = Counter(match.event for match in matches.values())
        assert max(of.values(), default=0) <= 1, "no game is played twice"
        for game in event.state.games:
            if game.end is GameEnd.PLAYED:
                result = matches[game.match or ""].result
                assert result is not None
                first = tuple(Seat(seat) for seat, place in enumerate(game.places) if place == 0)
                assert result.winners in ((), first)
            if not (event.live and game.open and game.match):
                continue
            match = matches[game.match]
            assert match.event == (event_id, game.number)
            assert match.live, "a match that is over is reported"
            seated = [chair.player and chair.player.name for chair in match.chairs]
            assert len(seated) == len(game.entrants)
        if event.setup.form == "cup" and not event.live and not event.state.stopped:
            assert not [
                match.id for match in matches.values() if match.live and event.state.round < cup.rounds(event)
            ]


HELD = pytest.mark.parametrize("held", [Cups(), Ladders(), Leagues()], ids=["cup", "ladder", "league"])


@HELD
@pytest.mark.parametrize("seed", range(8))
async def test_an_event_survives_kills(held: Cups, seed: int) -> None:
    await Evening(seed, held).play()


@pytest.mark.slow
@HELD
@pytest.mark.parametrize("block", range(8))
async def test_many_events_survive_kills(held: Cups, block: int) -> None:
    for seed in range(100 + 10 * block, 110 + 10 * block):
        await Evening(seed, held).play()
