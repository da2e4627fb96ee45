"""When the bot ran, on Redis."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from play.time.clock import Outage
from storage import keys
from storage.client import Connection
from storage.timestamps import from_micros, merged, to_micros, to_score


class RedisUptime:
    """An `UptimeStore` on Redis."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def beat(self, at: datetime) -> None:
        await self._connection.command("ZADD", keys.BEAT, "GT", to_score(at), keys.FORMAT)

    async def last_beat(self) -> datetime | None:
        score = await self._connection.command("ZSCORE", keys.BEAT, keys.FORMAT)
        return None if score is None else from_micros(int(float(score)))

    async def add_outage(self, outage: Outage) -> None:
        member = f"{to_micros(outage.start)}:{to_micros(outage.end)}"
        await self._connection.command("ZADD", keys.OUTAGES, to_score(outage.end), member)

    async def outages(self, since: datetime) -> Sequence[Outage]:
        found: list[Any] = await self._connection.command("ZRANGEBYSCORE", keys.OUTAGES, "-inf", "+inf")
        spans = [bytes(member).decode().split(":") for member in found]
        outages = merged(Outage(from_micros(int(start)), from_micros(int(end))) for start, end in spans)
        return [outage for outage in outages if outage.end > since]
