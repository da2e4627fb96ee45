from __future__ import annotations

import gc
from datetime import UTC, datetime

import pytest

from bench.measure import Budget, Goal, Row, Series, Side, interleaved
from bench.table import head, load, table


def series(*seconds: float) -> Series:
    return Series("some", seconds)


def test_sides_take_turns_and_another_one_begins_each_round() -> None:
    ran: list[str] = []
    sides = [Side(name, lambda name=name: ran.append(name), 1) for name in "ABC"]  # type: ignore[misc]
    measured = interleaved(sides, Budget(rounds=3, seconds=0, matches=0))
    # Each was run once to warm up and once to be calibrated before the rounds.
    assert "".join(ran) == "AABBCC" + "ABC" + "BCA" + "CAB"
    assert [(one.name, len(one.seconds)) for one in measured] == [("A", 3), ("B", 3), ("C", 3)]
    assert gc.isenabled()


def test_a_sample_has_as_many_calls_as_fill_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call takes a microsecond on a clock that only calls move."""
    calls = 0

    def work() -> None:
        nonlocal calls
        calls += 1

    monkeypatch.setattr("bench.measure.perf_counter", lambda: calls * 1e-6)

    (measured,) = interleaved([Side("work", work, units=10)], Budget(rounds=2, seconds=0.001, matches=0))
    assert calls > 3000
    assert measured.seconds == pytest.approx((1e-7, 1e-7))


def test_ratios_are_of_pairs() -> None:
    ours, peer = series(1, 2, 10), series(4, 6, 10)
    assert Row("", "ply", ours, peer).ratios == (4, 3, 1)
    assert Row("", "ply", ours, peer).ratio == 3
    assert Row("", "ply", ours, peer, cost=True).ratios == (1 / 4, 1 / 3, 1)


def test_what_lies_far_out_is_no_part_of_the_spread() -> None:
    row = Row("", "ply", series(*[1.0] * 20), series(*[2.0] * 19, 90.0))
    assert list(row.spread) == [2, 2]
    assert list(Row("", "ply", series(1), series(3)).spread) == [3, 3]


def test_a_percentile_needs_enough_samples() -> None:
    few, many = series(*[1.0] * 99), series(*[1.0] * 197, *[5.0] * 3)
    assert few.p99 is None
    assert many.p99 == pytest.approx(5)


@pytest.mark.parametrize(
    ("goal", "ratio", "verdict"),
    [
        (Goal(at_least=2), 3.4, "goal >= 2: 3.4 met"),
        (Goal(at_least=2), 2.0, "goal >= 2: 2 met"),
        (Goal(at_least=12.5), 12.46, "goal >= 12.5: 12.46 MISSED"),
        (Goal(below=3), 1.7, "goal < 3: 1.7 met"),
        (Goal(below=3), 3.0, "goal < 3: 3 MISSED"),
    ],
)
def test_a_goal_says_whether_it_is_met(goal: Goal, ratio: float, verdict: str) -> None:
    assert goal.verdict(ratio) == verdict


def test_the_table_shows_rates_and_times() -> None:
    fast = Row("walk", "nodes", Series("ours", (2e-8, 1e-8, 2e-8)), Series("theirs", (4e-8,) * 3))
    slow = Row(
        "move", "move", Series("whole", (0.002,) * 100), Series("bare", (0.001,) * 100), cost=True, rate=False,
        goal=Goal(below=3),
    )  # fmt: skip
    shown = list(table([fast, slow]))
    assert [" ".join(line.split()) for line in shown] == [
        "what measured median best p99 beside median best p99 ratio 10%..90% goal",
        "walk ours 50 M nodes/s 100 M nodes/s theirs 25 M nodes/s 25 M nodes/s 2 2..3.6",
        "move whole 2 ms/move 2 ms/move 2 ms/move bare 1 ms/move 1 ms/move 1 ms/move 2 2..2 goal < 3: 2 met",
    ]
    assert shown[1].index("theirs") == shown[2].index("bare")


def test_the_head_names_the_time_and_the_versions() -> None:
    first, second = head(datetime(2026, 5, 4, 3, 2, tzinfo=UTC))
    assert first.startswith("2026-05-04 03:02 UTC, ")
    assert "cores" in first
    assert "CPython 3." in second
    assert "msgspec 0." in second


@pytest.mark.parametrize(
    ("cores", "wanted", "said"),
    [
        (2, 1.2, "load 1.2"),
        (2, 1.9, "load 1.9: BUSY, so the ratios mislead"),
        (8, 4.0, "load 4.0"),
        (1, 1.3, "load 1.3"),
    ],
)
def test_a_busy_machine_is_told(
    monkeypatch: pytest.MonkeyPatch, cores: int, wanted: float, said: str
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    monkeypatch.setattr("os.getloadavg", lambda: (wanted, 0.0, 0.0))
    assert load() == said


def test_a_goal_for_the_tail_is_held_against_the_slowest_of_100() -> None:
    some = Series("", (1.0,) * 97 + (9.0,) * 3)
    wanted = Series("", (2.0,) * 100)
    row = Row("", "press", some, wanted, cost=True, goal=Goal(below=1), tail=True)
    assert (row.ratio, row.judged) == (0.5, 4.5)
    assert "MISSED" in "".join(table([row]))
    assert Row("", "press", series(1, 3), series(2, 2), cost=True, tail=True).judged == 1.5
