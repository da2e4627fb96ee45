"""What a search may use."""

from __future__ import annotations

import pytest

from engine.core import EVERY, Budget, BudgetExhausted, Meter, SearchListener


class Hand:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def count(meter: Meter, nodes: int) -> None:
    for _ in range(nodes):
        meter.tick()


def test_a_budget_has_a_limit() -> None:
    with pytest.raises(ValueError, match="without a limit"):
        Budget()
    for wrong in ({"seconds": 0.0}, {"nodes": 0}, {"depth": -1}):
        with pytest.raises(ValueError, match="nothing"):
            Budget(**wrong)


def test_nodes_are_counted_to_the_last() -> None:
    meter = Meter(Budget(nodes=3))
    for _ in range(3):
        meter.tick()
    assert meter.nodes_left == 0
    with pytest.raises(BudgetExhausted):
        meter.tick()
    assert meter.nodes == 3


def test_time_is_looked_at_now_and_then() -> None:
    clock = Hand()
    meter = Meter(Budget(seconds=2.0), clock)
    clock.now += 1.5
    count(meter, EVERY)
    assert meter.left == 0.5
    clock.now += 0.5
    with pytest.raises(BudgetExhausted):
        count(meter, EVERY)


def test_nodes_alone_never_ask_for_the_time() -> None:
    clock = Hand()
    meter = Meter(Budget(nodes=1000), clock)
    clock.now += 1e9
    count(meter, 1000)


def test_the_listener_can_stop_it() -> None:
    class Impatient(SearchListener):
        def stopped(self) -> bool:
            return True

    meter = Meter(Budget(nodes=1000), listener=Impatient())
    with pytest.raises(BudgetExhausted):
        count(meter, EVERY)
