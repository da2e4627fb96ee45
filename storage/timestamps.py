"""Times as stored: microseconds since 1970."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

from play.time.clock import Outage

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

_EXACT: Final = 2**53 - 1
"""The greatest integer that a score of a sorted set holds exactly: a time in the year 2255."""


def to_micros(at: datetime) -> int:
    """Return a time as a number.

    Raises:
        ValueError: the time has no zone.
    """
    if at.tzinfo is None:
        raise ValueError(f"a time without a zone: {at!r}")
    return (at - _EPOCH) // _MICROSECOND


def from_micros(stored: int) -> datetime:
    """Return the time of a number, in UTC."""
    return _EPOCH + stored * _MICROSECOND


def read_time(noted: str | None) -> datetime | None:
    """Return the time of a note in ISO format; None if there is none, or it cannot be read."""
    try:
        return datetime.fromisoformat(noted) if noted else None
    except ValueError:
        return None


def to_score(at: datetime) -> int:
    """Return a time as the score of a sorted set; all times after 2255 are one."""
    return max(-_EXACT, min(to_micros(at), _EXACT))


def merged(outages: Iterable[Outage]) -> list[Outage]:
    """Return outages in order, those that overlap or touch made one."""
    apart: list[Outage] = []
    for outage in sorted(outages, key=lambda each: each.start):
        if apart and outage.start <= apart[-1].end:
            apart[-1] = Outage(apart[-1].start, max(apart[-1].end, outage.end))
        else:
            apart.append(outage)
    return apart
