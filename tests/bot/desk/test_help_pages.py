"""Help: the list, and its pages."""

from __future__ import annotations

import re

import pytest

from bot.commands import REGISTRY
from bot.desk.help_pages import TOPICS
from bot.i18n import LANGUAGES, words
from bot.view import View
from rules import GAMES
from tests.bot.world import ANN, World

LONGEST = 2000
"""Characters of a message of Discord."""


async def asked(world: World, line: str) -> View:
    [message] = await world.say(ANN, line)
    return message.view


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_command_has_a_page(language: str) -> None:
    world = World(language)
    for entry in REGISTRY.specs.values():
        said = "\n".join((await asked(world, f"/help {entry.name}")).lines)
        assert f"/{entry.name}" in said
        assert len(said) <= LONGEST
        if entry.name != "plan":
            assert len((await asked(world, f"/help /{entry.name.upper()}")).lines) >= 1 + len(entry.arguments)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("topic", TOPICS)
async def test_every_topic_has_a_page_under_all_its_names(language: str, topic: str) -> None:
    world = World(language)
    page = await asked(world, f"/help {topic}")
    assert len(page.lines) >= 5
    assert len("\n".join(page.lines)) <= LONGEST
    for name in TOPICS[topic]:
        assert await asked(world, f"/help {name}") == page


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_clock_s_page_has_examples_that_work(language: str) -> None:
    world = World(language)
    page = await asked(world, "/help clock")
    [example] = [line[line.index("/challenge bob") :] for line in page.lines if "/challenge bob" in line]
    await world.say(ANN, example)
    [match] = await world.store.matches.at(world.visitor(ANN).place)
    assert str(match.clock) == "3d12h soft vacation"


@pytest.mark.parametrize(
    ("name", "command"), [("перерва", "pause"), ("ход", "move"), ("виклик", "challenge")]
)
async def test_a_command_by_the_name_it_has_in_a_language(name: str, command: str) -> None:
    world = World()
    assert await asked(world, f"/help {name}") == await asked(world, f"/help {command}")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_nonsense_is_told_what_pages_there_are(language: str) -> None:
    [said] = (await asked(World(language), "/help nonsense")).lines
    assert "nonsense" in said
    assert all(topic in said for topic in TOPICS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_moves_of_the_help_are_legal_first_moves(language: str) -> None:
    shown = re.findall(r"/move ([A-Za-z][a-z0-9 -]*[0-9])", words(language)("bot.help.move"))
    assert len(shown) == len(GAMES)
    for game, text in zip(("lgame", "breakthrough", "klopodavka"), shown, strict=True):
        assert GAMES[game].notation.parse(text, GAMES[game].start(GAMES[game].choose({})))
