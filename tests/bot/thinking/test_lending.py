"""Computers that are lent, and what people see of them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot import command_line
from bot.analysis import progress
from bot.i18n import words
from bot.on_console.room import Room, Screen
from bot.thinking import Thinker, job_server, remote
from bot.thinking.job_queue import JobQueue
from bot.thinking.jobs import JobClass
from bot.thinking.lending import FACTOR, FIRST, LONGEST, CannotLend, LendingFailure, LentWorker
from bot.thinking.remote import RemoteSolver
from storage import keys
from storage.redis import jobs as redis_jobs
from tests.bot.analysis.test_analysis import over
from tests.bot.analysis.test_progress import Slow, Watching
from tests.bot.process import command, environment
from tests.bot.thinking.helpers import Inline
from tests.bot.thinking.job_server_bot import Bot, job
from tests.bot.world import ANN, ROOM
from tests.support.waiting import LIMIT, eventually


class Lent:
    """A lent computer, whose pauses take no time."""

    def __init__(self, bot: Bot, name: str, pool: Inline | None = None) -> None:
        bot.bucket.now, job_server.WAIT = None, 1.0  # type: ignore[misc]
        self.pool = pool or Inline()
        self.pauses: list[float] = []
        self.worker = LentWorker(bot.url, bot.keys[name], self.pool, sleep=self._sleep)
        self.task = asyncio.create_task(self.worker.run())

    async def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await asyncio.sleep(0.01)

    async def stop(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


async def _is_there(bot: Bot) -> bool:
    return bool(await bot.jobs.workers("analysis", await bot.store.now(), remote.ALIVE))


async def test_a_stopped_computer_gives_its_jobs_back(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_jobs, "LEASE", LIMIT)  # no lease ends in time
    stopped = Lent(bot, "ann")
    stopped.pool.hold = asyncio.Event()
    await eventually(lambda: _is_there(bot))
    here = Inline()
    asking = asyncio.create_task(RemoteSolver(bot.store.jobs(), here, bot.store.now, 4).solve(job(3), 60))
    await stopped.pool.begun.wait()
    other = Lent(bot, "bob")
    await stopped.stop()
    assert (await asking).lines
    await other.stop()
    assert here.asked == []
    assert [each.seed for each in other.pool.asked] == [3]


async def test_a_search_that_fails_is_given_back(bot: Bot) -> None:
    broken = Lent(bot, "ann")
    broken.pool.fails = lambda _: True
    await bot.put("one")
    await broken.pool.begun.wait()
    await eventually(lambda: broken.pauses)
    await broken.stop()
    await bot.given("bob")


async def test_a_computer_drops_a_job_that_another_one_has(bot: Bot) -> None:
    slow = Lent(bot, "ann")
    slow.pool.hold = asyncio.Event()
    await bot.put("one")
    await slow.pool.begun.wait()
    (entry,) = await bot.store.connection.command("XRANGE", keys.jobs_key("analysis"), "-", "+")
    await bot.store.connection.command(
        "XCLAIM", keys.jobs_key("analysis"), "workers", "lent:bob", 0, entry[0], "JUSTID"
    )
    slow.pool.begun.clear()
    await bot.put("two")
    await slow.pool.begun.wait()
    await slow.stop()
    assert len(slow.pool.asked) == 2


async def test_a_key_that_is_refused_ends_the_computers_work(bot: Bot) -> None:
    lent = Lent(bot, "ann")
    await eventually(lambda: _is_there(bot))
    bot.file.write_text("")
    with pytest.raises(CannotLend) as refused:
        await lent.task
    assert refused.value.reason is LendingFailure.WRONG_KEY


async def test_another_protocol_ends_the_computers_work(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_server, "PROTOCOL", 2)
    with pytest.raises(CannotLend) as refused:
        await Lent(bot, "ann").task
    assert refused.value.reason is LendingFailure.TOO_OLD


@pytest.mark.parametrize("url", ["http://klop.example", "klop.example", "ftp://localhost", "https://", ""])
def test_a_key_travels_over_https_only(url: str) -> None:
    with pytest.raises(CannotLend) as refused:
        LentWorker(url, "key", Inline())
    assert refused.value.reason is LendingFailure.NOT_HTTPS


async def test_pauses_after_errors_grow_at_random_and_keep_what_the_server_asks_for() -> None:
    answers = iter([503, 502, 404, 200, 500, 503, 503, 429])

    async def status(_request: web.Request) -> web.Response:
        status = next(answers, 401)
        return web.Response(
            status=status, text="<html>", headers={"Retry-After": "77"} if status == 429 else {}
        )

    app = web.Application()
    app.router.add_get("/jobs/status", status)
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    async with TestServer(app) as server:
        worker = LentWorker(str(server.make_url("")), "key", Inline(), sleep=sleep)
        with pytest.raises(CannotLend):
            await worker.run()
    bounds = [min(LONGEST, FIRST * FACTOR**number) for number in range(7)]
    assert len(pauses) == 8
    assert all(0 <= pause <= bound for pause, bound in zip(pauses, bounds, strict=False))
    assert pauses[-1] == 77


async def test_the_key_is_sent_where_netrc_names_the_host_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("default login ann password other\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    sent: list[str] = []

    async def status(request: web.Request) -> web.Response:
        sent.append(request.headers["Authorization"])
        return web.Response(status=401)

    app = web.Application()
    app.router.add_get("/jobs/status", status)
    async with TestServer(app) as server:
        with pytest.raises(CannotLend):
            await LentWorker(str(server.make_url("")), "key", Inline()).run()
    assert sent == ["Bearer key"]


async def test_the_command_gives_its_job_back_at_sigterm(
    bot: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive = asyncio.Event()
    renew = redis_jobs.RedisJobs.renew

    async def renewed(*lease: Any) -> None:
        alive.set()
        await renew(*lease)

    monkeypatch.setattr(redis_jobs.RedisJobs, "renew", renewed)
    bot.bucket.now, job_server.WAIT = None, 1.0  # type: ignore[misc]
    settings = environment(KLOP_LEND_KEY=bot.keys["ann"], KLOP_WORKERS="1")
    lend = await asyncio.create_subprocess_exec(
        *command(tmp_path, "lend", bot.url),
        cwd=tmp_path,
        env=settings,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    await bot.put("one", replace(job(), seconds=LIMIT))
    # The job is held before it has arrived: once its lease is renewed it is certainly there.
    await asyncio.wait_for(alive.wait(), LIMIT)
    lend.terminate()
    said = b"".join(await lend.communicate())
    assert lend.returncode == 0, said
    assert said.decode().strip() == words("en").count(
        "bot.lend.begun", 1, url=bot.url, classes="advice, analysis"
    )
    await bot.given("bob")


@pytest.mark.parametrize(
    ("settings", "url", "key"),
    [
        ({}, "https://klop.test", "bot.lend.no-key"),
        ({"KLOP_LEND_KEY": "x"}, "http://klop.test", "bot.lend.not-https"),
    ],
)
def test_the_command_says_what_keeps_it_from_lending(
    settings: dict[str, str],
    url: str,
    key: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("KLOP_LEND_KEY", raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert command_line.run(["lend", url]) == 2
    assert words("en")(key, url=url) in capsys.readouterr().err


# --- a story


async def test_ann_has_a_match_analysed_on_a_friends_computer_and_watches_the_bar(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.01)
    lines: list[str] = []
    here = Inline()
    friend = Lent(bot, "bob", Slow(until=lambda: any("▓" in line for line in lines)))
    await eventually(lambda: _is_there(bot))
    watching = Watching(here)
    remote = RemoteSolver(bot.store.jobs(), here, bot.store.now, 2)
    thinker = Thinker(remote, JobQueue(2))
    watching.desk._resources = replace(watching.desk._resources, thinker=thinker)
    await over(watching.world, "breakthrough", {"board": "4x5"}, 2)
    screen = Screen(lines.append, "emoji")
    room = Room(
        watching.desk, watching.world.store, name=ROOM.place, speaker=ANN, language="en", screen=screen
    )
    await room.hear("ann: /analyse")
    assert any("How the match went" in line for line in lines)
    assert next(n for n, line in enumerate(lines) if "▓" in line) < len(lines) - 1
    analysed = [each for each in friend.pool.asked if each.job_class is JobClass.ANALYSIS]
    assert len(analysed) > 1
    assert not any(each.job_class is JobClass.ANALYSIS for each in here.asked)
    await friend.stop()
    await thinker.close()
