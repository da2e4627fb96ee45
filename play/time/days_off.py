"""Going on vacation and coming back: for all matches of a person at once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from play.errors import BadLog, BadRequest, Refused, Stale, WrongPhase
from play.facts import Fact, VacationEnded, VacationUsed
from play.match import Match, Phase
from play.people import Account
from play.randomness import derived
from play.request import Request
from play.settings import Settings, Vacation
from play.table import ATTEMPTS, Table
from play.time import vacation
from play.time.clock import saved_by_day


async def take_vacation(
    table: Table, request: Request, length: timedelta | str
) -> tuple[Vacation, tuple[VacationUsed, ...]]:
    """Be on vacation from now on: in all one's matches whose clock allows it, which the facts say.

    Asked again during a vacation, it lasts so long from now on; nothing is taken from the budget twice.

    Raises:
        BadRequest: it is no length of a vacation, or more than is left.
        WrongPhase: there is no match, and no invitation, whose clock it would stop: no day is used up for nothing.
    """
    wanted = vacation.length_of(length) if isinstance(length, str) else length
    who, at = request.account, request.at
    matches = await table.store.matches.of(who)
    of_use = any(vacation.counts_in(match, at) and _plays(table, match, who) for match in matches)

    def taken(now: Vacation | None) -> Vacation:
        if not (of_use or vacation.on_vacation(now, at)):
            raise WrongPhase(Refused.VACATION_NOWHERE)
        return vacation.taken(now, wanted, at)

    days = await _changed(table, who, taken)
    facts = [await _excuse(table, match, request, days) for match in matches]
    return days, tuple(fact for fact in facts if isinstance(fact, VacationUsed))


async def end_vacation(table: Table, request: Request) -> tuple[Vacation, tuple[VacationEnded, ...]]:
    """Be back before the end of one's vacation; the rest is given back, and the clocks run.

    Raises:
        WrongPhase: there is none; or it is what keeps one from losing on time, and would be taken again at once.
    """
    who = request.account
    matches = await table.store.matches.of(who)
    for match in matches:
        times = match.times
        if times and saved_by_day(times) and _plays(table, match, who) and times.seat in match.seats_of(who):
            raise WrongPhase(Refused.VACATION_SAVES, code=f"#{match.id}")
    days = await _changed(table, who, lambda now: vacation.ended(now, request.at))
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
    """Whether a person plays in a match, or is to once it begins."""
    if match.phase is Phase.OPEN:
        return True
    with suppress(BadLog, BadRequest):  # what cannot be replayed is not played any more
        return any(seat in table.course(match).live for seat in match.seats_of(who))
    return False


async def _excuse(
    table: Table, match: Match, request: Request, days: Vacation, *, back: datetime | None = None
) -> Fact | None:
    """Tell one match of a person's vacation, or (`back` is set) of its end; None where that changes nothing in it."""
    if operation := request.operation:
        operation = replace(operation, id=f"vacation:{match.id}:{derived(operation.id, 0)}")
        request = replace(request, operation=operation)
    for _ in range(ATTEMPTS):
        seat = next(match.seats_of(request.account), None)
        if seat is None or match.phase is not Phase.PLAYING or seat not in table.course(match).live:
            return None
        now = table.now(request.at)
        fact = vacation.ends(match, seat, back) if back else vacation.begins(match, seat, days, now)
        if fact is None:
            return None
        try:
            return await table.commit(fact, request, match)
        except Stale as overtaken:
            match = overtaken.match
    raise Stale(match)


async def _changed(table: Table, who: Account, change: Callable[[Vacation | None], Vacation]) -> Vacation:
    """Change a person's vacation."""
    days: list[Vacation] = []

    def changed(now: Settings) -> Settings:
        days.append(change(now.vacation))
        return replace(now, vacation=days[-1])

    await table.store.settings.change(who, changed)
    return days[-1]
