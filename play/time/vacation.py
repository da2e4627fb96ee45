"""Vacation: days off with a yearly budget, in which a person's clocks stand still where the challenge allows it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar, Final

from play.checks import check_fresh
from play.errors import BadRequest, Refused, Stale, WrongPhase
from play.facts import Later, VacationEnded, VacationUsed
from play.match import Match, Phase
from play.people import clean
from play.request import Action, Replayer, Request
from play.settings import Settings, Vacation
from play.time.clock import NO_TIME, WHOLE, Away, Now, Times, cut_short, deadline, excused
from play.time.clock import read as read_length
from rules.core import Seat

BUDGET: Final = timedelta(days=30)
"""A person's vacation in one year, by the calendar of UTC. All of one counts for the year in which it begins."""

SHORTEST: Final = timedelta(hours=1)
"""The least that can be asked for."""

A_DAY: Final = timedelta(days=1)
"""What is taken automatically before a loss on time; less if less is left."""


def length_of(text: str) -> timedelta:
    """The length of a vacation as it is typed, such as `10d`.

    Raises:
        BadRequest: it says none, or one shorter than an hour.
    """
    length = read_length(text)
    if length is None or length < SHORTEST:
        raise BadRequest(Refused.BAD_VACATION, text=clean(text, 40))
    return length


def budget_left(vacation: Vacation | None, at: datetime) -> timedelta:
    """What a person can still take this year."""
    if vacation is None or vacation.year != at.year:
        return BUDGET
    return max(NO_TIME, BUDGET - vacation.spent)


def on_vacation(vacation: Vacation | None, at: datetime) -> bool:
    """Whether a person is on vacation."""
    return bool(vacation and vacation.since and vacation.until and vacation.since <= at < vacation.until)


def taken(vacation: Vacation | None, length: timedelta, at: datetime) -> Vacation:
    """The vacation from now on for so long; what is left of one under way is given back first.

    Raises:
        BadRequest: that is more than is left this year.
    """
    if vacation is not None and on_vacation(vacation, at):
        vacation = ended(vacation, at)
    rest = budget_left(vacation, at)
    if length > rest:
        raise BadRequest(Refused.VACATION_SPENT, left=rest)
    since = at
    if vacation and vacation.since and vacation.until == at:
        since = vacation.since  # one vacation, now longer or shorter
    return Vacation(at.year, BUDGET - rest + length, since, at + length)


def ended(vacation: Vacation | None, at: datetime) -> Vacation:
    """The vacation that is over now; the rest of it is given back.

    Raises:
        WrongPhase: there is none under way.
    """
    if vacation is None or vacation.until is None or not on_vacation(vacation, at):
        raise WrongPhase(Refused.NOT_ON_VACATION)
    back = vacation.until - at
    return replace(vacation, spent=max(NO_TIME, vacation.spent - back), until=at)


def begins(match: Match, seat: Seat, vacation: Vacation, now: Now) -> VacationUsed | None:
    """What a person's vacation does to one of their matches; None where it does nothing."""
    times = match.times
    if not counts(match) or times is None or vacation.since is None or vacation.until is None:
        return None
    # One that was made shorter by asking anew ends when it is said to end.
    times = cut_short(times, seat, vacation.until)
    times = excused(times, Away(seat, vacation.since, vacation.until))
    if times == match.times:
        return None
    return _used(replace(match, times=times), seat, vacation.until, now)


def standing(match: Match, vacation: Vacation | None) -> Match:
    """The match where the turn under way began while its player was on vacation: their time does not run.

    Args:
        match: One with a clock that vacation stops.
        vacation: Of the player on turn.
    """
    times = match.times
    if times is None or times.since is None or vacation is None:
        return match
    if not on_vacation(vacation, times.since) or vacation.since is None or vacation.until is None:
        return match
    if any(one.seat == times.seat and one.since <= times.since < one.until for one in times.away):
        return match
    return replace(match, times=excused(times, Away(times.seat, vacation.since, vacation.until)))


def ends(match: Match, seat: Seat, at: datetime) -> VacationEnded | None:
    """What the end of a person's vacation does to one of their matches; None where it does nothing."""
    times = match.times
    if not counts(match) or times is None:
        return None
    if not any(one.seat == seat and one.until > at for one in times.away):
        return None
    return VacationEnded(replace(match, times=cut_short(times, seat, at)), seat)


def saved(match: Match, settings: Settings, now: Now) -> tuple[VacationUsed | Later, Vacation] | None:
    """What keeps the seat on turn from losing on time: a vacation that was not counted here yet, or a day of it.

    The person's vacation as it is then comes with it. None: nothing does. After the first day, only the
    last one is announced.
    """
    times = match.times
    falls = deadline(times, now) if times else None
    if times is None or falls is None or not counts(match):
        return None
    seat, vacation = times.seat, settings.vacation
    if vacation and (used := begins(match, seat, vacation, now)) and used.deadline and used.deadline > now.at:
        if not vacation.automatic:
            return used, vacation
        return _day_used(match, Away(seat, vacation.since or now.at, used.until), vacation, now), vacation
    day = _one_more(vacation, now.at)
    if day is None or day.until is None:
        return None
    return _day_used(match, Away(seat, falls, day.until), day, now), day


@dataclass(frozen=True, slots=True)
class TakeDayOff(Action[VacationUsed | Later]):
    """Keep the seat on turn from losing on time by a day of vacation; see `saved`.

    Attributes:
        settings: Of the player on turn.

    Raises:
        Stale: the match is not as it was seen, or no day is left.
    """

    settings: Settings

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[VacationUsed | Later, None]:
        """See `Action.decide`."""
        check_fresh(match, request, match.revision)
        found = saved(match, self.settings, request.now)
        if found is None:
            raise Stale(match)
        return found[0], None


def counts_in(match: Match, at: datetime) -> bool:
    """Whether days off stop a match's clock, or would once it begins."""
    return match.live and not match.expired(at) and match.clock is not None and match.clock.vacation


def counts(match: Match) -> bool:
    """Whether days off stop a match's clock."""
    return match.phase is Phase.PLAYING and match.clock is not None and match.clock.vacation


def _used(match: Match, seat: Seat, until: datetime, now: Now) -> VacationUsed:
    running = match.times if match.times and match.times.seat == seat else None
    return VacationUsed(match, seat, until, False, deadline(running, now) if running else None)


def _day_used(match: Match, away: Away, vacation: Vacation, now: Now) -> VacationUsed | Later:
    """The match with a day that was taken by itself; its reminders begin anew."""
    assert match.times is not None, "timed"  # noqa: S101 - only such a match has a flag
    goes_on = any(
        one.automatic and one.seat == away.seat and one.until >= away.since for one in match.times.away
    )
    times: Times = excused(match.times, replace(away, automatic=True))
    match = replace(match, times=replace(times, share=WHOLE, look=None))
    last = _last(vacation)
    if goes_on and last != vacation.until:
        return Later(match)
    falls = deadline(times, now)
    more = last - away.until
    return VacationUsed(match, away.seat, away.until, True, falls, falls + more if falls and more else None)


def _one_more(vacation: Vacation | None, at: datetime) -> Vacation | None:
    """The vacation with a day that is taken by itself, or less if less is left; None: nothing is."""
    rest = budget_left(vacation, at)
    length = min(A_DAY, rest)
    if length <= NO_TIME:
        return None
    return Vacation(at.year, BUDGET - rest + length, at, at + length, automatic=True)


def _last(vacation: Vacation) -> datetime:
    """When a vacation is over if one day after another is taken by itself, for as long as there are any."""
    until = vacation.until
    assert until is not None, "taken"  # noqa: S101 - only of a day that was
    while (more := _one_more(vacation, until)) and more.until:
        vacation, until = more, more.until
    return until
