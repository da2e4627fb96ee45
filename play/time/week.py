"""A person's week: in which hours they are awake, and when they rest.

Clocks that know it, quiet hours and reminders all ask the same: which spans of time does a week leave out?
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from itertools import count
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

Span: TypeAlias = tuple[datetime, datetime]  # from a moment to a later one

A_DAY: Final = timedelta(days=1)
DAYS: Final = 7

LEAST_AWAKE: Final = timedelta(hours=8)
"""The least that a person's day has: at most 16 hours of it are rest."""

MOST_OFF: Final = 3  # days of a week on which a person rests, at most

WEEKEND: Final = (5, 6)  # Saturday and Sunday

_OFFSET: Final = re.compile(r"UTC([+-])([0-9]{1,2})(?::([0-9]{2}))?\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Week:
    """When a person is awake: from `start` to `end` of each day but those `off`, in a time zone.

    Attributes:
        end: Past midnight if it is earlier than `start`; the same: awake all day.
        off: The days on which no such hours begin; Monday is 0.
    """

    start: time = time(8)
    end: time = time(23)
    off: tuple[int, ...] = ()
    zone: str = "UTC"

    @property
    def day(self) -> timedelta:
        """How long a day of it is, where no clock is changed for summer."""
        length = _since_midnight(self.end) - _since_midnight(self.start)
        return length if length > timedelta() else length + A_DAY

    @property
    def never_rests(self) -> bool:
        return self.day == A_DAY and not self.off

    @property
    def awake(self) -> timedelta:
        """How long one is awake in a week."""
        return self.day * (DAYS - len(self.off))


ALL_DAY: Final = Week(time(), time())


def rests(week: Week, since: datetime) -> Iterator[Span]:
    """Yield when a week rests, from the first span that is not over at a moment: in their order, apart, without an end."""
    if week.never_rests:
        return
    ended: datetime | None = None
    for start, end in _days(week, since):
        if ended is not None and start > max(ended, since):
            yield ended, start
        ended = max(ended or end, end)


def resting_until(week: Week, at: datetime) -> datetime | None:
    """Return until when a week rests at a moment; None: it is awake then."""
    start, end = next(rests(week, at), (at, at))
    return end if start <= at < end else None


def _days(week: Week, since: datetime) -> Iterator[Span]:
    """Yield the hours of each day on which a week is awake, from the last ones that are over at a moment on."""
    zone = zone_of(week.zone)
    first = since.astimezone(zone).date() - timedelta(days=MOST_OFF + 2)
    past = week.end <= week.start
    for number in count():
        day = first + timedelta(days=number)
        if day.weekday() not in week.off:
            start, end = _moment(day, week.start, zone), _moment(day + past * A_DAY, week.end, zone)
            if start < end:  # not where the clocks are set forward over all of it
                yield start, end


def _moment(day: date, at: time, zone: tzinfo) -> datetime:
    """Return the first moment at which the clocks of a zone have come to a time: where they skip it, the moment of the skip."""
    wanted = datetime.combine(day, at, tzinfo=zone)
    moment = wanted.astimezone(UTC)
    skipped = moment.astimezone(zone).replace(tzinfo=None) - wanted.replace(tzinfo=None)
    if not skipped:
        return moment
    before, offset, minute = moment - skipped, wanted.utcoffset(), timedelta(minutes=1)

    def changed(minutes: int) -> bool:
        return (before + minutes * minute).astimezone(zone).utcoffset() != offset

    return before + bisect_left(range(skipped // minute), True, key=changed) * minute


def _since_midnight(at: time) -> timedelta:
    return timedelta(hours=at.hour, minutes=at.minute)


def fitted(week: Week, awake: timedelta, within: float = 0.1) -> Week:
    """Return a week whose hours come to so many, as nearly as a share of them: its days end earlier, or later, by whole minutes.

    Where whole days are not enough, days off are days like the others.
    """
    least, most = awake * (1 - within), awake * (1 + within)
    wanted = min(max(week.awake, least), most)
    if wanted == week.awake:
        return week
    off = week.off
    while wanted > A_DAY * (DAYS - len(off)):
        off = off[:-1]
    minutes = (wanted / (DAYS - len(off))) / timedelta(minutes=1)
    length = min(A_DAY, timedelta(minutes=int(minutes) if wanted < week.awake else -int(-minutes // 1)))
    end = (datetime.combine(date.min, week.start) + length).time()
    return replace(week, end=end, off=off)


def zone_of(name: str) -> tzinfo:
    """Return a time zone by its name, or its distance from UTC such as `UTC+5:30`; UTC where this system knows none."""
    try:
        if found := _OFFSET.match(name):
            length = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
            return timezone(-length if found[1] == "-" else length)
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        return UTC
