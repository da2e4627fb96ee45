"""Bots killed at every point of their work: no move is lost, doubled or left unannounced, and they are back at once.

What happened is judged by what people see in their chats.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Final

import pytest

from tests.reliability.chats import discord, telegram
from tests.reliability.conftest import Figure
from tests.reliability.scenario import WITH_TIMERS, Scenario, places
from tests.reliability.tally import Tally
from tests.support.faults import POINTS
from tests.support.servers import redis_server

PLATFORMS: Final = {"discord": discord, "telegram": telegram}
PARTS: Final = 20
KILLS: Final = 25  # of a part
POINTS_ONCE: Final = len(POINTS) + 1

_slow, _long = pytest.mark.slow, pytest.mark.reliability
_SIZES: Final = [
    pytest.param((0, POINTS_ONCE), id="short", marks=_slow),
    *(pytest.param((part, KILLS), id=f"full-{part}", marks=[_slow, _long]) for part in range(PARTS)),
]
"""The full size comes in parts, each with its seeds, which can be run one by one: `-k "kills and telegram and full-7"`."""


@pytest.fixture(scope="module")
def sums() -> dict[str, Tally]:
    """What all parts found that were run, by platform."""
    return {}


@pytest.mark.parametrize("size", _SIZES)
@pytest.mark.parametrize("name", PLATFORMS)
async def test_killed_bots(
    name: str, size: tuple[int, int], sums: dict[str, Tally], figure: Figure, tmp_path: Path
) -> None:
    tally = Tally()
    part, number = size
    points = list(islice(places(), part * KILLS, part * KILLS + number))
    timed = [point for point in points if point in WITH_TIMERS]
    others = [point for point in points if point not in WITH_TIMERS]
    half = len(points) // 2 - len(timed)
    try:
        async with AsyncExitStack() as stack:
            # A server that outlives its bots, and the bot's own, which goes with it.
            server = stack.enter_context(redis_server(tmp_path / "server"))

            async def one(seed: int, socket: Path | None, points: list[str]) -> None:
                platform = await stack.enter_async_context(PLATFORMS[name]())
                scenario = Scenario(platform, socket, tmp_path / f"bot{seed}", seed, tally)
                for point in points:
                    await scenario.killed_at(point)
                await scenario.finish()

            async with asyncio.TaskGroup() as group:
                group.create_task(one(2 * part, server, [*timed, *others[:half]]))
                group.create_task(one(2 * part + 1, None, others[half:]))
    finally:
        total = sums.setdefault(name, Tally())
        total.add(tally)
        figure(_figures(f"kills, {name}, part {part}", tally))
        if total.kills != tally.kills:
            figure(_figures(f"kills, {name}, all parts so far", total))
    assert tally.kills.total() == len(points)
    tally.check()
    assert tally.sent_too_often == 0
    assert tally.sent_again + tally.orphans <= tally.kills.total()


def _figures(what: str, tally: Tally) -> str:
    return (
        f"{what}: {tally.kills.total()} at {len(tally.kills)} points, {tally.requests} requests and"
        f" {tally.repeated} rounds of them repeated, {tally}, {tally.sent_too_often} too often; what waited was shown"
        f" {_times(tally.back)} after the start of the process and {_times(tally.shown)} after it was connected"
        f" (load {os.getloadavg()[0]:.0f}); refused: {dict(tally.refused)}"
    )


def _times(seconds: Sequence[float]) -> str:
    return f"{median(seconds):.1f} s (median), {max(seconds):.1f} s (longest)" if seconds else "never"
