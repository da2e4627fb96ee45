"""Reminders: when the player on turn is told how much time is left, and who is told to be next."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import ClassVar, Final
from zoneinfo import ZoneInfo

from play.actions.action import Action, Replayer
from play.checks import check_fresh
from play.facts import HeadsUp, Later, Reminded
from play.match import Match
from play.replay import Course
from play.request import Request
from play.settings import QuietHours, Settings
from play.time.clock import Now, Times, deadline, moment, saved_by_day, until_flag
from play.time.vacation import A_DAY

LARGEST_SHARE: Final = 90
"""The highest percentage of a turn's time left at which a player is reminded."""

ACTIVE: Final = timedelta(hours=1)
"""A player who has done something within this time is not reminded."""

_OFFSET: Final = re.compile(r"UTC([+-])([0-9]{1,2})(?::([0-9]{2}))?\Z", re.ASCII)


def next_look(times: Times, now: Now) -> datetime | None:
    """Return when a reminder is to be seen to next; None: not any more in this turn, or its time is stopped."""
    if times.share <= 0 or times.since is None:
        return None
    return times.look or share_at(times, LARGEST_SHARE, now)


def share_at(times: Times, share: int, now: Now) -> datetime | None:
    """When the seat on turn has just a percentage left of what it had at the start of its turn.

    Where its time has run out and it goes on by a day of vacation, of that day.
    """
    if saved_by_day(times):
        ends = deadline(times, now)
        return ends and ends - A_DAY * share / 100
    return moment(times, times.left[times.seat] * share // 100, now)


@dataclass(frozen=True, slots=True)
class Remind(Action[Reminded | Later]):
    """Remind the player on turn, whose clock runs, or set the timer anew.

    A reminder that comes while its player is active, on vacation or in quiet hours waits for their end, and is left out
    if the time is up by then. Of several that are owed, only the last is given.

    Attributes:
        settings: Of the player on turn.

    Raises:
        Stale: the match is not as it was seen.
    """

    settings: Settings

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[Reminded | Later, None]:
        """See `Action.decide`."""
        check_fresh(match, request, match.revision)
        times, now = match.times, request.now
        assert times is not None, "timed"  # noqa: S101 - only such a match has the timer
        due, following, share = _owed(times, self.settings, now)
        if not due:
            return _later(match, times, share=times.share if following else 0, look=following), None
        wait = postponed(times, self.settings, now.at)
        if wait is None:
            after = replace(match, times=replace(times, share=share if following else 0, look=following))
            account = match.player(times.seat).account
            return Reminded(after, account, times.seat, until_flag(times, now)), None
        ends = deadline(times, now)
        if ends is None or wait >= ends:
            return _later(match, times, share=0, look=None), None
        return _later(match, times, share=times.share, look=wait), None


def postponed(times: Times, settings: Settings, at: datetime) -> datetime | None:
    """Return until when a reminder that is due has to wait; None: not at all.

    A vacation that was asked for is no time for it; days that were taken because the time ran out are.
    """
    wait = at
    for one in times.away:
        if not one.automatic and one.seat == times.seat and one.since <= at < one.until:
            wait = max(wait, one.until)
    return put_off(settings, at, wait)


def put_off(settings: Settings, at: datetime, wait: datetime) -> datetime | None:
    """Return until when a reminder waits that no vacation delays beyond `wait`; None: not at all."""
    if settings.active and settings.active <= at:
        wait = max(wait, settings.active + ACTIVE)
    if settings.quiet and (ends := quiet_until(settings.quiet, wait)):
        wait = ends
    return wait if wait > at else None


def quiet_until(quiet: QuietHours, at: datetime) -> datetime | None:
    """Return when the quiet hours end that a moment falls into; None if it is outside of them."""
    zone = zone_of(quiet.zone)
    local = at.astimezone(zone)
    clock = local.time()
    if quiet.start <= quiet.end:
        inside = quiet.start <= clock < quiet.end
    else:
        inside = clock >= quiet.start or clock < quiet.end
    if not inside:
        return None
    day = local.date() + timedelta(days=clock >= quiet.end)
    ends = datetime.combine(day, quiet.end, tzinfo=zone).astimezone(UTC)
    return ends if ends > at else None  # an hour that summer time skips or repeats


def zone_of(name: str) -> tzinfo:
    """Return a time zone by its name, or its distance from UTC such as `UTC+5:30`; UTC where this system knows none."""
    try:
        if found := _OFFSET.match(name):
            length = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
            return timezone(-length if found[1] == "-" else length)
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        return UTC


def heads_up(match: Match, course: Course) -> HeadsUp | None:
    """Return the notice for the player who is next once the seat on turn has played; None: there is none.

    That is said in games of three or more only: of two, the one is always next. It follows from the turn, so it is
    not committed: who delivers the turn's fact makes it, for players whose settings ask for it.
    """
    live = course.live
    to_move = course.position.to_move
    if not match.live or len(live) < 3 or to_move not in live:
        return None
    seat = live[(live.index(to_move) + 1) % len(live)]
    return HeadsUp(match, match.player(seat).account, seat)


def _owed(times: Times, settings: Settings, now: Now) -> tuple[bool, datetime | None, int]:
    """Whether a reminder is owed, when the one after it is due, and the share of the one that is owed."""
    owed = times.share
    for share in sorted(
        {min(share, LARGEST_SHARE) for share in settings.reminders if share > 0}, reverse=True
    ):
        if share >= times.share:
            continue
        due = share_at(times, share, now)
        if due is None or due > now.at:
            return owed < times.share, due, owed
        owed = share
    return owed < times.share, None, owed


def _later(match: Match, times: Times, *, share: int, look: datetime | None) -> Later:
    return Later(replace(match, times=replace(times, share=share, look=look)))
