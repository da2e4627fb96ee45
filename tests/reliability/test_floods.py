"""Floods: one person sends thousands of requests of each kind, and the others are answered all the same."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.platforms.discord.process import BotProcess
from tests.platforms.discord.server import Discord
from tests.platforms.telegram.process import running
from tests.platforms.telegram.server import BotApi
from tests.reliability.conftest import Figure, Scale
from tests.reliability.crowds import BURST, DiscordCrowd, Flood, TelegramCrowd, Waits, crowded, sent


async def _flooded(
    where: str,
    floods: dict[str, Flood],
    others: Callable[[Waits], Awaitable[None]],
    judged: tuple[Scale, Figure],
) -> None:
    """Send each flood, the others between it, whose waits are bounded."""
    scale, figure = judged
    number, limit = scale(10_000, 150), scale(1, 60)
    late = []
    for kind, send in floods.items():
        waits = Waits()
        for begun in range(0, number, BURST):
            for count in range(begun, begun + BURST):
                await sent(send, count)
            await others(waits)
        figure(f"{where}, {number} {kind}: {waits} (load {os.getloadavg()[0]:.0f})")
        if waits.p99 >= limit:
            late.append(kind)
    assert not late


async def test_a_flood_on_telegram_delays_no_one_else(tmp_path: Path, scale: Scale, figure: Figure) -> None:
    api = BotApi()
    async with api.serving(), running(api, tmp_path / "data", KLOP_LOG="error"):
        crowd = TelegramCrowd(api)
        await crowd.begin()
        await _flooded("Telegram", crowd.floods(), crowd.others_act, (scale, figure))


async def test_a_flood_on_discord_delays_no_one_else(tmp_path: Path, scale: Scale, figure: Figure) -> None:
    guild = crowded()
    async with Discord(guild) as discord, BotProcess(discord, tmp_path / "data", {"KLOP_LOG": "error"}):
        crowd = DiscordCrowd(discord, guild)
        await crowd.begin()
        await _flooded("Discord", crowd.floods(), crowd.others_act, (scale, figure))
        # Who floods the bot may wait for more than the three seconds that Discord gives.
        discord.wrong[:] = [wrong for wrong in discord.wrong if not wrong.startswith(f"{crowd.flooder} saw")]
