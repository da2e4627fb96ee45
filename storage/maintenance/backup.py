"""Back up a store into one file, and restore it into any empty store, a single server or a cluster.

The file is a line of text, then frames, deflated as a whole: each frame a length of four bytes and a msgpack value. A
match, or an event, comes with its timers, both of one moment; everything else key by key, by its type. Matches in the
archive are in it as any other, and are archived again as they are restored. Lists of matches are left out, for they are
rebuilt; so is what lasts for seconds (senders, rate limits). The last frame holds the number of frames and a BLAKE2b of
all before it. Bots may run meanwhile: what they change is in the file as it was before or after, each match whole.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, Final

import msgspec

from play.match import Match
from storage import keys
from storage.client import Script, Word, pairs
from storage.errors import BadDump, Damage, Damaged, Dump
from storage.maintenance.archiving import is_due
from storage.maintenance.verify import reindex, scanned
from storage.ports import FullStore
from storage.records import codec
from storage.redis.store import RedisStore

VERSION: Final = 1
_MAGIC: Final = b"klop-dump "
_EARLIER: Final = b"klop-backup "
"""How backups of earlier formats begin."""
_CHUNK: Final = 1 << 16
_FRAME_LIMIT: Final = 64 * 1024 * 1024
_MATCH, _KEY, _END = 0, 1, 2  # types of frames
_TOGETHER: Final = Script("together")
_BATCH: Final = 500  # commands
_NOTE: Final = "backup"
_NOTE_KEPT: Final = timedelta(days=3650)

_KEYS: Final = (  # everything but matches, events, timers, lists, senders and buckets
    keys.PREFIX + ":{*}:op:*",
    keys.PREFIX + ":{*}:shown:*",
    keys.PREFIX + ":{*}:out",
    f"{keys.PREFIX}:settings:*",
    f"{keys.PREFIX}:rating:*",
    f"{keys.PREFIX}:bound:*",
    f"{keys.PREFIX}:note:*",
    f"{keys.PREFIX}:timeline:*",
    f"{keys.PREFIX}:lender:*",
    keys.DEAD,
    keys.BEAT,
    keys.OUTAGES,
    keys.ASIDE,
)


async def backup(store: RedisStore, path: Path) -> int:
    """Write a backup into a new file that only its owner may read; return how many matches it holds.

    Raises:
        FileExistsError: the file exists.
        OSError: it cannot be written.
        Damaged: a match is in an archive that is not here.
    """
    matches = 0
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        writer = _Writer(file)
        async for found in scanned(store):
            names = [key.rpartition(":")[2] for key in found]
            named = [(key, name) for key, name in zip(found, names, strict=True) if keys.is_id(name)]
            calls = [
                _TOGETHER.call([key, keys.timers_of_key(keys.tag_of(name))], [name]) for key, name in named
            ]
            replies = await store.connection.batch(calls, [_TOGETHER])
            records = {name: record for (_, name), (record, _) in zip(named, replies, strict=True)}
            whole = await store.matches.lists.whole({name: held for name, held in records.items() if held})
            for (_, name), (_, timers) in zip(named, replies, strict=True):
                if name not in whole:
                    continue
                if codec.is_head(whole[name]):
                    raise Damaged(name, Damage.ARCHIVED)
                writer.write([_MATCH, name, whole[name], timers or b""])
                matches += 1
        for pattern in _KEYS:
            async for found in store.connection.scan(pattern):
                for key in found:
                    frame = await _frame_of(store, key)
                    if frame is not None:
                        writer.write(frame)
        writer.close()
    await store.notes.write(_NOTE, (await store.now()).isoformat(), keep=_NOTE_KEPT)
    return matches


async def last_backup(store: FullStore) -> datetime | None:
    """Return when the last backup was made; None if none was."""
    (noted,) = await store.notes.read(_NOTE)
    return datetime.fromisoformat(noted) if noted else None


async def restore(store: RedisStore, path: Path) -> int:
    """Restore a backup into an empty store; return how many matches it holds. The whole file is checked first.

    Raises:
        BadDump: the file is not a backup, or damaged, or the store is not empty. Nothing was written.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        for frame in _frames(file):  # to the end, before anything is written
            _check(frame)
    async for _ in store.connection.scan(f"{keys.PREFIX}:*"):
        raise BadDump(Dump.NOT_EMPTY)
    if store.archive is not None and await store.archive.count():
        raise BadDump(Dump.NOT_EMPTY)
    matches, at = 0, await store.now()
    calls: list[Sequence[Word]] = []
    due: dict[str, tuple[Match, bytes]] = {}

    async def carry_out() -> None:
        await store.connection.batch(calls)
        calls.clear()
        await store.matches.archive(due)
        due.clear()

    with path.open("rb") as file:
        for frame in _frames(file):
            calls += _commands(frame)
            if frame[0] == _MATCH:
                matches += 1
                match = codec.decode_any(frame[1], frame[2])
                if isinstance(match, Match) and is_due(match, at):
                    due[match.id] = (match, frame[2])
            if len(calls) >= _BATCH:
                await carry_out()
    await carry_out()
    await reindex(store)
    return matches


async def _frame_of(store: RedisStore, key: str) -> list[Any] | None:
    """Return a key with its type, its value, and its remaining milliseconds (0: no limit); None if it is gone."""
    kind, lasts = await store.connection.batch([("TYPE", key), ("PTTL", key)])
    kind = kind.decode() if isinstance(kind, bytes) else str(kind)
    how: dict[str, tuple[Word, ...]] = {
        "string": ("GET", key),
        "hash": ("HGETALL", key),
        "zset": ("ZRANGE", key, 0, -1, "WITHSCORES"),
        "stream": ("XRANGE", key, "-", "+"),
    }
    if kind not in how:
        return None
    held = (await store.connection.batch([how[kind]]))[0]
    if held is None:
        return None
    return [_KEY, key, kind, _plain(held), max(0, int(lasts))]


def _plain(held: Any) -> Any:
    """Return a reply with pairs and mappings as flat lists; which it has depends on redis-py."""
    if isinstance(held, dict):
        return [word for pair in held.items() for word in pair]
    if isinstance(held, (list, tuple)):
        return [_plain(each) for each in held]
    return str(held).encode() if isinstance(held, float) else held


def _commands(frame: list[Any]) -> Iterator[Sequence[Word]]:
    if frame[0] == _MATCH:
        _, name, record, timers = frame
        tag = keys.tag_of(name)
        yield ("SET", keys.match_key(name), record)
        if timers:
            yield ("HSET", keys.timers_of_key(tag), name, timers)
            for member in timers.split():
                yield ("ZADD", keys.timers_key(tag), int(member.rpartition(b":")[2]), member)
        return
    _, key, kind, held, lasts = frame
    if kind == "string":
        yield ("SET", key, held, *(("PX", lasts) if lasts else ()))
    elif kind == "hash":
        for field, value in pairs(held):
            yield ("HSET", key, field, value)
    elif kind == "zset":
        for member, score in pairs(held):
            yield ("ZADD", key, score, member)
    else:
        for entry, said in held:
            yield ("XADD", key, entry, *said)


def _check(frame: list[Any]) -> None:
    try:
        if frame[0] == _MATCH:
            codec.decode_any(frame[1], frame[2])
        for _ in _commands(frame):
            pass
    except (Damaged, ValueError, TypeError, LookupError) as error:
        raise BadDump(Dump.BROKEN) from error


class _Writer:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._deflater = zlib.compressobj()
        self._digest = blake2b(digest_size=16)
        self._count = 0
        file.write(_MAGIC + str(VERSION).encode() + b"\n")

    def write(self, frame: list[Any]) -> None:
        said = msgspec.msgpack.encode(frame)
        packed = len(said).to_bytes(4, "big") + said
        self._digest.update(packed)
        self._count += 1
        self._file.write(self._deflater.compress(packed))

    def close(self) -> None:
        self.write([_END, self._count, self._digest.digest()])
        self._file.write(self._deflater.flush())


def _frames(file: IO[bytes]) -> Iterator[list[Any]]:
    """Yield the frames of a file, all but the last, which is checked."""
    head = file.readline(64)
    if head.startswith(_EARLIER):
        raise BadDump(Dump.EARLIER)
    if not head.startswith(_MAGIC) or not head.endswith(b"\n") or not head[len(_MAGIC) : -1].isdigit():
        raise BadDump(Dump.NO_DUMP)
    version = int(head[len(_MAGIC) :])
    if version != VERSION:
        raise BadDump(Dump.NEWER, version=version, known=VERSION)
    try:
        yield from _checked_frames(file)
    except (ValueError, LookupError, TypeError, zlib.error) as error:
        raise BadDump(Dump.BROKEN) from error


def _checked_frames(file: IO[bytes]) -> Iterator[list[Any]]:
    digest = blake2b(digest_size=16)
    count = 0
    ended = False
    for packed in _split(file):
        frame = msgspec.msgpack.decode(packed[4:], type=list[Any])
        if ended:
            raise ValueError("data after the end")
        if frame[0] == _END:
            if frame[1:] != [count, digest.digest()]:
                raise ValueError("wrong digest")
            ended = True
            continue
        digest.update(packed)
        count += 1
        yield frame
    if not ended:
        raise ValueError("no end")


def _split(file: IO[bytes]) -> Iterator[bytes]:
    inflater = zlib.decompressobj()
    plain = bytearray()
    while chunk := file.read(_CHUNK):
        plain += inflater.decompress(chunk)
        while len(plain) >= 4:
            length = 4 + int.from_bytes(plain[:4], "big")
            if length > _FRAME_LIMIT:
                raise ValueError("a frame is too long")
            if len(plain) < length:
                break
            yield bytes(plain[:length])
            del plain[:length]
    if plain or not inflater.eof or inflater.unused_data:
        raise ValueError("not one whole deflated stream")
