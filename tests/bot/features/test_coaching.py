"""The coach: who has one, what it costs those who have none, and that it keeps nobody from moving."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Final

import pytest

from bot.chat.thinking import Thinker
from bot.chat.thinking.jobs import Variation
from bot.chat.view import Message
from bot.features.analysis.judging import Judged
from bot.features.coaching import coach
from play.actions.agreeing import Answer
from play.actions.playing import MakeMove
from play.match import Ask, engine, is_engine
from play.request import Request
from tests.bot.chat.thinking.workers import Inline
from tests.bot.world import ANN, HALL, ROOM, Overhearing, World

LOSES: Final = "/move L a1-a3-b3 n d1-b1"  # within six plies, but not at once
HOLDS: Final = "/move L a1-a3-b3"


def coached_world() -> tuple[World, Inline]:
    """A world with engines; the solver counts what is asked."""
    world, solver = World(), Inline()
    world.desk = Overhearing(world.table, world.store, lambda: world.now, "en", ROOM, thinker=Thinker(solver))
    return world, solver


async def _games(world: World) -> tuple[str, ...]:
    return (await world.store.settings.get(ANN.account)).coached


async def answered(world: World, text: str = "") -> Sequence[Message]:
    """Have the engines play, perhaps a certain text, until the person is on turn, and return what everybody is told."""
    [match] = world.playing()
    while is_engine((mover := match.player(world.table.position(match).to_move)).account):
        move = world.table.position(match).legal_moves()[0]
        text = text or world.table.games[match.game].notation.format(move)
        fact = await world.table.act(match.id, MakeMove(text), Request(mover, world.now))
        text = ""
        match = fact.match
    return await world.desk.drained()


async def plies(world: World) -> int:
    return sum(len(match.log) for match in world.playing())


async def test_a_move_of_a_person_without_a_coach_is_not_searched() -> None:
    world, solver = coached_world()
    [board] = await world.say(ANN, "/challenge bot lgame level:1")
    assert [each.label for each in board.view.controls] == ["Move", "With a coach", "More…"]
    said = await world.say(ANN, LOSES)
    assert "With a coach" not in str(said), "it is offered on the first board only"
    assert solver.asked == []
    assert "Coach:" not in str(said)
    assert await plies(world) == 1


async def test_the_coach_asks_after_a_serious_mistake_and_not_after_another_move() -> None:
    world, _ = coached_world()
    [board] = await world.say(ANN, "/challenge bot lgame level:1 coached:yes")
    assert any(line.startswith("Coach: ") for line in board.view.lines)
    played = await world.say(ANN, LOSES)
    assert "Take it back?" not in str(played), "the computer has not answered"
    [board] = await answered(world)
    lines = " ".join(board.view.lines)
    assert "n d1-b1 gave a lot away. Take it back?" in lines
    assert "lost in" in lines
    assert "Coach: " not in lines
    back = board.view.buttons
    assert [each.label for each in back] == ["Take it back"]
    assert [each.label for each in board.view.controls] == ["Move", "More…"]
    await world.desk.press(world.visitor(ANN), back[0].data)
    [match] = world.playing()
    klop = Request(engine("1"), world.now)
    await world.table.act(match.id, Answer(Ask.TAKEBACK, yes=True), klop)
    [board] = await world.desk.drained()
    assert await plies(world) == 0
    assert "Coach: " in " ".join(board.view.lines)
    assert not board.view.buttons
    await world.say(ANN, HOLDS)
    [board] = await answered(world)
    assert "Take it back?" not in str(board)
    assert "Coach: " in " ".join(board.view.lines), "the next idea comes with the answer"


@pytest.mark.parametrize("options", ["board:8x8", "players:3 board:8x8 engines:2", "teams:2v2 engines:3"])
async def test_the_coach_asks_once_among_any_number_of_sides(
    monkeypatch: pytest.MonkeyPatch, options: str
) -> None:
    monkeypatch.setattr(Judged, "turning", property(lambda _: True))
    world, _ = coached_world()
    seats = "/new" if "engines" in options else "/challenge bot"
    await world.say(ANN, f"{seats} klopodavka {options}")
    await world.say(ANN, "/start")
    await world.say(ANN, "/coach")
    for _ in range(3):
        assert "Take it back?" not in str(await _moves_on(world))
    [board] = await answered(world)
    lines = " ".join(board.view.lines)
    assert "gave a lot away. Take it back?" in lines
    assert ("Before it: chances about" in lines) is ("players:3" in options)
    assert "Take it back?" not in str(await _moves_on(world)), "playing on is an answer"


async def _moves_on(world: World) -> Sequence[Message]:
    [match] = world.playing()
    move = world.table.position(match).legal_moves()[0]
    return await world.say(ANN, f"/move {world.table.games[match.game].notation.format(move)}")


async def test_what_a_reply_does_is_told_where_it_was_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Judged, "turning", property(lambda judged: judged.played.plies == ("b2-b3",)))
    best = ""

    def explained(_game: object, _position: object, reply: Variation, *_: object) -> SimpleNamespace:
        nonlocal best
        best = " ".join(reply.turn)
        return SimpleNamespace(lines=("The best", "what it does"), marks=())

    monkeypatch.setattr(coach, "explained_reply", explained)
    world, _ = coached_world()
    await world.say(ANN, "/challenge bot breakthrough board:5x5 level:1 coached:yes")
    await world.say(ANN, "/move a2-a3")
    await answered(world, "d4-d3")
    await world.say(ANN, "/move b2-b3")
    said = str(await answered(world, "d3xe2"))
    assert ("what it does" in said) is (best == "d3xe2")
    [match] = world.playing()
    await world.say(ANN, "/takeback")
    await world.table.act(match.id, Answer(Ask.TAKEBACK, yes=True), Request(engine("1"), world.now))
    await world.say(ANN, "/move b2-b3")
    assert "what it does" in str(await answered(world, best)), "the search is remembered"


async def test_the_next_match_is_coached_only_on_asking() -> None:
    world, _ = coached_world()
    await world.say(ANN, "/challenge bot lgame level:1 coached:yes")
    await world.say(ANN, "/challenge bot breakthrough level:1 coached:yes")
    code = next(match.id for match in world.playing() if match.game == "lgame")
    await world.say(ANN, f"/resign yes #{code}")
    assert await _games(world) == ("breakthrough",)
    assert "Coach: " not in str(await world.say(ANN, f"/rematch #{code}"))


async def test_the_coach_is_silent_in_matches_with_people_and_where_hints_are_off() -> None:
    world, solver = coached_world()
    await world.say(ANN, "/challenge bot lgame level:1 coached:yes")
    world.store.matches.stored.clear()
    solver.asked.clear()
    match = await world.begin("lgame", {})
    assert "helps only against the computer" in await world.told(ANN, f"/coach #{match.id}")
    assert "Coach:" not in str(await world.say(ANN, f"{LOSES} #{match.id}"))
    assert solver.asked == []
    await world.store.settings.change(HALL, lambda now: replace(now, hints=False))
    own = await world.say(ANN, "/challenge bot lgame level:1", HALL)
    assert solver.asked == []
    assert "Coach:" not in str(own)


@pytest.mark.parametrize("line", ["bob lgame coached:yes", "lgame coached:yes", "bot lgame coached:maybe"])
async def test_a_coach_that_cannot_be_is_refused_and_nothing_begins(line: str) -> None:
    world, _ = coached_world()
    assert await world.told(ANN, f"/challenge {line}")
    assert not world.store.matches.stored
    assert await _games(world) == ()


async def test_it_is_turned_on_and_off_for_the_game_of_a_match() -> None:
    world, _ = coached_world()
    await world.say(ANN, "/challenge bot lgame level:1")
    assert "an idea before each move" in await world.told(ANN, "/coach")
    await world.say(ANN, "/challenge bot breakthrough level:1")
    assert await _games(world) == ("lgame",)
    code = next(match.id for match in world.playing() if match.game == "lgame")
    assert "No more coach" in await world.told(ANN, f"/coach #{code}")
    assert await _games(world) == ()


async def test_engines_that_fail_or_do_not_answer_keep_nobody_from_moving(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world, solver = coached_world()
    solver.fails = lambda _: True
    [board] = await world.say(ANN, "/challenge bot lgame level:1 coached:yes")
    assert "Coach:" not in str(board)
    solver.fails, solver.hold = lambda _: False, asyncio.Event()
    monkeypatch.setattr(coach, "_PATIENCE", 0.0)
    await world.say(ANN, LOSES)
    assert await plies(world) == 1


async def test_a_part_of_a_turn_is_not_judged() -> None:
    world, solver = coached_world()
    await world.say(ANN, "/challenge bot klopodavka board:5x5 level:1 coached:yes")
    asked = len(solver.asked)
    await world.say(ANN, "/move b2")
    assert await plies(world) == 1
    assert len(solver.asked) == asked + 1, "the idea for the rest of the turn"
