"""`python -m tests.reliability.month <seed> <matches>` plays a month, and prints what happened."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from typing import Any

from play.match import Phase
from play.table import Table
from rules import GAMES
from tests.reliability.month.people import MONTH, Bots, Pair
from tests.reliability.month.watching import HOUR, Drawn, Store, Watch, hold, now
from tests.support.waiting import play


async def month(seed: int, matches: int) -> dict[str, Any]:
    """Play a month; what happened, in figures.

    Raises:
        Broken: something did not hold.
    """
    luck, watch = random.Random(seed), Watch()
    watch.store = store = Store(luck, watch)
    watch.tables = [Table(store, GAMES, Drawn(luck)) for _ in range(2)]
    until = now() + MONTH
    bots = Bots(luck, watch, store)
    living = asyncio.create_task(bots.live(until))
    async with asyncio.TaskGroup() as group:
        for number in range(matches):
            group.create_task(Pair(number, seed, watch, bots).live(until))
    await living
    await bots.up.wait()
    await asyncio.sleep(2 * HOUR)  # what is still to be told is told
    for _ in range(600):
        await asyncio.sleep(0 if not store.outbox.streams.waiting else 60)
    hold(not store.outbox.streams.waiting, "everything is told")
    await bots.stop()
    watch.finish()
    over = sum(match.phase is Phase.OVER for match in store.matches.stored.values())
    return {
        "seed": seed,
        "matches": len(store.matches.stored),
        "over": over,
        "counts": dict(sorted(watch.counts.items())),
        "digest": watch.digest.hexdigest(),
    }


if __name__ == "__main__":
    print(json.dumps(play(month(int(sys.argv[1]), int(sys.argv[2])))))  # noqa: T201
