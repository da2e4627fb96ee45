"""The benches run from end to end. How fast anything was is nothing for a test."""

from __future__ import annotations

import gc

import pytest
from redis.asyncio import Redis

from bench.__main__ import BENCHES, main
from bench.measure import Budget, Side, interleaved
from bench.trips import Echo, Overheard
from play.facts import Moved
from rules.core import Seat
from storage import RedisStore
from tests.support.browser import executable
from tests.support.matches import running


# OpenSpiel and the libraries for chess boards are not among what tests have.
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in BENCHES if name not in {"perft", "pictures"}])
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
