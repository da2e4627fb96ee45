"""Boards as they are asked for, matches as animations, and the colours of both."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.pictures import Pictures
from bot.chat.presenting.captions import ALT
from bot.chat.view import Person, View, theme_of
from bot.features.matches.cards import PAGE
from bot.features.people.panels import PERSON
from play.match import Chair
from play.people import Player
from play.settings import Settings
from render.animation import Animation
from render.picture import Theme, Unpaintable
from rules.core import Seat
from tests.bot.world import ANN, BOB, CEM, HALL, ROOM, World


async def seen(world: World, line: str, who: Player = ANN) -> View:
    """The only answer to a line, which is for one person."""
    (message,) = await world.say(who, line)
    assert isinstance(message.to, Person)
    return message.view


async def test_everybody_sees_a_board_from_the_first_seat_unless_they_want_it_otherwise() -> None:
    world = World()
    await world.begin("breakthrough", {"board": "5x5"})
    for who in (ANN, BOB):
        assert not (await seen(world, "/board", who)).flipped
        assert (await seen(world, "/board flip", who)).flipped
        assert (await seen(world, "/board розворот:так", who)).flipped
    await world.say(ANN, "/settings flip:on")
    await world.say(BOB, "/settings side:on")
    assert not (await seen(world, "/board")).flipped  # hers is at the bottom anyway
    assert (await seen(world, "/board", BOB)).flipped
    assert not (await seen(world, "/board flip", BOB)).flipped
    await world.say(ANN, "/move a2-a3")
    assert (await seen(world, "/move", BOB)).flipped  # as he picks a move
    (public,) = await world.say(BOB, "/move e4-e3")
    assert public.to == ROOM
    assert not public.view.flipped
    match = await world.begin("klopodavka", {"players": "3"})  # with more than two nothing is turned
    assert not (await seen(world, f"/board #{match.id}", BOB)).flipped


async def test_a_picture_has_all_it_needs_wherever_there_is_a_board() -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "5x5"})
    await world.say(ANN, "/settings theme:темна")
    for line in ("/board", "/move"):
        view = await seen(world, line)
        assert view.diagram
        assert view.theme is Theme.DARK
        assert view.alt
        assert view.strip
        assert [one.name for one in view.strip.lines] == ["ann", "bob"]
        assert [one.turn for one in view.strip.lines] == [True, False]
    (public,) = await world.say(ANN, f"/move #{match.id} a2-a3")
    assert public.view.theme is Theme.LIGHT  # hers are her own
    assert public.view.alt.startswith("ann (White): a man goes from a2 to a3. Turn: bob.")


async def test_a_place_has_colours_and_people_may_have_others() -> None:
    world = World()
    await world.begin("breakthrough", {})
    await world.say(BOB, "/settings theme:dark")
    visitor = replace(world.visitor(ANN), admin=True)
    [message] = await world.desk.answer(visitor, "/settings here theme:wood")
    view = message.view
    assert view.lines[0].startswith("Board theme in this chat: wood.")
    assert (await seen(world, "/board")).theme is Theme.WOOD
    assert (await seen(world, "/board", BOB)).theme is Theme.DARK
    (public,) = await world.say(ANN, "/move a2-a3")
    assert public.view.theme is Theme.WOOD
    await world.desk.answer(visitor, "/settings here hints:off")
    await world.desk.answer(visitor, "/language en here")
    assert (await seen(world, "/settings here", BOB)).lines == (
        "Board theme in this chat: wood.",
        "Hints: off.",
        "Language: English.",
    )


def test_a_theme_that_is_no_more_is_nothing_chosen() -> None:
    assert theme_of(Settings(theme="plaid"), None, Settings(theme="wood")) is Theme.WOOD
    assert theme_of(None, Settings()) is Theme.LIGHT
    assert PERSON.changed(Settings(), {"тема": "дерев'яна"}, {}).theme == "wood"


async def test_where_several_fit_the_answer_knows_how_it_was_asked() -> None:
    world = World()
    await world.begin("breakthrough", {})
    await world.begin("breakthrough", {"board": "5x5"})
    which = await seen(world, "/board words")
    pressed = CallbackData.unpack(which.buttons[0].data.pack())
    assert pressed.argument == "words"
    (message,) = await world.desk.press(world.visitor(ANN), pressed)
    assert message.view.diagram is None
    assert "5×5" in " ".join(message.view.lines)
    which = await seen(world, "/board flip")
    (message,) = await world.desk.press(world.visitor(ANN), which.buttons[0].data)
    assert message.view.flipped


async def test_a_match_is_replayed_for_one_or_for_all() -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "5x5"})
    assert (await seen(world, "/replay")).film is None  # nothing has been played
    for who, text in ((ANN, "a2-a3"), (BOB, "b4xa3"), (ANN, "b2xa3")):
        await world.say(who, f"/move {text}")
    view = await seen(world, "/replay")
    assert view.film
    name, film = view.film
    assert name == f"breakthrough-{match.id}.gif"
    assert film.frames == 5  # the start, three plies, whose turn it is
    with Image.open(BytesIO(film.data)) as image:
        assert image.size == (film.width, film.height)
    assert "b2 captures a3. Turn: bob." in view.alt
    assert len(view.alt) <= ALT
    (message,) = await world.say(ANN, "/replay here")
    assert message.to == ROOM
    assert message.view.film
    assert message.view.film[1] is film  # made once
    (message,) = await world.desk.press(world.visitor(ANN), CallbackData(Verb.REPLAY, match.id, 0))
    assert message.view.film
    assert (await seen(world, "/replay backwards")).film is None
    assert (await seen(world, "/replay speed:2")).film is None
    (message,) = await world.say(BOB, f"/replay #{match.id}", HALL)
    assert message.view.film


async def test_without_an_animation_there_are_other_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Animation:
        raise Unpaintable

    world = World()
    monkeypatch.setattr(
        world.desk, "_services", replace(world.desk._services, pictures=Pictures(animate=broken))
    )
    await world.begin("klopodavka", {})
    await world.say(ANN, "/move b2")
    view = await seen(world, "/replay")
    assert view.film is None
    assert "/export" in view.lines[0]
    await world.say(ANN, "/move c3")  # and the match goes on
    position = world.table.position(world.playing()[0])
    assert position.to_move is Seat.S1
    assert position.plies_left == 1


async def test_the_matches_of_a_person_have_pages_and_a_filter() -> None:
    world = World()
    for _ in range(12):
        await world.begin("breakthrough", {"board": "4x5"})
    await world.begin("lgame", {}, HALL)
    [said] = await world.say(ANN, "/games")
    assert sum("#" in line for line in said.view.lines) == PAGE
    [later] = await world.desk.press(world.visitor(ANN), said.view.buttons[-1].data)
    assert sum("#" in line for line in later.view.lines) == 3
    assert later.view.lines[-1] == "Page 2 of 2."
    assert (await world.say(ANN, "/games 2"))[0].view == later.view
    [few] = await world.say(ANN, "/games л-гра")
    assert sum("#" in line for line in few.view.lines) == 1
    [none] = await world.say(ANN, "/games lgame here")
    assert none.view.lines == ("No such matches. /games lists all of yours.",)
    [bob] = await world.say(BOB, "/games turn")
    assert bob.view.lines == none.view.lines


async def test_a_file_has_no_account_of_another_and_its_match_goes_on_with_the_same_people() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    files = {}
    for who in (ANN, CEM):
        [said] = await world.say(who, f"/export #{match.id}")
        [(_, data)] = said.view.files
        files[who] = data if isinstance(data, str) else data.decode()
    assert '"console" "ann"' in files[ANN]
    assert '"console" "bob"' not in files[ANN]
    assert '"console"' not in files[CEM]
    for who, chairs in (
        (ANN, (Chair(player=ANN), Chair(reserved=BOB))),
        (CEM, (Chair(), Chair())),
    ):
        await world.say(who, f"/import {files[who]}")
        [made] = [each for each in world.snapshot().matches.values() if each.imported and each.host == who]
        assert made.chairs == chairs


async def test_who_imports_variations_is_told_once_where_they_are() -> None:
    world = World()
    said = await world.say(ANN, '/import [Event "Cup"]\n1. a2a3 (1. b2b3) 1... a7a6 {good} 1-0')
    [told] = [message for message in said if isinstance(message.to, Person)]
    assert told.view.lines[0].startswith("The board shows the moves that were played.")
    [file] = await world.say(ANN, "/export")
    [(_, data)] = file.view.files
    text = data if isinstance(data, str) else data.decode()
    assert '[Event "Cup"]\n[Comment "1" "(1. b2b3)"]\n[Comment "2" "good"]\n' in text
    again = await world.say(ANN, f"/import {text}")
    assert not any("The board shows" in line for message in again for line in message.view.lines)
