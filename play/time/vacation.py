"""Vacation: days off with a yearly budget, in which a person's clocks stand still where the challenge allows it."""

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
from play.settings import Settings, Vacation, on_vacation
from play.table import ATTEMPTS, Table
from play.time.clock import NO_TIME, WHOLE, Away, Now, Times, cut_short, deadline, excused, saved_by_day
from play.time.clock import read as read_length
from play.time.week import A_DAY
from rules.core import Seat

BUDGET: Final = timedelta(days=30)
"""A person's vacation in one year, by the calendar of UTC. All of one counts for the year in which it begins."""

SHORTEST: Final = timedelta(hours=1)  # the least that can be asked for


def length_of(text: str) -> timedelta:
    """The length of a vacation as it is typed, such as `10d`."""
    length = read_length(text)
    if length is None or length < SHORTEST:
        raise BadRequest(Refused.BAD_VACATION, text=clean(text, 40))
    return length


def budget_left(vacation: Vacation | None, at: datetime) -> timedelta:
    """What a person can still take this year."""
    if vacation is None or vacation.year != at.year:
        return BUDGET
    return max(NO_TIME, BUDGET - vacation.spent)


def taken(vacation: Vacation | None, length: timedelta, at: datetime) -> Vacation:
    """The vacation from now on for so long; what is left of one under way is given back first."""
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
    """The vacation that is over now; the rest of it is given back."""
    if vacation is None or vacation.until is None or not on_vacation(vacation, at):
        raise WrongPhase(Refused.NOT_ON_VACATION)
    back = vacation.until - at
    return replace(vacation, spent=max(NO_TIME, vacation.spent - back), until=at)


def begins(match: Match, seat: Seat, vacation: Vacation, now: Now) -> VacationUsed | None:
    """What a person's vacation does to one of their matches; None where it does nothing."""
    times = match.times
    if not match.vacation_counts or times is None or vacation.since is None or vacation.until is None:
        return None
    # One that was made shorter by asking anew ends when it is said to end.
    times = cut_short(times, seat, vacation.until)
    times = excused(times, Away(seat, vacation.since, vacation.until))
    if times == match.times:
        return None
    until = deadline(times, now) if times.seat == seat else None
    return VacationUsed(replace(match, times=times), seat, vacation.until, False, until)


def ends(match: Match, seat: Seat, at: datetime) -> VacationEnded | None:
    """What the end of a person's vacation does to one of their matches; None where it does nothing."""
    times = match.times
    if not match.vacation_counts or times is None:
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
    if times is None or falls is None or not match.vacation_counts:
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
    rest = budget_left(vacation, at)
    length = min(A_DAY, rest)
    if length <= NO_TIME:
        return None
    return Vacation(at.year, BUDGET - rest + length, at, at + length, automatic=True)


def _last(vacation: Vacation) -> datetime:
    # When a vacation is over if one day after another is taken by itself, for as long as there are any.
    until = vacation.until
    assert until is not None, "taken"  # noqa: S101 - only of a day that was
    while (more := _one_more(vacation, until)) and more.until:
        vacation, until = more, more.until
    return until


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


async def end_vacation(table: Table, request: Request) -> tuple[Vacation, tuple[VacationEnded, ...]]:
    """Be back before the end of one's vacation; the rest is given back, and the clocks run."""
    who = request.account
    matches = await table.store.matches.of(who)
    for match in matches:
        times = match.times
        if times and saved_by_day(times) and _plays(table, match, who) and times.seat in match.seats_of(who):
            raise WrongPhase(Refused.VACATION_SAVES, code=f"#{match.id}")
    days = await _changed(table, who, lambda now: ended(now, request.at))
    facts = [await _excuse(table, match, request, days, back=request.at) for match in matches]
    return days, tuple(fact for fact in facts if isinstance(fact, VacationEnded))


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
        fact = ends(match, seat, back) if back else begins(match, seat, days, now)
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
