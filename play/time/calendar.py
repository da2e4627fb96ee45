"""What people's calendars do to the clock of a match: vacations and weeks of which the players' settings know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from play.match import Match, Phase, is_engine
from play.people import Account
from play.settings import Settings, Vacation, as_of
from play.time.clock import Away, Clock, Pause, Times, away_until, excused, reached
from play.time.week import ALL_DAY, WEEKEND, Week, fitted, rests
from rules.core import Seat

ONCE_IN: Final = timedelta(days=7)
"""For how long a week that was chosen stays as it is."""

SETTLING: Final = timedelta(hours=1)
"""For how long after that it may still be put right: hours and days off are chosen by a press each."""


def week_of(settings: Settings, at: datetime | None = None) -> Week:
    """Return a person's week: the one that they chose, else the usual hours in their time zone.

    At a moment in which it may be changed, it is in the zone that they have chosen meanwhile.
    """
    zone = settings.own_zone or "UTC"
    if settings.week is None:
        return Week(zone=zone)
    follows = at is not None and settings.own_zone and fixed_until(settings, at) is None
    return replace(settings.week, zone=zone) if follows else settings.week


def fixed_until(settings: Settings, at: datetime | None) -> datetime | None:
    """Return until when a person's week cannot be changed; None: it can, or no moment is given."""
    since = settings.week_since
    if at is None or since is None or not since + SETTLING <= at < since + ONCE_IN:
        return None
    return since + ONCE_IN


def _changed(settings: Settings, at: datetime | None, week: Week | None) -> Settings:
    since = settings.week_since
    settles = at is not None and since is not None and since <= at < since + SETTLING
    return replace(settings, week=week, week_since=since if settles else at)


def with_week(settings: Settings, week: Week, at: datetime | None) -> Settings:
    """Return settings with another week, which is to be checked by `fixed_until` unless it is the first one that is chosen."""
    return settings if week == week_of(settings, at) else _changed(settings, at, week)


def with_zone(settings: Settings, zone: str, at: datetime | None) -> Settings:
    """Return settings with another time zone; a week that cannot be changed yet follows it later."""
    before, week = settings.own_zone, settings.week
    there = week and replace(week, zone=zone)
    if zone == before or before is None:
        return replace(settings, zone=zone, week=week if before else there)
    if fixed_until(settings, at):
        return replace(settings, zone=zone, week=week_of(settings, at))
    return replace(_changed(settings, at, there), zone=zone)


def paused_week(pause: Pause, settings: Settings, at: datetime | None = None) -> Week:
    """Return the week of a player, as a clock of a kind counts it."""
    week = week_of(settings, at)
    match pause:
        case Pause.NONE:
            return ALL_DAY
        case Pause.AWAKE:
            return week
        case Pause.NIGHT:
            return replace(week, off=())
        case Pause.WEEKEND:
            return replace(ALL_DAY, off=week.off or WEEKEND, zone=week.zone)
        case Pause.BOTH:
            return replace(week, off=week.off or WEEKEND)


def _to_come(vacation: Vacation | None, seat: Seat, since: datetime) -> Iterator[Away]:
    """Yield the vacations that a turn is counted by which began at a moment: under way then or begun since, and planned."""
    vacation = as_of(vacation, since)
    if vacation is None:
        return
    begun = vacation.since and (not vacation.automatic or vacation.since <= since)
    if begun and vacation.since and vacation.until and vacation.until > since:
        yield Away(seat, vacation.since, vacation.until)
    if plan := vacation.plan:
        yield Away(seat, plan.since, plan.until, zone=plan.zone)


def asks(match: Match, times: Times) -> tuple[Account, ...]:
    """Return whose settings a turn that has just begun is counted by; none: it is counted by no calendar, or is already."""
    clock = match.clock
    if clock is None or match.phase is not Phase.PLAYING or times.since is None:
        return ()
    account = match.player(times.seat).account
    if is_engine(account):
        return ()
    if clock.pause and match.rated and times.awake is None:
        return tuple(one.account for one in match.players() if not is_engine(one.account))
    resting = clock.vacation and away_until(times, times.since) is None
    return (account,) if resting or (clock.pause and times.week is None) else ()


def calendared(match: Match, times: Times, known: Mapping[Account, Settings]) -> Match:
    """Return a match whose turn has just begun, counted by the settings of those whom `asks` names."""
    clock, account = match.clock, match.player(times.seat).account
    assert clock and times.since, "asked"  # noqa: S101, PT018 - `asks` names nobody else
    for days in _to_come(known[account].vacation, times.seat, times.since) if clock.vacation else ():
        if not away_until(times, days.since):
            times = excused(times, days)
    if clock.pause and times.week is None:
        if match.rated and times.awake is None:
            weeks = [paused_week(clock.pause, settings, times.since) for settings in known.values()]
            times = replace(times, awake=min(week.awake for week in weeks))
        week = paused_week(clock.pause, known[account], times.since)
        times = replace(times, week=fitted(week, times.awake) if times.awake else week)
    return replace(match, times=times)


def seat_weeks(match: Match, known: Mapping[Account, Settings]) -> tuple[Week | None, ...]:
    """Return the week that the clock of each chair will keep to if the match begins as it is; None: that of an engine.

    A chair that anyone may take counts as the host's.
    """
    pause = match.clock.pause if match.clock else Pause.NONE
    players = [chair.player or chair.reserved or match.host for chair in match.chairs]
    weeks = [
        None
        if is_engine(one.account)
        else paused_week(pause, known.get(one.account, Settings()), match.changed_at)
        for one in players
    ]
    if not (match.rated and pause):
        return tuple(weeks)
    least = min(week.awake for week in weeks if week)
    return tuple(week and fitted(week, least) for week in weeks)


def slowest(clock: Clock, weeks: Sequence[Week | None], moves: int, at: datetime) -> timedelta:
    """Return how long so many moves of each take at most from a moment on, as long as no one's time runs out."""
    until = at
    for move in range(moves):
        needed = clock.initial if clock.increment is None or move == 0 else clock.increment
        for week in weeks:
            until = reached(until, needed, rests(week, until)) if week else until
    return until - at
