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
from bot.features.events import league_cards as cards
from bot.features.events.announcing import EventComposer
from bot.features.events.following import Adjudicator, EventMatches
from bot.features.events.parts import MAX_ALT, Shown
from bot.features.matches.cards import frames
from bot.platforms.telegram.rendering import CAPTION
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.events.actions import StopEvent
from play.events.entries import GameEnd, OnProbation
from play.events.event import Changed, Event
from play.events.events import Events, LoadedEvent
from play.events.ladder import ladder_of
from play.events.league import ADJUDICATION, NextSeason, league_of, undecided
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
from tests.bot.world import ANN, BOB, CEM, EVE, HALL, PEOPLE, ROOM, World, person
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
        outgoing, follow = self.world.store.outgoing(), EventMatches(self.world.table, self.world.store)
        for _ in range(2):  # a fact may come twice
            for sent in await outgoing.read(1000):
                await follow(sent.fact)
        return await league(self.world)


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


async def test_without_engines_open_games_are_halved_at_once() -> None:
    played = Played()
    await played.begin()
    await played.fire()
    event = await played.decide(None)
    assert {game.places for game in event.state.games if game.round == 1} == {(0, 0)}
    assert len(league_of(event).seasons) == 2


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


async def test_a_season_makes_two_new_messages() -> None:
    played = Played()
    await played.begin()
    await played.fire()
    await played.decide(None)
    event, since = await league(played.world), len(played.facts[0].event.log)
    every = [
        Changed(replace(event, log=event.log[:end]), end - 1) for end in range(since + 1, len(event.log) + 1)
    ]
    assert sum(EventComposer.calls([fact]) for fact in every) == 2


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
    await EventMatches(world.table, world.store)(gone)
    assert "Leagues: L-game, division 1, place 1 of 5." in await world.told(winner, "/profile")


async def test_places_share_one_league() -> None:
    world = World()
    await world.say(ANN, "/league new lgame clock:1d")
    code = (await league(world)).id
    assert await world.told(EVE, "/league", HALL) == words("en")("bot.league.none")
    assert "You are in." in await world.told(EVE, f"/league join {code}", HALL)
    assert (await league(world)).addresses == (ROOM, HALL)
    assert "You are in." in await world.told(EVE, "/league", HALL)
    assert await world.store.events.at(HALL) == await world.store.events.at(ROOM)


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


async def test_linked_accounts_enter_once() -> None:
    world = World()
    await world.say(ANN, "/league new lgame clock:1d")
    await world.say(ANN, "/league join")
    await world.store.settings.change(BOB.account, lambda now: replace(now, others=(ANN.account,)))
    assert await world.told(BOB, "/league join") == words("en")("event.refused.already-in")


async def test_a_code_of_another_form_is_refused() -> None:
    world = World()
    await world.say(ANN, "/ladder new lgame clock:1d")
    code = (await league(world)).id
    refused = words("en")("event.refused.no-such-event", code=code)
    assert await world.told(ANN, f"/league join {code}") == refused


@pytest.mark.parametrize("language", LANGUAGES)
def test_tables_are_pictures_of_two_divisions_that_are_told_in_words(language: str) -> None:
    world = begun(18)
    world.play()
    shown = Shown(world.event, GAMES["lgame"], words(language), Now(world.now))
    first, last = (cards.table(shown, page, ANN.account) for page in (1, 2))
    assert first.sheet is not None
    assert last.sheet is not None
    assert [len(view.sheet.rows) for view in (first, last) if view.sheet] == [14, 7]
    assert len(first.buttons) == len(last.buttons) == 1
    assert len(first.alt) <= MAX_ALT
    names = [row.name for row in first.sheet.rows]
    assert [name for name in names if "▲" in name] == ["1. ▲ p6", "2. ▲ p7"]
    assert [name for name in names if "▼" in name] == ["5. ▼ p4", "6. ▼ p5", "5. ▼ p10", "6. ▼ p11"]
    assert [text for text, _ in first.sheet.rows[1].cells] == ["■", "+", "+", "+", "+", "+"]
    assert all(player in first.alt for player in ("p0", "p11"))
    for number in (0, 17):
        assert cards.table(shown, None, Account("room", f"p{number}")) == (last if number == 17 else first)


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


async def test_a_season_calls_those_who_play_in_it_and_its_date_calls_nobody() -> None:
    played = Played()
    await played.begin()
    await played.world.say(person("fay"), "/league join")  # plays from the next season
    await played.fire()
    composer = EventComposer(played.world.table, "en", lambda: played.world.now)
    began, date = [composer.compose([fact], ROOM, Settings()) for fact in played.facts]
    assert set(began.ping) == {who.account for who in PEOPLE}
    assert (began.kind, date.kind, date.ping) == (MessageKind.BOARD, MessageKind.BOARD, ())


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


async def test_people_who_blocked_each_other_do_not_challenge() -> None:
    world = World()
    for line in ("/ladder new lgame clock:1d", "/ladder join", "/block bob"):
        await world.say(ANN, line)
    await world.say(BOB, "/ladder join")
    assert await world.told(BOB, "/ladder challenge ann") == words("en")("match.refused.blocked")
    assert not ladder_of(await ladder(world)).challenges


async def test_a_place_has_one_ladder_of_a_game() -> None:
    world = World()
    for _ in range(2):
        await world.say(ANN, "/ladder new lgame clock:1d")
    assert (await ladder(world)).setup.game == "lgame"


async def test_a_ladder_takes_two_and_is_closed_by_admins() -> None:
    world = World()
    assert await world.told(ANN, "/ladder new klopodavka players:4 clock:1d") == words("en")(
        "bot.event.refused.for-two"
    )
    await world.say(ANN, "/ladder new lgame clock:1d")
    await world.say(BOB, "/ladder stop")
    assert (await ladder(world)).live


async def test_cups_and_ladders_are_not_taken_for_each_other() -> None:
    world, said = World(), words("en")
    await world.say(ANN, "/ladder new lgame clock:1d")
    code = (await ladder(world)).id
    assert await world.told(ANN, "/cup") == said("bot.cup.none")
    assert await world.told(ANN, "/cup table") == said("bot.cup.refused.none-here")
    assert await world.told(ANN, f"/cup join {code}") == said("event.refused.no-such-event", code=code)
    await world.say(BOB, "/cup new lgame clock:1d most:4")
    (cup,) = [event for event in await world.store.events.at(ROOM) if event.id != code]
    assert await world.told(ANN, f"/ladder join {cup.id}") == said("event.refused.no-such-event", code=cup.id)
    assert "Your place: 1." in await world.told(ANN, "/ladder join")
    assert await world.told(ANN, "/cup join") == said("bot.cup.joined", code=f"#{cup.id}")
