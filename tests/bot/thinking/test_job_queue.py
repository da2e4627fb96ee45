"""The line before the workers."""

from __future__ import annotations

import asyncio

import pytest

from bot.thinking.job_queue import Busy, JobQueue
from bot.thinking.jobs import JobClass


async def ask(line: JobQueue, who: str, done: list[str], chat: str | None = None) -> None:
    with line.question(who, chat or who):
        async with line.place(JobClass.ADVICE, who):
            done.append(who)
            await asyncio.sleep(0)


async def play(line: JobQueue, match: str, done: list[str]) -> None:
    async with line.place(JobClass.MOVE, match):
        done.append(match)
        await asyncio.sleep(0)


async def test_who_has_more_waits_until_the_others_have_had_one() -> None:
    line = JobQueue(1, each=100)
    done: list[str] = []
    async with line.place(JobClass.MOVE, "busy"):
        tasks = [asyncio.create_task(ask(line, "ann", done)) for _ in range(50)]
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(ask(line, "bob", done)))
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert done.index("bob") <= 1
    assert done.count("ann") == 50


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
