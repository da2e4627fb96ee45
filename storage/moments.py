"""Moments as Redis counts them: microseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

_EXACT: Final = 2**53 - 1
"""The last whole number that a score holds exactly: a moment of the year 2255."""


def to_micros(at: datetime) -> int:
    """A moment as a number.

    Raises:
        ValueError: it is without a zone.
    """
    if at.tzinfo is None:
        raise ValueError(f"a time without a zone: {at!r}")
    return (at - _EPOCH) // _MICROSECOND


def from_micros(stored: int) -> datetime:
    """The moment that a number stands for, in UTC."""
    return _EPOCH + stored * _MICROSECOND


def to_score(at: datetime) -> int:
    """A moment as the score of a sorted set; those after 2255 are all one."""
    return max(-_EXACT, min(to_micros(at), _EXACT))
