"""Facts as bytes, without their match or event: that is kept once, as a record, and not in each result of an operation.

The fields of a fact are written by name, so that fields with defaults may be added. A fact is needed for a week at most
(the result of an operation), or until it is delivered.

A stored fact is preceded by its match's revision right after it, and a BLAKE2b of all that and the match's id.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import reduce
from hashlib import blake2b
from operator import or_
from typing import Any, Final, cast, get_args, get_type_hints

import msgspec

from play import facts
from play.events.event import Event
from play.events.facts import AnyFact, Changed, subject_of
from play.match import Match
from storage.errors import Damage, Damaged


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
    kind: _mirror(kind) for kind in (*get_args(facts.Fact), Changed)
}
_KINDS: Final[Mapping[type[Any], type[Any]]] = {mirror: kind for kind, mirror in _MIRRORS.items()}
_HEAD: Final = struct.Struct(">Q8s")
_encode: Final = msgspec.msgpack.Encoder().encode
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
