"""Real workers: what is over its limits is killed, costs one search, and never a match."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from bot.app.supervisor import Part, Supervisor
from bot.chat.thinking import Thinker
from bot.chat.thinking import pool as pooling
from bot.chat.thinking.jobs import Job, JobClass, Reply, job_for
from bot.chat.thinking.pool import REMEDY, Pool
from bot.chat.thinking.thinker import SearchFailed
from rules import GAMES
from tests.bot.chat.thinking.workers import FAULTS, faulty
from tests.support.waiting import LIMIT, eventually

GAME = GAMES["breakthrough"]
OPTIONS = GAME.choose({"board": "5x5"})
HEALTHY = job_for(GAME, OPTIONS, GAME.start(OPTIONS), level=1)


def ill(fault: str) -> Job:
    """A job whose worker the fault befalls."""
    return job_for(GAME, OPTIONS, GAME.start(OPTIONS), level=5, seed=FAULTS.index(fault))


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
    job = ill(fault)
    if fault == "none":
        assert (await pool.solve(job, 10)).lines
    else:
        with pytest.raises(SearchFailed):
            await pool.solve(job, 2.0)
    assert (await pool.solve(HEALTHY, 20)).lines


@pytest.mark.slow
async def test_a_worker_that_had_no_memory_left_is_not_asked_again() -> None:
    """There is one worker, so that the next search would be in it."""
    pool = Pool(1, 700, faulty)
    for _ in range(3):
        with pytest.raises(SearchFailed):
            await pool.solve(ill("memory"), 10)
        assert (await pool.solve(HEALTHY, 20)).lines
    await pool.close()


@pytest.mark.slow
async def test_workers_that_break_down_altogether_are_replaced() -> None:
    pool = Pool(1, 700, faulty)
    assert (await pool.solve(HEALTHY, 20)).lines
    assert pool._pool is not None
    pool._pool.stop()  # type: ignore[no-untyped-call]
    assert (await pool.solve(HEALTHY, 20)).lines
    await pool.close()


@pytest.mark.slow
async def test_workers_that_never_answer_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pooling, "OVERDUE", 0.0)
    pool = Pool(1, 700, faulty)
    assert (await pool.solve(HEALTHY, 20)).lines
    stuck = pool._pool
    assert stuck is not None
    monkeypatch.setattr(stuck, "schedule", lambda *_, **__: Future())
    with pytest.raises(SearchFailed, match="overdue"):
        await pool.solve(HEALTHY, 0.1)
    assert (await pool.solve(HEALTHY, 20)).lines
    assert pool._pool is not stuck
    await pool.close()


def held_once(text: str, _seconds: float) -> str:
    """Answer, but the first time for a position write the process id and wait to be killed."""
    job = Job.unpack(text)
    told = Path(job.options[0][1])
    if job.level == 5 and not told.exists():
        told.with_suffix(".new").write_text(str(os.getpid()))
        told.with_suffix(".new").rename(told)
        while True:
            time.sleep(3600)
    return Reply("", "", os.getpid(), ()).pack()


@pytest.mark.slow
async def test_a_search_whose_worker_is_killed_is_made_again_and_no_other_is_disturbed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pool = Pool(2, 700, held_once)
    thinker = Thinker(pool)
    running = asyncio.create_task(Supervisor().run([Part("the worker pool", pool.run, REMEDY)]))
    told = tmp_path / "pid"
    jobs = [Job("", (("told", str(told)),), "", level, seconds=60) for level in (5, 1)]
    first = asyncio.create_task(thinker.turn(jobs[0], "match"))
    await eventually(told.exists)
    killed = int(told.read_text())
    beside, processes = await thinker.turn(jobs[1], "another"), pool._pool
    os.kill(killed, signal.SIGKILL)
    assert (await first).nodes not in (0, killed)
    assert pool._pool is processes  # not replaced altogether, and the other worker lives:
    os.kill(beside.nodes, 0)
    assert "a worker has ended" in caplog.text
    assert REMEDY in caplog.text
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await thinker.close()


@pytest.mark.slow
async def test_workers_that_break_down_altogether_are_started_again_by_the_supervisor(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pool, pauses = Pool(1, 700, faulty), list[float]()

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await asyncio.sleep(0)

    running = asyncio.create_task(Supervisor(sleep).run([Part("the worker pool", pool.run, REMEDY)]))
    assert (await pool.solve(HEALTHY, 20)).lines
    assert pool._pool is not None
    pool._pool.stop()  # type: ignore[no-untyped-call]
    assert (await pool.solve(HEALTHY, 20)).lines
    assert pauses == [0.5]
    assert f"the worker pool is started again in 0.5 s; {REMEDY}" in caplog.text
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await pool.close()


@pytest.mark.slow
async def test_the_turn_of_a_match_stops_a_chunk_whose_worker_lives_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pooling, "STOPS", LIMIT)  # nor does a loaded machine have it killed
    pool = Pool(1)
    await pool.solve(HEALTHY, LIMIT)
    assert pool._pool is not None
    (worker,) = pool._pool._pool_manager.worker_manager.workers
    long = replace(job_for(GAME, OPTIONS, GAME.start(OPTIONS), seconds=LIMIT), job_class=JobClass.ANALYSIS)
    chunk = asyncio.create_task(pool.solve(long, 2 * LIMIT))
    await eventually(lambda: pool._queue.by_class()["analysis"].taken)
    assert (await pool.solve(HEALTHY, LIMIT)).lines
    assert [*pool._pool._pool_manager.worker_manager.workers] == [worker]
    assert not chunk.done()
    chunk.cancel()
    await asyncio.gather(chunk, return_exceptions=True)
    assert chunk.cancelled()
    assert (await pool.solve(HEALTHY, LIMIT)).lines
    assert [*pool._pool._pool_manager.worker_manager.workers] == [worker]
    await pool.close()


async def test_a_worker_keeps_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "secret")
    code = "import os; from bot.chat.thinking.worker import prepare; prepare(0); print(*sorted(os.environ))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: ASYNC221
    assert "PATH" in done.stdout.split()
    assert "DISCORD_TOKEN" not in done.stdout.split()
