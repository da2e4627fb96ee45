"""Back up a store into one file, and restore it into any empty store, a single server or a cluster.

The file is a line of text, then blocks: a mark, and frames (`storage.maintenance.frames`) that are deflated together. A frame
is a length and a CRC-32, of four bytes each, and a msgpack value. Matches in the archive are in it as any other, and are
archived again as they are restored. Lists of matches are left out, for they are rebuilt; so is what lasts for seconds
(senders, rate limits). The last frame holds the number of frames and a BLAKE2b of all before it. Bots may run meanwhile: what
they change is in the file as it was before or after, each match whole.

What is damaged in the store is set aside: it is in the file as it was found, in frames of another type. `restore` leaves out
what it cannot read of it. Of a file that is cut short or damaged, `restore` takes every frame that is sound: up to the damage,
and from the next block on. A file of version 1 is one deflated stream of frames without a CRC-32, so only what is before a
damage can be read.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import AsyncIterator, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import blake2b
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, Final, TypeAlias

import msgspec

from play.match import Match
from storage import keys
from storage.client.connection import Word
from storage.errors import BadDump, Damaged, Dump
from storage.maintenance import frames
from storage.maintenance.frames import Frame, KeyFrame, MatchFrame, sift
from storage.maintenance.retention import is_due, last_rewrite
from storage.maintenance.verify import reindex
from storage.ports import FullStore
from storage.records.schema import read_time
from storage.redis.store import RedisStore

VERSION: Final = 2
_PLAIN: Final = 1  # the version without blocks
_MAGIC: Final = b"klop-dump "
_EARLIER: Final = b"klop-backup "
"""How backups of earlier formats begin."""
_MARK: Final = b"\xf5\xb1\xf6\xb2"
"""What each block begins with; UTF-8 has none of these bytes."""
_BLOCK: Final = 4096
"""Bytes of a block before it is deflated, and so what a changed byte can cost. A file is a fifth larger than in one block."""
_CHUNK: Final = 1 << 16
_LIMIT: Final = 64 * 1024 * 1024  # bytes of a frame in a file without blocks
_BATCH: Final = 500  # commands
_NOTE: Final = "backup"  # of the last one without damage
_ANY_NOTE: Final = "backup:any"
_NOTE_KEPT: Final = timedelta(days=3650)


class _EndFrame(msgspec.Struct, array_like=True, frozen=True, tag=2):
    count: int
    digest: bytes


class _DamagedFrame(msgspec.Struct, array_like=True, frozen=True, tag=3):
    frame: Frame


_AnyFrame: TypeAlias = MatchFrame | KeyFrame | _EndFrame | _DamagedFrame
_decode: Final = msgspec.msgpack.Decoder(_AnyFrame).decode


@dataclass(frozen=True, slots=True)
class BackedUp:
    """The result of `backup`: how many matches and events the file holds that are sound, and what is damaged."""

    matches: int
    damaged: Sequence[Damaged]


@dataclass(slots=True)
class Restored:
    """The result of `restore`."""

    matches: int = 0  # and events
    damaged: list[Damaged] = field(default_factory=list)  # what was left out, for it cannot be read
    torn: bool = False  # the file is cut short or damaged, so that there may have been more


async def backup(store: RedisStore, path: Path) -> BackedUp:
    """Write a backup into a new file that only its owner may read. One that ends with an error leaves no file.

    Raises:
        FileExistsError: the file exists.
        OSError: it cannot be written.
    """
    matches, damaged = 0, []
    with ExitStack() as unfinished:
        file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        unfinished.callback(path.unlink)
        with file:
            writer = _Writer(file)
            async for frame in _all_frames(store):
                sifted = sift(frame)
                if sifted.sound is not None:
                    writer.write(sifted.sound)
                    matches += isinstance(frame, MatchFrame)
                if sifted.wrong is not None:
                    writer.write(_DamagedFrame(sifted.wrong))
                if sifted.damage is not None:
                    damaged.append(sifted.damage)
            writer.close()
            file.flush()
            os.fsync(file.fileno())
        unfinished.pop_all()
    at = (await store.now()).isoformat()
    for note in (_ANY_NOTE,) if damaged else (_ANY_NOTE, _NOTE):
        await store.notes.write(note, at, keep=_NOTE_KEPT)
    return BackedUp(matches, damaged)


async def last_backup(store: FullStore, *, sound: bool = True) -> datetime | None:
    """Return when the last backup was made, or the last one of which all is sound; None if none was."""
    last, last_sound = map(read_time, await store.notes.read(_ANY_NOTE, _NOTE))
    return last_sound if sound else last or last_sound


async def restore(store: RedisStore, path: Path) -> Restored:
    """Restore what is sound of a backup into an empty store.

    Raises:
        BadDump: the file is not a backup, or nothing of it can be read, or the store is not empty. Nothing was written.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        reader = _Reader(file)
        async for _ in store.connection.scan(f"{keys.PREFIX}:*"):
            raise BadDump(Dump.NOT_EMPTY)
        if store.archive is not None and await store.archive.count():
            raise BadDump(Dump.NOT_EMPTY)
        done, at = Restored(), await store.now()
        there: set[str] = set()
        calls: list[Sequence[Word]] = []
        due: dict[str, tuple[Match, bytes]] = {}
        read = False
        for found in reader.frames():
            read = True
            sifted = sift(found)
            if sifted.damage is not None:
                done.damaged.append(sifted.damage)
            # What a match that is left out had beside its record would contradict it.
            frame = sifted.sound and frames.of_matches(sifted.sound, there)
            if frame is None:
                continue
            calls += frames.commands(frame)
            if isinstance(frame, MatchFrame):
                there.add(frame.name)
                match = frames.decode(frame)
                if isinstance(match, Match) and is_due(match, at):
                    due[match.id] = (match, frame.record)
            if len(calls) >= _BATCH:
                await _carry_out(store, calls, due)
        if reader.torn and not read:
            raise BadDump(Dump.BROKEN)
        await _carry_out(store, calls, due)
    await reindex(store)
    done.matches, done.torn = len(there), reader.torn
    return done


async def _all_frames(store: RedisStore) -> AsyncIterator[Frame]:
    async for frame in frames.subjects(store):
        yield frame
    for pattern in frames.PATTERNS:
        async for found in store.connection.scan(pattern):
            for frame in await frames.read(store, found):
                yield frame


async def _carry_out(
    store: RedisStore, calls: list[Sequence[Word]], due: dict[str, tuple[Match, bytes]]
) -> None:
    await store.connection.batch(calls)
    calls.clear()
    await store.matches.archive(due)
    due.clear()


class _Writer:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._plain = bytearray()
        self._digest = blake2b(digest_size=16)
        self._count = 0
        file.write(_MAGIC + str(VERSION).encode() + b"\n")

    def write(self, frame: _AnyFrame) -> None:
        said = msgspec.msgpack.encode(frame)
        packed = len(said).to_bytes(4, "big") + zlib.crc32(said).to_bytes(4, "big") + said
        self._digest.update(packed)
        self._count += 1
        self._plain += packed
        if len(self._plain) >= _BLOCK:
            self._flush()

    def close(self) -> None:
        self.write(_EndFrame(self._count, self._digest.digest()))
        self._flush()

    def _flush(self) -> None:
        self._file.write(_MARK + zlib.compress(self._plain))
        self._plain.clear()


class _Reader:
    def __init__(self, file: IO[bytes]) -> None:
        head = file.readline(64)
        if head.startswith(_EARLIER):
            raise BadDump(Dump.EARLIER)
        if not head.startswith(_MAGIC) or not head.endswith(b"\n") or not head[len(_MAGIC) : -1].isdigit():
            raise BadDump(Dump.NO_DUMP)
        version = int(head[len(_MAGIC) :])
        if not _PLAIN <= version <= VERSION:
            raise BadDump(Dump.NEWER, version=version, known=VERSION)
        self.torn = False
        self._start = len(head)
        self._data = mmap(file.fileno(), 0, access=ACCESS_READ)
        self._marked = version != _PLAIN
        self._head = 8 if self._marked else 4  # bytes before the value of a frame

    def frames(self) -> Iterator[Frame]:
        digest, count, ended = blake2b(digest_size=16), 0, False
        for packed in self._blocks() if self._marked else self._stream():
            try:
                frame = _decode(packed[self._head :])
            except ValueError:
                self.torn = True
                continue
            ended = frame == _EndFrame(count, digest.digest())
            if isinstance(frame, _EndFrame):
                continue
            digest.update(packed)
            count += 1
            yield frame.frame if isinstance(frame, _DamagedFrame) else frame
        self.torn |= not ended

    def _stream(self) -> Iterator[bytes]:
        end = yield from self._inflated(self._start)
        self.torn |= end != len(self._data)

    def _blocks(self) -> Iterator[bytes]:
        at = self._start
        while at < len(self._data):
            mark = self._data.find(_MARK, at)
            self.torn |= mark != at
            if mark < 0:
                return
            end = yield from self._inflated(mark + len(_MARK))
            self.torn |= end is None
            at = mark + 1 if end is None else end

    def _inflated(self, at: int) -> Generator[bytes, None, int | None]:
        """Yield the frames of a deflated stream, as far as it can be read; return where it ends, None if it is damaged."""
        inflater, plain, step = zlib.decompressobj(), bytearray(), _CHUNK
        while at < len(self._data) and not inflater.eof:
            before = inflater.copy()
            try:
                plain += inflater.decompress(self._data[at : at + step])
            except zlib.error:
                if step == 1:
                    break
                inflater, step = before, max(1, step >> 8)  # what is before the damage
                continue
            at += step
            yield from self._cut(plain)
        self.torn |= bool(plain)
        return min(at, len(self._data)) - len(inflater.unused_data) if inflater.eof else None

    def _cut(self, plain: bytearray) -> Iterator[bytes]:
        while len(plain) >= self._head:
            length = self._head + int.from_bytes(plain[:4], "big")
            if length > _LIMIT and not self._marked:
                self.torn = True
                plain.clear()
            if len(plain) < length:
                return
            packed = bytes(plain[:length])
            del plain[:length]
            if self._marked and zlib.crc32(packed[8:]) != int.from_bytes(packed[4:8], "big"):
                self.torn = True
                continue
            yield packed


_VERIFIED: Final = "verified"  # the note of the last `klop verify`


async def note_damaged(store: RedisStore, damaged: int) -> None:
    """Note how many matches `klop verify` found damaged."""
    await store.notes.write(_VERIFIED, str(damaged), keep=timedelta(days=365))


async def damaged(store: RedisStore) -> int:
    """Return how many matches the last `klop verify` found damaged; 0 if there was none."""
    (noted,) = await store.notes.read(_VERIFIED)
    return int(noted or 0)


async def ages(store: RedisStore) -> tuple[timedelta | None, timedelta | None]:
    """Return the age of the last backup and of the last rewrite of the append-only file; None for what never was."""
    at = await store.now()
    backup, rewrite = await last_backup(store), await last_rewrite(store)
    backup_age, rewrite_age = [max(timedelta(), at - since) if since else None for since in (backup, rewrite)]
    return backup_age, rewrite_age
