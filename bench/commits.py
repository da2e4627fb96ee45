"""Commits beside a bare append: how much a match that is stored costs over bytes that are stored.

A commit: `RedisStore.commit` of a move in a match of up to 80 plies with two timers: encoding, one trip, one script.
Bare: one EVALSHA of a script that appends as many bytes as the commit sends, on the same connections: with redis-py's own
command, which is what one would write without the store, and through the store's pipeline, which costs less.

One match at a time, and 50 at once; on a server that leaves the disk to the system, and on one set up as the embedded one.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from math import exp
from math import log as natural
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from redis.asyncio import Redis

from bench.measure import Budget, Goal, Row, Series
from bench.playouts import logged, playouts
from bench.trips import Overheard
from play.facts import Moved
from play.match import Ply
from play.ports import Operation, Timer
from rules.klopodavka import GAME as KLOPODAVKA
from storage import EmbeddedRedis, RedisStore
from storage.client.connecting import by_socket

RATE: Final = Goal(at_least=0.8)
PLIES: Final = 80
AT_ONCE: Final = (1, 50)
FSYNC: Final = {"no": "no fsync", "always": "fsync always"}
PEERS: Final = ("redis-py", "pipeline")
PIECE: Final = {"no": 400, "always": 100}
"""Commits in one sample, shared out among the matches."""

_APPEND: Final = "return redis.call('APPEND', KEYS[1], ARGV[1])"


@dataclass
class Side:
    """One way to store something again and again, and how long each took."""

    once: Callable[[int, int], Awaitable[object]]
    rates: list[float]
    waits: list[float]


def rows(budget: Budget) -> Sequence[Row]:
    """For each server and number of matches at once: commits beside bare appends."""
    return [row for fsync in FSYNC for row in asyncio.run(_measured(fsync, budget))]


async def _measured(fsync: str, budget: Budget) -> list[Row]:
    with TemporaryDirectory(prefix="klop-bench-") as directory:
        async with EmbeddedRedis(Path(directory), {"appendfsync": fsync}) as server:
            client = by_socket(server.socket)
            try:
                return [row for many in AT_ONCE for row in await _beside(client, many, fsync, budget)]
            finally:
                await client.aclose()


async def _beside(client: Redis, many: int, fsync: str, budget: Budget) -> list[Row]:
    store = RedisStore(client)
    facts = [_facts(f"m{number:05}") for number in range(many)]
    payloads = await _payloads(client, facts[0])
    digest = await client.script_load(_APPEND)
    done = [0] * many

    async def commit(at: int, _: int) -> None:
        count, done[at] = done[at], done[at] + 1
        await _stored(store, facts[at], count)

    async def plain(at: int, turn: int) -> None:
        payload = payloads[turn % PLIES]
        await client.execute_command("EVALSHA", digest, 1, f"bare:{{{at}}}:{turn}", payload)  # type: ignore[no-untyped-call]

    async def pipelined(at: int, turn: int) -> None:
        await store.connection.command("EVALSHA", digest, 1, f"bare:{{{at}}}:{turn}", payloads[turn % PLIES])

    sides = [Side(once, [], []) for once in (commit, plain, pipelined)]
    for turn in range(budget.rounds):
        for step in range(len(sides)):
            await _sample(sides[(turn + step) % len(sides)], many, max(1, PIECE[fsync] // many))
    await client.flushall()
    size = sum(map(len, payloads)) // PLIES
    name = f"{FSYNC[fsync]}, {many} at once, {size} bytes"
    return [
        row for peer, side in zip(PEERS, sides[1:], strict=True) for row in _rows(name, sides[0], peer, side)
    ]


def _rows(name: str, ours: Side, peer: str, theirs: Side) -> list[Row]:
    made = []
    for what, rate, goal in ((name, True, RATE), (f"{name}: each", False, None)):
        mine, other = (side.rates if rate else side.waits for side in (ours, theirs))
        made.append(
            Row(
                what,
                "commit",
                Series("commits", tuple(mine)),
                Series(peer, tuple(other)),
                rate=rate,
                goal=goal,
            )
        )
    return made


async def _sample(side: Side, many: int, each: int) -> None:
    async def one(at: int) -> None:
        for turn in range(each):
            began = time.perf_counter()
            await side.once(at, turn)
            side.waits.append(time.perf_counter() - began)

    gc.collect()
    gc.disable()
    began = time.perf_counter()
    await asyncio.gather(*map(one, range(many)))
    side.rates.append((time.perf_counter() - began) / (each * many))
    gc.enable()


def _facts(match_id: str) -> list[Moved]:
    played = next(playouts(KLOPODAVKA, {"board": "10x10"}, least=PLIES, most=PLIES))
    match = logged(played, match_id)
    luck, at = Random(match_id), match.opened
    log: tuple[Ply, ...] = ()
    facts = []
    for entry in match.log:
        assert isinstance(entry, Ply)
        at += timedelta(seconds=exp(luck.uniform(natural(5), natural(86_400))))
        ply = replace(entry, at=at)
        log = (*log, ply)
        facts.append(Moved(replace(match, log=log, touched=at), ply.seat, (ply,), True, ()))
    return facts


async def _stored(store: RedisStore, facts: Sequence[Moved], count: int) -> None:
    fact = facts[count % PLIES]
    at = fact.plies[-1].at
    await store.matches.commit(
        fact,
        count,
        operation=Operation(f"update:{fact.match.id}:{count}", "move a2-a3"),
        timers=(Timer("flag", at), Timer("remind", at)),
    )


async def _payloads(client: Redis, facts: Sequence[Moved]) -> list[bytes]:
    store = RedisStore(client)
    overheard = Overheard.of(store)
    for count in range(PLIES):
        await _stored(store, facts, count)
    sizes = [
        sum(len(word) if isinstance(word, bytes) else len(str(word)) for word in command.words[2:])
        for (command,) in overheard.take()
    ]
    await client.flushall()
    return [bytes(size) for size in sizes]
