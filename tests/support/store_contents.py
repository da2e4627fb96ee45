"""Everything that a server holds, key by key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from storage.redis.store import RedisStore

Contents: TypeAlias = Mapping[str, Any]
"""By key: what it holds, as plain values that can be compared."""

_HOW: Final[Mapping[str, Callable[[str], tuple[str | int, ...]]]] = {
    "string": lambda key: ("GET", key),
    "hash": lambda key: ("HGETALL", key),
    "zset": lambda key: ("ZRANGE", key, 0, -1, "WITHSCORES"),
    "stream": lambda key: ("XRANGE", key, "-", "+"),
    "set": lambda key: ("SMEMBERS", key),
    "list": lambda key: ("LRANGE", key, 0, -1),
}


async def contents(store: RedisStore) -> Contents:
    """Everything, as of now. How long a key lasts is not part of it."""
    keys = [key async for found in store.connection.scan("*") for key in found]
    kinds = [bytes(kind).decode() for kind in await store.connection.batch([("TYPE", key) for key in keys])]
    there = [
        (key, kind) for key, kind in zip(keys, kinds, strict=True) if kind != "none"
    ]  # else it has run out
    held = await store.connection.batch([_HOW[kind](key) for key, kind in there])
    return {key: _plain(kind, value) for (key, kind), value in zip(there, held, strict=True)}


def _plain(kind: str, held: Any) -> Any:
    if kind == "hash":
        return dict(held) if isinstance(held, Mapping) else dict(zip(held[::2], held[1::2], strict=True))
    return repr(held)
