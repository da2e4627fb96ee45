"""Clocks, what is left on them, and what a person has chosen about time and boards, in words.

Who plays: the roster in words, and the strip of a picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from bot.chat.i18n import Dated, Words
from bot.chat.presenting.naming import Presentation, line_played, variation_text
from bot.chat.view import RosterLine, View
from play.match import Branch, Phase, Plan
from play.time.clock import NO_TIME, Clock, Now, Times, away_until, left, saved_by_day, until_flag
from play.time.timers import zone_of
from render.picture import Strip, StripLine
from rules.core import Position, Seat

_LEFT: Final = ("left", "away", "away-saved", "time-up")
"""What there is to say of a running clock."""

KEYS: Final = {"bot.turn.{}": (_LEFT,), "bot.games.{}": (_LEFT,)}
"""The keys that this module puts together, by their template: the members of each hole."""


def clock_text(clock: Clock, words: Words) -> str:
    """The rule that a match is timed by."""
    if clock.increment is None:
        parts = [words("bot.clock.per-move", time=words.length(clock.initial))]
    else:
        parts = [
            words(
                "bot.clock.bank",
                initial=words.length(clock.initial),
                increment=words.length(clock.increment),
                cap=words.length(clock.cap or clock.initial),
            )
        ]
    if clock.soft:
        parts.append(words("bot.clock.soft"))
    if clock.vacation:
        parts.append(words("bot.clock.vacation"))
    return "; ".join(parts)


def with_time(turn: str, presentation: Presentation) -> str:
    """Whose turn it is, with the time they have."""
    match, words = presentation.match, presentation.words
    if match.paused:
        return words("bot.turn.paused", turn=turn)
    if match.times is None or match.times.since is None:
        return turn
    key, fields = _what_is_left(match.times, words, presentation.now)
    return words(f"bot.turn.{key}", turn=turn, **fields)


def time_text(presentation: Presentation) -> str | None:
    """The time that the player on turn has, as a sentence; None where no clock runs."""
    times, words = presentation.match.times, presentation.words
    if times is None or times.since is None:
        return None
    key, fields = _what_is_left(times, words, presentation.now)
    return words(f"bot.games.{key}", **fields)


def _what_is_left(times: Times, words: Words, now: Now) -> tuple[str, dict[str, str]]:
    """What to say of a running clock, as the end of a catalogue key, and with which values."""
    rest, until = left(times, times.seat, now), away_until(times, now.at)
    if until is not None and not times.up:
        if rest > NO_TIME:
            return "away", {"until": moment(until, words), "left": words.time_left(rest)}
        saved = words.time_left(until_flag(times, now))
        return "away-saved", {"until": moment(until, words), "left": saved}
    if times.up or rest <= NO_TIME:
        return "time-up", {}
    return "left", {"left": words.time_left(rest)}


def moment(when: datetime, words: Words, zone: str | None = None) -> str:
    """A moment, in UTC, which is said with it: a chat has people of many zones; to one person, in their own."""
    if zone is None:
        return words.show(when)
    text = words("bot.moment.in", when=words.minute(when, zone_of(zone)), zone=zone)
    return Dated(text, [(text, when)])


def plan_card(presentation: Presentation, plan: Plan | None) -> View:
    """What a player has planned in a match, a line for each case that nothing follows; for their eyes alone."""
    title, words = presentation.names.title, presentation.words
    if plan is None:
        return View(lines=(title, words("bot.plan.none")))
    cases = _cases(presentation, presentation.course.positions[plan.base], plan.branches)
    return View(lines=(title, words("bot.plan.kept"), *(words("bot.plan.line", line=line) for line in cases)))


def _cases(presentation: Presentation, here: Position[Any], branches: Sequence[Branch]) -> list[str]:
    game, words = presentation.game, presentation.words
    found = []
    for branch in branches:
        when = variation_text(game, here, branch.when)
        case = words("bot.plan.case", when=when, then=" ".join(branch.then))
        _, after = line_played(game, here, (*branch.when, *branch.then))
        rest = _cases(presentation, after, branch.after)
        found += [f"{case} {line}" for line in rest] if rest else [case]
    return found


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
