"""Bots killed at every point of their work: no move is lost, doubled or left untold, and they are back at once."""

from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Final

from tests.reliability.conftest import Figure, Scale
from tests.reliability.kill_scenario import KillScenario, Tally, places
from tests.support.servers import redis_server

CROWDED: Final = 3
"""Processes that want each core: as many as the scenarios themselves make, and some more."""
HOUSES: Final = 4
"""Side by side, for a sender that follows a dead one waits until that is sure to be dead."""


async def test_killed_bots(scale: Scale, figure: Figure, tmp_path: Path) -> None:
    tally = Tally()
    points = list(islice(places(), scale(500, 26)))
    with ExitStack() as stack:
        scenarios = []
        for number in range(HOUSES):
            where = str(tmp_path / f"data{number}")
            if number % 2:  # a server that outlives its bots; else the bot's own, which goes with it
                where = f"unix://{stack.enter_context(redis_server(Path(where)))}"
            scenarios.append(KillScenario(f"h{number}", where, tmp_path, number, tally))

        async def one(number: int, scenario: KillScenario) -> None:
            for point in points[number::HOUSES]:
                await scenario.killed_at(point)
            await scenario.finish()

        async with asyncio.TaskGroup() as group:
            for number, scenario in enumerate(scenarios):
                group.create_task(one(number, scenario))
    load = os.getloadavg()[0]
    figure(
        f"kills: {tally.kills.total()} at {len(tally.kills)} points, {tally.requests} requests"
        f" and {tally.repeated} repeated, {tally.moves} moves: {tally.lost} lost, {tally.doubled} doubled;"
        f" {tally.revisions} revisions: {tally.unannounced} unannounced, {tally.out_of_order} out of order;"
        f" {tally.timers} timers: {tally.timers_wrong} wrong; {tally.damaged} damaged;"
        f" back in {median(tally.back):.2f} s, at most {max(tally.back):.2f} s (load {load:.0f})"
    )
    figure(
        f"kills, what a chat may see: {tally.sent_again} messages sent again under the same nonce,"
        f" {tally.told_again} revisions told in two messages; refused: {dict(tally.refused)}"
    )
    assert tally.kills.total() == len(points)
    assert tally.lost == tally.doubled == tally.unannounced == tally.out_of_order == 0
    assert tally.timers_wrong == tally.damaged == 0
    if scale(1, 0) and load < CROWDED * (
        os.cpu_count() or 1
    ):  # else it is other processes that take the time
        assert max(tally.back) < 10
