"""Both engines: legal, repeatable, bounded; what they prove is true, and near wins are always found."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Iterator, Sequence
from functools import cache

import pytest

from bench.solve_breakthrough import solve
from engine import engine_for
from engine.breakthrough import SPECIALIST
from engine.breakthrough.bitboards import PROVED
from engine.breakthrough.native_engine import NativeEngine, available
from engine.breakthrough.python_engine import PythonEngine
from engine.core import Budget, Engine, EngineKind, GameValue, SearchListener, SearchResult
from engine.native import VARIABLE
from rules.breakthrough import GAME, BreakthroughPosition, Move
from tests.engine.breakthrough.kinds import LARGE, SMALL, VARIANTS, games, solved
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


def test_the_strongest_that_was_built_comes_first() -> None:
    kinds = [engine.kind for engine in SPECIALIST.build(frozen)]
    assert kinds in ([EngineKind.NATIVE, EngineKind.PYTHON], [EngineKind.PYTHON])
    large = start("26x26")
    assert engine_for(GAME, large.options, large).kind is EngineKind.PYTHON


def test_plain_python_can_be_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "python")
    assert [engine.kind for engine in SPECIALIST.build(frozen)] == [EngineKind.PYTHON]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("board", [*SMALL, *LARGE])
def test_turns_are_legal_and_repeat_themselves(board: str, variant: str) -> None:
    somewhere = list(games(board, variant, 1))
    for engine, here in itertools.product(engines(board), somewhere[:: max(1, len(somewhere) // 4)]):
        for budget in (Budget(nodes=1), Budget(nodes=150), Budget(depth=2, nodes=3000)):
            result = engine.think(here, budget, seed=7)
            again = engine.think(here, budget, seed=7)
            assert result == again
            assert_sound(here, result)
            assert budget.nodes is None or result.nodes <= budget.nodes
            assert budget.depth is None or result.depth <= budget.depth


def assert_sound(here: BreakthroughPosition, result: SearchResult[Move]) -> None:
    assert result.turn == result.line[:1]
    for move in result.line:
        assert move in here.legal_moves()
        here = here.play(move)
    if result.proof:
        assert result.value == result.proof.result
    else:
        assert -1 < result.value < 1


def test_answers_do_not_depend_on_what_was_asked_before() -> None:
    wanted = [
        [engine.think(here, Budget(nodes=2000), seed=1) for here in list(games("6x6", "classic", 1))[::9]]
        for engine in engines("6x6")
    ]
    for engine in built():
        engine.forget()
    for engine, results in zip(engines("6x6"), wanted, strict=True):
        backwards = list(zip(list(games("6x6", "classic", 1))[::9], results, strict=True))[::-1]
        for here, result in backwards:
            assert engine.think(here, Budget(nodes=2000), seed=1) == result


def test_a_game_that_is_over_is_refused() -> None:
    for engine in engines():
        with pytest.raises(ValueError, match="over"):
            engine.think(position("3w4/8/8/8/8/8/b7/8 b"), Budget(nodes=10))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "board", ["3x4", *(pytest.param(board, marks=pytest.mark.slow) for board in ("4x4", "3x5"))]
)
def test_what_is_proved_is_so(board: str, variant: str) -> None:
    proofs = 0
    late = [here for here in games(board, variant, 60) if sum(map(int.bit_count, here.men)) <= 6]
    for here in random.Random(2).sample(late, 12):
        won, plies = solved(here)
        for engine in engines(board):
            result = engine.think(here, Budget(depth=16, nodes=3_000))
            if result.proof is None:
                continue
            proofs += 1
            assert (result.proof.result is GameValue.WIN) is won, (engine.name, here)
            if won:
                # The step itself keeps the win, no later than was said.
                after = solved(here.play(result.turn[0]))
                assert not after[0]
                assert plies <= result.proof.plies, (engine.name, here)
    assert proofs >= 10


@pytest.mark.parametrize("board", ["4x4", "4x5", pytest.param("5x5", marks=pytest.mark.slow)])
def test_wins_within_five_plies_are_found_at_once(board: str) -> None:
    found = 0
    for here in games(board, "classic", 20):
        if sum(map(int.bit_count, here.men)) > 8:
            continue
        plies = win_within(here, 5)
        if plies is None:
            continue
        found += 1
        for engine in engines(board):
            result = engine.think(here, Budget(depth=5))
            assert result.proof is not None, (engine.name, here)
            assert result.proof.result is GameValue.WIN, (engine.name, here)
    assert found > 10


def win_within(here: BreakthroughPosition, plies: int) -> int | None:
    """In how many plies the side to move can force the end, if in no more than so many; by trying everything."""
    for length in range(1, plies + 1, 2):
        if _forces(here, length):
            return length
    return None


def _forces(here: BreakthroughPosition, plies: int) -> bool:
    for move in here.legal_moves():
        after = here.play(move)
        if after.outcome is not None:
            if here.to_move in after.outcome.winners:
                return True
        elif plies > 2 and all(
            (beyond := after.play(reply)).outcome is None and _forces(beyond, plies - 2)
            for reply in after.legal_moves()
        ):
            return True
    return False


def test_both_prove_the_same() -> None:
    searching = list(engines("5x5"))
    for here in itertools.islice(games("5x5", "classic", 6), 0, None, 3):
        proofs = {
            result.proof.result
            for engine in searching
            if (result := engine.think(here, Budget(depth=6))).proof is not None
        }
        assert len(proofs) <= 1, here


@pytest.mark.parametrize("board", ["5x5", "8x8"])
def test_ranked_turns_are_different_and_in_order(board: str) -> None:
    for engine, here in itertools.product(engines(board), list(games(board, "classic", 1))[::6]):
        for most in (1, 3, 100):
            results = engine.ranked(here, Budget(depth=3), most=most)
            assert len(results) == min(most, len(here.legal_moves()))
            assert len({result.turn for result in results}) == len(results)
            values = [result.value for result in results]
            # Chance decides between what is nearly as good.
            assert all(first >= second - 0.02 for first, second in itertools.pairwise(values))
            for result in results:
                assert_sound(here, result)


def test_ranked_values_are_those_of_searches_of_their_own() -> None:
    """With the best of several, each is proved as it would be alone."""
    here = position("8/1b3b2/3w4/8/8/2b5/5w2/8 w")
    for engine in engines():
        for result in engine.ranked(here, Budget(depth=6), most=50):
            after = here.play(result.turn[0])
            alone = engine.think(after, Budget(depth=6)) if after.outcome is None else None
            if result.proof and alone and alone.proof:
                assert result.proof.result == -alone.proof.result


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


def test_time_ends_a_search() -> None:
    for make in (PythonEngine, NativeEngine):
        if make not in {type(engine) for engine in SPECIALIST.build(frozen)}:
            continue
        ticks = itertools.count()
        engine = make(lambda ticks=ticks: next(ticks) * 0.01)  # type: ignore[misc]
        result = engine.think(start("8x8"), Budget(seconds=0.05))
        assert result.nodes < 200_000


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
