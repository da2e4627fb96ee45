"""Notes and timelines on Redis.

Settings on Redis.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from play.errors import Unavailable
from play.people import Account, Address
from play.ports import NOTE_KEPT
from play.settings import Settings
from storage import keys
from storage.client import Connection, Script, Word
from storage.records.columns import to_score

STAMP: Final = 8  # bytes before the text of a note
_TAKEN_KEPT: Final = 60  # seconds: far longer than a call is retried
_SWAP: Final = Script("swap")
_log: Final = logging.getLogger(__name__)
_TAKE_NOTE: Final = Script("take_note")


class RedisNotes:
    """A `NoteStore` on Redis. A note that cannot be read is logged, and counts as none."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def read(self, *names: str) -> Sequence[str | None]:
        found = await self._connection.batch([("GET", keys.note_key(name)) for name in names])
        return [_unstamped(stored) for stored in found]

    async def write(self, name: str, text: str | None, *, keep: timedelta = NOTE_KEPT) -> None:
        key = keys.note_key(name)
        if text is None:
            await self._connection.command("DEL", key)
        else:
            await self._connection.command("SET", key, _stamped(text), "PX", _milliseconds(keep))

    async def write_once(self, name: str, text: str, *, keep: timedelta = NOTE_KEPT) -> bool:
        mine = _stamped(text)
        there = await self._write_once(keys.note_key(name), mine, _milliseconds(keep))
        return bool(there == mine)  # also if the first of two tries wrote it and its reply was lost

    async def _write_once(self, key: str, stamped: bytes, kept: int) -> bytes | None:
        """Write a note if there is none; return the one that is there.

        It is kept no longer than so many milliseconds from now: a later end is from before the clock was set back.
        """
        calls = [("SET", key, stamped, "NX", "PX", kept), ("GET", key), ("PTTL", key)]
        _, there, left = await self._connection.batch(calls)
        if int(left) > kept:
            await self._connection.command("PEXPIRE", key, kept)
        return there if there is None else bytes(there)

    async def hold(self, name: str, *, keep: timedelta) -> str | None:
        key, process = keys.note_key(name), self._connection.process
        mine = f"{process.name}.{secrets.token_hex(STAMP)}"
        stamped, kept = _stamped(mine), _milliseconds(keep)
        there = await self._write_once(key, stamped, kept)
        if there and there != stamped and (_unstamped(there) or "").partition(".")[0] in process.ended:
            return mine if await self._connection.run(_SWAP, [key], [there, stamped, kept]) else None
        return mine if there == stamped else None

    async def take(self, name: str) -> str | None:
        names = (keys.note_key(name), keys.taken_key(name, secrets.token_hex(STAMP)))
        return _unstamped(await self._connection.run(_TAKE_NOTE, names, (_TAKEN_KEPT,)))


class RedisTimelines:
    """A `TimelineStore` on Redis."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def add(self, name: str, text: str, at: datetime, *, most: int | None = None) -> None:
        key = keys.timeline_key(name)
        trim = [("ZREMRANGEBYRANK", key, 0, -most - 1)] if most is not None else []
        await self._connection.batch([("ZADD", key, to_score(at), text), *trim])

    async def read(
        self, name: str, *, until: datetime | None = None, since: datetime | None = None
    ) -> Sequence[str]:
        earliest: Word = "-inf" if since is None else to_score(since)
        latest: Word = "+inf" if until is None else to_score(until)
        found: list[Any] = await self._connection.command(
            "ZRANGEBYSCORE", keys.timeline_key(name), earliest, latest
        )
        return [bytes(member).decode() for member in found]

    async def remove(self, name: str, text: str) -> None:
        await self._connection.command("ZREM", keys.timeline_key(name), text)


def _stamped(text: str) -> bytes:
    """Return a note's text after random bytes, by which its writer recognises it."""
    return secrets.token_bytes(STAMP) + text.encode()


def _unstamped(stored: bytes | None) -> str | None:
    try:
        return None if stored is None else decode_note(stored)
    except ValueError as error:
        _log.error("a note cannot be read: %s", error)
        return None


def decode_note(stored: bytes) -> str:
    """Return the text of a note, or raise ValueError."""
    return bytes(stored)[STAMP:].decode()


def _milliseconds(time: timedelta) -> int:
    return max(1, round(time.total_seconds() * 1000))


SETTINGS_VERSION: Final = 1
"""The first byte of stored settings. Fields may be added without a new one: they are written by name."""

_TRIES: Final = 100
"""How often settings are read again because another task changed them meanwhile; each time one of the tasks succeeds."""

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Settings).decode
_settings_log = logging.getLogger(__name__)


def encode_settings(settings: Settings) -> bytes:
    """Return settings as bytes."""
    return bytes([SETTINGS_VERSION]) + _encode(settings)


def decode_settings(stored: bytes) -> Settings:
    """Return the settings in bytes, or raise ValueError."""
    if stored[:1] != bytes([SETTINGS_VERSION]):
        raise ValueError("settings of another version")
    return _decode(stored[1:])


class RedisSettings:
    """A `SettingsStore` on Redis. Settings that cannot be read are logged, and read as the defaults."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def get(self, whose: Account | Address) -> Settings:
        return readable(whose, await self._connection.command(*get_settings(whose)))

    async def get_many(self, *whose: Account | Address) -> Sequence[Settings]:
        found = await self._connection.batch([get_settings(each) for each in whose])
        return [readable(each, stored) for each, stored in zip(whose, found, strict=True)]

    async def change(self, whose: Account | Address, change: Callable[[Settings], Settings]) -> Settings:
        key = keys.settings_key(whose)
        for _ in range(_TRIES):
            stored = await self._connection.command("GET", key)
            settings = readable(whose, stored)
            changed = change(settings)
            values = [stored or b"", encode_settings(changed)]
            if changed == settings or await self._connection.run(_SWAP, [key], values):
                return changed
        raise Unavailable


def get_settings(whose: Account | Address) -> tuple[str, str]:
    """Return the command whose reply `readable` takes."""
    return ("GET", keys.settings_key(whose))


def readable(whose: Account | Address, stored: bytes | None) -> Settings:
    """Return stored settings, or the defaults where there are none or they cannot be read, which is logged."""
    if stored is None:
        return Settings()
    try:
        return decode_settings(stored)
    except (ValueError, TypeError) as error:
        _settings_log.error("the settings of %s cannot be read: %s", whose, error)
        return Settings()
