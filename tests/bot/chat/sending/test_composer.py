"""What the sender says: each place in its language, people in theirs, whom it calls, and several facts as one message."""

from __future__ import annotations

from dataclasses import replace
from datetime import time, timedelta

from bot.chat.callback_data import Verb
from bot.chat.sending.composer import MAX_EARLIER, NextTurnNotices
from bot.chat.sending.routing import INVITATION, MessageKind
from play import facts
from play.actions.agreeing import Answer, AskTakeback, OfferDraw, Undo
from play.actions.leaving import Resign, Substitute
from play.actions.playing import MakeMove
from play.actions.seating import Join, Withdraw
from play.facts import Fact
from play.match import Ask, Chair, Closing, Match, Phase, engine
from play.opening import Challenge
from play.people import Account, Address, Player
from play.request import Request
from play.settings import QuietHours, Settings
from play.time.clock import Outage
from play.time.firing import fire
from render.picture import Theme
from rules.core import Seat
from tests.bot.world import ANN, BOB, CEM, DAN, HALL, NOON, ROOM, World
from tests.support.services import Composing
from tests.support.stores import set_settings

FAR = Address("other", "place")
ZOE = Player(Account("other", "zoe"), "zoe")


async def begun(world: World, *, seats: int = 2) -> Match:
    if seats > 2:
        return await world.begin("klopodavka", {"players": str(seats)})
    return await world.begin("breakthrough", {"board": "4x5"})


def composer(world: World) -> Composing:
    return Composing(world.table, world.store)


async def test_places_and_people_are_spoken_to_in_their_languages() -> None:
    world = World()
    moved = await world.table.act((await begun(world)).id, MakeMove("a2-a3"), Request(ANN, NOON))
    await set_settings(world.store, HALL, Settings(language="uk"))
    await set_settings(world.store, ANN.account, Settings(language="ru"))
    after = [
        (await composer(world).compose([moved], to)).view.after
        for to in (ROOM, HALL, ANN.account, BOB.account)
    ]
    assert after == [("Turn: bob",), ("Ходить bob",), ("Ходит bob",), ("Turn: bob",)]
    await set_settings(world.store, ROOM, Settings(language="uk"))
    assert (await composer(world).compose([moved], BOB.account)).view.after == ("Ходить bob",)


async def test_the_player_on_turn_is_called_once_and_only_where_they_are() -> None:
    world = World()
    moved = await world.table.act((await begun(world)).id, MakeMove("a2-a3"), Request(ANN, NOON))
    everywhere = replace(moved, match=replace(moved.match, addresses=(ROOM, HALL, FAR)))
    called = [(await composer(world).compose([everywhere], to)).ping for to in (ROOM, HALL, FAR)]
    assert called == [(BOB.account,), (), ()]


async def test_several_facts_are_one_message_with_the_words_of_each() -> None:
    world = World()
    code = (await begun(world)).id
    told: list[Fact] = [
        await world.table.act(code, MakeMove("a2-a3"), Request(ANN, NOON)),
        await world.table.act(code, MakeMove("b4-b3"), Request(BOB, NOON)),
        await world.table.act(code, OfferDraw(), Request(ANN, NOON)),
    ]
    announcement = await composer(world).compose(told, ROOM)
    assert announcement.view.lines[:2] == ("ann: a2-a3", "bob: b4-b3")
    assert announcement.view.after == ("Turn: ann", "ann offers a draw."), "what the buttons answer"
    assert announcement.kind is MessageKind.BOARD
    assert announcement.open
    assert announcement.revision == told[-1].match.revision
    assert announcement.view.diagram is not None
    assert len(announcement.view.buttons) == 2
    assert announcement.ping == (BOB.account,), "the one on turn asked"


async def test_the_actions_of_one_turn_stand_after_one_name() -> None:
    world = World()
    code = (await world.begin("klopodavka", {"board": "5x5", "players": "2"})).id
    told: list[Fact] = []
    for who, action in (
        (ANN, MakeMove("b2")),
        (ANN, MakeMove("a2")),
        (ANN, Undo()),
        (ANN, MakeMove("c3")),
        (ANN, MakeMove("c2")),
        (BOB, MakeMove("d4")),
        (BOB, MakeMove("d5 d3")),
        (ANN, MakeMove("b1")),
    ):
        told.append(await world.table.act(code, action, Request(who, NOON)))
    view = (await composer(world).compose(told, ROOM)).view
    said = ("ann: b2 a2", "ann takes back: a2", "ann: c3 c2", "bob: d4 d5 d3", "ann: b1")
    assert view.lines[: len(said)] == said
    assert (await composer(world).compose(told[:1], ROOM)).view.lines[0] == "ann: b2"


async def test_a_board_is_edited_when_an_outage_moves_its_deadline() -> None:
    world = World()
    made = await world.table.open(Challenge(ROOM, "lgame", opponents=[BOB], clock="1d"), Request(ANN, NOON))
    await world.table.act(made.match.id, Join(), Request(BOB, NOON))
    world.table.outages = [Outage(NOON + timedelta(hours=1), NOON + timedelta(hours=4))]
    postponed = await fire(world.table, made.match.id, "flag", world.table.now(NOON + timedelta(days=1)))
    assert postponed is not None
    announcement = await composer(world).compose([postponed], ROOM)
    assert (announcement.kind, announcement.ping) == (MessageKind.EDIT, ())
    assert announcement.view.deadline == NOON + timedelta(days=1, hours=3)


async def test_a_half_turn_calls_no_one() -> None:
    world = World()
    match = await begun(world, seats=3)
    position = world.table.position(match)
    text = world.table.games["klopodavka"].notation.format(position.legal_moves()[0])
    moved = await world.table.act(match.id, MakeMove(text), Request(ANN, NOON))
    announcement = await composer(world).compose([moved], ROOM)
    assert (announcement.kind, announcement.ping) == (MessageKind.EDIT, ())


async def test_the_next_one_hears_of_it_who_asked_for_that() -> None:
    world = World()
    match = await begun(world, seats=3)
    also = NextTurnNotices(world.table, world.store)
    started = facts.Started(match)
    assert not list(await also(started))
    await set_settings(world.store, BOB.account, Settings(heads_up=True))
    (heads_up,) = await also(started)
    assert isinstance(heads_up, facts.HeadsUp)
    assert heads_up.to == BOB.account
    announcement = await composer(world).compose([heads_up], BOB.account)
    assert announcement.view.lines[-1] == "You are next, after ann."
    two = await begun(world)
    assert not list(await also(facts.Started(two)))
    assert not list(await also(facts.Started(replace(match, phase=Phase.OVER))))
    assert not list(await also(facts.Reminded(match, ANN.account, Seat.S1, timedelta(hours=5))))
    left = await world.table.act(match.id, Resign(), Request(CEM, NOON))
    assert not list(await also(left)), "of the two who are left, the other is always next"


async def test_a_reminder_calls_whom_it_is_for() -> None:
    world = World()
    match = await begun(world)
    fact = facts.Reminded(match, ANN.account, Seat.S1, timedelta(hours=5))
    announcement = await composer(world).compose([fact], ANN.account)
    assert announcement.ping == (ANN.account,)
    assert announcement.view.lines[0] == "It is your move. Time left: 5 hours."


async def test_a_player_of_a_platform_without_a_place_is_told_privately() -> None:
    from bot.chat.sending.routing import recipients

    world = World()
    made = await world.table.open(Challenge(ROOM, "breakthrough"), Request(ANN, NOON))
    started = await world.table.act(made.match.id, Join(), Request(ZOE, NOON))
    assert recipients(started) == (ROOM, ZOE.account)
    moved = await world.table.act(made.match.id, MakeMove("a2-a3"), Request(ANN, NOON))
    assert (await composer(world).compose([moved], ZOE.account)).ping == (ZOE.account,)
    assert (await composer(world).compose([moved], ROOM)).ping == ()


async def test_boards_have_the_colours_and_the_side_that_their_reader_has_chosen() -> None:
    world = World()
    moved = await world.table.act((await begun(world)).id, MakeMove("a2-a3"), Request(ANN, NOON))
    await set_settings(world.store, ROOM, Settings(theme="wood", flip=True))  # a place has no side of its own
    await set_settings(world.store, HALL, Settings(theme="no such theme"))
    await set_settings(world.store, ANN.account, Settings(theme="dark", flip=True))
    await set_settings(world.store, BOB.account, Settings(flip=True))
    views = [
        (await composer(world).compose([moved], to)).view for to in (ROOM, HALL, ANN.account, BOB.account)
    ]
    assert [view.theme for view in views] == [Theme.WOOD, Theme.LIGHT, Theme.DARK, Theme.WOOD]
    assert [view.flipped for view in views] == [False, False, False, True]
    for view in views:
        assert view.alt.startswith("ann (White): a man goes from a2 to a3. Turn: bob.")
        assert view.strip


async def test_a_conversation_shows_the_board_from_ones_own_side_with_keys_for_the_one_on_turn() -> None:
    world = World()
    match = await begun(world)
    await set_settings(world.store, HALL, Settings(person=BOB.account))
    for told, flipped, keys in (
        (await world.table.act(match.id, MakeMove("a2-a3"), Request(ANN, NOON)), True, True),
        (await world.table.act(match.id, MakeMove("b4-b3"), Request(BOB, NOON)), True, False),
    ):
        for to in (HALL, BOB.account):
            view = (await composer(world).compose([told], to)).view
            assert view.flipped is flipped
            assert (view.grid is not None) is keys
            assert (Verb.MOVE in [each.data.verb for each in view.controls]) is keys
            if view.grid is not None:
                assert view.grid.rows[0][0].name == "d1"  # the keys are turned as the picture is
    assert not (await composer(world).compose([told], ROOM)).view.flipped


async def test_only_who_has_to_answer_is_called() -> None:
    world = World()
    code = (await begun(world)).id
    # She is on turn, he is not: he has to answer.
    asked = await world.table.act(code, OfferDraw(), Request(ANN, NOON))
    announcement = await composer(world).compose([asked], ROOM)
    assert (announcement.kind, announcement.ping) == (MessageKind.QUESTION, (BOB.account,))
    declined = await world.table.act(code, Answer(Ask.DRAW, False), Request(BOB, NOON))
    assert (await composer(world).compose([declined], ROOM)).ping == ()
    await world.table.act(code, MakeMove("a2-a3"), Request(ANN, NOON))
    await world.table.act(code, MakeMove("b4-b3"), Request(BOB, NOON))
    back = await world.table.act(code, AskTakeback(), Request(ANN, NOON))
    assert (await composer(world).compose([back], ROOM)).ping == (BOB.account,)
    quiet = Settings(quiet=QuietHours(time(11), time(13), "UTC"))
    await set_settings(world.store, ROOM, quiet)
    at_noon = Composing(world.table, world.store, lambda: NOON)
    assert (await at_noon.compose([back], ROOM)).ping == ()


async def test_of_several_who_are_asked_those_are_called_who_have_not_answered() -> None:
    world = World()
    code = (await begun(world, seats=3)).id
    asked = await world.table.act(code, OfferDraw(), Request(ANN, NOON))
    assert (await composer(world).compose([asked], ROOM)).ping == (BOB.account, CEM.account)
    agreed = await world.table.act(code, Answer(Ask.DRAW, True), Request(BOB, NOON))
    announcement = await composer(world).compose([agreed], ROOM)
    assert (announcement.kind, announcement.ping) == (MessageKind.NOTE, (CEM.account,))
    both = await composer(world).compose([asked, agreed], ROOM)
    assert (both.kind, both.ping) == (MessageKind.QUESTION, (CEM.account,))


async def test_where_everybody_is_out_engines_play_on_in_silence() -> None:
    world = World()
    match = await begun(world, seats=3)
    moved = await world.table.act(match.id, MakeMove(await first(world, match.id)), Request(ANN, NOON))
    said = composer(world)
    assert await said.wants([moved], ROOM)
    one = engine(4)
    chairs = (Chair(player=ANN), Chair(player=one), Chair(player=engine(4, {one.account})))
    alone = replace(moved, seat=Seat.S2, match=replace(moved.match, chairs=chairs))
    assert await said.wants([alone], ROOM), "ann is still in"
    course = world.table.course(moved.match).left(Seat.S1, Closing.RESIGNED, NOON)
    alone = replace(alone, match=replace(alone.match, log=course.log, revision=alone.match.revision + 1))
    assert not await said.wants([alone], ROOM)
    assert await said.wants([replace(alone, fell=(Seat.S1,))], ROOM), "what put her out"
    assert await said.wants([moved, alone], ROOM)
    assert await said.wants([replace(alone, match=replace(alone.match, phase=Phase.OVER))], ROOM), "the end"


async def first(world: World, code: str) -> str:
    """Any move."""
    match = await world.table.get(code)
    game = world.table.games[match.game]
    return game.notation.format(world.table.position(match).legal_moves()[0])


async def test_of_many_earlier_facts_the_latest_are_told() -> None:
    world = World()
    code = (await begun(world)).id
    asked = await world.table.act(code, OfferDraw(), Request(ANN, NOON))
    told: list[Fact] = [asked, await world.table.act(code, Answer(Ask.DRAW, False), Request(BOB, NOON))]
    told *= MAX_EARLIER
    view = (await composer(world).compose(told, ROOM)).view
    earlier = [line for line in view.lines if "draw" in line]
    assert len(earlier) == MAX_EARLIER + 1
    assert earlier[0] == "bob declines the draw.", "the offer before it is left out"


async def test_a_retired_message_says_what_it_showed_and_what_became_of_an_invitation() -> None:
    world = World()
    made = await world.table.open(
        Challenge(ROOM, "breakthrough", {"board": "4x5"}, opponents=[BOB]), Request(ANN, NOON)
    )
    code, said = made.match.id, composer(world)
    assert (await said.compose([made], ROOM)).shows == INVITATION
    again = await said.closed([made], ROOM, INVITATION)
    assert again is not None
    assert again.lines[1:] == ("The invitation is further down.",), "it stands in a later message"
    started = await world.table.act(code, Join(), Request(BOB, NOON))
    began = await said.closed([started], ROOM, INVITATION)
    assert began is not None
    assert began.lines[1] == "The game begins: ann – bob."
    moved = [
        await world.table.act(code, MakeMove(text), Request(who, NOON))
        for who, text in ((ANN, "a2-a3"), (BOB, "b4-b3"))
    ]
    assert (await said.compose(moved, ROOM)).shows == 2
    first = await said.closed(moved[1:], ROOM, 1)
    assert first is not None
    assert first.lines[0] == "ann: a2-a3"
    assert not first.buttons
    assert not first.controls
    await world.table.act(code, AskTakeback(), Request(ANN, NOON))
    back = await world.table.act(code, Answer(Ask.TAKEBACK, True), Request(BOB, NOON))
    undone = await said.closed([back], ROOM, 2)
    assert undone is not None
    assert undone.lines[0] == "bob: b4-b3", "as it was before the move was taken back"
    assert await said.closed([back], ROOM, 5) is None
    withdrawn = await world.table.open(Challenge(ROOM, "lgame"), Request(ANN, NOON))
    off = await world.table.act(withdrawn.match.id, Withdraw(), Request(ANN, NOON))
    assert (await said.compose([off], ROOM)).shows is None


async def test_a_board_from_before_a_substitution_keeps_who_played_then() -> None:
    world = World()
    code = (await world.begin("klopodavka", {"players": "3"})).id
    left = await world.table.act(code, Resign(), Request(BOB, NOON))
    taken = await world.table.act(code, Substitute(), Request(DAN, NOON))
    said = composer(world)
    before = await said.closed([left, taken], ROOM, len(left.match.log))
    after = await said.closed([left, taken], ROOM, len(taken.match.log))
    assert before is not None
    assert after is not None
    assert "bob" in before.lines[0]
    assert any("bob" in line.text for line in before.roster)
    assert not any("dan" in text for text in (*before.lines, *(line.text for line in before.roster)))
    assert any("dan" in line.text for line in after.roster)
