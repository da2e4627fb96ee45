"""Health: what makes a process ready, and what systemd and Prometheus are told."""

from __future__ import annotations

import asyncio
import json
import math
import re
import signal
import socket
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from aiohttp import ClientError, ClientSession
from aiohttp.test_utils import make_mocked_request
from prometheus_client.parser import text_string_to_metric_families

from bot.app.health import (
    ANNOUNCED_WITHIN,
    PLATFORM_WITHIN,
    Check,
    Checks,
    HealthServer,
    LoopMonitor,
    Notifier,
)
from bot.chat import metrics
from bot.chat.i18n.catalogue import ROOT
from bot.chat.metrics import Histogram
from bot.chat.thinking.jobs import JobClass, JobQueue
from bot.platforms.discord.client import PRIVATE
from bot.platforms.discord.followups import route
from bot.platforms.platform import Platform
from bot.platforms.telegram.request import _route, _seconds
from bot.version import VERSION
from play.ports import Timer
from storage import keys
from storage.redis.jobs import Backlog
from storage.redis.store import RedisStore
from storage.redis.upkeep import GLANCED, RedisFigures
from tests.bot.process import command, environment
from tests.platforms.discord.rest import TOKEN as DISCORD_TOKEN
from tests.platforms.telegram.server import TOKEN as TELEGRAM_TOKEN
from tests.reliability.chats import PLATFORMS, Chat, Telegram
from tests.reliability.processes import BotProcess
from tests.support.matches import OPENED, ids, lobby, over, running
from tests.support.servers import free_port, redis_server
from tests.support.stores import put
from tests.support.waiting import LIMIT, eventually


class _Silent:
    """A platform that was last heard some seconds ago."""

    name = "Discord"

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def silence(self) -> Mapping[str, float]:
        return {"0": self.seconds}


def checks(client: Any, *silences: float, announces: bool = True) -> Checks:
    platforms = [cast("Platform", _Silent(seconds)) for seconds in silences]
    return Checks(RedisFigures(RedisStore(client, patience=LIMIT).connection), platforms, announces=announces)


@pytest.mark.parametrize(
    ("silence", "ready"),
    [(0.0, True), (PLATFORM_WITHIN - 1, True), (PLATFORM_WITHIN + 1, False), (math.inf, False)],
)
async def test_a_platform_that_is_not_heard_makes_a_process_unready(
    redis_client: Any, silence: float, ready: bool
) -> None:
    found = await checks(redis_client, 1.0, silence).ready()
    assert all(check.well for check in found) is ready


@pytest.mark.parametrize("announces", [True, False])
async def test_what_waits_long_to_be_announced_makes_its_announcers_unready(
    redis_client: Any, announces: bool
) -> None:
    ready = checks(redis_client, announces=announces).ready
    store = RedisStore(redis_client, patience=LIMIT)
    now = round((await store.now()).timestamp() * 1000)
    await redis_client.xadd(keys.OUT.stream(3), {"f": "fact"}, id=f"{now - 1000}-0")
    assert all(check.well for check in await ready())
    await redis_client.xadd(keys.OUT.stream(5), {"f": "fact"}, id=f"{now - round(ANNOUNCED_WITHIN * 2000)}-0")
    assert all(check.well for check in await ready()) is not announces


async def test_a_store_that_takes_no_writes_makes_a_process_unready(redis_client: Any) -> None:
    words = "OOM command not allowed when used memory > 'maxmemory'."
    await redis_client.config_set("maxmemory", 1)
    try:
        found, *_ = await checks(redis_client).ready()
    finally:
        await redis_client.config_set("maxmemory", 0)
    assert found == Check(False, f"store: takes no writes: {words}")
    found, *_ = await checks(redis_client).ready()
    assert found == Check(True, "store: answers")


async def test_a_fact_that_is_dated_later_than_now_waits_since_it_was_seen(
    redis_client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, ready = asyncio.get_running_loop(), checks(redis_client, announces=True).ready
    began, passed = loop.time(), 0.0
    monkeypatch.setattr(loop, "time", lambda: began + passed)
    now = round((await RedisStore(redis_client, patience=LIMIT).now()).timestamp() * 1000)
    await redis_client.xadd(keys.OUT.stream(3), {"f": "fact"}, id=f"{now + 86_400_000}-0")
    assert all(check.well for check in await ready())
    passed = ANNOUNCED_WITHIN + 1
    assert not all(check.well for check in await ready())
    await redis_client.delete(keys.OUT.stream(3))
    assert all(check.well for check in await ready())


async def test_what_waits_is_counted(redis_client: Any) -> None:
    store = RedisStore(redis_client, patience=LIMIT)
    jobs, figures = store.jobs(), RedisFigures(store.connection)
    empty = await figures.read()
    assert (empty.facts, empty.jobs) == (0, Backlog())
    for job_class, job in (("move", "a"), ("analysis", "b"), ("analysis", "c")):
        await jobs.put(job_class, job, "{}", 5)
    assert (await figures.read()).jobs.acquired == 0
    await jobs.take("worker", 2)
    found = await figures.read()
    assert (found.jobs.queued, found.jobs.acquired) == (1, 2)
    assert found.jobs.oldest >= 0


async def test_matches_that_are_not_over_are_counted_by_game_and_state(redis_client: Any) -> None:
    store = RedisStore(redis_client, patience=LIMIT)
    figures = RedisFigures(store.connection)
    assert await figures.live() == {}
    soon = [Timer("inactive", OPENED + timedelta(days=3))]
    one, other, paused, ended, many = ids(5)
    await put(store, lobby(one), 0, timers=soon)
    await put(store, running(other), 0, timers=soon)
    await put(store, replace(running(paused), paused=OPENED), 0, timers=soon)
    await put(store, over(ended), 0)
    game = running().game
    there = {(lobby().game, "open"): 1, (game, "playing"): 1, (game, "paused"): 1}
    assert await figures.live() == there
    for match_id in [each for each in ids(GLANCED * keys.TAGS * 4) if keys.tag_of(each) == keys.tag_of(many)][
        : GLANCED * 3
    ]:
        await put(store, running(match_id), 0, timers=soon)
    found = await figures.live()
    assert sum(found.values()) == pytest.approx(3 + GLANCED * 3, abs=2)
    assert found.keys() == there.keys()


async def test_a_loop_that_stood_still_is_not_well() -> None:
    pulse = LoopMonitor(sleep=lambda _: asyncio.sleep(0))
    running = asyncio.create_task(pulse.run())
    for _ in range(3):
        await asyncio.sleep(0)
    assert pulse.check().well
    running.cancel()
    pulse._last -= 10
    assert not pulse.check().well


class _Unasked:
    async def ready(self) -> list[Check]:
        return [Check(True, "store: answers"), Check(False, "Discord 0: heard 91 s ago")]


async def test_without_the_library_there_are_probes_and_no_figures() -> None:
    server = HealthServer(LoopMonitor(), cast("Checks", _Unasked()), cast("Any", None), None)
    request = make_mocked_request("GET", "/")
    answers = [await ask(request) for ask in (server._alive, server._ready, server._metrics)]
    assert [answer.status for answer in answers] == [200, 503, 501]
    said = answers[1].text or ""
    assert said.splitlines()[1:] == ["ok store: answers", "!! Discord 0: heard 91 s ago"]
    assert "klop[metrics]" in (answers[2].text or "")


async def test_systemd_is_told_of_the_start_of_each_half_period_and_of_the_end(tmp_path: Path) -> None:
    path = tmp_path / "notify"
    answers = iter([False, False, True])
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(path))
        systemd.setblocking(False)
        slept = 0.0

        async def sleep(seconds: float) -> None:
            nonlocal slept
            slept += seconds
            if slept > 6:
                raise asyncio.CancelledError

        async def ready() -> bool:
            return next(answers)

        found = Notifier.from_environment({"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "4000000"})
        assert found is not None
        notifier = Notifier(str(path), found._every, sleep)
        with pytest.raises(asyncio.CancelledError):
            await notifier.run(ready)
        told = []
        while True:
            try:
                told.append(systemd.recv(64).decode())
            except BlockingIOError:
                break
    assert told == ["READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1", "STOPPING=1"]


def test_without_systemd_nothing_is_told() -> None:
    assert Notifier.from_environment({}) is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/api/v10/channels/12/messages/34", "GET /channels/{id}/messages/{id}"),
        (
            "/api/webhooks/12/aW50ZX-secret/messages/@original",
            "GET /webhooks/{id}/{token}/messages/@original",
        ),
        ("/api/v10/interactions/12/34tok/callback", "GET /interactions/{id}/{token}/callback"),
        ("/api/v10/gateway/bot", "GET /gateway/bot"),
    ],
)
def test_a_route_of_discord_has_no_ids_and_no_tokens(path: str, expected: str) -> None:
    assert route("GET", path) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://api.telegram.org/bot12:secret/sendPhoto", "sendPhoto"),
        ("https://api.telegram.org/bot12:secret/getUpdates?timeout=50", "getUpdates"),
        ("https://api.telegram.org/file/bot12:secret/documents/file_1.txt", "file"),
    ],
)
def test_a_route_of_telegram_has_no_token(url: str, expected: str) -> None:
    assert _route(url) == expected


def test_the_silence_that_telegram_demands_is_read_from_its_answer() -> None:
    assert _seconds(b'{"ok":false,"parameters":{"retry_after":7}}') == 7
    assert _seconds(b"<html>") == 0


async def test_searches_are_counted_by_class_while_they_wait() -> None:
    queue = JobQueue(1)
    begun = asyncio.Event()

    async def turn() -> None:
        async with queue.place(JobClass.MOVE, "match"):
            begun.set()
            await asyncio.Event().wait()

    async def advice() -> None:
        async with queue.place(JobClass.ADVICE, "ann"):
            await asyncio.Event().wait()

    tasks = [asyncio.create_task(turn())]
    await begun.wait()
    tasks.append(asyncio.create_task(advice()))
    await asyncio.sleep(0)
    found = queue.by_class()
    assert (found["move"].taken, found["move"].queued) == (1, 0)
    assert (found["advice"].taken, found["advice"].queued) == (0, 1)
    for task in reversed(tasks):
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert all((each.taken, each.queued) == (0, 0) for each in queue.by_class().values())


def test_the_private_attributes_of_the_gateway_are_there() -> None:
    import inspect

    from discord import gateway, shard

    from bot.platforms.discord import client as ours

    library = inspect.getsource(gateway) + inspect.getsource(shard)
    assert all(re.search(rf"self\.{name}\b", library) for name in PRIVATE)
    used = re.search(r"def silence.*?def close", inspect.getsource(ours), re.DOTALL)
    assert used is not None
    assert set(re.findall(r"\.(_[a-z]\w*)", used[0])) == set(PRIVATE)


def test_nothing_is_kept_before_it_is_asked_for() -> None:
    figure = Histogram("of_a_test_seconds", "Of a test", buckets=(1.0,))
    with figure.timed():
        pass
    assert figure._kept is None


# The endpoints of the bot as a process, with both platforms.


DASHBOARD = ROOT / "deploy" / "grafana.json"
ALERTS = ROOT / "deploy" / "alerts.yaml"
FIGURES = ROOT / "docs" / "operations.md"
_NAME = re.compile(r"\b(?:klop|process)_[a-z_]+\b")
_LABELS = re.compile(r"by \(([\w, ]+)\)|\{(\w+)=|\$labels\.(\w+)|\{\{(\w+)\}\}")
_PROMETHEUS = {"job", "instance", "le"}
"""Labels that Prometheus and its library add."""


def documented() -> set[str]:
    """Return the names in the table of figures, as a parser of `/metrics` has them."""
    (rows,) = re.findall(r"^\| figure \|.*\n\|---.*\n((?:\|.*\n)+)", FIGURES.read_text("utf-8"), re.MULTILINE)
    cells = [row.split("|")[1] for row in rows.splitlines()]
    return {f"klop_{name.removesuffix('_total')}" for cell in cells for name in re.findall(r"`(\w+)`", cell)}


async def _said(session: ClientSession, address: str, path: str) -> tuple[int, str]:
    try:
        async with session.get(f"http://{address}{path}") as answer:
            return answer.status, await answer.text()
    except ClientError:
        return 0, ""


async def _healthcheck(data: Path, settings: Mapping[str, str]) -> tuple[int | None, str]:
    asking = await asyncio.create_subprocess_exec(
        *command(data, "healthcheck"), stdout=asyncio.subprocess.PIPE, cwd=data.parent, env=environment(**settings)
    )  # fmt: skip
    said, _ = await asking.communicate()
    return asking.returncode, said.decode()


@pytest.mark.slow
async def test_each_role_is_ready_when_it_can_do_its_work(tmp_path: Path) -> None:
    wanted = {
        "gateway": ["event loop", "store: answers", "discord 0: heard"],
        "webhook": ["event loop", "store: answers", "telegram webhook: heard 0 s"],
        "sender": [
            "event loop",
            "store: answers",
            "discord login: heard 0 s",
            "telegram login: heard 0 s",
            "announcements",
        ],
    }
    async with AsyncExitStack() as stack:
        server = stack.enter_context(redis_server(tmp_path / "server"))
        session = await stack.enter_async_context(ClientSession())
        settings = {"REDIS_URL": f"unix://{server}", "KLOP_WORKERS": "0"}
        for connect in PLATFORMS.values():
            platform = await stack.enter_async_context(connect())
            if isinstance(platform, Telegram):
                platform.bring()
            settings |= platform.settings
        for role, checks in wanted.items():
            address = f"127.0.0.1:{free_port()}"
            given = {**settings, "KLOP_ROLE": role, "KLOP_METRICS_LISTEN": address}
            bot = await BotProcess.start(tmp_path / "data" / role, tmp_path / "log", given)
            stack.push_async_callback(bot.end)

            async def ready(address: str = address, checks: list[str] = checks) -> bool:
                status, said = await _said(session, address, "/readyz")
                lines = said.splitlines()
                fits = len(lines) == len(checks) and all(map(str.__contains__, lines, checks))
                return status == 200 and fits

            await eventually(ready)
            await bot.end(signal.SIGTERM)
            assert bot.status == 0


@pytest.mark.slow
async def test_a_bot_says_how_it_is(tmp_path: Path) -> None:
    address, data = f"127.0.0.1:{free_port()}", tmp_path / "data"
    async with AsyncExitStack() as stack:
        platforms = [await stack.enter_async_context(each()) for each in PLATFORMS.values()]
        session = await stack.enter_async_context(ClientSession())
        settings = {"KLOP_METRICS_LISTEN": address}
        assert (await _healthcheck(data, settings))[0] == 1
        for platform in platforms:
            settings |= platform.settings
        bot = await BotProcess.start(data, tmp_path / "log", settings)
        stack.push_async_callback(bot.end)
        said = (0, "")

        async def look(path: str, wanted: str) -> bool:
            nonlocal said
            said = await _said(session, address, path)
            return wanted in said[1]

        await eventually(lambda: look("/readyz", "ok telegram poll: heard"))
        chat = Chat.group(platforms[1])
        await chat.say(bot, 0, "challenge", person="Bob", game="breakthrough", options="5x5")
        await eventually(lambda: any("breakthrough" in said.lower() for _, said in chat.history))
        await eventually(lambda: look("/readyz", "ok discord 0: heard"))
        for route in ('telegram",route="sendMessage"', 'discord",route="PUT /applications/{id}/commands"'):
            await eventually(
                lambda route=route: look("/metrics", f'klop_platform_requests_total{{platform="{route}')  # type: ignore[misc]
            )
        status, page = said
        assert status == 200
        families = {family.name: family for family in text_string_to_metric_families(page)}
        names = {name + end for name in families for end in ("", "_total", "_bucket", "_count", "_sum")}
        assert families["klop_build_info"].samples[0].labels["version"].startswith(VERSION)
        for file in (DASHBOARD, ALERTS):
            assert not set(_NAME.findall(file.read_text("utf-8"))) - names, file.name
        written = {name for name in families if name.startswith("klop_") and not name.endswith("_created")}
        assert written == documented()
        values = {
            value
            for family in families.values()
            for sample in family.samples
            for value in sample.labels.values()
        }
        assert not any(
            re.search(r"\d{6}|#", value)
            for value in values - {families["klop_build_info"].samples[0].labels["version"]}
        )
        assert not any(token in page for token in (DISCORD_TOKEN, TELEGRAM_TOKEN))
        assert (await _said(session, address, "/healthz"))[0] == 200
        left, answer = await _healthcheck(data, settings)
        assert (left, "!!" in answer) == (0, False)


@pytest.mark.parametrize("file", [DASHBOARD, ALERTS], ids=lambda file: file.name)
def test_only_labels_that_exist_are_asked_for(file: Path) -> None:
    asked = {
        label
        for found in _LABELS.findall(file.read_text("utf-8"))
        for label in re.findall(r"\w+", " ".join(found))
    }
    assert asked
    assert asked <= {label for figure in metrics._declared for label in figure._declared[2]} | _PROMETHEUS


def test_the_dashboard_is_one_of_grafana() -> None:
    board = json.loads(DASHBOARD.read_text("utf-8"))
    panels = board["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert all(target["expr"] for panel in panels for target in panel.get("targets", ()))


def test_each_alert_has_a_page_that_says_what_to_do() -> None:
    names = re.findall(r"- alert: (\w+)", ALERTS.read_text("utf-8"))
    pages = {path.stem: path.read_text("utf-8") for path in (ROOT / "docs" / "alerts").glob("*.md")}
    assert sorted(names) == sorted(pages)
    assert all(page.startswith(f"# {name}\n") and "**What to do**" in page for name, page in pages.items())
