"""Both engines of Breakthrough: legal, repeatable, bounded; their sums, wins that can be forced, and what they say of steps."""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice

import pytest

from bench.perft import perft
from bench.puzzles import FLOORS
from bench.solving import ForcedWins
from engine.breakthrough import SPECIALIST
from engine.breakthrough import evaluation as shape
from engine.breakthrough.engine_base import WIN, NativeEngine, available
from engine.breakthrough.ideas import idea
from engine.breakthrough.python_engine import PythonEngine
from engine.core import Budget, Engine, GameValue, Proof, SearchListener, SearchResult
from rules import GAMES
from rules.breakthrough import GAME, BreakthroughPosition, Move
from rules.core import Grid, Seat, Square
from tests.engine.breakthrough.kinds import (
    LARGE,
    SMALL,
    VARIANTS,
    games,
    positions,
    solved,
    ways,
)
from tests.engine.test_contract import Impatient
from tests.rules.breakthrough.oracle import position, start

# Both engines: legal, repeatable, bounded; what they prove is true, and near wins are always found.


Any = Engine[BreakthroughPosition, Move]


def frozen() -> float:
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


def test_a_match_goes_on_with_what_was_found_and_nothing_else_does() -> None:

    def two_plies_later(engine: Any) -> BreakthroughPosition:
        first, second = engine.think(start(), Budget(depth=6)).line[:2]
        return start().play(first).play(second)

    for engine, other in zip(engines(), SPECIALIST.build(frozen), strict=True):
        here, same = two_plies_later(engine), two_plies_later(other)
        other.think(start(), Budget(depth=1))
        alone = other.think(same, Budget(depth=5))
        assert here == same
        assert engine.think(here, Budget(depth=5)).nodes < alone.nodes, engine.name
        engine.think(start(), Budget(depth=1))
        assert engine.think(here, Budget(depth=5)) == alone


def test_a_listener_hears_each_depth_and_may_stop() -> None:
    for engine in engines():
        listener = Impatient(3)
        result = engine.think(start(), Budget(depth=60), listener=listener)
        assert [told.depth for told in listener.told] == list(range(1, result.depth + 1))
        assert listener.told[-1].line[:1] == result.line[:1] or listener.patience < 0


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


# Steps, sums and certainties, in Python and in the native core, beside the rules and the plain definition.


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("board", [*SMALL, *LARGE])
def test_steps_are_those_of_the_rules(board: str, variant: str) -> None:
    for here in islice(games(board, variant, 2), 0, 300, 31):
        wanted = [perft(here, depth) for depth in (1, 2)]
        for way in ways():
            assert [way.perft(here, depth) for depth in (1, 2)] == wanted, (way.name, here)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("board", [*SMALL, *LARGE])
def test_a_score_is_the_sum_of_its_patterns(board: str, variant: str) -> None:
    for here in islice(games(board, variant, 2), 0, 300, 37):
        wanted = plain_sum(here)
        for way in ways():
            assert way.evaluate(here) == wanted, (way.name, here)


def plain_sum(here: BreakthroughPosition) -> int:
    grid = here.options.grid
    of = shape.weights_for(here.options)

    def cell(file: int, rank: int) -> int:
        """Empty, own or foe, as the side to move sees the board."""
        if not (0 <= file < grid.files and 0 <= rank < grid.ranks):
            return 0
        owner = here.at(Square(file, rank if here.to_move is Seat.S1 else grid.ranks - 1 - rank))
        return 0 if owner is None else 1 if owner is here.to_move else 2

    total = all_patterns(grid, of, cell)
    total -= all_patterns(grid, of, lambda _file, _rank: 0)
    total += all_patterns(Grid(8, 8), of, lambda _file, _rank: 0)
    return max(-shape.MOST, min(shape.MOST, total >> shape.SHIFT))


def all_patterns(grid: Grid, of: shape.PatternWeights, cell: Callable[[int, int], int]) -> int:
    """The weights of all patterns on a board, the cells told one by one."""

    def number(cells: list[int]) -> int:
        return sum(3**at * value for at, value in enumerate(cells))

    total = 0
    wide = max(1, grid.files - 2)
    for rank in range(grid.ranks - 1):
        for first in range(wide):
            files = [first, first + 1, first + 2]
            if first > wide - 1 - first:
                files.reverse()
            place = shape.from_ends(rank, grid.ranks - 1, shape.BRICK_RANKS) * shape.BRICK_FILES
            place += min(first, wide - 1 - first, shape.BRICK_FILES - 1)
            pattern = [cell(file, up) for up in (rank, rank + 1) for file in files]
            total += of.bricks[place * shape.BRICKS + number(pattern)]
    for rank in range(grid.ranks):
        for file in range(grid.files):
            left, right = (file - 1, file + 1) if file <= grid.files - 1 - file else (file + 1, file - 1)
            place = shape.from_ends(rank, grid.ranks, shape.CROSS_RANKS) * shape.CROSS_FILES
            place += min(file, grid.files - 1 - file, shape.CROSS_FILES - 1)
            pattern = [cell(file, rank)]
            pattern += [cell(near, up) for up in (rank - 1, rank + 1) for near in (left, right)]
            total += of.crosses[place * shape.CROSSES + number(pattern)]
    return total


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "board", ["5x12", "6x6", "7x7", "8x8", "9x9", "10x10", "12x12", "16x16", "20x20", "26x26"]
)
def test_at_the_start_no_side_is_ahead_on_a_board_of_any_size(board: str, variant: str) -> None:
    game = GAMES["breakthrough"]
    here = game.start(game.choose({"board": board, "variant": variant}))
    assert isinstance(here, BreakthroughPosition)
    for way in ways():
        assert abs(way.evaluate(here)) < shape.LOGIT / 3, way.name


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "board", ["2x4", "3x4", *(pytest.param(board, marks=pytest.mark.slow) for board in ("2x6", "3x5"))]
)
def test_what_is_certain_is_so(board: str, variant: str) -> None:
    found = 0
    # From the later half of the games: what comes after is solved by trying all.
    late = [here for here in games(board, variant, 40) if sum(map(int.bit_count, here.men)) <= 6]
    for here in random.Random(1).sample(late, min(60, len(late))):
        won, plies = solved(here)
        told = {way.name: way.certain(here) for way in ways()}
        assert len(set(told.values())) == 1, (here, told)
        sure = told["python"]
        if sure:
            found += 1
            assert (sure > 0) is won, here
            assert WIN - abs(sure) >= plies or not won, here
    assert variant == "misere" or found > 10


@pytest.mark.parametrize("board", [*SMALL, *LARGE])
def test_both_are_certain_of_the_same(board: str) -> None:
    for here in islice(games(board, "classic", 8), 1000):
        assert len({way.certain(here) for way in ways()}) == 1, here


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("8/3w4/8/8/8/8/b7/8 w", WIN - 1),  # arrives at once
        ("8/8/8/8/8/8/b7/8 w", -WIN),  # no man is left
        ("8/8/w7/8/8/8/b3b3/1w6 w", 2 - WIN),  # two are about to arrive, one can be taken
        ("8/8/w7/8/8/7b/3b4/8 w", 2 - WIN),  # it cannot be taken
        ("8/8/3w4/8/8/4b3/8/w7 w", WIN - 3),  # the squares before the goal are unguarded
        ("1bb5/8/w7/8/8/4b3/8/w7 w", 0),  # they are guarded
        ("1b6/8/8/1w6/6b1/8/8/6w1 w", 0),  # both can be met
        ("7b/8/8/1w6/6b1/8/8/3w4 w", WIN - 5),  # neither is met, and it comes first
        ("8/8/8/8/1w5b/8/8/8 w", 6 - WIN),  # the other is a step ahead
        ("8/8/8/1w6/7b/8/8/8 w", WIN - 5),  # the side to move comes first
        ("8/8/8/1w6/7b/8/8/8 b", WIN - 5),
    ],
)
def test_ends_in_sight(text: str, sure: int) -> None:
    for way in ways():
        assert way.certain(position(text)) == sure, way.name


# On 8x8, a win that can be forced within five plies is always found, within the nodes of a second at most.


MADE = {"python": PythonEngine, "native": NativeEngine}
NODES = {"python": 50_000, "native": 1_000_000}
KINDS = ["python", *(["native"] if available() else [])]


def won(seed: int) -> Iterator[BreakthroughPosition]:
    """Positions in which the end can be forced in three plies or in five, and not at once."""
    for here in positions(seed):
        plies = ForcedWins(GAME, here.to_move, FLOORS["breakthrough"]).shortest(here, 5)
        if plies is not None and plies > 1:
            yield here


def missed(engine: Engine[BreakthroughPosition, Move], here: BreakthroughPosition, nodes: int) -> str | None:
    """What is wrong with its answer; None if it forces the end within five plies and says so."""
    result = engine.think(here, Budget(nodes=nodes))
    if result.proof is None or result.proof.result is not GameValue.WIN:
        return f"{engine.name} proves nothing: {here}"
    prover = ForcedWins(GAME, here.to_move, FLOORS["breakthrough"])
    if result.proof.plies > 5 or not prover.within(here.play(result.turn[0]), 4):
        return f"{engine.name} goes a longer way, {result.proof.plies} plies: {here}"
    return None


def assert_all_found(kind: str, seed: int, count: int) -> None:
    engine = MADE[kind](time.process_time)
    found = (missed(engine, here, NODES[kind]) for here in itertools.islice(won(seed), count))
    misses = [miss for miss in found if miss]
    assert misses == []


@pytest.mark.parametrize("kind", KINDS)
def test_some_forced_wins_are_found(kind: str) -> None:
    assert_all_found(kind, 1000, 6)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), [(kind, {"python": 50, "native": 200}[kind]) for kind in KINDS])
def test_every_forced_win_is_found(kind: str, count: int) -> None:
    assert_all_found(kind, 0, count)


# What is said of a step before it is told.


def result(here: BreakthroughPosition, text: str, *, won: bool = False) -> SearchResult[Move]:
    (move,) = GAME.notation.parse(text, here)
    return SearchResult(
        (move,), 1.0 if won else 0.0, Proof(GameValue.WIN, 9) if won else None, (move,), 1, 1, 0, "test"
    )


@pytest.mark.parametrize(
    ("text", "step", "key", "marked"),
    [
        ("8/3w4/8/8/8/8/b7/8 w", "d7-d8", "arrive", "d7"),
        ("8/8/8/8/4b3/3w4/8/8 w", "d3xe4", "last", "e4"),
        ("8/8/1w6/8/b7/8/b7/1w6 w", "b1xa2", "stop", "a2"),
        ("8/8/3w4/8/8/4b3/8/w7 w", "d6-d7", "gap", "d6"),
        ("7b/1b6/8/8/8/2b5/1w6/8 w", "b2xc3", "bar", "c3"),
        ("1b6/b7/8/8/4b3/3w4/8/1w6 w", "d3xe4", "free", "e4"),
        ("1b6/b7/8/3b4/4b3/3w4/8/1w6 w", "d3xe4", "trade", "e4"),
        ("8/bb6/8/8/4b3/3w4/8/2w5 w", "c1-c2", "save", "d3"),
        ("bb6/8/8/3w4/4w3/8/8/w7 w", "d5-d6", "outpost", "d5"),
        ("bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w", "d2-d3", "home", "a1 b1 c1 d1 e1 f1 g1 h1"),
        ("8/b7/8/8/8/8/1w6/8 w", "b2-b3", "together", ""),
    ],
)
def test_a_step_has_a_name_and_men_it_is_about(text: str, step: str, key: str, marked: str) -> None:
    here = position(text)
    found = idea(here, result(here, step))
    assert found is not None
    assert found.phrase.key == f"breakthrough.idea.{key}"
    assert " ".join(str(mark.square) for mark in found.marks) == marked


def test_a_forced_way_and_a_race() -> None:
    here = position("8/8/6b1/1w6/8/8/8/8 w")
    assert idea(here, result(here, "b5-b6", won=True)).phrase.key == "breakthrough.idea.run"
    here = position("bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w")
    assert idea(here, result(here, "d2-d3", won=True)).phrase.key == "breakthrough.idea.force"


@pytest.mark.parametrize(
    ("text", "step", "key", "marked", "replied"),
    [
        ("8/8/8/8/4w3/8/b7/8 w", "e4-e5", "stuck", "a2", True),
        ("8/8/3b4/2w5/8/8/b7/8 w", "c5-c6", "few", "d6", True),
        ("8/b7/3b4/2w5/8/8/b7/8 w", "c5xd6", "take", "d6", True),
        ("bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w", "d2-d3", "wait", "", False),
    ],
)
def test_in_misere_a_step_is_about_the_harmless_steps_that_are_left(
    text: str, step: str, key: str, marked: str, replied: bool
) -> None:
    here = position(text, variant="misere")
    found = idea(here, result(here, step))
    assert found.phrase.key == f"breakthrough.idea.misere-{key}"
    assert " ".join(str(mark.square) for mark in found.marks) == marked
    assert (found.reply is not None) is replied
    won = idea(here, result(here, step, won=True))
    assert won.reply is not None
    assert won.reply.key == f"breakthrough.reply.misere-{'stuck' if key == 'stuck' else 'force'}"
    if key == "few":
        after = here.play(*GAME.notation.parse(step, here))
        left = [move for move in after.legal_moves() if not after.play(move).outcome]
        assert found.phrase.fields == {"count": len(left)}
