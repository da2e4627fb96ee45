"""Boards as they are asked for, matches as animations, and the colours of both."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.chat.pictures import Pictures
from bot.chat.view import Person, View
from bot.features.matches.cards import PAGE
from play.match import Chair
from play.people import Player
from render.animation import Animation
from render.picture import Unpaintable
from rules.core import Seat
from tests.bot.world import ANN, BOB, CEM, HALL, World


async def seen(world: World, line: str, who: Player = ANN) -> View:
    """The only answer to a line, which is for one person."""
    (message,) = await world.say(who, line)
    assert isinstance(message.to, Person)
    return message.view


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
