"""Real workers: what is over its limits is killed, costs one search, and never a match."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import suppress

import pytest
import pytest_asyncio

from bot.thinking import Thinker, thinker
from bot.thinking import pool as pooling
from bot.thinking import seats as seating
from bot.thinking.jobs import job_for
from bot.thinking.pool import Pool
from bot.thinking.ports import Failed
from bot.thinking.seats import Seats
from play.errors import WrongPhase
from play.machines import engine
from rules import GAMES
from tests.bot.thinking.faulty import FAULTS, faulty
from tests.bot.world import ANN, ROOM, World

GAME = GAMES["breakthrough"]
OPTIONS = GAME.choose({"board": "5x5"})


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool() -> AsyncIterator[Pool]:
    made = Pool(4, 700, faulty)
    yield made
    await made.close()


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_search_that_something_befalls_fails_and_the_next_one_does_not(
    pool: Pool, fault: str
) -> None:
    job = job_for(GAME, OPTIONS, GAME.start(OPTIONS), level=5, seed=FAULTS.index(fault))
    if fault == "none":
        assert (await pool.solve(job, 10)).lines
    else:
        with pytest.raises(Failed):
            await pool.solve(job, 2.0)
    healthy = job_for(GAME, OPTIONS, GAME.start(OPTIONS), level=1)
    assert (await pool.solve(healthy, 20)).lines


@pytest.mark.slow
async def test_a_worker_that_had_no_memory_left_is_not_asked_again() -> None:
    """There is one worker, so that the next search would be in it."""
    pool = Pool(1, 700, faulty)
    greedy = job_for(GAME, OPTIONS, GAME.start(OPTIONS), level=5, seed=FAULTS.index("memory"))
    healthy = job_for(GAME, OPTIONS, GAME.start(OPTIONS), level=1)
    for _ in range(3):
        with pytest.raises(Failed):
            await pool.solve(greedy, 10)
        assert (await pool.solve(healthy, 20)).lines
    await pool.close()


@pytest.mark.slow
async def test_workers_that_break_down_altogether_are_replaced() -> None:
    pool = Pool(1, 700, faulty)
    job = job_for(GAME, OPTIONS, GAME.start(OPTIONS), level=1)
    assert (await pool.solve(job, 20)).lines
    assert pool._pool is not None
    pool._pool.stop()  # type: ignore[no-untyped-call]
    assert (await pool.solve(job, 20)).lines
    await pool.close()


@pytest.mark.slow
async def test_workers_that_never_answer_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pooling, "OVERDUE", 0.0)
    pool = Pool(1, 700, faulty)
    job = job_for(GAME, OPTIONS, GAME.start(OPTIONS), level=1)
    assert (await pool.solve(job, 20)).lines
    stuck = pool._pool
    assert stuck is not None
    monkeypatch.setattr(stuck, "schedule", lambda *_, **__: Future())
    with pytest.raises(Failed, match="overdue"):
        await pool.solve(job, 0.1)
    assert (await pool.solve(job, 20)).lines
    assert pool._pool is not stuck
    await pool.close()


AT_ONCE = 8


@pytest.mark.slow
@pytest.mark.reliability
async def test_200_faults_and_no_match_stands_still(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every four matches one is over, and one taken back, before the answer comes."""
    monkeypatch.setattr(thinker, "GRACE", 1.0)
    monkeypatch.setattr(seating, "LONGEST", 0.5)
    world = World()
    seats = Seats(world.table, world.store, Thinker(pool), lambda: world.now)

    async def one(number: int) -> float:
        fact = await world.table.challenge(
            ANN, ROOM, "breakthrough", {"board": "5x5"}, at=world.now, opponents=[engine(5)]
        )
        match = (await world.table.move(fact.match.id, ANN.account, "a2-a3", at=world.now)).match
        began = time.monotonic()
        seats.look(match)
        await asyncio.sleep(0.01)
        if number % 4 == 2:
            with suppress(WrongPhase):  # the answer was there already
                await world.table.undo(match.id, ANN.account, at=world.now)
        if number % 4 == 3:
            await world.table.resign(match.id, ANN.account, at=world.now)
        if task := seats._busy.get(match.id):
            await asyncio.wait([task])
        log = (await world.table.get(match.id)).log
        assert len(log) in ((2,), (2,), (0, 2), (1, 2))[number % 4], (number, log)
        return time.monotonic() - began

    slowest = 0.0
    for first in range(0, 200, AT_ONCE):
        slowest = max(slowest, *await asyncio.gather(*map(one, range(first, first + AT_ONCE))))
    await seats.close()
    assert slowest < 30


@pytest.mark.slow
@pytest.mark.reliability
async def test_the_loop_is_not_held_up_by_busy_workers(pool: Pool) -> None:
    loop = asyncio.get_running_loop()
    lags: list[float] = []

    async def watch() -> None:
        while True:
            before = loop.time()
            await asyncio.sleep(0.01)
            lags.append(loop.time() - before - 0.01)

    watching = asyncio.create_task(watch())
    jobs = [job_for(GAME, OPTIONS, GAME.start(OPTIONS), level=1, seed=seed) for seed in range(60)]
    await asyncio.gather(*(pool.solve(job, 60) for job in jobs))
    watching.cancel()
    lags.sort()
    assert lags[int(len(lags) * 0.99)] < 0.05
