"""Help: the list, and its pages."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bot.chat import arguments
from bot.chat.arguments import PAGES, HelpTopic, names_of
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.view import View
from bot.features.commands import REGISTRY
from bot.features.help_pages import form_of
from rules import GAMES
from tests.bot.world import ANN, World

LONGEST = 2000
"""Characters of a message of Discord."""

LINES = 10
"""Lines of a topic."""


async def asked(world: World, line: str) -> View:
    [message] = await world.say(ANN, line)
    return message.view


def labels(view: View) -> list[str]:
    return [button.label for button in view.buttons]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_six_short_topics_list_each_command_once(language: str) -> None:
    world = World(language)
    listed: list[str] = []
    assert await asked(world, "/help") == await asked(world, f"/help {HelpTopic.BASICS}")
    for topic in HelpTopic:
        view = await asked(world, f"/help {topic}")
        title, *lines = view.lines
        assert title == words(language)(f"bot.help.topic.{topic}")
        assert all(lines)
        assert len(view.lines) <= LINES
        listed += [each[1:].split(" ")[0] for line in lines for each in line.split(" · ") if each[0] == "/"]
        assert sorted(labels(view)[: len(HelpTopic)]) == sorted(
            f"• {title}" if each is topic else words(language)(f"bot.help.topic.{each}") for each in HelpTopic
        )
    assert sorted(listed) == sorted(REGISTRY.specs)
    assert len(HelpTopic) == 6
    assert not {*HelpTopic} & {*PAGES, *names_of(tuple(REGISTRY.specs.values()))}


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


async def test_a_command_s_page_leads_to_what_is_written_about_it() -> None:
    world = World()
    assert labels(await asked(world, "/help challenge"))[-2:] == ["Clocks", "Engines"]
    assert "• In a match" in labels(await asked(world, "/help pause"))
    assert {name for page in PAGES.values() for name in page.about} <= {*REGISTRY.specs}


async def test_a_forged_page_is_refused() -> None:
    world = World()
    data = CallbackData.without_match(Verb.HELP, "nonsense")
    [message] = await world.desk.press(world.visitor(ANN), data)
    assert message.refused


async def test_the_first_topic_offers_a_game_where_there_are_buttons_and_numbers_elsewhere() -> None:
    world = World()
    assert "type the number" in (await asked(world, "/help")).lines[-1]
    [message] = await world.desk.answer(replace(world.visitor(ANN), buttons=True), "/help")
    assert labels(message.view)[-3:] == ["Play the computer", "Play", "Rules"]
    assert "type the number" not in message.view.lines[-1]


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
@pytest.mark.parametrize("key", PAGES)
async def test_every_page_is_there_under_all_its_names(language: str, key: str) -> None:
    world = World(language)
    page = await asked(world, f"/help {key}")
    assert len(page.lines) >= 5
    assert len("\n".join(page.lines)) <= LONGEST
    for name in PAGES[key].called:
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
    assert all(page in said for page in PAGES)


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


async def test_an_argument_is_explained_by_what_it_means_in_its_command() -> None:
    world = World()
    for command, said in (
        ("cup", "most:… — How many people can enter"),
        ("config", "most:… — The most matches at once here"),
        ("challenge", "<person> — Whom to challenge"),
        ("ladder", "<person> — Who is meant"),
        ("block", "<person> — Who is meant"),
    ):
        assert said in await world.told(ANN, f"/help {command}")
