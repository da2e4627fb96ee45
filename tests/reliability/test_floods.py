"""Floods: one person sends thousands of requests of each kind, and the others are answered all the same."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

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
    sent,
)

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
    """Send each flood, the others between it, whose waits are bounded."""
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
