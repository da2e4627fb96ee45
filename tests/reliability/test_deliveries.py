"""Each request is delivered one to five times, the later ones at any moment: people see the same as if each came once.

Telegram brings its updates to the webhook again, and in any order. Discord's gateway sends interactions again, half of them as
if they had not been acknowledged, which is what two bots with one token see.
"""

from __future__ import annotations

import random
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import pytest

from tests.reliability.chats import discord, telegram
from tests.reliability.conftest import Figure, Scale
from tests.reliability.played import Tally
from tests.reliability.scenario import Scenario
from tests.support.faults import FAILING

PLATFORMS: Final = {"discord": discord, "telegram": telegram}


@pytest.mark.parametrize("name", PLATFORMS)
async def test_requests_that_come_again(name: str, scale: Scale, figure: Figure, tmp_path: Path) -> None:
    tally, enough = Tally(), scale(600, 60)
    async with AsyncExitStack() as stack:
        platform = await stack.enter_async_context(PLATFORMS[name]())
        platform.repeat(random.Random(5))
        scenario = Scenario(platform, None, tmp_path / "bot", 5, tally)
        scenario.scripted = True
        await scenario.busy(lambda: tally.requests >= enough)
        await scenario.finish()
    figure(
        f"deliveries, {name}: {tally.requests} requests, delivered {platform.delivered} times more than once: {tally}"
    )
    assert platform.delivered > tally.requests
    tally.check()
    tally.check_once()


# Each sort of call to the store fails, before it is carried out and after it: people see the same as without
# it.
#
# What happened is judged by what people see in their chats, on each platform, with pictures and an engine.


@pytest.mark.parametrize("name", PLATFORMS)
async def test_every_sort_of_call_fails(name: str, scale: Scale, figure: Figure, tmp_path: Path) -> None:
    tally, report = Tally(), tmp_path / "failed"
    enough, times = scale(250, 40), scale(6, 1)

    def failed() -> Counter[str]:
        lines = report.read_text().splitlines() if report.exists() else ()
        return Counter(line.partition(" ")[0] for line in lines)

    async with AsyncExitStack() as stack:
        platform = await stack.enter_async_context(PLATFORMS[name]())
        scenario = Scenario(platform, None, tmp_path / "bot", 7, tally)
        scenario.scripted = True
        await scenario.busy(lambda: failed().total() >= enough, {FAILING: f"{report} {times}"})
        await scenario.finish()
    sorts = {line.partition(" ")[2] for line in report.read_text().splitlines()}
    figure(
        f"failing calls, {name}: {failed()['before']} before and {failed()['after']} after they were carried out,"
        f" of {len(sorts)} sorts, {tally.requests} requests: {tally}"
    )
    assert len(sorts) >= scale(30, 15)
    tally.check()
    tally.check_once()
