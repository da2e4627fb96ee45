"""Engines that fail, hang and keep every processor busy: every match goes on, and the loop stays free."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final

import pytest
import pytest_asyncio

from bot.chat.thinking import Thinker, thinker
from bot.chat.thinking import seats as seating
from bot.chat.thinking.jobs import Job, Reply, job_for
from bot.chat.thinking.pool import Pool
from bot.chat.thinking.seats import Seats
from play.actions.agreeing import Undo
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.errors import WrongPhase
from play.match import engine
from play.opening import Challenge
from play.request import Request
from rules import GAMES
from tests.bot.chat.thinking.workers import faulty
from tests.bot.world import ANN, ROOM, World
from tests.reliability.conftest import Figure, Scale

AT_ONCE: Final = 8
LAG: Final = 0.05
"""Seconds that the loop may be late, in all but one case of a hundred."""


@pytest_asyncio.fixture
async def pool() -> AsyncIterator[Pool]:
    made = Pool(4, 700, faulty)
    yield made
    await made.close()


async def test_faults_and_no_match_stands_still(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, scale: Scale, figure: Figure
) -> None:
    """Of every four matches one is over, and one taken back, before the answer comes."""
    monkeypatch.setattr(thinker, "GRACE", 1.0)
    monkeypatch.setattr(seating, "LONGEST", 0.5)
    world, faults = World(), scale(200, 16)
    searches: Counter[int] = Counter()
    solve = pool.solve

    async def counted(job: Job, seconds: float) -> Reply:
        searches[job.seed] += 1  # each turn has a seed of its own
        return await solve(job, seconds)

    monkeypatch.setattr(pool, "solve", counted)
    seats = Seats(world.table, world.store, Thinker(pool), lambda: world.now)

    async def one(number: int) -> float:
        fact = await world.table.open(
            Challenge(ROOM, "breakthrough", {"board": "5x5"}, opponents=[engine(5)]), Request(ANN, world.now)
        )
        match = (await world.table.act(fact.match.id, MakeMove("a2-a3"), Request(ANN, world.now))).match
        began = time.monotonic()
        seats.look(match)
        await asyncio.sleep(0.01)
        if number % 4 == 2:
            with suppress(WrongPhase):  # the answer was there already
                await world.table.act(match.id, Undo(), Request(ANN, world.now))
        if number % 4 == 3:
            await world.table.act(match.id, Resign(), Request(ANN, world.now))
        if task := seats._busy.get(match.id):
            await asyncio.wait([task])
        log = (await world.table.get(match.id)).log
        assert len(log) in ((2,), (2,), (0, 2), (1, 2))[number % 4], (number, log)
        return time.monotonic() - began

    slowest = 0.0
    for first in range(0, faults, AT_ONCE):
        slowest = max(slowest, *await asyncio.gather(*map(one, range(first, first + AT_ONCE))))
    await seats.close()
    figure(
        f"workers killed, hung, out of memory or late: {faults}; every match went on within {slowest:.1f} s"
    )
    assert max(searches.values()) <= thinker.TRIES + 1  # each of which is killed when its time is over


async def test_the_loop_is_not_held_up_by_busy_workers(scale: Scale, figure: Figure) -> None:
    """Every processor searches as hard as it can, one worker more than there are; then no end of instant answers."""
    workers = (os.cpu_count() or 1) + 1
    pool = Pool(workers)
    loop = asyncio.get_running_loop()
    lags: list[float] = []

    async def watch() -> None:
        while True:
            before = loop.time()
            await asyncio.sleep(0.01)
            lags.append(loop.time() - before - 0.01)

    def job(key: str, level: int | None, seconds: float, seed: int) -> Job:
        game = GAMES[key]
        options = game.choose({})
        return job_for(game, options, game.start(options), level=level, seconds=seconds, seed=seed)

    full = [
        job(("breakthrough", "klopodavka")[seed % 2], None, 2.0, seed)
        for seed in range(scale(30, 2) * workers)
    ]
    instant = [job("lgame", 1, 1.0, seed) for seed in range(scale(600, 40))]
    try:
        await asyncio.gather(*(pool.solve(job("lgame", 1, 1.0, seed), 60) for seed in range(workers)))
        said = []
        for what, jobs in (("at full search", full), ("with instant jobs", instant)):
            lags.clear()
            watching = asyncio.create_task(watch())
            await asyncio.gather(*(pool.solve(each, 60) for each in jobs))
            watching.cancel()
            lags.sort()
            late = lags[int(len(lags) * 0.99)]
            said.append(f"{late * 1e3:.1f} ms {what} ({len(jobs)} jobs, {len(lags)} looks)")
            if scale(1, 0):  # in the short run others share the machine
                assert late < LAG, said
    finally:
        await pool.close()
    figure(f"the loop beside {workers} busy workers is late by (99th of a hundred): {', '.join(said)}")
