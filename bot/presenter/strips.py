"""The strip of a picture: who plays, who is on turn, what is left, who won."""

from __future__ import annotations

from bot.presenter.naming import Naming
from play.clock import Now, left, saved_by_day, until_flag
from play.match import Phase
from play.replay import Course
from render.picture import Strip, StripLine
from rules.core import Seat


def strip(
    names: Naming,
    course: Course,
    *,
    now: Now | None = None,
    actions: int | None = None,
) -> Strip:
    """A line for each seat of a match that has begun.

    Args:
        names: Of the match.
        course: Of the match.
        now: For the time that is left; None: as it was when something was last done.
        actions: How many are left in the turn, where some of them are picked but not played yet; None: as it stands.
    """
    match, position, words = names.match, course.position, names.words
    playing = match.phase is Phase.PLAYING
    winners = match.result.winners if match.result else ()
    actions = position.plies_left if actions is None else actions
    lines = []
    for index in range(len(match.chairs)):
        seat = Seat(index)
        turn = playing and seat == position.to_move
        note = ""
        if seat in winners:
            note = words("bot.strip.won")
        elif seat in position.out:
            note = words("bot.roster.out")
        elif turn and actions and position.counts_plies:
            note = words.count("bot.strip.actions", actions)
        clock = _clock(names, seat, now) if playing and seat not in position.out else ""
        lines.append(_line(names, seat, turn=turn, note=note, clock=clock))
    return Strip(tuple(lines))


def names_only(names: Naming) -> Strip:
    """A line for each seat with its name and its team alone, for an animation: nothing in it changes."""
    return Strip(tuple(_line(names, Seat(index)) for index in range(len(names.match.chairs))))


def _line(names: Naming, seat: Seat, *, turn: bool = False, note: str = "", clock: str = "") -> StripLine:
    stand_in = names.words("core.seat", number=seat.number)
    if not note and (team := names.team(seat)):
        note = names.words("bot.roster.team", number=team)
    return StripLine(names.seat(seat), seat, turn, note, clock, stand_in)


def _clock(names: Naming, seat: Seat, now: Now | None) -> str:
    match = names.match
    times = match.times
    if times is None:
        return ""
    now = now or Now(match.changed_at)
    saved = seat == times.seat and saved_by_day(times)
    rest = until_flag(times, now) if saved else left(times, seat, now)
    return names.words.time_left(rest, short=True)
