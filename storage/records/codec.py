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

Facts are stored without their match or event, which is kept once, as a record, and not in each result of an operation. Their
fields are written by name, so that fields with defaults may be added: a fact is needed for a week at most (the result of an
operation), or until it is delivered. Before it stand its match's revision right after it, and a BLAKE2b of all that and the
match's id.

What an operation did, as it is stored for a week:

    0 .. 15   BLAKE2b of the payload: tells the same request again from another one under the same id
    16 .. 23  BLAKE2b of the key and the payload's digest, so that a result under another key is found
    24 ..     the fact

What cannot be read raises `Damaged`, or `ValueError` where it is of no match; what cannot be written (a time without a zone,
half a surrogate pair in a name) `ValueError`.
"""

from __future__ import annotations

import logging
import secrets
import struct
import zlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, fields, replace
from datetime import datetime
from functools import reduce
from hashlib import blake2b
from operator import or_
from typing import Any, Final, TypeVar, cast, get_type_hints

import msgspec

from play import facts
from play.errors import ReusedOperation
from play.events.entries import EventClosed, EventEntry
from play.events.event import AnyFact, Changed, Event, EventSetup, subject_of
from play.events.events import ENTRIES
from play.events.forms.ladder import ChallengeMade, ChallengeRefused, ChallengeTakenBack
from play.match import Match
from play.people import Account, Address, Player
from play.ports import Operation, Timer
from play.settings import Settings
from storage import keys
from storage.errors import Damage, Damaged
from storage.ports import BoardMessage
from storage.records import schema
from storage.records.schema import from_micros, to_micros

_log: Final = logging.getLogger(__name__)

_STORED: Final[Mapping[type[EventEntry], str]] = {
    ChallengeMade: "Challenged",
    ChallengeRefused: "Refused",
    ChallengeTakenBack: "TakenBack",
    EventClosed: "Closed",
}
"""The stored names of the kinds of entries whose classes have other ones."""


def _mirror(
    kind: type[Any], tag_field: str, *, array_like: bool = False, left_out: Collection[str] = ()
) -> type[msgspec.Struct]:
    hints = get_type_hints(kind)
    mirrored = [
        (field.name, hints[field.name])
        if array_like or field.default is MISSING
        else (field.name, hints[field.name], field.default)
        for field in fields(kind)
        if field.name not in left_out
    ]
    tag = _STORED.get(kind, kind.__name__)
    return msgspec.defstruct(
        kind.__name__, mirrored, frozen=True, array_like=array_like, tag_field=tag_field, tag=tag
    )


_ENTRIES: Final = {kind: _mirror(kind, "entry", array_like=True) for kind in ENTRIES}
_ENTRY_KINDS: Final = {mirror: kind for kind, mirror in _ENTRIES.items()}


class _Head(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    id: str
    setup: EventSetup
    host: Player
    addresses: tuple[Address, ...]
    opened: datetime
    log: msgspec.Raw


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Head).decode
_decode_log: Final = msgspec.msgpack.Decoder(tuple[reduce(or_, _ENTRY_KINDS), ...]).decode  # type: ignore[misc]


def write(event: Event) -> bytes:
    """Return the body of an event; all but its revision."""
    log = _encode([_written(entry) for entry in event.log])
    return _encode(_Head(event.id, event.setup, event.host, event.addresses, event.opened, msgspec.Raw(log)))


def read(plain: bytes, revision: int) -> Event:
    """Return the event in a body."""
    head = _decode(plain)
    log = tuple([_read(mirror) for mirror in _decode_log(head.log)])
    event = Event(head.id, head.setup, head.host, head.addresses, head.opened, log, revision)
    _ = event.state  # a log that does not replay is no event
    return event


def _written(entry: EventEntry) -> msgspec.Struct:
    mirror = _ENTRIES[type(entry)]
    if entry.at.tzinfo is None:
        raise ValueError(f"a time without a zone: {entry.at!r}")
    return mirror(*[getattr(entry, name) for name in mirror.__struct_fields__])


def _read(mirror: Any) -> EventEntry:
    return _ENTRY_KINDS[type(mirror)](**{name: getattr(mirror, name) for name in mirror.__struct_fields__})


VERSION: Final = 1  # the version that is written
write_body: Final = schema.write  # makes a body of a match, all but its revision

READERS: Final[Mapping[int, Callable[[bytes, int], Match]]] = {VERSION: schema.read}
"""By version: what makes a match of a body, not deflated, and a revision."""

EVENT_READERS: Final[Mapping[int, Callable[[bytes, int], Event]]] = {VERSION: read}
"""The same of an event."""

S = TypeVar("S", Match, Event)
T = TypeVar("T")

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
    """Return the record of a match or an event."""
    body = write(match) if isinstance(match, Event) else write_body(match)
    if not match.live or len(body) > LOOSE:
        body = zlib.compress(body, _SWIFT if match.live else _SMALL)
    return _HEAD.pack(VERSION, match.revision, _digest(VERSION, match.revision, body)) + body


def decode(match_id: str, record: bytes) -> Match:
    """Return the match in a record."""
    return _decoded(match_id, record, READERS)


def decode_event(event_id: str, record: bytes) -> Event:
    """Return the event in a record; as `decode`."""
    return _decoded(event_id, record, EVENT_READERS)


def decode_any(subject_id: str, record: bytes) -> Match | Event:
    """Return the match or event in a record, by its id; as `decode`."""
    if keys.is_event_id(subject_id):
        return _decoded(subject_id, record, EVENT_READERS)
    return _decoded(subject_id, record, READERS)


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
    if not body.startswith(_DEFLATED):
        return body
    inflater = zlib.decompressobj()
    plain = inflater.decompress(body, _BODY_LIMIT)
    if not inflater.eof or inflater.unused_data:
        raise ValueError("not one whole deflated body")
    return plain


def _digest(version: int, revision: int, body: bytes) -> bytes:
    return blake2b(body, digest_size=8, salt=struct.pack(">BQ", version, revision)).digest()


_FACTS: Final[Mapping[type[Any], type[msgspec.Struct]]] = {
    kind: _mirror(kind, "fact", left_out=("match", "event")) for kind in (*facts.KINDS, Changed)
}
_FACT_KINDS: Final[Mapping[type[Any], type[Any]]] = {mirror: kind for kind, mirror in _FACTS.items()}
_FACT_HEAD: Final = struct.Struct(">Q8s")
_decode_fact: Final = msgspec.msgpack.Decoder(reduce(or_, _FACT_KINDS)).decode


def encode_fact(fact: AnyFact) -> bytes:
    """Return a fact as bytes, all but its match."""
    mirror = _FACTS[type(fact)]
    return _encode(mirror(*[getattr(fact, name) for name in mirror.__struct_fields__]))


def decode_fact(stored: bytes, match: Match | Event) -> AnyFact:
    """Return the fact in bytes, about a match or an event."""
    try:
        mirror = _decode_fact(stored)
    except (ValueError, TypeError, RecursionError) as error:
        raise Damaged(match.id, Damage.CONTENT) from error
    said = {name: getattr(mirror, name) for name in mirror.__struct_fields__}
    kind = _FACT_KINDS[type(mirror)]
    name = "event" if kind is Changed else "match"
    if isinstance(match, Event) is not (kind is Changed):
        raise Damaged(match.id, Damage.CONTENT)
    return cast("AnyFact", kind(**{name: match}, **said))


def unpack_fact(stored: bytes, match: Match | Event) -> AnyFact:
    """Return a stored fact, about a match or an event."""
    revision_of(stored, match.id)
    return decode_fact(stored[_FACT_HEAD.size :], match)


def revision_of(stored: bytes, match_id: str) -> int:
    """Return the revision of its match that a stored fact led to."""
    if len(stored) < _FACT_HEAD.size:
        raise Damaged(match_id, Damage.CHECKSUM)
    revision, digest = _FACT_HEAD.unpack_from(stored)
    if digest != _fact_digest(match_id, revision, stored[_FACT_HEAD.size :]):
        raise Damaged(match_id, Damage.CHECKSUM)
    return int(revision)


def _fact_digest(match_id: str, revision: int, body: bytes) -> bytes:
    return blake2b(body, digest_size=8, salt=revision.to_bytes(8, "big"), person=match_id.encode()).digest()


_PAYLOAD: Final = 16
_NAME: Final = 8
_FACT: Final = _PAYLOAD + _NAME
"""Where the fact begins; commit.lua counts on it."""


def pack_result(key: str, operation: Operation | None, fact: AnyFact) -> bytes:
    """Return the result of an operation, to be stored under a key."""
    payload, body, match = _payload_digest(operation), encode_fact(fact), subject_of(fact)
    head = _FACT_HEAD.pack(match.revision, _fact_digest(match.id, match.revision, body))
    return payload + _key_digest(key, payload) + head + body


def fact_of(key: str, operation: Operation, stored: bytes, match: Match | Event) -> AnyFact:
    """Return what an operation did, with its match or event as it is now."""
    fact = _whole(key, stored, match.id)
    if stored[:_PAYLOAD] != _payload_digest(operation):
        raise ReusedOperation
    return unpack_fact(fact, match)


def check_result(key: str, match_id: str, stored: bytes) -> int:
    """Return the revision of its match that an operation led to."""
    return revision_of(_whole(key, stored, match_id), match_id)


def _whole(key: str, stored: bytes, match_id: str) -> bytes:
    if stored[_PAYLOAD:_FACT] != _key_digest(key, stored[:_PAYLOAD]):
        raise Damaged(match_id, Damage.CHECKSUM)
    return stored[_FACT:]


def _payload_digest(operation: Operation | None) -> bytes:
    if operation is None:
        return bytes(_PAYLOAD)
    return blake2b(operation.payload.encode(), digest_size=_PAYLOAD).digest()


def _key_digest(key: str, payload: bytes) -> bytes:
    return blake2b(payload + key.encode(), digest_size=_NAME).digest()


def pack_timer(match_id: str, timer: Timer) -> str:
    """Return a timer as a member of its set. It holds the exact time, for the score is the end of a lease meanwhile."""
    return f"{match_id}:{keys.check_timer(timer).name}:{to_micros(timer.at)}"


def unpack_timer(member: str) -> tuple[str, Timer]:
    """Return a match's id and its timer from what `pack_timer` made."""
    match_id, name, at = member.split(":")
    return match_id, Timer(name, from_micros(int(at)))


def decode_bound(stored: bytes) -> tuple[str, str]:
    """Return the match that an operation is about, and its payload, or raise ValueError."""
    return msgspec.msgpack.decode(stored, type=tuple[str, str])


def readable(decode: Callable[[bytes], T], stored: bytes | None, what: str, *of: object) -> T | None:
    """Return what `decode` makes of bytes; None where there are none or they cannot be read, which is logged."""
    if stored is None:
        return None
    try:
        return decode(stored)
    except (ValueError, TypeError) as error:
        _log.error("%s cannot be read: %s", " of ".join([what, *map(str, of)]), error)
        return None


STAMP: Final = 8
"""Random bytes before the text of a note, by which its writer recognises it."""


def pack_note(text: str) -> bytes:
    """Return a note as it is stored."""
    return secrets.token_bytes(STAMP) + text.encode()


def decode_note(stored: bytes) -> str:
    """Return the text of a note, or raise ValueError."""
    return bytes(stored)[STAMP:].decode()


SETTINGS_VERSION: Final = 1
"""The first byte of stored settings. Fields may be added without a new one: they are written by name."""

DEFAULTS: Final = Settings()
_decode_settings: Final = msgspec.msgpack.Decoder(Settings).decode


def encode_settings(settings: Settings) -> bytes:
    """Return settings as bytes."""
    return bytes([SETTINGS_VERSION]) + _encode(settings)


def decode_settings(stored: bytes) -> Settings:
    """Return the settings in bytes, or raise ValueError."""
    if stored[:1] != bytes([SETTINGS_VERSION]):
        raise ValueError("settings of another version")
    return _decode_settings(stored[1:])


def settings_in(whose: Account | Address, stored: bytes | None) -> Settings:
    """Return stored settings, or the defaults; see `readable`."""
    return readable(decode_settings, stored, "the settings", whose) or DEFAULTS


class _StoredMessage(msgspec.Struct, array_like=True, frozen=True):
    revision: int
    message: str
    digest: bytes


_decode_shown: Final = msgspec.msgpack.Decoder(_StoredMessage).decode


def pack_shown(match_id: str, field: str, shown: BoardMessage) -> bytes:
    """Return a message that shows a match, as it is stored."""
    return msgspec.msgpack.encode(
        _StoredMessage(shown.revision, shown.message, _shown_digest(match_id, field, shown))
    )


def read_shown(match_id: str, field: str, stored: bytes) -> BoardMessage:
    """Return what `pack_shown` was given."""
    read = _decode_shown(stored)
    shown = BoardMessage(read.message, read.revision)
    if read.digest != _shown_digest(match_id, field, shown):
        raise ValueError("not what was stored")
    return shown


def _shown_digest(match_id: str, field: str, shown: BoardMessage) -> bytes:
    said = f"{match_id} {field} {shown.revision} {shown.message}"
    return blake2b(said.encode(errors="replace"), digest_size=8).digest()
