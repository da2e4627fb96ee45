"""A match, or an event, as bytes: a record.

A record is a head of 17 bytes and a body:

    0        schema version, one byte
    1 .. 8   revision, big-endian: compared inside Redis, so its place never changes
    9 .. 16  BLAKE2b of all the rest, so that a flipped bit is found
    17 ..    the body: msgpack; deflated, unless that would cost more time than it saves bytes

In the body the log is stored by columns (seats, texts, times), which deflate well: a ply costs about ten bytes. Times are
exact microseconds; those of the log are differences, each from the one before. A deflated body begins with a byte with
which no match begins in msgpack.

Of a match in the archive Redis has only a head: a zero, and the revision.

A change of the body's meaning takes a new version, whose bot also reads the one before (`READERS`). Records of version N-1
are written anew with their match's next change.

The body of an event's record, version 1: its fields, and each entry of its log after the name of its kind.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from datetime import datetime
from functools import reduce
from hashlib import blake2b
from operator import or_
from typing import Any, Final, TypeVar, get_type_hints

import msgspec

from play.events.entries import EventClosed, EventEntry
from play.events.event import Event, EventSetup
from play.events.events import ENTRIES
from play.events.ladder import ChallengeMade, ChallengeRefused, ChallengeTakenBack
from play.match import Match
from play.people import Address, Player
from storage.errors import Damage, Damaged
from storage.records import schema

_STORED: Final[Mapping[type[EventEntry], str]] = {
    ChallengeMade: "Challenged",
    ChallengeRefused: "Refused",
    ChallengeTakenBack: "TakenBack",
    EventClosed: "Closed",
}
"""The stored names of the kinds of entries whose classes have other ones."""


def _mirror(kind: type[EventEntry]) -> type[msgspec.Struct]:
    """Return a struct with the fields of an entry, tagged with its stored name."""
    hints = get_type_hints(kind)
    mirrored = [(field.name, hints[field.name]) for field in fields(kind)]
    tag = _STORED.get(kind, kind.__name__)
    return msgspec.defstruct(
        kind.__name__, mirrored, frozen=True, array_like=True, tag_field="entry", tag=tag
    )


_MIRRORS: Final = {kind: _mirror(kind) for kind in ENTRIES}
_KINDS: Final = {mirror: kind for kind, mirror in _MIRRORS.items()}


class _Head(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    id: str
    setup: EventSetup
    host: Player
    addresses: tuple[Address, ...]
    opened: datetime
    log: msgspec.Raw


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Head).decode
_decode_log: Final = msgspec.msgpack.Decoder(tuple[reduce(or_, _KINDS), ...]).decode  # type: ignore[misc]


def write(event: Event) -> bytes:
    """Return the body of an event; all but its revision."""
    log = _encode([_written(entry) for entry in event.log])
    return _encode(_Head(event.id, event.setup, event.host, event.addresses, event.opened, msgspec.Raw(log)))


def read(plain: bytes, revision: int) -> Event:
    """Return the event in a body.

    Raises:
        ValueError, LookupError, TypeError, OverflowError: the body is not one.
    """
    head = _decode(plain)
    log = tuple([_read(mirror) for mirror in _decode_log(head.log)])
    event = Event(head.id, head.setup, head.host, head.addresses, head.opened, log, revision)
    _ = event.state  # a log that does not replay is no event
    return event


def _written(entry: EventEntry) -> msgspec.Struct:
    mirror = _MIRRORS[type(entry)]
    if entry.at.tzinfo is None:
        raise ValueError(f"a time without a zone: {entry.at!r}")
    return mirror(*[getattr(entry, name) for name in mirror.__struct_fields__])


def _read(mirror: Any) -> EventEntry:
    return _KINDS[type(mirror)](**{name: getattr(mirror, name) for name in mirror.__struct_fields__})


VERSION: Final = 1  # the version that is written
write_body: Final = schema.write  # makes a body of a match, all but its revision

READERS: Final[Mapping[int, Callable[[bytes, int], Match]]] = {VERSION: schema.read}
"""By version: what makes a match of a body, not deflated, and a revision."""

GLANCES: Final[Mapping[int, Callable[[bytes], tuple[str, str]]]] = {VERSION: schema.glance}
"""By version: what reads the game and the state of a match from a body that is not deflated."""

EVENT_READERS: Final[Mapping[int, Callable[[bytes, int], Event]]] = {VERSION: read}
"""The same of an event."""

EVENT_ID: Final = 7  # characters: one more than a match's id has
S = TypeVar("S", Match, Event)

LOOSE: Final = 1280
"""Bytes up to which the body of a live match is not deflated: it is written anew with the next ply, and deflating it would
take as long as all the rest of encoding it."""

_DEFLATED: Final = b"\x78"
"""How a deflated body begins (RFC 1950); a match in msgpack begins as an array of many."""

_SWIFT, _SMALL = 1, 9  # levels of compression: of a live match, and of one that does not change any more

REVISION_BYTES: Final = (1, 8)
"""Where a revision stands in a record: its first and its last byte."""

_HEAD: Final = struct.Struct(">BQ8s")
_BODY_LIMIT: Final = 4 * 1024 * 1024
"""More than any match inflates to; a record that claims more is not a match."""


def pack_revision(revision: int) -> bytes:
    """Return a revision as it stands in a record; empty for 0, which is never stored."""
    return revision.to_bytes(8, "big") if revision else b""


def head(record: bytes) -> bytes:
    """Return what stays in Redis of a record that is in the archive."""
    return b"\0" + record[1:9]


def is_head(record: bytes) -> bool:
    """Return whether that is what stays in Redis of a record that is in the archive."""
    return len(record) == len(b"\0") + REVISION_BYTES[1] and record.startswith(b"\0")


def revised(match_id: str, record: bytes, head: bytes) -> bytes:
    """Return the record of a match as that of the revision in a head."""
    revision = int.from_bytes(head[1:], "big")
    return encode(replace(decode(match_id, record), revision=revision))


def encode(match: Match | Event) -> bytes:
    """Return the record of a match or an event.

    Raises:
        ValueError: it cannot be stored as it is (a time without a zone, half a surrogate pair in a name).
    """
    body = write(match) if isinstance(match, Event) else write_body(match)
    if not match.live or len(body) > LOOSE:
        body = zlib.compress(body, _SWIFT if match.live else _SMALL)
    return _HEAD.pack(VERSION, match.revision, _digest(VERSION, match.revision, body)) + body


def decode(match_id: str, record: bytes) -> Match:
    """Return the match in a record.

    Raises:
        Damaged: the record is not a whole match of that id, or of a version that is not known.
    """
    return _decoded(match_id, record, READERS)


def decode_event(event_id: str, record: bytes) -> Event:
    """Return the event in a record; as `decode`."""
    return _decoded(event_id, record, EVENT_READERS)


def decode_any(subject_id: str, record: bytes) -> Match | Event:
    """Return the match or event in a record, by its id; as `decode`."""
    if len(subject_id) == EVENT_ID:
        return decode_event(subject_id, record)
    return decode(subject_id, record)


def glance(record: bytes) -> tuple[str, str] | None:
    """Return the game and the state of a match, without a check of its record; None if it cannot be read, or is in the archive."""
    read = GLANCES.get(record[0]) if len(record) > _HEAD.size else None
    if read is None:
        return None
    try:
        return read(_plain(record[_HEAD.size :]))
    except (ValueError, LookupError, zlib.error):
        return None


def _decoded(match_id: str, record: bytes, readers: Mapping[int, Callable[[bytes, int], S]]) -> S:
    if is_head(record):
        raise Damaged(match_id, Damage.ARCHIVED)
    if len(record) < _HEAD.size:
        raise Damaged(match_id, Damage.CHECKSUM)
    version, revision, digest = _HEAD.unpack_from(record)
    body = record[_HEAD.size :]
    if digest != _digest(version, revision, body):
        raise Damaged(match_id, Damage.CHECKSUM)
    reader = readers.get(version)
    if reader is None:
        raise Damaged(match_id, Damage.NEWER, version=version, known=VERSION)
    try:
        match = reader(_plain(body), revision)
    except (
        ValueError,
        TypeError,
        LookupError,
        OverflowError,
        RecursionError,
        struct.error,
        zlib.error,
    ) as error:
        raise Damaged(match_id, Damage.CONTENT) from error
    if match.id != match_id:
        raise Damaged(match_id, Damage.MISPLACED)
    return match


def _plain(body: bytes) -> bytes:
    """Return a body, not deflated."""
    if not body.startswith(_DEFLATED):
        return body
    inflater = zlib.decompressobj()
    plain = inflater.decompress(body, _BODY_LIMIT)
    if not inflater.eof or inflater.unused_data:
        raise ValueError("not one whole deflated body")
    return plain


def _digest(version: int, revision: int, body: bytes) -> bytes:
    return blake2b(body, digest_size=8, salt=struct.pack(">BQ", version, revision)).digest()
