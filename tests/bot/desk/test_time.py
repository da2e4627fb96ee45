"""What people are told about time: what is left, vacations, pauses, as of the moment when they ask."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.i18n import LANGUAGES, words
from play.match import Match
from play.people import Player
from tests.bot.world import ANN, BOB, ROOM, World

HOUR = timedelta(hours=1)


async def duel(world: World, clock: str) -> Match:
    """A match in which ann is to move."""
    options = {"board": "4x5"}
    made = await world.table.challenge(
        ANN, ROOM, "breakthrough", options, at=world.now, opponents=[BOB], clock=clock
    )
    return (await world.table.accept(made.match.id, BOB, at=world.now)).match


async def said(world: World, who: Player, line: str) -> str:
    """Everything that somebody is answered, below a board too."""
    messages = await world.say(who, line)
    return "\n".join(line for message in messages for line in (*message.view.lines, *message.view.after))


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_an_opponent_has_left_is_told_as_of_now(language: str) -> None:
    world, spoken = World(language), words(language, strict=True)
    match = await duel(world, "3d")
    await world.table.move(match.id, ANN, "a2-a3", at=world.now)
    world.now += 70 * HOUR
    rest = spoken.time_left(2 * HOUR)
    for who in (ANN, BOB):
        for asked in ("/games", "/board"):
            assert rest in await said(world, who, asked), (who, asked)
    assert rest in await said(world, BOB, "/move"), "the board on which a move is picked"


async def test_a_button_that_grew_old_shows_the_time_as_of_now() -> None:
    world = World()
    match = await duel(world, "3d")
    (message,) = await world.say(BOB, "/board")
    takes_back = next(control.action for control in message.view.controls if control.action.verb == "re")
    await world.table.move(match.id, ANN, "a2-a3", at=world.now)
    world.now += 70 * HOUR
    (message,) = await world.desk.press(world.visitor(BOB), takes_back)
    assert words("en").time_left(2 * HOUR) in " ".join((*message.view.lines, *message.view.after))
