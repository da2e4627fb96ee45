"""Hints: the idea first, the turn at a press, and only where they are allowed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Resources
from bot.chat.desk import Desk
from bot.chat.i18n import words
from bot.chat.thinking import Thinker
from bot.chat.thinking.jobs import JobQueue, Variation
from bot.chat.view import Message
from bot.features.analysis import commands
from bot.features.commands import REGISTRY
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.renaming import Watch
from play.actions.seating import Join
from play.opening import Challenge
from play.people import Player
from play.request import CLOCKWORK, Request
from play.settings import Settings
from rules.core import Sign
from tests.bot.thinking.helpers import Inline
from tests.bot.world import ANN, BOB, EVE, HALL, ROOM, World
from tests.support.storing import set_settings


class Asked:
    """A desk with engines behind it."""

    def __init__(self) -> None:
        self.world = World()
        self.solver = Inline()
        self.line = JobQueue(1)
        thinker = Thinker(self.solver, self.line)
        self.desk = Desk(
            REGISTRY,
            Resources(self.world.table, self.world.store, "en", thinker=thinker),
            lambda: self.world.now,
        )

    async def say(self, who: object, line: str) -> Sequence[Message]:
        return await self.desk.answer(self.world.visitor(who), line)  # type: ignore[arg-type]


@pytest.fixture
async def asked() -> Asked:
    return Asked()


async def test_the_idea_comes_first_then_the_turn_then_it_is_played(asked: Asked) -> None:
    match = await asked.world.begin("lgame", {})
    (message,) = await asked.say(ANN, "/hint")
    assert message.view.diagram is not None
    assert any(mark.sign is Sign.PICKED for mark in message.view.diagram.marks)
    assert "Proved" in " ".join(message.view.lines)
    assert not any(re.search("L [a-d][1-4]", line) for line in message.view.lines)
    assert "Marked: " in message.view.alt
    assert message.view.lines[1] in message.view.alt
    (more,) = message.view.buttons
    (told,) = await asked.desk.press(asked.world.visitor(ANN), more.data)
    assert len(asked.solver.asked) == 1  # the turn is that whose idea was told
    (play,) = told.view.buttons
    assert told.view.diagram
    assert told.view.diagram.planned
    assert told.view.lines[1] in told.view.alt
    assert play.data.verb is Verb.MOVE
    await asked.desk.press(asked.world.visitor(ANN), play.data)
    assert len((await asked.world.table.get(match.id)).log) == 1


@pytest.mark.parametrize("game", ["breakthrough", "klopodavka"])
async def test_what_is_guessed_is_called_a_guess(asked: Asked, game: str) -> None:
    await asked.world.begin(game, {})
    (message,) = await asked.say(ANN, "/hint")
    assert "Estimate" in " ".join(message.view.lines)


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


async def test_the_menu_offers_a_hint_where_there_is_one(asked: Asked) -> None:
    world = asked.world
    match = await world.begin("breakthrough", {})
    more = CallbackData(Verb.MORE, match.id, match.revision)

    async def offered(who: Player = ANN) -> bool:
        (menu,) = await asked.desk.press(world.visitor(who), more)
        return Verb.HINT in [each.data.verb for each in menu.view.buttons]

    assert await offered()
    assert not await offered(BOB)  # it is not his turn
    assert not await offered(EVE)  # who only looks on
    await set_settings(world.store, ANN.account, Settings(hints=False))
    assert not await offered()
    await set_settings(world.store, ANN.account, Settings())
    await set_settings(world.store, ROOM, Settings(hints=False))
    assert not await offered()
    (old,) = await asked.desk.press(world.visitor(ANN), CallbackData(Verb.HINT, match.id, match.revision))
    assert "/settings here hints:on" in old.view.lines[0]


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
