"""Settings on Redis, and what a bot remembers of itself."""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING, Any, Final

import msgspec

from play.clock import Outage
from play.errors import ReusedOperation, Unavailable
from play.settings import Settings
from storage import keys
from storage.moments import from_micros, to_micros, to_score
from storage.redis_ratings import RedisRatings
from storage.trips import Script
from storage.upkeep import NOTE_KEPT, merged

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Sequence
    from datetime import datetime, timedelta

    from play.people import Account, Address
    from play.ports import Operation
    from storage.trips import Line

BOUND_SECONDS: Final = 7 * 24 * 3600
"""How long it is known which match a request was about."""

SETTINGS_VERSION: Final = 1
"""The first byte of stored settings. Fields may be added without a new one: they are written by name."""

_SWAPS: Final = 100
"""How often settings are read again because somebody else changed them meanwhile: one of those who try always gets on."""

_SEAL: Final = 8  # bytes
_SWAP: Final = Script("swap")
_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Settings).decode
_log = logging.getLogger(__name__)


def encode_settings(settings: Settings) -> bytes:
    """Settings as bytes."""
    return bytes([SETTINGS_VERSION]) + _encode(settings)


def decode_settings(stored: bytes) -> Settings:
    """The settings in bytes.

    Raises:
        ValueError: there are none that this program knows.
    """
    if stored[:1] != bytes([SETTINGS_VERSION]):
        raise ValueError("settings of another version")
    return _decode(stored[1:])


class RedisUpkeep(RedisRatings):
    """The part of the store that is not about matches."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def settings(self, whose: Account | Address) -> Settings:
        """See `Store.settings`. What cannot be read is logged, and stands for nothing chosen."""
        return (await self._stored(whose))[0][1]

    async def settings_of(self, *whose: Account | Address) -> Sequence[Settings]:
        """See `Store.settings_of`."""
        return [settings for _, settings in await self._stored(*whose)]

    async def _stored(self, *whose: Account | Address) -> list[tuple[bytes, Settings]]:
        """The settings of several as they are stored, and what that means."""
        found = await self._line.batch(
            [("GET", key(one)) for one in whose for key in (keys.settings_key, keys.language_key)]
        )
        return [_meant(*each) for each in zip(whose, found[::2], found[1::2], strict=True)]

    async def set_settings(self, whose: Account | Address, settings: Settings) -> None:
        """See `Store.set_settings`."""
        await self._line.command("SET", keys.settings_key(whose), encode_settings(settings))

    async def change_settings(
        self, whose: Account | Address, change: Callable[[Settings], Settings]
    ) -> Settings:
        """See `Store.change_settings`."""
        key = keys.settings_key(whose)
        for _ in range(_SWAPS):
            ((stored, settings),) = await self._stored(whose)
            changed = change(settings)
            if changed == settings or await self._line.run(_SWAP, [key], [stored, encode_settings(changed)]):
                return changed
        raise Unavailable

    async def match_ids(self) -> AsyncIterator[str]:
        """See `Upkeep.match_ids`."""
        async for found in self._line.scan(keys.MATCHES):
            for key in found:
                match_id = key.rpartition(":")[2]
                if keys.is_match_id(match_id):
                    yield match_id

    async def forget(self, account: Account, name: str, matches: Collection[str]) -> None:
        """See `Upkeep.forget`."""
        own = (keys.settings_key(account), keys.language_key(account), *keys.list_keys(account))
        await self._line.batch([("DEL", key) for key in own])
        await self.forget_ratings(account)
        if not matches:
            return
        async for found in self._line.scan(keys.OPERATIONS):
            there = [key for key in found if key.split(":", 4)[3:4] and key.split(":", 4)[3] in matches]
            results = await self._line.batch([("GET", key) for key in there])
            naming = [
                key
                for key, said in zip(there, results, strict=True)
                if said and (name.encode() in said or account.uid.encode() in said)
            ]
            if naming:
                await self._line.batch([("DEL", key) for key in naming])

    async def beat(self, at: datetime) -> None:
        """See `Upkeep.beat`."""
        await self._line.command("ZADD", keys.BEAT, "GT", to_score(at), "bot")

    async def last_beat(self) -> datetime | None:
        """See `Upkeep.last_beat`."""
        score = await self._line.command("ZSCORE", keys.BEAT, "bot")
        return None if score is None else from_micros(int(float(score)))

    async def add_outage(self, outage: Outage) -> None:
        """See `Upkeep.add_outage`."""
        member = f"{to_micros(outage.start)}:{to_micros(outage.end)}"
        await self._line.command("ZADD", keys.OUTAGES, to_score(outage.end), member)

    async def outages(self, since: datetime) -> Sequence[Outage]:
        """See `Upkeep.outages`."""
        found: list[Any] = await self._line.command("ZRANGEBYSCORE", keys.OUTAGES, "-inf", "+inf")
        spans = [bytes(member).decode().split(":") for member in found]
        outages = merged(Outage(from_micros(int(start)), from_micros(int(end))) for start, end in spans)
        return [outage for outage in outages if outage.end > since]

    async def bind(self, operation: Operation, match_id: str) -> str:
        """See `Upkeep.bind`."""
        key = keys.bound_key(operation)
        said = msgspec.msgpack.encode((match_id, operation.payload))
        answers = await self._line.batch(
            [("SET", key, said, "NX", "EX", BOUND_SECONDS), ("GET", key)],
        )
        bound, payload = msgspec.msgpack.decode(answers[1] or said, type=tuple[str, str])
        if payload != operation.payload:
            raise ReusedOperation
        return bound

    async def notes(self, *names: str) -> Sequence[str | None]:
        """See `Upkeep.notes`."""
        if not names:
            return ()
        found = await self._line.batch([("GET", keys.note_key(name)) for name in names])
        return [_note(stored) for stored in found]

    async def set_note(self, name: str, text: str | None, *, keep: timedelta = NOTE_KEPT) -> None:
        """See `Upkeep.set_note`."""
        key = keys.note_key(name)
        if text is None:
            await self._line.command("DEL", key)
        else:
            await self._line.command("SET", key, _sealed(text), "PX", _milliseconds(keep))

    async def note_once(self, name: str, text: str, *, keep: timedelta = NOTE_KEPT) -> bool:
        """See `Upkeep.note_once`."""
        key, mine = keys.note_key(name), _sealed(text)
        answers = await self._line.batch([("SET", key, mine, "NX", "PX", _milliseconds(keep)), ("GET", key)])
        return bool(answers[1] == mine)  # whichever of our tries wrote it

    async def take_note(self, name: str) -> str | None:
        """See `Upkeep.take_note`."""
        return _note(await self._line.command("GETDEL", keys.note_key(name)))

    async def shelve(self, name: str, text: str, at: datetime, *, most: int | None = None) -> None:
        """See `Upkeep.shelve`."""
        key = keys.shelf_key(name)
        trim = [("ZREMRANGEBYRANK", key, 0, -most - 1)] if most is not None else []
        await self._line.batch([("ZADD", key, to_score(at), text), *trim])

    async def shelf(self, name: str, *, until: datetime | None = None) -> Sequence[str]:
        """See `Upkeep.shelf`."""
        latest = "+inf" if until is None else to_score(until)
        found: list[Any] = await self._line.command("ZRANGEBYSCORE", keys.shelf_key(name), "-inf", latest)
        return [bytes(member).decode() for member in found]

    async def unshelve(self, name: str, text: str) -> None:
        """See `Upkeep.unshelve`."""
        await self._line.command("ZREM", keys.shelf_key(name), text)


def _meant(whose: Account | Address, stored: bytes | None, language: bytes | None) -> tuple[bytes, Settings]:
    """Settings as they are stored, and what that means; in earlier versions a language stood by itself."""
    if stored is None:
        return b"", Settings(language=None if language is None else language.decode(errors="replace"))
    try:
        return stored, decode_settings(stored)
    except (ValueError, TypeError) as error:
        _log.error("the settings of %s cannot be read: %s", whose, error)
        return stored, Settings()


def _milliseconds(time: timedelta) -> int:
    return max(1, round(time.total_seconds() * 1000))


def _sealed(text: str) -> bytes:
    """A note's text after a few bytes that no other note begins with, so that whoever wrote it knows it again."""
    return secrets.token_bytes(_SEAL) + text.encode()


def _note(stored: bytes | None) -> str | None:
    return None if stored is None else bytes(stored)[_SEAL:].decode()
