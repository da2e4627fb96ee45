"""The n-th call to the store fails, for every n, before it was carried out and after it: in the end all is as without it."""

from __future__ import annotations

import ast
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, TypeVar

from redis.asyncio import Redis

from bot.clockwork import Clockwork
from bot.commands import REGISTRY
from bot.desk.context import Resources
from bot.desk.desk import Desk
from bot.desk.visitor import Visitor
from bot.i18n import words
from bot.sender import Sender
from bot.sender.composer import Composer
from bot.sender.notices import NextTurnNotices
from bot.sender.ports import Pace, Recipient
from bot.sender.routing import label
from bot.view import View
from play.errors import Unavailable
from play.people import Account, Address
from play.randomness import derived
from play.settings import Settings
from play.table import Table
from rules import GAMES
from storage.client import by_socket
from storage.keys import PREFIX, TAGS, timers_key
from storage.redis.settings import decode_settings
from storage.redis.store import RedisStore
from storage.timestamps import from_micros
from tests.bot.world import Counted
from tests.reliability.conftest import Figure, Scale
from tests.reliability.load import NOON, person
from tests.support.servers import redis_server
from tests.support.store_contents import Contents, contents

T = TypeVar("T")
PLATFORM: Final = "toy"
TALK: Final = (
    "ann: /settings reminders:off",
    "ann: /challenge bob breakthrough board:5x6 clock:3d",
    "bob: /accept",
    "ann: /move a2-a3",
    "ann: /undo",
    "ann: /move b2-b3",
    "bob: /move b5-b4",
    "ann: /draw",
    "bob: /draw no",
    "ann: /move a2-a3",
    "bob: /language uk",
    "bob: /takeback",
    "ann: /takeback yes",
    "bob: /move c5-c4",
    "bob: /plan if a2-a3 then a5-a4",
    "ann: /move a2-a3",
    "ann: /pause",
    "bob: /pause",
    "bob: /resume",
    "bob: /vacation 2d",
    "bob: /vacation off",
    "ann: /new klopodavka players:3 board:8x8 clock:1d",
    "bob: /join",
    "cem: /join",
    "ann: /start",
    "cem: /settings headsup:on",
    "... 15 h",
    "ann: /move a3 b3 a5",
    "... 25 h",
    "dan: /substitute",
    "... 60 h",
    "... 100 h",
    "bob: /rematch",
    "ann: /decline",
)
"""An evening, and the days after it: who says what, and how long the pauses are."""


class Store(RedisStore):
    """A store one of whose calls fails, however often it is tried, with another clock.

    Args:
        client: To the server.
        breaks: Asked at each call: None if it does not fail, else whether it is carried out.
        time: The time.
    """

    def __init__(
        self, client: Redis, breaks: Callable[[], bool | None], time: Callable[[], datetime]
    ) -> None:
        super().__init__(client, patience=60.0)  # a busy machine is not what is tried here
        self._time = time
        ask = self.connection.ask

        async def failing(question: Callable[[], Awaitable[T]]) -> T:
            carried_out = breaks()
            if carried_out is False:
                raise Unavailable
            answer = await ask(question)
            if carried_out:
                raise Unavailable
            return answer

        self.connection.ask = failing  # type: ignore[method-assign]

    async def now(self) -> datetime:
        await self.connection.command("PING")
        return self._time()


class Chats:
    """A platform that remembers its messages, and takes one that comes again under the same nonce for the same."""

    platform = PLATFORM
    pace = Pace()

    def __init__(self) -> None:
        self.messages: dict[str, list[Any]] = {}

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
        ref = f"{label(to)} {nonce}"
        self.messages.setdefault(ref, [view, ping, "open"])
        return ref

    async def edit(self, ref: str, view: View) -> None:
        self.messages[ref][0] = view

    def buried(self, to: Recipient, ref: str) -> bool:
        return False

    async def retire(self, ref: str, view: View | None) -> None:
        self.messages[ref][2] = "folded"


@dataclass(frozen=True)
class Outcome:
    """Everything there is in the end."""

    held: Contents
    chats: dict[str, list[Any]]
    calls: int
    failed: bool


async def evening(client: Redis, talk: Sequence[str], broken: int, carried_out: bool) -> Outcome:
    """Everything that comes of what is said while one call fails; a person who is told so repeats the request."""
    calls, going = 0, True
    now = NOON

    def breaks() -> bool | None:
        nonlocal calls
        calls += going
        return carried_out if going and calls == broken else None

    store = Store(client, breaks, lambda: now)
    table = Table(store, GAMES, Counted())
    desk = Desk(REGISTRY, Resources(table, store, "en"), lambda: now)
    chats = Chats()
    sender = Sender(
        store.outgoing(),
        store.bucket(),
        Composer(table, store, "en"),
        [chats],
        now=store.now,
        sleep=_no_time,
        also=[NextTurnNotices(table, store)],
    )
    clockwork = Clockwork(table, store, sleep=_no_time, lease=timedelta())  # what fails is tried at once
    sorry = {words(language)(Unavailable().reason) for language in ("en", "uk")}
    for number, line in enumerate(talk):
        now += timedelta(seconds=20)
        who, _, said = line.partition(": ")
        if line.startswith("..."):
            until = now + timedelta(hours=int(line.split()[1]))
            while now < until:
                going = False
                now = min(max(now, await _soonest(store) or until), until)
                await store.uptime.beat(now)  # the bot has run all the time, and nothing has happened
                going = True
                await _until_done(clockwork.tick)
                await _until_done(sender.drain)
        else:
            visitor = Visitor(
                person(who), Address(PLATFORM, "hall"), find=person, request=derived("talk", number)
            )
            for _ in range(3):
                told = await desk.hear(visitor, said)
                if not any(line in sorry for message in told for line in message.view.lines):
                    break
        await _until_done(sender.drain)
    going = False
    await sender.close()
    return Outcome(_comparable(await contents(store)), chats.messages, calls, calls >= broken)


async def _soonest(store: RedisStore) -> datetime | None:
    """When the first timer is due."""
    firsts = await store.connection.batch(
        [("ZRANGE", timers_key(tag), 0, 0, "WITHSCORES") for tag in range(TAGS)]
    )
    return min((from_micros(int(first[1])) for first in firsts if first), default=None)


async def _until_done(work: Callable[[], Any]) -> None:
    """Do what would be done again and again, until it gets through."""
    for _ in range(3):
        try:
            while await work():
                pass
        except Unavailable:
            continue
        return
    raise AssertionError("one call fails, and no more")


async def _no_time(_: float) -> None:
    """Waiting takes none."""


def _comparable(held: Contents) -> Contents:
    """What is the same at each try: no leases, no receipts with names that are drawn, no times of the server."""
    found: dict[str, Any] = {}
    for key, value in held.items():
        if ":reader" in key or ": " in key:
            continue
        if key.startswith(f"{PREFIX}:settings:"):
            stored = ast.literal_eval(value)
            # When a person was last active is known to some minutes, and not worth a word where it is not.
            chosen = replace(decode_settings(stored), active=None)
            if chosen != Settings():
                found[key] = chosen
            continue
        is_list = key.endswith((":live", ":over"))
        found[key] = [name for name, _ in _pairs(value)] if is_list else value
    return found


def _pairs(value: str) -> list[tuple[str, str]]:
    words = value.strip("[]").split(", ")
    return list(zip(words[::2], words[1::2], strict=True))


async def test_every_call_fails_once(scale: Scale, figure: Figure, tmp_path: Path) -> None:
    talk = TALK[: scale(len(TALK), 6)]
    with redis_server(tmp_path / "data") as server:
        client = by_socket(server)

        async def tried(broken: int, carried_out: bool) -> Outcome:
            await client.flushall()
            return await evening(client, talk, broken, carried_out)

        expected = await tried(0, carried_out=False)
        assert len(expected.chats) > len(talk) / 3
        other = []
        failed = 0
        for broken in range(1, expected.calls + 1):
            for carried_out in (False, True):
                found = await tried(broken, carried_out)
                failed += found.failed  # how often the sender polls varies a little
                if (found.held, found.chats) != (expected.held, expected.chats):
                    other.append((broken, carried_out, _difference(expected, found)))
        await client.aclose()
    figure(
        f"the n-th call fails: {len(talk)} requests and pauses make {expected.calls} calls; each failed once before"
        f" it was carried out, and once after: {2 * expected.calls - len(other)} times all was as without it,"
        f" {len(other)} times not"
    )
    assert not other, other[:5]
    assert failed >= 2 * expected.calls - 20


def _difference(expected: Outcome, found: Outcome) -> Any:
    one = {**expected.held, **expected.chats}
    two = {**found.held, **found.chats}
    return [
        (key, one.get(key), two.get(key)) for key in sorted({*one, *two}) if one.get(key) != two.get(key)
    ][:2]
