"""Help: the list, and its pages."""

from __future__ import annotations

import re

import pytest

from bot.chat import arguments
from bot.chat.arguments import PAGES, HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.view import View
from bot.features.commands import REGISTRY
from bot.features.help_pages import form_of
from rules import GAMES
from tests.bot.world import ANN, World

LONGEST = 2000
"""Characters of a message of Discord."""


async def asked(world: World, line: str) -> View:
    [message] = await world.say(ANN, line)
    return message.view


def labels(view: View) -> list[str]:
    return [button.label for button in view.buttons]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_page_is_a_press_away_from_the_topics(language: str) -> None:
    world = World(language)
    pending = [CallbackData.without_match(Verb.HELP)]
    seen: set[CallbackData] = set()
    while pending:
        data = pending.pop()
        [message] = await world.desk.press(world.visitor(ANN), CallbackData.unpack(data.pack()))
        assert message.view == await asked(world, f"/help {data.argument}")
        assert sum(label.startswith("• ") for label in labels(message.view)) == 1 + (data.argument in PAGES)
        found = {button.data for button in message.view.buttons} - seen
        pending += found
        seen |= found
    assert {data.argument for data in seen} == {*HelpTopic, *PAGES}


async def test_a_forged_page_is_refused() -> None:
    world = World()
    data = CallbackData.without_match(Verb.HELP, "nonsense")
    [message] = await world.desk.press(world.visitor(ANN), data)
    assert message.refused


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
async def test_the_clock_s_page_has_examples_that_work(language: str) -> None:
    world = World(language)
    page = await asked(world, "/help clock")
    [example] = [line[line.index("/challenge bob") :] for line in page.lines if "/challenge bob" in line]
    await world.say(ANN, example)
    [match] = await world.store.matches.at(world.visitor(ANN).place)
    assert str(match.clock) == "3d12h soft vacation"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_moves_of_the_help_are_legal_first_moves(language: str) -> None:
    shown = re.findall(r"/move ([A-Za-z][a-z0-9 -]*[0-9])", words(language)("bot.help.move"))
    assert len(shown) == len(GAMES)
    for game, text in zip(("lgame", "breakthrough", "klopodavka"), shown, strict=True):
        assert GAMES[game].notation.parse(text, GAMES[game].start(GAMES[game].choose({})))


def test_a_choice_of_words_names_them_all_and_one_of_levels_its_range() -> None:
    spoken = words("en")
    assert form_of(arguments.choice("do", "new", "a", "b", "c", "d", "stop"), spoken) == "do:new|a|b|c|d|stop"
    assert form_of(arguments.ENGINE, spoken) == "engine:1–8"
