"""Every puzzle has one turn that wins or saves, by a search over all turns that shares nothing with the engines."""

from __future__ import annotations

import pytest

from bench.puzzles import FLOORS, TURNS, only_win, whole_turns
from bench.solving import ForcedWins
from bot.features.puzzles.library import Posed
from engine import puzzles_of
from engine.core import Task
from rules import GAMES
from rules.core import SEATS
from rules.lgame import LPosition
from tests.bot.puzzles.solving import at_start
from tests.engine.breakthrough.kinds import games
from tests.engine.lgame.solving import distances, key_of

POSED = [Posed(key, puzzle) for key in sorted(GAMES) for puzzle in puzzles_of(key)]


def assert_sound(posed: Posed) -> None:
    start, puzzle = at_start(posed), posed.puzzle
    if posed.game != "lgame":
        assert puzzle.task is Task.WIN
        assert only_win(GAMES[posed.game], start, most=None) == puzzle.plies
        return
    assert isinstance(start, LPosition)
    known = distances(start.options)
    ends = [0 if after.outcome else known[key_of(after)] for after in map(start.play, start.legal_moves())]
    winning = [plies for plies in ends if plies is not None and plies % 2 == 0]
    if puzzle.task is Task.WIN:
        assert [plies + 1 for plies in winning] == [puzzle.plies]
    else:
        assert not winning
        assert ends.count(None) == 1
        assert max(plies for plies in ends if plies is not None) + 1 == puzzle.plies


@pytest.mark.slow
@pytest.mark.parametrize("posed", POSED[::8], ids=lambda posed: posed.id)
def test_some_puzzles_have_one_solution_of_the_length_told(posed: Posed) -> None:
    assert_sound(posed)


@pytest.mark.slow
@pytest.mark.reliability
@pytest.mark.parametrize("posed", POSED, ids=lambda posed: posed.id)
def test_every_puzzle_has_one_solution_of_the_length_told(posed: Posed) -> None:
    assert_sound(posed)


@pytest.mark.parametrize(
    ("board", "text"),
    [
        ("5x5", "Abbbb/BBB1b/BBaaa/BBaBa/aBBaa 2 3 -"),  # every turn wins
        ("6x6", "AbAAbb/BABAAA/ABAAaA/BBAAa1/BBABBa/BBBaBb 1 3 -"),
        ("6x6", "a1ABAA/aABAAA/AAABAB/ABBAaB/BBBBBB/BBBabB 2 3 -"),
    ],
)
def test_where_several_turns_win_there_is_no_puzzle(board: str, text: str) -> None:
    game = GAMES["klopodavka"]
    here = game.notation.parse_position(text, game.choose({"board": board}))
    mine, after = ForcedWins(game, here.to_move), whole_turns(here, TURNS)
    assert after is not None
    assert sum(mine.within(each, 30) for each in after) > 1
    assert only_win(game, here) is None


def test_a_turn_is_one_in_any_order_of_its_actions() -> None:
    game = GAMES["klopodavka"]
    here = game.notation.parse_position("5/3b1/2a2/5/5 1 2 -", game.choose({"board": "5x5"}))
    by_hand = {
        last
        for middle in map(here.play, here.legal_moves())
        for last in ([middle] if middle.outcome else map(middle.play, middle.legal_moves()))
    }
    assert whole_turns(here, TURNS) == by_hand
    assert whole_turns(here, 5) is None


def test_no_win_comes_before_the_floor() -> None:
    game, wins = GAMES["breakthrough"], 0
    for here in games("4x5", "classic", 3):
        for seat in SEATS[:2]:
            plies = next((n for n in range(1, 5) if ForcedWins(game, seat).within(here, n)), None)
            wins += plies is not None
            assert plies is None or FLOORS["breakthrough"](here, seat) <= plies, here
    assert wins > 5
