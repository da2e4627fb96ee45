"""Facts as bytes, without their match: that is kept once, as a record, and not in each result of an operation.

The fields of a fact are written by name, so that a fact of an earlier program, which had fewer, is still read. A fact
is needed for a week at most (the result of an operation), or until it is delivered.

Stored facts are sealed: before the fact stand a byte that no fact begins with, its match's revision right after it, and a
BLAKE2b of all that with the match's id. Those of earlier programs have no seal, and are read all the same.
"""

from __future__ import annotations

import struct
from dataclasses import MISSING, fields
from functools import reduce
from hashlib import blake2b
from operator import or_
from typing import TYPE_CHECKING, Any, Final, cast, get_args, get_type_hints

import msgspec

from play import facts
from storage.errors import Damage, Damaged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from play.facts import Fact
    from play.match import Match


def _mirror(kind: type[Any]) -> type[msgspec.Struct]:
    """A struct with the fields of a fact but the match, tagged with its name."""
    hints = get_type_hints(kind)
    mirrored = [
        (field.name, hints[field.name])
        if field.default is MISSING
        else (field.name, hints[field.name], field.default)
        for field in fields(kind)
        if field.name != "match"
    ]
    return msgspec.defstruct(kind.__name__, mirrored, frozen=True, tag_field="fact", tag=kind.__name__)


_MIRRORS: Final[Mapping[type[Any], type[msgspec.Struct]]] = {
    kind: _mirror(kind) for kind in get_args(facts.Fact)
}
_KINDS: Final[Mapping[type[Any], type[Any]]] = {mirror: kind for kind, mirror in _MIRRORS.items()}
SEALED: Final = b"\xc1"
"""How a sealed fact begins; msgpack has no use for this byte."""

_SEAL: Final = struct.Struct(">cQ8s")
_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(reduce(or_, _KINDS)).decode


def encode_fact(fact: Fact) -> bytes:
    """The bytes of a fact, all but its match.

    Raises:
        ValueError: text that UTF-8 cannot hold.
    """
    mirror = _MIRRORS[type(fact)]
    return _encode(mirror(*[getattr(fact, name) for name in mirror.__struct_fields__]))


def decode_fact(stored: bytes, match: Match) -> Fact:
    """The fact in bytes, about a match.

    Raises:
        Damaged: there is none that this program knows.
    """
    try:
        mirror = _decode(stored)
    except (ValueError, TypeError, RecursionError) as error:
        raise Damaged(match.id, Damage.CONTENT) from error
    said = {name: getattr(mirror, name) for name in mirror.__struct_fields__}
    return cast("Fact", _KINDS[type(mirror)](match=match, **said))


def seal_fact(fact: Fact) -> bytes:
    """The bytes of a fact as they are stored.

    Raises:
        ValueError: text that UTF-8 cannot hold.
    """
    body, match = encode_fact(fact), fact.match
    return _SEAL.pack(SEALED, match.revision, _digest(match.id, match.revision, body)) + body


def open_fact(stored: bytes, match: Match) -> Fact:
    """The fact in stored bytes, about a match.

    Raises:
        Damaged: there is none that this program knows, or it is not the one that was stored.
    """
    revision_of(stored, match.id)
    return decode_fact(stored[_SEAL.size :] if stored.startswith(SEALED) else stored, match)


def revision_of(stored: bytes, match_id: str) -> int | None:
    """Which revision of its match a stored fact led to; None where it is of an earlier program, which did not say.

    Raises:
        Damaged: it is not the one that was stored.
    """
    if not stored.startswith(SEALED):
        try:
            _decode(stored)
        except (ValueError, TypeError, RecursionError) as error:
            raise Damaged(match_id, Damage.CONTENT) from error
        return None
    if len(stored) < _SEAL.size:
        raise Damaged(match_id, Damage.CHECKSUM)
    _, revision, digest = _SEAL.unpack_from(stored)
    if digest != _digest(match_id, revision, stored[_SEAL.size :]):
        raise Damaged(match_id, Damage.CHECKSUM)
    return int(revision)


def _digest(match_id: str, revision: int, body: bytes) -> bytes:
    return blake2b(body, digest_size=8, salt=revision.to_bytes(8, "big"), person=match_id.encode()).digest()
