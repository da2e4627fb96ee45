"""Ratings on Redis: all of a game in one hash. One script changes them and notes that a match has been counted."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from play.errors import Unavailable
from play.people import Account
from play.ratings.model import Change, Rating
from storage import keys
from storage.client import Script, Word
from storage.redis import RedisPart

RATINGS_VERSION: Final = 1  # the first byte of a stored rating, and of what a match did to ratings

_TRIES: Final = 100
"""How often ratings are read again because another match changed them meanwhile; each time one of the matches succeeds."""

_COUNT: Final = Script("count")
_encode: Final = msgspec.msgpack.Encoder().encode
_HEAD: Final = bytes([RATINGS_VERSION])
NONE: Final = b"-"  # what a merge replaced where there was no rating
_log: Final = logging.getLogger(__name__)


class _Rating(msgspec.Struct, array_like=True, frozen=True):
    skill: float
    doubt: float
    played: int


_decode: Final = msgspec.msgpack.Decoder(_Rating).decode
_decode_all: Final = msgspec.msgpack.Decoder(list[tuple[_Rating, _Rating] | None]).decode


class RedisRatings(RedisPart):
    """A `RatingStore` on Redis. A rating that cannot be read is logged, and counts as none."""

    async def get(self, game: str, *whose: Account) -> Sequence[Rating | None]:
        return [_readable(stored) for stored in await self._stored(game, whose)]

    async def _stored(self, game: str, whose: Sequence[Account]) -> list[bytes]:
        if not whose:
            return []
        fields = map(keys.person_field, whose)
        found = await self._connection.command("HMGET", keys.ratings_key(game), *fields)
        return [bytes(stored or b"") for stored in found]

    async def counted(self, game: str, match_id: str) -> Sequence[Change | None] | None:
        stored = await self._connection.command("GET", keys.counted_key(game, match_id))
        return None if stored is None else _changes(stored)

    async def count(
        self,
        game: str,
        match_id: str,
        whose: Sequence[Account | None],
        change: Callable[[Sequence[Rating | None]], Sequence[Change]],
    ) -> Sequence[Change | None]:
        names = [keys.ratings_key(game), keys.counted_key(game, match_id)]
        people = [person for person in whose if person is not None]
        for _ in range(_TRIES):
            stored = dict(zip(people, await self._stored(game, people), strict=True))
            changed = change([_readable(stored[person]) if person else None for person in whose])
            kept = [one if person else None for person, one in zip(whose, changed, strict=True)]
            changes = [one and (_plain(one.before), _plain(one.after)) for one in kept]
            values: list[Word] = [_HEAD + _encode(changes)]
            for person, one in zip(whose, changed, strict=True):
                if person is not None:
                    values += [keys.person_field(person), stored[person], _HEAD + _encode(_plain(one.after))]
            done = await self._connection.run(_COUNT, names, values)
            if isinstance(done, bytes):
                return _changes(done)
            if done:
                return kept
        raise Unavailable

    async def merge(self, old: Account, new: Account) -> None:
        for game in await self._games():
            await self._merge(game, old, new)

    async def _merge(self, key: str, old: Account, new: Account) -> None:
        for _ in range(_TRIES):
            fields, (theirs, own, replaced) = await self._pair(key, old, new)
            other, mine = _readable(theirs), _readable(own)
            if other is None or (mine is not None and other.played <= mine.played):
                return
            changes = (theirs, theirs, own, theirs, replaced, own or NONE)
            if await self._swapped(key, fields, changes):
                return
        raise Unavailable

    async def part(self, old: Account, new: Account) -> None:
        for game in await self._games():
            await self._part(game, old, new)

    async def _part(self, key: str, old: Account, new: Account) -> None:
        for _ in range(_TRIES):
            fields, (theirs, own, replaced) = await self._pair(key, old, new)
            if not replaced:
                return
            back = own if own != theirs else b"" if replaced == NONE else replaced
            if await self._swapped(key, fields, (theirs, theirs, own, back, replaced, b"")):
                return
        raise Unavailable

    async def _pair(self, key: str, old: Account, new: Account) -> tuple[Sequence[str], Sequence[bytes]]:
        fields = (keys.person_field(old), keys.person_field(new), keys.replaced_field(old))
        stored = await self._connection.command("HMGET", key, *fields)
        return fields, [bytes(each or b"") for each in stored]

    async def _swapped(self, key: str, fields: Sequence[str], changes: Sequence[bytes]) -> bool:
        values: list[Word] = [""]
        for number, field in enumerate(fields):
            values += [field, *changes[2 * number : 2 * number + 2]]
        return bool(await self._connection.run(_COUNT, [key], values))

    async def forget(self, account: Account) -> None:
        """Delete a person's ratings."""
        fields = (keys.person_field(account), keys.replaced_field(account))
        await self._connection.batch([("HDEL", key, *fields) for key in await self._games()])

    async def _games(self) -> list[str]:
        return [key async for found in self._connection.scan(keys.RATINGS) for key in found]


def _readable(stored: bytes) -> Rating | None:
    if not stored:
        return None
    try:
        return decode_rating(stored)
    except ValueError as error:
        _log.error("a rating cannot be read: %s", error)
        return None


def decode_rating(stored: bytes) -> Rating:
    """Return a stored rating, or raise ValueError, also for one of another version."""
    read = _decode(stored[1:] if stored[:1] == _HEAD else b"")
    return Rating(read.skill, read.doubt, read.played)


def _plain(rating: Rating) -> _Rating:
    return _Rating(rating.skill, rating.doubt, rating.played)


def _changes(stored: Any) -> list[Change | None]:
    """Return what a match did; nothing where that cannot be read, for it has been counted."""
    try:
        return decode_changes(bytes(stored))
    except ValueError as error:
        _log.error("what a match did to ratings cannot be read: %s", error)
        return []


def decode_changes(stored: bytes) -> list[Change | None]:
    """Return what a match did to ratings, or raise ValueError."""
    found = _decode_all(stored[1:])
    return [
        pair and Change(*[Rating(each.skill, each.doubt, each.played) for each in pair]) for pair in found
    ]
