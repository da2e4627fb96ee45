"""The progress bar of an analysis: at a bounded rate, only on change, on every platform; and what a process that ended left done."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from bot.chat.thinking import Job, Reply, SharedProgress
from bot.chat.thinking.jobs import JobClass, run_job
from bot.chat.thinking.thinker import SearchFailed
from bot.chat.view import Message, Person
from bot.features.analysis import commands
from bot.features.analysis.judging import analysed
from bot.platforms.console.room import Room, Screen
from play.people import Player
from tests.bot.chat.thinking.workers import Inline
from tests.bot.features.puzzles.solving import Asked, over
from tests.bot.world import ANN, BOB, ROOM, World
from tests.support.waiting import eventually, play

EVERY = commands.EVERY


class Slow(Inline):
    """Takes some of the loop's seconds for a chunk, or until something has happened; the first chunk comes at once."""

    def __init__(self, seconds: float = 0.0, until: Callable[[], bool] = lambda: True) -> None:
        super().__init__()
        self.slow = seconds
        self.until = until

    async def solve(self, job: Job, seconds: float) -> Reply:
        if self.asked:
            await asyncio.sleep(self.slow)
            await eventually(self.until)
        return await super().solve(job, seconds)


class Watching(Asked):
    """People at a desk who are shown bars."""

    def __init__(self, solver: Inline, world: World | None = None) -> None:
        super().__init__(solver, world)
        self.bars: list[tuple[float, Player, str]] = []

    async def analyse(self, who: Player, language: str = "en") -> Sequence[Message]:
        async def show(message: Message) -> None:
            assert isinstance(message.to, Person)
            assert message.to.account == who.account
            now = asyncio.get_running_loop().time()
            (text,) = message.view.lines
            self.bars.append((now, who, text))

        visitor = replace(self.world.visitor(who), progress=show, locale=language)
        return await self.desk.answer(visitor, "/analyse")


async def _analysed(seconds: float) -> tuple[list[tuple[float, Player, str]], int]:
    watching = Watching(Slow(seconds))
    await over(watching.world, "breakthrough", {"board": "5x6"}, 4)
    (message,) = await watching.analyse(ANN)
    assert not message.refused
    chunks = sum(job.job_class is JobClass.ANALYSIS for job in watching.solver.asked)
    await watching.thinker.close()
    return watching.bars, chunks


@pytest.mark.parametrize("seconds", [0.5, 2.0, 10.0])
def test_a_bar_is_edited_at_a_bounded_rate_and_only_on_change(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "EVERY", EVERY)
    bars, chunks = play(_analysed(seconds))
    assert chunks > 4
    assert bars
    assert all(later - earlier >= EVERY for (earlier, *_), (later, *_) in pairwise(bars))
    texts = [text for *_, text in bars]
    assert len(set(texts)) == len(texts) <= chunks
    percents = [int(re.findall(r"(\d+)%", text)[0]) for text in texts]
    assert percents == sorted(percents)
    assert percents[-1] < 100


@pytest.mark.parametrize(
    ("language", "said"), [("en", "Analysing"), ("uk", "Аналізую"), ("ru", "Анализирую")]
)
async def test_all_who_wait_see_the_bar_in_their_language(
    language: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "EVERY", 0.01)
    watching = Watching(Slow())
    await over(watching.world, "breakthrough", {"board": "4x5"}, 2)
    seen = lambda: {who for _, who, text in watching.bars if "▓" in text} == {ANN, BOB}  # noqa: E731
    watching.solver.until = seen  # type: ignore[attr-defined]
    await asyncio.gather(watching.analyse(ANN, language), watching.analyse(BOB, language))
    assert all(text.startswith(said) for *_, text in watching.bars)
    asked = [job.position for job in watching.solver.asked if job.job_class is JobClass.ANALYSIS]
    assert len(set(asked)) == len(asked)  # one analysis for both
    await watching.thinker.close()


async def test_a_bar_that_cannot_be_shown_costs_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "EVERY", 0.01)
    tried = asyncio.Event()
    watching = Watching(Slow(until=tried.is_set))
    await over(watching.world, "breakthrough", {"board": "4x5"}, 2)

    async def show(_message: Message) -> None:
        tried.set()
        raise OSError

    visitor = replace(watching.world.visitor(ANN), progress=show)
    (message,) = await watching.desk.answer(visitor, "/analyse")
    assert not message.refused
    await watching.thinker.close()


async def test_the_local_room_prints_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "EVERY", 0.01)
    lines: list[str] = []
    watching = Watching(Slow(until=lambda: any("▓" in line for line in lines)))
    await over(watching.world, "breakthrough", {"board": "4x5"}, 2)
    screen = Screen(lines.append, "emoji")
    room = Room(
        watching.desk, watching.world.store, name=ROOM.place, speaker=ANN, language="en", screen=screen
    )
    await room.answer("/analyse")
    bar = next(number for number, line in enumerate(lines) if "▓" in line)
    assert any("How the match went" in line for line in lines[bar:])
    await watching.thinker.close()


async def test_after_a_process_ended_only_the_chunks_that_were_not_done_are_searched() -> None:
    first = Watching(Inline())
    match = await over(first.world, "breakthrough", {"board": "5x6"}, 4)
    count = itertools.count()
    first.solver.fails = lambda _: next(count) >= 3
    (message,) = await first.analyse(ANN)
    assert message.refused
    await first.thinker.close()
    done = {job.position for job in first.solver.asked[:3]}
    again = Watching(Inline(), first.world)
    (message,) = await again.analyse(ANN)
    assert not message.refused
    chunks = [job for job in again.solver.asked if job.job_class is JobClass.ANALYSIS]
    searched = {position for job in chunks for position in (job.position, *job.after)}
    assert not done & searched
    course = again.world.table.course(match)
    assert len(searched) < len({course.game.notation.format_position(each) for each in course.positions})
    await again.thinker.close()


async def test_late_chunks_of_an_analysis_that_failed_do_not_count() -> None:
    world, counted, late = World(), SharedProgress(), asyncio.Event()
    match = await over(world, "breakthrough", {"board": "5x6"}, 4)
    course = world.table.course(match)
    asked = itertools.count()

    async def failing(job: Job) -> Reply:
        if not next(asked):
            raise SearchFailed
        await late.wait()
        return run_job(replace(job, level=1))

    with pytest.raises(SearchFailed):
        await analysed(match, course, failing, counted)
    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert others

    async def good(job: Job) -> Reply:
        late.set()
        await asyncio.gather(*others)
        return run_job(replace(job, level=1))

    await analysed(match, course, good, counted)
    assert counted.done == counted.parts
