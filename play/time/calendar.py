"""What people's calendars do to the clock of a match: vacations and weeks of which the players' settings know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from play.match import Match, Phase, is_engine
from play.people import Account
from play.settings import Settings, Vacation, as_of
from play.time.clock import Away, Pause, Times, away_until, excused
from play.time.week import ALL_DAY, WEEKEND, Week, fitted
from rules.core import Seat


def week_of(settings: Settings) -> Week:
    """Return a person's week: the one that they chose, else the usual hours in their time zone."""
    return settings.week or Week(zone=settings.own_zone or "UTC")


def paused_week(pause: Pause, settings: Settings) -> Week:
    """Return the week of a player, as a clock of a kind counts it."""
    week = week_of(settings)
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
            weeks = [paused_week(clock.pause, settings) for settings in known.values()]
            times = replace(times, awake=min(week.awake for week in weeks))
        week = paused_week(clock.pause, known[account])
        times = replace(times, week=fitted(week, times.awake) if times.awake else week)
    return replace(match, times=times)
