"""What names a person on Redis; see `storage.traces`. One pass over all keys finds it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final
from urllib.parse import unquote

from play.people import Account
from storage import keys
from storage.client import Connection, Word
from storage.redis.notes import STAMP
from storage.traces import Trace, names_in_fact, names_in_text

_KIND: Final = re.compile(rf"{keys.PREFIX}:(?:\{{\d+\}}:)?([a-z]+)")
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


class RedisTraces:
    """The traces of people."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def of(self, account: Account) -> AsyncIterator[Found]:
        """Yield what names an account."""
        in_text, in_fact = names_in_text(account), names_in_fact(account)
        async for found in self._connection.scan(f"{keys.PREFIX}:*"):
            kinds = {key: named[1] for key in found if (named := _KIND.match(key))}
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
                    text = _text(held[key][STAMP:]) if held.get(key) else ""
                    if in_text(unquote(key)) or in_text(text):
                        yield Trace(unquote(key), text), ("DEL", key)

    async def forget(self, account: Account) -> None:
        """Delete what names an account."""
        commands = [command async for _, command in self.of(account)]
        await self._connection.batch(commands)


def _text(stored: Any) -> str:
    return bytes(stored).decode(errors="replace")
