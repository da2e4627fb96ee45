"""Which match is meant: the bot asks where several fit, and the answer does what was asked, in that match alone."""

from __future__ import annotations

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.view import Person
from play.actions.agreeing import AskTakeback, OfferDraw
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.match import Ask, Match, Phase
from play.opening import Challenge, Lobby
from play.people import Player
from play.request import Request
from tests.bot.world import ANN, BOB, CEM, DAN, HALL, NOON, ROOM, World


async def two(world: World) -> tuple[Match, Match]:
    return await world.begin("breakthrough", {}), await world.begin("breakthrough", {"board": "5x5"})


async def asked(world: World, who: Player, line: str, count: int = 2) -> list[CallbackData]:
    """The buttons of the question that a line is answered with."""
    said = await world.say(who, line)
    assert len(said) == 1
    assert isinstance(said[0].to, Person)
    assert said[0].view.lines == ("Which match do you mean?",)
    assert len(said[0].view.buttons) == count
    return [CallbackData.unpack(button.data.pack()) for button in said[0].view.buttons]


@pytest.mark.parametrize(
    ("line", "verb", "argument"),
    [
        ("/move a2-a3", Verb.MOVE, "a2-a3"),
        ("/move а2 а3", Verb.MOVE, "a2-a3"),
        ("/move", Verb.MOVE, ""),
        ("/draw", Verb.DRAW, ""),
        ("/resign", Verb.RESIGN, ""),
        ("/resign yes", Verb.RESIGN, "sure"),
        ("/leave", Verb.RESIGN, ""),
        ("/board", Verb.BOARD, ""),
    ],
)
async def test_the_buttons_ask_the_same_again(line: str, verb: Verb, argument: str) -> None:
    world = World()
    first, second = await two(world)
    before = world.snapshot()
    actions = await asked(world, ANN, line)
    assert [(data.verb, data.argument) for data in actions] == [(verb, argument)] * 2
    assert [data.match for data in actions] == [second.id, first.id]
    assert world.snapshot() == before


@pytest.mark.parametrize(
    ("line", "verb", "argument"),
    [
        ("/draw no", Verb.NO, "draw"),
        ("/draw так", Verb.YES, "draw"),
        ("/takeback", Verb.TAKEBACK, ""),
        ("/takeback нет", Verb.NO, "takeback"),
        ("/undo", Verb.UNDO, ""),
    ],
)
async def test_only_matches_are_offered_in_which_it_can_be_done(line: str, verb: Verb, argument: str) -> None:
    world = World()
    fit = [await world.all_move(await world.begin("breakthrough", {})) for _ in range(3)]
    made = await world.table.open(
        Challenge(ROOM, "breakthrough", opponents=[BOB], rated=True), Request(ANN, NOON)
    )
    rated = (await world.table.act(made.match.id, Join(), Request(BOB, NOON))).match  # no move to undo
    if verb is Verb.UNDO or argument == "takeback":
        for match in fit:
            await world.table.act(match.id, MakeMove("h2-h3"), Request(ANN, NOON))
    if argument:
        for match in fit:
            ask = OfferDraw() if argument == "draw" else AskTakeback()
            await world.table.act(match.id, ask, Request(BOB, NOON))
    before = world.snapshot()
    actions = await asked(world, ANN, line, 3)
    assert [(data.verb, data.argument) for data in actions] == [(verb, argument)] * 3
    assert {data.match for data in actions} == {match.id for match in fit}
    assert world.snapshot() == before
    for match in fit[:2]:
        await world.table.act(match.id, Resign(), Request(BOB, NOON))
    await world.say(ANN, line)  # there is one left
    assert world.snapshot().matches[fit[2].id] != before.matches[fit[2].id]
    assert world.snapshot().matches[rated.id] == before.matches[rated.id]


async def test_what_can_be_done_nowhere_is_refused_at_once() -> None:
    world = World()
    await two(world)
    before = world.snapshot()
    for line in ("/draw no", "/draw так", "/takeback", "/takeback нет", "/undo"):
        [said] = await world.say(ANN, line)
        assert not said.view.buttons
        assert "Which" not in said.view.lines[0]
    assert (await world.told(BOB, "/move a7-a6")).startswith("It is not your turn: ann")
    assert world.snapshot() == before


async def test_an_answer_finds_the_question_of_its_kind() -> None:
    world = World()
    first, second = await two(world)
    await world.table.act(first.id, MakeMove("a2-a3"), Request(ANN, world.now))
    await world.table.act(first.id, MakeMove("a7-a6"), Request(BOB, world.now))
    await world.table.act(first.id, AskTakeback(), Request(ANN, world.now))
    await world.table.act(second.id, OfferDraw(), Request(ANN, world.now))
    await world.say(BOB, "/draw no")
    assert (await world.table.get(second.id)).offer is None
    offer = (await world.table.get(first.id)).offer
    assert offer is not None
    assert offer.ask is Ask.TAKEBACK
    await world.say(BOB, "/takeback yes")
    assert (await world.table.get(first.id)).log == ()


async def test_what_fits_no_button_is_asked_for_with_codes() -> None:
    world = World()
    first, second = await two(world)
    said = await world.say(ANN, "/move а9 " + "ж" * 30)
    assert said[0].view.buttons == ()
    assert first.id in said[0].view.lines[1]
    assert second.id in said[0].view.lines[1]


async def test_a_code_names_one_here_or_ones_own_and_in_full_any() -> None:
    world = World()
    match = await world.begin("breakthrough", {}, HALL)
    short = match.id[:5]
    assert (await world.say(ANN, f"/board #{short}", ROOM))[0].view.diagram
    assert not (await world.say(CEM, f"/board #{short}", ROOM))[0].view.diagram
    assert (await world.say(CEM, f"/board #{short}", HALL))[0].view.diagram
    assert (await world.say(CEM, f"/board #{match.id.upper()}", ROOM))[0].view.diagram


async def test_a_code_without_its_sign_is_never_passed_over() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    for command in ("resign", "undo", "leave", "rematch", "board", "export"):
        said = await world.say(ANN, f"/{command} {match.id}")
        assert match.id in said[0].view.lines[0]
        assert "what" in said[0].view.lines[0]
    assert (await world.table.get(match.id)).phase is Phase.PLAYING


async def test_who_presses_anothers_button_is_not_offered_it_again() -> None:
    world = World()
    made = await world.table.open(Challenge(ROOM, "lgame", opponents=[BOB]), Request(ANN, NOON))
    accept = CallbackData(Verb.ACCEPT, made.match.id, made.match.revision)
    for who, offered in ((CEM, []), (ANN, [Verb.WITHDRAW])):
        [said] = await world.desk.press(world.visitor(who), accept)
        assert len(said.view.lines) > 1
        assert [button.data.verb for button in said.view.buttons] == offered
    lobby = (await world.table.open(Lobby(ROOM, "klopodavka", {"players": "4"}), Request(DAN, NOON))).match
    [said] = await world.desk.press(world.visitor(CEM), CallbackData(Verb.START, lobby.id, lobby.revision))
    assert {button.data.verb for button in said.view.buttons} == {Verb.JOIN}


async def test_a_refusal_is_about_what_was_meant() -> None:
    world = World()
    await world.say(CEM, "/challenge anyone lgame")
    (lgame,) = await world.store.matches.at(ROOM)
    for line in ("/decline", f"/decline #{lgame.id}"):
        assert (await world.say(DAN, line))[0].view.lines == (
            "No seat is kept for you here, so there is nothing to decline.",
        )
    assert "your own challenge" in (await world.say(CEM, "/decline"))[0].view.lines[0]
    await world.say(ANN, "/new breakthrough")
    assert "nothing to decline" in (await world.say(ANN, "/decline"))[0].view.lines[0]


async def test_who_withdraws_what_has_begun_hears_just_that() -> None:
    world = World()
    await world.say(ANN, "/challenge bob breakthrough")
    await world.say(BOB, "/accept")
    await world.say(CEM, "/new klopodavka players:3")
    assert "already begun" in (await world.say(ANN, "/withdraw"))[0].view.lines[0]
    assert "Only cem" in (await world.say(DAN, "/withdraw"))[0].view.lines[0]
