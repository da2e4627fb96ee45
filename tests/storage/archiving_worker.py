"""A process that archives the finished matches of a store, to be killed at one of `tests.support.faults.ARCHIVING`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from storage import open_store
from storage.maintenance.retention import AFTER, sweep


async def main(socket: str, folder: str) -> None:
    async with open_store(f"unix://{socket}", Path(folder) / "process", Path(folder)) as store:
        await sweep(store, await store.now() + AFTER)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
