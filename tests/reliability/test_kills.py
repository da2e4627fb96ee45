"""Bots killed at every point of their work: no move is lost, doubled or left unannounced, and they are back at once.

What happened is judged by what people see in their chats.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Final

import pytest

from tests.reliability.chats import discord, telegram
from tests.reliability.conftest import Figure, Scale
from tests.reliability.kill_scenario import WITH_TIMERS, KillScenario, Tally, places
from tests.support.servers import redis_server

PLATFORMS: Final = {"discord": discord, "telegram": telegram}


@pytest.mark.parametrize("name", PLATFORMS)
async def test_killed_bots(name: str, scale: Scale, figure: Figure, tmp_path: Path) -> None:
    tally = Tally()
    points = list(islice(places(), scale(500, 13)))
    timed = [point for point in points if point in WITH_TIMERS]
    others = [point for point in points if point not in WITH_TIMERS]
    half = len(points) // 2 - len(timed)
    async with AsyncExitStack() as stack:
        # A server that outlives its bots, and the bot's own, which goes with it.
        server = stack.enter_context(redis_server(tmp_path / "server"))

        async def one(seed: int, socket: Path | None, points: list[str]) -> None:
            platform = await stack.enter_async_context(PLATFORMS[name]())
            scenario = KillScenario(platform, socket, tmp_path / f"bot{seed}", seed, tally)
            for point in points:
                await scenario.killed_at(point)
            await scenario.finish()

        async with asyncio.TaskGroup() as group:
            group.create_task(one(0, server, [*timed, *others[:half]]))
            group.create_task(one(1, None, others[half:]))
    figure(
        f"kills, {name}: {tally.kills.total()} at {len(tally.kills)} points, {tally.requests} requests and"
        f" {tally.repeated} rounds of them repeated, {tally.matches} matches with {tally.moves} moves:"
        f" {tally.lost} lost, {tally.doubled} doubled, {tally.unannounced} unannounced, {tally.merged} messages"
        f" that name several turns; {tally.stale} stale boards; {tally.timers} timers: {tally.timers_wrong} wrong;"
        f" {tally.damaged} damaged; {tally.sent_again} messages seen twice, {tally.sent_too_often} too often,"
        f" {tally.nonces_repeated} not shown again under the same nonce; first message after"
        f" a start in {median(tally.back):.1f} s, at most {max(tally.back):.1f} s (load {os.getloadavg()[0]:.0f});"
        f" refused: {dict(tally.refused)}"
    )
    assert tally.kills.total() == len(points)
    assert not tally.boards
    assert tally.lost == tally.doubled == tally.unannounced == tally.stale == 0
    assert tally.timers_wrong == tally.damaged == tally.sent_too_often == 0
