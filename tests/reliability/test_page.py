"""The page's process killed while matches go on: no move is lost or doubled, and pages connect again by revision."""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from math import ceil
from pathlib import Path
from signal import SIGKILL
from statistics import median
from typing import Any, Final

import pytest
from aiohttp import ClientError, ClientResponseError, ClientSession, ClientTimeout, TCPConnector

from bot.platforms.page.sessions import SESSION, Session, Sessions
from play.people import Account, Address, Player
from storage.client.connecting import by_socket
from storage.redis.store import RedisStore
from tests.reliability.conftest import Figure, Scale
from tests.reliability.load import CallTally, Known, Pair, check, table_on
from tests.reliability.processes import BotDied, BotProcess
from tests.support.servers import free_port, redis_server

AT_ONCE: Final = 6  # matches
PATIENCE: Final = 120.0
SLOWEST: Final = 2.0  # seconds between attempts of the client, as in static/wire.js
ROOM: Final = Address("console", "hall")
FAULTS: Final = ("before-commit", "after-commit", None)
SEED: Final = 16
SCHOOL: Final = 200  # pages of one address


class ReconnectingPage:
    """A page that does what static/wire.js does: connects again by itself, and asks again what was not answered."""

    def __init__(self, client: ClientSession, url: str, first: dict[str, str], luck: random.Random) -> None:
        self._client, self._url, self._first, self._luck = client, url, first, luck
        self._waiting: dict[str, tuple[dict[str, Any], asyncio.Future[dict[str, Any]]]] = {}
        self._socket: Any = None
        self._changed = asyncio.Event()
        self.revision = 0
        self.turns = 0
        self.connected: list[float] = []
        self.tried: list[float] = []
        self.back = asyncio.Event()
        self.repeated = 0

    async def run(self) -> None:
        """Stay connected until cancelled."""
        failed = 0
        while True:
            pause = min(SLOWEST, 0.25 * 1.5**failed) * self._luck.uniform(0.5, 1)
            failed += 1
            try:
                await self._connect()
                failed = 0
                async for message in self._socket:
                    self._take(json.loads(message.data))
            except ClientResponseError as refused:
                if wait := float(refused.headers.get("Retry-After", 0) if refused.headers else 0):
                    pause = wait * self._luck.uniform(1, 1.5)
            except (ClientError, OSError, ValueError, KeyError, TypeError):
                pass
            self._socket = None
            await asyncio.sleep(pause)

    async def _connect(self) -> None:
        first = {**self._first, "r": self.revision}
        self.tried.append(time.monotonic())
        async with self._client.post(f"{self._url}/w", json=first) as answer:
            answer.raise_for_status()
            begun = await answer.json()
        for frame in begun["frames"]:
            self._take(frame)
        self._socket = await self._client.ws_connect(f"{self._url}/w?line={begun['line']}")
        self.connected.append(time.monotonic())
        self.back.set()
        for asked, _ in self._waiting.values():
            self.repeated += 1
            await self._socket.send_json(asked)

    def _take(self, frame: dict[str, Any]) -> None:
        if view := frame.get("view"):
            self.revision, self.turns = view["r"], view.get("turns", 0)
            self._changed.set()
        if not frame.get("over") and (waiting := self._waiting.pop(frame.get("re", ""), None)):
            waiting[1].set_result(frame)

    async def ask(self, do: str, text: str) -> dict[str, Any]:
        """Return the answer to a request, however often it has to be sent."""
        op = self._luck.randbytes(12).hex()
        asked = {"op": op, "do": do, "text": text, "seen": self.revision}
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[op] = asked, answer
        if self._socket is not None:
            with suppress(ClientError, OSError):
                await self._socket.send_json(asked)
        return await answer

    async def until(self, turns: int, revision: int = 0) -> None:
        """Return once it shows so many turns, and that revision of the match or a later one."""
        while self.turns < turns or self.revision < revision:
            self._changed.clear()
            await self._changed.wait()


class Evening:
    """The matches on a page that is killed."""

    def __init__(self, store: RedisStore, url: str, client: ClientSession) -> None:
        self.store, self.url, self.client = store, url, client
        self.luck, self.tally = random.Random(SEED), CallTally()
        self.pages: list[ReconnectingPage] = []
        self.moved = asyncio.Event()
        self.moves = 0

    def all_back(self, since: float) -> bool:
        """Whether every page has connected since a moment."""
        return all(page.connected and page.connected[-1] >= since for page in self.pages)


class PagePair(Pair):
    """Ann, who plays on the page, and Bob, who plays in the chat; Cid watches."""

    def __init__(self, evening: Evening, number: int) -> None:
        super().__init__(table_on(evening.store), f"{number}", evening.tally)
        self.people = [Player(Account("console", f"{name}{number}"), name) for name in ("Ann", "Bob")]
        self.place = ROOM
        self._evening = evening

    async def _match(self, known: Known, more: Callable[[], bool]) -> None:
        evening, ann = self._evening, self.people[0]
        await evening.store.settings.change(ann.account, lambda now: replace(now, warnings=False))
        sessions = await Sessions.of(evening.store.notes)
        bearer = sessions.bearer(Session(ann, "link", await evening.store.now() + SESSION))
        firsts = {"bearer": bearer}, {"key": sessions.watch_key(known.id)}
        self._pages = [
            ReconnectingPage(evening.client, evening.url, {"code": known.id, **first}, evening.luck)
            for first in firsts
        ]
        evening.pages += self._pages
        running = [asyncio.create_task(page.run()) for page in self._pages]
        try:
            await super()._match(known, more)
            for page in self._pages:
                await page.until(len(known.log), known.revision)  # one that never connected shows nothing
                assert page.revision == known.revision
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            for page in self._pages:
                evening.pages.remove(page)

    async def _move(self, known: Known, seat: int, text: str) -> None:
        if seat:
            await super()._move(known, seat, text)
        else:
            await self._pages[0].until(len(known.log))
            while refused := [
                card for card in (await self._pages[0].ask("type", text))["cards"] if card.get("refused")
            ]:
                assert "Too fast" in str(refused)
                await asyncio.sleep(0.5)
        self._evening.moves += 1
        self._evening.moved.set()


def page_settings(socket: Path, listen: str) -> dict[str, str]:
    """Return the settings of a process that serves the page alone."""
    return {
        "REDIS_URL": f"unix://{socket}", "KLOP_PAGE_URL": f"http://{listen}", "KLOP_PAGE_LISTEN": listen, "KLOP_ROLE": "page",
        "KLOP_WORKERS": "0",
    }  # fmt: skip


async def _either(*events: asyncio.Event) -> None:
    waits = [asyncio.create_task(event.wait()) for event in events]
    await asyncio.wait(waits, timeout=0.5, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()


async def test_the_page_killed_while_matches_go_on(scale: Scale, figure: Figure, tmp_path: Path) -> None:
    kills, luck, going = scale(50, 4), random.Random(SEED), True
    listen = f"127.0.0.1:{free_port()}"
    url, log = f"http://{listen}", tmp_path / "log"
    starts, backs = [], []
    with redis_server(tmp_path / "redis") as socket:
        settings = page_settings(socket, listen)
        store_client = by_socket(socket)
        async with ClientSession(timeout=ClientTimeout(total=PATIENCE)) as client:
            evening = Evening(RedisStore(store_client), url, client)
            pairs = [PagePair(evening, number) for number in range(AT_ONCE)]
            playing = asyncio.gather(*(pair.play(lambda: going) for pair in pairs))
            process = None
            try:
                async with asyncio.timeout(PATIENCE + 30 * kills):
                    for number in range(kills + 1):
                        point = luck.choice(FAULTS) if number < kills else None
                        began = time.monotonic()
                        fault = f"{point}:{luck.randint(1, 8)}" if point else None
                        process = await BotProcess.start(tmp_path / "data", log, settings, fault)
                        await _listens(listen, process)
                        starts.append(time.monotonic() - began)
                        since = began + starts[-1]
                        wanted = evening.moves + luck.randint(1, 20)
                        while not process.gone.is_set() and not (
                            evening.moves >= wanted and evening.all_back(since)
                        ):
                            evening.moved.clear()
                            await _either(evening.moved, process.gone)
                            if playing.done():
                                await playing
                        latest = [moment for page in evening.pages for moment in page.connected[-1:]]
                        backs += [moment - since for moment in latest if moment >= since]
                        if number < kills:
                            await process.end()
                    going = False
                    await playing
                tally = evening.tally
                await check(evening.store, pairs, tally)
            finally:
                playing.cancel()
                if process is not None:
                    await process.end()
                await store_client.aclose()
    figure(
        f"page killed {kills} times: {tally.moves} moves in {sum(len(pair.played) for pair in pairs)} matches,"
        f" {tally.lost} lost, {tally.doubled} doubled;"
        f" pages were back {median(backs):.2f} s (median), {max(backs):.2f} s (longest) after it listened again,"
        f" which took {median(starts):.2f} s (median), {max(starts):.2f} s (longest) (load {os.getloadavg()[0]:.0f})"
    )
    tally.check()


@pytest.mark.slow
async def test_a_school_behind_one_address_is_back_at_once(figure: Figure, tmp_path: Path) -> None:
    luck, listen = random.Random(SEED), f"127.0.0.1:{free_port()}"
    url = f"http://{listen}"
    with redis_server(tmp_path / "redis") as socket:
        settings = page_settings(socket, listen)
        store_client = by_socket(socket)
        store = RedisStore(store_client)
        known = await Pair(table_on(store), "school", CallTally())._begun()
        sessions, until = await Sessions.of(store.notes), await store.now() + SESSION
        key = sessions.watch_key(known.id)
        pupils = [Player(Account("console", f"pupil{number}"), f"Pupil {number}") for number in range(SCHOOL)]
        firsts = [{"bearer": sessions.bearer(Session(each, "link", until, known.id))} for each in pupils]
        firsts[::4] = [{"key": key}] * len(firsts[::4])  # a part of them only watches
        waits = ClientTimeout(total=PATIENCE)
        async with ClientSession(timeout=waits, connector=TCPConnector(limit=0)) as client:
            pages = [ReconnectingPage(client, url, {"code": known.id, **first}, luck) for first in firsts]
            process = await BotProcess.start(tmp_path / "data", tmp_path / "log", settings)
            await _listens(listen, process)
            running = [asyncio.create_task(page.run()) for page in pages]
            try:
                async with asyncio.timeout(PATIENCE):
                    await asyncio.gather(*(page.back.wait() for page in pages))
                    await process.end()
                    for page in pages:
                        page.back.clear()
                    process = await BotProcess.start(tmp_path / "data", tmp_path / "log", settings)
                    await _listens(listen, process)
                    since = time.monotonic()
                    await asyncio.gather(*(page.back.wait() for page in pages))
            finally:
                for task in running:
                    task.cancel()
                await asyncio.gather(*running, return_exceptions=True)
                await process.end()
        await store_client.aclose()
    backs = sorted(page.connected[-1] - since for page in pages)
    tried = [moment - since for page in pages for moment in page.tried if moment >= since]
    busiest = max(sum(at <= each < at + 1 for each in tried) for at in range(ceil(backs[-1])))
    figure(
        f"{SCHOOL} pages of one address after a restart: half were back after {median(backs):.2f} s, all after"
        f" {backs[-1]:.2f} s, by {len(tried)} requests, {busiest} in the busiest second (load {os.getloadavg()[0]:.0f})"
    )
    assert backs[-1] < 20
    assert len(tried) < 3 * SCHOOL, "no storm"


async def _listens(listen: str, process: BotProcess) -> None:
    """Return once it listens.

    Raises:
        BotDied: it ended by itself, and not at a point that was set for it.
    """
    host, _, port = listen.partition(":")
    while not process.gone.is_set():
        with suppress(OSError):
            _, writer = await asyncio.open_connection(host, int(port))
            writer.close()
            return
        await asyncio.sleep(0.01)
    if process.status != -SIGKILL:
        raise BotDied(f"status {process.status}")
