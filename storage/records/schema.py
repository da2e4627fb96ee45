"""The body of a record, version 1.

Members of enums are written as small numbers from the tables here, so that an enum's value may change freely. Once 0.1.0 is
released, numbers are only added.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final, TypeAlias

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
    Result,
    Return,
)
from play.people import Account, Address, Player
from play.time.clock import Away, Clock, Times
from rules.core import SEATS, Seat
from storage.records.columns import columns_of, read_texts, read_times
from storage.timestamps import from_micros, to_micros

PHASES: Final = {Phase.OPEN: 0, Phase.PLAYING: 1, Phase.OVER: 2, Phase.CALLED_OFF: 3}
CLOSINGS: Final = {
    Closing.RESIGNED: 0,
    Closing.DRAW_AGREED: 1,
    Closing.REPETITION: 2,
    Closing.TIME: 3,
    Closing.SILENCE: 4,
    Closing.ENDED: 5,
    Closing.DESERTED: 6,
}
CANCELS: Final = {Cancel.DECLINED: 0, Cancel.WITHDRAWN: 1, Cancel.EXPIRED: 2, Cancel.EMPTY: 3}
ASKS: Final = {Ask.DRAW: 0, Ask.TAKEBACK: 1, Ask.PAUSE: 2, Ask.RESUME: 3}

_REASONS: Final = {closing.value: number for closing, number in CLOSINGS.items()}
_PHASES: Final = {number: phase for phase, number in PHASES.items()}
_CLOSINGS: Final = {number: closing for closing, number in CLOSINGS.items()}
_CANCELS: Final = {number: cancel for cancel, number in CANCELS.items()}
_ASKS: Final = {number: ask for ask, number in ASKS.items()}

_MICROSECOND: Final = timedelta(microseconds=1)

_Player: TypeAlias = tuple[str, str, str]  # platform, uid, name


class _Offer(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    ask: int
    by: int
    agreed: tuple[int, ...]
    keep: int


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
    quiet: int
    imported: bool
    rated: bool


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Body).decode


def write(match: Match) -> bytes:
    """Return the body of a match; all but its revision.

    Raises:
        ValueError: a time without a zone, or text that UTF-8 cannot hold.
    """
    columns = columns_of(match, _from_other)
    return _encode(
        _Body(
            id=match.id,
            game=match.game,
            rules_version=match.rules_version,
            options=match.options,
            chairs=tuple(
                (_from_player(chair.player), _from_player(chair.reserved)) for chair in match.chairs
            ),
            host=(match.host.account.platform, match.host.account.uid, match.host.name),
            lobby=match.lobby,
            addresses=tuple((address.platform, address.place) for address in match.addresses),
            opened=to_micros(match.opened),
            expires=to_micros(match.expires),
            phase=PHASES[match.phase],
            seats=columns.seats,
            texts=columns.texts,
            times=columns.times,
            offer=_from_offer(match.offer),
            result=_from_result(match.result),
            cancelled=None if match.cancelled is None else CANCELS[match.cancelled],
            rematch_of=match.rematch_of,
            clock=_from_clock(match.clock),
            times_left=_from_times(match.times),
            paused=_from_maybe(match.paused),
            plans=tuple(_Plan(plan.seat, plan.base, _from_branches(plan.branches)) for plan in match.plans),
            touched=_from_maybe(match.touched),
            noticed=_from_maybe(match.noticed),
            quiet=match.quiet,
            imported=match.imported,
            rated=match.rated,
        )
    )


def read(plain: bytes, revision: int) -> Match:
    """Return the match in a body.

    Raises:
        ValueError, LookupError, TypeError, OverflowError: the body is not one.
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
        opened=from_micros(body.opened),
        expires=from_micros(body.expires),
        phase=_PHASES[body.phase],
        log=tuple(_entries(body)),
        offer=_to_offer(body.offer),
        result=_to_result(body.result),
        cancelled=None if body.cancelled is None else _CANCELS[body.cancelled],
        revision=revision,
        rematch_of=body.rematch_of,
        clock=_to_clock(body.clock),
        times=_to_times(body.times_left),
        paused=_to_maybe(body.paused),
        plans=tuple([Plan(SEATS[plan.seat], plan.base, _to_branches(plan.branches)) for plan in body.plans]),
        touched=_to_maybe(body.touched),
        noticed=_to_maybe(body.noticed),
        quiet=body.quiet,
        imported=body.imported,
        rated=body.rated,
    )


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


def _from_clock(clock: Clock | None) -> _Clock | None:
    if clock is None:
        return None
    return _Clock(
        _from_span(clock.initial),
        None if clock.increment is None else _from_span(clock.increment),
        None if clock.cap is None else _from_span(clock.cap),
        clock.soft,
        clock.vacation,
    )


def _to_clock(stored: _Clock | None) -> Clock | None:
    if stored is None:
        return None
    return Clock(
        _to_span(stored.initial),
        None if stored.increment is None else _to_span(stored.increment),
        None if stored.cap is None else _to_span(stored.cap),
        stored.soft,
        stored.vacation,
    )


def _from_times(times: Times | None) -> _Times | None:
    if times is None:
        return None
    return _Times(
        tuple([_from_span(span) for span in times.left]),
        times.seat,
        _from_maybe(times.since),
        times.credited,
        times.up,
        times.share,
        _from_maybe(times.look),
        tuple(
            [(away.seat, to_micros(away.since), to_micros(away.until), away.automatic) for away in times.away]
        ),
    )


def _to_times(stored: _Times | None) -> Times | None:
    if stored is None:
        return None
    return Times(
        tuple([_to_span(span) for span in stored.left]),
        Seat(stored.seat),
        _to_maybe(stored.since),
        stored.credited,
        stored.up,
        stored.share,
        _to_maybe(stored.look),
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


def _from_player(player: Player | None) -> _Player | None:
    return (player.account.platform, player.account.uid, player.name) if player else None


def _to_player(stored: _Player | None) -> Player | None:
    return Player(Account(stored[0], stored[1]), stored[2]) if stored else None


def _from_offer(offer: Offer | None) -> _Offer | None:
    return _Offer(ASKS[offer.ask], offer.by, offer.agreed, offer.keep) if offer else None


def _to_offer(stored: _Offer | None) -> Offer | None:
    if stored is None:
        return None
    return Offer(
        _ASKS[stored.ask], Seat(stored.by), tuple([Seat(seat) for seat in stored.agreed]), stored.keep
    )


def _from_result(result: Result | None) -> _Result | None:
    if result is None:
        return None
    return _Result(result.winners, _REASONS.get(result.reason, result.reason))


def _to_result(stored: _Result | None) -> Result | None:
    if stored is None:
        return None
    reason = stored.reason if isinstance(stored.reason, str) else _CLOSINGS[stored.reason].value
    return Result(tuple([Seat(seat) for seat in stored.winners]), reason)


def _from_maybe(at: datetime | None) -> int | None:
    return None if at is None else to_micros(at)


def _to_maybe(stored: int | None) -> datetime | None:
    return None if stored is None else from_micros(stored)


def _from_span(span: timedelta) -> int:
    return span // _MICROSECOND


def _to_span(stored: int) -> timedelta:
    return stored * _MICROSECOND
