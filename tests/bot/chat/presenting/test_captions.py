"""Captions of boards: what is said of pictures, of games and of lines of play."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from random import Random

import pytest

from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting.boards import show
from bot.chat.presenting.captions import ALT, cut, happened, position_text, squares_text
from bot.chat.presenting.naming import turns_in, variation_text
from render import areas, pieces
from rules import GAMES
from rules.core import Kind, sq
from tests.bot.chat.presenting.test_facts import played
from tests.bot.world import SETTINGS, World

# What is said of pictures: enough to follow a match without them, for every game and in every language.


MORE = (
    ("klopodavka", {"players": "10", "board": "26x30"}),
    ("klopodavka", {"variant": "bases", "topology": "cylinder"}),
    ("breakthrough", {"board": "26x26"}),
)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def named(text: str) -> set[str]:
    """The squares that a text names, those between the ends of a run included."""
    found = set()
    for low, high in re.findall(r"\b([a-z]\d{1,2})(?:–([a-z]\d{1,2}))?\b", text):
        start, end = sq(low), sq(high or low)
        found |= {
            f"{chr(97 + file)}{rank + 1}"
            for file in range(start.file, end.file + 1)
            for rank in range(start.rank, end.rank + 1)
        }
    return found


@pytest.mark.parametrize(("game", "chosen"), [*SETTINGS, *MORE])
async def test_every_position_is_told_whole_or_in_numbers(game: str, chosen: Mapping[str, str]) -> None:
    world = World()
    for plies in (0, 1, 4, 9, 30):
        match = await played(world, game, chosen, plies, seed=plies)
        course = world.table.course(match)
        for language in LANGUAGES:
            presentation = world.present(match, words(language, strict=True))
            diagram = GAMES[game].draw(course.position)
            whole = position_text(diagram, presentation.names)
            told = {
                str(square) for group in chain(pieces(diagram), areas(diagram)) for square in group.squares
            }
            assert named(whole) == told
            view = show(presentation)
            assert units(view.alt) <= ALT
            assert view.alt.startswith(happened(presentation)[0])
            for line in view.after:
                assert line in view.alt
            if len(whole) < 500:
                assert whole in view.alt
            assert "\n" not in view.alt
            assert ".." not in view.alt
            assert not re.search(r"[{}_]|bot\.", view.alt)


async def test_what_has_no_room_is_told_by_how_many_there_are() -> None:
    world = World()
    match = await played(world, "klopodavka", {"players": "4", "board": "26x30"}, 400, seed=2)
    course, game = world.table.course(match), GAMES["klopodavka"]
    presentation = world.present(match, words("en", strict=True))
    diagram = game.draw(course.position)
    whole = position_text(diagram, presentation.names)
    assert len(whole) > ALT
    short = position_text(diagram, presentation.names, 600)
    assert len(short) <= 600
    for group in pieces(diagram):
        if group.what is Kind.BUG:
            assert f"{len(group.squares)} bug" in short
    assert len(position_text(diagram, presentation.names, 0)) <= len(short)


def test_cutting_keeps_to_the_limit_and_to_whole_letters() -> None:
    chance = Random(4)
    letters = "abc дії 😀. ; ,é"
    for _ in range(2000):
        text = "".join(chance.choice(letters) for _ in range(chance.randrange(80))).strip()
        limit = chance.randrange(2, 60)
        short = cut(text, limit)
        assert units(short) <= limit
        if units(text) <= limit:
            assert short == text
        else:
            assert short.endswith("…")
            assert text.startswith(short[:-1])
    assert cut("one two three four", 12) == "one two…"
    assert cut("one, two three", 9) == "one, two…"


def test_squares_in_a_row_are_told_by_their_ends() -> None:
    assert squares_text(tuple(map(sq, ("a1", "b1", "c1", "e5")))) == "a1–c1, e5"
    assert squares_text(tuple(map(sq, ("a1", "a2", "a3", "a4", "b1")))) == "a1–a4, b1"
    assert squares_text(tuple(map(sq, ("a1", "b1")))) == "a1, b1"


# Lines of play: each turn by itself, and what cannot be played together at the end.


@pytest.mark.parametrize(
    ("game", "chosen", "plies", "turns"),
    [
        ("breakthrough", {}, "a2-a3 a7-a6 b2-b3", ["a2-a3", "a7-a6", "b2-b3"]),
        ("klopodavka", {}, "b2 c3 d4 i9 h8 g7 e5", ["b2 c3 d4", "i9 h8 g7", "e5"]),
        ("klopodavka", {"actions": "1"}, "b2 i9", ["b2", "i9"]),
        ("klopodavka", {}, "b2 c3 z9 d4", ["b2 c3 z9 d4"]),
        ("breakthrough", {"board": "5x5"}, "d2-c3 a4-b3 c3xb4 d4-c3 b4xa5 e4 e3", ["d2-c3", "a4-b3", "c3xb4", "d4-c3", "b4xa5", "e4 e3"]),
        ("breakthrough", {}, "", []),
    ],
)  # fmt: skip
def test_the_turns_of_a_line(game: str, chosen: dict[str, str], plies: str, turns: Sequence[str]) -> None:
    rules = GAMES[game]
    found = turns_in(rules, rules.start(rules.choose(chosen)), plies.split())
    assert [" ".join(turn) for turn in found] == turns


def test_a_line_is_cut_and_says_so() -> None:
    game = GAMES["breakthrough"]
    start, plies = game.start(game.choose({})), ("a2-a3", "a7-a6", "b2-b3")
    assert variation_text(game, start, plies, 2) == "a2-a3 / a7-a6 …"
    assert variation_text(game, start, plies, 3) == "a2-a3 / a7-a6 / b2-b3"
    assert variation_text(game, start, plies, 1, skip=1) == "a7-a6 …"
