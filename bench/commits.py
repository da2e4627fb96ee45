"""Commits beside a bare append: how much a match that is stored costs over bytes that are stored.

A commit: `RedisStore.commit` of a move in a match of 40 plies with two timers: encoding, one trip, one script.
Bare: one EVALSHA of a script that appends as many bytes as the commit sends, on the same connections: with redis-py's own
command, which is what one would write without the store, and through the store's funnel, which costs less.

One match at a time, and 50 at once; on a server that leaves the disk to the system, and on one set up as the embedded one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from redis.asyncio import Redis

from bench.measure import Budget, Goal, Row, Series
from bench.playouts import logged, playouts
from bench.trips import Overheard
from play.facts import Moved
from play.match import Match, Ply
from play.ports import Operation, Timer
from rules.breakthrough import GAME as BREAKTHROUGH
from storage import EmbeddedRedis, RedisStore
from storage.client import by_socket
from storage.trips import Script

RATE: Final = Goal(at_least=0.8)
PLIES: Final = 40
AT_ONCE: Final = (1, 50)
FSYNC: Final = {"no": "everysec or no fsync", "always": "appendfsync always"}
PIECE: Final = 400
"""Commits in one sample, shared out among the matches."""

_APPEND: Final = "return redis.call('APPEND', KEYS[1], ARGV[1])"
_COMMIT: Final = Script("commit")


@dataclass
class Side:
    """One way to store something again and again, and how long each took."""

    once: Callable[[int, int], Awaitable[object]]
    rates: list[float]
    waits: list[float]


def rows(budget: Budget) -> Sequence[Row]:
    """For each server and number of matches at once: commits beside bare appends."""
    return [row for fsync, said in FSYNC.items() for row in asyncio.run(_measured(fsync, said, budget))]


async def _measured(fsync: str, said: str, budget: Budget) -> list[Row]:
    with TemporaryDirectory(prefix="klop-bench-") as directory:
        async with EmbeddedRedis(Path(directory), {"appendfsync": fsync}) as server:
            client = by_socket(server.socket)
            try:
                return [row for many in AT_ONCE for row in await _beside(client, many, said, budget)]
            finally:
                await client.aclose()


async def _beside(client: Redis, many: int, said: str, budget: Budget) -> list[Row]:
    store = RedisStore(client)
    played = next(playouts(BREAKTHROUGH, {"board": "8x8"}, least=PLIES, most=PLIES))
    matches = [logged(played, f"m{number:05}") for number in range(many)]
    size = await _size(client, matches[0])
    digest = await client.script_load(_APPEND)
    payload = bytes(size)
    count = 0

    async def commit(at: int, _: int) -> None:
        nonlocal count
        count += 1
        matches[at] = await _moved(store, matches[at], count)

    async def plain(at: int, turn: int) -> None:
        await client.execute_command("EVALSHA", digest, 1, f"bare:{{{at}}}:{turn}", payload)  # type: ignore[no-untyped-call]

    async def funnelled(at: int, turn: int) -> None:
        await store.line.command("EVALSHA", digest, 1, f"bare:{{{at}}}:{turn}", payload)

    sides = [Side(once, [], []) for once in (commit, plain, funnelled)]
    for match in list(matches):
        matches[matches.index(match)] = (
            await store.commit(Moved(replace(match, revision=0), match.log[-1].seat, (), True, ()), 0)
        ).match
    for turn in range(2 * budget.rounds):
        for step in range(len(sides)):
            await _sample(sides[(turn + step) % len(sides)], many, turn)
    await client.flushall()
    name = f"{said}, {many} at once, {size} bytes"
    ours, *peers = (
        Series(label, tuple(side.rates))
        for label, side in zip(("commits", "redis-py", "funnel"), sides, strict=True)
    )
    return [Row(name, "commit", ours, peer, goal=RATE) for peer in peers]


async def _sample(side: Side, many: int, turn: int) -> None:
    each = max(1, PIECE // many)

    async def one(at: int) -> None:
        for _ in range(each):
            began = time.perf_counter()
            await side.once(at, turn)
            side.waits.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*map(one, range(many)))
    side.rates.append((time.perf_counter() - began) / (each * many))


async def _moved(store: RedisStore, match: Match, count: int) -> Match:
    """A move: the last ply is played again at another time, so that the match does not grow while it is measured."""
    last = match.log[-1]
    assert isinstance(last, Ply)
    at = last.at.replace(microsecond=count % 1_000_000)
    match = replace(match, log=(*match.log[:-1], replace(last, at=at)), touched=at)
    fact = Moved(match, last.seat, (last,), True, ())
    timers = (Timer("flag", at), Timer("remind", at))
    committed = await store.commit(
        fact, match.revision, operation=Operation(f"update:{match.id}:{count}", "move a2-a3"), timers=timers
    )
    return committed.match


async def _size(client: Redis, match: Match) -> int:
    """How many bytes a commit sends."""
    store = RedisStore(client)
    overheard = Overheard.of(store)
    first = (await store.commit(Moved(replace(match, revision=0), match.log[-1].seat, (), True, ()), 0)).match
    overheard.take()
    await _moved(store, first, 0)
    ((command,),) = overheard.take()
    await client.flushall()
    return sum(len(word) if isinstance(word, bytes) else len(str(word)) for word in command.words[2:])
