"""The body of a match's record, version 1; and times, as microseconds since 1970.

Members of enums are written as small numbers from the tables here, so that an enum's value may change freely. Once 0.1.0 is
released, numbers are only added. The log is written by columns (seats, texts, times), which deflate well; those of recent
matches are cached, so that encoding the next ply takes as long in a long match as in a short one.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from operator import sub
from typing import Final, TypeAlias, TypeVar

import msgspec

from play.match import (
    Ask,
    Branch,
    Cancel,
    Chair,
    Closing,
    Entry,
    Exit,
    Match,
    Offer,
    Phase,
    Plan,
    Ply,
    Put,
    Result,
    Return,
    Silence,
)
from play.people import Account, Address, Player
from play.time.clock import Away, Clock, Times
from rules.core import SEATS, Seat

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

_EXACT: Final = 2**53 - 1
"""The greatest integer that a score of a sorted set holds exactly: a time in the year 2255."""


def to_micros(at: datetime) -> int:
    """Return a time as a number."""
    if at.tzinfo is None:
        raise ValueError(f"a time without a zone: {at!r}")
    return (at - _EPOCH) // _MICROSECOND


def from_micros(stored: int) -> datetime:
    """Return the time of a number, in UTC."""
    return _EPOCH + stored * _MICROSECOND


def read_time(noted: str | None) -> datetime | None:
    """Return the time of a note in ISO format; None if there is none, or it cannot be read."""
    try:
        return datetime.fromisoformat(noted) if noted else None
    except ValueError:
        return None


def to_score(at: datetime) -> int:
    """Return a time as the score of a sorted set; all times after 2255 are one."""
    return max(-_EXACT, min(to_micros(at), _EXACT))


Text: TypeAlias = str | int | None  # a ply's text, the number of an exit's reason, or a return
KEPT: Final = 1024  # matches whose columns are cached

_SPAN: Final = 8  # bytes
_SHORT, _MEDIUM = 15, 0xFFFF
_encode: Final = msgspec.msgpack.Encoder().encode
_decode_texts: Final = msgspec.msgpack.Decoder(tuple[Text, ...]).decode


class Columns:
    """The columns of the log of a match, which may grow."""

    __slots__ = ("_last", "_planes", "_seats", "_texts", "log", "opened")

    def __init__(self, opened: datetime) -> None:
        self.opened = opened
        self.log: tuple[Entry, ...] = ()
        self._last = to_micros(opened)
        self._seats = bytearray()
        self._texts = bytearray()  # in msgpack, one after the other
        self._planes = tuple([bytearray() for _ in range(_SPAN)])

    def extend(self, log: tuple[Entry, ...], other: Callable[[Exit | Return], int | None]) -> None:
        """Add the new entries of a log that begins as this one; `other` returns the text of an entry that is not a ply."""
        new = log[len(self.log) :]
        times = [self._last, *[to_micros(entry.at) for entry in new]]
        spans = struct.pack(f"<{len(new)}q", *map(sub, times[1:], times))
        for place, plane in enumerate(self._planes):
            plane.extend(spans[place::_SPAN])
        self._seats += bytes([entry.seat for entry in new])
        for entry in new:
            self._texts += _encode(entry.text if isinstance(entry, Ply) else other(entry))
        self._last = times[-1]
        self.log = log

    @property
    def seats(self) -> bytes:
        """The seat of each entry."""
        return bytes(self._seats)

    @property
    def texts(self) -> msgspec.Raw:
        """The text of each entry, as an array in msgpack."""
        count = len(self.log)
        if count <= _SHORT:
            head = bytes((0x90 | count,))
        elif count <= _MEDIUM:
            head = b"\xdc" + count.to_bytes(2, "big")
        else:
            head = b"\xdd" + count.to_bytes(4, "big")
        return msgspec.Raw(head + self._texts)

    @property
    def times(self) -> bytes:
        """The microseconds of each entry since the one before, the first since the match was opened.

        Numbers of eight bytes: all first bytes, then all second bytes, and so on, for nearly all the upper ones are zeros.
        """
        return b"".join(self._planes)


_cached: Final[dict[str, Columns]] = {}  # by match, in the order of their last writes


def columns_of(match: Match, other: Callable[[Exit | Return], int | None]) -> Columns:
    """Return the columns of a match's log; only what is new since they were cached is encoded."""
    columns = _cached.pop(match.id, None)
    if columns is None or columns.opened != match.opened or match.log[: len(columns.log)] != columns.log:
        columns = Columns(match.opened)
    columns.extend(match.log, other)
    _cached[match.id] = columns
    if len(_cached) > KEPT:
        del _cached[next(iter(_cached))]
    return columns


def forget() -> None:
    """Empty the cache."""
    _cached.clear()


def read_texts(stored: msgspec.Raw) -> tuple[Text, ...]:
    """Return the texts of a log."""
    return _decode_texts(stored)


def read_times(opened: int, stored: bytes) -> Iterator[datetime]:
    """Return the times of a log, of a match that was opened at so many microseconds."""
    count, rest = divmod(len(stored), _SPAN)
    if rest:
        raise ValueError("a time is cut off")
    plain = bytearray(len(stored))
    for place in range(_SPAN):
        plain[place::_SPAN] = stored[place * count : (place + 1) * count]
    times = accumulate(struct.unpack(f"<{count}q", plain), initial=opened)
    next(times)
    return map(from_micros, times)


PHASES: Final = {Phase.OPEN: 0, Phase.PLAYING: 1, Phase.OVER: 2, Phase.CALLED_OFF: 3}
CLOSINGS: Final = {
    Closing.RESIGNED: 0,
    Closing.DRAW_AGREED: 1,
    Closing.REPETITION: 2,
    Closing.TIME: 3,
    Closing.SILENCE: 4,
    Closing.ENDED: 5,
    Closing.DESERTED: 6,
    Closing.PROVED: 7,
    Closing.HALVED: 8,
    Closing.AGREED: 9,
}
CANCELS: Final = {Cancel.DECLINED: 0, Cancel.WITHDRAWN: 1, Cancel.EXPIRED: 2, Cancel.EMPTY: 3}
ASKS: Final = {Ask.DRAW: 0, Ask.TAKEBACK: 1, Ask.PAUSE: 2, Ask.RESUME: 3, Ask.END: 4, Ask.REMOVE: 5}

_REASONS: Final = {closing.value: number for closing, number in CLOSINGS.items()}
_PHASES: Final = {number: phase for phase, number in PHASES.items()}
_CLOSINGS: Final = {number: closing for closing, number in CLOSINGS.items()}
_CANCELS: Final = {number: cancel for cancel, number in CANCELS.items()}
_ASKS: Final = {number: ask for ask, number in ASKS.items()}


T = TypeVar("T")
U = TypeVar("U")
_Player: TypeAlias = tuple[str, str, str]  # platform, uid, name


class _Offer(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    ask: int
    by: int
    agreed: tuple[int, ...]
    keep: int
    against: tuple[int, ...] = ()


class _Result(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    winners: tuple[int, ...]
    reason: str | int  # a closing's number, else the catalogue key of the game


class _Clock(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    initial: int
    increment: int | None
    cap: int | None
    soft: bool
    vacation: bool


class _Times(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    left: tuple[int, ...]
    seat: int
    since: int | None
    credited: int
    up: bool
    share: int
    look: int | None
    away: tuple[tuple[int, int, int, bool], ...]  # seat, since, until, automatic


class _Branch(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    when: tuple[str, ...]
    then: tuple[str, ...]
    after: tuple[_Branch, ...]


class _Plan(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    seat: int
    base: int
    branches: tuple[_Branch, ...]


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
    texts: msgspec.Raw  # of each entry: see Columns
    times: bytes
    offer: _Offer | None
    result: _Result | None
    cancelled: int | None
    rematch_of: str | None
    clock: _Clock | None
    times_left: _Times | None
    paused: int | None
    plans: tuple[_Plan, ...]
    touched: int | None
    noticed: int | None
    position_since: int
    question_since: int
    asked: tuple[tuple[int, int, int], ...]  # what, by, entries
    imported: bool
    rated: bool
    event: tuple[str, int] | None
    shown_by: tuple[tuple[str, str, int], ...] = ()  # platform, place, who
    remarks: tuple[tuple[str, ...], ...] = ()
    silence: tuple[int, int, int | None] | None = None  # since, seen, look


_decode: Final = msgspec.msgpack.Decoder(_Body).decode


def write(match: Match) -> bytes:
    """Return the body of a match; all but its revision."""
    columns = columns_of(match, _from_other)
    return _encode(
        _Body(
            id=match.id,
            game=match.game,
            rules_version=match.rules_version,
            options=match.options,
            chairs=tuple(
                (_optional(_from_player, chair.player), _optional(_from_player, chair.reserved))
                for chair in match.chairs
            ),
            host=_from_player(match.host),
            lobby=match.lobby,
            addresses=tuple((address.platform, address.place) for address in match.addresses),
            opened=to_micros(match.opened),
            expires=to_micros(match.expires),
            phase=PHASES[match.phase],
            seats=columns.seats,
            texts=columns.texts,
            times=columns.times,
            offer=_optional(_from_offer, match.offer),
            result=_optional(_from_result, match.result),
            cancelled=_optional(CANCELS.__getitem__, match.cancelled),
            rematch_of=match.rematch_of,
            clock=_optional(_from_clock, match.clock),
            times_left=_optional(_from_times, match.times),
            paused=_optional(to_micros, match.paused),
            plans=tuple(_Plan(plan.seat, plan.base, _from_branches(plan.branches)) for plan in match.plans),
            touched=_optional(to_micros, match.touched),
            noticed=_optional(to_micros, match.noticed),
            position_since=match.position_since,
            question_since=match.question_since,
            asked=tuple((ASKS[put.ask], put.by, put.entries) for put in match.asked),
            imported=match.imported,
            rated=match.rated,
            event=match.event,
            shown_by=tuple((place.platform, place.place, by) for place, by in match.shown_by),
            remarks=match.remarks,
            silence=_optional(_from_silence, match.silence),
        )
    )


def read(plain: bytes, revision: int) -> Match:
    """Return the match in a body."""
    body = _decode(plain)
    return Match(
        id=body.id,
        game=body.game,
        rules_version=body.rules_version,
        options=body.options,
        chairs=tuple(
            [
                Chair(_optional(_to_player, player), _optional(_to_player, reserved))
                for player, reserved in body.chairs
            ]
        ),
        host=_to_player(body.host),
        lobby=body.lobby,
        addresses=tuple([Address(platform, place) for platform, place in body.addresses]),
        opened=from_micros(body.opened),
        expires=from_micros(body.expires),
        phase=_PHASES[body.phase],
        log=tuple(_entries(body)),
        offer=_optional(_to_offer, body.offer),
        result=_optional(_to_result, body.result),
        cancelled=_optional(_CANCELS.__getitem__, body.cancelled),
        revision=revision,
        rematch_of=body.rematch_of,
        clock=_optional(_to_clock, body.clock),
        times=_optional(_to_times, body.times_left),
        paused=_optional(from_micros, body.paused),
        plans=tuple([Plan(SEATS[plan.seat], plan.base, _to_branches(plan.branches)) for plan in body.plans]),
        touched=_optional(from_micros, body.touched),
        noticed=_optional(from_micros, body.noticed),
        position_since=body.position_since,
        question_since=body.question_since,
        asked=tuple(Put(_ASKS[ask], SEATS[by], entries) for ask, by, entries in body.asked),
        imported=body.imported,
        rated=body.rated,
        event=body.event,
        shown_by=tuple([(Address(platform, place), by) for platform, place, by in body.shown_by]),
        remarks=body.remarks,
        silence=_optional(_to_silence, body.silence),
    )


def glance(plain: bytes) -> tuple[str, str]:
    """Return the game of the match in a body, and its state: a phase, or `paused`. It takes a thirtieth of the time of `read`."""
    body = _decode(plain)
    phase = _PHASES[body.phase]
    return body.game, "paused" if phase is Phase.PLAYING and body.paused is not None else phase.value


def _optional(convert: Callable[[T], U], value: T | None) -> U | None:
    return None if value is None else convert(value)


def _entries(body: _Body) -> Iterator[Entry]:
    times = read_times(body.opened, body.times)
    for seat, text, at in zip(body.seats, read_texts(body.texts), times, strict=True):
        if isinstance(text, str):
            yield Ply(SEATS[seat], text, at)
        elif text is None:
            yield Return(SEATS[seat], at)
        else:
            yield Exit(SEATS[seat], _CLOSINGS[text], at)


def _from_other(entry: Exit | Return) -> int | None:
    return CLOSINGS[entry.reason] if isinstance(entry, Exit) else None


def _from_clock(clock: Clock) -> _Clock:
    return _Clock(
        _from_span(clock.initial),
        _optional(_from_span, clock.increment),
        _optional(_from_span, clock.cap),
        clock.soft,
        clock.vacation,
    )


def _to_clock(stored: _Clock) -> Clock:
    return Clock(
        _to_span(stored.initial),
        _optional(_to_span, stored.increment),
        _optional(_to_span, stored.cap),
        stored.soft,
        stored.vacation,
    )


def _from_times(times: Times) -> _Times:
    return _Times(
        tuple([_from_span(span) for span in times.left]),
        times.seat,
        _optional(to_micros, times.since),
        times.credited,
        times.up,
        times.share,
        _optional(to_micros, times.look),
        tuple(
            [(away.seat, to_micros(away.since), to_micros(away.until), away.automatic) for away in times.away]
        ),
    )


def _to_times(stored: _Times) -> Times:
    return Times(
        tuple([_to_span(span) for span in stored.left]),
        Seat(stored.seat),
        _optional(from_micros, stored.since),
        stored.credited,
        stored.up,
        stored.share,
        _optional(from_micros, stored.look),
        tuple(
            [
                Away(Seat(seat), from_micros(since), from_micros(until), automatic)
                for seat, since, until, automatic in stored.away
            ]
        ),
    )


def _from_branches(branches: tuple[Branch, ...]) -> tuple[_Branch, ...]:
    return tuple([_Branch(each.when, each.then, _from_branches(each.after)) for each in branches])


def _to_branches(stored: tuple[_Branch, ...]) -> tuple[Branch, ...]:
    return tuple([Branch(each.when, each.then, _to_branches(each.after)) for each in stored])


def _from_player(player: Player) -> _Player:
    return (player.account.platform, player.account.uid, player.name)


def _to_player(stored: _Player) -> Player:
    return Player(Account(stored[0], stored[1]), stored[2])


def _from_offer(offer: Offer) -> _Offer:
    return _Offer(ASKS[offer.ask], offer.by, offer.agreed, offer.keep, offer.against)


def _to_offer(stored: _Offer) -> Offer:
    agreed, against = (tuple([Seat(seat) for seat in seats]) for seats in (stored.agreed, stored.against))
    return Offer(_ASKS[stored.ask], Seat(stored.by), agreed, stored.keep, against)


def _from_silence(silence: Silence) -> tuple[int, int, int | None]:
    return to_micros(silence.since), silence.seen, _optional(to_micros, silence.look)


def _to_silence(stored: tuple[int, int, int | None]) -> Silence:
    since, seen, look = stored
    return Silence(from_micros(since), seen, _optional(from_micros, look))


def _from_result(result: Result) -> _Result:
    return _Result(result.winners, _REASONS.get(result.reason, result.reason))


def _to_result(stored: _Result) -> Result:
    reason = stored.reason if isinstance(stored.reason, str) else _CLOSINGS[stored.reason].value
    return Result(tuple([Seat(seat) for seat in stored.winners]), reason)


def _from_span(span: timedelta) -> int:
    return span // _MICROSECOND


def _to_span(stored: int) -> timedelta:
    return stored * _MICROSECOND
