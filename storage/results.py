"""What an operation did, as it is kept for a week.

    0 .. 15   BLAKE2b of the payload: the same request again, or another under the same name
    16        a byte that no fact begins with; what follows was written by this program or a later one
    17 .. 24  BLAKE2b of the key and the payload's digest, so that a result under another name is known
    25 ..     the fact, sealed, without its match

In earlier programs the fact, not sealed, began at 16.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from play.errors import ReusedOperation
from storage.errors import Damage, Damaged
from storage.facts import SEALED, open_fact, revision_of, seal_fact

if TYPE_CHECKING:
    from play.facts import Fact
    from play.match import Match
    from play.ports import Operation

_PAYLOAD: Final = 16
_NAME: Final = 8
_FACT: Final = _PAYLOAD + len(SEALED) + _NAME
"""Where the fact begins; commit.lua counts on it."""


def pack_result(key: str, operation: Operation | None, fact: Fact) -> bytes:
    """The result of an operation, to be stored under a key.

    Raises:
        ValueError: text that UTF-8 cannot hold.
    """
    payload = _payload(operation)
    return payload + SEALED + _name(key, payload) + seal_fact(fact)


def fact_of(key: str, operation: Operation, stored: bytes, match: Match) -> Fact:
    """What an operation did, with its match as it is now.

    Raises:
        ReusedOperation: it was used for something else.
        Damaged: it is not what was stored.
    """
    fact = _whole(key, stored, match.id)
    if stored[:_PAYLOAD] != _payload(operation):
        raise ReusedOperation
    return open_fact(fact, match)


def check_result(key: str, match_id: str, stored: bytes) -> int | None:
    """To which revision of its match an operation led; None where an earlier program did not say.

    Raises:
        Damaged: it is not what was stored.
    """
    return revision_of(_whole(key, stored, match_id), match_id)


def _whole(key: str, stored: bytes, match_id: str) -> bytes:
    """The fact in a result."""
    if stored[_PAYLOAD : _PAYLOAD + 1] != SEALED:
        return stored[_PAYLOAD:]
    if stored[_PAYLOAD + 1 : _FACT] != _name(key, stored[:_PAYLOAD]):
        raise Damaged(match_id, Damage.CHECKSUM)
    return stored[_FACT:]


def _payload(operation: Operation | None) -> bytes:
    """What stands for a payload."""
    if operation is None:
        return bytes(_PAYLOAD)
    return blake2b(operation.payload.encode(), digest_size=_PAYLOAD).digest()


def _name(key: str, payload: bytes) -> bytes:
    return blake2b(payload + key.encode(), digest_size=_NAME).digest()
