"""Append-only files that were cut, or in which a byte was changed."""

from __future__ import annotations

import asyncio
import random
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from bot.app.doctor import replaying
from bot.app.roles import make_sender
from bot.chat.pictures import Pictures
from bot.chat.sending.ports import Pace, Recipient
from bot.chat.view import View
from play.actions.seating import Join
from play.opening import Challenge
from play.people import Account, Address
from play.ports import Operation
from play.request import Request
from play.time.clock import Clock, Now
from play.time.timers import timers
from rules import GAMES
from storage.client.connecting import by_socket
from storage.keys import list_keys, match_key, tag_of, timers_of_key
from storage.maintenance.verify import verify
from storage.ports import Outgoing
from storage.redis.store import RedisStore
from tests.reliability.conftest import Figure, Scale
from tests.reliability.load import (
    ANN,
    BOB,
    PLATFORM,
    CallTally,
    Known,
    Pair,
    compare,
    table_on,
    told_of,
)
from tests.support.servers import Ended, Server, redis_server
from tests.support.services import services
from tests.support.stores import Contents, contents
from tests.support.waiting import eventually

PAIRS: Final = 4
_SCRIPT: Final = re.compile(rb"\*1\r\n\$4\r\nEXEC\r\n")


async def test_cut_files(scale: Scale, figure: Figure, tmp_path: Path) -> None:
    luck, tally = random.Random(5), CallTally()
    with redis_server(tmp_path / "whole") as socket:
        client = by_socket(socket)
        pairs = [Pair(table_on(RedisStore(client, 60.0)), f"c{number}", tally) for number in range(PAIRS)]
        await asyncio.gather(*(pair.play(lambda: tally.asked < 400) for pair in pairs))
        await client.aclose()
    file = next((tmp_path / "whole" / "appendonlydir").glob("*.incr.aof"))
    whole = file.read_bytes()
    ends = [found.end() for found in _SCRIPT.finditer(whole)]
    played = [known for pair in pairs for known in pair.played]
    cuts, within, scripts = scale(200, 15), 0, 0
    for number in range(cuts):
        at = luck.randrange(len(whole))
        directory = tmp_path / f"cut{number}"
        shutil.copytree(tmp_path / "whole", directory, ignore=shutil.ignore_patterns("s", "log"))
        with (directory / "appendonlydir" / file.name).open("r+b") as cut:
            cut.truncate(at)
        server = Server(directory)
        try:
            server.start()  # without help
            there = sum(end <= at for end in ends)
            assert await scripts_of(server, played) == there
        finally:
            server.kill()
        shutil.rmtree(directory)
        within += at not in ends
        scripts += there
    figure(
        f"files cut at a random byte: {cuts}, {within} of them in mid-script; {scripts} scripts before the cuts,"
        " every one whole, of the others nothing"
    )


async def scripts_of(server: Server, played: Sequence[Known]) -> int:
    """How many commits a server knows of, each of which must be there with everything that belongs to it."""
    client = by_socket(server.socket)
    store = RedisStore(client, 60.0)
    # Timers are those of their index, and nothing is left of a match that is not there.
    assert not [looked.fault async for looked in verify(store, replaying(GAMES)) if looked.fault]
    told, count = await told_of(store), 0
    for known in played:
        if not await client.exists(match_key(known.id)):
            continue
        match, tag = (await store.matches.load(known.id)).match, tag_of(known.id)
        compare(match, known, CallTally())
        assert len(await client.keys(f"klop:{{{tag}}}:op:{known.id}:*")) == match.revision
        assert told[known.id] == list(range(1, match.revision + 1))
        noted = await store.connection.command("HGET", timers_of_key(tag), known.id) or b""
        assert {one.split(":")[1] for one in noted.decode().split()} == {
            timer.name for timer in timers(match, Now(match.changed_at))
        }
        for whose in (*match.addresses, ANN.account, BOB.account):
            live, over = list_keys(whose)
            on, off = (live, over) if match.live else (over, live)
            assert await client.zscore(off, match.id) is None
            assert await client.zscore(on, match.id) is not None or not match.live  # only the last few stay
        count += match.revision
    await client.aclose()
    return count


async def test_files_with_a_changed_byte(scale: Scale, figure: Figure, tmp_path: Path) -> None:
    luck, count = random.Random(11), Counter[str]()
    whole = tmp_path / "whole"
    await _played(whole)
    file = next((whole / "appendonlydir").glob("*.incr.aof"))
    plain = file.read_bytes()
    untouched = await _looked(whole, tmp_path / "flipped")
    assert untouched
    before, faults = untouched
    assert not faults
    missed = []
    for _ in range(flips := scale(2000, 40)):
        at = luck.randrange(len(plain))
        byte = plain[at] ^ luck.randrange(1, 256)
        after = await _looked(whole, tmp_path / "flipped", file.name, at, byte)
        if after is None:
            count["refused by the server"] += 1
            continue
        kind = _kind(before, *after)
        count[kind] += 1
        if kind == _MISSED:
            changed = [key for key in {*before, *after[0]} if before.get(key) != after[0].get(key)]
            missed.append((at, byte, plain[at - 60 : at + 30], changed))
    said = ", ".join(f"{number} {kind}" for kind, number in count.most_common())
    figure(
        f"files with one byte changed: {flips}, {len(plain) // 1000} kB each: {said}; {count[_MISSED]} missed"
    )
    assert not missed


_MISSED: Final = "that verify does not find"
_OF_MATCHES: Final = re.compile(r"klop:\{\d+\}:(?:match|op|shown|timers|timers-of|out)(?::|$)")


def _kind(before: Contents, after: Contents, faults: Sequence[str]) -> str:
    """What became of a flip that loads."""
    if before == after or faults:
        return "found by verify" if before != after else "that change nothing"
    differs = [key for key in {*before, *after} if before.get(key) != after.get(key)]
    ours = [key for key in differs if _OF_MATCHES.match(key)]
    if not ours:
        return "in hints, leases and the heartbeat, which mend themselves"
    if all(":op:" in key and key not in after for key in ours):
        return "that make the result of a request run out early"
    if all(key.endswith(":out") and len(after[key]) > len(before.get(key, "")) for key in ours):
        return "that leave a fact in the stream after it was told"
    lost = all(key.endswith(":out") and len(after.get(key, "")) < len(before.get(key, "")) for key in ours)
    return "that take a fact out of the stream, which the next board shows" if lost else _MISSED


class _Silent:
    platform = PLATFORM
    closes = True
    pace = Pace()

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
        return nonce

    async def edit(self, ref: str, view: View) -> None: ...

    async def reads(self, where: Address, who: Account) -> bool:
        return True

    def buried(self, to: Recipient, ref: str) -> bool:
        return False

    async def close(self, ref: str, view: View | None) -> None: ...


async def _played(directory: Path) -> None:
    with redis_server(directory) as server:
        client = by_socket(server)
        store = RedisStore(client, 60.0)
        table = table_on(store)
        bot = services(table, store, lambda: datetime.now(UTC), pictures=Pictures())
        sending = asyncio.create_task(make_sender(bot, [_Silent()]).run())
        tally = CallTally()
        for number in range(1, 7):
            await Pair(table, f"e{number}", tally).play(lambda most=10 * number: tally.asked < most)  # type: ignore[misc]
        for number in range(4):
            timed = Challenge(
                Address(PLATFORM, "attic"), "lgame", opponents=(BOB,), clock=Clock(timedelta(days=1))
            )
            made = await table.open(
                timed, Request(ANN, datetime.now(UTC), operation=Operation(f"t{number}", "timed"))
            )
            await table.act(made.match.id, Join(), Request(BOB, datetime.now(UTC)))
        told = store.outgoing()
        await eventually(lambda: _empty(told))
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        await Pair(table, "untold", tally).play(lambda: tally.asked < 80)
        await client.aclose()


async def _empty(stream: Outgoing) -> bool:
    return not await stream.backlog()


async def _looked(
    whole: Path, directory: Path, name: str = "", at: int = 0, byte: int = 0
) -> tuple[Contents, list[str]] | None:
    shutil.copytree(whole, directory, ignore=shutil.ignore_patterns("s", "log"))
    if name:
        with (directory / "appendonlydir" / name).open("r+b") as file:
            file.seek(at)
            file.write(bytes([byte]))
    server = Server(directory, {"appendfsync": "no"})
    try:
        server.start()
    except Ended:
        shutil.rmtree(directory)
        return None
    try:
        client = by_socket(server.socket)
        store = RedisStore(client, 60.0)
        held = {
            key: value
            for key, value in (await contents(store)).items()
            if ":reader" not in key  # they run out by themselves
        }
        faults = [str(found.fault) async for found in verify(store, replaying(GAMES)) if found.fault]
        await client.aclose()
        return held, faults
    finally:
        server.kill()
        shutil.rmtree(directory)
