"""What an operation did, as it is stored for a week.

0 .. 15   BLAKE2b of the payload: tells the same request again from another one under the same id
16 .. 23  BLAKE2b of the key and the payload's digest, so that a result under another key is found
24 ..     the fact, packed, without its match
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from play.errors import ReusedOperation
from play.events.event import Event
from play.events.facts import AnyFact
from play.match import Match
from play.ports import Operation
from storage.errors import Damage, Damaged
from storage.records.facts import pack_fact, revision_of, unpack_fact

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
