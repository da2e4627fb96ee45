"""A match as bytes.

A record is a head of 17 bytes and a body:

    0        schema version, one byte
    1 .. 8   revision, big-endian: compared inside Redis, so its place never changes
    9 .. 16  BLAKE2b of all the rest, so that no flipped bit passes for a match
    17 ..    the body: msgpack; deflated, unless that would cost more time than it saves bytes (before version 3: always)

In the body the log is kept by columns (seats, texts, times), because alike things deflate well: a ply costs about ten
bytes. Times are exact microseconds; the log's are differences, each from the one before. A deflated body begins with a
byte with which no match begins in msgpack.
A change of the body's meaning takes a new schema version, and the old readers stay.
"""

from __future__ import annotations

import struct
import zlib
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from storage import schema1, schema2
from storage.errors import Damage, Damaged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from play.match import Match

VERSION: Final = 3
"""What is written now."""

_READERS: Final[Mapping[int, Callable[[bytes, int], Match]]] = {
    1: schema1.read,
    2: schema2.read,
    3: schema2.read,
}
_FIRST_LOOSE: Final = 3
"""The first version whose bodies may be as they are."""

LOOSE: Final = 1280
"""Bytes up to which the body of a live match stays as it is: it is written anew with the next ply, and deflating it would
take as long as all the rest of a commit's packing."""

_DEFLATED: Final = b"\x78"
"""How a deflated body begins (RFC 1950); a match in msgpack begins as an array of many."""

_SWIFT, _SMALL = 1, 9
"""How hard a body is deflated: one that is written anew with the next ply, and one that stays as it is."""

_HEAD: Final = struct.Struct(">BQ8s")
_BODY_LIMIT: Final = 4 * 1024 * 1024
"""More than any match unpacks to; a record that claims more is no match of ours."""


def pack_revision(revision: int) -> bytes:
    """A revision as it stands in a record; empty for 0, which is never stored."""
    return revision.to_bytes(8, "big") if revision else b""


def encode(match: Match) -> bytes:
    """The record of a match.

    Raises:
        ValueError: the match cannot be stored as it is (a time without a zone, half a surrogate pair in a name).
    """
    body = schema2.write(match)
    if not match.live or len(body) > LOOSE:
        body = zlib.compress(body, _SWIFT if match.live else _SMALL)
    return _HEAD.pack(VERSION, match.revision, _digest(VERSION, match.revision, body)) + body


def decode(match_id: str, record: bytes) -> Match:
    """The match in a record.

    Args:
        match_id: Whose record it should be.
        record: As read.

    Raises:
        Damaged: the record is no whole match of that id, or of a later version than this program knows.
    """
    if len(record) < _HEAD.size:
        raise Damaged(match_id, Damage.CHECKSUM)
    version, revision, digest = _HEAD.unpack_from(record)
    body = record[_HEAD.size :]
    if digest != _digest(version, revision, body):
        raise Damaged(match_id, Damage.CHECKSUM)
    reader = _READERS.get(version)
    if reader is None:
        raise Damaged(match_id, Damage.NEWER, version=version, known=VERSION)
    try:
        loose = version >= _FIRST_LOOSE and not body.startswith(_DEFLATED)
        match = reader(body if loose else _inflate(body), revision)
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


def _inflate(body: bytes) -> bytes:
    inflater = zlib.decompressobj()
    plain = inflater.decompress(body, _BODY_LIMIT)
    if not inflater.eof or inflater.unused_data:
        raise ValueError("not one whole deflated body")
    return plain


def _digest(version: int, revision: int, body: bytes) -> bytes:
    return blake2b(body, digest_size=8, salt=struct.pack(">BQ", version, revision)).digest()
