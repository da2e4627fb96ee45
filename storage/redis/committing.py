"""The one way in which matches and events are changed on Redis: a script in one round trip."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from play.events.facts import AnyFact, subject_of
from play.ports import Operation, Timer
from storage import keys
from storage.client import Connection, Script, Word
from storage.faults import fault
from storage.listing import OVER_KEPT
from storage.records import codec
from storage.records.results import pack_result
from storage.redis.times import member_of
from storage.timestamps import to_score

OPERATION_SECONDS: Final = 7 * 24 * 3600
"""How long the result of an operation is kept: longer than any platform repeats a request."""

RECEIPT_SECONDS: Final = 60  # far longer than a commit without an operation is retried

_COMMIT: Final = Script("commit")


@dataclass(frozen=True, slots=True)
class Committed:
    """What became of a commit.

    Attributes:
        key: Of the operation's result.
        stored: Whether it was stored now, or before (then without an operation).
        done: What the operation did before; None: it had not been done.
        record: What is stored instead; None: nothing.
    """

    key: str
    stored: bool = False
    done: bytes | None = None
    record: bytes | None = None


async def commit_fact(
    connection: Connection,
    fact: AnyFact,
    expected: int,
    *,
    operation: Operation | None,
    timers: Sequence[Timer],
    announce: bool,
) -> tuple[Committed, int]:
    """Store a fact, whose subject has its new revision, if the stored one is at revision `expected`; see `commit.lua`.

    The script may be sent again when a reply was lost: if it was carried out, it finds the operation's result and
    writes nothing, even if others have committed since. Where there is no operation, each commit leaves a receipt
    under a random name in its place.

    Returns:
        What became of it, and when it was stored, in microseconds; 0 if not now.

    Raises:
        ValueError: it cannot be stored as it is.
    """
    subject = subject_of(fact)
    name = keys.check_operation(operation).id if operation else f" {secrets.token_hex(8)}"
    key, timers_key, timers_of_key, stream_key = keys.keys_of(subject.id)
    names = [key, keys.operation_key(subject.id, name), timers_key, timers_of_key, stream_key]
    if not connection.clustered:
        names += keys.lists_of(subject)
    due = [(to_score(timer.at), member_of(subject.id, timer)) for timer in timers]
    values: list[Word] = [
        codec.pack_revision(expected),
        codec.encode(subject),
        subject.id,
        pack_result(names[1], operation, fact),
        OPERATION_SECONDS if operation else RECEIPT_SECONDS,
        int(announce),
        int(subject.live),
        OVER_KEPT,
        " ".join([member for _, member in due]),
    ]
    for score_and_member in due:
        values += score_and_member
    fault("before-commit")
    found = await connection.run(_COMMIT, names, values)
    fault("after-commit")
    if isinstance(found, int):
        return Committed(names[1], stored=True), found
    if isinstance(found, list):
        done, record = found
        return Committed(names[1], operation is None, None if operation is None else done, record), 0
    return Committed(names[1], record=found), 0
