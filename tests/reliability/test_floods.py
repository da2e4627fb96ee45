"""Floods: one person sends thousands of requests of each kind, and the others are answered all the same."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

from bot.commands import REGISTRY
from tests.platforms.discord.people import Person
from tests.platforms.discord.process import BotProcess
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild, Interaction
from tests.platforms.telegram.process import running
from tests.platforms.telegram.server import BotApi, Json
from tests.reliability.conftest import Figure, Scale

BURST: Final = 50  # requests of the flood between two of others
OTHERS: Final = 20
GROWTH: Final = 64 * 1024 * 1024  # bytes that a bot may need beyond what it needs after half of the flood

_COMMAND: Final = 2
_COMPLETE: Final = 4


async def test_a_flood_on_telegram_delays_no_one_else(tmp_path: Path, scale: Scale, figure: Figure) -> None:
    number, limit = scale(10_000, 150), scale(1, 60)
    api = BotApi()
    async with api.serving(), running(api, tmp_path / "data", KLOP_LOG="error") as bot:
        assert bot.process is not None
        ann, others = api.human("Ann"), [api.human(f"Other{number}") for number in range(OTHERS)]
        hall = api.group(-1_000, "Hall", ann, *others)
        api.say(ann, hall, "/new lgame")
        await api.until(lambda: any(_has_keys(message) for message in api.shown(hall)))
        card = next(message for message in api.shown(hall) if _has_keys(message))
        names = sorted(REGISTRY.specs)
        kinds: dict[str, Callable[[int], object]] = {
            "commands": lambda count: api.say(ann, hall, f"/{names[count % len(names)]}"),
            "private commands": lambda count: api.say(ann, None, f"/{names[count % len(names)]}"),
            "presses": lambda _: api.press(ann, card, "-a1"),
            "inline queries": lambda _: api.ask_inline(ann, "lgame"),
            "joins": lambda count: api.say(ann, None, f"/join #aaa{count % 1000:03}"),
            "imports": lambda _: api.say(ann, None, "/import no match"),
        }
        sizes = [_size(bot.process.pid)]
        for kind, send in kinds.items():
            waits = []
            for begun in range(0, number, BURST):
                for count in range(BURST):
                    send(begun + count)
                other = others[begun // BURST % OTHERS]
                began = asyncio.get_running_loop().time()
                query = api.press(other, card, "-a1")
                await api.until(lambda query=query: query in api.answered)  # type: ignore[misc]
                waits.append(asyncio.get_running_loop().time() - began)
                known = len(api.shown(other))
                began = asyncio.get_running_loop().time()
                api.say(other, None, "/rules lgame")
                await api.until(lambda other=other, known=known: len(api.shown(other)) > known)  # type: ignore[misc]
                waits.append(asyncio.get_running_loop().time() - began)
            sizes.append(_size(bot.process.pid))
            figure(f"Telegram, {number} {kind}: {_figures(waits)}")
            assert _late(waits) < limit
    _flat(sizes, figure, "Telegram")


async def test_a_flood_on_discord_delays_no_one_else(tmp_path: Path, scale: Scale, figure: Figure) -> None:
    number, limit = scale(10_000, 150), scale(1, 60)
    guild = Guild("Crowd", channels=[Channel(name="hall")])
    (hall,) = guild.channels
    async with Discord(guild) as discord:
        ann, *others = (
            Person(discord, discord.named(f"p{count}", f"P{count}", "en-US"), hall) for count in range(OTHERS)
        )
        async with BotProcess(discord, tmp_path / "data", {"KLOP_LOG": "error"}) as bot:
            typed = {"name": "game", "type": 3, "value": "l", "focused": True}
            kinds: dict[str, tuple[int, dict[str, Any]]] = {
                "commands": (_COMMAND, _data("games")),
                "lobbies": (_COMMAND, _data("new", {"name": "game", "type": 3, "value": "lgame"})),
                "joins": (_COMMAND, _data("join", {"name": "match", "type": 3, "value": "aaaaaa"})),
                "completions": (_COMPLETE, _data("rules", typed)),
            }
            sizes = [_size(bot.process.pid)]
            for kind, (what, data) in kinds.items():
                waits = []
                for begun in range(0, number, BURST):
                    for _ in range(BURST):
                        await ann.sends(what, data)
                    other = others[begun // BURST % len(others)]
                    done: Interaction = await other.sends(_COMMAND, _data("help"))
                    await discord.until(lambda done=done: done.settled, "an answer")  # type: ignore[misc]
                    waits.append(asyncio.get_running_loop().time() - done.sent)
                sizes.append(_size(bot.process.pid))
                figure(f"Discord, {number} {kind}: {_figures(waits)}")
                assert _late(waits) < limit
    _flat(sizes, figure, "Discord")


def _data(name: str, *options: dict[str, Any]) -> dict[str, Any]:
    return {"id": "1", "name": name, "type": 1, "options": list(options)}


def _has_keys(message: Json) -> bool:
    return "reply_markup" in message


def _late(waits: list[float]) -> float:
    """The wait that 99 of 100 do not exceed."""
    return quantiles(waits, n=100, method="inclusive")[98]


def _figures(waits: list[float]) -> str:
    return f"{len(waits)} requests of others answered in {median(waits):.3f} s (median), {_late(waits):.3f} s (p99)"


def _size(process: int) -> int:
    """The memory that a process has, in bytes."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _flat(sizes: list[int], figure: Figure, where: str) -> None:
    """Memory does not grow with what was sent."""
    figure(f"{where}: memory after each flood, in MB: {[size >> 20 for size in sizes]}")
    assert sizes[-1] - sizes[len(sizes) // 2] < GROWTH
