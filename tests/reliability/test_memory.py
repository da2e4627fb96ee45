"""Memory: once the caches are full, a bot needs no more of it, however many updates come."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

from tests.platforms.discord.process import BotProcess
from tests.platforms.discord.server import Discord
from tests.platforms.telegram.process import running
from tests.platforms.telegram.server import BotApi
from tests.reliability.conftest import Figure, Scale
from tests.reliability.crowds import BURST, DiscordCrowd, Flood, TelegramCrowd, Waits, crowded, sent

FLAT: Final = 8 << 20
"""Bytes by which a bot may grow after the first updates: less than half a kilobyte for each of 20 000."""

SETTINGS: Final = {
    "KLOP_LOG": "error",
    "KLOP_PICTURE_MEMORY": "1",
}  # megabytes: full after some dozens of boards

Act = Callable[[Waits], Awaitable[None]]


async def _flat(
    where: str, floods: dict[str, Flood], others: Act, process: int, judged: tuple[Scale, Figure]
) -> None:
    """Send all kinds of requests by turns, the others between them; after the first quarter the memory stays the same.

    What is left behind by requests comes with each part of them, and so into the median. Once for each of its threads the bot
    takes some megabytes more: to paint a larger picture than before.
    """
    scale, figure = judged
    part, limit = scale(5_000, 150), scale(FLAT, 4 * FLAT)  # after 150 the caches are not full yet
    kinds = [flood for name, flood in floods.items() if name != "moves"]  # those are all handled, for hours
    sizes, number = [], 0
    for _ in range(5):
        for _ in range(part // BURST):
            for _ in range(BURST):
                await sent(kinds[number % len(kinds)], number)
                number += 1
            await others(Waits())
        sizes.append(_size(process))
    figure(
        f"{where}: memory after each {part} of {number} updates, in MB:"
        f" {', '.join(f'{size / (1 << 20):.1f}' for size in sizes)} (load {os.getloadavg()[0]:.0f})"
    )
    growth = [after - before for before, after in pairwise(sizes)]
    assert median(growth) * len(growth) < limit
    assert max(sizes) - sizes[0] < 3 * limit


async def test_it_stays_flat_on_telegram(tmp_path: Path, scale: Scale, figure: Figure) -> None:
    api = BotApi()
    async with api.serving(), running(api, tmp_path / "data", **SETTINGS) as bot:
        assert bot.process is not None
        crowd = TelegramCrowd(api)
        await crowd.begin()
        await _flat("Telegram", crowd.floods(), crowd.others_act, bot.process.pid, (scale, figure))


async def test_it_stays_flat_on_discord(tmp_path: Path, scale: Scale, figure: Figure) -> None:
    guild = crowded()
    async with Discord(guild) as discord, BotProcess(discord, tmp_path / "data", SETTINGS) as bot:
        crowd = DiscordCrowd(discord, guild)
        await crowd.begin()
        await _flat("Discord", crowd.floods(), crowd.others_act, bot.process.pid, (scale, figure))
        # Who floods the bot may wait for more than the three seconds that Discord gives.
        discord.wrong[:] = [wrong for wrong in discord.wrong if not wrong.startswith(f"{crowd.flooder} saw")]


def _size(process: int) -> int:
    """The memory that a process has, in bytes."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
