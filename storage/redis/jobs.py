"""The job queue: searches for workers on any machine, in a Redis stream for each class of them.

A job is leased to one worker, which renews the lease. A job whose lease was not renewed for `LEASE` seconds goes to another
worker: across machines nothing else shows that a worker was killed. On one machine a lock file shows it at once to the next
worker with the same data directory (`storage.embedded.directory`), and a worker that is stopped hands its jobs back. Workers drop
jobs that are older than the asking bot waits.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from play.errors import Unavailable
from storage import keys
from storage.client.connection import Connection, pairs
from storage.ports import reason_of
from storage.records.schema import to_micros
from storage.redis.streams import RedisAside

LEASE: Final = 3.0  # seconds after which a job that was not renewed goes to another worker
MOST: Final = 20_000  # jobs of a class that wait at most, about; the oldest are deleted
ANSWER_SECONDS: Final = 120  # how long an answer is kept

_GROUP: Final = "workers"
_FORGOTTEN: Final = 3600_000  # milliseconds after which a worker without jobs is deleted from the group


@dataclass(frozen=True, slots=True)
class LeasedJob:
    """A job that is leased to a worker, `age` seconds after it was put, by a bot that waits for so many `seconds`."""

    job_class: str
    entry: str
    id: str
    text: str
    age: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Backlog:
    """Jobs: how many wait, how many are leased, and for how many seconds the oldest of both is there."""

    queued: int = 0
    acquired: int = 0
    oldest: float = 0.0


class RedisJobs:
    """The job queue on Redis. Every method may raise `Unavailable`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._aside = RedisAside(connection)
        self._known: set[str] = set()

    def new_worker(self) -> str:
        """Return a name for a worker of this process."""
        return f"{self._connection.process.name}.{secrets.token_hex(4)}"

    async def put(self, job_class: str, job_id: str, text: str, seconds: float) -> None:
        """Put a job. Put again under the same id, it may be worked at twice, and is answered once."""
        await self._connection.command(
            *("XADD", keys.jobs_key(job_class), "MAXLEN", "~", MOST, "*"),
            *("id", job_id, "job", text, "for", str(seconds)),
        )

    async def answer(self, job_id: str) -> str | None:
        """Return the answer; None if there is none yet, an empty one if the search failed."""
        found = await self._connection.command("GET", keys.answer_key(job_id))
        return None if found is None else bytes(found).decode()

    async def take(
        self, worker: str, count: int, classes: Collection[str] = keys.JOB_CLASSES
    ) -> Sequence[LeasedJob]:
        """Lease up to `count` jobs of some classes: the most urgent class first, in it those whose lease ran out."""
        leased: list[tuple[str, Any]] = []
        with self._forgetting():
            for job_class in await self._filled(classes):
                if len(leased) < count:
                    entries = await self._taken(job_class, worker, count - len(leased))
                    leased += [(job_class, entry) for entry in entries]
        if not leased:
            return ()
        now = await self._connection.time() / 1e6
        jobs = []
        for job_class, entry in leased:
            try:
                jobs.append(_leased(job_class, entry, now))
            except ValueError as error:
                await self._set_aside(job_class, entry, reason_of(error))
        return jobs

    async def _filled(self, classes: Collection[str]) -> Sequence[str]:
        wanted = [each for each in keys.JOB_CLASSES if each in classes]
        lengths = await self._connection.batch([("XLEN", keys.jobs_key(each)) for each in wanted])
        filled = [each for each, length in zip(wanted, lengths, strict=True) if length]
        for job_class in filled:
            await self._group(job_class)
        return filled

    async def _taken(self, job_class: str, worker: str, count: int) -> Sequence[Any]:
        stream, lease = keys.jobs_key(job_class), round(LEASE * 1000)
        claimed = await self._connection.command(
            "XAUTOCLAIM", stream, _GROUP, worker, lease, "0-0", "COUNT", count
        )
        entries = [entry for entry in claimed[1] if entry and entry[1]]
        if len(entries) < count:
            read = await self._connection.command(
                *("XREADGROUP", "GROUP", _GROUP, worker, "COUNT", count - len(entries)),
                *("STREAMS", stream, ">"),
            )
            entries += [entry for _, found in read or () for entry in found]
        return entries

    async def set_aside(self, job: LeasedJob, reason: str) -> None:
        """Delete a job that no worker can do, and keep it aside; see `storage.ports`."""
        stream = keys.jobs_key(job.job_class)
        for entry in await self._connection.command("XRANGE", stream, job.entry, job.entry):
            await self._set_aside(job.job_class, entry, reason)

    async def _set_aside(self, job_class: str, entry: Any, reason: str) -> None:
        stream, name = keys.jobs_key(job_class), bytes(entry[0]).decode()
        await self._aside.add(stream, name, entry[1], reason)
        await self._delete(stream, name)

    async def _delete(self, stream: str, entry: str) -> None:
        await self._connection.batch([("XACK", stream, _GROUP, entry), ("XDEL", stream, entry)])

    async def renew(self, worker: str, job: LeasedJob) -> None:
        """Renew the lease."""
        stream = keys.jobs_key(job.job_class)
        await self._connection.command("XCLAIM", stream, _GROUP, worker, 0, job.entry, "JUSTID")

    async def done(self, job: LeasedJob, text: str) -> None:
        """Store the answer and delete the job."""
        if job.id:
            await self._connection.command("SET", keys.answer_key(job.id), text, "EX", ANSWER_SECONDS)
        await self._delete(keys.jobs_key(job.job_class), job.entry)

    async def leave(self, worker: str) -> None:
        """Hand back the jobs of a worker that ends, or has ended: others take them at once."""
        with self._forgetting():
            filled = await self._filled(keys.JOB_CLASSES)
            calls = [("XPENDING", keys.jobs_key(each), _GROUP, "-", "+", MOST, worker) for each in filled]
            leased = await self._connection.batch(calls)
        for job_class, entries in zip(filled, leased, strict=True):
            if entries:
                held, idle = [entry[0] for entry in entries], ("IDLE", round(LEASE * 1000), "JUSTID")
                stream = keys.jobs_key(job_class)
                await self._connection.command("XCLAIM", stream, _GROUP, worker, 0, *held, *idle)
        await self._connection.batch([("ZREM", keys.workers_key(each), worker) for each in keys.JOB_CLASSES])

    async def beat(self, worker: str, at: datetime) -> None:
        """Note that a worker runs, and takes jobs of every class."""
        await self._connection.batch(
            [("ZADD", keys.workers_key(each), to_micros(at), worker) for each in keys.JOB_CLASSES]
        )

    async def workers(self, job_class: str, at: datetime, within: timedelta) -> int:
        """Return how many workers for a class ran within a time of a moment; one that ran later did so before the clock was set back."""
        key, forgotten = keys.workers_key(job_class), to_micros(at - within) - 3_600_000_000
        await self._connection.command("ZREMRANGEBYSCORE", key, "-inf", f"({forgotten}")
        span = (to_micros(at - within), to_micros(at + within))
        return int(await self._connection.command("ZCOUNT", key, *span))

    async def backlog(self) -> Backlog:
        """Return what waits and is leased, of all classes."""
        with self._forgetting():
            streams = [keys.jobs_key(each) for each in await self._filled(keys.JOB_CLASSES)]
            lengths = await self._connection.batch([("XLEN", stream) for stream in streams])
            pending = await self._connection.batch([("XPENDING", stream, _GROUP) for stream in streams])
            first = await self._connection.batch(
                [("XRANGE", stream, "-", "+", "COUNT", 1) for stream in streams]
            )
        leased = sum(count for count, *_ in pending)
        put = [_put_at(entry) for entries in first for entry in entries]
        oldest = await self._connection.time() / 1e6 - min(put) if put else 0.0
        return Backlog(max(0, sum(lengths) - leased), leased, max(0.0, oldest))

    @contextmanager
    def _forgetting(self) -> Iterator[None]:
        """Make the groups again at the next call where one fails: the server may have lost its data."""
        try:
            yield
        except Unavailable:
            self._known.clear()
            raise

    async def _group(self, job_class: str) -> None:
        if job_class in self._known:
            return
        stream = keys.jobs_key(job_class)
        try:
            await self._connection.command("XGROUP", "CREATE", stream, _GROUP, "0", "MKSTREAM")
        except Unavailable as refused:
            if "BUSYGROUP" not in str(refused.__cause__):  # another worker was first
                raise
        self._known.add(job_class)
        try:
            await self._take_over(job_class)
        except Unavailable:
            self._known.discard(job_class)
            raise

    async def _take_over(self, job_class: str) -> None:
        stream = keys.jobs_key(job_class)
        consumers = await self._connection.command("XINFO", "CONSUMERS", stream, _GROUP)
        for each in consumers:
            said = {bytes(name).decode(): value for name, value in pairs(each)}
            worker = bytes(said["name"]).decode()
            if said["pending"] and worker.partition(".")[0] in self._connection.process.ended:
                await self.leave(worker)
            elif not said["pending"] and int(said["idle"]) > _FORGOTTEN:
                await self._connection.command("XGROUP", "DELCONSUMER", stream, _GROUP, worker)


def _leased(job_class: str, entry: Any, now: float) -> LeasedJob:
    name, fields = bytes(entry[0]).decode(), entry[1]
    held = {
        bytes(key).decode(): bytes(value).decode()
        for key, value in zip(fields[::2], fields[1::2], strict=True)
    }
    age = max(0.0, now - _put_at(entry))
    return LeasedJob(
        job_class, name, held.get("id", ""), held.get("job", ""), age, float(held.get("for", "0"))
    )


def _put_at(entry: Any) -> float:
    return int(bytes(entry[0]).partition(b"-")[0]) / 1000
