"""The timers of a match, its reminders and its silence. They follow from the match and the outages alone.

Matches that are not played any more, where no clock brings their end: reminders, what the others may do, and closing.

Reminders: when the player on turn is told how much time is left, and who is told to be next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar, Final

from play.actions.playing import over
from play.facts import Closed, HeadsUp, Later, Reminded, SilenceNoticed
from play.match import Closing, Match, Phase, Result, Silence, is_engine
from play.ports import Timer
from play.replay import Course
from play.request import Action, Replayer, Request, check_fresh
from play.settings import QuietHours, Settings, on_vacation
from play.time.clock import Now, Times, deadline, merged, moment, reached, saved_by_day, until_flag
from play.time.week import A_DAY, Week, resting_until
from rules.core import Phrase, Seat

LARGEST_SHARE: Final = 90  # the highest percentage of a turn's time left at which a player is reminded

ACTIVE: Final = timedelta(hours=1)  # a player who has done something within this time is not reminded


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
    """Remind the player on turn, or set the timer anew.

    A reminder that comes while its player is active, on vacation or in quiet hours waits for their end, and is left out
    if the time is up by then. Of several that are owed, only the last is given.
    """

    settings: Settings

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Reminded | Later, None]:
        check_fresh(match, request, match.revision)
        if untimed(match):
            return self._untimed(match, replay(match).position.to_move, request.now), None
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

    def _untimed(self, match: Match, seat: Seat, now: Now) -> Reminded | Later:
        account, silence = match.player(seat).account, silence_of(match)
        due = sum(silent_at(match, length, now) <= now.at for length in REMINDERS)
        seen = replace(match, silence=Silence(silence.since, due))
        if is_engine(account) or not self.settings.reminders:
            return Later(seen)
        away = on_vacation(self.settings.vacation, now.at)
        if wait := put_off(self.settings, now.at, away[1] if away else now.at):
            return Later(replace(match, silence=replace(silence, look=wait)))
        return Reminded(seen, account, seat, None) if due > silence.seen else Later(seen)


def postponed(times: Times, settings: Settings, at: datetime) -> datetime | None:
    """Return until when a reminder that is due has to wait; None: not at all.

    A vacation that was asked for is no time for it; days that were taken because the time ran out are.
    """
    wait = at
    for one in times.away:
        if not one.automatic and one.seat == times.seat and one.since <= at < one.until:
            wait = max(wait, one.until)
    return put_off(settings, at, wait, times.week)


def put_off(settings: Settings, at: datetime, wait: datetime, week: Week | None = None) -> datetime | None:
    """Return until when a reminder waits that no vacation delays beyond `wait`; None: not at all."""
    if settings.active and settings.active <= at:
        wait = max(wait, settings.active + ACTIVE)
    quiet = settings.quiet and quiet_week(settings.quiet)
    for each in (quiet, week, quiet):
        wait = (each and resting_until(each, wait)) or wait
    return wait if wait > at else None


def quiet_week(quiet: QuietHours) -> Week:
    """Return the week that rests in quiet hours."""
    return Week(quiet.end, quiet.start, zone=quiet.zone)


def quiet_until(quiet: QuietHours, at: datetime) -> datetime | None:
    """Return when the quiet hours end that a moment falls into; None if it is outside of them."""
    return resting_until(quiet_week(quiet), at)


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
    # Whether a reminder is owed, when the one after it is due, and the share of the one that is owed.
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


REMINDERS: Final = (timedelta(days=3), timedelta(days=7), timedelta(days=13))
"""After so long without a clock the player on turn is reminded."""

BY_MOST: Final = timedelta(days=7)
"""After so long without a clock a majority of the others may end the match, or remove the player on turn."""

BY_ONE: Final = timedelta(days=14)  # after so long any of the others may end it
QUIET_FOR: Final = timedelta(days=60)  # after so long without anything done, the players are told
NOTICE: Final = timedelta(days=7)  # so long after that the match is closed


@dataclass(frozen=True, slots=True)
class EndInactivity(Action[SilenceNoticed | Closed]):
    """Announce that nothing has been done for long; after that, end the match without a winner."""

    by_player: ClassVar[bool] = False

    def decide(
        self, match: Match, _replay: Replayer, request: Request
    ) -> tuple[SilenceNoticed | Closed, None]:
        check_fresh(match, request, match.revision)
        if match.noticed is None:
            return SilenceNoticed(replace(match, noticed=request.at), request.at + NOTICE), None
        return Closed(over(match, Result((), Closing.SILENCE.value), request.now)), None


def untimed(match: Match) -> bool:
    """Whether a match is being played without a clock and for no event, so that its players may end it."""
    return match.phase is Phase.PLAYING and match.clock is None and match.event is None


def silence_of(match: Match) -> Silence:
    """Return the silence of the player on turn."""
    return match.silence or Silence(match.touched or match.opened)


def silent_at(match: Match, length: timedelta, now: Now) -> datetime:
    """Return when the player on turn has done nothing for so long, outages left out."""
    return reached(silence_of(match).since, length, merged(sorted(now.outages)))


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


def acted(before: Match, after: Match, replay: Replayer, request: Request) -> Match:
    """Return a match after an action of a player: what the others do does not break the silence of the one on turn."""
    silence = None
    if untimed(after):
        silence = silence_of(before)
        played = before.phase is not Phase.PLAYING or before.log != after.log
        if played or after.player(replay(before).position.to_move).account == request.account:
            silence = Silence(request.at)
    return replace(after, touched=request.at, noticed=None, silence=silence)


EXPIRE: Final = "expire"  # an invitation has run out
FLAG: Final = "flag"  # the time of the seat on turn is up
REMIND: Final = "remind"  # the player on turn may want to be reminded
INACTIVE: Final = "silence"  # nothing has been done for long: the players are told
CLOSE: Final = "close"  # nothing has been done after that: the match is closed


def timers(match: Match, now: Now) -> tuple[Timer, ...]:
    """Return all the timers of a match as it is.

    An outage that is not known here makes a timer come too early, never too late: firing it sets it anew.
    """
    if match.phase is Phase.OPEN:
        return (Timer(EXPIRE, match.expires),)
    if match.phase is Phase.PLAYING:
        return tuple(_playing(match, now))
    return ()


def _playing(match: Match, now: Now) -> Iterator[Timer]:
    times = match.times
    if times is not None and not times.up and (falls := deadline(times, now)):
        yield Timer(FLAG, falls)
        if times.share > 0 and (look := times.look or share_at(times, LARGEST_SHARE, now)):
            yield Timer(REMIND, look)
    elif match.noticed is None:
        last = match.touched or (match.log[-1].at if match.log else match.opened)
        yield Timer(INACTIVE, last + QUIET_FOR)
        silence = silence_of(match)
        if untimed(match) and silence.seen < len(REMINDERS):
            yield Timer(REMIND, silence.look or silent_at(match, REMINDERS[silence.seen], now))
    else:
        yield Timer(CLOSE, match.noticed + NOTICE)
