"""Desk, clockwork and sender as a process: `python worker.py <unix URL>`, for proofs of the store and of timers.

Requests come as lines of JSON and are answered so; messages to chats are dropped. The whole bot is in `bot_process`.

    {"id": "m7.3", "who": "ann", "place": "hall", "text": "/move a2-a3"}   ->   {"id": "m7.3", "said": []}
    {"id": "t7", "timed": 1.5, "who": "ann", "other": "bob", "place": "hall"}  a match under way, so long for each turn
    {"id": "r7", "race": "k7q2ab", "who": "ann", "text": "a2-a3", "seen": 2}   a move by a person who saw a revision
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from bot.chat.clockwork import Clockwork
from bot.chat.desk import Desk
from bot.chat.periodic import StoreClock
from bot.chat.sending import Sender
from bot.chat.sending.composer import Composer, NextTurnNotices
from bot.chat.sending.ports import Pace, Recipient
from bot.chat.sending.routing import label
from bot.chat.view import View
from bot.chat.visitor import Visitor
from bot.features.events.announcing import EventComposer
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.errors import Stale, Unavailable
from play.opening import Challenge
from play.people import Account, Address, Player
from play.ports import Operation, SystemChance
from play.request import Request
from play.table import Table
from play.time.clock import Clock
from rules import GAMES
from storage import open_store
from tests.support.services import services

PLATFORM: Final = "toy"
FIVE_MINUTES: Final = timedelta(minutes=5)
"""The shortest clock there is."""
LEASE: Final = timedelta(seconds=5)
"""Of a timer: short, so that those of a dead bot come again soon, and that a slow one is overtaken at times."""


def player(name: str) -> Player:
    return Player(Account(PLATFORM, name), name)


class Courier:
    """Drops what it delivers."""

    platform = PLATFORM
    pace = Pace()

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
        return f"{label(to)} {nonce}"

    async def edit(self, ref: str, view: View) -> None:
        pass

    async def reads(self, where: Address, who: Account) -> bool:
        return True

    def buried(self, to: Recipient, ref: str) -> bool:
        return False

    async def close(self, ref: str, view: View | None) -> None:
        pass


class Worker:
    def __init__(self, table: Table, desk: Desk, clock: StoreClock) -> None:
        self.table, self.desk, self.clock = table, desk, clock
        self._unwarned: set[Account] = set()

    async def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if "race" in request:
            return await self.race(request)
        if "timed" in request:
            return await self.timed(request)
        who, place = player(request["who"]), Address(PLATFORM, request["place"])
        visitor = Visitor(who, place, find=player, request=request["id"])
        await self._warn_no_more(who.account)
        messages = await self.desk.answer(visitor, request["text"])
        return {"said": [line for message in messages for line in message.view.lines]}

    async def _warn_no_more(self, who: Account) -> None:
        """Have the losing moves of a random game played without a question."""
        if who not in self._unwarned:
            with suppress(Unavailable):
                await self.table.store.settings.change(who, lambda now: replace(now, warnings=False))
                self._unwarned.add(who)

    async def race(self, request: dict[str, Any]) -> dict[str, Any]:
        operation = Operation(request["id"], request["text"])
        try:
            fact = await self.table.act(
                request["race"],
                MakeMove(request["text"]),
                Request(
                    player(request["who"]),
                    self.clock(),
                    seen=request["seen"],
                    operation=operation,
                ),
            )
        except Stale as stale:
            match = stale.match
        except Unavailable:
            return {"said": ["unavailable"]}
        else:
            return {"won": True, "revision": fact.match.revision, "log": str(fact.match.log)}
        return {"won": False, "revision": match.revision, "log": str(match.log)}

    async def timed(self, request: dict[str, Any]) -> dict[str, Any]:
        """A match whose first turn began so long ago that its time is nearly up."""
        one, other, place = (
            player(request["who"]),
            player(request["other"]),
            Address(PLATFORM, request["place"]),
        )
        operation = Operation(request["id"], "timed")
        at = self.clock() - FIVE_MINUTES + timedelta(seconds=request["timed"])
        try:
            made = await self.table.open(
                Challenge(place, "lgame", opponents=(other,), clock=Clock(FIVE_MINUTES)),
                Request(one, at, operation=operation),
            )
            operation = Operation(f"{request['id']}.a", "accept")
            begun = await self.table.act(made.match.id, Join(), Request(other, at, operation=operation))
        except Unavailable:
            return {"said": ["unavailable"]}
        return {"said": [], "code": begun.match.id}


async def main(url: str) -> None:
    async with open_store(url, Path(urlsplit(url).path).parent) as store:
        table = Table(store, GAMES, SystemChance())
        clock = StoreClock()
        clockwork = Clockwork(table, store, clock=clock, look=0.2, lease=LEASE)
        await clockwork.beat()
        worker = Worker(table, services(table, store, clock).desk, clock)
        composer = Composer(table, "en", events=EventComposer(table, "en"))
        sender = Sender(
            store.outgoing(),
            store.bucket(),
            composer,
            [Courier()],
            now=store.now,
            also=[NextTurnNotices(table, store)],
        )
        running = [asyncio.create_task(each) for each in (sender.run(), clockwork.run())]
        await serve(worker)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def serve(worker: Worker) -> None:
    """Answer requests until there are no more, each as soon as it is done."""
    reader = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    say({"ready": True})
    tasks: set[asyncio.Task[None]] = set()

    async def one(request: dict[str, Any]) -> None:
        try:
            answer = await worker.answer(request)
        except Exception as error:  # noqa: BLE001 - the caller needs the error
            answer = {"said": [f"broken: {error!r}"]}
        say({"id": request["id"], **answer})

    while line := await reader.readline():
        task = asyncio.create_task(one(json.loads(line)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)


def say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
