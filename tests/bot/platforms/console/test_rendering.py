"""What the room prints, and how it reads lines."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.i18n import LANGUAGES, words
from bot.chat.view import View
from bot.platforms.console.rendering import SpokenLine, body, misnamed, parse, player_named
from play.actions.playing import MakeMove
from play.request import Request
from rules import GAMES
from rules.core import AnyGame, Highlights
from tests.bot.world import ANN, BOB, World

EN = words("en")


async def test_a_board_too_wide_for_emoji_is_drawn_with_letters() -> None:
    world = World()
    match = await world.begin("klopodavka", {"board": "26x30"})
    diagram = world.table.games["klopodavka"].draw(world.table.position(match))
    assert list(body(View(diagram=diagram), EN, "emoji")) == list(body(View(diagram=diagram), EN, "ascii"))


@pytest.mark.parametrize("language", LANGUAGES)
async def test_signs_of_letters_are_explained(language: str) -> None:
    world, spoken = World(language), words(language)
    match = await world.begin("klopodavka", {"topology": "torus", "board": "8x8"})
    match = (await world.table.act(match.id, MakeMove("b2 c3"), Request(ANN, world.now))).match
    course = world.table.course(match)
    diagram = GAMES["klopodavka"].draw(
        course.position, Highlights(last=course.last_turn, before=course.before_turn)
    )
    explained = " · ".join(
        f"{sign} {spoken(f'bot.legend.{meaning}')}"
        for sign, meaning in (
            ("+", "entered"),
            ("[]", "base"),
            ("<>", "joined-files"),
            ("^v", "joined-ranks"),
        )
    )
    assert explained in " ".join(body(View(diagram=diagram), spoken, "ascii"))
    assert spoken("bot.legend.base") not in " ".join(body(View(diagram=diagram), spoken, "emoji"))
    preview = " ".join(body(View(diagram=replace(diagram, planned=True)), spoken, "ascii"))
    assert f"+ {spoken('bot.legend.planned-entered')}" in preview
    assert spoken("bot.legend.entered") not in preview


@pytest.mark.parametrize(
    ("game", "chosen"),
    [("lgame", {"variant": "scoring"}), ("breakthrough", {}), ("klopodavka", {"variant": "hq"})],
)
async def test_every_sign_of_a_beginning_is_explained(game: str, chosen: dict[str, str]) -> None:
    world = World()
    match = await world.begin(game, chosen)
    played: AnyGame = GAMES[game]
    diagram = played.draw(world.table.position(match))
    printed = list(body(View(diagram=diagram), EN, "ascii"))
    assert {
        "lgame": "o neutral · :: painted cell",
        "breakthrough": "== goal",
        "klopodavka": "{} headquarters",
    }[game] in printed


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/board", SpokenLine(ANN, "/board")),
        ("bob: /board", SpokenLine(BOB, "/board")),
        ("  bob:/board\r\n", SpokenLine(BOB, "/board")),
        ("bob: 2", SpokenLine(BOB, "2")),
        ("bob:", SpokenLine(BOB, "")),
        ("/new lgame side:second", SpokenLine(ANN, "/new lgame side:second")),
        ("hello there", SpokenLine(ANN, "hello there")),
        ("#k7q2mz", SpokenLine(ANN, "#k7q2mz")),
        ("-bob: hello", SpokenLine(ANN, "-bob: hello")),
        ("bob : /board", SpokenLine(BOB, "/board")),
        ("bob\t: 2", SpokenLine(BOB, "2")),
    ],
)
def test_who_says_what(line: str, said: SpokenLine) -> None:
    assert parse(line, ANN) == said


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("bob smith: /games", "bob smith"),
        ("bob' : /games", "bob'"),
        ("-bob:/games", "-bob"),
        (": /games", ""),
        ("bob: /games", None),
        ("bob : /games", None),
        ("bob smith: hello", None),
        ("see: https://x", None),
        ("so they said: //", None),
        ("/challenge a: /b", None),
        ("either/or: /games", None),
        ("/board", None),
    ],
)
def test_a_command_under_no_name(line: str, name: str | None) -> None:
    assert misnamed(line) == name


@pytest.mark.parametrize("line", ["", "   ", "\n", "\t\r\n", "# a comment"])
def test_an_empty_line_says_nothing(line: str) -> None:
    assert parse(line, ANN) is None


def test_case_does_not_tell_people_apart_but_names_keep_it() -> None:
    said = parse("АНЯ: привіт", ANN)
    other = parse("аня: привіт", ANN)
    assert said is not None
    assert other is not None
    assert said.player.account == other.player.account
    assert said.player.name == "АНЯ"


@pytest.mark.parametrize(
    "name", ["", "_bob", ".bob", "bob smith", "b" * 33, "bob\n", "-", "\u202ebob", "a\x00"]
)
def test_not_a_name(name: str) -> None:
    assert player_named(name) is None


@given(st.text(max_size=200))
def test_any_line_is_read(line: str) -> None:
    said = parse(line, ANN)
    assert said is None or player_named(said.player.name) == said.player
