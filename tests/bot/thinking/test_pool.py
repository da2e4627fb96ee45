"""Real workers: what is over its limits is killed, costs one search, and never a match."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from concurrent.futures import Future

import pytest
import pytest_asyncio

from bot.thinking import pool as pooling
from bot.thinking.jobs import Job, job_for
from bot.thinking.pool import Pool
from bot.thinking.ports import SearchFailed
from rules import GAMES
from tests.bot.thinking.faulty import FAULTS, faulty

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


async def test_a_worker_keeps_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "secret")
    code = "import os; from bot.thinking.worker import prepare; prepare(0); print(*sorted(os.environ))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: ASYNC221
    assert "PATH" in done.stdout.split()
    assert "DISCORD_TOKEN" not in done.stdout.split()
