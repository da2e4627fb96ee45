"""What the table does about time: timers, claims, pauses, vacations, plans, seats taken over, and what waits for whom."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from play import (
    agreeing,
    flagging,
    invitations,
    pausing,
    planning,
    reminding,
    silence,
    substituting,
    vacation,
)
from play import games as listing
from play.chance import derived
from play.clock import Now, saved_by_day
from play.errors import BadLog, BadRequest, NoSuchMatch, Refused, Stale, WrongPhase
from play.facts import (
    Asked,
    Fact,
    Flagged,
    Later,
    Paused,
    Planned,
    Replaced,
    Resumed,
    VacationEnded,
    VacationUsed,
)
from play.match import Match, Phase
from play.people import Account, Player, Who
from play.ports import Operation
from play.replay import Course
from play.requests import ATTEMPTS, Requests
from play.settings import Settings, Vacation
from play.timers import EXPIRE, FLAG, REMIND, SILENCE, timers
from rules.core import Seat


class Hours(Requests):
    """The requests that have to do with time, and with who is there."""

    async def fire(self, match_id: str, name: str, *, at: datetime) -> Fact | None:
        """Look at a match because one of its timers has come; None: nothing was to be done.

        Firing a timer again, or late, or one that was set anew, does no harm. `at` must not be before the timer's own
        time. Its operation is the timer of that revision, so that two workers who fire it do it once.
        """
        try:
            match = await self.get(match_id)
        except NoSuchMatch:
            return None
        for _ in range(ATTEMPTS):
            person = _asked_about(match, name)
            settings = await self._store.settings.get(person) if person else Settings()
            fact, course, days = self._fired(match, name, settings, at)
            if fact is None:
                return None
            if person and days and days != settings.vacation:
                # First, so that the day is not lost if this breaks off: the next one to fire finds it taken.
                kept = await self._store.settings.change(person, _instead(settings.vacation, days))
                if kept.vacation != days:
                    continue
            operation = Operation(f"timer:{match.id}:{match.revision}:{name}", name)
            try:
                committed = await self._commit(fact, match.revision, operation)
            except Stale as overtaken:
                match = overtaken.match
                continue
            if course is not None and committed.match.log == course.log:
                self._replay.keep(committed.match, course)
            return committed
        raise Stale(match)

    async def claim(
        self,
        match_id: str,
        who: Who,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> Flagged:
        """On a soft clock, end the match or the seat of whoever's time is up."""
        return await self._play(
            match_id,
            seen,
            at,
            operation,
            lambda match, course: flagging.claim(match, course, who, now=self.now(at), seen=seen),
        )

    async def ask_pause(
        self,
        match_id: str,
        who: Who,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> Asked | Paused:
        """Ask the others to stop the clock, or agree to it."""
        return await self._play(
            match_id,
            seen,
            at,
            operation,
            lambda match, course: agreeing.ask_pause(match, course, who, now=self.now(at), seen=seen),
        )

    async def resume(
        self,
        match_id: str,
        who: Who,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> Resumed:
        """Let the clock run again; one who plays is enough."""
        return await self._change(
            match_id,
            seen,
            at,
            operation,
            lambda match: pausing.resume(match, self.course(match), who, at=at, seen=seen),
        )

    async def plan(
        self,
        match_id: str,
        who: Who,
        text: str,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> Planned:
        """Plan one's answers ("if ... then ..."), instead of what was planned before; no text: nothing."""
        return await self._change(
            match_id,
            seen,
            at,
            operation,
            lambda match: planning.plan(match, self.course(match), who, text, seen),
        )

    async def substitute(
        self,
        match_id: str,
        who: Player,
        seat: Seat | None = None,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> Replaced:
        """Take over a seat that was left, or lost on time (None: the first one), while the others play on."""
        return await self._play(
            match_id,
            seen,
            at,
            operation,
            lambda match, course: substituting.substitute(
                match, course, who, seat, now=self.now(at), seen=seen
            ),
        )

    async def take_vacation(
        self, who: Account, length: timedelta | str, *, at: datetime, operation: Operation | None = None
    ) -> tuple[Vacation, tuple[VacationUsed, ...]]:
        """Be on vacation from now on: in all one's matches whose clock allows it, which the facts say.

        Asked again during a vacation, it lasts so long from now on; nothing is taken from the budget twice.

        Raises:
            BadRequest: it is no length of a vacation, or more than is left.
            WrongPhase: there is no match, and no invitation, whose clock it would stop: then no day is used up for nothing.
        """
        wanted = vacation.length_of(length) if isinstance(length, str) else length
        matches = await self._store.matches.of(who)
        of_use = any(vacation.counts_in(match, at) and self._in(match, who) for match in matches)

        def taken(now: Vacation | None) -> Vacation:
            if not (of_use or vacation.on_vacation(now, at)):
                raise WrongPhase(Refused.VACATION_NOWHERE)
            return vacation.taken(now, wanted, at)

        days = await self._vacation(who, taken)
        told = []
        for match in matches:
            fact = await self._excuse(match, who, days, None, operation)
            if isinstance(fact, VacationUsed):
                told.append(fact)
        return days, tuple(told)

    async def end_vacation(
        self, who: Account, *, at: datetime, operation: Operation | None = None
    ) -> tuple[Vacation, tuple[VacationEnded, ...]]:
        """Be back before the end of one's vacation; the rest is given back, and the clocks run.

        Raises:
            WrongPhase: there is none; or it is what keeps one from losing on time, and would be taken again at once.
        """
        matches = await self._store.matches.of(who)
        for match in matches:
            times = match.times
            if times and saved_by_day(times) and self._in(match, who) and times.seat in match.seats_of(who):
                raise WrongPhase(Refused.VACATION_SAVES, code=f"#{match.id}")
        days = await self._vacation(who, lambda now: vacation.ended(now, at))
        told = []
        for match in matches:
            fact = await self._excuse(match, who, days, at, operation)
            if isinstance(fact, VacationEnded):
                told.append(fact)
        return days, tuple(told)

    async def run_on(self, who: Account) -> tuple[Match, ...]:
        """A person's matches whose clock runs on whatever vacation they take."""
        return tuple(
            match
            for match in await self._store.matches.of(who)
            if match.phase is Phase.PLAYING
            and match.clock is not None
            and not match.clock.vacation
            and self._in(match, who)
        )

    def _in(self, match: Match, who: Account) -> bool:
        """Whether somebody plays in a match, or is to once it begins."""
        if match.phase is Phase.OPEN:
            return True
        with suppress(BadLog, BadRequest):  # what cannot be replayed is nobody's turn
            return any(seat in self.course(match).live for seat in match.seats_of(who))
        return False

    async def waiting(self, who: Account, *, at: datetime) -> tuple[listing.Entry, ...]:
        """A person's live matches over all places: first those that wait for them, the most urgent first."""
        live = [
            match for match in await self._store.matches.of(who) if match.live and match.game in self.games
        ]
        return listing.games(who, [(match, self.course(match)) for match in live], self.now(at))

    def _fired(
        self, match: Match, name: str, settings: Settings, at: datetime
    ) -> tuple[Fact | None, Course | None, Vacation | None]:
        """What a timer brings about; with the course where the log concerns it, and the vacation where a day is taken."""
        set_for = next((one.at for one in timers(match, self.now(at)) if one.name == name), None)
        if set_for is None:
            return None, None, None
        if set_for > at:
            # Set when an outage was not known yet, or set anew since: of these, only the first is put right here.
            early = any(one.name == name and one.at <= at for one in timers(match, Now(at)))
            return (Later(match) if early else None), None, None
        if name != FLAG:
            return self._looked(match, name, settings, at), None, None
        if saved := vacation.saved(match, settings, self.now(at)):
            fact, days = saved
            return fact, None, days
        return *flagging.flag(match, self.course(match), self.now(at)), None

    def _looked(self, match: Match, name: str, settings: Settings, at: datetime) -> Fact:
        """What a timer brings about that concerns no ply and no day off."""
        if name == EXPIRE:
            return invitations.expire(match, at)
        if name == REMIND:
            return reminding.remind(match, settings, self.now(at))
        return silence.notice(match, at) if name == SILENCE else silence.close(match, self.now(at))

    async def _excuse(
        self,
        match: Match,
        who: Account,
        days: Vacation,
        back: datetime | None,
        operation: Operation | None,
    ) -> Fact | None:
        """Tell one match of a person's vacation, or (`back` is set) of its end; None where that is nothing to it."""
        if operation:
            operation = replace(operation, id=f"vacation:{match.id}:{derived(operation.id, 0)}")
        for _ in range(ATTEMPTS):
            seat = next(match.seats_of(who), None)
            if seat is None or match.phase is not Phase.PLAYING or seat not in self.course(match).live:
                return None
            fact = (
                vacation.ends(match, seat, back)
                if back
                else vacation.begins(match, seat, days, self.as_of(match))
            )
            if fact is None:
                return None
            try:
                return await self._commit(fact, match.revision, operation)
            except Stale as overtaken:
                match = overtaken.match
        raise Stale(match)

    async def _vacation(self, who: Account, change: Callable[[Vacation | None], Vacation]) -> Vacation:
        """Somebody's vacation, once it is changed."""
        days: list[Vacation] = []

        def changed(now: Settings) -> Settings:
            days.append(change(now.vacation))
            return replace(now, vacation=days[-1])

        await self._store.settings.change(who, changed)
        return days[-1]


def _instead(before: Vacation | None, days: Vacation) -> Callable[[Settings], Settings]:
    """Puts a vacation in the place of another, if it is still that one."""
    return lambda now: replace(now, vacation=days) if now.vacation == before else now


def _asked_about(match: Match, name: str) -> Account | None:
    """Whose choices a timer depends on: the reminders or the days off of the player on turn; None: nobody's."""
    clock, times = match.clock, match.times
    if clock is None or times is None or times.since is None:
        return None
    if name == REMIND or (name == FLAG and clock.vacation):
        player = match.chairs[times.seat].player
        return player.account if player else None
    return None
