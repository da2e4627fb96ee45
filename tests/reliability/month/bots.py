"""Two bots that run or rest together, and the chats they write to."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Final

from bot.chat.clockwork import Clockwork
from bot.chat.sending import Sender
from bot.chat.sending.composer import Chosen, Composer, NextTurnNotices
from bot.chat.sending.ports import Pace, Recipient, Transient
from bot.chat.sending.routing import Announcement, label
from bot.chat.view import View
from bot.features.events.announcing import EventComposer
from play.errors import Unavailable
from play.events.event import AnyFact, subject_of
from play.people import Account, Address
from tests.reliability.month.knowing import HOUR, TROUBLE, Broken, now
from tests.reliability.month.storing import Store
from tests.reliability.month.watching import Watch

LOOK: Final = 300.0
"""Seconds between looks of the clockwork; the heartbeat goes on in between."""

BEAT: Final = 50.0


class Chats:
    """A platform that remembers nonces, and loses a message at times, before or after it came through."""

    platform = "toy"
    pace = Pace()

    def __init__(self, luck: random.Random, watch: Watch) -> None:
        self._luck, self._watch = luck, watch

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
        await self._pass(to, view, nonce)
        return f"{label(to)} {nonce}"

    async def edit(self, ref: str, view: View) -> None:
        platform, _, place = ref.partition(" ")[0].partition(":")
        to: Recipient = Account(platform, place[1:]) if place.startswith("@") else Address(platform, place)
        await self._pass(to, view, None)

    async def reads(self, where: Address, who: Account) -> bool:
        return True

    def buried(self, to: Recipient, ref: str) -> bool:
        return False

    async def close(self, ref: str, view: View | None) -> None:
        await asyncio.sleep(self._luck.random())

    async def _pass(self, to: Recipient, view: View, nonce: str | None) -> None:
        await asyncio.sleep(self._luck.random())
        luck = self._luck.random()
        if luck < TROUBLE:
            raise Transient
        self._watch.shown(to, view.lines[-1].split(), nonce)
        if luck < 2 * TROUBLE:
            raise Transient


class Noting(Composer):
    """The real words, with a line that says which revisions they tell of."""

    async def compose(
        self, told: Sequence[AnyFact], to: Recipient, chosen: Chosen, also: Sequence[str] = ()
    ) -> Announcement:
        announcement = await super().compose(told, to, chosen, also)
        line = " ".join([announcement.match_id, *(str(subject_of(fact).revision) for fact in told)])
        board = announcement.board  # beside the message that tells, so it tells nothing
        if board is not None:
            board = replace(board, lines=(*board.lines, announcement.match_id))
        view = replace(announcement.view, lines=(*announcement.view.lines, line))
        return replace(announcement, view=view, board=board)


class Bots:
    """Two bots on one store, that run or are down together."""

    def __init__(self, luck: random.Random, watch: Watch, store: Store) -> None:
        self._luck, self._watch, self._store = luck, watch, store
        self._running: list[asyncio.Task[None]] = []
        self.up = asyncio.Event()

    def start(self) -> None:
        for table in self._watch.tables:
            sender = Sender(
                self._store.outgoing(),
                self._store.bucket(),
                Noting(table, "en", events=EventComposer(table, "en")),
                [Chats(self._luck, self._watch)],
                now=self._store.now,
                also=[NextTurnNotices(table, self._store)],
            )
            clockwork = Clockwork(table, self._store, look=LOOK)
            self._running += [asyncio.create_task(self._run(clockwork)), asyncio.create_task(sender.run())]

    async def _run(self, clockwork: Clockwork) -> None:
        while True:  # no request is served before the first beat
            with suppress(Unavailable):
                await clockwork.beat()
                break
        self.up.set()
        await asyncio.gather(clockwork.run(), self._beat())

    async def _beat(self) -> None:
        """What the clockwork would do if it looked more often."""
        while True:
            await asyncio.sleep(BEAT)
            await self._store.uptime.beat(now())

    async def stop(self) -> None:
        self.up.clear()
        for task in self._running:
            task.cancel()
        done = await asyncio.gather(*self._running, return_exceptions=True)
        for outcome in done:
            if isinstance(outcome, Broken):
                raise outcome
        self._running.clear()

    async def live(self, until: datetime) -> None:
        """Run, with rests of minutes or hours."""
        self.start()
        while now() < until:
            await asyncio.sleep(self._luck.expovariate(1 / (60 * HOUR)))
            await self.stop()
            began = now()
            await asyncio.sleep(self._luck.choice((20.0, 300.0, HOUR, 5 * HOUR)))
            self._watch.down.append((began, now()))
            self._watch.counts["rests"] += 1
            self.start()
