"""The endpoints of the bot as a process, with both platforms."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from aiohttp import ClientError, ClientSession
from prometheus_client.parser import text_string_to_metric_families

from bot.chat import metrics
from bot.chat.i18n.catalogue import ROOT
from bot.version import VERSION
from tests.bot.process import command, environment
from tests.platforms.discord.rest import TOKEN as DISCORD_TOKEN
from tests.platforms.telegram.server import TOKEN as TELEGRAM_TOKEN
from tests.reliability.bot_process import BotProcess
from tests.reliability.chats import Telegram, discord, telegram
from tests.support.servers import free_port, redis_server
from tests.support.waiting import eventually

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
        for connect in (discord, telegram):
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
        platforms = [await stack.enter_async_context(each()) for each in (discord, telegram)]
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
        chat = platforms[1].group()
        await chat.say(bot, 0, "challenge", "bob breakthrough 5x5")
        await eventually(lambda: any("breakthrough" in said.lower() for said in chat.shown))
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
