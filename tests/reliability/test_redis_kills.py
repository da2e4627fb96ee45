"""A server that is killed while matches are played: what was confirmed is there when it is back."""

from __future__ import annotations

import asyncio
import random
import time
from pathlib import Path
from typing import Final

from storage.client import by_socket
from storage.redis.store import RedisStore
from tests.reliability.conftest import Figure, Scale
from tests.reliability.load import Pair, Tally, Watch, check, table_on
from tests.support.servers import Server

AT_ONCE: Final = 12
LONGEST: Final = 2.5


async def test_a_server_killed_under_load(scale: Scale, figure: Figure, tmp_path: Path) -> None:
    kills, tally, luck = scale(50, 5), Tally(), random.Random(3)
    server = Server(tmp_path / "data")  # as the embedded one is: on the disk before it is confirmed
    going = True
    try:
        server.start()
        client = by_socket(server.socket)
        table = table_on(Watch(RedisStore(client), tally))
        pairs = [Pair(table, f"k{number}", tally) for number in range(AT_ONCE)]
        playing = asyncio.gather(*(pair.play(lambda: going) for pair in pairs))
        back = []
        for _ in range(kills):
            await asyncio.sleep(luck.uniform(0.1, 0.8))
            await asyncio.to_thread(server.kill)
            before = tally.asked
            await asyncio.sleep(luck.choice((0, 0, 0.5, 2.5)))  # at times longer than a client waits
            assert tally.asked <= before + AT_ONCE, "nothing was confirmed by a dead server"
            began = time.monotonic()
            await asyncio.to_thread(server.start)
            back.append(time.monotonic() - began)
        await asyncio.sleep(0.5)
        going = False
        await playing
        await check(RedisStore(client), pairs, tally)
        await client.aclose()
    finally:
        server.kill()
    figure(
        f"server killed {kills} times under load: {tally.asked} operations, {tally.moves} confirmed moves:"
        f" {tally.lost} lost, {tally.doubled} doubled, {tally.untold} untold, {tally.told_twice} told twice;"
        f" {tally.unavailable} told to ask again, longest call {tally.longest:.2f} s,"
        f" at most {max(back):.2f} s until it answered again"
    )
    assert tally.lost == tally.doubled == tally.untold == tally.told_twice == 0
