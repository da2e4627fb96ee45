"""Clocks: the rule a match is timed by, what each seat has left under it, and the counting. All of it is exact.

Lengths of time as people write them: `3d 12h`, `3д 12г`, `3д 12ч`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from heapq import merge
from typing import Final, NamedTuple

from play.time.week import A_DAY, Span, Week, resting_until, rests
from rules.core import Seat

_UNITS: Final = {
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
}
_WORDS: Final = {
    timedelta(days=7): "w week weeks т тиж тиждень тижні тижнів н нед неделя недели недель неделю",
    _UNITS["d"]: "d day days д дн день дні днів дня дней доба доби діб сутки суток",
    _UNITS["h"]: "h hr hrs hour hours г год година години годин годину ч час часа часов",
    _UNITS[
        "m"
    ]: "m min mins minute minutes хв хвилина хвилини хвилин хвилину м мин минута минуты минут минуту",
}
_LENGTHS: Final = {word: length for length, words in _WORDS.items() for word in words.split()}
_PART: Final = re.compile(r" *([0-9]{1,5}) ?([a-zа-яіїєґ]+)\.?")
_MAX_TEXT: Final = 60


def read(text: str) -> timedelta | None:
    """The length that a text says, or None if it says none.

    Whole numbers with their units, the longer unit first and each at most once; minutes are the shortest.
    """
    text = text.strip().lower()
    if not text or len(text) > _MAX_TEXT:
        return None
    total = timedelta()
    last: timedelta | None = None
    place = 0
    while place < len(text):
        found = _PART.match(text, place)
        unit = _LENGTHS.get(found[2]) if found else None
        if found is None or unit is None or (last is not None and unit >= last):
            return None
        total += int(found[1]) * unit
        last = unit
        place = found.end()
    return total


def is_unit(word: str) -> bool:
    """Whether a word alone is a unit, such as `days` or `год`."""
    return word.lower() in _LENGTHS


def spell(length: timedelta) -> str:
    """A length in whole minutes, in the shortest text that `read` understands; `0m` for none."""
    parts = []
    for letter, unit in _UNITS.items():
        count, length = divmod(length, unit)
        if count:
            parts.append(f"{count}{letter}")
    return "".join(parts) or "0m"


NO_TIME: Final = timedelta()

WHOLE: Final = 100  # per cent: the whole of a turn's time


class Pause(StrEnum):
    """In which hours of the week of the player on turn a clock stands still."""

    NONE = ""
    AWAKE = "awake"  # in those in which they are not awake, and on the days off that they chose
    NIGHT = "night"  # in those in which they are not awake
    WEEKEND = "weekend"  # on their days off, else on Saturday and Sunday
    BOTH = "night,weekend"


@dataclass(frozen=True, slots=True)
class Clock:
    """The rule that a match is timed by.

    Attributes:
        initial: Per move: what each turn has. With a bank: what each seat begins with.
        increment: What a seat's bank gets for each turn it completes; None: no bank, the time is per move.
        cap: What a bank never exceeds; None without a bank.
        soft: Whether a seat whose time is up goes on until an opponent claims the win.
        pause: In which hours of the week of the player on turn it stands still.
    """

    initial: timedelta
    increment: timedelta | None = None
    cap: timedelta | None = None
    soft: bool = False
    vacation: bool = False
    pause: Pause = Pause.NONE

    def __str__(self) -> str:
        """The canonical text: `3d awake`, `10d+1d12h`, `10d+1d12h/20d soft vacation pause:weekend`."""
        text = spell(self.initial)
        if self.increment is not None:
            text += f"+{spell(self.increment)}"
            if self.cap is not None and self.cap != self.initial:
                text += f"/{spell(self.cap)}"
        paused = {Pause.NONE: "", Pause.AWAKE: " awake"}.get(self.pause, f" pause:{self.pause.value}")
        return text + " soft" * self.soft + " vacation" * self.vacation + paused


DEFAULT_CLOCK: Final = Clock(timedelta(hours=240), timedelta(hours=36), timedelta(hours=240))
"""The clock where a text only says that there should be one."""


class Outage(NamedTuple):
    """A time in which the bot was down, a `Span`; it does not count against any seat."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Now:
    """The present as clocks count it."""

    at: datetime
    outages: Sequence[Outage] = ()


@dataclass(frozen=True, slots=True)
class Away:
    """A time in which a seat is on vacation; it does not count against it.

    Attributes:
        automatic: Whether it was taken by itself in this turn, day by day, to save the seat from losing on time.
        zone: The time zone in which its days were named; None: it was not planned ahead.
    """

    seat: Seat
    since: datetime
    until: datetime
    automatic: bool = False
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class Times:
    """What each seat has left.

    Attributes:
        left: By seat: for the seat on turn, what it had at `since`; for the others, what they have.
        seat: Whose time runs, or would if it were not stopped.
        since: From when on it runs; None while it is stopped.
        credited: How many entries of the log have been paid for. A turn that is taken back and played again earns
            nothing the second time.
        up: Whether it was announced that the time of the seat on turn is up (only a soft clock goes on then).
        share: The lowest percentage of this turn's time at which a reminder was seen to; 0: no more of them.
        look: When a reminder is to be seen to next; None: when the first of a turn can be due.
        away: Who is on vacation, or was during this turn.
        week: When the seat on turn is awake, as it was when its turn began; None: its clock never rests.
        awake: How long the players are awake in a week, which each one's week is fitted to; None: each has their own.
        given: How much time opponents have given since the turn began.
    """

    left: tuple[timedelta, ...]
    seat: Seat
    since: datetime | None
    credited: int = 0
    up: bool = False
    share: int = WHOLE
    look: datetime | None = None
    away: tuple[Away, ...] = ()
    week: Week | None = None
    awake: timedelta | None = None
    given: timedelta = NO_TIME

    def having(self, seat: Seat, left: timedelta) -> Times:
        return replace(self, left=(*self.left[:seat], left, *self.left[seat + 1 :]))


def spent(times: Times, now: Now) -> timedelta:
    """What the seat on turn has used since its time began to run, outages and its own vacation left out."""
    if times.since is None:
        return NO_TIME
    return counted(times.since, now.at, uncounted(times, now))


def left(times: Times, seat: Seat, now: Now) -> timedelta:
    """What a seat has left; below zero where its time is up and it goes on all the same."""
    running = spent(times, now) if seat == times.seat else NO_TIME
    return times.left[seat] - running


def deadline(times: Times, now: Now) -> datetime | None:
    """When the time of the seat on turn is up; None while it is stopped."""
    return moment(times, NO_TIME, now)


def away_until(times: Times, at: datetime) -> datetime | None:
    """Until when the seat on turn is on vacation at a moment; None: it is not, or its time is stopped anyway."""
    if times.since is None:
        return None
    own = (one.until for one in times.away if one.seat == times.seat and one.since <= at < one.until)
    return max(own, default=None)


def rests_until(times: Times, at: datetime) -> datetime | None:
    """Until when the week of the seat on turn rests at a moment; None: it is awake, or its time is stopped anyway."""
    return resting_until(times.week, at) if times.week and times.since is not None else None


def waking(times: Times) -> bool:
    """Whether the time of the seat on turn is told in waking hours, of which its days have fewer than 24."""
    return times.week is not None and times.week.day < A_DAY


def saved_by_day(times: Times) -> bool:
    """Whether the time of the seat on turn has run out, and days of vacation keep it going."""
    return times.since is not None and any(one.automatic and one.seat == times.seat for one in times.away)


def until_flag(times: Times, now: Now) -> timedelta:
    """How long it is until the time of the seat on turn is up, its vacation included; for a time that runs."""
    return (deadline(times, now) or now.at) - now.at


def moment(times: Times, remaining: timedelta, now: Now) -> datetime | None:
    """When the seat on turn has exactly so much left; None while its time is stopped."""
    if times.since is None:
        return None
    return reached(times.since, times.left[times.seat] - remaining, uncounted(times, now))


def stopped(times: Times, now: Now) -> Times:
    """The times once the seat on turn has been charged what it used, and nothing runs."""
    kept = max(NO_TIME, left(times, times.seat, now))
    return replace(times.having(times.seat, kept), since=None)


def resumed(times: Times, at: datetime) -> Times:
    """Stopped times that run again. The shares of a reminder are those of what is left now."""
    return replace(times, since=at, look=None)


def completed(clock: Clock, times: Times, to: Seat, entries: int, now: Now) -> Times:
    """The times once the seat on turn has completed a turn: a bank gets its increment, and the next one's time runs."""
    earned = entries > times.credited
    paid = stopped(times, now)
    if earned and clock.increment is not None:
        cap, bank = clock.initial if clock.cap is None else clock.cap, paid.left[times.seat]
        paid = paid.having(times.seat, max(bank, min(bank + clock.increment, cap)))
    return begun(clock, replace(paid, credited=max(entries, times.credited)), to, times.since and now.at)


def begun(clock: Clock, times: Times, seat: Seat, since: datetime | None) -> Times:
    """Stopped times once a new turn has begun; per move, it has its full time."""
    if clock.increment is None:
        times = times.having(seat, clock.initial)
    return turned(times, seat, since)


def turned(times: Times, seat: Seat, since: datetime | None) -> Times:
    """Stopped times once another seat is on turn, with what it has left; `since` None: still stopped."""
    away = times.away
    if away and since is not None:
        away = tuple(replace(one, automatic=False) for one in away if one.until > since)
    return replace(
        times, seat=seat, since=since, up=False, share=WHOLE, look=None, away=away, week=None, given=NO_TIME
    )


def renewed(clock: Clock, times: Times, seat: Seat) -> Times:
    """Return the times when a new player sits down in a seat: it has what a seat begins with."""
    away = tuple(one for one in times.away if one.seat != seat)
    week = None if seat == times.seat else times.week
    return replace(times.having(seat, clock.initial), away=away, week=week)


def extended(times: Times, seat: Seat, length: timedelta, now: Now) -> Times:
    """Return the times once a seat has been given more; where its time is up, so much is left from now on.

    Of reminders only those are to come that are of less than it has now.
    """
    over = max(NO_TIME, -left(times, seat, now))
    after = times.having(seat, times.left[seat] + over + length)
    after = replace(after, given=times.given + length)
    if seat != times.seat:
        return after
    share = max(1, WHOLE * left(after, seat, now) // after.left[seat])
    return replace(after, up=False, share=share, look=None)


def excused(times: Times, away: Away) -> Times:
    """The times with one more vacation in them; one that touches another of the same seat makes it longer.

    A day that is taken by itself before a planned vacation stays apart from it: there are reminders on that day alone.
    """
    rest = []
    for one in times.away:
        touches = one.seat == away.seat and one.since <= away.until and away.since <= one.until
        if touches and not (away.automatic and one.since == away.until):
            away = replace(away, since=min(one.since, away.since), until=max(one.until, away.until))
        else:
            rest.append(one)
    return replace(times, away=(*rest, away))


def cut_short(times: Times, seat: Seat, at: datetime) -> Times:
    """The times when a seat's vacation is over before it was meant to be."""
    away = (
        replace(one, until=min(one.until, at)) if one.seat == seat else one
        for one in times.away
        if one.seat != seat or one.since < at
    )
    return replace(times, away=tuple(away))


def uncounted(times: Times, now: Now) -> Iterator[Span]:
    """What does not count against the seat on turn since its time runs: sorted, apart, and without an end where its week rests."""
    away = [(one.since, one.until) for one in times.away if one.seat == times.seat]
    resting = rests(times.week, times.since) if times.week and times.since else ()
    return merged(merge(sorted((*now.outages, *away)), resting))


def counted(since: datetime, at: datetime, spans: Iterable[Span]) -> timedelta:
    """How long it is from one moment to another, without some spans that are sorted and apart; never below zero."""
    whole = max(NO_TIME, at - since)
    for start, end in spans:
        if start >= at:
            break
        whole -= max(NO_TIME, min(end, at) - max(start, since))
    return whole


def reached(since: datetime, needed: timedelta, spans: Iterable[Span]) -> datetime:
    """When so much time has passed since a moment, without some spans that are sorted and apart.

    Where a span begins at that very moment, it is when the span is over.
    """
    for start, end in spans:
        if end <= since:
            continue
        if max(NO_TIME, start - since) > needed:
            break
        needed -= max(NO_TIME, start - since)
        since = end
    return since + needed


def merged(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield what spans cover that are sorted, as spans that are apart; they may be without an end."""
    last: Span | None = None
    for start, end in spans:
        if last is not None and start <= last[1]:
            last = last[0], max(last[1], end)
        elif end > start:
            if last is not None:
                yield last
            last = start, end
    if last is not None:
        yield last
