"""Timers of many matches, looked after by three bots that get killed: none fires early, none twice; outages cost no player time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from play.actions.seating import Join
from play.facts import Started
from play.match import Closing, Match, Phase
from play.opening import Challenge
from play.people import Address
from play.request import Request
from play.time.clock import Clock, Now, Outage, deadline
from play.time.timers import timers
from storage.client.connecting import by_socket
from storage.keys import operation_key
from storage.ports import FullStore
from storage.redis.matches import OPERATION_SECONDS
from storage.redis.store import RedisStore
from tests.reliability.conftest import Figure, Scale
from tests.reliability.load import ANN, BOB, table_on
from tests.reliability.processes import Bot
from tests.reliability.worker import FIVE_MINUTES, PLATFORM
from tests.support.memory import MemoryStore
from tests.support.servers import redis_server
from tests.support.waiting import eventually

BOTS: Final = 3
PLACES: Final = 50
SECOND: Final = timedelta(seconds=1)
OUTAGE: Final = timedelta(hours=2)
PATIENCE: Final = 300.0  # seconds for the last timers to be fired, far more than they need


class Bots:
    """Bots on one store; any of them may be killed, and another takes its place."""

    def __init__(self, server: Path, log: Path) -> None:
        self._where, self._log = f"unix://{server}", log
        self.running: list[Bot] = []
        self.kills = 0

    async def start(self, fault: str | None = None) -> Bot:
        bot = await Bot.start(self._where, self._log, fault)
        self.running.append(bot)
        return bot

    async def kill(self, luck: random.Random) -> None:
        bot = luck.choice(self.running)
        self.running.remove(bot)
        await bot.end()
        self.kills += 1

    async def end(self) -> None:
        for bot in self.running:
            await bot.end()


@asynccontextmanager
async def bots_on(server: Path, log: Path) -> AsyncIterator[Bots]:
    bots = Bots(server, log)
    try:
        yield bots
    finally:
        await bots.end()


async def timed(count: int) -> Sequence[Match]:
    """So many matches on the clock, as they are when they begin."""
    table = table_on(MemoryStore())
    at = datetime.fromisoformat("2026-01-01T00:00:00Z")
    made = await table.open(
        Challenge(Address(PLATFORM, "x"), "lgame", opponents=(BOB,), clock=Clock(FIVE_MINUTES)),
        Request(ANN, at),
    )
    match = (await table.act(made.match.id, Join(), Request(BOB, at))).match
    assert match.times
    match = replace(match, times=replace(match.times, share=0))  # no reminders: only flags are tried here
    return [
        replace(match, id=f"t{number:05}", addresses=(Address(PLATFORM, f"hall-{number % PLACES}"),))
        for number in range(count)
    ]


async def stored(store: FullStore, match: Match, falls: datetime) -> Match:
    """The match with a flag that falls at a moment, if the bot is not down meanwhile."""
    assert match.times
    match = replace(match, times=replace(match.times, since=falls - FIVE_MINUTES))
    return (
        await store.matches.commit(Started(match), 0, timers=timers(match, Now(falls)), announce=False)
    ).match


async def fired_at(store: RedisStore, match: Match) -> datetime | None:
    """When the flag that ended a match was fired, by the server's clock; None if it was not."""
    key = operation_key(match.id, f"timer:{match.id}:{match.revision - 1}:flag")
    lasts = int(await store.connection.command("PTTL", key))
    at = await store.now()
    return None if lasts < 0 else at - (timedelta(seconds=OPERATION_SECONDS) - timedelta(milliseconds=lasts))


async def over(store: RedisStore, matches: Sequence[Match]) -> bool:
    """Whether every one of some matches has come to its end."""
    while matches:
        if (await store.matches.load(matches[-1].id)).match.phase is not Phase.OVER:
            return False
        matches = matches[:-1]
    return True


async def test_many_timers(scale: Scale, figure: Figure, tmp_path: Path) -> None:
    count, window, kills = scale(10_000, 250), scale(90, 8), scale(30, 4)
    luck = random.Random(13)
    with redis_server(tmp_path / "data") as server:
        client = by_socket(server)
        store = RedisStore(client, 60.0)
        begins = await store.now() + scale(20, 5) * SECOND
        falls = [begins + luck.uniform(0, window) * SECOND for _ in range(count)]
        matches = [
            await stored(store, match, at) for match, at in zip(await timed(count), falls, strict=True)
        ]
        async with bots_on(server, tmp_path / "log") as bots:
            for _ in range(BOTS):
                await bots.start()
            while bots.kills < kills:
                await asyncio.sleep(luck.uniform(0, 2 * window / kills))
                await bots.kill(luck)
                await bots.start()
            by_time = [match for _, match in sorted(zip(falls, matches, strict=True), key=lambda one: one[0])]
            await eventually(partial(over, store, by_time), limit=PATIENCE)
            early = doubled = wrong = 0
            late = []
            for match, at in zip(matches, falls, strict=True):
                now = (await store.matches.load(match.id)).match
                fired = await fired_at(store, now)
                assert fired
                early += fired < at - timedelta(milliseconds=2)  # what a lifetime in milliseconds can tell
                late.append(fired - at)
                doubled += now.revision > 2
                wrong += now.result is None or now.result.reason != Closing.TIME.value
            await client.aclose()
    late.sort()
    figure(
        f"timers: {count} fired by {BOTS} bots, of which {bots.kills} were killed: {early} early, {doubled}"
        f" doubled, {wrong} wrong; late by {_spelled(late[count // 2])} (median), {_spelled(late[-1])} at most"
    )
    assert early == doubled == wrong == 0


async def test_a_long_outage(scale: Scale, figure: Figure, tmp_path: Path) -> None:
    count, luck = scale(1000, 60), random.Random(17)
    with redis_server(tmp_path / "data") as server:
        client = by_socket(server)
        store = RedisStore(client, 60.0)
        last = await store.now() - OUTAGE
        await store.uptime.beat(last)
        made = await timed(2 * count)
        # Of these the flags would have fallen during the outage, and there is time left.
        safe = [await stored(store, match, last + luck.uniform(120, 299) * SECOND) for match in made[:count]]
        soon = [await stored(store, match, last + luck.uniform(8, 16) * SECOND) for match in made[count:]]
        async with bots_on(server, tmp_path / "log") as bots:
            first = await bots.start("before-beat:1")  # writes the outage down, and dies
            await first.gone.wait()
            await asyncio.gather(*(bots.start() for _ in range(BOTS)))
            await eventually(partial(over, store, soon), limit=PATIENCE)
            outages = await store.uptime.outages(last - OUTAGE)
            flagged = sum([not (await store.matches.load(match.id)).match.live for match in safe])
            early = 0
            for match in soon:
                assert match.times
                falls = deadline(match.times, Now(match.changed_at, outages))
                fired = await fired_at(store, (await store.matches.load(match.id)).match)
                assert falls
                assert fired
                early += fired < falls - timedelta(milliseconds=2)
        await client.aclose()
    figure(
        f"outage of {_length(outages)}: {len(safe)} matches whose time was up in it: {flagged} flagged;"
        f" {len(soon)} with seconds left flagged after it, {early} of them early"
    )
    assert sum((one.end - one.start for one in outages), timedelta()) >= OUTAGE
    assert flagged == early == 0


def _spelled(length: timedelta) -> str:
    return f"{length.total_seconds():.2f} s"


def _length(outages: Sequence[Outage]) -> str:
    return " and ".join(str(one.end - one.start).partition(".")[0] for one in outages)
