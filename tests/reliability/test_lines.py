"""Lines to the store that are slow, cut or dead: nothing is lost or doubled, and no call waits long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from storage.client import by_socket, by_url
from storage.redis.store import RedisStore
from tests.reliability.conftest import Figure, Scale
from tests.reliability.load import Pair, Tally, Watch, check, table_on
from tests.support.proxy import SHARES, Ill, faulty
from tests.support.servers import redis_server

AT_ONCE: Final = 16
"""Pairs that play side by side; where the proxy itself has much to do, a quarter of them."""

LONGEST: Final = 2.5
"""Seconds that a call may take at most."""

_TICK: Final = 0.02


class Lag:
    """How late this process itself is at most: what is not the store's fault."""

    def __init__(self) -> None:
        self.most = 0.0

    async def measure(self) -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(_TICK)
            self.most = max(self.most, time.monotonic() - began - _TICK)


@asynccontextmanager
async def measured() -> AsyncIterator[Lag]:
    lag = Lag()
    task = asyncio.create_task(lag.measure())
    try:
        yield lag
    finally:
        task.cancel()


@pytest.mark.parametrize("ill", Ill)
async def test_bad_lines(ill: Ill, scale: Scale, figure: Figure, tmp_path: Path) -> None:
    tally, many = Tally(), AT_ONCE // 4 if ill is Ill.SLICES else AT_ONCE
    operations = scale(5000, 60 if ill is Ill.SLICES else 250)
    with redis_server(tmp_path / "data") as server:
        async with faulty(server, ill, seed=7) as proxy, measured() as lag:
            client = by_url(f"redis://127.0.0.1:{proxy.port}")
            table = table_on(Watch(RedisStore(client), tally))
            pairs = [Pair(table, f"{ill.name}{number}", tally) for number in range(many)]
            began = time.monotonic()
            await asyncio.gather(*(pair.play(lambda: tally.asked < operations) for pair in pairs))
            took = time.monotonic() - began
            await client.aclose()
        direct = by_socket(server)
        await check(RedisStore(direct), pairs, tally)
        await direct.aclose()
    figure(
        f"{ill.value} ({SHARES[ill]:.0%} of questions): {tally.asked} operations in"
        f" {proxy.questions} questions, {proxy.befallen} of them befallen,"
        f" {tally.unavailable} told to ask again; {tally.lost} lost, {tally.doubled} doubled,"
        f" {tally.untold} untold, {tally.told_twice} told twice;"
        f" longest call {tally.longest:.2f} s (this process late by {lag.most:.2f} s), {took:.0f} s in all"
    )
    assert tally.asked >= operations
    assert proxy.befallen >= proxy.questions * SHARES[ill] / 4
    assert tally.lost == tally.doubled == tally.untold == tally.told_twice == 0
    if scale(1, 0):  # in the short form others share the machine
        assert tally.longest <= LONGEST + lag.most
