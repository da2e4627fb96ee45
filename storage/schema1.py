"""The body of a record, schema version 1, which is read and not written any more. It knew no clocks.

Words of enums are small numbers: their places in the tables here.
"""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from play.match import Ask, Cancel, Chair, Closing, Exit, Match, Offer, Phase, Ply, Result
from play.people import Account, Address, Player
from rules.core import SEATS, Seat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from play.match import Entry

_PHASES: Final = (Phase.OPEN, Phase.PLAYING, Phase.OVER, Phase.CALLED_OFF)
_CLOSINGS: Final = (Closing.RESIGNED, Closing.DRAW_AGREED, Closing.REPETITION)
_CANCELS: Final = (Cancel.DECLINED, Cancel.WITHDRAWN, Cancel.EXPIRED, Cancel.EMPTY)
_ASKS: Final = (Ask.DRAW, Ask.TAKEBACK)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

_Player: TypeAlias = tuple[str, str, str]  # platform, uid, name


class _Offer(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    ask: int
    by: int
    agreed: tuple[int, ...]
    keep: int


class _Result(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    winners: tuple[int, ...]
    reason: str


class _Body(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    id: str
    game: str
    rules_version: int
    options: tuple[tuple[str, str], ...]
    chairs: tuple[tuple[_Player | None, _Player | None], ...]
    host: _Player
    lobby: bool
    addresses: tuple[tuple[str, str], ...]
    opened: int
    expires: int
    phase: int
    seats: bytes  # of each entry of the log
    texts: tuple[str | int, ...]  # of each entry: a ply's text, or the number of an exit's reason
    times: bytes  # see _unpack_times
    offer: _Offer | None
    result: _Result | None
    cancelled: int | None
    rematch_of: str | None


_decode: Final = msgspec.msgpack.Decoder(_Body).decode


def read(plain: bytes, revision: int) -> Match:
    """The match in a body.

    Raises:
        ValueError, LookupError, TypeError, OverflowError: it is not one.
    """
    body = _decode(plain)
    return Match(
        id=body.id,
        game=body.game,
        rules_version=body.rules_version,
        options=body.options,
        chairs=tuple([Chair(_to_player(player), _to_player(reserved)) for player, reserved in body.chairs]),
        host=Player(Account(body.host[0], body.host[1]), body.host[2]),
        lobby=body.lobby,
        addresses=tuple([Address(platform, place) for platform, place in body.addresses]),
        opened=_to_time(body.opened),
        expires=_to_time(body.expires),
        phase=_PHASES[body.phase],
        log=tuple(_entries(body)),
        offer=_to_offer(body.offer),
        result=_to_result(body.result),
        cancelled=None if body.cancelled is None else _CANCELS[body.cancelled],
        revision=revision,
        rematch_of=body.rematch_of,
    )


def _entries(body: _Body) -> Iterator[Entry]:
    times = _unpack_times(body.opened, body.times)
    for seat, text, at in zip(body.seats, body.texts, times, strict=True):
        if isinstance(text, str):
            yield Ply(SEATS[seat], text, at)
        else:
            yield Exit(SEATS[seat], _CLOSINGS[text], at)


def _to_player(stored: _Player | None) -> Player | None:
    return Player(Account(stored[0], stored[1]), stored[2]) if stored else None


def _to_offer(stored: _Offer | None) -> Offer | None:
    if stored is None:
        return None
    return Offer(
        _ASKS[stored.ask], Seat(stored.by), tuple([Seat(seat) for seat in stored.agreed]), stored.keep
    )


def _to_result(stored: _Result | None) -> Result | None:
    return Result(tuple([Seat(seat) for seat in stored.winners]), stored.reason) if stored else None


def _to_time(stored: int) -> datetime:
    return _EPOCH + stored * _MICROSECOND


def _unpack_times(opened: int, stored: bytes) -> Iterator[datetime]:
    """Each entry's time, from its microseconds since the one before (the first's: since the match was opened).

    Eight-byte numbers, all first bytes, then all second bytes, and so on.
    """
    count, rest = divmod(len(stored), 8)
    if rest:
        raise ValueError("a time is cut off")
    plain = bytearray(len(stored))
    for place in range(8):
        plain[place::8] = stored[place * count : (place + 1) * count]
    times = accumulate(struct.unpack(f"<{count}q", plain), initial=opened)
    next(times)
    return map(_to_time, times)
