"""Searches for whoever has processors to spare: a stream of jobs that workers on any machine take from.

A job is lent to one worker, who says now and then that he is at it. Of one who says nothing for `LEASE` seconds the job
goes to another. A job that is older than whoever asked can wait for is thrown away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from play.errors import Unavailable
from storage import keys
from storage.moments import to_micros

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from storage.trips import Line

LEASE: Final = 3.0
"""Seconds after which a worker that says nothing is taken for dead."""

MOST: Final = 20_000
"""Jobs that wait at once, about; the oldest make room."""

ANSWER_SECONDS: Final = 120
"""How long an answer lies there."""

_GROUP: Final = "workers"


@dataclass(frozen=True, slots=True)
class Lent:
    """A job, lent to a worker.

    Attributes:
        entry: Its name in the stream; opaque.
        id: What whoever asked calls it.
        text: What is asked.
        age: Seconds since it was asked.
        seconds: How long whoever asked waits.
    """

    entry: str
    id: str
    text: str
    age: float
    seconds: float


class RedisJobs:
    """Jobs on Redis. Every method may raise `Unavailable`."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._known = False

    async def put(self, job_id: str, text: str, seconds: float) -> None:
        """Ask for something. Asked again under the same id, it may be worked at twice, and is answered once."""
        await self._line.command(
            *("XADD", keys.JOBS, "MAXLEN", "~", MOST, "*"), "id", job_id, "job", text, "for", str(seconds)
        )

    async def answer(self, job_id: str) -> str | None:
        """The answer; None: there is none yet. An empty one: the search came to nothing."""
        found = await self._line.command("GET", keys.answer_key(job_id))
        return None if found is None else bytes(found).decode()

    async def take(self, worker: str, count: int) -> Sequence[Lent]:
        """Up to so many jobs, first those whose worker is dead."""
        try:
            return await self._taken(worker, count)
        except Unavailable:
            self._known = False  # perhaps a server that has forgotten
            raise

    async def _taken(self, worker: str, count: int) -> Sequence[Lent]:
        await self._group()
        lease = round(LEASE * 1000)
        claimed = await self._line.command(
            "XAUTOCLAIM", keys.JOBS, _GROUP, worker, lease, "0-0", "COUNT", count
        )
        entries = [entry for entry in claimed[1] if entry and entry[1]]
        if len(entries) < count:
            read = await self._line.command(
                *("XREADGROUP", "GROUP", _GROUP, worker, "COUNT", count - len(entries)),
                "STREAMS",
                keys.JOBS,
                ">",
            )
            entries += _entries(read)
        if not entries:
            return ()
        seconds, micros = await self._line.time()
        now = seconds + micros / 1e6
        return [_lent(entry, now) for entry in entries]

    async def renew(self, worker: str, lent: Lent) -> None:
        """Say that one is at it."""
        await self._line.command("XCLAIM", keys.JOBS, _GROUP, worker, 0, lent.entry, "JUSTID")

    async def done(self, lent: Lent, text: str) -> None:
        """Give the answer."""
        if lent.id:
            await self._line.command("SET", keys.answer_key(lent.id), text, "EX", ANSWER_SECONDS)
        await self._line.batch(
            [("XACK", keys.JOBS, _GROUP, lent.entry), ("XDEL", keys.JOBS, lent.entry)],
        )

    async def beat(self, worker: str, at: datetime) -> None:
        """Say that there is a worker."""
        await self._line.command("ZADD", keys.WORKERS, to_micros(at), worker)

    async def workers(self, since: datetime) -> int:
        """How many workers there are that have said so since."""
        await self._line.command(
            "ZREMRANGEBYSCORE", keys.WORKERS, "-inf", f"({to_micros(since) - 3_600_000_000}"
        )
        return int(await self._line.command("ZCOUNT", keys.WORKERS, to_micros(since), "+inf"))

    async def _group(self) -> None:
        if self._known:
            return
        try:
            await self._line.command("XGROUP", "CREATE", keys.JOBS, _GROUP, "0", "MKSTREAM")
        except Unavailable as refused:
            if "BUSYGROUP" not in str(refused.__cause__):  # another worker was first
                raise
        self._known = True


def _entries(read: Any) -> list[Any]:
    """The entries of the one stream that was read."""
    return [entry for _, entries in read or () for entry in entries]


def _lent(entry: Any, now: float) -> Lent:
    name, fields = bytes(entry[0]).decode(), entry[1]
    held = {
        bytes(key).decode(): bytes(value).decode()
        for key, value in zip(fields[::2], fields[1::2], strict=True)
    }
    age = max(0.0, now - int(name.partition("-")[0]) / 1000)
    return Lent(name, held.get("id", ""), held.get("job", ""), age, float(held.get("for", "0")))
