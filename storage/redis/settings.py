"""Settings on Redis."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from play.errors import Unavailable
from play.people import Account, Address
from play.settings import Settings
from storage import keys
from storage.client import Connection, Script

SETTINGS_VERSION: Final = 1
"""The first byte of stored settings. Fields may be added without a new one: they are written by name."""

_TRIES: Final = 100
"""How often settings are read again because another task changed them meanwhile; each time one of the tasks succeeds."""

_SWAP: Final = Script("swap")
_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Settings).decode
_log = logging.getLogger(__name__)


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
        _log.error("the settings of %s cannot be read: %s", whose, error)
        return Settings()
