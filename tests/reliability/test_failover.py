"""A master that is killed while matches are played: a replica takes over, and what was confirmed is there."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import median
from typing import Final

import pytest

from play.errors import Unavailable
from storage import open_store
from storage.client import by_url
from storage.redis.store import RedisStore
from tests.reliability.conftest import Figure, Scale
from tests.reliability.load import Pair, Tally, Watch, check, table_on
from tests.support.clusters import Cluster, Watched, replicated_cluster, watched_master
from tests.support.waiting import eventually

AT_ONCE: Final = 12
LONGEST: Final = 10.0
"""Seconds from the death of a master until all that it had can be written again."""

PROBES: Final = [("SET", f"klop:probe:{number}", number) for number in range(60)]
"""Writes of which some go to each master."""


@pytest.mark.parametrize("deployed", [replicated_cluster, watched_master], ids=["cluster", "sentinel"])
async def test_a_replica_takes_over(
    deployed: Callable[[Path], AbstractContextManager[Cluster | Watched]],
    scale: Scale,
    figure: Figure,
    tmp_path: Path,
) -> None:
    failovers, tally, luck, going = scale(20, 1), Tally(), random.Random(5), True
    back: list[float] = []
    with deployed(tmp_path) as servers:
        client = by_url(servers.seeds)
        store = RedisStore(client)
        table = table_on(Watch(store, tally))
        pairs = [Pair(table, f"f{number}", tally) for number in range(AT_ONCE)]
        playing = asyncio.gather(*(pair.play(lambda: going) for pair in pairs))
        for _ in range(failovers):
            await asyncio.sleep(luck.uniform(0.2, 1.0))
            master = await asyncio.to_thread(servers.master, luck)
            await asyncio.to_thread(master.kill)
            back.append(await _seconds_until_writable(store))
            async with open_store(servers.seeds, tmp_path):  # a bot that starts while the server is away
                await asyncio.to_thread(master.start)
            await eventually(lambda: asyncio.to_thread(servers.whole))
        going = False
        await playing
        await check(store, pairs, tally)
        await client.aclose()
    figure(
        f"master killed {failovers} times, a replica took over: {tally.asked} operations, {tally.moves} confirmed moves:"
        f" {tally.lost} lost, {tally.doubled} doubled, {tally.untold} untold, {tally.told_twice} told twice;"
        f" back in {median(back):.1f} s (median), {max(back):.1f} s at most; {tally.unavailable} told to ask again,"
        f" longest call {tally.longest:.2f} s"
    )
    assert tally.lost == tally.doubled == tally.untold == tally.told_twice == 0
    if scale(1, 0):  # in the short form others share the machine
        assert max(back) <= LONGEST


async def _seconds_until_writable(store: RedisStore) -> float:
    began = time.monotonic()
    while True:
        try:
            await store.connection.batch(PROBES)
        except Unavailable:
            continue
        return time.monotonic() - began
