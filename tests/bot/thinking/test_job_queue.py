"""The line before the workers."""

from __future__ import annotations

import asyncio

import pytest

from bot.chat.thinking.jobs import TIMES, Busy, JobClass, JobQueue


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


async def test_a_hint_is_not_stopped_and_a_move_waits_for_no_other() -> None:
    chunks, done = Chunks(JobQueue(1)), list[str]()
    hint = chunks.start("hint", JobClass.ADVICE)
    await ticks()
    move = asyncio.create_task(play(chunks.line, "match", done))
    await ticks()
    assert not done
    chunks.let_go.set()
    await asyncio.gather(hint, move)
    assert chunks.begun == ["hint"]


async def test_a_chunk_that_is_cancelled_from_outside_does_not_begin_again() -> None:
    chunks = Chunks(JobQueue(1))
    chunk = chunks.start("analysis", JobClass.ANALYSIS)
    await ticks()
    chunk.cancel()
    await asyncio.gather(chunk, return_exceptions=True)
    assert chunk.cancelled()
    assert chunks.begun == ["analysis"]
