"""Puzzles: asked, solved by moving, explained when failed."""

from __future__ import annotations

import pytest

from bot.actions import Verb
from bot.thinking.jobs import done, job_for
from engine import puzzles_of
from engine.core import Puzzle, Task, read_puzzles, write_puzzles
from rules import GAMES
from tests.bot.thinking.test_hints import Asked
from tests.bot.world import ANN, BOB, ROOM


def test_puzzles_as_text_come_back() -> None:
    puzzles = [
        Puzzle(Task.WIN, 5, (("board", "5x5"), ("variant", "x")), "a|b c"),
        Puzzle(Task.SAVE, 2, (), "p"),
    ]
    assert list(read_puzzles(write_puzzles(puzzles))) == puzzles


@pytest.mark.parametrize("key", [key for key in sorted(GAMES) if puzzles_of(key)])
def test_every_puzzle_is_a_position_of_its_game(key: str) -> None:
    game = GAMES[key]
    for puzzle in puzzles_of(key):
        position = game.notation.parse_position(puzzle.position, game.choose(dict(puzzle.options)))
        assert position.outcome is None
        assert puzzle.plies > 0


async def test_an_l_game_puzzle_is_solved_by_moving() -> None:
    asked = Asked()
    key = "lgame"
    game = GAMES[key]
    number = next(n for n, each in enumerate(puzzles_of(key)) if each.task is Task.WIN)
    puzzle = puzzles_of(key)[number]
    await asked.world.store.set_note(
        f"puzzle:{ANN.account}",
        f'{{"game": "{key}", "number": {number}, "position": "{puzzle.position}"}}',
    )
    options = game.choose(dict(puzzle.options))
    here = game.notation.parse_position(puzzle.position, options)
    said = ""
    for _ in range(puzzle.plies):
        best = done(job_for(game, options, here)).lines[0]
        (message,) = await asked.say(ANN, f"/puzzle {best.turn[0]}")
        said = message.view.lines[1]
        (move,) = game.notation.parse(best.turn[0], here)
        here = here.play(move)
        if here.outcome:
            break
        assert said.startswith("Right!")
        answer = done(job_for(game, options, here)).lines[0].turn[0]
        (move,) = game.notation.parse(answer, here)
        here = here.play(move)
    assert said == "Solved!"


async def test_a_wrong_turn_is_explained_and_the_solution_is_shown() -> None:
    asked = Asked()
    key = "lgame"
    game = GAMES[key]
    (message,) = await asked.say(ANN, f"/puzzle {key}")
    assert message.view.diagram is not None
    assert "Board: 4 × 4." in message.view.alt  # enough to solve it without the picture
    assert "shape on" in message.view.alt
    puzzles = {puzzle.position: puzzle for puzzle in puzzles_of(key)}
    (noted,) = await asked.world.store.notes(f"puzzle:{ANN.account}")
    puzzle = next(each for each in puzzles.values() if noted and each.position in noted)
    options = game.choose(dict(puzzle.options))
    here = game.notation.parse_position(puzzle.position, options)
    best = done(job_for(game, options, here)).lines[0].turn[0]
    wrong = next(move for move in here.legal_moves() if game.notation.format(move) != best)
    (message,) = await asked.say(ANN, f"/puzzle {game.notation.format(wrong)}")
    assert message.view.lines[1].startswith("Not ")
    solution = next(b for b in message.view.buttons if b.label == "Solution")
    (message,) = await asked.desk.press(asked.world.visitor(ANN), solution.action)
    assert best in message.view.lines[1]
    again = next(
        b for b in message.view.buttons if b.action.verb is Verb.PUZZLE and b.label == "From the start"
    )
    (message,) = await asked.desk.press(asked.world.visitor(ANN), again.action)
    assert message.view.diagram is not None


async def test_the_puzzle_of_the_day_is_the_same_all_day_for_all_here() -> None:
    asked = Asked()
    (first,) = await asked.say(ANN, "/puzzle daily")
    (second,) = await asked.say(BOB, "/puzzle daily")
    assert first.to == second.to == ROOM
    assert first.view.lines == second.view.lines
    (message,) = await asked.say(BOB, "/puzzle nonsense")
    assert message.view.lines


async def test_somebody_at_no_puzzle_is_told_so() -> None:
    asked = Asked()
    (message,) = await asked.say(ANN, "/puzzle a2-a3")
    assert message.view.lines == ("You are at no puzzle: /puzzle gives one.",)
    (message,) = await asked.say(ANN, "/puzzle")
    assert message.view.lines[0].startswith("Puzzle")
