"""The supervisor: a part that fails is started again, alone, with growing pauses."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from bot.app.supervisor import FINISH, STEADY, Part, StopSignal, Supervisor
from bot.chat.receiving import Receiver
from bot.platforms.platform import CannotConnect
from storage.ports import Update
from tests.bot.virtual import VirtualLoop, play
from tests.support.memory import MemoryStore


class Failing:
    """A part that fails after so many seconds of each run; by the loop's clock, when it was started."""

    def __init__(self, lasts: float = 0.0, failure: Exception | None = None) -> None:
        self.lasts = lasts
        self.failure = failure or KeyError("d")
        self.starts: list[float] = []

    async def run(self) -> None:
        self.starts.append(asyncio.get_running_loop().time())
        await asyncio.sleep(self.lasts)
        raise self.failure


def served(seconds: float, *parts: Part) -> None:
    async def main() -> None:
        try:
            async with asyncio.timeout(seconds):
                await Supervisor().run(parts)
        except TimeoutError:
            pass

    play(main())


def test_a_part_is_started_again_with_growing_pauses(caplog: pytest.LogCaptureFixture) -> None:
    failing = Failing()
    served(20, Part("the sender", failing.run, "look at the log"))
    assert [b - a for a, b in pairwise(failing.starts)] == [0.5, 1, 2, 4, 8]
    assert "the sender is started again in 0.5 s; look at the log" in caplog.text


def test_a_part_that_ran_for_long_is_started_again_soon() -> None:
    failing = Failing(lasts=STEADY)
    served(4 * STEADY, Part("the sender", failing.run))
    assert [b - a for a, b in pairwise(failing.starts)] == [STEADY + 0.5] * 3


def test_the_other_parts_go_on() -> None:
    failing, steady = Failing(), Failing(lasts=1000)
    served(100, Part("discord", failing.run), Part("telegram", steady.run))
    assert len(steady.starts) == 1


def test_a_token_rejected_at_the_start_or_of_the_only_platform_ends_the_bot() -> None:
    rejected = CannotConnect("Discord", "DISCORD_TOKEN")
    steady = Failing(lasts=10_000)
    for lasts, needed in ((1, False), (2 * STEADY, True)):
        with pytest.raises(CannotConnect):
            served(1000, Part("discord", Failing(lasts, rejected).run, needed=needed), Part("x", steady.run))


def test_a_token_rejected_later_stops_no_other_platform(caplog: pytest.LogCaptureFixture) -> None:
    failing = Failing(2 * STEADY, CannotConnect("Discord", "DISCORD_TOKEN"))
    served(1000, Part("discord", failing.run, needed=False), Part("telegram", Failing(10_000).run))
    assert len(failing.starts) > 3
    assert "discord cannot run with DISCORD_TOKEN as it is set" in caplog.text


def test_a_receiver_that_runs_again_handles_what_it_had_begun() -> None:
    handled: list[str] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        store = MemoryStore(loop.moment)

        async def handle(update: Update, last: bool) -> None:
            handled.append(update.id)
            if len(handled) == 1:
                await asyncio.Event().wait()

        receiver = Receiver(store.inbox("telegram"), handle)
        await receiver.accept([Update("1", "chat", "ann", b"{}"), Update("2", "chat", "ann", b"{}")])
        for _ in range(2):
            running = asyncio.create_task(receiver.run())
            await asyncio.sleep(1)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        assert not await store.inbox("telegram").backlog()

    play(main())
    assert handled == ["1", "1", "2"]


def stopped(lasts: float, *signals: float) -> tuple[float, list[str]]:
    """Return when a process ends that gets signals at some seconds and needs so long to finish, and what happened to it."""
    seen: list[str] = []

    async def finish() -> None:
        seen.append("finishes")
        await asyncio.sleep(lasts)
        seen.append("finished")

    async def serve() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("closed")

    async def main() -> float:
        loop = asyncio.get_running_loop()

        async def process() -> None:
            stop = StopSignal()
            for at in signals:
                loop.call_later(at, stop)
            await Supervisor().run([Part("the sender", serve)], stop, finish)

        began = loop.time()
        await asyncio.gather(asyncio.create_task(process()), return_exceptions=True)
        return loop.time() - began

    return play(main()), seen


def test_what_was_taken_is_finished_before_all_is_closed() -> None:
    assert stopped(2, 10) == (12, ["finishes", "finished", "closed"])


def test_what_is_not_finished_in_time_is_left_to_others() -> None:
    assert stopped(60, 10) == (10 + FINISH, ["finishes", "closed"])


def test_a_second_signal_ends_it_at_once() -> None:
    assert stopped(60, 10, 11) == (11, ["finishes", "closed"])


def test_a_process_that_serves_nothing_yet_ends_at_the_first_signal() -> None:
    async def main() -> bool:
        async def opening() -> None:
            StopSignal()()
            await asyncio.sleep(60)

        task = asyncio.create_task(opening())
        await asyncio.wait([task])
        return task.cancelled()

    assert play(main())
