"""/league: what no evening tells."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import pytest

from bot.events.adjudication import Adjudicator
from bot.i18n import LANGUAGES, words
from bot.presenter import leagues as cards
from bot.presenter.event_parts import MAX_ALT, Shown
from bot.sender.events import calls
from bot.thinking import Job, Thinker
from play.actions.playing import MakeMove
from play.events.actions import EventAction
from play.events.entries import End, RoundDue
from play.events.event import Event
from play.events.events import Events
from play.events.facts import Changed
from play.events.league import SeasonBegan, league_of, undecided
from play.events.league_actions import EnterLeague
from play.events.matches import serve
from play.people import Player
from play.request import CLOCKWORK, Request
from play.time.clock import Now
from rules import GAMES
from tests.bot.thinking.helpers import Inline
from tests.bot.world import ANN, BOB, CEM, DAN, EVE, HALL, PEOPLE, ROOM, World, person
from tests.play.events.test_league import begun


async def league(world: World) -> Event:
    (event,) = await world.store.events.at(ROOM)
    return event


class Season:
    """A league of five people whose first season is played."""

    def __init__(self, game: str = "breakthrough board:5x5") -> None:
        self.world, self.game = World(), game
        self.events = Events(self.world.table, self.world.store)
        self.facts: list[Changed] = []
        self.solver = Inline()

    async def begin(self) -> Event:
        await self.world.say(ANN, f"/league new {self.game} clock:3d")
        for who in PEOPLE:
            await self.world.say(who, "/league join")
        return await self.later(timedelta(weeks=2))

    async def later(self, time: timedelta) -> Event:
        """Let time pass for the league alone."""
        event, until = await league(self.world), self.world.now + time
        while due := self.events._due(event, Now(self.world.now)):
            if due > until:
                break
            self.world.now = max(due, self.world.now)
            fact = await self.events.fire(event.id, Now(self.world.now))
            assert fact is not None
            self.facts.append(fact)
            await serve(self.events, fact, Request(CLOCKWORK, self.world.now))
            event = await league(self.world)
            if league_of(event).season and not undecided(event):
                break
            if undecided(event):
                return event
        self.world.now = max(until, self.world.now)
        return event

    async def to_the_date(self) -> Event:
        event = await league(self.world)
        season = league_of(event).season
        assert season is not None
        return await self.later(season.ends - self.world.now)

    async def decide(self) -> Event:
        thinker = Thinker(self.solver)
        adjudicator = Adjudicator(self.events, self.world.store, thinker)
        for fact in self.facts:
            await adjudicator(fact)
        await adjudicator.sweep()
        return await league(self.world)


async def test_open_games_are_decided_by_proof_else_halved() -> None:
    played = Season("lgame")
    event = await played.begin()
    game = next(game for game in event.state.games if game.match)
    assert game.match is not None
    for text in WON:  # one of these two has a won position then
        match = await played.world.table.get(game.match)
        course = played.world.table.course(match)
        player = match.chairs[course.position.to_move].player
        assert player is not None
        await played.world.table.act(match.id, MakeMove(text), Request(player, played.world.now))
    event = await played.to_the_date()
    assert len(undecided(event)) == 10
    event = await played.decide()
    after = event.state.games[game.number]
    assert after.end is End.ADJUDICATED
    assert sorted(after.places) == [0, 1]
    others = [one for one in event.state.games if one.round == 1 and one.number != game.number]
    assert {(one.end, one.places) for one in others} == {(End.ADJUDICATED, (0, 0))}
    assert league_of(event).season is not None
    assert len(league_of(event).seasons) == 2
    assert await played.world.store.timelines.read("adjudication") == ()
    winner = event.state.entrants[after.entrants[after.places.index(0)]].player.name
    shown = Shown(event, GAMES["lgame"], words("en"), Now(played.world.now))
    assert any(winner in line and "proved" in line for line in cards.began(shown))
    match = await played.world.table.get(game.match)
    assert match.live  # it may be played on
