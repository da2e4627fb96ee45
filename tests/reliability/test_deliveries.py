"""Each request is delivered one to five times, the later ones at any moment: people see the same as if each came once.

Telegram brings its updates to the webhook again, and in any order. Discord's gateway sends interactions again, half of them as
if they had not been acknowledged, which is what two bots with one token see.
"""

from __future__ import annotations

import random
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import pytest

from tests.reliability.chats import discord, telegram
from tests.reliability.conftest import Figure, Scale
from tests.reliability.scenario import Scenario
from tests.reliability.tally import Tally

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
