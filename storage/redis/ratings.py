"""Ratings on Redis: all of a game in one hash. One script changes them and notes that a match has been counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, cast

from play.errors import Unavailable
from play.people import Account
from play.ratings.model import Rating, RatingChange
from storage import keys
from storage.client.connection import Script, Word
from storage.records import codec
from storage.records.schema import form_of
from storage.redis import RedisPart

RATINGS_VERSION: Final = 1  # the first byte of a stored rating, and of what a match did to ratings

_TRIES: Final = 100
"""How often ratings are read again because another match changed them meanwhile; each time one of the matches succeeds."""

_COUNT: Final = Script("count")
_RATING: Final = form_of(Rating)
_CHANGES: Final = form_of(tuple[RatingChange | None, ...])
_HEAD: Final = bytes([RATINGS_VERSION])
NONE: Final = b"-"  # what a merge replaced where there was no rating


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

    async def counted(self, game: str, match_id: str) -> Sequence[RatingChange | None] | None:
        stored = await self._connection.command("GET", keys.counted_key(game, match_id))
        return None if stored is None else _changes(stored)

    async def count(
        self,
        game: str,
        match_id: str,
        whose: Sequence[Account | None],
        change: Callable[[Sequence[Rating | None]], Sequence[RatingChange]],
    ) -> Sequence[RatingChange | None]:
        names = [keys.ratings_key(game), keys.counted_key(game, match_id)]
        people = [person for person in whose if person is not None]
        for _ in range(_TRIES):
            stored = dict(zip(people, await self._stored(game, people), strict=True))
            changed = change([_readable(stored[person]) if person else None for person in whose])
            kept = [one if person else None for person, one in zip(whose, changed, strict=True)]
            values: list[Word] = [_HEAD + _CHANGES.encode(kept)]
            for person, one in zip(whose, changed, strict=True):
                if person is not None:
                    values += [keys.person_field(person), stored[person], _HEAD + _RATING.encode(one.after)]
            done = await self._connection.run(_COUNT, names, values)
            if isinstance(done, bytes):
                return _changes(done)
            if done:
                return kept
        raise Unavailable

    async def merge(self, old: Account, new: Account) -> None:
        def merged(theirs: bytes, own: bytes, replaced: bytes) -> Sequence[bytes]:
            other, mine = _readable(theirs), _readable(own)
            if other is None or (mine is not None and other.played <= mine.played):
                return ()
            return theirs, theirs, own, theirs, replaced, own or NONE

        await self._change(old, new, merged)

    async def part(self, old: Account, new: Account) -> None:
        def parted(theirs: bytes, own: bytes, replaced: bytes) -> Sequence[bytes]:
            if not replaced:
                return ()
            back = own if own != theirs else b"" if replaced == NONE else replaced
            return theirs, theirs, own, back, replaced, b""

        await self._change(old, new, parted)

    async def _change(
        self, old: Account, new: Account, change: Callable[[bytes, bytes, bytes], Sequence[bytes]]
    ) -> None:
        """Change the ratings of two accounts of one person, and what a merge replaced, in all games.

        `change` returns pairs of what each of the three should hold and what it is to hold; none to leave them.
        """
        fields = (keys.person_field(old), keys.person_field(new), keys.replaced_field(old))
        for key in await self._games():
            for _ in range(_TRIES):
                stored = await self._connection.command("HMGET", key, *fields)
                changes = change(*[bytes(each or b"") for each in stored])
                values: list[Word] = [""]
                for number, field in enumerate(fields):
                    values += [field, *changes[2 * number : 2 * number + 2]]
                if not changes or await self._connection.run(_COUNT, [key], values):
                    break
            else:
                raise Unavailable

    async def forget(self, account: Account) -> None:
        """Delete a person's ratings."""
        fields = (keys.person_field(account), keys.replaced_field(account))
        await self._connection.batch([("HDEL", key, *fields) for key in await self._games()])

    async def _games(self) -> list[str]:
        return [key async for found in self._connection.scan(keys.RATINGS) for key in found]


def _readable(stored: bytes) -> Rating | None:
    return codec.readable(decode_rating, stored or None, "a rating")


def decode_rating(stored: bytes) -> Rating:
    """Return a stored rating, or raise ValueError, also for one of another version."""
    return cast("Rating", _RATING.decode(stored[1:] if stored[:1] == _HEAD else b""))


def _changes(stored: bytes) -> Sequence[RatingChange | None]:
    # Nothing where that cannot be read, for it has been counted.
    return codec.readable(decode_changes, stored, "what a match did to ratings") or ()


def decode_changes(stored: bytes) -> Sequence[RatingChange | None]:
    """Return what a match did to ratings, or raise ValueError."""
    return cast("tuple[RatingChange | None, ...]", _CHANGES.decode(stored[1:]))
