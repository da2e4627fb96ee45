"""Vacation: days off with a yearly budget, in which a person's clocks stand still where the challenge allows it.

A person has one vacation under way and one planned at most. A planned one is in their settings, and in each match under
way as a time that does not count; a turn that begins finds it in the settings, too (`calendar`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar, Final

from play.errors import BadLog, BadRequest, Refused, Stale, WrongPhase
from play.facts import Fact, Later, VacationEnded, VacationUsed
from play.match import Match, Phase
from play.people import Account, clean
from play.ports import derived
from play.request import Action, Replayer, Request, check_fresh
from play.settings import PlannedVacation, Settings, Vacation, as_of, on_vacation
from play.table import ATTEMPTS, Table
from play.time.clock import NO_TIME, WHOLE, Away, Now, Times, cut_short, deadline, excused, saved_by_day
from play.time.clock import read as read_length
from play.time.week import A_DAY, zone_of
from rules.core import Seat

BUDGET: Final = timedelta(days=30)
"""A person's vacation in one year. All of one counts for the year in which it begins: one that is planned, where the
person lives; else by the calendar of UTC."""

FARTHEST: Final = timedelta(days=366)  # how long ahead a vacation can be planned

AGAIN: Final = timedelta(minutes=1)
"""For so long after a vacation has ended, a request to end it may be the same one, delivered once more."""

SHORTEST: Final = timedelta(hours=1)  # the least that can be asked for


def length_of(text: str) -> timedelta:
    """The length of a vacation as it is typed, such as `10d`."""
    length = read_length(text)
    if length is None or length < SHORTEST:
        raise BadRequest(Refused.BAD_VACATION, text=clean(text, 40))
    return length


def budget_left(vacation: Vacation | None, at: datetime) -> timedelta:
    """What a person can still take this year, without what is planned."""
    vacation = as_of(vacation, at)
    return _left_in(vacation, _year(vacation, at))


def _left_in(vacation: Vacation | None, year: int) -> timedelta:
    plan = vacation.plan if vacation else None
    planned = plan.until - plan.since if plan and plan.year == year else NO_TIME
    return max(NO_TIME, BUDGET - _spent(vacation, year) - planned)


def _spent(vacation: Vacation | None, year: int) -> timedelta:
    return vacation.spent if vacation and vacation.year == year else NO_TIME


def _year(vacation: Vacation | None, at: datetime) -> int:
    return max(at.year, vacation.year) if vacation else at.year


def taken(vacation: Vacation | None, length: timedelta, at: datetime) -> Vacation:
    """The vacation from now on for so long; what is left of one under way is given back first."""
    vacation = as_of(vacation, at)
    if on_vacation(vacation, at):
        vacation = ended(vacation, at)
    year, plan = _year(vacation, at), vacation.plan if vacation else None
    _check_left(length, vacation, year)
    if plan and at + length > plan.since:
        raise BadRequest(Refused.VACATION_OVERLAPS, left=plan.since - at)
    since = at
    if vacation and vacation.since and vacation.until == at and vacation.year == year:
        since = vacation.since  # one vacation, now longer or shorter; in a new year another one begins
    return Vacation(year, _spent(vacation, year) + length, since, at + length, plan=plan)


def planned(
    vacation: Vacation | None, since: datetime, until: datetime, at: datetime, zone: str = "UTC"
) -> Vacation:
    """The vacation with one that is planned from a later moment on, in the place of another plan.

    One that touches the vacation under way makes that longer.
    """
    if until <= since:
        raise BadRequest(Refused.VACATION_BACKWARDS)
    if since > at + FARTHEST:
        raise BadRequest(Refused.VACATION_FAR)
    now = replace(as_of(vacation, at) or Vacation(at.year), plan=None)
    present = on_vacation(now, at)
    if present and since <= present[1]:
        more = max(NO_TIME, until - present[1])
        _check_left(more, now, now.year)
        return replace(now, spent=now.spent + more, until=present[1] + more, automatic=False)
    year = since.astimezone(zone_of(zone)).year
    _check_left(until - since, now, year)
    return replace(now, plan=PlannedVacation(since, until, year, zone))


def _check_left(length: timedelta, vacation: Vacation | None, year: int) -> None:
    rest = _left_in(vacation, year)
    if length > rest:
        raise BadRequest(Refused.VACATION_SPENT, left=rest, year=str(year))


def ended(vacation: Vacation | None, at: datetime) -> Vacation:
    """The vacation that is over now; the rest of it is given back."""
    vacation = as_of(vacation, at)
    if vacation is None or vacation.until is None or not on_vacation(vacation, at):
        raise WrongPhase(Refused.NOT_ON_VACATION)
    back = vacation.until - at
    return replace(vacation, spent=max(NO_TIME, vacation.spent - back), until=at)


def withdrawn(vacation: Vacation | None, at: datetime) -> Vacation:
    """The vacation without the one that was planned."""
    vacation = as_of(vacation, at)
    if vacation is None or vacation.plan is None:
        raise WrongPhase(Refused.NOT_ON_VACATION)
    return replace(vacation, plan=None)


def begins(
    match: Match, seat: Seat, vacation: Vacation, now: Now, *, saves: bool = False
) -> VacationUsed | None:
    """What a person's vacation, and their plan, do to one of their matches; None where they do nothing.

    Days that are over, or were taken by themselves, are counted where that `saves` the seat.
    """
    times = _counted(match, seat, vacation, now.at, saves=saves)
    if times is None or match.times is None:
        return None
    falls = deadline(times, now) if times.seat == seat else None
    plan = next(
        (one for one in set(times.away) - set(match.times.away) if one.zone and one.since > now.at), None
    )
    until = plan.until if plan else vacation.until or now.at
    return VacationUsed(replace(match, times=times), seat, until, False, falls, planned=plan)


def ends(match: Match, seat: Seat, vacation: Vacation, at: datetime) -> VacationEnded | None:
    """What the end of a person's vacation, or of their plan, does to one of their matches; None where it does nothing."""
    times = _counted(match, seat, vacation, at)
    if times is None or match.times is None:
        return None
    gone = [one for one in set(match.times.away) - set(times.away) if one.zone and one.since > at]
    return VacationEnded(replace(match, times=times), seat, next(iter(gone), None))


def _counted(
    match: Match, seat: Seat, vacation: Vacation, at: datetime, *, saves: bool = False
) -> Times | None:
    """The times of a match that count a person's vacation and plan as they are now; None where they do already."""
    times = match.times
    if not match.vacation_counts or times is None:
        return None
    since, until, plan = vacation.since, vacation.until, vacation.plan
    # One that was made shorter by asking anew ends when it is said to end.
    away = cut_short(times, seat, max(until or at, at))
    if since and until and (saves or (until > at and not vacation.automatic)):
        away = excused(away, Away(seat, since, until))
    if plan:
        away = excused(away, Away(seat, plan.since, plan.until, zone=plan.zone))
    return None if set(away.away) == set(times.away) else away


def saved(match: Match, settings: Settings, now: Now) -> tuple[VacationUsed | Later, Vacation] | None:
    """What keeps the seat on turn from losing on time: a vacation that was not counted here yet, or a day of it.

    The person's vacation as it is then comes with it. None: nothing does. After the first day, only the
    last one is announced.
    """
    times = match.times
    falls = deadline(times, now) if times else None
    if times is None or falls is None or not match.vacation_counts:
        return None
    seat, vacation = times.seat, as_of(settings.vacation, now.at)
    used = begins(match, seat, vacation, now, saves=True) if vacation else None
    if vacation and used and used.deadline and used.deadline > now.at:
        if not vacation.automatic:
            return used, vacation
        return _day_used(match, Away(seat, vacation.since or now.at, used.until), vacation, now), vacation
    day = _one_more(vacation, now.at)
    if day is None or day.until is None:
        return None
    return _day_used(match, Away(seat, falls, day.until), day, now), day


@dataclass(frozen=True, slots=True)
class TakeDayOff(Action[VacationUsed | Later]):
    """Keep the seat on turn from losing on time by a day of vacation; see `saved`."""

    settings: Settings

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[VacationUsed | Later, None]:
        check_fresh(match, request, match.revision)
        found = saved(match, self.settings, request.now)
        if found is None:
            raise Stale(match)
        return found[0], None


def _day_used(match: Match, away: Away, vacation: Vacation, now: Now) -> VacationUsed | Later:
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
    vacation = as_of(vacation, at)
    year, plan = _year(vacation, at), vacation.plan if vacation else None
    length = min(A_DAY, _left_in(vacation, year), plan.since - at if plan else A_DAY)
    if length <= NO_TIME:
        return None
    return Vacation(year, _spent(vacation, year) + length, at, at + length, automatic=True, plan=plan)


def _last(vacation: Vacation) -> datetime:
    # When a vacation is over if one day after another is taken by itself, for as long as there are any.
    until = vacation.until
    assert until is not None, "taken"  # noqa: S101 - only of a day that was
    while True:
        if (following := as_of(vacation, until)) and following.until:  # a planned one follows at once
            vacation, until = following, following.until
        if not (more := _one_more(vacation, until)) or more.until is None:
            return until
        vacation, until = more, more.until


async def take_vacation(
    table: Table, request: Request, length: timedelta | str
) -> tuple[Vacation, tuple[VacationUsed, ...]]:
    """Be on vacation from now on: in all one's matches whose clock allows it, which the facts say.

    Asked again during a vacation, it lasts so long from now on; nothing is taken from the budget twice.
    """
    wanted = length_of(length) if isinstance(length, str) else length
    who, at = request.account, request.at
    matches = await table.store.matches.of(who)
    of_use = any(
        match.live
        and not match.expired(at)
        and match.clock
        and match.clock.vacation
        and _plays(table, match, who)
        for match in matches
    )

    def change(now: Vacation | None) -> Vacation:
        if not (of_use or on_vacation(now, at)):
            raise WrongPhase(Refused.VACATION_NOWHERE)
        return taken(now, wanted, at)

    days = await _changed(table, who, change)
    facts = [await _excuse(table, match, request, days) for match in matches]
    return days, tuple(fact for fact in facts if isinstance(fact, VacationUsed))


async def plan_vacation(
    table: Table, request: Request, since: datetime, until: datetime, zone: str = "UTC"
) -> tuple[Vacation, tuple[VacationUsed, ...]]:
    """Plan to be on vacation later, in all one's matches whose clock allows it then, which the facts say.

    It takes the place of what was planned. Asked again, it does what was left undone.
    """
    who = request.account
    days = await _changed(table, who, lambda now: planned(now, since, until, request.at, zone))
    facts = [await _excuse(table, match, request, days) for match in await table.store.matches.of(who)]
    return days, tuple(fact for fact in facts if isinstance(fact, VacationUsed))


async def end_vacation(
    table: Table, request: Request, *, planned: bool = False
) -> tuple[Vacation, tuple[VacationEnded, ...]]:
    """Be back before the end of one's vacation; the rest is given back, and the clocks run.

    If none is under way, or the `planned` one is meant: withdraw that.
    """
    who, at = request.account, request.at
    matches = await table.store.matches.of(who)
    before = as_of((await table.store.settings.get(who)).vacation, at)
    present = bool(on_vacation(before, at)) and not planned
    for match in matches if present else ():
        times = match.times
        if times and saved_by_day(times) and _plays(table, match, who) and times.seat in match.seats_of(who):
            raise WrongPhase(Refused.VACATION_SAVES, code=f"#{match.id}")
    refused: WrongPhase | None = None
    try:
        if not present and not planned and before and before.until and at - before.until < AGAIN:
            raise WrongPhase(Refused.NOT_ON_VACATION)  # noqa: TRY301 - the same as where nothing is planned
        days = await _changed(table, who, lambda now: (ended if present else withdrawn)(now, at))
    except WrongPhase as over:  # what broke off before the matches knew of it is done now
        days, refused = before or Vacation(at.year), over
    facts = [await _excuse(table, match, request, days, back=at) for match in matches]
    done = tuple(fact for fact in facts if isinstance(fact, VacationEnded))
    if refused and not done:
        raise refused
    return days, done


async def run_on(table: Table, who: Account) -> tuple[Match, ...]:
    """Return a person's matches whose clock no vacation stops."""
    return tuple(
        match
        for match in await table.store.matches.of(who)
        if match.phase is Phase.PLAYING
        and match.clock is not None
        and not match.clock.vacation
        and _plays(table, match, who)
    )


def _plays(table: Table, match: Match, who: Account) -> bool:
    if match.phase is Phase.OPEN:
        return True
    with suppress(BadLog, BadRequest):  # what cannot be replayed is not played any more
        return any(seat in table.course(match).live for seat in match.seats_of(who))
    return False


async def _excuse(
    table: Table, match: Match, request: Request, days: Vacation, *, back: datetime | None = None
) -> Fact | None:
    if operation := request.operation:
        operation = replace(operation, id=f"vacation:{match.id}:{derived(operation.id, 0)}")
        request = replace(request, operation=operation)
    for _ in range(ATTEMPTS):
        seat = match.seat_of(request.account)
        if seat is None or match.phase is not Phase.PLAYING or seat not in table.course(match).live:
            return None
        now = table.now(request.at)
        fact = ends(match, seat, days, back) if back else begins(match, seat, days, now)
        if fact is None:
            return None
        try:
            return await table.commit(fact, request, match)
        except Stale as overtaken:
            match = overtaken.match
    raise Stale(match)


async def _changed(table: Table, who: Account, change: Callable[[Vacation | None], Vacation]) -> Vacation:
    days: list[Vacation] = []

    def changed(now: Settings) -> Settings:
        days.append(change(now.vacation))
        return replace(now, vacation=days[-1])

    await table.store.settings.change(who, changed)
    return days[-1]
