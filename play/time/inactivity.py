"""Matches that are not played any more, where no clock brings their end: reminders, what the others may do, and closing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar, Final

from play.actions.action import Action, Replayer
from play.actions.turn_transitions import over
from play.checks import check_fresh
from play.engine_players import is_engine
from play.facts import Closed, Later, Reminded, SilenceNoticed
from play.match import Closing, Match, Phase, Result, Silence
from play.replay import Course
from play.request import Request
from play.settings import Settings
from play.time.clock import Now, merged, reached
from play.time.reminders import put_off
from play.time.vacation import on_vacation
from rules.core import Phrase, Seat

REMINDERS: Final = (timedelta(days=3), timedelta(days=7), timedelta(days=13))
"""After so long without a clock the player on turn is reminded."""

BY_MOST: Final = timedelta(days=7)
"""After so long without a clock a majority of the others may end the match, or remove the player on turn."""

BY_ONE: Final = timedelta(days=14)
"""After so long any of the others may end it."""

QUIET_FOR: Final = timedelta(days=60)
"""After so long without anything done, the players are told."""

NOTICE: Final = timedelta(days=7)
"""So long after that the match is closed."""


@dataclass(frozen=True, slots=True)
class RemindUntimed(Action[Reminded | Later]):
    """Remind the player on turn where there is no clock, or set the timer anew; as `Remind` in all else.

    Attributes:
        settings: Of the player on turn.

    Raises:
        Stale: the match is not as it was seen.
    """

    settings: Settings

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Reminded | Later, None]:
        """See `Action.decide`."""
        check_fresh(match, request, match.revision)
        seat, now, vacation = replay(match).position.to_move, request.now, self.settings.vacation
        account, silence = match.player(seat).account, silence_of(match)
        due = sum(silent_at(match, length, now) <= now.at for length in REMINDERS)
        seen = replace(match, silence=Silence(silence.since, due))
        if is_engine(account) or not self.settings.reminders:
            return Later(seen), None
        away = vacation and on_vacation(vacation, now.at) and vacation.until
        if wait := put_off(self.settings, now.at, away or now.at):
            return Later(replace(match, silence=replace(silence, look=wait))), None
        return (Reminded(seen, account, seat, None) if due > silence.seen else Later(seen)), None


@dataclass(frozen=True, slots=True)
class NoticeInactivity(Action[SilenceNoticed]):
    """Announce that nothing has been done for long.

    Raises:
        Stale: the match is not as it was seen.
    """

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[SilenceNoticed, None]:
        """See `Action.decide`."""
        check_fresh(match, request, match.revision)
        return SilenceNoticed(replace(match, noticed=request.at), closed_at(request.at)), None


@dataclass(frozen=True, slots=True)
class CloseInactive(Action[Closed]):
    """End a match that is not played any more, without a winner.

    Raises:
        Stale: the match is not as it was seen.
    """

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[Closed, None]:
        """See `Action.decide`."""
        check_fresh(match, request, match.revision)
        return Closed(over(match, Result((), Closing.SILENCE.value), request.now)), None


def told_at(match: Match) -> datetime:
    """Return when a match has been inactive for long enough to say so."""
    last = match.touched or (match.log[-1].at if match.log else match.opened)
    return last + QUIET_FOR


def closed_at(noticed: datetime) -> datetime:
    """Return when a match is closed after the notice."""
    return noticed + NOTICE


def untimed(match: Match) -> bool:
    """Whether a match is being played without a clock and for no event, so that its players may end it."""
    return match.phase is Phase.PLAYING and match.clock is None and match.event is None


def silence_of(match: Match) -> Silence:
    """Return the silence of the player on turn."""
    return match.silence or Silence(match.touched or match.opened)


def silent_at(match: Match, length: timedelta, now: Now) -> datetime:
    """Return when the player on turn has done nothing for so long, outages left out."""
    outages = merged(sorted((one.start, one.end) for one in now.outages))
    return reached(silence_of(match).since, length, outages)


def people_in(match: Match, course: Course) -> tuple[Seat, ...]:
    """Return the seats of people who are still in."""
    return tuple(seat for seat in course.live if not is_engine(match.player(seat).account))


def ending(match: Match, course: Course, now: Now, reader: Seat | None = None) -> Phrase:
    """Return who may end a match that waits for the player on turn, and when, as its reader is told."""
    others = set(people_in(match, course)) - {course.position.to_move}
    most, one = silent_at(match, BY_MOST, now), silent_at(match, BY_ONE, now)
    if len(others) > 1:
        return Phrase("match.ending.others", {"most": most, "one": one})
    return Phrase("match.ending.you" if others <= {reader} else "match.ending.other", {"most": most})


def next_look(match: Match, now: Now) -> datetime | None:
    """Return when a reminder is to be seen to next without a clock; None: not any more in this turn."""
    silence = silence_of(match)
    if not untimed(match) or silence.seen >= len(REMINDERS):
        return None
    return silence.look or silent_at(match, REMINDERS[silence.seen], now)


def acted(before: Match, after: Match, replay: Replayer, request: Request) -> Match:
    """Return a match after an action of a player: what the others do does not break the silence of the one on turn."""
    silence = None
    if untimed(after):
        silence = silence_of(before)
        played = before.phase is not Phase.PLAYING or before.log != after.log
        if played or after.player(replay(before).position.to_move).account == request.account:
            silence = Silence(request.at)
    return replace(after, touched=request.at, noticed=None, silence=silence)
