"""The native core beside plain Python and the rules: the same reach, the same numbers, the same ends."""

from __future__ import annotations

import itertools
import random

import pytest

from engine.core import Budget, SearchListener
from engine.klopodavka.engine import NativeEngine, PythonEngine, core_module, joined
from engine.klopodavka.evaluation import evaluate, rows, weights
from engine.klopodavka.state import SearchState
from engine.klopodavka.tree import BeamWidths
from rules.klopodavka import KlopodavkaPosition, Move
from tests.engine.klopodavka.kinds import KINDS, games
from tests.engine.klopodavka.test_python import after
from tests.rules.klopodavka.making import start

MODULE = core_module()
LARGE = ("board:20x30 actions:4", "board:26x30 players:10 topology:torus", "board:15x15 players:5")

pytestmark = pytest.mark.skipif(MODULE is None, reason="the native core was not built here")


@pytest.fixture(name="engine")
def native_engine() -> NativeEngine:
    assert MODULE is not None
    return NativeEngine(MODULE)


@pytest.mark.parametrize("kind", [*KINDS, *LARGE])
def test_it_goes_on_as_the_rules_do(engine: NativeEngine, kind: str) -> None:
    for seed in range(2):
        chance = random.Random(f"{kind} {seed}")
        fierce = chance.random()
        here = start(kind)
        core = engine.at(here)
        side = here.ruleset.side
        for _ in range(150):
            if here.outcome:
                break
            legal = here.legal_moves()
            crushes = [move for move in legal if move.crush]
            move: Move = chance.choice(crushes if crushes and chance.random() < fierce else legal)
            here = here.play(move)
            core.act(here.ruleset.board.bits[move.square].bit_length() - 1)
            seat, left, gone, end = core.standing()
            assert (seat, left, gone) == (here.seat, here.plies_left, here.gone)
            if here.outcome is None:
                assert end == 0
            else:
                assert end == (1 + side[here.outcome.winners[0]] if here.outcome.winners else -1)
            assert joined(core.reached()) == here.reached


@pytest.mark.parametrize("kind", [*KINDS, *LARGE])
def test_it_sees_the_numbers_that_python_sees(engine: NativeEngine, kind: str) -> None:
    for here in itertools.islice(games(kind, 1), 0, 150, 3):
        state, core = SearchState.of(here), engine.at(here)
        far = [(joined(touches), joined(ever)) for touches, ever in core.far()]
        assert far == list(zip(state.touches, state.ever, strict=True))
        assert core.rows() == [list(row or ()) for row in rows(state)]
        if here.outcome is None:
            for side in range(len(here.ruleset.sides)):
                assert core.worth(side) == pytest.approx(
                    evaluate(state, side, weights(here.ruleset)), abs=1e-9
                )


@pytest.mark.parametrize("kind", [*KINDS, *LARGE])
def test_its_turns_are_legal_and_python_finds_the_same(engine: NativeEngine, kind: str) -> None:
    plain = PythonEngine()
    for here in itertools.islice(games(kind, 1), 1, 80, 11):
        if here.outcome is None:
            for nodes in (1, 50, 400):
                assert_same(engine, plain, here, nodes)
                after(here, engine.think(here, Budget(nodes=nodes)))


@pytest.mark.parametrize("kind", ["board:6x6", "board:6x6 players:3 actions:2"])
def test_what_is_visited_often_becomes_broader_as_in_python(engine: NativeEngine, kind: str) -> None:
    assert MODULE is not None
    shape = BeamWidths(root=4, reply=1)
    narrow, plain = NativeEngine(MODULE, shape=shape), PythonEngine(shape=shape)
    whole = (here for here in games(kind, 1) if here.plies_left == here.turn_length)
    for here in itertools.islice(whole, 2, 7, 2):
        for most in (1, 3):
            assert_same(narrow, plain, here, 4_000, most)
        few, many = (narrow.search(here, Budget(nodes=nodes), 1, SearchListener()) for nodes in (300, 4_000))
        assert len(few.branches) < len(many.branches)


def assert_same(
    engine: NativeEngine, plain: PythonEngine, here: KlopodavkaPosition, nodes: int, most: int = 1
) -> None:
    """Both find the same turns with the same values, in the same order of worth."""
    mine = engine.search(here, Budget(nodes=nodes), most, SearchListener())
    theirs = plain.search(here, Budget(nodes=nodes), most, SearchListener())
    assert mine.nodes == theirs.nodes <= nodes
    assert {branch.cells for branch in mine.branches} == {branch.cells for branch in theirs.branches}
    best = [branch.value for branch in theirs.branches]
    assert [branch.value for branch in mine.branches] == pytest.approx(best, abs=1e-6)
    assert [branch.sure for branch in mine.branches] == [branch.sure for branch in theirs.branches]


def test_an_error_of_the_listener_comes_through(engine: NativeEngine) -> None:
    class Broken(SearchListener):
        __slots__ = ()

        def stopped(self) -> bool:
            raise RuntimeError("gone")

    with pytest.raises(RuntimeError, match="gone"):
        engine.think(start("board:20x30"), Budget(nodes=10**12), listener=Broken())


def test_what_is_no_position_is_refused(engine: NativeEngine) -> None:
    core = engine.at(start("board:5x5"))
    with pytest.raises(ValueError, match="not reached"):
        core.act(28)
    with pytest.raises(ValueError, match="no position"):
        core.set([[1]], [[0]], 0, 1, 0)
    with pytest.raises(ValueError, match="off the board"):
        core.set([[1, 1, 1], [1]], [[], []], 0, 1, 0)
    assert MODULE is not None
    with pytest.raises(ValueError, match="no such kind"):
        MODULE.Core(5, 5, 3, 2, (False,) * 5, [[1]], [31], [0.0])
