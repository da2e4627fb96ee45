"""Workers elsewhere: jobs are done once, those of a dead worker by another, and by those here while there are none."""

from __future__ import annotations

import asyncio

import pytest
from redis.asyncio import Redis

from bot.thinking.jobs import Job, job_for
from bot.thinking.ports import SearchFailed
from bot.thinking.remote import ALIVE, RemoteSolver, RemoteWorker
from rules import GAMES
from storage import RedisStore
from storage.redis import jobs
from tests.bot.thinking.helpers import Inline
from tests.support.waiting import eventually

GAME = GAMES["breakthrough"]
OPTIONS = GAME.choose({"board": "5x5"})


def job(seed: int = 0) -> Job:
    return job_for(GAME, OPTIONS, GAME.start(OPTIONS), level=1, seed=seed)


@pytest.fixture
def store(redis_client: Redis) -> RedisStore:
    return RedisStore(redis_client)


async def working(store: RedisStore, solver: Inline) -> asyncio.Task[None]:
    """A worker, once it has said that it is there."""
    task = asyncio.create_task(RemoteWorker(store.jobs(), solver, store.now).run())

    async def known() -> bool:
        return bool(await store.jobs().workers(await store.now() - ALIVE))

    await eventually(known)
    return task


async def ended(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_without_workers_elsewhere_those_here_do_it(store: RedisStore) -> None:
    here = Inline()
    elsewhere = RemoteSolver(store.jobs(), here, store.now, 4)
    assert (await elsewhere.solve(job(), 5)).lines
    assert len(here.asked) == 1


async def test_each_job_is_done_once_by_one_of_them(store: RedisStore) -> None:
    here, one, other = Inline(), Inline(), Inline()
    tasks = [await working(store, one), await working(store, other)]
    elsewhere = RemoteSolver(store.jobs(), here, store.now, 4)
    replies = await asyncio.gather(*(elsewhere.solve(job(seed), 5) for seed in range(12)))
    await ended(*tasks)
    assert all(reply.lines for reply in replies)
    assert here.asked == []
    assert sorted(each.seed for each in (*one.asked, *other.asked)) == list(range(12))


async def test_the_job_of_a_dead_worker_goes_to_another(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "LEASE", 0.3)
    dead, alive = Inline(), Inline()
    dead.hold = asyncio.Event()
    first = await working(store, dead)
    asking = asyncio.create_task(RemoteSolver(store.jobs(), Inline(), store.now, 4).solve(job(7), 8))
    await dead.begun.wait()
    await ended(first)
    second = await working(store, alive)
    assert (await asking).lines
    await ended(second)
    assert [each.seed for each in alive.asked] == [7]


async def test_a_job_that_fails_elsewhere_is_told_so(store: RedisStore) -> None:
    broken = Inline()
    broken.fails = lambda _: True
    task = await working(store, broken)
    with pytest.raises(SearchFailed):
        await RemoteSolver(store.jobs(), Inline(), store.now, 4).solve(job(), 5)
    await ended(task)


async def test_a_job_that_was_given_up_is_thrown_away(store: RedisStore) -> None:
    solver = Inline()
    await store.jobs().put("old", job().pack(), 0.0)
    await store.jobs().put("odd", "no job", 9.0)
    task = await working(store, solver)

    async def all_answered() -> bool:
        return None not in [await store.jobs().answer(name) for name in ("odd", "old")]

    await eventually(all_answered)
    await ended(task)
    assert solver.asked == []
    assert not await store.jobs().take("another", 5)
