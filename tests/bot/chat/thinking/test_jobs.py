"""Jobs of engines: the queue before the workers, and workers elsewhere."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from redis.asyncio import Redis

from bot.chat.thinking import pool
from bot.chat.thinking.jobs import TIMES, Busy, Job, JobClass, JobQueue, Reply, job_for
from bot.chat.thinking.pool import ALIVE, RemoteSolver, RemoteWorker
from bot.chat.thinking.thinker import SearchFailed
from play.errors import Unavailable
from rules import GAMES
from storage import RedisStore, keys
from storage.redis import jobs
from tests.bot.chat.thinking.workers import Inline
from tests.support.waiting import LIMIT, eventually

# The line before the workers.


async def ask(line: JobQueue, who: str, done: list[str], chat: str | None = None) -> None:
    with line.question(who, chat or who):
        async with line.place(JobClass.ADVICE, who):
            done.append(who)
            await asyncio.sleep(0)


async def play(line: JobQueue, match: str, done: list[str]) -> None:
    async with line.place(JobClass.MOVE, match):
        done.append(match)
        await asyncio.sleep(0)


async def test_matches_do_not_wait_for_advice() -> None:
    line = JobQueue(1)
    done: list[str] = []
    async with line.place(JobClass.MOVE, "busy"):
        tasks = [asyncio.create_task(ask(line, "ann", done))]
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(play(line, "match", done)))
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert done == ["match", "ann"]


async def test_advice_never_has_the_last_place() -> None:
    line = JobQueue(2)
    done: list[str] = []
    async with line.place(JobClass.ADVICE, "ann"):
        waiting = asyncio.create_task(ask(line, "bob", done, "other"))
        await asyncio.sleep(0)
        await play(line, "match", done)
        assert done == ["match"]
        assert line.waiting == 1
    await waiting
    assert done == ["match", "bob"]


async def test_a_person_or_a_chat_that_asks_for_too_much_is_told() -> None:
    line = JobQueue(1, each=3)
    done: list[str] = []
    async with line.place(JobClass.MOVE, "busy"):
        tasks = [asyncio.create_task(ask(line, "ann", done, f"chat{n}")) for n in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(Busy) as told:
            await ask(line, "ann", done, "another")
        assert not told.value.everybody
        tasks += [asyncio.create_task(ask(line, f"guest{n}", done, "hall")) for n in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await ask(line, "guest", done, "hall")
    await asyncio.gather(*tasks)
    await ask(line, "ann", done)
    assert len(done) == 7


async def test_the_line_is_bounded() -> None:
    line = JobQueue(1, most=2)
    done: list[str] = []
    async with line.place(JobClass.MOVE, "busy"):
        tasks = [asyncio.create_task(play(line, f"m{n}", done)) for n in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Busy) as told:
            await play(line, "one more", done)
        assert told.value.everybody
    await asyncio.gather(*tasks)


async def test_a_cancelled_job_leaves_the_queue() -> None:
    line = JobQueue(1)
    done: list[str] = []
    async with line.place(JobClass.MOVE, "busy"):
        leaving = asyncio.create_task(play(line, "leaving", done))
        staying = asyncio.create_task(play(line, "staying", done))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        assert line.waiting == 1
    await staying
    late = asyncio.create_task(play(line, "late", done))
    await late
    assert done == ["staying", "late"]
    assert line.waiting == 0


async def test_a_worker_given_to_a_cancelled_job_is_not_lost() -> None:
    line = JobQueue(1)
    done: list[str] = []
    async with line.place(JobClass.MOVE, "busy"):
        leaving = asyncio.create_task(play(line, "leaving", done))
        await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    await asyncio.wait_for(play(line, "next", done), 1)
    assert done == ["next"]


class Chunks:
    """Searches that go on until they are stopped, or let go."""

    def __init__(self, line: JobQueue) -> None:
        self.line = line
        self.begun: list[str] = []
        self.let_go = asyncio.Event()

    def start(self, what: str, job_class: JobClass) -> asyncio.Task[str]:
        return asyncio.create_task(self.line.run(job_class, what, lambda: self._search(what)))

    async def _search(self, what: str) -> str:
        self.begun.append(what)
        await self.let_go.wait()
        return what


async def ticks() -> None:
    for _ in range(8):
        await asyncio.sleep(0)


async def test_a_move_does_not_wait_for_a_chunk_which_begins_again_after_it() -> None:
    chunks, done = Chunks(JobQueue(1)), list[str]()
    chunk = chunks.start("analysis", JobClass.ANALYSIS)
    await ticks()
    await asyncio.wait_for(play(chunks.line, "match", done), 1)
    assert done == ["match"]
    await ticks()
    assert chunks.begun == ["analysis"] * 2
    chunks.let_go.set()
    assert await chunk == "analysis"
    assert not chunks.line.waiting


async def test_the_least_urgent_chunk_gives_way_and_one_for_each_move() -> None:
    chunks, done = Chunks(JobQueue(3, spare=0)), list[str]()
    searches = [chunks.start(each, each) for each in (JobClass.SYSTEM, JobClass.ANALYSIS, JobClass.ADVICE)]
    await ticks()
    await play(chunks.line, "match", done)
    await ticks()
    assert chunks.begun == ["system", "analysis", "advice", "system"]
    chunks.let_go.set()
    assert await asyncio.gather(*searches) == ["system", "analysis", "advice"]


async def test_what_gave_way_often_goes_on_to_its_end() -> None:
    chunks, done = Chunks(JobQueue(1)), list[str]()
    chunk = chunks.start("analysis", JobClass.ANALYSIS)
    for number in range(TIMES):
        await ticks()
        await asyncio.wait_for(play(chunks.line, str(number), done), 1)
    await ticks()
    late = asyncio.create_task(play(chunks.line, "late", done))
    await ticks()
    assert "late" not in done
    chunks.let_go.set()
    assert await chunk == "analysis"
    await late
    assert chunks.begun == ["analysis"] * (TIMES + 1)


async def test_a_chunk_that_is_cancelled_from_outside_does_not_begin_again() -> None:
    chunks = Chunks(JobQueue(1))
    chunk = chunks.start("analysis", JobClass.ANALYSIS)
    await ticks()
    chunk.cancel()
    await asyncio.gather(chunk, return_exceptions=True)
    assert chunk.cancelled()
    assert chunks.begun == ["analysis"]


GAME = GAMES["breakthrough"]
OPTIONS = GAME.choose({"board": "5x5"})


# Workers elsewhere: jobs are done once, those of a dead worker by another, and by those here while there are
# none.


def job(seed: int = 0) -> Job:
    return job_for(GAME, OPTIONS, GAME.start(OPTIONS), level=1, seed=seed)


@pytest.fixture
def store(redis_client: Redis) -> RedisStore:
    return RedisStore(redis_client, patience=LIMIT)


async def working(store: RedisStore, solver: Inline) -> asyncio.Task[None]:
    """A worker, once it has said that it is there."""
    task = asyncio.create_task(RemoteWorker(store.jobs(), solver, store.now).run())

    async def known() -> bool:
        return bool(await store.jobs().workers("move", await store.now(), ALIVE))

    await eventually(known)
    return task


async def ended(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_a_worker_of_the_version_before_classes_reads_the_job_of_a_move() -> None:
    known = {"game", "options", "position", "level", "seconds", "most", "seed"}
    assert set(json.loads(job().pack())) <= known
    assert Job.unpack(job().pack()) == job()


async def test_each_job_is_done_once_by_one_of_them(store: RedisStore) -> None:
    here, one, other = Inline(), Inline(), Inline()
    tasks = [await working(store, one), await working(store, other)]
    elsewhere = RemoteSolver(store.jobs(), here, store.now, 4)
    replies = await asyncio.gather(*(elsewhere.solve(job(seed), 5) for seed in range(12)))
    await ended(*tasks)
    assert all(reply.lines for reply in replies)
    assert here.asked == []
    assert sorted(each.seed for each in (*one.asked, *other.asked)) == list(range(12))


async def answered_by(store: RedisStore, successor: RedisStore) -> None:
    """A worker takes a job and is killed; then a worker of another store answers it."""
    jobs = store.jobs()
    dead = jobs.new_worker()
    await jobs.beat(dead, await store.now())
    here, alive = Inline(), Inline()
    asking = asyncio.create_task(RemoteSolver(store.jobs(), here, store.now, 4).solve(job(7), 60))

    async def taken() -> bool:
        return bool(await jobs.take(dead, 1))

    await eventually(taken)
    task = await working(successor, alive)
    assert (await asking).lines
    await ended(task)
    assert here.asked == []
    assert [each.seed for each in alive.asked] == [7]


async def test_the_job_of_a_killed_worker_goes_to_one_on_another_machine(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "LEASE", 0.3)
    await answered_by(store, store)


async def test_jobs_that_no_worker_can_do_are_set_aside(store: RedisStore, redis_client: Redis) -> None:
    class Broken(Inline):
        async def solve(self, job: Job, seconds: float) -> Reply:
            await super().solve(job, seconds)
            if job.seed == 1:
                raise KeyError("no such level")
            return await super().solve(job, seconds)

    malformed = await redis_client.xadd(keys.jobs_key("move"), {"id": "x", "job": b"\xff", "for": "soon"})
    here, broken = Inline(), Broken()
    task = await working(store, broken)
    elsewhere = RemoteSolver(store.jobs(), here, store.now, 4)
    with pytest.raises(SearchFailed):
        await elsewhere.solve(job(1), 5)
    assert (await elsewhere.solve(job(2), 5)).lines
    await ended(task)
    assert [each.seed for each in broken.asked][:3] == [1, 1, 1]
    unreadable, failed = await store.aside.all()
    assert (unreadable.stream, unreadable.about, failed.stream) == ("jobs", "x", "jobs")
    assert "Unicode" in unreadable.reason
    assert failed.reason == "KeyError: 'no such level'"
    assert not await redis_client.xrange(keys.jobs_key("move"), malformed, malformed)
    assert await store.aside.replay(failed.id)
    (again,) = await store.jobs().take("another", 2)
    assert Job.unpack(again.text) == job(1)


@pytest.fixture
def long_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test ends in time that waits for the end of a lease."""
    monkeypatch.setattr(jobs, "LEASE", 3600.0)


@pytest.mark.usefixtures("long_leases")
async def test_the_job_of_a_stopped_worker_goes_at_once_to_another(store: RedisStore) -> None:
    stopped, alive = Inline(), Inline()
    stopped.hold = asyncio.Event()
    first, second = await working(store, stopped), await working(store, alive)
    alive.hold = asyncio.Event()
    replies = asyncio.gather(
        *(RemoteSolver(store.jobs(), Inline(), store.now, 4).solve(job(n), 60) for n in range(4))
    )
    await eventually(lambda: len(stopped.asked) + len(alive.asked) == 4)
    await ended(first)
    alive.hold.set()
    assert all(reply.lines for reply in await replies)
    await ended(second)
    assert sorted(each.seed for each in alive.asked) == list(range(4))


async def test_the_job_of_the_last_worker_is_done_here(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "BEAT", 0.0)
    queue, here, later = store.jobs(), Inline(), timedelta()
    await queue.beat("killed", await store.now())

    async def now() -> datetime:
        return await store.now() + later

    asking = asyncio.create_task(RemoteSolver(queue, here, now, 4).solve(job(3), 60))

    async def taken() -> bool:
        return bool(await queue.take("killed", 1))

    await eventually(taken)
    assert here.asked == []
    later = ALIVE + timedelta(seconds=1)
    assert (await asking).lines
    assert [each.seed for each in here.asked] == [3]


async def test_a_worker_that_searches_a_chunk_takes_the_turn_of_a_match(store: RedisStore) -> None:
    solver, here = Inline(), Inline()
    solver.workers, solver.hold = 1, asyncio.Event()
    task = await working(store, solver)
    elsewhere = RemoteSolver(store.jobs(), here, store.now, 4)
    chunks = [replace(job(seed), level=None, job_class=JobClass.ANALYSIS) for seed in range(2)]
    asking = [asyncio.create_task(elsewhere.solve(each, 60)) for each in chunks]
    await solver.begun.wait()
    asking += [asyncio.create_task(elsewhere.solve(job(seed), 60)) for seed in (2, 3)]
    await eventually(lambda: len(solver.asked) == 2)
    assert [each.job_class for each in solver.asked] == [JobClass.ANALYSIS, JobClass.MOVE]
    solver.hold.set()
    assert all(reply.lines for reply in await asyncio.gather(*asking))
    await ended(task)
    assert here.asked == []


async def test_workers_that_are_gone_for_long_are_deleted(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for worker in ("gone", "busy"):
        await store.jobs().put("move", worker, job().pack(), 60.0)
        (leased,) = await store.jobs().take(worker, 1)
        await store.jobs().done(leased, "")
    await store.jobs().put("move", "one", job().pack(), 60.0)
    assert await store.jobs().take("busy", 1)
    monkeypatch.setattr(jobs, "_FORGOTTEN", -1)
    await store.jobs().take("new", 1)
    found = await store.connection.command("XINFO", "CONSUMERS", keys.jobs_key("move"), "workers")
    assert {bytes(each[1]) for each in found} == {b"busy", b"new"}


async def test_a_job_that_was_given_up_is_thrown_away(store: RedisStore) -> None:
    solver = Inline()
    await store.jobs().put("move", "old", job().pack(), 0.0)
    await store.jobs().put("move", "odd", "no job", 9.0)
    task = await working(store, solver)

    async def all_answered() -> bool:
        return None not in [await store.jobs().answer(name) for name in ("odd", "old")]

    await eventually(all_answered)
    await ended(task)
    assert solver.asked == []
    assert not await store.jobs().take("another", 5)


async def test_jobs_of_all_classes_are_taken_and_handed_back_on_a_cluster_too(cluster_client: Any) -> None:
    store = RedisStore(cluster_client, patience=LIMIT)
    queue = store.jobs()
    for job_class in reversed(JobClass):
        await queue.put(job_class, job_class, "{}", 60.0)
    leased = await queue.take("one", 3)
    assert [each.job_class for each in leased] == ["move", "advice", "analysis"]
    await queue.beat("one", await store.now())
    assert [await queue.workers(each, await store.now(), ALIVE) for each in JobClass] == [1, 1, 1, 1]
    before = await store.now() - 2 * ALIVE  # to which the clock was set back
    assert not await queue.workers(JobClass.MOVE, before, ALIVE)
    await queue.leave("one")
    assert [each.job_class for each in await queue.take("other", 5)] == list(JobClass)
    assert (await queue.backlog()).acquired == 4


@pytest.mark.parametrize("call", ["take", "leave", "backlog"])
async def test_a_server_that_lost_its_data_costs_one_call(
    store: RedisStore, redis_client: Redis, call: str
) -> None:
    queue = store.jobs()
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "take": lambda: queue.take("one", 1),
        "leave": lambda: queue.leave("one"),
        "backlog": queue.backlog,
    }
    await queue.put("move", "before", "{}", 60.0)
    await queue.take("one", 1)
    await redis_client.flushall()
    await queue.put("move", "after", "{}", 60.0)
    with pytest.raises(Unavailable):
        await calls[call]()
    await calls[call]()
