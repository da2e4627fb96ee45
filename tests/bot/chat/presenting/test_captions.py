"""Captions of boards: what is said of pictures, of games and of lines of play."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import chain
from random import Random
from typing import TypeAlias

import pytest

from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting.boards import show
from bot.chat.presenting.captions import ALT, caption, cut, happened, position_text, squares_text
from bot.chat.presenting.naming import turns_in, variation_text
from bot.chat.thinking.jobs import Variation
from bot.features.analysis.explaining import brief_value, compared_values, value_text
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.files.matchfile import export
from play.match import Match
from play.opening import Challenge
from play.request import Request
from play.time.clock import Clock
from render import areas, pieces
from render.picture import StripLine
from rules import GAMES
from rules.core import Kind, Seat, sq
from tests.bot.chat.presenting.test_facts import played
from tests.bot.world import ANN, BOB, NOON, ROOM, SETTINGS, World

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


# How matches are worded where games differ: notation or phrases, what points are called, how much of a turn
# is left.


async def after(world: World, match: Match, text: str) -> str:
    """What is said of a move."""
    said = await world.say(ANN, f"/move #{match.id} {text}")
    return said[0].view.lines[0]


async def test_moves_are_told_as_in_the_log_and_with_points_where_the_game_says_how_many() -> None:
    world = World()
    bases = await world.begin("klopodavka", {"variant": "bases"})
    assert await after(world, bases, "b2 c3 d4") == "ann: b2 c3 d4"
    for chosen, scores in (({"variant": "scoring"}, True), ({}, False)):
        match = await world.begin("lgame", chosen)
        position = world.table.position(match)
        worth = (move for move in position.legal_moves() if sum(position.play(move).scores) or not scores)
        text = GAMES["lgame"].notation.format(next(worth))
        said = await after(world, match, text)
        assert ("point" in said) is scores
        assert (said == f"ann: {text}") is not scores


async def test_points_are_called_as_the_game_calls_them() -> None:
    world, spoken = World(), words("en")
    for game, key in (("klopodavka", "klopodavka.points"), ("lgame", "lgame.points")):
        match = await world.begin(game, {"variant": "bases" if game == "klopodavka" else "scoring"})
        roster = show(world.present(match, spoken)).roster
        assert all(spoken.count(key, 0) in line.text for line in roster)


async def test_a_short_first_turn_says_how_much_is_left() -> None:
    world, spoken = World(), words("en")
    turns = {
        ("klopodavka", "first"): "Turn: ann — 1 action left",
        ("klopodavka", ""): "Turn: ann — 3 actions left",
        ("breakthrough", ""): "Turn: ann",
        ("lgame", ""): "Turn: ann",
    }
    for (game, option), turn in turns.items():
        match = await world.begin(game, {option: "1"} if option else {})
        assert show(world.present(match, spoken)).after == (turn,)


async def test_teams_are_told_and_how_people_are_seated() -> None:
    world = World()
    said = await world.say(ANN, "/challenge bob cem klopodavka teams:2v2")
    assert said[0].view.lines[1:] == (
        "Teams: ann + cem – bob + free seat.",
        "Players are seated in the order they are named.",
    )
    assert [line.text for line in said[0].view.roster] == [
        "ann (team 1)",
        "bob (team 2, invited)",
        "cem (team 1, invited)",
        "free seat (team 2)",
    ]


async def test_a_saved_game_counts_its_turns_not_its_actions() -> None:
    world = World()
    match = await world.begin("klopodavka", {"board": "8x8"})
    for who, moves in ((ANN, "b2"), (ANN, "b1 a2"), (BOB, "g7 g8")):
        await world.table.act(match.id, MakeMove(moves), Request(who, world.now))
    said = await world.say(ANN, f"/import {export(await world.table.get(match.id))}")
    assert said[0].view.lines[1] == "2 moves have been played so far."


# Lines of play: each turn by itself, and what cannot be played together at the end.


Value: TypeAlias = tuple[float, int | None]


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


@pytest.mark.parametrize(
    ("game", "value", "plies", "said"),
    [
        ("breakthrough", 0.5, None, "Estimate: chances about 75%."),
        ("lgame", 0.0, 4, "Proved: a draw with best play by both."),
        ("lgame", 1.0, 9, "Proved: a win within 9 moves, counting both sides."),
        ("klopodavka", 1.0, 9, "Proved: a win within 9 actions, counting both sides."),
        ("breakthrough", -1.0, 2, "Proved: lost within 2 moves, counting both sides."),
        ("breakthrough", 1.0, 1, "Proved: this wins at once."),
    ],
)
def test_a_value_is_a_proof_or_an_estimate(game: str, value: float, plies: int | None, said: str) -> None:
    rules = GAMES[game]
    start = rules.start(rules.choose({}))
    assert value_text(Variation((), value, plies, (), 1), start, words("en", strict=True)) == said


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("chances about 74%", "26%")),
        ("uk", ("шанси приблизно 74%", "26%")),
        ("ru", ("шансы примерно 74%", "26%")),
    ],
)
def test_of_two_chances_the_second_is_the_figure_alone(language: str, said: tuple[str, str]) -> None:
    rules = GAMES["breakthrough"]
    start, spoken = rules.start(rules.choose({})), words(language, strict=True)
    first: Value = (0.48, None)
    second: Value = (-0.48, None)
    assert compared_values(first, second, start, spoken) == said
    won: Value = (1.0, 3)
    lost: Value = (-1.0, 2)
    for one, other in ((won, second), (first, lost), (won, lost)):
        apart = brief_value(*one, start, spoken), brief_value(*other, start, spoken)
        assert compared_values(one, other, start, spoken) == apart


@pytest.mark.parametrize(
    ("language", "both"), [("en", "counting both sides"), ("uk", "рахуючи"), ("ru", "считая")]
)
@pytest.mark.parametrize("count", [1, 2, 5, 11, 21, 31])
def test_every_plural_form_says_that_both_sides_count(language: str, both: str, count: int) -> None:
    spoken = words(language, strict=True)
    for what in ("judged.win", "judged.loss", "puzzle.win", "puzzle.save"):
        for unit in ("moves", "actions"):
            turn = {"turn": "-"} if what.startswith("puzzle") else {}
            said = spoken.count(f"bot.{what}.{unit}", count, **turn)
            assert both in said, said
            assert str(count) in said, said
