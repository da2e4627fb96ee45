"""A log by columns: seats, texts, times, which deflate well.

The columns of recent matches are cached, so that encoding the next ply takes as long in a long match as in a short one.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import accumulate
from operator import sub
from typing import Final, TypeAlias

import msgspec

from play.match import Entry, Exit, Match, Ply, Return
from storage.timestamps import from_micros, to_micros

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
