"""What is said of pictures: enough to follow a match without them, for every game and in every language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import chain
from random import Random

import pytest

from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting.boards import show
from bot.chat.presenting.captions import ALT, caption, cut, happened, position_text, squares_text
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.match import Match
from play.opening import Challenge
from play.request import Request
from play.time.clock import Clock
from render import areas, pieces
from render.picture import StripLine
from rules import GAMES
from rules.core import Kind, Seat, sq
from tests.bot.presenter.playing import played
from tests.bot.world import ANN, BOB, NOON, ROOM, SETTINGS, World

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


async def test_an_english_match_can_be_followed_by_its_words() -> None:
    world = World()
    match = await world.begin("klopodavka", {})
    text = []
    for player, move in ((ANN, "b2 c3 d4"), (BOB, "i9 h8 g7"), (ANN, "e5")):
        match = (await world.table.act(match.id, MakeMove(move), Request(player, NOON))).match
        text.append(show(world.present(match, words("en"))).alt)
    assert text[0].startswith("ann: a bug on b2; a bug on c3; a bug on d4. Turn: bob — 3 actions left.")
    assert text[2].startswith("ann: a bug on e5. Turn: ann — 2 actions left.")
    assert "ann: 5 bugs on a1, b2, c3, d4, e5" in text[2]


async def test_the_board_that_a_picture_shows_above_is_told() -> None:
    world = World()
    match = await world.begin("lgame", {"variant": "scoring"})
    for player, move in ((ANN, "L a3-a1-b1 n d1-c1"), (BOB, "L d3-b3-b4 n a4-b2")):
        match = (await world.table.act(match.id, MakeMove(move), Request(player, NOON))).match
    view = show(world.present(match, words("en")))
    assert view.diagram
    assert view.diagram.first
    stood, stands = view.position.split(" Board: 4×4. ")
    assert stood == "After the move – ann: L on a1–a3, b1. bob: L on b3–d3, b4. Neutral: 2 discs on c1, b2."
    assert stands.startswith("ann: L on b1–b3, c1. bob: L on b4, c2–c4.")
    assert view.position in view.alt


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_player_who_left_and_a_result_are_told(language: str) -> None:
    world = World()
    spoken = words(language, strict=True)
    match = await world.begin("klopodavka", {"players": "3"})
    text = GAMES["klopodavka"].notation.format(world.table.position(match).legal_moves()[0])
    match = (await world.table.act(match.id, MakeMove(text), Request(ANN, NOON))).match
    match = (await world.table.act(match.id, Resign(), Request(ANN, NOON))).match
    presentation = world.present(match, spoken)
    course = world.table.course(match)
    assert happened(presentation)[-1] == spoken("bot.departed", name="ann")
    assert caption(presentation, len(course.log) - 1) == spoken("bot.departed", name="ann")
    over = await world.begin("breakthrough", {})
    over = (await world.table.act(over.id, Resign(), Request(BOB, NOON))).match
    view = show(world.present(over, spoken))
    assert view.after[0] in view.alt
    assert view.strip
    assert [line.note for line in view.strip.lines] == [spoken("bot.strip.won"), ""]


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


def strip_of(world: World, match: Match, language: str) -> Sequence[StripLine]:
    strip = show(world.present(match, words(language, strict=True))).strip
    assert strip
    return strip.lines


async def test_a_strip_tells_turn_actions_clock_and_teams() -> None:
    world = World()
    spoken = words("uk", strict=True)
    clock = Clock(timedelta(days=2))
    made = await world.table.open(
        Challenge(ROOM, "klopodavka", opponents=[BOB], clock=clock), Request(ANN, NOON)
    )
    match = (await world.table.act(made.match.id, Join(), Request(BOB, NOON))).match
    first, second = strip_of(world, match, "uk")
    assert (first.name, first.turn, first.note) == ("ann", True, "ще 3 дії")
    assert (second.name, second.turn, second.note) == ("bob", False, "")
    assert first.clock == second.clock == spoken.time_left(timedelta(days=2), short=True)
    assert (first.seat, first.stand_in) == (Seat.S1, "гравець 1")
    teams = await world.begin("klopodavka", {"teams": "2v2", "board": "8x8"})
    notes = [line.note for line in strip_of(world, teams, "en")]
    assert notes == ["3 actions left", "team 2", "team 1", "team 2"]
