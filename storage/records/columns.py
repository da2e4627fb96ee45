"""Parts of records: a log by columns (seats, texts, times), which deflate well; moments; facts and results of operations.

The columns of recent matches are cached, so that encoding the next ply takes as long in a long match as in a short one.

Times as stored: microseconds since 1970.

What an operation did, as it is stored for a week.

0 .. 15   BLAKE2b of the payload: tells the same request again from another one under the same id
16 .. 23  BLAKE2b of the key and the payload's digest, so that a result under another key is found
24 ..     the fact, packed, without its match

Facts as bytes, without their match or event: that is kept once, as a record, and not in each result of an operation.

The fields of a fact are written by name, so that fields with defaults may be added. A fact is needed for a week at most
(the result of an operation), or until it is delivered.

A stored fact is preceded by its match's revision right after it, and a BLAKE2b of all that and the match's id.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from datetime import UTC, datetime, timedelta
from functools import reduce
from hashlib import blake2b
from itertools import accumulate
from operator import or_, sub
from typing import Any, Final, TypeAlias, cast, get_type_hints

import msgspec

from play import facts
from play.errors import ReusedOperation
from play.events.event import AnyFact, Changed, Event, subject_of
from play.match import Entry, Exit, Match, Ply, Return
from play.ports import Operation
from play.time.clock import Outage
from storage.errors import Damage, Damaged

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

_EXACT: Final = 2**53 - 1
"""The greatest integer that a score of a sorted set holds exactly: a time in the year 2255."""


def to_micros(at: datetime) -> int:
    """Return a time as a number.

    Raises:
        ValueError: the time has no zone.
    """
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


def merged(outages: Iterable[Outage]) -> list[Outage]:
    """Return outages in order, those that overlap or touch made one."""
    apart: list[Outage] = []
    for outage in sorted(outages, key=lambda each: each.start):
        if apart and outage.start <= apart[-1].end:
            apart[-1] = Outage(apart[-1].start, max(apart[-1].end, outage.end))
        else:
            apart.append(outage)
    return apart


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
        """Add the new entries of a log that begins as this one; `other` returns the text of an entry that is not a ply.

        Raises:
            ValueError: a time without a zone, or text that UTF-8 cannot hold. Then these columns must not be used again.
        """
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
    """Return the times of a log, of a match that was opened at so many microseconds.

    Raises:
        ValueError: the bytes are cut off.
    """
    count, rest = divmod(len(stored), _SPAN)
    if rest:
        raise ValueError("a time is cut off")
    plain = bytearray(len(stored))
    for place in range(_SPAN):
        plain[place::_SPAN] = stored[place * count : (place + 1) * count]
    times = accumulate(struct.unpack(f"<{count}q", plain), initial=opened)
    next(times)
    return map(from_micros, times)


def _mirror(kind: type[Any]) -> type[msgspec.Struct]:
    """Return a struct with the fields of a fact but the match, tagged with its name."""
    hints = get_type_hints(kind)
    mirrored = [
        (field.name, hints[field.name])
        if field.default is MISSING
        else (field.name, hints[field.name], field.default)
        for field in fields(kind)
        if field.name not in ("match", "event")
    ]
    return msgspec.defstruct(kind.__name__, mirrored, frozen=True, tag_field="fact", tag=kind.__name__)


_MIRRORS: Final[Mapping[type[Any], type[msgspec.Struct]]] = {
    kind: _mirror(kind) for kind in (*facts.KINDS, Changed)
}
_KINDS: Final[Mapping[type[Any], type[Any]]] = {mirror: kind for kind, mirror in _MIRRORS.items()}
_HEAD: Final = struct.Struct(">Q8s")
_decode: Final = msgspec.msgpack.Decoder(reduce(or_, _KINDS)).decode


def encode_fact(fact: AnyFact) -> bytes:
    """Return a fact as bytes, all but its match."""
    mirror = _MIRRORS[type(fact)]
    return _encode(mirror(*[getattr(fact, name) for name in mirror.__struct_fields__]))


def decode_fact(stored: bytes, match: Match | Event) -> AnyFact:
    """Return the fact in bytes, about a match or an event.

    Raises:
        Damaged: the bytes are not a known fact.
    """
    try:
        mirror = _decode(stored)
    except (ValueError, TypeError, RecursionError) as error:
        raise Damaged(match.id, Damage.CONTENT) from error
    said = {name: getattr(mirror, name) for name in mirror.__struct_fields__}
    kind = _KINDS[type(mirror)]
    name = "event" if kind is Changed else "match"
    if isinstance(match, Event) is not (kind is Changed):
        raise Damaged(match.id, Damage.CONTENT)
    return cast("AnyFact", kind(**{name: match}, **said))


def pack_fact(fact: AnyFact) -> bytes:
    """Return a fact as it is stored: `encode_fact` after its head."""
    body, match = encode_fact(fact), subject_of(fact)
    return _HEAD.pack(match.revision, _digest(match.id, match.revision, body)) + body


def unpack_fact(stored: bytes, match: Match | Event) -> AnyFact:
    """Return a stored fact, about a match or an event.

    Raises:
        Damaged: the bytes are not a known fact, or not those that were stored.
    """
    revision_of(stored, match.id)
    return decode_fact(stored[_HEAD.size :], match)


def revision_of(stored: bytes, match_id: str) -> int:
    """Return the revision of its match that a stored fact led to.

    Raises:
        Damaged: the bytes are not those that were stored.
    """
    if len(stored) < _HEAD.size:
        raise Damaged(match_id, Damage.CHECKSUM)
    revision, digest = _HEAD.unpack_from(stored)
    if digest != _digest(match_id, revision, stored[_HEAD.size :]):
        raise Damaged(match_id, Damage.CHECKSUM)
    return int(revision)


def _digest(match_id: str, revision: int, body: bytes) -> bytes:
    return blake2b(body, digest_size=8, salt=revision.to_bytes(8, "big"), person=match_id.encode()).digest()


_PAYLOAD: Final = 16
_NAME: Final = 8
_FACT: Final = _PAYLOAD + _NAME
"""Where the fact begins; commit.lua counts on it."""


def pack_result(key: str, operation: Operation | None, fact: AnyFact) -> bytes:
    """Return the result of an operation, to be stored under a key.

    Raises:
        ValueError: text that UTF-8 cannot hold.
    """
    payload = _payload(operation)
    return payload + _name(key, payload) + pack_fact(fact)


def fact_of(key: str, operation: Operation, stored: bytes, match: Match | Event) -> AnyFact:
    """Return what an operation did, with its match or event as it is now.

    Raises:
        ReusedOperation: the result is that of another payload.
        Damaged: the bytes are not those that were stored.
    """
    fact = _whole(key, stored, match.id)
    if stored[:_PAYLOAD] != _payload(operation):
        raise ReusedOperation
    return unpack_fact(fact, match)


def check_result(key: str, match_id: str, stored: bytes) -> int:
    """Return the revision of its match that an operation led to.

    Raises:
        Damaged: the bytes are not those that were stored.
    """
    return revision_of(_whole(key, stored, match_id), match_id)


def _whole(key: str, stored: bytes, match_id: str) -> bytes:
    if stored[_PAYLOAD:_FACT] != _name(key, stored[:_PAYLOAD]):
        raise Damaged(match_id, Damage.CHECKSUM)
    return stored[_FACT:]


def _payload(operation: Operation | None) -> bytes:
    if operation is None:
        return bytes(_PAYLOAD)
    return blake2b(operation.payload.encode(), digest_size=_PAYLOAD).digest()


def _name(key: str, payload: bytes) -> bytes:
    return blake2b(payload + key.encode(), digest_size=_NAME).digest()
