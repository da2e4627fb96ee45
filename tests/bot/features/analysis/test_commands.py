"""Hints, analyses of matches that are over, and other turns than those that were played."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import words
from bot.chat.quotas import SEARCHES
from bot.chat.thinking.jobs import Job, JobClass, Reply, Variation
from bot.features.analysis import cards, commands
from bot.features.analysis.explaining import brief_value, explained_replies, value_text
from bot.features.analysis.judging import (
    Alternative,
    Worth,
    alternative,
    analysed,
    idea_of,
    judged_turn,
    read_turn,
)
from engine.core import GameValue, Task
from engine.lgame.table_engine import names, solution
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.renaming import Watch
from play.replay import turns_of
from play.request import CLOCKWORK, Request
from play.settings import Settings
from rules import GAMES
from rules.core import TURN, Position, RulesError, Seat
from rules.lgame import LPosition
from tests.bot.features.puzzles.solving import Asked, ask, at_start, best, over, played, posed_of
from tests.bot.world import ANN, BOB, CEM, EVE, HALL, World
from tests.support.stores import set_settings

# Hints: the idea first, the turn at a press, and only where they are allowed.


@pytest.fixture
async def asked() -> Asked:
    return Asked()


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


async def test_only_matches_with_hints_are_asked_about(asked: Asked) -> None:
    world = asked.world
    fit = [await world.begin("breakthrough", {}) for _ in range(2)]
    await world.begin("breakthrough", {}, rated=True)
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


# What is said of a match that is over.


async def test_the_button_counts_as_a_search_like_the_command_and_a_page_as_none() -> None:
    asked = Asked()
    world = asked.world
    matches = [await over(world, "breakthrough", {"board": "4x5"}, 2) for _ in range(SEARCHES.limit + 1)]
    for match in matches[:-2]:
        data = CallbackData(Verb.ANALYSE, match.id, match.revision)
        (message,) = await asked.desk.press(world.visitor(ANN), data)
        assert not message.refused
    (message,) = await asked.say(ANN, f"/analyse #{matches[-2].id}")
    assert not message.refused
    last = CallbackData(Verb.ANALYSE, matches[-1].id, matches[-1].revision, "1")
    for said in (
        await asked.desk.press(world.visitor(ANN), last),
        await asked.say(ANN, f"/analyse #{last.match}"),
    ):
        assert said[0].refused
        assert (
            words("en")(SEARCHES.reason or "", limit=SEARCHES.limit, wait="WAIT").split("WAIT")[0]
            in said[0].view.lines[0]
        )
    (page,) = await asked.desk.press(world.visitor(ANN), message.view.buttons[-1].data)
    assert not page.refused
    (message,) = await asked.desk.press(world.visitor(BOB), last)
    assert not message.refused


async def test_of_many_players_it_is_told_of_one_who_had_a_turn() -> None:
    asked = Asked()
    world = asked.world
    match = await world.begin("klopodavka", {"players": "3", "board": "6x6"})
    await world.say(ANN, "/resign yes")
    position = world.table.position(await world.table.get(match.id))
    moves = []
    for _ in range(position.plies_left):
        move = position.legal_moves()[0]
        moves.append(GAMES["klopodavka"].notation.format(move))
        position = position.play(move)
    await world.say(BOB, f"/move {' '.join(moves)}")
    await world.say(CEM, "/resign yes")
    (message,) = await asked.say(BOB, "/analyse")
    line = next(line for line in message.view.lines if "turn by turn" in line)
    assert "for bob" in line
    assert not line.endswith(":")


async def test_nothing_is_proved_of_a_turn_by_what_came_after_others_had_moved() -> None:
    world = World()
    match = await over(world, "klopodavka", {"players": "3", "board": "5x5"}, 3, most=120)
    course = world.table.course(match)
    for turn in await analysed(match, course, ask):
        after = course.positions[turn.played.end]
        if turn.after.plies is not None and after.outcome is None:
            assert after.to_move == turn.played.seat


# Why not this move? Another turn of a match that is over is compared with the best one, and refuted on a board.


def _after(position: Position[Any], plies: str) -> Position[Any]:
    for move in GAMES["klopodavka"].notation.parse(plies, position):
        position = position.play(move)
    return position


async def test_in_the_l_game_every_answer_is_that_of_the_tables() -> None:
    world, chance = World(), random.Random(3)
    match = await over(world, "lgame", {}, 5, most=20)
    course = world.table.course(match)
    notation = course.game.notation
    for turn in turns_of(course):
        start = course.positions[turn.first]
        move = chance.choice(list(start.legal_moves()))
        found = await alternative(
            course, await judged_turn(match, course, turn, ask), notation.format(move), ask
        )
        after = start.play(move)
        assert isinstance(after, LPosition)
        left = solution(course.options).distance(*names(after))
        if left is None:
            assert (found.worth.value, found.worth.plies) == (GameValue.DRAW, 0)
        else:
            value = GameValue.LOSS if left % 2 else GameValue.WIN
            assert (found.worth.value, found.worth.plies) == (value, left + 1)
        assert found.lost >= 0
        assert found.equal is (found.lost == 0)
        assert len(found.replies) == (after.outcome is None and not found.same)


async def test_the_beginning_of_a_turn_is_completed() -> None:
    world = World()
    match = await over(world, "klopodavka", {"board": "5x5"}, 3, most=60)
    course = world.table.course(match)
    turn = next(turn for turn in turns_of(course) if len(turn.plies) == 3)
    found = await alternative(course, await judged_turn(match, course, turn, ask), turn.plies[0], ask)
    assert found.plies[0] == turn.plies[0]
    assert len(found.plies) == 3
    for text in (" ".join((*turn.plies, "a1")), "z9", ""):
        with pytest.raises(RulesError):
            read_turn(course.game, course.positions[turn.first], text)


async def test_among_many_sides_nothing_is_certain_and_the_line_goes_round() -> None:
    world = World()
    match = await over(world, "klopodavka", {"players": "4", "board": "6x6"}, 3, most=200)
    course = world.table.course(match)
    first = turns_of(course)[0]
    found = await alternative(
        course, await judged_turn(match, course, first, ask), " ".join(first.plies), ask
    )
    assert found.worth.value is not None
    assert found.worth.plies is None
    assert len(found.replies) == 3
    assert len(found.line) > 3


async def test_among_many_sides_the_answers_of_all_others_are_shown() -> None:
    game, world = GAMES["klopodavka"], World()
    chosen = {"players": "3", "board": "7x7", "bases": "a1,g1,a7"}
    names = world.present(await world.begin("klopodavka", chosen), words("en", strict=True)).names
    here = _after(game.start(game.choose(chosen)), "a2 a3 a4")
    replies = [Variation(turn, 0.0, None, turn, 1) for turn in (("f2", "e3", "d3"), ("a6", "a5", "xa4"))]
    shown = explained_replies(game, here, replies, Seat.S1, names)
    assert shown.lines[0] == "The opponents answer: bob – f2 e3 d3; cem – a6 a5 xa4."
    assert all(line.startswith(("bob: ", "cem: ")) for line in shown.lines[1:])
    marked = {str(mark.square) for mark in shown.diagram.marks if mark.sign in TURN}
    assert marked == {"f2", "e3", "d3", "a6", "a5", "a4"}


async def test_a_search_counts_once_and_a_failing_engine_is_said_so() -> None:
    asked = Asked()
    match = await over(asked.world, "breakthrough", {"board": "4x6"}, 2)
    course = asked.world.table.course(match)
    start = course.positions[0]
    texts = [GAMES["breakthrough"].notation.format(move) for move in start.legal_moves()]
    asked.solver.fails = lambda _: True
    (message,) = await asked.say(ANN, f"/analyse 1 {texts[0]}")
    assert message.refused
    assert "could not find" in message.view.lines[0]
    asked.solver.fails = lambda _: False
    for turn in range(SEARCHES.limit):
        (message,) = await asked.say(ANN, f"/analyse 1 {texts[turn % 2]}")
        assert not message.refused  # two searches, and what is known already
    (message,) = await asked.say(BOB, f"/analyse 1 {texts[0]}")
    assert not message.refused
    assert {job.job_class for job in asked.solver.asked} == {JobClass.ADVICE}  # a person waits: before chunks


async def test_no_turn_is_given_two_values(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, noise = Asked(), random.Random(2)

    async def solve(job: Job, _: float) -> Reply:
        reply = await ask(job)
        return replace(_noisy(reply, noise), after=tuple(_noisy(each, noise) for each in reply.after))

    monkeypatch.setattr(asked.solver, "solve", solve)
    match = await over(asked.world, "breakthrough", {}, 2, most=12)

    async def said(line: str) -> str:
        (message,) = await asked.say(ANN, f"/analyse {line}")
        return "\n".join(message.view.lines)

    course = asked.world.table.course(match)
    typed = {turn.number: await said(f"{turn.number} {turn.plies[0]}") for turn in turns_of(course)}
    compared = 0
    for number, text in typed.items():
        page = await said(str(number))
        if other := re.search(r"(\S+) is better: chances about (\d+)%, not (\d+)%", text):
            best, better, worse = other.groups()
            assert f"{best} was better" in page
            assert {better, worse} == set(re.findall(r"(\d+)%", page))
            assert f"That is the engine’s choice: chances about {better}%." in await said(f"{number} {best}")
            compared += 1
    assert compared > 2


@pytest.mark.parametrize(
    ("worth", "better", "said"),
    [
        (Worth(0.0, 0), Worth(0.0, 0), "As good as b: a draw."),
        (
            Worth(1.0, 5),
            Worth(1.0, 3),
            "Much the same as b: a win within 5 moves, there a win within 3 moves.",
        ),
        (Worth(0.5), Worth(0.2), "It looks better than b: chances about 75%, not 60%."),
        (Worth(0.2), Worth(0.5), "b is better: chances about 75%, not 60%."),
        (Worth(), Worth(0.5), "I cannot tell how it would have turned out."),
    ],
)
async def test_a_verdict_says_how_a_turn_compares(worth: Worth, better: Worth, said: str) -> None:
    world = World()
    match = await over(world, "lgame", {}, 5, most=2)
    turn = turns_of(world.table.course(match))[0]
    found = Alternative(turn, turn.plies, worth, ("b",), better, (), ())
    assert said in cards.answer(world.present(match, words("en")), found).lines


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


def test_moves_that_are_exactly_so_many_are_no_longer_at_most_so_many() -> None:
    start, english = GAMES["breakthrough"].start(GAMES["breakthrough"].choose({})), words("en", strict=True)
    found = Variation((), -1.0, 8, (), 1, exact=True)
    assert value_text(found, start, english) == "Proved: lost in 8 moves with best play, counting both sides."
    assert brief_value(found, start, english) == "lost in 8 moves"
    assert brief_value(Worth(1.0, 8), start, english) == "a win within 8 moves"


def _noisy(reply: Reply, noise: random.Random) -> Reply:
    """Return a reply as a search of another length could have valued it."""
    lines = [replace(line, value=noise.uniform(-0.9, 0.9), plies=None) for line in reply.lines]
    return replace(reply, lines=tuple(lines))


# Ideas behind turns: what is lost for sure is not praised.


@pytest.mark.parametrize(("game", "plies"), [("breakthrough", 5), ("klopodavka", 4), ("lgame", 5)])
def test_no_idea_praises_a_turn_in_a_position_that_is_lost(game: str, plies: int) -> None:
    posed = posed_of(game, Task.WIN, plies)
    start = at_start(posed)
    good = best(posed, start)
    assert idea_of(GAMES[game], start, good) is not None
    here = played(posed, start, good.turn)
    bad = best(posed, here)
    assert bad.plies is not None
    assert bad.value < 0
    assert idea_of(GAMES[game], here, bad) is None
