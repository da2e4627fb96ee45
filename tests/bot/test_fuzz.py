"""Random lines: nothing breaks, and a refusal changes nothing and is a short sentence."""

from __future__ import annotations

import random

import pytest

from bot.chat.i18n import LANGUAGES
from bot.chat.view import Message, Person
from tests.bot.noise import Move, Noise
from tests.bot.world import HALL, PEOPLE, ROOM, World

AFRESH = 250
"""Lines after which the room is furnished anew: many succeed, and open or end matches."""

OFTEN = 10
"""Lines after which it is looked at anew what could be played."""

PRIVATELY = ("/lang", "/settings", "/vacation", "/plan", "/if", "/block", "/unblock", "/mute")
"""Commands that may change something without anybody else hearing of it."""

LONG = ("/privacy", "/rules", "/help", "/games", "/watch", "/board", "/settings", "/plan", "/if")
"""Commands with an answer of several lines."""

LONGEST = 400
"""Characters in the words of a refusal."""


@pytest.mark.parametrize("language", LANGUAGES)
async def test_thousands_of_lines(language: str) -> None:
    await listen(language, 1000, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("count", [20_000, pytest.param(100_000, marks=pytest.mark.reliability)])
async def test_many_thousands_of_lines(language: str, count: int) -> None:
    await listen(language, count, seed=2)


async def listen(language: str, count: int, seed: int) -> None:
    """Say many lines, and check after each."""
    rooms = random.Random(seed)
    world, moves = World(language), list[Move]()
    noise = Noise(language, seed)
    for number in range(count):
        if number % AFRESH == 0:
            world = World(language)
            await world.furnish()
        if number % OFTEN == 0:
            moves = world.moves()
        who, line = noise.said(PEOPLE, moves)
        where = ROOM if rooms.random() < 0.95 else HALL
        before = world.snapshot()
        said = await world.say(who, line, where)
        if all(isinstance(message.to, Person) for message in said) and not line.lower().startswith(PRIVATELY):
            assert world.snapshot() == before, line
        for message in said:
            check(message, line)


def check(message: Message, line: str) -> None:
    """What is said is fit to be seen, and short where it refuses."""
    view = message.view
    words = "".join((*view.lines, *view.after, *(seated.text for seated in view.roster)))
    assert words.isprintable(), line
    if isinstance(message.to, Person) and not (view.diagram or view.files or view.buttons):
        if len(view.lines) <= 2:
            assert all(len(said) <= LONGEST for said in view.lines), line
        else:
            assert line.lower().startswith(LONG), line
