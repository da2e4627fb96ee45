"""Firing timers: looking at a match because one of its timers has come.

Going on vacation and coming back: for all matches of a person at once.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar

from play.actions.leaving import Flag
from play.actions.seating import Expire
from play.checks import check_fresh
from play.errors import BadLog, BadRequest, NoSuchMatch, Refused, Stale, WrongPhase
from play.facts import Fact, Later, Postponed, VacationEnded, VacationUsed
from play.match import Match, Phase
from play.people import Account
from play.ports import Operation, derived
from play.request import CLOCKWORK, Action, Replayer, Request
from play.settings import Settings, Vacation
from play.table import ATTEMPTS, Table
from play.time import vacation
from play.time.clock import Now, deadline, resumed, saved_by_day
from play.time.timers import (
    EXPIRE,
    FLAG,
    INACTIVE,
    REMIND,
    CloseInactive,
    NoticeInactivity,
    Remind,
    RemindUntimed,
    timers,
    untimed,
)
from play.time.vacation import TakeDayOff, saved


@dataclass(frozen=True, slots=True)
class SetAnew(Action[Later | Postponed]):
    """Set the timers of a match anew, because one of them came early.

    Raises:
        Stale: the match is not as it was seen.
    """

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[Later | Postponed, None]:
        """See `Action.decide`. Where an outage moved a deadline, boards are shown with the new one.

        A turn that began later than now, since the clock was set back, begins now.
        """
        check_fresh(match, request, match.revision)
        times = match.times
        if times and times.since and times.since > request.at:
            return Postponed(replace(match, times=resumed(times, request.at))), None
        if times and deadline(times, Now(request.at)) != deadline(times, request.now):
            return Postponed(match), None
        return Later(match), None


async def fire(table: Table, match_id: str, name: str, now: Now, *, hastened: bool = False) -> Fact | None:
    """Do what a match's timer was set for; None: nothing was to be done.

    Firing a timer again, or late, or one that was set anew, does no harm. `now` must not be before the timer's own time,
    unless it was `hastened`: then it is set anew. Its operation is the timer of that revision, so that two workers who fire it do it once.
    """
    try:
        match = await table.get(match_id)
    except NoSuchMatch:
        return None
    for _ in range(ATTEMPTS):
        person = _depends_on(table, match, name)
        settings = await table.store.settings.get(person) if person else Settings()
        action = _action(match, name, settings, now, hastened=hastened)
        if action is None:
            return None
        if (
            person
            and isinstance(action, TakeDayOff)
            and not await _day_kept(table, match, person, action, now)
        ):
            continue
        operation = Operation(f"timer:{match.id}:{match.revision}:{name}", name)
        request = Request(CLOCKWORK, now.at, match.revision, operation)
        try:
            return await table.act(match_id, action, request, known=match)
        except Stale as overtaken:
            match = overtaken.match
    raise Stale(match)


def _action(match: Match, name: str, settings: Settings, now: Now, *, hastened: bool) -> Action[Fact] | None:
    """Return what a timer brings about; None: it is not set any more, or not for now."""
    set_for = next((one.at for one in timers(match, now) if one.name == name), None)
    if set_for is None:
        return None
    if set_for > now.at:
        # Set when an outage was not known yet, or set anew since: of these, only the first is put right here.
        early = hastened or any(one.name == name and one.at <= now.at for one in timers(match, Now(now.at)))
        return SetAnew() if early else None
    if name == FLAG:
        return TakeDayOff(settings) if saved(match, settings, now) else Flag()
    if name == EXPIRE:
        return Expire()
    if name == REMIND:
        kind = RemindUntimed if untimed(match) else Remind
        return kind(replace(settings, reminders=()) if match.id in settings.muted else settings)
    return NoticeInactivity() if name == INACTIVE else CloseInactive()


async def _day_kept(table: Table, match: Match, person: Account, action: TakeDayOff, now: Now) -> bool:
    """Store the day that a player takes, and whether that was done: not if they changed their vacation meanwhile.

    It comes before the commit, so that the day is not lost if this breaks off: the next one to fire finds it taken.
    """
    found, before = saved(match, action.settings, now), action.settings.vacation
    if found is None or found[1] == before:
        return True
    kept = await table.store.settings.change(person, _instead(before, found[1]))
    return kept.vacation == found[1]


def _instead(before: Vacation | None, days: Vacation) -> Callable[[Settings], Settings]:
    """Put a vacation in the place of another, if it is still that one."""
    return lambda now: replace(now, vacation=days) if now.vacation == before else now


def _depends_on(table: Table, match: Match, name: str) -> Account | None:
    """Return the player on turn, where their reminders or days off decide what a timer does."""
    clock, times = match.clock, match.times
    if name == REMIND and untimed(match):
        return match.player(table.position(match).to_move).account
    if clock is None or times is None or times.since is None:
        return None
    if name == REMIND or (name == FLAG and clock.vacation):
        player = match.chairs[times.seat].player
        return player.account if player else None
    return None


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
