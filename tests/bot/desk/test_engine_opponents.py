"""Engines by the names that people know them under."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.chat.i18n import LANGUAGES
from play.match import is_engine
from tests.bot.world import ANN, ROOM, World


@pytest.mark.parametrize(
    ("line", "game"),
    [
        ("/challenge klop lgame", "lgame"),
        ("/challenge lgame Клоп", "lgame"),
        ("/challenge klop klopodavka", "klopodavka"),
        ("/challenge klop breakthrough 4x5 level:6", "breakthrough"),
        ("/new klopodavka klop players:3", "klopodavka"),
    ],
)
async def test_klop_is_an_engine_where_the_game_is_named_besides(line: str, game: str) -> None:
    world = World()
    await world.say(ANN, line)
    [match] = await world.store.matches.at(ROOM)
    seated = [chair.player for chair in match.chairs if chair.player]
    assert match.game == game
    assert [is_engine(player.account) for player in seated] == [False, True]


@pytest.mark.parametrize("line", ["/challenge bob klop", "/challenge bob клоп", "/new klop 2 players"])
async def test_it_is_a_game_where_nothing_else_is(line: str) -> None:
    world = World()
    await world.say(ANN, line)
    [match] = await world.store.matches.at(ROOM)
    assert match.game == "klopodavka"
    assert not any(chair.player and is_engine(chair.player.account) for chair in match.chairs)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_programs_are_named_where_an_engine_is_not_known(language: str) -> None:
    world = World(language)
    resources = world.desk._resources
    world.desk._resources = replace(resources, engines=frozenset({"fox", "owl"}))
    for line in ("/challenge engine:zorro lgame", "/help engines"):
        [message] = await world.say(ANN, line)
        assert any("engine:fox, engine:owl" in said for said in message.view.lines)
    world.desk._resources = resources
    [message] = await world.say(ANN, "/challenge engine:zorro lgame")
    assert "engine:5" in message.view.lines[0]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("line", "most"),
    [
        ("/new klopodavka players:4 engines:9", 3),
        ("/challenge lgame engine:2,3", 1),
        ("/new lgame engines:2", 1),
    ],
)
async def test_too_many_engines_are_spoken_of_as_engines(language: str, line: str, most: int) -> None:
    world = World(language)
    [message] = await world.say(ANN, line)
    [said] = message.view.lines
    assert said.endswith(f"engines:{most}")
    assert "/challenge" not in said
