"""The benches run from end to end. How fast anything was is nothing for a test."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from types import ModuleType

import pytest
from redis.asyncio import Redis

from bench.__main__ import BENCHES, main
from bench.measure import Budget, Goal, Row, Series, Side, interleaved
from bench.table import table
from bench.trips import Echo, Overheard
from play.facts import Moved
from rules.core import Seat
from storage import RedisStore
from tests.support.browser import executable
from tests.support.matches import running


def planted(monkeypatch: pytest.MonkeyPatch, name: str, rows: Sequence[Row] | Exception) -> None:
    def measure(_: Budget) -> Sequence[Row]:
        if isinstance(rows, Exception):
            raise rows
        return rows

    module = ModuleType(f"bench.{name}")
    module.rows = measure  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, f"bench.{name}", module)


def test_a_missed_goal_is_said_and_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = Row("walk", "nodes", Series("ours", (1.0,)), Series("theirs", (1.0,)), goal=Goal(at_least=2))
    planted(monkeypatch, "perft", [row])
    assert main(["perft"]) == 0
    assert "goal >= 2: 1 MISSED" in capsys.readouterr().out


def test_a_bench_that_fails_does_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planted(monkeypatch, "perft", ValueError("other nodes"))
    planted(monkeypatch, "replay", [])
    assert main(["perft", "replay"]) == 1
    shown = capsys.readouterr()
    assert "perft: FAILED" in shown.out
    assert "replay (" in shown.out
    assert "other nodes" in shown.err


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["speed"])
    assert left.value.code == 2
    assert "no such bench: speed" in capsys.readouterr().err


# OpenSpiel and the libraries for chess boards are not among what tests have.
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in BENCHES if name not in {"breakthrough_openspiel", "pictures"}]
)
def test_a_bench_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name == "page_loading":
        executable()
    assert main(["--quick", name]) == 0
    shown = capsys.readouterr().out
    assert f"\n{name} (" in shown
    assert "10%..90%" in shown


def test_sides_take_turns_and_another_one_begins_each_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc, "collect", lambda: None)  # of all that other tests have left it takes seconds
    ran: list[str] = []
    sides = [Side(name, lambda name=name: ran.append(name), 1) for name in "ABC"]  # type: ignore[misc]
    measured = interleaved(sides, Budget(rounds=3, seconds=0, matches=0))
    # Each was run once to warm up and once to be calibrated before the rounds.
    assert "".join(ran) == "AABBCC" + "ABC" + "BCA" + "CAB"
    assert [(one.name, len(one.seconds)) for one in measured] == [("A", 3), ("B", 3), ("C", 3)]
    assert gc.isenabled()


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


async def test_what_was_told_is_told_elsewhere(redis_client: Redis) -> None:
    store = RedisStore(redis_client)
    overheard = Overheard.of(store)
    outgoing = store.outgoing()
    match = running()
    echo = Echo(redis_client)
    await store.matches.commit(Moved(match, Seat.S1, (), True, ()), 0)
    first = await outgoing.read(10)
    await echo.say(overheard.take())
    (stream,) = await redis_client.keys("bare:{*}:out")
    assert await redis_client.xlen(stream) == 1
    await outgoing.done(first)
    await store.matches.commit(Moved(match, Seat.S1, (), True, ()), 1)
    second = await outgoing.read(10)
    assert [len(first), len(second)] == [1, 1]
    await outgoing.done(second)
    await echo.say(overheard.take())
    assert await redis_client.xlen(stream) == 0
