"""A bot as a process of its own: `python -m tests.storage.bot_process <data directory> <matches>`.

It stores so many matches, saying each once it is stored, then `ready`, and goes on storing until it is ended.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from storage import EmbeddedRedis, RedisStore
from storage.client import by_socket
from tests.support.matches import ids, running
from tests.support.storing import got, put


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


async def main(directory: Path, count: int) -> None:
    async with EmbeddedRedis(directory) as server:
        client = by_socket(server.socket)
        store = RedisStore(client)
        say("server", server.pid)
        for match_id in ids(count):
            match = await put(store, running(match_id), 0)
            say("stored", match.id, match.revision)
        say("ready")
        while True:
            for match_id in ids(count):
                match = await got(store, match_id)
                match = await put(store, replace(match, log=match.log + match.log[:1]), match.revision)
                say("stored", match.id, match.revision)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
