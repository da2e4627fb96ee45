"""Clocks, what is left on them, and what a person has chosen about time and boards, in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from bot.i18n import Words
from bot.view import View
from play.clock import NO_TIME, Clock, Now, Times, away_until, left, until_flag
from play.match import Branch, Match, Plan
from play.settings import QuietHours, Settings
from play.vacation import budget_left, on_vacation
from render.picture import Theme


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


def with_time(turn: str, match: Match, words: Words, now: Now | None) -> str:
    """Whose turn it is, with the time they have; as of when something was last done, where no moment is given."""
    if match.paused:
        return words("bot.turn.paused", turn=turn)
    times = match.times
    if times is None or times.since is None:
        return turn
    key, fields = _what_is_left(times, words, now or Now(match.changed_at))
    return words(f"bot.turn.{key}", turn=turn, **fields)


def time_text(match: Match, words: Words, now: Now) -> str | None:
    """How much time whoever is on turn has, as a sentence; None where none is counted."""
    times = match.times
    if times is None or times.since is None:
        return None
    key, fields = _what_is_left(times, words, now)
    return words(f"bot.games.{key}", **fields)


def _what_is_left(times: Times, words: Words, now: Now) -> tuple[str, dict[str, str]]:
    """What there is to say of a time that runs, and with which values."""
    rest, until = left(times, times.seat, now), away_until(times, now.at)
    if until is not None and not times.up:
        if rest > NO_TIME:
            return "away", {"until": moment(until, words), "left": words.time_left(rest)}
        return "away-saved", {
            "until": moment(until, words),
            "left": words.time_left(until_flag(times, now)),
        }
    if times.up or rest <= NO_TIME:
        return "time-up", {}
    return "left", {"left": words.time_left(rest)}


def moment(when: datetime, words: Words, zone: str | None = None) -> str:
    """A moment, in UTC, which is said with it: a chat has people of many zones; to one person, in their own."""
    if zone is None:
        return words("bot.moment", when=words.minute(when, UTC))
    return words("bot.moment.in", when=words.minute(when, ZoneInfo(zone)), zone=zone)


def plan_card(title: str, plan: Plan | None, words: Words) -> View:
    """What somebody has planned in a match; for their eyes alone."""
    if plan is None:
        return View(lines=(title, words("bot.plan.none")))
    return View(lines=(title, words("bot.plan.kept"), *plan_text(plan, words)))


def plan_text(plan: Plan, words: Words) -> tuple[str, ...]:
    """A plan, a line for each case that nothing follows."""
    return tuple(words("bot.plan.line", line=line) for line in _lines(plan.branches, words))


def _lines(branches: Sequence[Branch], words: Words) -> list[str]:
    found = []
    for branch in branches:
        case = words("bot.plan.case", when=" ".join(branch.when), then=" ".join(branch.then))
        rest = _lines(branch.after, words)
        found += [f"{case} {line}" for line in rest] if rest else [case]
    return found


def settings_card(settings: Settings, at: datetime, words: Words, theme: Theme) -> View:
    """What a person has chosen about time and about boards, and how to choose otherwise."""
    if settings.reminders:
        shares = ", ".join(f"{share} %" for share in settings.reminders)
        reminders = words("bot.settings.reminders", shares=shares)
    else:
        reminders = words("bot.settings.no-reminders")
    quiet = quiet_text(settings.quiet, words) if settings.quiet else words("bot.settings.no-quiet")
    heads_up = words("bot.settings.heads-up" if settings.heads_up else "bot.settings.no-heads-up")
    return View(
        lines=(
            reminders,
            quiet,
            *((words("bot.settings.zone", zone=settings.zone),) if settings.zone else ()),
            heads_up,
            words("bot.settings.theme", theme=words(f"bot.theme.{theme.value}")),
            words("bot.settings.flip" if settings.flip else "bot.settings.no-flip"),
            *(() if settings.hints else (words("bot.settings.no-hints"),)),
            *vacation_card(settings, at, words).lines,
            words("bot.settings.how"),
        )
    )


def theme_card(theme: Theme, words: Words, *, hints: bool = True) -> View:
    """In which colours a place sees boards, and whether there are hints."""
    shown = words("bot.settings.theme-here", theme=words(f"bot.theme.{theme.value}"))
    return View(lines=(shown,) if hints else (shown, words("bot.settings.no-hints")))


def quiet_text(quiet: QuietHours, words: Words) -> str:
    """When nothing is to disturb."""
    return words(
        "bot.settings.quiet", start=f"{quiet.start:%H:%M}", end=f"{quiet.end:%H:%M}", zone=quiet.zone
    )


def vacation_card(
    settings: Settings, at: datetime, words: Words, *, over: bool = False, runs_on: Sequence[Match] = ()
) -> View:
    """Whether a person is on vacation, and how much of it is left this year.

    Args:
        settings: Of the person.
        at: Now.
        words: The language.
        over: Whether they have just ended one.
        runs_on: Their matches whose clock a vacation does not stop.
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
    return View(lines=tuple(lines))
