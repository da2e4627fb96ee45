"""How much waits in the store; the servers' append-only files; what names a person (one pass over all keys finds it)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import unquote

from redis import exceptions

from play.errors import Unavailable
from play.people import Account
from storage import keys
from storage.client.connection import Connection, Word, pairs
from storage.errors import Damaged
from storage.ports import JournalState, Trace, names_in_fact, names_in_text
from storage.records import codec
from storage.records.schema import from_micros
from storage.redis import RedisPart
from storage.redis.jobs import Backlog, RedisJobs

GLANCED: Final = 4
"""Matches of each of the 64 tags that are looked at, to say how many there are of each kind; to read one takes up to 0.2 ms."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What waits in the store."""

    at: datetime  # when it was so, by the store's clock
    facts: int  # that are not announced yet
    oldest_waiting: datetime | None  # when the oldest of them was stored
    jobs: Backlog  # searches for workers elsewhere, of all classes


class RedisFigures:
    """Reads how much waits."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._jobs = RedisJobs(connection)

    async def read(self) -> Figures:
        """Return how much waits now."""
        streams = [keys.OUT.stream(tag) for tag in range(keys.TAGS)]
        calls = [
            *(("XLEN", stream) for stream in streams),
            *(("XRANGE", stream, "-", "+", "COUNT", 1) for stream in streams),
        ]
        found = await self.connection.batch(calls)
        lengths, first = found[: keys.TAGS], found[keys.TAGS :]
        return Figures(
            at=from_micros(await self.connection.time()),
            facts=sum(lengths),
            oldest_waiting=_earliest(first),
            jobs=await self._jobs.backlog(),
        )

    async def live(self) -> Mapping[tuple[str, str], int]:
        """Return how many matches are not over, by game and state; of many, an estimate from some of each tag, in two round trips."""
        timed = [keys.timers_of_key(tag) for tag in range(keys.TAGS)]  # where each that is not over has one
        found = await self.connection.batch(
            [*(("HLEN", key) for key in timed), *(("HRANDFIELD", key, GLANCED) for key in timed)]
        )
        stands_for: dict[str, float] = {}  # by match: for how many of its tag
        for size, drawn in zip(found[: keys.TAGS], found[keys.TAGS :], strict=True):
            stands_for |= {bytes(each).decode(): size / len(drawn) for each in drawn}
        matches = [each for each in stands_for if keys.is_match_id(each)]
        records = await self.connection.batch([("GET", keys.match_key(each)) for each in matches])
        counted: dict[tuple[str, str], float] = {}
        for match_id, record in zip(matches, records, strict=True):
            with suppress(Damaged):
                match = codec.decode(match_id, record or b"")
                kind = match.game, "paused" if match.paused else match.phase.value
                counted[kind] = counted.get(kind, 0.0) + stands_for[match_id]
        return {kind: round(count) for kind, count in counted.items()}


def _earliest(streams: Iterable[Any]) -> datetime | None:
    entries = [entry for entries in streams for entry in entries]
    if not entries:
        return None
    return from_micros(min(int(entry.partition(b"-")[0]) for entry, _ in entries) * 1000)


_STREAMS: Final = (f"{keys.PREFIX}:{{*}}:out", f"{keys.PREFIX}:{{*}}:in:*")
_IDS: Final = ":ids"


class RedisJournal(RedisPart):
    """A `Journal` on Redis. Replicas write files of their own, which are rewritten as their settings say."""

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
        nodes = [
            node
            for section in ("server", "persistence")
            for node in await self._connection.fields("INFO", section)
        ]
        runs = [node["run_id"] for node in nodes if "run_id" in node]
        busy = ("aof_rewrite_in_progress", "aof_rewrite_scheduled")
        return JournalState(
            " ".join(sorted(runs)),
            any(node.get(name, "0") != "0" for node in nodes for name in busy),
            any(node.get("aof_last_bgrewrite_status", "ok") != "ok" for node in nodes),
        )

    async def oldest_entry(self) -> datetime | None:
        first: list[Any] = []
        for pattern in _STREAMS:
            async for found in self._connection.scan(pattern):
                calls = [("XRANGE", key, "-", "+", "COUNT", 1) for key in found if not key.endswith(_IDS)]
                first += await self._connection.batch(calls)
        return _earliest(first)

    async def fsync(self) -> str | None:
        try:
            said = await self._connection.each("CONFIG", "GET", "appendfsync")
        except Unavailable:  # a hosted server, which hides its settings
            return None
        found = {value.decode(errors="replace") for node in said for _, value in pairs(node)}
        return ", ".join(sorted(found)) or None


_NAMES_ONLY: Final = frozenset({"settings", "of", "at", "bucket"})
"""Kinds of keys whose values name no one, or others by their own choice."""
_READ: Final[dict[str, Sequence[Word]]] = {
    "note": ("GET",),
    "taken": ("GET",),
    "op": ("GET",),
    "timeline": ("ZRANGE", 0, -1),
    "aside": ("ZRANGE", 0, -1),
    "shown": ("HKEYS",),
    "dead": ("HKEYS",),
}
"""How the others are read."""
_DELETED_BY: Final = {"timeline": "ZREM", "aside": "ZREM", "shown": "HDEL", "dead": "HDEL"}

Found = tuple[Trace, Sequence[Word]]
"""A trace, and the command that deletes it."""


class RedisTraces(RedisPart):
    """The traces of people."""

    async def of(self, account: Account) -> AsyncIterator[Found]:
        """Yield what names an account."""
        in_text, in_fact = names_in_text(account), names_in_fact(account)
        async for found in self._connection.scan(f"{keys.PREFIX}:*"):
            kinds = {key: keys.kind_of(key)[0] for key in found}
            read = {key: _READ[kind] for key, kind in kinds.items() if kind in _READ}
            calls = [(how[0], key, *how[1:]) for key, how in read.items()]
            held = dict(zip(read, await self._connection.batch(calls), strict=True))
            for key, kind in kinds.items():
                if kind == "op":
                    if in_fact(held[key] or b""):
                        yield Trace(key), ("DEL", key)
                elif kind in _DELETED_BY:
                    for member in map(bytes, held[key]):
                        if in_text(unquote(text := _text(member))) or (kind == "aside" and in_fact(member)):
                            shown = "" if kind == "aside" else text  # a fact names others, too
                            yield Trace(unquote(key), shown), (_DELETED_BY[kind], key, member)
                elif kind in ("note", "taken", *_NAMES_ONLY):
                    text = _text(held[key][codec.STAMP :]) if held.get(key) else ""
                    if in_text(unquote(key)) or in_text(text):
                        yield Trace(unquote(key), text), ("DEL", key)

    async def forget(self, account: Account) -> None:
        """Delete what names an account."""
        commands = [command async for _, command in self.of(account)]
        await self._connection.batch(commands)


def _text(stored: Any) -> str:
    return bytes(stored).decode(errors="replace")
