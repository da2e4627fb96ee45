"""Firing timers: looking at a match because one of its timers has come."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from play.actions.leaving import Flag
from play.actions.seating import Expire
from play.errors import NoSuchMatch, Stale
from play.facts import Fact, Later, Postponed
from play.match import Match
from play.people import Account
from play.ports import Operation
from play.request import CLOCKWORK, Action, Replayer, Request, check_fresh
from play.settings import Settings
from play.table import ATTEMPTS, Table
from play.time.clock import Now, deadline, resumed
from play.time.timers import (
    EXPIRE,
    FLAG,
    REMIND,
    EndInactivity,
    Remind,
    timers,
    untimed,
)
from play.time.vacation import TakeDayOff, saved


@dataclass(frozen=True, slots=True)
class SetAnew(Action[Later | Postponed]):
    """Set the timers of a match anew, because one of them came early."""

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
        return Remind(replace(settings, reminders=()) if match.id in settings.muted else settings)
    return EndInactivity()  # INACTIVE or CLOSE


async def _day_kept(table: Table, match: Match, person: Account, action: TakeDayOff, now: Now) -> bool:
    """Store the day that a player takes, and whether that was done: not if they changed their vacation meanwhile.

    It comes before the commit, so that the day is not lost if this breaks off: the next one to fire finds it taken.
    """
    found, before = saved(match, action.settings, now), action.settings.vacation
    if found is None or found[1] == before:
        return True
    days = found[1]
    kept = await table.store.settings.change(
        person, lambda now: replace(now, vacation=days) if now.vacation == before else now
    )
    return kept.vacation == days


def _depends_on(table: Table, match: Match, name: str) -> Account | None:
    times = match.times
    if name == REMIND and untimed(match):
        return match.player(table.position(match).to_move).account
    if times and times.since and (name == REMIND or (name == FLAG and match.vacation_counts)):
        return match.player(times.seat).account
    return None
