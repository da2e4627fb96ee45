"""A log by its columns: seats, texts, times.

Alike things stand together, and deflate well. What was made of a log is kept in memory, so that the next ply costs as
much in a long match as in a short one, and nearly nothing in either.
"""

from __future__ import annotations

import struct
from itertools import accumulate
from operator import sub
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from play.match import Ply
from storage.moments import from_micros, to_micros

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from play.match import Entry, Exit, Match, Return

Text: TypeAlias = str | int | None
"""A ply's text, the number of an exit's reason, or a return."""

KEPT: Final = 1024
"""Matches whose columns are kept in memory."""

_SPAN: Final = 8  # bytes
_SHORT, _MEDIUM = 15, 0xFFFF
_encode: Final = msgspec.msgpack.Encoder().encode
_decode_texts: Final = msgspec.msgpack.Decoder(tuple[Text, ...]).decode


class Columns:
    """The columns of a log, which may grow.

    Attributes:
        opened: When its match was opened.
        log: The entries that are in the columns.
    """

    __slots__ = ("_last", "_planes", "_seats", "_texts", "log", "opened")

    def __init__(self, opened: datetime) -> None:
        self.opened = opened
        self.log: tuple[Entry, ...] = ()
        self._last = to_micros(opened)
        self._seats = bytearray()
        self._texts = bytearray()  # in msgpack, one after the other
        self._planes = tuple([bytearray() for _ in range(_SPAN)])

    def extend(self, log: tuple[Entry, ...], other: Callable[[Exit | Return], int | None]) -> None:
        """Take in what is new of a log that begins as this one.

        Args:
            log: The whole of it.
            other: The text of an entry that is no ply.

        Raises:
            ValueError: a time without a zone, or text that UTF-8 cannot hold. Then these columns are of no more use.
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
        """Of each entry."""
        return bytes(self._seats)

    @property
    def texts(self) -> msgspec.Raw:
        """Of each entry, as an array in msgpack."""
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
        """Microseconds from each to the next, the first since the match was opened.

        Numbers of eight bytes: all first bytes, then all second bytes, and so on, for nearly all the upper ones are zeros.
        """
        return b"".join(self._planes)


_kept: Final[dict[str, Columns]] = {}  # by match; the one written last is the last


def columns_of(match: Match, other: Callable[[Exit | Return], int | None]) -> Columns:
    """The log of a match by its columns; only what is new since the match was last written is looked at.

    Raises:
        ValueError: a time without a zone, or text that UTF-8 cannot hold.
    """
    columns = _kept.pop(match.id, None)
    if columns is None or columns.opened != match.opened or match.log[: len(columns.log)] != columns.log:
        columns = Columns(match.opened)
    columns.extend(match.log, other)
    _kept[match.id] = columns
    if len(_kept) > KEPT:
        del _kept[next(iter(_kept))]
    return columns


def forget() -> None:
    """Keep no columns of any match: the next record of each is made from nothing."""
    _kept.clear()


def read_texts(stored: msgspec.Raw) -> tuple[Text, ...]:
    """The texts of a log.

    Raises:
        ValueError: they are none.
    """
    return _decode_texts(stored)


def read_times(opened: int, stored: bytes) -> Iterator[datetime]:
    """The moments of a log, of a match that was opened at so many microseconds.

    Raises:
        ValueError: they are cut off.
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
