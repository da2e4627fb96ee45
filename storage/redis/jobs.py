"""The job queue: searches for workers on any machine, in a Redis stream.

A job is leased to one worker, which renews the lease. A job whose lease was not renewed for `LEASE` seconds goes to another
worker: across machines nothing else shows that a worker was killed. On one machine a lock file shows it at once to the next
worker with the same data directory (`storage.processes`), and a worker that is stopped hands its jobs back. Workers drop
jobs that are older than the asking bot waits.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from play.errors import Unavailable
from storage import keys
from storage.client import Connection, pairs
from storage.timestamps import to_micros

LEASE: Final = 3.0  # seconds after which a job that was not renewed goes to another worker
MOST: Final = 20_000  # jobs that wait at most, about; the oldest are deleted
ANSWER_SECONDS: Final = 120  # how long an answer is kept

_GROUP: Final = "workers"
_FORGOTTEN: Final = 3600_000  # milliseconds after which a worker without jobs is deleted from the group


@dataclass(frozen=True, slots=True)
class LeasedJob:
    """A job that is leased to a worker, `age` seconds after it was put, by a bot that waits for so many `seconds`.

    `trace` is the trace that it belongs to; empty if it is not traced.
    """

    entry: str
    id: str
    text: str
    age: float
    seconds: float
    trace: str = ""


class RedisJobs:
    """The job queue on Redis. Every method may raise `Unavailable`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known = False

    def new_worker(self) -> str:
        """Return a name for a worker of this process."""
        return f"{self._connection.process.name}.{secrets.token_hex(4)}"

    async def put(self, job_id: str, text: str, seconds: float, trace: str = "") -> None:
        """Put a job. Put again under the same id, it may be worked at twice, and is answered once."""
        await self._connection.command(
            *("XADD", keys.JOBS, "MAXLEN", "~", MOST, "*"),
            *("id", job_id, "job", text, "for", str(seconds)),
            *(("trace", trace) if trace else ()),
        )

    async def answer(self, job_id: str) -> str | None:
        """Return the answer; None if there is none yet, an empty one if the search failed."""
        found = await self._connection.command("GET", keys.answer_key(job_id))
        return None if found is None else bytes(found).decode()

    async def take(self, worker: str, count: int) -> Sequence[LeasedJob]:
        """Lease up to `count` jobs, first those whose lease ran out."""
        try:
            return await self._taken(worker, count)
        except Unavailable:
            self._known = False  # the server may have lost its data
            raise

    async def _taken(self, worker: str, count: int) -> Sequence[LeasedJob]:
        await self._group()
        lease = round(LEASE * 1000)
        claimed = await self._connection.command(
            "XAUTOCLAIM", keys.JOBS, _GROUP, worker, lease, "0-0", "COUNT", count
        )
        entries = [entry for entry in claimed[1] if entry and entry[1]]
        if len(entries) < count:
            read = await self._connection.command(
                *("XREADGROUP", "GROUP", _GROUP, worker, "COUNT", count - len(entries)),
                "STREAMS",
                keys.JOBS,
                ">",
            )
            entries += [entry for _, stream in read or () for entry in stream]
        if not entries:
            return ()
        seconds, micros = await self._connection.time()
        now = seconds + micros / 1e6
        return [_leased(entry, now) for entry in entries]

    async def renew(self, worker: str, job: LeasedJob) -> None:
        """Renew the lease."""
        await self._connection.command("XCLAIM", keys.JOBS, _GROUP, worker, 0, job.entry, "JUSTID")

    async def done(self, job: LeasedJob, text: str) -> None:
        """Store the answer and delete the job."""
        if job.id:
            await self._connection.command("SET", keys.answer_key(job.id), text, "EX", ANSWER_SECONDS)
        await self._connection.batch(
            [("XACK", keys.JOBS, _GROUP, job.entry), ("XDEL", keys.JOBS, job.entry)],
        )

    async def leave(self, worker: str) -> None:
        """Hand back the jobs of a worker that ends, or has ended: others take them at once."""
        pending = await self._connection.command("XPENDING", keys.JOBS, _GROUP, "-", "+", MOST, worker)
        entries = [bytes(entry[0]).decode() for entry in pending]
        if entries:
            idle = ("IDLE", round(LEASE * 1000), "JUSTID")
            await self._connection.command("XCLAIM", keys.JOBS, _GROUP, worker, 0, *entries, *idle)
        await self._connection.command("ZREM", keys.WORKERS, worker)

    async def beat(self, worker: str, at: datetime) -> None:
        """Note that a worker runs."""
        await self._connection.command("ZADD", keys.WORKERS, to_micros(at), worker)

    async def workers(self, since: datetime) -> int:
        """Return how many workers ran since a time."""
        await self._connection.command(
            "ZREMRANGEBYSCORE", keys.WORKERS, "-inf", f"({to_micros(since) - 3_600_000_000}"
        )
        return int(await self._connection.command("ZCOUNT", keys.WORKERS, to_micros(since), "+inf"))

    async def _group(self) -> None:
        if self._known:
            return
        try:
            await self._connection.command("XGROUP", "CREATE", keys.JOBS, _GROUP, "0", "MKSTREAM")
        except Unavailable as refused:
            if "BUSYGROUP" not in str(refused.__cause__):  # another worker was first
                raise
        await self._take_over()
        self._known = True

    async def _take_over(self) -> None:
        """Hand back the jobs of processes that have ended, and delete workers that have not asked for any for long."""
        consumers = await self._connection.command("XINFO", "CONSUMERS", keys.JOBS, _GROUP)
        for each in consumers:
            said = {bytes(name).decode(): value for name, value in pairs(each)}
            worker = bytes(said["name"]).decode()
            if said["pending"] and worker.partition(".")[0] in self._connection.process.ended:
                await self.leave(worker)
            elif not said["pending"] and int(said["idle"]) > _FORGOTTEN:
                await self._connection.command("XGROUP", "DELCONSUMER", keys.JOBS, _GROUP, worker)


def _leased(entry: Any, now: float) -> LeasedJob:
    name, fields = bytes(entry[0]).decode(), entry[1]
    held = {
        bytes(key).decode(): bytes(value).decode()
        for key, value in zip(fields[::2], fields[1::2], strict=True)
    }
    age = max(0.0, now - int(name.partition("-")[0]) / 1000)
    return LeasedJob(
        name,
        held.get("id", ""),
        held.get("job", ""),
        age,
        float(held.get("for", "0")),
        held.get("trace", ""),
    )
