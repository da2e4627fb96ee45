"""Analyses of matches that are over, and hints in those that are not."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import words
from bot.chat.quotas import SEARCHES
from bot.chat.thinking import Thinker
from bot.chat.thinking.jobs import Job, JobQueue, Reply, Variation, run_job
from bot.chat.view import Message
from bot.features.analysis import commands
from bot.features.analysis.judging import analysed
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.renaming import Watch
from play.actions.seating import Join
from play.match import Match
from play.opening import Challenge
from play.request import CLOCKWORK, Request
from play.settings import Settings
from rules import GAMES
from tests.bot.chat.thinking.workers import Inline
from tests.bot.world import ANN, BOB, CEM, EVE, HALL, ROOM, World
from tests.support.services import services
from tests.support.stores import set_settings

# Hints: the idea first, the turn at a press, and only where they are allowed.


class Asked:
    """A desk with engines behind it."""

    def __init__(self) -> None:
        self.world = World()
        self.solver = Inline()
        self.line = JobQueue(1)
        thinker = Thinker(self.solver, self.line)
        world = self.world
        self.desk = services(world.table, world.store, lambda: world.now, thinker=thinker).desk

    async def say(self, who: object, line: str) -> Sequence[Message]:
        return await self.desk.answer(self.world.visitor(who), line)  # type: ignore[arg-type]


@pytest.fixture
async def asked() -> Asked:
    return Asked()


@pytest.mark.parametrize("lost", [False, True])
async def test_a_turn_without_an_idea_is_begun_and_a_lost_one_said_to_hold_longest(
    asked: Asked, lost: bool
) -> None:
    match = await asked.world.begin("lgame", {})
    presentation = asked.world.present(match, words("en"))
    (ply, *_) = map(presentation.game.notation.format, presentation.course.position.legal_moves())
    line = Variation((ply,), -1.0 if lost else 0.0, 4 if lost else None, (ply,), 1)
    view = commands.idea(presentation, line, None)
    assert ("Every move loses" in view.lines[1]) is lost
    assert "what is marked" in view.lines[1]


async def test_no_hints_for_others_nor_where_they_are_not_wanted(asked: Asked) -> None:
    await asked.world.begin("breakthrough", {})
    (message,) = await asked.say(BOB, "/hint")
    assert message.view.lines == ("Only the player whose turn it is can ask for a hint.",)
    runs = replace(asked.world.visitor(EVE), admin=True)
    await asked.desk.answer(runs, "/settings here hints:off")
    (message,) = await asked.say(ANN, "/hint")
    assert "/settings here hints:on" in message.view.lines[0]
    await asked.desk.answer(runs, "/settings here hints:on")
    await asked.say(ANN, "/settings hints:off")
    (message,) = await asked.say(ANN, "/hint")
    assert "/settings hints:on" in message.view.lines[0]
    assert asked.solver.asked == []


async def test_a_hint_that_is_out_of_date_is_not_told(asked: Asked) -> None:
    match = await asked.world.begin("breakthrough", {})
    (message,) = await asked.say(ANN, "/hint")
    asked.world.now += timedelta(minutes=1)
    await asked.say(ANN, "/move a2-a3")
    await asked.say(BOB, "/move a7-a6")
    (late,) = await asked.desk.press(asked.world.visitor(ANN), message.view.buttons[0].data)
    assert not any(button.data.verb is Verb.MOVE and button.data.argument for button in late.view.buttons)
    assert len((await asked.world.table.get(match.id)).log) == 2


async def test_without_engines_or_with_engines_that_fail_it_is_said(asked: Asked) -> None:
    await asked.world.begin("lgame", {})
    (message,) = await asked.world.say(ANN, "/hint")
    assert message.view.lines == ("There are no engines here.",)
    asked.solver.fails = lambda _: True
    (message,) = await asked.say(ANN, "/hint")
    assert "could not find" in message.view.lines[0]
    assert len(asked.solver.asked) == 2
    assert asked.world.visitor(ANN).place == ROOM


async def test_only_matches_with_hints_are_asked_about(asked: Asked) -> None:
    world = asked.world
    fit = [await world.begin("breakthrough", {}) for _ in range(2)]
    made = await world.table.open(
        Challenge(ROOM, "breakthrough", opponents=[BOB], rated=True), Request(ANN, world.now)
    )
    await world.table.act(made.match.id, Join(), Request(BOB, world.now))
    elsewhere = await world.begin("breakthrough", {})
    await world.table.act(elsewhere.id, Watch(HALL), Request(CLOCKWORK, world.now))
    await set_settings(world.store, HALL, Settings(hints=False))
    theirs = await world.begin("breakthrough", {})
    await world.table.act(theirs.id, MakeMove("a2-a3"), Request(ANN, world.now))

    (message,) = await asked.say(ANN, "/hint")
    assert {button.data.match for button in message.view.buttons} == {match.id for match in fit}
    assert {button.data.verb for button in message.view.buttons} == {Verb.HINT}
    offered = await asked.desk.autocomplete(world.visitor(ANN), "hint", "match", "")
    assert {value for _, value in offered} == {f"#{match.id}" for match in fit}
    offered = await asked.desk.autocomplete(world.visitor(BOB), "hint", "match", "")
    assert [value for _, value in offered] == [f"#{theirs.id}"]

    await world.table.act(fit[0].id, Resign(), Request(BOB, world.now))
    (message,) = await asked.say(ANN, "/hint")  # there is one left
    assert message.view.lines[1].startswith("Hint:")
    await asked.say(ANN, "/settings hints:off")
    (message,) = await asked.say(ANN, "/hint")  # in none of them: it is said why, without a choice
    assert message.view.buttons == ()
    assert not await asked.desk.autocomplete(world.visitor(ANN), "hint", "match", "")
    (message,) = await world.say(BOB, "/hint")  # where there are no engines
    assert message.view.lines == ("There are no engines here.",)
    assert not await world.desk.autocomplete(world.visitor(BOB), "hint", "match", "")


# What is said of a match that is over.


async def ask(job: Job) -> Reply:
    return run_job(replace(job, seconds=0.03))


async def over(world: World, game: str, chosen: dict[str, str], seed: int, most: int = 300) -> Match:
    """A match that chance has played."""
    chance = random.Random(seed)
    match = await world.begin(game, chosen)
    notation = GAMES[game].notation
    for _ in range(most):
        position = world.table.position(match)
        if match.result:
            break
        player = match.chairs[position.to_move].player
        assert player
        move = chance.choice(list(position.legal_moves()))
        match = (
            await world.table.act(match.id, MakeMove(notation.format(move)), Request(player, world.now))
        ).match
    else:
        match = (await world.table.act(match.id, Resign(), Request(ANN, world.now))).match
    return match


async def test_it_is_worked_out_once_for_all() -> None:
    asked = Asked()
    await over(asked.world, "breakthrough", {"board": "4x5"}, 2)
    await asked.say(ANN, "/analyse")
    assert asked.desk._services.thinker is not None
    await asked.desk._services.thinker.settled()  # puzzles are made of it
    count = len(asked.solver.asked)
    assert count
    await asked.say(ANN, "/analyse")
    assert len(asked.solver.asked) == count


async def test_the_button_counts_as_a_search_like_the_command_and_a_page_as_none() -> None:
    asked = Asked()
    world = asked.world
    matches = [await over(world, "breakthrough", {"board": "4x5"}, 2) for _ in range(SEARCHES.limit + 1)]
    for match in matches[:-2]:
        data = CallbackData(Verb.ANALYSE, match.id, match.revision)
        (message,) = await asked.desk.press(world.visitor(ANN), data)
        assert not message.refused
    (message,) = await asked.say(ANN, f"/analyse #{matches[-2].id}")
    assert not message.refused
    last = CallbackData(Verb.ANALYSE, matches[-1].id, matches[-1].revision, "1")
    for said in (
        await asked.desk.press(world.visitor(ANN), last),
        await asked.say(ANN, f"/analyse #{last.match}"),
    ):
        assert said[0].refused
        assert (
            words("en")(SEARCHES.reason or "", limit=SEARCHES.limit, wait="WAIT").split("WAIT")[0]
            in said[0].view.lines[0]
        )
    (page,) = await asked.desk.press(world.visitor(ANN), message.view.buttons[-1].data)
    assert not page.refused
    (message,) = await asked.desk.press(world.visitor(BOB), last)
    assert not message.refused


async def test_of_many_players_it_is_told_of_one_who_had_a_turn() -> None:
    asked = Asked()
    world = asked.world
    match = await world.begin("klopodavka", {"players": "3", "board": "6x6"})
    await world.say(ANN, "/resign yes")
    position = world.table.position(await world.table.get(match.id))
    moves = []
    for _ in range(position.plies_left):
        move = position.legal_moves()[0]
        moves.append(GAMES["klopodavka"].notation.format(move))
        position = position.play(move)
    await world.say(BOB, f"/move {' '.join(moves)}")
    await world.say(CEM, "/resign yes")
    (message,) = await asked.say(BOB, "/analyse")
    line = next(line for line in message.view.lines if "turn by turn" in line)
    assert "for bob" in line
    assert not line.endswith(":")


async def test_nothing_is_proved_of_a_turn_by_what_came_after_others_had_moved() -> None:
    world = World()
    match = await over(world, "klopodavka", {"players": "3", "board": "5x5"}, 3, most=120)
    course = world.table.course(match)
    for turn in await analysed(match, course, ask):
        after = course.positions[turn.played.end]
        if turn.after.plies is not None and after.outcome is None:
            assert after.to_move == turn.played.seat
