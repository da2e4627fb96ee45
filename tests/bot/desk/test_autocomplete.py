"""What is offered while people type: it narrows, it fits, and what is offered whole can be played."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.chat.i18n import LANGUAGES
from bot.chat.suggestions import LONGEST, ways_on
from play.people import Player
from tests.bot.desk.test_error_handling import Away
from tests.bot.world import ANN, BOB, EVE, HALL, SETTINGS, World


async def offered(
    world: World, who: Player, command: str, argument: str, typed: str, **given: str
) -> Sequence[str]:
    found = await world.desk.autocomplete(world.visitor(who), command, argument, typed, given)
    assert len(found) <= 25
    assert all(0 < len(text) <= LONGEST for pair in found for text in pair)
    return [value for _, value in found]


@pytest.mark.parametrize("index", range(len(SETTINGS)))
async def test_every_move_is_reached_by_typing_it(index: int) -> None:
    world = World()
    game, chosen = SETTINGS[index]
    match, luck = await world.begin(game, chosen), random.Random(index)
    rules, position = world.table.games[game], world.table.position(match)
    for _ in range(12):
        for move in luck.sample(list(position.legal_moves()), 2):
            text = rules.notation.format(move)
            for length in range(len(text) + 1):
                ways = ways_on(rules, position, text[:length])
                assert len(ways) <= 25
                assert any(way.startswith(text) or text.startswith(way) for way in ways), (
                    text[:length],
                    ways,
                )
            whole = ways_on(rules, position, text)
            assert whole.count(text) == 1
            after = position.play(move)
            goes_on = after.outcome is None and after.to_move == position.to_move
            further = [way for way in whole if way.startswith(f"{text} ")]
            several = [way for way in further if len(rules.notation.parse(way, position)) > 1]
            assert bool(several) == goes_on
        position = position.play(luck.choice(position.legal_moves()))
        if position.outcome:
            break


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_is_offered_can_be_played(language: str) -> None:
    world = World(language)
    match = await world.begin("klopodavka", {"board": "6x6"})
    notation, position = world.table.games["klopodavka"].notation, world.table.position(match)
    for typed in ("", "b", "b2", "b2 c", "b2 c3 d4", "Б2", "в2 с3"):
        ways = await offered(world, ANN, "move", "move", typed)
        for way in ways:
            assert notation.parse(way, position)
    assert await offered(world, ANN, "move", "move", "z9") == []
    assert await offered(world, BOB, "move", "move", "") == []
    assert await offered(world, EVE, "move", "move", "") == []


async def test_of_several_matches_each_is_named_by_its_code() -> None:
    world = World()
    one = await world.begin("breakthrough", {})
    other = await world.begin("breakthrough", {"board": "5x5"})
    ways = await offered(world, ANN, "move", "move", "a2-a")
    assert set(ways) == {f"a2-a3 #{one.id}", f"a2-a3 #{other.id}"}
    assert await offered(world, ANN, "move", "move", "a2-a", match=f"#{one.id}") == ["a2-a3"]
    said = await world.desk.answer(world.visitor(ANN), f"/move {ways[0]}")
    assert any("a2-a3" in line for line in said[-1].view.lines)


async def test_codes_of_the_matches_that_are_meant() -> None:
    world = World()
    await world.furnish()
    mine = await offered(world, ANN, "board", "match", "")
    assert len(mine) > 5
    assert await offered(world, ANN, "board", "match", mine[0][:4]) != []
    assert await offered(world, ANN, "board", "match", "bob")
    assert await offered(world, ANN, "board", "match", "stranger") == []
    far = await world.desk.autocomplete(world.visitor(EVE, HALL), "board", "match", "")
    assert far == []


async def test_a_table_for_all_who_come_is_offered_where_it_can_be_opened() -> None:
    world = World()
    assert "players:any" in await offered(world, ANN, "new", "options", "pl", game="klopodavka")
    assert "players:any" not in await offered(world, ANN, "challenge", "options", "pl", game="klopodavka")
    assert "players:any" not in await offered(world, ANN, "new", "options", "pl", game="lgame")


async def test_options_games_clocks_zones() -> None:
    world = World("uk")
    assert await offered(world, ANN, "new", "game", "lg") == ["lgame"]
    assert "variant:scoring" in await offered(world, ANN, "new", "options", "", game="lgame")
    assert await offered(world, ANN, "new", "options", "board:8x8 teams:2v2v", game="klopodavka") == [
        "board:8x8 teams:2v2v2"
    ]
    assert await offered(world, ANN, "new", "options", "", game="nonsense")
    assert "3d" in await offered(world, ANN, "challenge", "clock", "3")
    assert await offered(world, ANN, "settings", "zone", "kyiv") == ["Europe/Kyiv"]
    assert await offered(world, ANN, "settings", "zone", "Київ") == ["Europe/Kyiv"]
    assert (await offered(world, ANN, "settings", "zone", "CST"))[:2] == ["America/Chicago", "America/Havana"]
    assert await offered(world, ANN, "settings", "quiet", "2") == []
    assert await offered(world, ANN, "nonsense", "x", "y") == []


async def test_nothing_is_offered_while_the_store_is_away() -> None:
    world = World()
    await world.begin("breakthrough", {})
    away: Any = Away()
    world.desk._store, world.desk._resources = away, replace(world.desk._resources, store=away)
    assert await offered(world, ANN, "move", "move", "a2") == []
