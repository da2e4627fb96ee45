"""Every puzzle has one turn that wins or saves, by a search over all turns that shares nothing with the engines."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bench import proofs
from bench.puzzles import FLOORS, TURNS, only_win, whole_turns
from bench.solving import ForcedWins, solve
from bot.features.puzzles.library import Posed
from engine import engines_of, puzzles_of
from engine.core import Budget, BudgetExhausted, EngineKind, GameValue, Proof, SearchResult, Task
from engine.generic import GenericEngine
from rules import GAMES
from rules.core import SEATS, Position, Seat
from rules.lgame import LPosition
from tests.bot.features.puzzles.solving import at_start
from tests.engine.breakthrough.kinds import games
from tests.engine.lgame.solving import distances, key_of
from tests.toy.tictactoe import GAME

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


# What engines claim is checked: a few claims of each, and one that is false is found.


@pytest.mark.parametrize(
    "name",
    [
        *("breakthrough-native", "breakthrough-misere", "klopodavka-native"),
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("breakthrough-python", "klopodavka-python")
        ),
        *(pytest.param(f"{game}-generic", marks=pytest.mark.slow) for game in ("breakthrough", "klopodavka")),
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("lgame-points", "lgame-generic", "lgame-tables")
        ),
    ],
)
def test_first_claims_are_true(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    game, kind = name.split("-")
    if kind == "native" and all(each.kind is not EngineKind.NATIVE for each in engines_of(game)):
        pytest.skip("the native core was not built here")
    assert proofs.main(["--quick", name]) == 0
    assert f"{name}: 6 claims" in capsys.readouterr().out


class Boastful(GenericEngine):  # type: ignore[type-arg]
    """Claims a loss wherever it is asked."""

    def think(self, position, budget: Budget, **_) -> SearchResult:  # type: ignore[no-untyped-def, type-arg]
        found = super().think(position, budget)
        return SearchResult(found.turn, -1.0, Proof(GameValue.LOSS, 2), found.line, 1, 1, 0, self.name)


def test_a_false_claim_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    honest = proofs.CONTENDERS["lgame-generic"]
    boasting = proofs.Contender(
        honest.game,
        honest.kinds,
        lambda position, _: Boastful(((Seat.S1,), (Seat.S2,)), lambda *_: 0.0),
        honest.judge,
    )
    monkeypatch.setattr(proofs, "CONTENDERS", {"boastful": boasting})
    assert proofs.main(["--quick", "boastful"]) == 1
    shown = capsys.readouterr().out
    assert "  false: game " in shown
    assert "0 false" not in shown


def test_a_run_goes_on_where_the_last_one_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    progress = tmp_path / "progress.json"
    some = ["lgame-generic", "--nodes", "1000", "--progress", str(progress)]
    assert proofs.main([*some, "--claims", "1"]) == 0
    assert proofs.main([*some, "--claims", "2"]) == 0
    counts = json.loads(progress.read_text())["lgame-generic"]
    at_once = proofs.Progress()
    proofs.judged("lgame-generic", 2, [1000], math.inf, at_once)
    assert at_once.found["lgame-generic"] == counts
    assert "lgame-generic: 2 claims" in capsys.readouterr().out


# A small game is solved by its rules alone.


@cache
def best(position: Position[Any]) -> GameValue:
    """The value by plain search, which ends because the board fills."""
    if position.outcome is None:
        return GameValue(-min(best(position.play(move)) for move in position.legal_moves()))
    if not position.outcome.winners:
        return GameValue.DRAW
    return GameValue.WIN if position.to_move in position.outcome.winners else GameValue.LOSS


def test_all_positions_have_the_values_of_a_plain_search() -> None:
    start = GAME.start(GAME.choose({}))
    for move in ("a1", "b2"):
        start = start.play(GAME.notation.parse(move, start)[0])
    values = solve(start)
    assert values[start] == GameValue.DRAW
    assert len(values) > 400
    assert all(value == best(position) for position, value in values.items())


def quickest(position: Position[Any], seat: int) -> float:
    """Plies in which a seat forces its win, by plain search without an end; infinite where it cannot."""
    if position.outcome is not None:
        return 0 if seat in position.outcome.winners else float("inf")
    choose = min if position.to_move == seat else max
    return 1 + choose(quickest(position.play(move), seat) for move in position.legal_moves())


def test_forced_wins_are_the_quickest_and_all_there_are() -> None:
    here = GAME.start(GAME.choose({}))
    for move in ("a1", "b1", "a2"):
        here = here.play(GAME.notation.parse(move, here)[0])
    lengths = set()
    for after in map(here.play, here.legal_moves()):
        for seat in SEATS[:2]:
            plies = quickest(after, seat)
            found = ForcedWins(GAME, seat).shortest(after, 9)
            assert found == (None if plies == float("inf") else plies or None if after.outcome else plies)
            lengths.add(found)
    assert {None, 1, 3} <= lengths


def test_a_proof_that_looks_into_more_positions_than_allowed_is_given_up() -> None:
    start = GAME.start(GAME.choose({}))
    with pytest.raises(BudgetExhausted):
        ForcedWins(GAME, SEATS[0], most=50).shortest(start, 9)
