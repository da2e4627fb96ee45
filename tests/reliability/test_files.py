"""Append-only files that were cut, or in which a byte was changed."""

from __future__ import annotations

import asyncio
import random
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from play.timers import timers
from storage.client import by_socket
from storage.keys import list_keys, tag_of, timers_key, timers_of_key
from storage.redis_store import RedisStore
from tests.reliability.conftest import Figure, Scale
from tests.reliability.load import ANN, BOB, Known, Pair, Tally, compare, table_on, told_of
from tests.reliability.processes import Server, redis_server

PAIRS: Final = 4
_SCRIPT: Final = re.compile(rb"\*1\r\n\$4\r\nEXEC\r\n")


async def test_cut_files(scale: Scale, figure: Figure, tmp_path: Path) -> None:
    luck, tally = random.Random(5), Tally()
    with redis_server(tmp_path / "whole") as socket:
        client = by_socket(socket)
        pairs = [Pair(table_on(RedisStore(client)), f"c{number}", tally) for number in range(PAIRS)]
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
            assert server.start(), "it starts without help"
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
    store = RedisStore(client)
    told = await told_of(store)
    count = 0
    for known in played:
        tag = tag_of(known.id)
        done = await client.keys(f"klop:{{{tag}}}:op:{known.id}:*")
        members = [bytes(one).decode() for one in await client.zrange(timers_key(tag), 0, -1)]
        own = {one for one in members if one.startswith(known.id)}
        noted = set(((await client.hget(timers_of_key(tag), known.id)) or b"").decode().split())
        assert own == noted
        if not await client.exists(f"klop:{{{tag}}}:match:{known.id}"):
            assert not done
            assert not own
            assert known.id not in told
            continue
        match = (await store.load(known.id)).match
        compare(match, known, Tally())
        assert len(done) == match.revision
        assert told[known.id] == list(range(1, match.revision + 1))
        assert {one.split(":")[1] for one in own} == {timer.name for timer in timers(match)}
        for whose in (*match.addresses, ANN.account, BOB.account):
            live, over = list_keys(whose)
            on, off = (live, over) if match.live else (over, live)
            assert await client.zscore(off, match.id) is None
            assert await client.zscore(on, match.id) is not None or not match.live  # only the last few stay
        count += match.revision
    await client.aclose()
    return count
