"""Who plays: the roster in words, and the strip of a picture."""

from __future__ import annotations

from collections.abc import Sequence

from bot.presenter.presentation import Presentation
from bot.view import RosterLine
from play.match import Phase
from play.time.clock import left, saved_by_day, until_flag
from render.picture import Strip, StripLine
from rules.core import Seat


def roster(presentation: Presentation) -> tuple[RosterLine, ...]:
    """A line for each seat: the name, the side, the team, points, whether out."""
    position, words = presentation.course.position, presentation.words
    lines = []
    for index in range(len(presentation.match.chairs)):
        seat = Seat(index)
        notes = []
        if position.scores:
            own = (
                f"{presentation.game.key}.points"  # what the game calls points, where it has a word for them
            )
            notes.append(words.count(own if words.has(own) else "bot.roster.points", position.scores[seat]))
        if seat in position.out:
            notes.append(words("bot.roster.out"))
        lines.append(roster_line(presentation, seat, notes))
    return tuple(lines)


def roster_line(presentation: Presentation, seat: Seat, notes: Sequence[str]) -> RosterLine:
    """A seat's name, and beside it its side, its team and some notes."""
    words, names = presentation.words, presentation.names
    beside = [side] if (side := names.side(seat)) else []
    if team := names.team(seat):
        beside.append(words("bot.roster.team", number=team))
    beside += notes
    name = names.seat(seat)
    return RosterLine(seat, words("bot.roster.line", name=name, notes=", ".join(beside)) if beside else name)


def strip(presentation: Presentation, actions: int | None = None) -> Strip:
    """A line for each seat of a match that has begun: who is on turn, what is left, who won.

    `actions` are left in the turn, where some are picked but not played yet.
    """
    match, position, words = presentation.match, presentation.course.position, presentation.words
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
        clock = _clock(presentation, seat) if playing and seat not in position.out else ""
        lines.append(_strip_line(presentation, seat, turn=turn, note=note, clock=clock))
    return Strip(tuple(lines))


def names_only(presentation: Presentation) -> Strip:
    """A line for each seat with its name and team alone, which stay the same through an animation."""
    return Strip(tuple(_strip_line(presentation, Seat(i)) for i in range(len(presentation.match.chairs))))


def _strip_line(
    presentation: Presentation, seat: Seat, *, turn: bool = False, note: str = "", clock: str = ""
) -> StripLine:
    words, names = presentation.words, presentation.names
    if not note and (team := names.team(seat)):
        note = words("bot.roster.team", number=team)
    return StripLine(names.seat(seat), seat, turn, note, clock, words("core.seat", number=seat.number))


def _clock(presentation: Presentation, seat: Seat) -> str:
    times, now = presentation.match.times, presentation.now
    if times is None:
        return ""
    saved = seat == times.seat and saved_by_day(times)
    rest = until_flag(times, now) if saved else left(times, seat, now)
    return presentation.words.time_left(rest, short=True)
