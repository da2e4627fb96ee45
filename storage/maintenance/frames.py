"""What a backup holds of a store, a frame each: how it is read, checked, and written into another store.

A match or an event is a frame with its timers; any other key is a frame by its type. Of a key with many entries (ratings of
a game, facts to be sent) each is checked for itself, so that one that is damaged leaves the others as they are.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import msgspec

from play.errors import Unavailable
from play.events.event import Event
from play.match import Match
from storage import keys
from storage.client.connection import Script, Word, pairs
from storage.errors import Damage, Damaged
from storage.records import codec
from storage.records.codec import check_result, revision_of
from storage.redis.ratings import NONE, decode_changes, decode_rating
from storage.redis.store import RedisStore

PATTERNS: Final = (  # everything but matches, events, timers, lists, senders and buckets
    keys.PREFIX + ":{*}:op:*",
    keys.PREFIX + ":{*}:shown:*",
    keys.PREFIX + ":{*}:out",
    f"{keys.PREFIX}:settings:*",
    f"{keys.PREFIX}:rating:*",
    f"{keys.PREFIX}:bound:*",
    f"{keys.PREFIX}:note:*",
    f"{keys.PREFIX}:timeline:*",
    keys.DEAD,
    keys.BEAT,
    keys.OUTAGES,
    keys.ASIDE,
)
"""Patterns of the keys that are frames of their own."""
_TOGETHER: Final = Script("together")


class MatchFrame(msgspec.Struct, array_like=True, frozen=True, tag=0):
    """A match or an event, with its timers as they are noted, separated by spaces."""

    name: str
    record: bytes
    timers: bytes


class KeyFrame(msgspec.Struct, array_like=True, frozen=True, tag=1):
    """A key with its type, what it holds, pairs as flat lists, and its remaining milliseconds (0: no limit)."""

    key: str
    kind: str
    held: bytes | list[bytes | list[bytes | list[bytes]]]
    lasts: int


Frame: TypeAlias = MatchFrame | KeyFrame


@dataclass(frozen=True, slots=True)
class SiftedFrame:
    """A frame, divided: what can be read of it, what cannot, and what is wrong with that."""

    sound: Frame | None
    wrong: Frame | None = None
    damage: Damaged | None = None


async def subjects(store: RedisStore) -> AsyncIterator[Frame]:
    """Yield every match and event, also from the archive; for a key that none can have, what it holds.

    One that is in the archive is yielded with its head alone where the archive cannot be read.
    """
    for pattern in (keys.MATCHES, keys.EVENTS):
        async for found in store.connection.scan(pattern):
            ids = {key: key.rpartition(":")[2] for key in found}
            named = {
                key: name for key, name in ids.items() if keys.is_id(name) and keys.match_key(name) == key
            }
            calls = [
                _TOGETHER.call([key, keys.timers_of_key(keys.tag_of(name))], [name])
                for key, name in named.items()
            ]
            replies = dict(zip(named.values(), await store.connection.batch(calls, [_TOGETHER]), strict=True))
            stored: Mapping[str, bytes] = {
                name: record for name, (record, _) in replies.items() if record is not None
            }
            with suppress(Unavailable):
                stored = await store.matches.lists.whole(stored)
            for name, record in stored.items():
                yield MatchFrame(name, record, replies[name][1] or b"")
            for frame in await read(store, [key for key in found if key not in named]):
                yield frame


def decode(frame: Frame) -> Match | Event:
    """Return the match or event of a frame that `subjects` has yielded, or raise Damaged."""
    if isinstance(frame, KeyFrame):
        raise Damaged(frame.key, Damage.CHECKSUM)
    return codec.decode_any(frame.name, frame.record)


async def read(store: RedisStore, found: Sequence[str]) -> list[KeyFrame]:
    """Return what keys hold; those that are gone are left out."""
    calls = [call for key in found for call in (("TYPE", key), ("PTTL", key))]
    types = await store.connection.batch(calls)
    there = []
    for key, said, lasts in zip(found, types[::2], types[1::2], strict=True):
        kind = said.decode()
        if kind in _READING:
            how, *span = _READING[kind]
            there.append(((how, key, *span), kind, max(0, int(lasts))))
    replies = await store.connection.batch([call for call, _, _ in there])
    return [
        KeyFrame(str(call[1]), kind, held, lasts)
        for (call, kind, lasts), held in zip(there, replies, strict=True)
        if held is not None
    ]


def sift(frame: Frame) -> SiftedFrame:
    """Return what of a frame is sound, and what is not."""
    return _sift_match(frame) if isinstance(frame, MatchFrame) else _sift_key(frame)


def commands(frame: Frame) -> Iterator[Sequence[Word]]:
    """Yield the commands that write a frame which is sound into a store."""
    if isinstance(frame, MatchFrame):
        tag = keys.tag_of(frame.name)
        yield ("SET", keys.match_key(frame.name), frame.record)
        if frame.timers:
            yield ("HSET", keys.timers_of_key(tag), frame.name, frame.timers)
            for member in frame.timers.split():
                yield ("ZADD", keys.timers_key(tag), int(member.rpartition(b":")[2]), member)
        return
    key, lasts = frame.key, frame.lasts
    if isinstance(frame.held, bytes):
        yield ("SET", key, frame.held, *(("PX", lasts) if lasts else ()))
        return
    for one, other in pairs(frame.held):
        if frame.kind == "stream":
            yield ("XADD", key, one, *other)
        else:
            yield ("HSET", key, one, other) if frame.kind == "hash" else ("ZADD", key, other, one)


def of_matches(frame: Frame, there: set[str]) -> Frame | None:
    """Return a frame without what belongs to matches or events that are not there."""
    if isinstance(frame, MatchFrame):
        return frame
    word, match_id = keys.kind_of(frame.key)
    if word in ("op", "shown"):
        return frame if match_id in there else None
    if word != "out":
        return frame
    kept = [entry for entry in pairs(frame.held) if _fields(entry[1])[b"m"].decode() in there]
    return _with(frame, kept)


def check_fact(key: str, said: Any) -> tuple[str, int]:
    """Return the match, and its revision, that an entry of a stream of facts is about."""
    match_id = key
    try:
        fields = _fields(said)
        match_id = fields[b"m"].decode()
        match = codec.decode_any(match_id, fields.get(b"r", b""))
        revision = revision_of(fields[b"f"], match_id)
        own = keys.OUT.stream(keys.tag_of(match_id)) == key
    except Damaged as found:
        raise found if found.reason is Damage.NEWER else Damaged(match_id, Damage.FACT) from found
    except (LookupError, ValueError) as error:
        raise Damaged(key, Damage.FACT) from error
    if not own or revision != match.revision:
        raise Damaged(match_id, Damage.FACT)
    return match_id, revision


def is_checked(key: str) -> bool:
    """Return whether what a key holds is checked as `sift` does; facts are not, for some may have been sent."""
    return keys.kind_of(key)[0] in _CHECKED


def _sift_match(frame: MatchFrame) -> SiftedFrame:
    name = frame.name
    if not keys.is_id(name):
        return SiftedFrame(None, frame, Damaged(name, Damage.STRAY))
    try:
        decode(frame)
    except Damaged as damaged:
        return SiftedFrame(None, frame, damaged)
    members = frame.timers.split()
    timer = re.compile(rb"%s:[a-z0-9-]{1,40}:-?[0-9]{1,18}" % name.encode())
    good = [member for member in members if timer.fullmatch(member)]
    if len(good) == len(members):
        return SiftedFrame(frame)
    bad = b" ".join(member for member in members if member not in good)
    wrong = KeyFrame(keys.timers_of_key(keys.tag_of(name)), "hash", [name.encode(), bad], 0)
    return SiftedFrame(MatchFrame(name, frame.record, b" ".join(good)), wrong, _damage(wrong))


def _sift_key(frame: KeyFrame) -> SiftedFrame:
    check = _CHECKS.get((keys.kind_of(frame.key)[0], frame.kind))
    if check is None:
        return SiftedFrame(None, frame, _damage(frame))
    try:
        entries = [(b"", frame.held)] if isinstance(frame.held, bytes) else pairs(frame.held)
    except ValueError:  # an odd number
        return SiftedFrame(None, frame, _damage(frame))
    good, bad, damage = [], [], None
    for name, value in entries:
        try:
            check(frame.key, name, value)
        except (Damaged, ValueError, TypeError, LookupError, AttributeError) as error:
            bad.append((name, value))
            damage = error if isinstance(error, Damaged) else _damage(frame)
        else:
            good.append((name, value))
    if not bad:
        return SiftedFrame(frame)
    if not good:
        return SiftedFrame(None, frame, damage)
    return SiftedFrame(_with(frame, good), _with(frame, bad), damage)


def _with(frame: KeyFrame, entries: Sequence[tuple[Any, Any]]) -> KeyFrame | None:
    held = [each for entry in entries for each in entry]
    if frame.kind == "stream":
        held = [list(entry) for entry in entries]
    return KeyFrame(frame.key, frame.kind, held, frame.lasts) if entries else None


def _damage(frame: KeyFrame) -> Damaged:
    word, match_id = keys.kind_of(frame.key)
    if word == "timers-of" and isinstance(frame.held, list) and isinstance(frame.held[0], bytes):
        match_id = frame.held[0].decode(errors="replace")
    reason = _REASONS.get(word, Damage.VALUE)
    return Damaged(frame.key if reason is Damage.STRAY else match_id or frame.key, reason)


def _fields(said: Any) -> dict[bytes, bytes]:
    return {bytes(name): bytes(value) for name, value in pairs(said)}


def _result(key: str, _name: bytes, value: bytes) -> None:
    match_id = keys.kind_of(key)[1]
    try:
        check_result(key, match_id, value)
    except Damaged as damaged:
        raise Damaged(match_id, Damage.RESULT) from damaged


def _rating(_key: str, name: bytes, value: bytes) -> None:
    if not (name.endswith(b":replaced") and value == NONE):
        decode_rating(value)


def _beat(_key: str, member: bytes, _score: bytes) -> None:
    if member.decode() != keys.FORMAT:  # a store with another one is not opened
        raise ValueError("another format")


def _outage(_key: str, member: bytes, _score: bytes) -> None:
    start, end = map(int, member.split(b":"))
    if start > end:
        raise ValueError("an outage that ends before it begins")


_READING: Final[Mapping[str, tuple[Word, ...]]] = {
    "string": ("GET",),
    "hash": ("HGETALL",),
    "zset": ("ZRANGE", 0, -1, "WITHSCORES"),
    "stream": ("XRANGE", "-", "+"),
}
"""By type: the command that reads a key, and what follows the key in it."""

_CHECKS: Final[Mapping[tuple[str, str], Callable[[str, Any, Any], object]]] = {
    ("op", "string"): _result,
    ("shown", "hash"): lambda key, name, value: codec.read_shown(keys.kind_of(key)[1], name.decode(), value),
    ("out", "stream"): lambda key, _, said: check_fact(key, said),
    ("settings", "string"): lambda _, __, value: codec.decode_settings(value),
    ("rating", "hash"): _rating,
    ("rating", "string"): lambda _, __, value: decode_changes(value),
    ("bound", "string"): lambda _, __, value: codec.decode_bound(value),
    ("note", "string"): lambda _, __, value: codec.decode_note(value),
    ("timeline", "zset"): lambda _, member, __: member.decode(),
    ("lender", "hash"): lambda _, __, value: value,  # in backups of versions that had lent computers
    ("dead", "hash"): lambda _, __, value: int(value),
    ("beat", "zset"): _beat,
    ("outages", "zset"): _outage,
}
"""By what a key holds and its type: what raises an error for an entry that the bot cannot read."""

_CHECKED: Final = frozenset(word for word, _ in _CHECKS) - {"out"}

_REASONS: Final = {
    "shown": Damage.SHOWN,
    "timers-of": Damage.TIMERS,
    "match": Damage.STRAY,
    "event": Damage.STRAY,
}
