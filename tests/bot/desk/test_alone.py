"""Alone with the bot: commands reach the matches of other places; and what is typed where others can read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.chat.i18n import LANGUAGES
from bot.chat.view import Message, Person
from bot.platforms.console.integration import place
from play.match import Phase
from play.people import Account, Address, Player
from tests.bot.world import ANN, BOB, CEM, HALL, ROOM, World

PRIVATE = place("private")


async def no_home(_account: Account) -> Address | None:
    return None


async def privately(world: World, who: Player, line: str) -> Sequence[Message]:
    said = await world.desk.answer(replace(world.visitor(who, PRIVATE), home=no_home), line)
    return [message for message in said if isinstance(message.to, Person)]


async def words(world: World, who: Player, line: str) -> str:
    [message] = await privately(world, who, line)
    return "\n".join((*message.view.lines, *message.view.after))


async def test_the_only_match_is_meant() -> None:
    world = World()
    match = await world.begin("breakthrough", {}, ROOM)
    assert f"#{match.id}" in await words(world, ANN, "/board")
    assert "a2-a3" in await words(world, ANN, "/move a2-a3")
    assert "Your plan" in await words(world, ANN, "/plan if a7-a6 then b2-b3")
    assert f"#{match.id}" in await words(world, BOB, "/board")
    assert "plays it" in await words(world, BOB, "a7-a6")
    assert "a7-a6" in await words(world, BOB, "/move a7-a6")
    stored = await world.table.get(match.id)
    assert len(stored.log) == 3
    assert stored.addresses == (ROOM,)
    assert "takes back: b2-b3" in await words(world, ANN, "/undo")


async def test_of_several_the_one_that_waits_is_meant() -> None:
    world = World()
    first, second = await world.begin("breakthrough", {}, ROOM), await world.begin("breakthrough", {}, HALL)
    await world.say(ANN, "/move a2-a3", ROOM)
    assert f"#{second.id}" in await words(world, ANN, "/board")
    assert f"#{first.id}" in await words(world, ANN, "/plan if a7-a6 then b2-b3")
    await privately(world, ANN, "/move b2-b3")
    assert len((await world.table.get(first.id)).log) == 1
    assert len((await world.table.get(second.id)).log) == 1


@pytest.mark.parametrize("language", LANGUAGES)
async def test_of_several_that_wait_one_is_named_as_the_example_says(language: str) -> None:
    world = World(language)
    codes = {(await world.begin("breakthrough", {}, where)).id for where in (ROOM, HALL)}
    [message] = await privately(world, ANN, "/move a2-a3")
    assert {button.data.match for button in message.view.buttons} == codes
    example = next(line for line in message.view.lines if "/move" in line)
    line = example[example.index("/move") :]
    assert line.endswith("a2-a3")
    await privately(world, ANN, line)
    assert sorted([len((await world.table.get(code)).log) for code in codes]) == [0, 1]


async def test_a_match_that_was_made_there_is_the_one_that_is_meant() -> None:
    world = World()
    away, here = await world.begin("breakthrough", {}, ROOM), await world.begin("lgame", {}, PRIVATE)
    assert "for example l " in (await words(world, ANN, "/move a2-a3")).lower()
    assert f"#{here.id}" in await words(world, ANN, "/board")
    assert not (await world.table.get(away.id)).log


async def test_an_invitation_of_another_place_can_be_answered() -> None:
    world = World()
    await world.say(ANN, "/challenge bob lgame", ROOM)
    await world.begin("lgame", {}, PRIVATE)
    await privately(world, BOB, "/accept")
    [match] = await world.store.matches.at(ROOM)
    assert match.phase is Phase.PLAYING


@pytest.mark.parametrize("language", LANGUAGES)
async def test_in_a_room_where_one_does_not_play_the_code_is_named(language: str) -> None:
    world = World(language)
    match = await world.begin("breakthrough", {}, ROOM)
    before = world.snapshot()
    for line in ("/move a2-a3", "/hint", "/pause", "/resign", "/plan if a7-a6 then b2-b3"):
        command, _, rest = line.partition(" ")
        assert f"{command} #{match.id} {rest}".strip() in await world.told(ANN, line, HALL)
    assert world.snapshot() == before


async def test_the_matches_of_others_are_not_reached() -> None:
    world = World()
    await world.begin("breakthrough", {}, ROOM)
    before = world.snapshot()
    for command in [
        "resign",
        "draw",
        "leave",
        "undo",
        "takeback",
        "claim",
        "withdraw",
        "accept",
        "substitute",
    ]:
        await privately(world, CEM, f"/{command}")
    assert world.snapshot().matches == before.matches


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_plan_that_others_could_read_says_so(language: str) -> None:
    world = World(language)
    match = await world.begin("breakthrough", {}, ROOM)
    typed = "/plan if a2-a3 then a7-a6"
    group = replace(world.visitor(BOB, ROOM), overheard=True)
    [public] = await world.desk.answer(group, typed)
    [private] = await privately(world, BOB, typed)
    assert public.view.lines[:-1] == private.view.lines
    assert f"/plan #{match.id}" in public.view.lines[-1]
    for line in ("/plan", "/plan off"):
        [again] = await world.desk.answer(group, line)
        assert not any("#" in said and "/plan" in said for said in again.view.lines[1:])


async def test_a_move_refused_in_a_plan_is_explained_from_where_it_would_be_played() -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "4x5"}, ROOM)
    await world.say(ANN, "/move a2-a3")
    [said] = await world.say(ANN, "/plan if c4-c3 then d2xc3; if b4-b3 then b2-b3")
    case, _, examples = said.view.lines
    assert "b4-b3 then b2-b3" in case
    position = world.table.position(await world.table.get(match.id))
    notation = world.table.games["breakthrough"].notation
    (when,) = notation.parse("b4-b3", position)
    after = position.play(when)
    offered = examples.partition(": ")[2].split(" · ")
    assert set(offered) <= {notation.format(move) for move in after.legal_moves()}
    assert not (await world.table.get(match.id)).plans
