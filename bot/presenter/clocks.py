"""Clocks, what is left on them, and what a person has chosen about time and boards, in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from bot.i18n import Dated, Words
from bot.presenter.presentation import Presentation
from bot.presenter.variations import played, variation_text
from bot.view import View
from play.match import Branch, Match, Plan
from play.settings import Settings
from play.time.clock import NO_TIME, Clock, Now, Times, away_until, left, until_flag
from play.time.reminders import zone_of
from play.time.vacation import budget_left, on_vacation
from rules.core import Position

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
        _, after = played(game, here, (*branch.when, *branch.then))
        rest = _cases(presentation, after, branch.after)
        found += [f"{case} {line}" for line in rest] if rest else [case]
    return found


def vacation_lines(
    settings: Settings, at: datetime, words: Words, *, over: bool = False, runs_on: Sequence[Match] = ()
) -> Sequence[str]:
    """Whether a person is on vacation, or has just ended one, and how much of it is left this year.

    A vacation does not stop the clock of the matches in `runs_on`.
    """
    lines = [words("bot.vacation.over")] if over else []
    vacation = settings.vacation
    if vacation and vacation.until and on_vacation(vacation, at):
        lines.append(words("bot.vacation.until", until=moment(vacation.until, words, settings.own_zone)))
        if runs_on:
            codes = words.list([f"#{match.id}" for match in runs_on])
            lines.append(words.count("bot.vacation.runs-on", len(runs_on), codes=codes))
    rest = budget_left(vacation, at)
    if rest > timedelta():
        lines.append(words("bot.vacation.left", left=words.time_left(rest)))
    else:
        lines.append(words("bot.vacation.none-left"))
    return lines
