"""Ratings on Redis: all of one game in one hash, which one script changes together with the note that a match has counted."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

import msgspec

from play.errors import Unavailable
from play.ratings import Change, Rating
from storage import keys
from storage.trips import Script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from play.people import Account
    from storage.trips import Line, Word

RATINGS_VERSION: Final = 1
"""The first byte of a stored rating, and of what a match did to some."""

_TRIES: Final = 100
"""How often ratings are read again because another match changed them meanwhile: one of those who try always gets on."""

_COUNT: Final = Script("count")
_encode: Final = msgspec.msgpack.Encoder().encode
_HEAD: Final = bytes([RATINGS_VERSION])
_log: Final = logging.getLogger(__name__)


class _Rating(msgspec.Struct, array_like=True, frozen=True):
    skill: float
    doubt: float
    played: int


_decode: Final = msgspec.msgpack.Decoder(_Rating).decode
_decode_all: Final = msgspec.msgpack.Decoder(list[tuple[_Rating, _Rating] | None]).decode


class RedisRatings:
    """The part of the store that is about ratings."""

    _line: Line

    async def ratings(self, game: str, *whose: Account) -> Sequence[Rating | None]:
        """See `Store.ratings`. What cannot be read is logged, and is none."""
        return [_meant(stored) for stored in await self._stored_ratings(game, whose)]

    async def _stored_ratings(self, game: str, whose: Sequence[Account]) -> list[bytes]:
        """Ratings as they are stored; empty for none."""
        if not whose:
            return []
        fields = map(keys.person_field, whose)
        found = await self._line.command("HMGET", keys.ratings_key(game), *fields)
        return [bytes(stored or b"") for stored in found]

    async def counted(self, game: str, match_id: str) -> Sequence[Change | None] | None:
        """See `Store.counted`."""
        stored = await self._line.command("GET", keys.counted_key(game, match_id))
        return None if stored is None else _changes(stored)

    async def count(
        self,
        game: str,
        match_id: str,
        whose: Sequence[Account | None],
        change: Callable[[Sequence[Rating | None]], Sequence[Change]],
    ) -> Sequence[Change | None]:
        """See `Store.count`."""
        names = [keys.ratings_key(game), keys.counted_key(game, match_id)]
        people = [person for person in whose if person is not None]
        for _ in range(_TRIES):
            stored = dict(zip(people, await self._stored_ratings(game, people), strict=True))
            changed = change([_meant(stored[person]) if person else None for person in whose])
            kept = [one if person else None for person, one in zip(whose, changed, strict=True)]
            said: list[Word] = [_pack_changes(kept)]
            for person, one in zip(whose, changed, strict=True):
                if person is not None:
                    said += [keys.person_field(person), stored[person], _pack(one.after)]
            done = await self._line.run(_COUNT, names, said)
            if isinstance(done, bytes):
                return _changes(done)
            if done:
                return kept
        raise Unavailable

    async def merge_ratings(self, old: Account, new: Account) -> None:
        """See `Store.merge_ratings`."""
        for game in await self._games():
            await self._merge(game, old, new)

    async def _merge(self, key: str, old: Account, new: Account) -> None:
        fields = (keys.person_field(old), keys.person_field(new))
        for _ in range(_TRIES):
            theirs, own = [bytes(stored or b"") for stored in await self._line.command("HMGET", key, *fields)]
            if not theirs:
                return
            other, mine = _meant(theirs), _meant(own)
            better = mine is None or (other is not None and other.played > mine.played)
            kept = theirs if better else own
            if await self._line.run(_COUNT, [key], ["", fields[0], theirs, "", fields[1], own, kept]):
                return
        raise Unavailable

    async def forget_ratings(self, account: Account) -> None:
        """Throw somebody's ratings away."""
        field = keys.person_field(account)
        await self._line.batch([("HDEL", key, field) for key in await self._games()])

    async def _games(self) -> list[str]:
        """The keys of the ratings of all games."""
        return [key async for found in self._line.scan(keys.RATINGS) for key in found]


def _meant(stored: bytes) -> Rating | None:
    if not stored:
        return None
    try:
        read = _decode(stored[1:] if stored[:1] == _HEAD else b"")
    except ValueError as error:  # of another version, too
        _log.error("a rating cannot be read: %s", error)
        return None
    return Rating(read.skill, read.doubt, read.played)


def _pack(rating: Rating) -> bytes:
    return _HEAD + _encode(_plain(rating))


def _plain(rating: Rating) -> _Rating:
    return _Rating(rating.skill, rating.doubt, rating.played)


def _pack_changes(changes: Sequence[Change | None]) -> bytes:
    return _HEAD + _encode([change and (_plain(change.before), _plain(change.after)) for change in changes])


def _changes(stored: Any) -> list[Change | None]:
    """What a match did; nothing where that cannot be read, for counted it is."""
    try:
        found = _decode_all(bytes(stored)[1:])
    except ValueError as error:
        _log.error("what a match did to ratings cannot be read: %s", error)
        return []
    return [
        pair and Change(*[Rating(each.skill, each.doubt, each.played) for each in pair]) for pair in found
    ]
