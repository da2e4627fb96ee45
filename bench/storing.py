"""What storing costs beside the commits themselves.

Records: encoding a match of 80 plies beside decoding it; with its size, while it is played and when it is over. Sender: facts of moves read from the stream, put into words and handed to a courier
that does nothing, until all are acknowledged; beside the same on a store that is a dict. Start: from nothing until the store
is open, with many matches in it and with none: on a server that runs already, and with the embedded one, which loads them;
and of the whole bot with that until it listens to Telegram, for it has libraries to load meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from math import exp, log
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from bench.measure import Budget, Goal, Row, Series, Side, interleaved
from bench.playouts import logged, playouts
from bot.chat.sending import Sender
from bot.chat.sending.composer import Composer
from bot.chat.sending.ports import Pace, Recipient
from bot.chat.view import View
from bot.features.events.announcing import EventComposer
from play.facts import Moved
from play.match import Closing, Match, Phase, Ply, Result
from play.people import Account, Address
from play.ports import SystemChance, Timer
from play.table import Table
from rules import GAMES
from rules.core import Seat
from storage import EmbeddedRedis, FullStore, RedisStore, open_store
from storage.client.connecting import by_socket
from storage.records import codec
from tests.platforms.telegram.process import BotProcess
from tests.platforms.telegram.server import BotApi
from tests.support.memory import MemoryStore

PLIES: Final = 80
RUNNING: Final = 1300
"""Bytes that a match of so many plies takes at most while it is played."""

STORED: Final = 100_000
"""Matches in the store that is opened."""
SLOWER: Final = Goal(below=1.1)
"""Opening takes as long with them as without, but for what a measurement is worth."""

BOARDS: Final = {"lgame": {}, "breakthrough": {"board": "10x10"}, "klopodavka": {"board": "10x10"}}


def rows(budget: Budget) -> Sequence[Row]:
    """The three of them."""
    return [
        *_records(budget),
        asyncio.run(_sending(budget)),
        *asyncio.run(_starting(budget)),
    ]


def slow(match: Match) -> Match:
    """A match as people play it: turns take seconds or a day."""
    luck, at, entries = Random(match.id), match.opened, []
    for entry in match.log:
        assert isinstance(entry, Ply)
        at += timedelta(seconds=exp(luck.uniform(log(5), log(86_400))))
        entries.append(replace(entry, at=at))
    return replace(match, log=tuple(entries), touched=at)


def _records(budget: Budget) -> list[Row]:
    made = []
    for key, chosen in BOARDS.items():
        played = next(playouts(GAMES[key], chosen, least=PLIES, most=PLIES))
        match = slow(logged(played, "k7q2ab"))
        over = replace(
            match, phase=Phase.OVER, result=Result((Seat.S1,), Closing.RESIGNED.value), touched=None
        )
        sizes = [len(codec.encode(one)) for one in (match, over)]
        if sizes[0] > RUNNING or sizes[1] >= sizes[0]:
            raise ValueError(f"{key}: records of {sizes} bytes")

        record = codec.encode(match)

        def writing(match: Match = match) -> None:
            codec.encode(match)

        def reading(match: Match = match, record: bytes = record) -> None:
            codec.decode(match.id, record)

        written, read = interleaved([Side("written", writing, 1), Side("read", reading, 1)], budget)
        name = f"{key}, {PLIES} plies: {sizes[0]} bytes, over {sizes[1]}"
        made.append(Row(name, "record", written, read, rate=False))
    return made


class NullCourier:
    """A courier that delivers nothing."""

    platform = "console"
    closes = True
    pace = Pace()

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:  # noqa: ARG002
        """Nothing is shown."""
        return nonce

    async def edit(self, ref: str, view: View) -> None:
        """Nothing is changed."""

    async def reads(self, where: Address, who: Account) -> bool:  # noqa: ARG002
        """Everyone does."""
        return True

    def buried(self, to: Recipient, ref: str) -> bool:  # noqa: ARG002
        """Nothing stands below anything."""
        return False

    async def close(self, ref: str, view: View | None) -> None:
        """Nothing is folded."""


async def _sending(budget: Budget) -> Row:
    with TemporaryDirectory(prefix="klop-bench-") as directory:
        async with EmbeddedRedis(Path(directory), {"appendfsync": "no"}) as server:
            client = by_socket(server.socket)
            taken: tuple[list[float], list[float]] = ([], [])
            for turn in range(budget.rounds):
                await client.flushall()
                stores: Sequence[FullStore] = (RedisStore(client), MemoryStore())
                for at in (0, 1) if turn % 2 else (1, 0):
                    taken[at].append(await _sent(stores[at], budget))
            await client.aclose()
    ours, dict_ = (
        Series(name, tuple(found)) for name, found in zip(("sender", "on a dict"), taken, strict=True)
    )
    return Row("facts told, a match at each of 20 places", "fact", ours, dict_)


async def _sent(store: FullStore, budget: Budget) -> float:
    played = next(playouts(GAMES["breakthrough"], {"board": "8x8"}, least=40, most=40))
    count, facts = 0, 5 * budget.matches
    for place in range(20):
        match = logged(played, f"s{place:05}", f"hall{place}")
        for length in range(1, facts + 1):
            entries = match.log[:length]
            moved = Moved(replace(match, log=entries), entries[-1].seat, (entries[-1],), True, ())  # type: ignore[arg-type]
            await store.matches.commit(moved, length - 1)
            count += 1
    table = Table(store, GAMES, SystemChance())
    sender = Sender(
        store.outgoing(),
        store.bucket(),
        Composer(table, "en", events=EventComposer(table, "en")),
        [NullCourier()],
        now=store.now,
    )
    began = time.perf_counter()
    await sender.drain()
    took = time.perf_counter() - began
    await sender.close()
    return took / count


async def _starting(budget: Budget) -> list[Row]:
    count = STORED if budget.rounds > 5 else 300
    with TemporaryDirectory(prefix="klop-bench-") as directory:
        full, empty = Path(directory) / "full", Path(directory) / "empty"
        async with EmbeddedRedis(full, {"appendfsync": "no"}) as server:
            client = by_socket(server.socket)
            await _filled(RedisStore(client), count)
            await client.aclose()
            async with EmbeddedRedis(empty) as other:
                sides = [f"unix://{one.socket}" for one in (server, other)]
                there = [await _opened(sides, empty) for _ in range(budget.rounds)]
        loads = [
            (await _opened([None], full), await _opened([None], empty))
            for _ in range(max(2, budget.rounds // 5))
        ]
        serves = [(await _served(full), await _served(empty)) for _ in range(max(2, budget.rounds // 5))]
    return [
        _opening(f"a server that runs, {count} matches", [(one[0], one[1]) for one in there], SLOWER),
        _opening(f"the embedded server, {count} matches", [(one[0], other[0]) for one, other in loads], None),
        _opening(f"the whole bot with it, {count} matches", serves, SLOWER),
    ]


def _opening(what: str, found: Sequence[tuple[float, float]], goal: Goal | None) -> Row:
    ours, none = zip(*found, strict=True)
    return Row(what, "start", Series("full", ours), Series("empty", none), cost=True, rate=False, goal=goal)


async def _opened(urls: Sequence[str | None], directory: Path) -> list[float]:
    taken = []
    for url in urls:
        began = time.perf_counter()
        async with open_store(url, directory) as store:
            await store.now()
            taken.append(time.perf_counter() - began)
    return taken


async def _served(directory: Path) -> float:
    api = BotApi()
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # the bot ends in the middle of a question
    async with api.serving():
        bot = BotProcess(api, directory)
        began = time.perf_counter()
        await bot.start()
        took = time.perf_counter() - began
        await bot.end()
    return took


async def _filled(store: RedisStore, count: int) -> None:
    played = next(playouts(GAMES["breakthrough"], {"board": "8x8"}, least=60, most=60))
    match = slow(logged(played, "k7q2ab"))
    numbers = iter(range(count))

    async def some() -> None:
        for number in numbers:
            one = replace(match, id=f"f{number:05x}", log=match.log[: number % 60])
            if number % 10:
                one = replace(one, phase=Phase.OVER, result=Result((Seat.S1,), Closing.RESIGNED.value))
            timers = (Timer("silence", match.log[-1].at),) if one.live else ()
            await store.matches.commit(Moved(one, Seat.S1, (), True, ()), 0, timers=timers, announce=False)

    await asyncio.gather(*(some() for _ in range(50)))
