"""Each thing that can happen has words in every language, and shows what it should."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from itertools import product
from random import Random
from typing import Final

import pytest

from bot.chat.callback_data import Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting.boards import for_one, show
from bot.chat.presenting.facts import fact_view
from bot.chat.view import View
from bot.features.matches.cards import FASTEST, OPENING, SLOWEST, TOLD, frames
from bot.platforms.discord.rendering import arranged
from bot.platforms.telegram.rendering import keyboard
from play import facts
from play.actions.agreeing import Answer, AskPause, AskTakeback, OfferDraw, Resume, Undo
from play.actions.giving import GiveTime
from play.actions.leaving import Claim, Leave, Resign, Substitute
from play.actions.planning import MakePlan
from play.actions.playing import MakeMove
from play.actions.renaming import Watch
from play.actions.seating import Decline, Expire, Join, Start, Withdraw
from play.facts import Fact
from play.files.matchfile import Import, export
from play.match import Ask, Match, Phase
from play.opening import Challenge, Lobby, rematch
from play.people import Player
from play.request import CLOCKWORK, Action, Request
from play.time.firing import fire
from play.time.timers import heads_up
from play.time.vacation import end_vacation, take_vacation
from rules import GAMES
from rules.core import Seat, Sign
from tests.bot.world import ANN, BOB, CEM, DAN, EVE, HALL, ROOM, SETTINGS, World, person

# Matches in which something was played, by people with names of many scripts.


CROWD: Final = tuple(
    person(name) for name in ("ann", "Боб", "Їжачок", "ד", "Ngọc", "fay", "gus", "hal", "ira", "Ёлка")
)


async def played(world: World, game: str, chosen: Mapping[str, str], plies: int, seed: int) -> Match:
    """A match after some plies at random."""
    host, *others = CROWD[: GAMES[game].seats(GAMES[game].choose(chosen))]
    match = (
        await world.table.open(Challenge(ROOM, game, chosen, opponents=others), Request(host, world.now))
    ).match
    for other in others:
        match = (await world.table.act(match.id, Join(), Request(other, world.now))).match
    chance = Random(seed)
    for _ in range(plies):
        position = world.table.position(match)
        if position.outcome:
            break
        text = GAMES[game].notation.format(chance.choice(position.legal_moves()))
        mover = match.chairs[position.to_move].player
        assert mover
        match = (await world.table.act(match.id, MakeMove(text), Request(mover, world.now))).match
        if not match.live:
            break
    return match


KINDS = set(facts.KINDS) - {facts.Later, facts.Renamed}
"""Every kind of fact that anybody hears of."""

OFFERED: Mapping[type[Fact], Verb] = {
    facts.TimeIsUp: Verb.CLAIM,
    facts.Paused: Verb.RESUME,
    facts.Flagged: Verb.SUBSTITUTE,
    facts.Departed: Verb.SUBSTITUTE,
}
"""What can be done about some of them while the match goes on."""

DAY = timedelta(days=1)


async def happen(world: World) -> list[Fact]:
    """One of each fact at least, in the order in which an evening brings them."""
    table, at = world.table, world.now
    seen: list[Fact] = []

    def saw(fact: Fact) -> Match:
        seen.append(fact)
        return fact.match

    async def act(match: Match, action: Action[Fact], who: Player = ANN) -> None:
        saw(await table.act(match.id, action, Request(who, at)))

    async def challenged(game: str, chosen: Mapping[str, str]) -> Match:
        return saw(await table.open(Challenge(ROOM, game, chosen, opponents=[BOB]), Request(ANN, at)))

    declined = await challenged("breakthrough", {"board": "5x5"})
    await act(declined, Decline(), BOB)
    several = Challenge(ROOM, "klopodavka", {"players": "3"}, opponents=[BOB, CEM])
    await act(saw(await table.open(several, Request(ANN, at))), Decline(), BOB)
    withdrawn = await challenged("lgame", {"variant": "scoring", "points": "5"})
    await act(withdrawn, Withdraw())
    late = saw(await table.open(Challenge(ROOM, "lgame"), Request(ANN, at)))
    saw(await table.act(late.id, Expire(), Request(CLOCKWORK, at + timedelta(hours=24))))
    empty = saw(await table.open(Lobby(ROOM, "klopodavka", {"players": "3"}), Request(ANN, at)))
    await act(empty, Leave())

    lobby = saw(
        await table.open(Lobby(ROOM, "klopodavka", {"teams": "2v2", "board": "6x6"}), Request(ANN, at))
    )
    for who in (BOB, CEM, DAN):
        await act(lobby, Join(), who)
    await act(lobby, Leave())
    await act(lobby, Join())
    await act(lobby, Start(), BOB)
    await act(lobby, MakeMove("b2"))
    await act(lobby, MakeMove("b3 c4"))
    await act(lobby, Watch(HALL), CLOCKWORK)
    await act(lobby, Watch(HALL, on=False), CLOCKWORK)
    await act(lobby, Resign(), DAN)

    duel = await challenged("breakthrough", {"board": "4x5"})
    await act(duel, Join(), BOB)
    await act(duel, MakeMove("a2-a3"))
    await act(duel, Undo())
    await act(duel, MakeMove("a2-a3"))
    await act(duel, OfferDraw(), BOB)
    await act(duel, Answer(Ask.DRAW, False))
    await act(duel, MakeMove("b4-b3"), BOB)
    await act(duel, AskTakeback())
    await act(duel, Answer(Ask.TAKEBACK, False), BOB)
    await act(duel, MakeMove("c2-c3"))
    await act(duel, MakeMove("b3-a2"), BOB)
    await act(duel, AskTakeback())
    await act(duel, Answer(Ask.TAKEBACK, True), BOB)
    unfinished = export(await table.get(duel.id))
    await act(duel, OfferDraw())
    await act(duel, OfferDraw(), BOB)
    saw(await rematch(table, duel.id, Request(BOB, at)))
    saw(await table.open(Import(unfinished, ROOM), Request(CEM, at)))
    saw(await table.open(Import(export(await table.get(duel.id)), ROOM), Request(CEM, at)))

    three = await world.begin("klopodavka", {"players": "3", "bases": "a1,j10,a10"})
    await act(three, OfferDraw())
    await act(three, Answer(Ask.DRAW, True), BOB)
    await act(three, Answer(Ask.DRAW, False), CEM)
    await table.act(three.id, MakeMove("b2 c3 d4"), Request(ANN, at))
    await table.act(three.id, MakeMove(await spare(world, three.id)), Request(BOB, at))
    await act(three, AskTakeback())
    await act(three, Answer(Ask.TAKEBACK, True), CEM)
    await act(three, Answer(Ask.TAKEBACK, False), BOB)

    scored = await world.begin("lgame", {"variant": "scoring", "points": "5"})
    await act(scored, MakeMove("L a3-a1-b1 n d1-c1"))
    await act(scored, MakeMove("L d3-b3-b4 n a4-b2"), BOB)
    saw(await table.act((await world.begin("lgame", {})).id, Resign(), Request(BOB, at)))
    return seen


async def spare(world: World, code: str) -> str:
    """Any move."""
    match = await world.table.get(code)
    game = world.table.games[match.game]
    return game.notation.format(world.table.position(match).legal_moves()[0])


def told(world: World, fact: Fact, language: str = "en") -> View:
    return fact_view(fact, world.present(fact.match, words(language, strict=True)))


async def by_the_clock(world: World) -> list[Fact]:
    """One of each fact that has to do with time."""
    table, at = world.table, world.now
    seen: list[Fact] = []

    def saw(fact: Fact | None) -> Match:
        assert fact is not None
        seen.append(fact)
        return fact.match

    async def timed(clock: str | None, game: str = "breakthrough", **chosen: str) -> str:
        seats = int(chosen.get("players", "2"))
        others = [BOB, CEM, DAN][: seats - 1]
        made = await table.open(
            Challenge(ROOM, game, chosen, opponents=others, clock=clock), Request(ANN, at)
        )
        for other in others:
            await table.act(made.match.id, Join(), Request(other, at))
        return made.match.id

    hard = await timed("2d")
    saw(await fire(table, hard, "remind", table.now(at + DAY)))
    saw(await fire(table, hard, "flag", table.now(at + 2 * DAY)))
    soft = await timed("2d soft")
    saw(await fire(table, soft, "flag", table.now(at + 2 * DAY)))
    saw(await table.act(soft, Claim(), Request(BOB, at + 2 * DAY)))

    rests = await timed("2d vacation")
    saw(await table.act(rests, AskPause(), Request(ANN, at)))
    saw(await table.act(rests, Answer(Ask.PAUSE, True), Request(BOB, at)))
    saw(await table.act(rests, Resume(), Request(BOB, at)))
    saw(await table.act(rests, AskPause(), Request(BOB, at)))
    saw(await table.act(rests, Answer(Ask.PAUSE, False), Request(ANN, at)))
    for fact in (await take_vacation(table, Request(ANN, at), "1d"))[1]:
        saw(fact)
    for back in (await end_vacation(table, Request(ANN, at + DAY / 2)))[1]:
        saw(back)
    saw(await fire(table, rests, "flag", table.now(at + 3 * DAY)))
    saw(await table.act(rests, GiveTime(), Request(BOB, at + 3 * DAY)))

    silent = await timed(None)
    saw(await fire(table, silent, "silence", table.now(at + 60 * DAY)))
    saw(await fire(table, silent, "close", table.now(at + 70 * DAY)))
    planned = await timed(None)
    saw(await table.act(planned, MakePlan("if a2-a3 then a7-a6; if b2-b3 then a7-a6"), Request(BOB, at)))
    saw(await table.act(planned, MakeMove("a2-a3"), Request(ANN, at)))
    saw(await table.act(planned, MakePlan("if c2-c3 then b7-b6"), Request(BOB, at)))
    saw(await table.act(planned, MakePlan("b7-b6"), Request(BOB, at)))
    saw(await table.act(planned, MakePlan(""), Request(BOB, at)))

    three = await timed("2d", "klopodavka", players="3")
    match = await table.get(three)
    next_one = heads_up(match, table.course(match))
    saw(next_one)
    alone = await table.open(Challenge(ROOM, "lgame", opponents=[BOB]), Request(ANN, at))
    saw(facts.Unreached(alone.match, ANN.account, (BOB,)))
    saw(facts.Unreached(match, CEM.account, (BOB,)))
    for called in ({"where": HALL}, {"to": CEM.account}):
        saw(facts.Unreached(**{"match": match, "to": None, "who": (BOB,), "called": True} | called))
    for reached in (None, True, False):
        saw(facts.Absent(match, BOB, ROOM, reached))
    saw(facts.Reached(alone.match, ROOM, more=2))
    saw(facts.Reached(match, to=BOB.account))
    saw(facts.Waiting(match, ROOM))
    saw(facts.Deliberated(match, ROOM))
    for told in ("hello", ""):
        saw(facts.Told(match, ANN.account, told, Seat.S2, 1))
    saw(facts.Told(match, None, "hello", Seat.S1, 2, where=ROOM))
    saw(facts.Postponed(match))
    saw(await fire(table, three, "flag", table.now(at + 2 * DAY)))
    saw(await table.act(three, Substitute(), Request(EVE, at + 2 * DAY)))
    return seen


async def everything(world: World) -> list[Fact]:
    return [*await happen(world), *await by_the_clock(world)]


async def test_every_kind_of_fact_can_be_told_in_every_language() -> None:
    world = World()
    seen = await everything(world)
    assert {type(fact) for fact in seen} == KINDS
    for fact, language in product(seen, LANGUAGES):
        view = told(world, fact, language)
        spoken = [*view.lines, *view.after, *(seated.text for seated in view.roster)]
        assert all(line.isprintable() for line in spoken)
        assert any(f"#{fact.match.id}" in line for line in view.lines), view.lines
        assert len(view.roster) in (0, len(fact.match.chairs))
        assert (view.diagram is None) == (not view.after) or fact.match.phase is Phase.OPEN
        for button in view.buttons:
            assert button.label
            assert button.data.fits
            assert (button.data.match, button.data.seen) == (fact.match.id, fact.match.revision)


async def test_attention_is_asked_of_who_is_on_turn_when_the_turn_was_handed_on() -> None:
    world = World()
    for fact in await everything(world):
        view = told(world, fact)
        if isinstance(fact, facts.Moved):
            assert bool(view.ping) == fact.handed_on
        if isinstance(fact, facts.Started):
            assert view.ping
        if isinstance(fact, facts.Watching | facts.Undone):
            assert not view.ping
        if isinstance(fact, facts.Asked):
            assert view.ping
            assert fact.match.chairs[fact.seat].player.account not in view.ping  # type: ignore[union-attr]
        elif isinstance(fact, facts.Unreached) and fact.match.phase is Phase.PLAYING:
            others = (ANN.account, CEM.account)
            assert view.ping == (((BOB.account,) if fact.where else ()) if fact.called else others)
        elif isinstance(fact, facts.Absent) and fact.reached is not None:
            assert view.ping == (() if fact.reached else (ANN.account, CEM.account))
        elif view.ping and fact.match.phase is Phase.PLAYING:
            chair = fact.match.chairs[world.table.position(fact.match).to_move]
            assert chair.player is not None
            assert view.ping == (chair.player.account,)


async def test_what_is_asked_can_be_answered_and_what_is_over_played_again() -> None:
    world = World()
    for fact in await everything(world):
        view = told(world, fact)
        verbs = [button.data.verb for button in view.buttons]
        if isinstance(fact, facts.Asked):
            assert verbs == [Verb.YES, Verb.NO]
            assert {button.data.argument for button in view.buttons} == {fact.ask.value}
        elif isinstance(fact, facts.Challenged):
            assert verbs in ([Verb.ACCEPT, Verb.DECLINE, Verb.WITHDRAW], [Verb.JOIN, Verb.WITHDRAW])
        elif isinstance(fact, facts.Told) and fact.to and fact.text:
            assert verbs == [Verb.TELL, Verb.REPORT, Verb.BLOCK]
        elif isinstance(fact, facts.Unreached) and fact.called:
            assert verbs == ([Verb.BOARD] if fact.where else [])
        elif fact.match.phase is Phase.OVER:
            assert verbs == [*[Verb.REMATCH] * 3, Verb.ANALYSE, Verb.STORY][: 5 if fact.match.log else 3]
            assert not view.controls
        elif fact.match.phase in (Phase.PLAYING, Phase.CALLED_OFF):
            assert verbs == [OFFERED[type(fact)]] if type(fact) in OFFERED else verbs == []


@pytest.mark.parametrize("language", LANGUAGES)
async def test_after_a_match_there_is_one_row_that_a_phone_shows_whole(language: str) -> None:
    world = World(language)
    over = await world.table.act(
        (await world.begin("lgame", {})).id, MakeMove("L a1-a3-b3"), Request(ANN, world.now)
    )
    resigned = await world.table.act(over.match.id, Resign(), Request(BOB, world.now))
    view = show(world.present(resigned.match, words(language)))
    for alone in (view, for_one(view, world.present(resigned.match, words(language)), ANN.account)):
        shown = keyboard(alone)
        assert shown is not None
        [row] = shown.inline_keyboard
        assert [len(key.text) <= 6 for key in row] == [True] * 5
        [keys] = arranged(alone)
        assert isinstance(keys, tuple)
        assert [key.label for key in keys] == [each.label for each in alone.buttons]


async def test_a_rematch_keeps_the_seats_or_swaps_them() -> None:
    world = World()
    for line, first in (("/rematch same", ANN), ("/rematch", BOB)):
        match = await world.begin("lgame", {})
        await world.say(BOB, f"/resign yes #{match.id}")
        await world.say(ANN, f"{line} #{match.id}")
        await world.say(BOB, "/accept")
        [again] = world.playing()
        assert again.chairs[0].player == first
        await world.say(BOB, f"/resign yes #{again.id}")


async def test_names_cannot_turn_the_text_around_them() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    evil = tuple(
        replace(chair, player=replace(who, name="\u202eevil\n**x**\x00"))
        for chair, who in zip(match.chairs, (ANN, BOB), strict=True)
    )
    view = told(world, facts.Started(replace(match, chairs=evil)))
    assert view.lines[0] == "The game begins: evil **x** – evil **x**."


@pytest.mark.parametrize(("game", "chosen"), SETTINGS)
async def test_a_film_has_a_frame_for_each_entry_and_says_what_it_did(
    game: str, chosen: dict[str, str]
) -> None:
    world = World()
    match = await played(world, game, chosen, 9, seed=3)
    course = world.table.course(match)
    for language in LANGUAGES:
        shown = frames(world.present(match, words(language, strict=True)))
        assert len(shown) == len(match.log) + 2
        assert all(frame.caption for frame in shown)
        assert shown[0].seconds == OPENING
        assert {frame.seconds for frame in shown[1:]} == {SLOWEST}
        assert shown[-1].diagram == shown[-2].diagram
        assert {frame.strip for frame in shown} == {shown[0].strip}
        assert shown[-1].diagram.pieces == GAMES[game].draw(course.position).pieces


async def test_marks_gather_within_a_turn_and_a_long_match_goes_faster() -> None:
    world = World()
    match = await played(world, "klopodavka", {"board": "20x20"}, 150, seed=1)
    shown = frames(world.present(match, words("en")))
    marks = [sum(mark.sign in (Sign.ENTERED, Sign.CRUSHED) for mark in one.diagram.marks) for one in shown]
    assert marks[:8] == [0, 1, 2, 3, 1, 2, 3, 1]
    assert FASTEST <= shown[1].seconds < SLOWEST
    short = frames(world.present(match, words("en")), most=40)
    assert len(short) == 40
    assert short[-1].diagram == shown[-1].diagram
    told = frames(world.present(match, words("en")), most=40, told={2: "First.", 77: "Then."})
    assert len(told) <= 40
    assert [(one.caption, one.seconds) for one in told if one.seconds == TOLD] == [
        ("First.", TOLD),
        ("Then.", TOLD),
    ]
    assert told[-1].diagram == shown[-1].diagram
