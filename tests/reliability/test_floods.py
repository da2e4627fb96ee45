"""Floods: one person, or twenty, send thousands of requests, and the others are answered all the same."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from bot.platforms.listening import PostLimits
from tests.platforms.discord.process import BotProcess
from tests.platforms.discord.server import Discord
from tests.platforms.telegram.process import running
from tests.platforms.telegram.server import BotApi
from tests.reliability.conftest import Figure
from tests.reliability.crowds import (
    BURST,
    ON_DISCORD,
    ON_TELEGRAM,
    DiscordCrowd,
    TelegramCrowd,
    Waits,
    crowded,
    half_sent,
    sent,
)
from tests.support.servers import free_port
from tests.support.waiting import eventually

Size: TypeAlias = tuple[Sequence[str], int, float]
"""Which floods are sent, of how many requests, and how long the others may wait, in seconds."""


def _sizes(kinds: Sequence[str]) -> Sequence[Any]:
    """All floods in short, and each alone in the full size: `-k "floods and telegram and joins"`."""
    slow, long = pytest.mark.slow, pytest.mark.reliability
    full = [
        pytest.param(([kind], 10_000, 1.0), id=f"full-{kind.replace(' ', '-')}", marks=[slow, long])
        for kind in kinds
    ]
    return [pytest.param((kinds, 150, 60.0), id="short", marks=slow), *full]


async def _flooded(
    crowd: TelegramCrowd | DiscordCrowd,
    where: str,
    size: Size,
    figure: Figure,
) -> None:
    kinds, number, limit = size
    floods = crowd.floods()
    late = []
    for kind in kinds:
        send, waits = floods[kind], Waits()
        for begun in range(0, number, BURST):
            for count in range(begun, begun + BURST):
                await sent(send, count)
            await crowd.others_act(waits)
        figure(f"{where}, {number} {kind}: {waits} (load {os.getloadavg()[0]:.0f})")
        if waits.p99 >= limit:
            late.append(kind)
    assert not late


_MOBS: Final = [
    pytest.param((50, 60.0, 60.0), id="short", marks=pytest.mark.slow),
    pytest.param((10_000, 1.0, 0.5), id="full", marks=[pytest.mark.slow, pytest.mark.reliability]),
]
"""How many boards each of twenty people asks for, and how long the others may wait for answers and for moves, in seconds."""

TOGETHER: Final = 10  # requests of each of them between two rounds of the others
QUIET: Final = 20  # rounds before


async def _mobbed(
    crowd: TelegramCrowd | DiscordCrowd, where: str, size: tuple[int, float, float], figure: Figure
) -> None:
    each, limit, limit_of_moves = size
    mob, quiet, waits = await crowd.begin_mob(), Waits(), Waits()
    for _ in range(QUIET):
        await crowd.others_ask(quiet)
    for begun in range(0, each, TOGETHER):
        for count in range(begun, begun + TOGETHER):
            for send in mob:
                await sent(send, count)
        await crowd.others_ask(waits)
    late = {what: p99 for what, p99 in waits.p99_by.items() if p99 >= limit}
    figure(f"{where}, {len(mob)} x {each} boards: {waits} (load {os.getloadavg()[0]:.0f}); without: {quiet}")
    assert not late
    assert waits.p99_by["moves"] < limit_of_moves


@pytest.mark.parametrize("size", _MOBS)
async def test_twenty_floods_on_telegram_delay_no_one_else(
    tmp_path: Path, size: tuple[int, float, float], figure: Figure
) -> None:
    api = BotApi()
    async with api.serving(), running(api, tmp_path / "data", KLOP_LOG="error"):
        crowd = TelegramCrowd(api)
        await crowd.begin()
        await _mobbed(crowd, "Telegram", size, figure)


@pytest.mark.parametrize("size", _MOBS)
async def test_twenty_floods_on_discord_delay_no_one_else(
    tmp_path: Path, size: tuple[int, float, float], figure: Figure
) -> None:
    guild = crowded()
    async with Discord(guild) as discord, BotProcess(discord, tmp_path / "data", {"KLOP_LOG": "error"}):
        crowd = DiscordCrowd(discord, guild)
        await crowd.begin()
        await _mobbed(crowd, "Discord", size, figure)
        discord.wrong[:] = [wrong for wrong in discord.wrong if not wrong.startswith("M")]  # as below


@pytest.mark.parametrize("size", _sizes(ON_TELEGRAM))
async def test_a_flood_on_telegram_delays_no_one_else(tmp_path: Path, size: Size, figure: Figure) -> None:
    api = BotApi()
    async with api.serving(), running(api, tmp_path / "data", KLOP_LOG="error"):
        crowd = TelegramCrowd(api)
        await crowd.begin()
        await _flooded(crowd, "Telegram", size, figure)


@pytest.mark.parametrize("size", _sizes(ON_DISCORD))
async def test_a_flood_on_discord_delays_no_one_else(tmp_path: Path, size: Size, figure: Figure) -> None:
    guild = crowded()
    async with Discord(guild) as discord, BotProcess(discord, tmp_path / "data", {"KLOP_LOG": "error"}):
        crowd = DiscordCrowd(discord, guild)
        await crowd.begin()
        await _flooded(crowd, "Discord", size, figure)
        # Who floods the bot may wait for more than the three seconds that Discord gives.
        discord.wrong[:] = [wrong for wrong in discord.wrong if not wrong.startswith(f"{crowd.flooder} saw")]


@pytest.mark.slow
async def test_half_sent_requests_keep_no_update_away(tmp_path: Path, figure: Figure) -> None:
    """More of them than the webhook has connections, from as many addresses."""
    api, port, waits = BotApi(), free_port(), Waits()
    api.deliver_to = f"http://127.0.0.1:{port}/hook"
    settings = {
        "KLOP_TELEGRAM_WEBHOOK_URL": "https://example.org/hook",
        "KLOP_TELEGRAM_WEBHOOK_LISTEN": f"127.0.0.1:{port}",
        "KLOP_LOG": "error",
    }
    async with api.serving(), running(api, tmp_path / "data", **settings):
        cut: list[int] = []
        strangers = [asyncio.create_task(half_sent(port, number, cut)) for number in range(150)]
        try:
            await eventually(lambda: len(cut) > len(strangers))
            ann = api.human("Ann")
            api.say(ann, None, "/rules lgame")
            await waits.time("first updates", api.until(lambda: bool(api.shown(ann))))
            assert max(waits.by["first updates"]) < PostLimits().headers_within / 2, "before they time out"
            crowd = TelegramCrowd(api)
            await crowd.begin()
            for _ in range(50):
                await crowd.others_act(waits)
            assert not any(stranger.done() for stranger in strangers)
        finally:
            for stranger in strangers:
                stranger.cancel()
            await asyncio.gather(*strangers, return_exceptions=True)
        figure(f"Telegram, beside 150 half-sent requests: {waits} (load {os.getloadavg()[0]:.0f})")
