"""The append-only files of a server, or of all masters of a cluster; see `storage.journal`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from redis import exceptions

from play.errors import Unavailable
from storage import keys
from storage.client import Connection, pairs
from storage.journal import JournalState
from storage.timestamps import from_micros

_STREAMS: Final = (f"{keys.PREFIX}:{{*}}:out", f"{keys.PREFIX}:{{*}}:in:*")
_IDS: Final = ":ids"


class RedisJournal:
    """A `Journal` on Redis. Replicas write files of their own, which are rewritten as their settings say."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def rewrite(self) -> bool:
        try:
            await self._connection.each("BGREWRITEAOF")
        except Unavailable as refusal:
            cause = refusal.__cause__
            said = str(cause).lower()
            if isinstance(cause, exceptions.NoPermissionError) or "unknown command" in said:
                return False
            if "already in progress" not in said:
                raise
        return True

    async def state(self) -> JournalState:
        told = [
            _info(said)
            for section in ("server", "persistence")
            for said in await self._connection.each("INFO", section)
        ]
        runs = [node["run_id"] for node in told if "run_id" in node]
        busy = ("aof_rewrite_in_progress", "aof_rewrite_scheduled")
        return JournalState(
            " ".join(sorted(runs)),
            any(node.get(name, "0") != "0" for node in told for name in busy),
            any(node.get("aof_last_bgrewrite_status", "ok") != "ok" for node in told),
        )

    async def oldest_entry(self) -> datetime | None:
        oldest: list[int] = []
        for pattern in _STREAMS:
            async for found in self._connection.scan(pattern):
                calls = [("XRANGE", key, "-", "+", "COUNT", 1) for key in found if not key.endswith(_IDS)]
                for entries in await self._connection.batch(calls):
                    oldest += [int(bytes(entry).partition(b"-")[0]) for entry, _ in entries]
        return from_micros(min(oldest) * 1000) if oldest else None

    async def fsync(self) -> str | None:
        try:
            said = await self._connection.each("CONFIG", "GET", "appendfsync")
        except Unavailable:  # a hosted server, which hides its settings
            return None
        found = {_text(value) for node in said for _, value in pairs(node)}
        return ", ".join(sorted(found)) or None


def _info(said: Any) -> Mapping[str, str]:
    """Return a section of INFO, which redis-py may have parsed."""
    if isinstance(said, dict):
        return {str(name): str(value) for name, value in said.items()}
    lines = (line.partition(":") for line in _text(said).splitlines())
    return {name: value for name, colon, value in lines if colon}


def _text(said: Any) -> str:
    return said.decode(errors="replace") if isinstance(said, bytes) else str(said)
