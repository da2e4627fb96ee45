"""On 8x8, a win that can be forced within five plies is always found, within the nodes of a second at most."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import pytest

from engine.breakthrough.engine_base import NativeEngine, available
from engine.breakthrough.python_engine import PythonEngine
from engine.core import Budget, Engine, GameValue
from rules.breakthrough import BreakthroughPosition, Move
from tests.engine.breakthrough.forcing import forced, keeps, positions

MADE = {"python": PythonEngine, "native": NativeEngine}
NODES = {"python": 50_000, "native": 1_000_000}
KINDS = ["python", *(["native"] if available() else [])]


def won(seed: int) -> Iterator[BreakthroughPosition]:
    """Positions in which the end can be forced in three plies or in five, and not at once."""
    for here in positions(seed):
        if (plies := forced(here, 5)) is not None and plies > 1:
            yield here


def missed(engine: Engine[BreakthroughPosition, Move], here: BreakthroughPosition, nodes: int) -> str | None:
    """What is wrong with its answer; None if it forces the end within five plies and says so."""
    result = engine.think(here, Budget(nodes=nodes))
    if result.proof is None or result.proof.result is not GameValue.WIN:
        return f"{engine.name} proves nothing: {here}"
    if result.proof.plies > 5 or not keeps(here, result.turn[0], 5):
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
