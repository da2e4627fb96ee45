"""Both engines: legal, repeatable, bounded; what they prove is true, and near wins are always found."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Sequence
from functools import cache

import pytest

from bench.solve_breakthrough import solve
from engine.breakthrough import SPECIALIST
from engine.breakthrough.engine_base import PROVED, available
from engine.core import Budget, Engine, GameValue, SearchListener, SearchResult
from rules.breakthrough import BreakthroughPosition, Move
from tests.engine.breakthrough.kinds import VARIANTS, games, solved
from tests.rules.breakthrough.making import position, start

Any = Engine[BreakthroughPosition, Move]


def frozen() -> float:
    """A clock that stands still."""
    return 0.0


@cache
def built() -> Sequence[Any]:
    return SPECIALIST.build(frozen)


def engines(board: str = "8x8") -> Iterator[Any]:
    """The engines that there are for a board: without a compiler there is one."""
    return (engine for engine in built() if engine.fits(start(board)))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "board", ["3x4", *(pytest.param(board, marks=pytest.mark.slow) for board in ("4x4", "3x5"))]
)
def test_what_is_proved_is_so(board: str, variant: str) -> None:
    proofs = 0
    late = [here for here in games(board, variant, 60) if sum(map(int.bit_count, here.men)) <= 6]
    for here in random.Random(2).sample(late, 12):
        won, _ = solved(here)
        for engine in engines(board):
            result = engine.think(here, Budget(depth=16, nodes=3_000))
            if result.proof is None:
                continue
            proofs += 1
            assert (result.proof.result is GameValue.WIN) is won, (engine.name, here)
            # After the step itself the end comes no later than was said.
            ends, left = solved(here.play(result.turn[0]))
            assert ends is not won
            assert 1 + left <= result.proof.plies, (engine.name, here)
    assert proofs >= 10


def test_ranked_values_are_those_of_searches_of_their_own() -> None:
    """With the best of several, each is proved as it would be alone."""
    here = position("8/1b3b2/3w4/8/8/2b5/5w2/8 w")
    for engine in engines():
        for result in engine.ranked(here, Budget(depth=6), most=50):
            after = here.play(result.turn[0])
            alone = engine.think(after, Budget(depth=6)) if after.outcome is None else None
            if result.proof and alone and alone.proof:
                assert result.proof.result == -alone.proof.result


@pytest.mark.parametrize("nodes", [9_000, 12_000, 20_000])
def test_a_refuted_turn_is_not_played_while_another_is_open(nodes: int) -> None:
    """White wins in 15 plies. The turn that looks best loses in 12, and these budgets end before another is searched."""
    here = position("1bb2bb1/5bb1/2b5/1b2ww1w/b1w5/5w1b/1w6/1ww2ww1 w")
    for engine in engines():
        result = engine.think(here, Budget(nodes=nodes))
        assert result.proof is None, engine.name
        assert abs(result.value) < 0.9, engine.name


def test_seeds_choose_between_turns_that_are_as_good() -> None:
    for engine in engines():
        turns = {engine.think(start(), Budget(nodes=400), seed=seed).turn for seed in range(12)}
        assert len(turns) > 1


class Impatient(SearchListener):
    """Wants an answer after it was asked so often, and writes down what it hears."""

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self.heard: list[SearchResult[Move]] = []

    def better(self, result: SearchResult[Move]) -> None:
        self.heard.append(result)

    def stopped(self) -> bool:
        self.patience -= 1
        return self.patience < 0


def test_a_listener_hears_each_depth_and_may_stop() -> None:
    for engine in engines():
        listener = Impatient(3)
        result = engine.think(start(), Budget(depth=60), listener=listener)
        assert [heard.depth for heard in listener.heard] == list(range(1, result.depth + 1))
        assert listener.heard[-1].line[:1] == result.line[:1] or listener.patience < 0


def test_others_run_while_the_native_core_searches() -> None:
    """Another thread asks it to stop, which needs the interpreter."""
    for engine in engines():
        asked = threading.Event()
        timer = threading.Timer(0.05, asked.set)
        timer.start()

        class Asked(SearchListener):
            def stopped(self) -> bool:
                return asked.is_set()  # noqa: B023 - used in this round only

        engine.think(start(), Budget(depth=100), listener=Asked())
        timer.join()
        assert asked.is_set()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("board", "wins"), [("2x4", False), ("3x4", False), ("4x4", False), ("3x5", False), ("5x4", False)]
)
def test_small_boards_are_solved_from_the_start(board: str, wins: bool) -> None:
    for engine in engines(board):
        result = engine.think(start(board), Budget(nodes=2_000_000))
        assert result.proof is not None, engine.name
        assert (result.proof.result is GameValue.WIN) is wins, engine.name


@pytest.mark.slow
def test_who_moves_second_wins_on_5x5() -> None:
    """Natively, in some fifteen seconds; in plain Python it would take a quarter of an hour."""
    if available():
        found = solve("5x5", "classic", megabytes=256, seconds=300.0)
        assert found.score < -PROVED
