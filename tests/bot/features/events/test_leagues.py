"""/league and /ladder: what no evening tells."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting.facts import fact_view
from bot.chat.presenting.naming import Presentation
from bot.chat.sending.routing import MessageKind
from bot.chat.thinking import Thinker
from bot.features.events import league as cards
from bot.features.events.announcing import EventComposer
from bot.features.events.following import Adjudicator, follow
from bot.features.events.parts import Shown
from bot.features.matches.cards import frames
from bot.platforms.telegram.rendering import CAPTION
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.events.actions import StopEvent
from play.events.entries import GameEnd, OnProbation
from play.events.event import Changed, Event
from play.events.events import Events, LoadedEvent
from play.events.forms.ladder import ladder_of
from play.events.forms.league import ADJUDICATION, NextSeason, league_of, undecided
from play.events.matches import serve
from play.facts import Closed
from play.files.matchfile import write
from play.files.matchreader import read
from play.match import Closing, Result
from play.people import Account, Address
from play.ports import Operation
from play.ratings.model import Uncounted, uncounted
from play.request import CLOCKWORK, Request
from play.settings import Settings
from play.time.clock import Now
from rules import GAMES
from rules.core import Seat
from tests.bot.chat.thinking.workers import Inline
from tests.bot.world import ANN, BOB, CEM, PEOPLE, ROOM, World, person
from tests.play.events.test_league import begun
from tests.support.memory.store import MemoryEvents
from tests.support.waiting import START

# /league: what no evening tells.


BLUNDER = "L a1-a3-b3 n a4-b1"
"""An opening after which the second player wins, which an engine proves within the time that a test has."""


async def league(world: World) -> Event:
    (event,) = await world.store.events.at(ROOM)
    return event


class Played:
    """A league of five on virtual time, without a sender."""

    def __init__(self) -> None:
        self.world = World()
        self.world.store.clock = lambda: self.world.now
        self.events = Events(self.world.table, self.world.store)
        self.facts: list[Changed] = []

    async def begin(self) -> Event:
        await self.world.say(ANN, "/league new lgame clock:20d")
        for who in PEOPLE:
            await self.world.say(who, "/league join")
        return await self.fire()

    async def fire(self) -> Event:
        """Let the league's timer come."""
        event = await league(self.world)
        due = self.events._due(event, Now(self.world.now))
        assert due is not None
        self.world.now = max(due, self.world.now)
        fact = await self.events.fire(event.id, Now(self.world.now))
        assert fact is not None
        self.facts.append(fact)
        await serve(self.events, fact, Request(CLOCKWORK, self.world.now))
        return fact.event

    async def decide(self, solver: Inline | None) -> Event:
        adjudicator = Adjudicator(self.world.table, self.world.store, Thinker(solver) if solver else None)
        for fact in self.facts:
            await adjudicator(fact)
        await adjudicator.sweep()
        assert not await self.world.store.timelines.read("adjudication")
        outgoing = self.world.store.outgoing()
        for _ in range(2):  # a fact may come twice
            for sent in await outgoing.read(1000):
                await follow(self.world.table, self.world.store, sent.fact)
        return await league(self.world)


async def test_without_engines_open_games_are_halved_at_once_and_a_season_calls_who_plays_in_it() -> None:
    played = Played()
    await played.begin()
    await played.world.say(person("fay"), "/league join")  # plays from the next season
    await played.fire()
    composer = EventComposer(played.world.table, "en", lambda: played.world.now)
    began, date = [composer.compose([fact], ROOM, Settings()) for fact in played.facts]
    assert set(began.ping) == {who.account for who in PEOPLE}
    assert (began.kind, date.kind, date.ping) == (MessageKind.BOARD, MessageKind.BOARD, ())
    event = await played.decide(None)
    assert {game.places for game in event.state.games if game.round == 1} == {(0, 0)}
    assert len(league_of(event).seasons) == 2


async def test_open_games_are_decided_by_proof_else_halved() -> None:
    played = Played()
    event = await played.begin()
    assert league_of(event).season
    game = next(game for game in event.state.games if game.match)
    match = await played.world.table.get(game.match or "")
    first = match.chairs[0].player
    assert first is not None
    await played.world.table.act(match.id, MakeMove(BLUNDER), Request(first, played.world.now))
    event = await played.fire()
    assert {one.match is None for one in undecided(event)} == {False}  # what had not begun is a draw
    event = await played.decide(Inline())
    games = [one for one in event.state.games if one.round == 1]
    assert (games[game.number].end, games[game.number].places) == (GameEnd.ADJUDICATED, (1, 0))
    others = [one for one in games if one.number != game.number]
    assert {(one.end, one.places) for one in others} == {(GameEnd.ADJUDICATED, (0, 0))}
    assert len(league_of(event).seasons) == 2
    ended = await played.world.table.get(match.id)
    assert ended.result == Result((Seat(1),), Closing.PROVED.value)
    halved = await played.world.table.get(next(one.match for one in others if one.match))
    assert halved.result == Result((), Closing.HALVED.value)
    for one, reason in ((ended, Closing.PROVED), (halved, Closing.HALVED)):
        assert read(write(one)).result == one.result
        course = played.world.table.course(one)
        assert (uncounted(one, course) is Uncounted.CLOSED) is (reason is Closing.HALVED)
        for language in LANGUAGES:
            shown = Presentation(GAMES["lgame"], one, course, words(language), Now(played.world.now))
            result = " ".join(shown.names.result)
            assert result.endswith(words(language)(reason))
            assert result in " ".join(fact_view(Closed(one), shown).after)
            assert frames(shown)[-1].caption == result
    winner = event.state.entrants[game.entrants[1]].player.name
    for language in LANGUAGES:
        seen = Shown(event, GAMES["lgame"], words(language), Now(played.world.now))
        told = cards.news(seen, [Changed(event, 0)]).lines
        assert sum(winner in line and "L" not in line for line in told)
        assert len(told) == 2 + cards.FEW + 1


async def test_what_an_engine_cannot_search_is_halved() -> None:
    played, broken = Played(), Inline()
    broken.fails = lambda _: True
    await played.begin()
    await played.fire()
    event = await played.decide(broken)
    assert {game.places for game in event.state.games if game.round == 1} == {(0, 0)}


async def test_a_broken_league_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played()
    await played.begin()
    await played.fire()
    store, load = played.world.store, played.world.store.events.load

    async def broken(event_id: str, *operation: Operation | None) -> LoadedEvent:
        if event_id == "ebroken":
            raise ValueError(event_id)
        return await load(event_id, *operation)

    monkeypatch.setattr(store.events, "load", broken)
    await store.timelines.add("adjudication", "ebroken", START)
    await store.timelines.add("adjudication", (await league(played.world)).id, played.world.now)
    await Adjudicator(played.world.table, store, None).sweep()
    assert await store.timelines.read("adjudication") == ["ebroken"]
    assert len(league_of(await league(played.world)).seasons) == 2


async def test_a_profile_names_the_division_and_then_the_place() -> None:
    played = Played()
    event, world = await played.begin(), played.world
    assert "Leagues: L-game, division 1." in await world.told(ANN, "/profile")
    match = await world.table.get(next(game.match for game in event.state.games if game.match))
    winner, loser = (chair.player for chair in match.chairs)
    assert winner is not None
    assert loser is not None
    await world.table.act(match.id, MakeMove(BLUNDER), Request(winner, world.now))
    gone = await world.table.act(match.id, Resign(), Request(loser, world.now))
    await follow(world.table, world.store, gone)
    assert "Leagues: L-game, division 1, place 1 of 5." in await world.told(winner, "/profile")


@pytest.mark.parametrize("command", ["league", "ladder"])
async def test_two_who_open_one_at_once_open_the_same(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(_store: MemoryEvents, _place: Address) -> tuple[Event, ...]:
        return ()

    world = World()
    with monkeypatch.context() as patched:  # neither sees what the other has just opened
        patched.setattr(MemoryEvents, "at", nothing)
        for who in (ANN, BOB):
            await world.say(who, f"/{command} new lgame clock:1d")
    first = await league(world)
    assert first.host.account == ANN.account
    await Events(world.table, world.store).act(first.id, StopEvent(), Request(ANN, world.now))
    for who in (BOB, CEM):
        await world.say(who, f"/{command} new lgame clock:1d")
    (live,) = [event for event in await world.store.events.at(ROOM) if event.live]
    assert (live.id != first.id, live.host.account) == (True, BOB.account)


async def test_a_code_of_another_form_is_refused() -> None:
    world = World()
    await world.say(ANN, "/ladder new lgame clock:1d")
    code = (await league(world)).id
    refused = words("en")("event.refused.no-such-event", code=code)
    assert await world.told(ANN, f"/league join {code}") == refused


def test_the_card_of_many_divisions_names_the_rest() -> None:
    world = begun(60)
    view = cards.card(Shown(world.event, GAMES["lgame"], words("en"), Now(world.now)))
    assert view.sheet is not None
    assert view.sheet.told[-1] == words("en").count("bot.league.more-divisions", 8)
    assert (
        len(
            cards.mine(
                Shown(world.event, GAMES["lgame"], words("en"), Now(world.now)), Account("room", "p59")
            ).lines
        )
        < 12
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_card_fits_beside_a_picture_however_many_play(language: str) -> None:
    world = begun(60)
    for number in range(0, 60, 3):
        world.does(number, NextSeason(stays=False))
    world.play(absent=frozenset(range(1, 60, 3)), least=40)
    world.enter(*range(60, 80))

    def told() -> str:
        shown = Shown(world.event, GAMES["lgame"], words(language), Now(world.now))
        return "\n".join((*cards.card(shown).lines, "", *cards.news(shown, [Changed(world.event, 0)]).lines))

    assert len(told()) < CAPTION
    world.later(world.season.ends + ADJUDICATION)
    assert world.season.number == 2
    assert len(told()) < CAPTION


# /ladder: what no evening tells.


async def ladder(world: World) -> Event:
    (event,) = await world.store.events.at(ROOM)
    return event


@pytest.mark.parametrize(("age", "young"), [(timedelta(days=2), True), (timedelta(days=8), False)])
@pytest.mark.parametrize("form", ["ladder", "league"])
async def test_a_young_account_plays_but_does_not_move_up(form: str, age: timedelta, young: bool) -> None:
    world = World()
    await world.say(ANN, f"/{form} new lgame clock:1d")
    await world.say(ANN, f"/{form} join")
    await world.desk.answer(replace(world.visitor(BOB), created=world.now - age), f"/{form} join")
    event = await ladder(world)
    found = [entry.until for entry in event.log if isinstance(entry, OnProbation)]
    assert found == ([world.now - age + timedelta(days=7)] if young else [])
    admin = replace(world.visitor(ANN), admin=True)
    (seen,) = await world.desk.answer(admin, f"/{form} admin")
    assert any("bob" in line for line in seen.view.lines)
    if form == "league":
        return
    assert await world.told(BOB, "/ladder challenge ann")
    assert len(ladder_of(await ladder(world)).challenges) == 1


async def test_an_answer_waits_for_a_vacation_that_was_planned() -> None:
    world = World()
    events = Events(world.table, world.store)
    for line in ("/ladder new lgame clock:1d", "/ladder join"):
        await world.say(ANN, line)
    await world.say(BOB, "/ladder join")
    world.now += timedelta(days=2)
    await world.say(ANN, "/vacation tomorrow 5 days")
    planned = (await world.store.settings.get(ANN.account)).vacation
    assert planned
    assert planned.plan
    assert "/ladder challenge" not in await world.told(BOB, "/ladder challenge ann")
    assert ladder_of(await ladder(world)).waiting, "it has not begun"
    world.now += timedelta(days=3)
    event = await ladder(world)
    await events.fire(event.id, Now(world.now))
    (waits,) = ladder_of(await ladder(world)).waiting
    assert ladder_of(await ladder(world)).away(waits.challenged, world.now) == planned.plan.until
    assert ladder_of(await ladder(world)).accepted_at(waits, Now(world.now)) == waits.at + timedelta(
        days=3 + 5
    )


async def test_people_who_blocked_each_other_do_not_challenge() -> None:
    world = World()
    for line in ("/ladder new lgame clock:1d", "/ladder join", "/block bob"):
        await world.say(ANN, line)
    await world.say(BOB, "/ladder join")
    assert await world.told(BOB, "/ladder challenge ann") == words("en")("match.refused.blocked")
    assert not ladder_of(await ladder(world)).challenges
