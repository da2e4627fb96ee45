"""Breakthrough's rival in the bench plays by the rules, keeps to its nodes, and sees what is near: it is no straw man."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from bench.breakthrough_engines import RivalPlayer
from engine.build import Unbuilt, compiler
from engine.core import Budget
from rules.breakthrough import BreakthroughPosition
from tests.engine.breakthrough.forcing import forced, keeps, positions
from tests.engine.breakthrough.kinds import games


def rivals(nodes: int) -> Iterator[RivalPlayer]:
    """One with so many nodes a move; none without a compiler."""
    try:
        compiler()
    except Unbuilt:
        return
    yield RivalPlayer(Budget(nodes=nodes))


def test_moves_are_legal_and_nodes_bounded() -> None:
    for rival in rivals(500):
        for here in islice(games("8x8", "classic", 3), 0, None, 3):
            move, nodes = rival.move([here], [])
            assert move in here.legal_moves()
            assert nodes <= 510  # it looks a few times more on its way out


def test_near_wins_are_found() -> None:
    def won() -> Iterator[BreakthroughPosition]:
        return (here for here in positions(5) if forced(here, 3))

    for rival in rivals(20_000):
        for here in islice(won(), 30):
            move, _ = rival.move([here], [])
            assert keeps(here, move, 3), here
