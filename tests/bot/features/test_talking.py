"""Messages between the seats of a match: who gets them, what is said where, and what keeps them from being sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.desk import Desk
from bot.chat.i18n import LANGUAGES
from bot.chat.sending.delivery import MessageState
from bot.chat.view import Message, Person
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.match import Match, Talk, engine
from play.opening import Challenge, again
from play.people import Account, Player, forgotten
from play.request import Request
from play.settings import Settings
from rules import GAMES
from tests.bot.world import ANN, BOB, CEM, DAN, NOON, ROOM, World
from tests.support.stores import set_settings

THREE = {"players": "3", "board": "8x8"}


async def table(world: World, chosen: dict[str, str] = THREE) -> Match:
    return await world.begin("klopodavka", chosen)


def to(said: Sequence[Message], who: Player) -> list[Message]:
    """Messages for one person."""
    return [each for each in said if isinstance(each.to, Person) and each.to.account == who.account]


def text(said: Sequence[Message]) -> str:
    return "\n".join(line for each in said for line in (*each.view.lines, *each.view.after))


async def moved(world: World, match: Match) -> str:
    """The board after another move, as all see it."""
    mover = match.player(world.table.position(match).to_move)
    move = GAMES[match.game].notation.format(world.table.position(match).legal_moves()[0])
    await world.table.act(match.id, MakeMove(move), Request(mover, world.now))
    return text(await world.desk.drained())


async def test_a_message_reaches_its_seat_alone_and_is_answered_by_reply() -> None:
    world = World()
    match = await table(world)
    said = await world.say(ANN, "/tell bob let us share the centre")
    [letter] = to(said, BOB)
    assert letter.view.lines == (f"✉ #{match.id}: ann writes to you:", "let us share the centre")
    assert [each.label for each in letter.view.buttons] == ["Reply", "Report", "Block"]
    assert "Sent to bob." in text(to(said, ANN))
    assert len(said) == 2, "no one else is told, and the board stays"
    [asked] = await world.desk.press(world.visitor(BOB), letter.view.buttons[0].data)
    assert f"/tell #{match.id} 1 …" in asked.view.lines[0]
    said = await world.say(BOB, f"/tell #{match.id} 1 gladly #today")
    assert "gladly #today" in text(to(said, ANN))


async def test_the_board_says_who_wrote_to_whom_and_not_what() -> None:
    world = World()
    match = await table(world)
    for line in ("/tell bob secret one", "/tell bob secret two", "/tell 3 secret three"):
        await world.say(ANN, line)
    await world.say(BOB, "/tell ann secret four")
    board = await moved(world, match)
    assert "Private messages: ann ↔ bob 3, ann ↔ cem 1" in board
    assert "secret" not in board
    assert "ann ↔ bob 3" in await world.told(DAN, f"/board #{match.id}")
    assert "secret" not in str(world.store.notes.__dict__)
    await set_settings(world.store, ROOM, Settings(talk=Talk.HIDDEN))
    assert "↔" not in await moved(world, await world.table.get(match.id))


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_team_gets_one_message_each(language: str) -> None:
    world = World(language)
    match = await table(world, {"teams": "2v2", "board": "8x8"})
    said = await world.say(ANN, "/tell team hold the left")
    [letter] = [each for who in (BOB, CEM, DAN) for each in to(said, who)]
    assert letter.view.lines[0].startswith(f"✉ #{match.id}: ")
    assert letter.view.lines[1] == "hold the left"
    assert "bot." not in text(said)
    assert letter.view.buttons[0].data.argument == "team"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("/tell dan hi", "no player “dan”"),
        ("/tell 4 hi", "no player “4”"),
        ("/tell ann hi", "That is you"),
        ("/tell 1 hi", "That is you"),
        ("/tell team hi", "without a team"),
        ("/tell bob " + "x" * 501, "At most 500 characters; yours has 501"),
    ],
)
async def test_what_is_refused(line: str, why: str) -> None:
    world = World()
    await table(world)
    said = await world.say(ANN, line)
    assert why in text(said)
    assert len(said) == 1
    assert "x" * 500 in text(await world.say(ANN, "/tell bob " + "x" * 500))


async def test_only_seats_of_a_match_under_way_with_three_or_more() -> None:
    world = World()
    match = await table(world)
    assert "Only the players" in text(await world.say(DAN, f"/tell #{match.id} bob hi"))
    two = await world.begin("lgame", {}, people=(CEM, DAN))
    assert "three or more seats" in text(await world.say(DAN, f"/tell #{two.id} cem hi"))
    [letter] = to(await world.say(ANN, f"/tell #{match.id} bob hi"), BOB)
    for who in (ANN, BOB):
        await world.table.act(match.id, Resign(), Request(who, world.now))
    said = await world.desk.press(world.visitor(BOB), letter.view.buttons[0].data)
    assert "over" in text(said)
    assert "over" in text(await world.say(ANN, f"/tell #{match.id} bob hi"))
    lobby = await world.say(ANN, "/new klopodavka players:3")
    code = lobby[0].view.code
    assert "waits for its players" in text(await world.say(ANN, f"/tell #{code} bob hi"))


async def test_blocked_muted_and_lost_people_get_nothing() -> None:
    world = World()
    match = await table(world)
    await world.say(BOB, "/block ann")
    for who, other in ((ANN, "bob"), (BOB, "ann")):
        said = await world.say(who, f"/tell {other} hi")
        assert len(said) == 1
        assert "block" in text(said) or "takes no" in text(said)
    await world.say(BOB, "/unblock ann")
    await world.say(BOB, f"/mute #{match.id}")
    said = await world.say(ANN, "/tell bob hi")
    assert text(said) == "No message can be delivered to bob in this match now."
    await world.say(BOB, f"/mute #{match.id}")
    assert to(await world.say(ANN, "/tell bob hi"), BOB)


async def test_engines_and_forgotten_players_read_nothing() -> None:
    world = World()
    host = Challenge(ROOM, "klopodavka", THREE, opponents=[BOB, engine(1)])
    match = (await world.table.open(host, Request(ANN, world.now))).match
    await world.table.act(match.id, Join(), Request(BOB, world.now))
    assert "cannot read" in text(await world.say(ANN, "/tell 3 hi"))
    [card] = await world.say(ANN, "/tell")
    assert [each.label for each in card.view.buttons] == ["bob"]
    stored = await world.table.get(match.id)
    for other in (forgotten(1), Player(Account("channel", "discord:1"), "#chess")):
        chairs = (stored.chairs[0], replace(stored.chairs[1], player=other), stored.chairs[2])
        world.store.matches.stored[match.id] = replace(stored, chairs=chairs)
        assert "cannot read" in text(await world.say(ANN, "/tell 2 hi"))


async def test_talk_is_turned_off_for_a_match_or_a_place() -> None:
    world = World()
    await world.say(ANN, "/new klopodavka players:3 talk:off")
    for who in (BOB, CEM):
        await world.say(who, "/join")
    await world.say(ANN, "/start")
    [match] = world.playing()
    assert match.talk is Talk.OFF
    assert "turned off" in text(await world.say(ANN, "/tell bob hi"))
    for who in (ANN, BOB):
        await world.table.act(match.id, Resign(), Request(who, world.now))
    over = await world.table.get(match.id)
    assert again(GAMES[match.game], over, Request(ANN, NOON), [ROOM]).talk is Talk.OFF
    other = await table(world)
    assert to(await world.say(ANN, "/tell bob hi"), BOB)
    admin = replace(world.visitor(ANN), admin=True)
    card = await world.desk.answer(admin, "/config talk:off")
    assert "do not write to each other" in text(card)
    assert "turned off" in text(await world.say(ANN, f"/tell #{other.id} bob hi"))
    assert "“maybe”" in text(await world.desk.answer(admin, "/config talk:maybe"))
    assert "“maybe”" in text(await world.say(ANN, "/challenge bob klopodavka talk:maybe"))


async def test_so_many_messages_a_match_and_then_it_is_said_when() -> None:
    world = World()
    await table(world)
    for _ in range(20):
        assert to(await world.say(ANN, "/tell bob hi"), BOB)
    said = await world.say(ANN, "/tell bob hi")
    assert "20 messages in this match" in text(said)
    assert not to(said, BOB)
    assert to(await world.say(BOB, "/tell ann hi"), ANN), "others have their own"


@pytest.mark.parametrize("sly", ["<b>x</b>", "@everyone", "[x](http://a.example)", "/resign", "a.example"])
async def test_what_is_written_is_no_link_mention_or_command(sly: str) -> None:
    world = World()
    await table(world)
    [letter] = to(await world.say(ANN, f"/tell bob {sly}"), BOB)
    shown = letter.view.lines[1]
    assert shown.replace("\u200c", "") == sly
    for live in ("@e", "://", "/r", "a.e"):
        assert live not in shown
    assert not letter.view.urls
    assert not letter.view.ping


async def test_a_reported_message_is_shown_to_the_chat_after_a_question() -> None:
    world = World()
    match = await table(world)
    [letter] = to(await world.say(ANN, "/tell bob you @everyone"), BOB)
    visitor = replace(world.visitor(BOB), pressed="\n".join(letter.view.lines))
    button = letter.view.buttons[1].data
    [asked] = await world.desk.press(visitor, button)
    assert "Everyone in your chat" in text([asked])
    [sure] = asked.view.buttons
    visitor = replace(visitor, pressed="\n".join(asked.view.lines))
    *done, shown = await world.desk.press(visitor, sure.data)
    assert "shown to the admins" in text(done)
    assert shown.to == ROOM
    assert shown.view.lines[0] == f"For the admins: bob reports a message in #{match.id}."
    assert "ann writes to you: you @\u200ceveryone" in shown.view.lines[1]
    assert "no longer be shown" in text(await world.desk.press(world.visitor(BOB), button))
    assert "Only the players" in text(await world.desk.press(world.visitor(DAN), button))
    for _ in range(2):
        await world.desk.press(visitor, sure.data)
    assert "3 messages already" in text(await world.desk.press(visitor, sure.data))


async def test_a_press_without_a_seat_offers_them_and_forged_ones_are_refused() -> None:
    world = World()
    match = await table(world)
    more = CallbackData(Verb.MORE, match.id, match.revision)
    [menu] = await world.desk.press(world.visitor(ANN), more)
    [tell] = [each for each in menu.view.buttons if each.data.verb is Verb.TELL]
    [card] = await world.desk.press(world.visitor(ANN), tell.data)
    assert [each.label for each in card.view.buttons] == ["bob", "cem"]
    assert "no player" in text(await world.desk.press(world.visitor(ANN), replace(tell.data, argument="9")))
    [menu] = await world.desk.press(world.visitor(DAN), more)
    assert Verb.TELL not in [each.data.verb for each in menu.view.buttons]


async def test_a_request_that_comes_twice_is_one_message() -> None:
    world = World()
    match = await table(world)
    again = replace(world.visitor(ANN), request="r1")
    assert to(await world.desk.answer(again, "/tell bob hi"), BOB)
    assert not to(await world.desk.answer(again, "/tell bob hi"), BOB)
    assert "ann ↔ bob 1" in await moved(world, match)


async def test_what_waits_together_is_delivered_apart_and_kept_nowhere() -> None:
    world = World()
    match = await table(world)
    for line in ("/tell bob one", "/tell bob two"):
        await Desk.answer(world.desk, world.visitor(ANN), line)
    move = GAMES[match.game].notation.format(world.table.position(match).legal_moves()[0])
    await world.table.act(match.id, MakeMove(move), Request(ANN, world.now))
    await Desk.answer(world.desk, world.visitor(ANN), "/tell bob three")
    said = await world.desk.drained()
    assert [each.view.lines[1] for each in to(said, BOB)] == ["one", "two", "three"]
    assert any(each.view.diagram for each in said)
    assert await world.store.outgoing().backlog() == 0
    assert not await world.desk.drained()


def test_shown_numbers_are_stored_beside_what_earlier_versions_read() -> None:
    for state in (MessageState(3, "b"), MessageState(3, "b", quiet=True), MessageState(0, told=(1, -4))):
        assert MessageState.unpack(state.pack()) == state
