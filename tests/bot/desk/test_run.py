"""Commands whose arguments are apart already do what the same command does when it is typed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.chat.grammar import MAX_LINE, Command, read
from bot.chat.view import Person
from play.people import Player
from tests.bot.world import ANN, BOB, World

TYPED = {
    "/challenge bob lgame variant:scoring side:second": Command.of(
        "challenge", "bob", options={"game": "lgame", "variant": "scoring", "side": "second"}
    ),
    "/new klopodavka players:3 board:6x6": Command.of("new", "klopodavka", options={"players": "3", "board": "6x6"}),
    "/accept": Command.of("accept"),
    "/join team:2": Command.of("join", options={"team": "2"}),
    "/move a2-a3": Command.of("move", text=" a2-a3"),
    "/move": Command.of("move"),
    "/draw yes": Command.of("draw", "yes"),
    "/plan if a7-a6 then b2-b3": Command.of("plan", text="if a7-a6 then b2-b3"),
    "/settings reminders:50 headsup:on": Command.of("settings", options={"reminders": "50", "headsup": "on"}),
    "/rules lgame scoring": Command.of("rules", "lgame", "scoring"),
    "/board #zzzzzz": Command.of("board", code="#ZZZZZZ"),
    "/language uk here": Command.of("language", "uk", "here"),
    "/nonsense": Command.of("nonsense"),
}  # fmt: skip


@pytest.mark.parametrize("line", TYPED)
async def test_the_same_follows(line: str) -> None:
    worlds = World(), World()
    for world in worlds:
        await world.begin("breakthrough", {})
    typed, apart = worlds
    await apart.desk.drained()
    said = await typed.desk.answer(typed.visitor(ANN), line)
    run = await apart.desk.run(apart.visitor(ANN), TYPED[line])
    assert [*run, *await apart.desk.drained()] == said
    assert typed.snapshot() == apart.snapshot()


@pytest.mark.parametrize("line", TYPED)
def test_a_command_can_be_written_as_a_line(line: str) -> None:
    command = TYPED[line]
    again = read(command.line)
    assert again is not None
    assert (again.name, again.code, dict(again.options)) == (
        command.name,
        command.code,
        dict(command.options),
    )


async def test_what_is_delivered_twice_is_done_once() -> None:
    world = World()
    await world.begin("breakthrough", {})
    visitor = replace(world.visitor(ANN), request="interaction-1")
    await world.desk.run(visitor, Command.of("move", text="a2-a3"))
    after = world.snapshot()
    await world.desk.run(visitor, Command.of("move", text="a2-a3"))
    assert world.snapshot() == after
    [refused] = await world.desk.run(visitor, Command.of("move", text="b2-b3"))
    assert isinstance(refused.to, Person)
    assert world.snapshot() == after


async def test_names_may_have_blanks_where_arguments_are_apart() -> None:
    world = World()
    visitor = replace(world.visitor(ANN), find={"Bob the Builder": BOB}.get)
    await world.desk.run(visitor, Command.of("challenge", "Bob the Builder", options={"game": "lgame"}))
    [match] = world.snapshot().matches.values()
    assert [chair.reserved for chair in match.chairs if chair.reserved] == [Player(BOB.account, "bob")]


async def test_a_move_without_end_is_refused() -> None:
    world = World()
    [refused] = await world.desk.run(world.visitor(ANN), Command.of("move", text="a" * (MAX_LINE + 1)))
    assert str(MAX_LINE) in refused.view.lines[0]
