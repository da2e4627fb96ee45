"""Panels: the card of the settings that a command changes. A press stands for what is typed after the command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from bot.chat.arguments import ZONE, Argument, argument_names
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, no_such_word, shown
from bot.chat.game_words import find_game
from bot.chat.i18n import NAMES, Words
from bot.chat.i18n.times import Hours
from bot.chat.presenting.moments import moment
from bot.chat.view import Button, View, ViewKind, opens, theme_of
from bot.features.people.declared import (
    ALL,
    DAYS_OFF,
    GAMES,
    GOVERNED,
    HINTS,
    OWN,
    SHOWN,
    SWITCHED_OFF,
    THEME_HERE,
    TIMED,
    TOLD_WITH,
    ZONES,
    AwakeRefusal,
    Setting,
    days_off,
)
from play.match import Talk
from play.settings import DailyPuzzle, OldBoards, QuietHours, Settings
from play.time.calendar import fixed_until, week_of, with_week, with_zone
from render.picture import Theme
from rules.core import AnyGame

KEYS: Final = {  # for the check of the catalogues
    "bot.config.old-boards.{}": (OldBoards,),
    "bot.panel.{}.value": (
        {each.argument.name for each in (*OWN, *GOVERNED) if each.offered and each is not DAYS_OFF},
    ),
    "bot.config.talk.{}": (Talk,),
    "bot.theme.{}": (Theme,),
    "bot.{}{}": (("settings.awake", "awake.now"), ("", "-off")),
}


def _rested(
    context: Context, now: Settings, hours: Hours | None, off: tuple[int, ...] | None, at: datetime | None
) -> Settings:
    before, until = week_of(now, at), fixed_until(now, at)
    week = before if off is None else replace(before, off=off)
    week = replace(week, start=hours[0], end=hours[1]) if hours else week
    if until and now.week and week != before:
        raise CommandError(AwakeRefusal.FIXED, when=moment(until, context.words, before.zone))
    return with_week(now, week, at)


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that can be chosen: what is typed for it, in words, and whether it is chosen."""

    typed: str
    label: str
    holds: bool = False


def question(
    verb: Verb, scope: str, choices: Sequence[Choice], words: Words, *said: str, back: Button | None = None
) -> View:
    """Return values with a button each, and the way back: to the card of the same command unless it is another."""
    buttons = [_button(verb, scope, each, words) for each in choices]
    buttons.append(back or opens(verb, words("bot.button.back"), scope))
    return View(lines=said, buttons=tuple(buttons), kind=_kind(verb, scope))


def _kind(verb: Verb, scope: str) -> ViewKind:
    return ViewKind.FORM if scope or verb is Verb.CONFIG else ViewKind.PANEL


def _button(verb: Verb, scope: str, choice: Choice, words: Words) -> Button:
    label = words("bot.panel.holds", label=choice.label) if choice.holds else choice.label
    return opens(verb, label, scope, choice.typed)


@dataclass(frozen=True)
class Panel:
    """The settings that a command changes; `scope` is typed before each change."""

    verb: Verb
    settings: tuple[Setting, ...]
    scope: str = ""

    @cached_property
    def typed(self) -> Mapping[str, Setting]:
        """The settings by what is typed before the colon, without hyphens."""
        names = ((name, each) for each in self.settings for name in (*each.argument.names, *each.also))
        return {name.replace("-", ""): each for name, each in names}

    def named(self, options: Mapping[str, str]) -> Mapping[str, str]:
        """Return what is typed for each setting by the setting's name, which may be typed in other languages too; refuse others."""
        for key in options:
            if key not in self.typed:
                elsewhere = self is HERE and key in PERSON.typed
                raise CommandError(BadCommand.NOT_FOR_A_PLACE) if elsewhere else no_such_word(key)
        return {self.typed[key].argument.name: said for key, said in options.items()}

    def changed(
        self, context: Context, now: Settings, typed: Mapping[str, str], *, offered: bool = False
    ) -> Settings:
        """Return settings with what was typed changed in them, by the names of settings; refuse a bad value.

        What is only `offered` is not refused because its time has not come.
        """
        games = context.table.games
        values: dict[str, Any] = {}
        for name, said in typed.items():
            setting = self._setting(name)
            value = _allowed(games, said) if setting is GAMES else setting.read(said)
            values[setting.stored or setting.argument.name] = value
        if "warnings" in values:
            values["warned"] = values["warnings"]
        timed: dict[str, Any] = {name: values.pop(name) for name in TIMED if name in values}
        return self._timed(context, replace(now, **values), timed, None if offered else context.at)

    def _setting(self, name: str) -> Setting:
        return self.typed[name.replace("-", "")]

    def _timed(
        self, context: Context, now: Settings, values: Mapping[str, Any], at: datetime | None
    ) -> Settings:
        """Quiet and awake hours and the daily puzzle share one time zone, and hours may be typed with one."""
        hours: Hours | None = values.get("quiet")
        awake: Hours | None = values.get("awake")
        zone = values.get("zone") or (hours and hours[2]) or (awake and awake[2])
        known = zone or now.zone or now.place_zone
        if zone and self is PERSON:
            now = with_zone(now, zone, at)
        if awake or "weekend" in values:
            now = _rested(context, now, awake, values.get("weekend"), at)
        if "quiet" in values:
            now = replace(now, quiet=hours and QuietHours(hours[0], hours[1], known))
        elif zone and now.quiet:
            now = replace(now, quiet=replace(now.quiet, zone=zone))
        if "puzzle" in values:
            hour = values["puzzle"]
            now = replace(now, puzzle=None if hour is None else DailyPuzzle(hour, known))
        elif zone and now.puzzle:
            now = replace(now, puzzle=replace(now.puzzle, zone=zone))
        if zone and self is not PERSON and not (now.quiet or now.puzzle or "quiet" in values):
            raise CommandError(BadCommand.ZONE_ALONE)
        return now

    def lines(self, context: Context, now: Settings) -> Mapping[str, str]:
        """Return what is chosen, in words, by setting."""
        games = tuple(key for key in context.table.games if not now.games or key in now.games)
        theme = theme_of(now, context.place) if self is PERSON else theme_of(now)
        holds = replace(now, games=games, theme=theme.value)
        shown = [*self._offered(context)]
        if SHOWN in shown:  # its line stands before that of old boards, its button after it
            at = shown.index(SHOWN)
            shown.insert(at - 1, shown.pop(at))
        return {each.argument.name: each.line(holds, context.words) for each in shown if each.line}

    def view(self, context: Context, now: Settings, asked: str | None, also: Mapping[str, Button]) -> View:
        """Return the values of the setting that is asked about, else the card: every setting with its button.

        A setting with two values takes the other one, one with more asks which. `also` are further lines with their buttons.
        """
        words, lines = context.words, self.lines(context, now)
        choices = {
            each.argument.name: [*self._choices(context, each, now)] for each in self._offered(context)
        }
        if asked is not None and choices.get(asked):
            said = [lines[each] for each in [TOLD_WITH.get(asked, asked)] if each in lines]
            if not self._setting(asked).argument.words and asked != "games":
                form = " ".join(filter(None, (f"/{context.command.name}", self.scope, f"{asked}:…")))
                said.append(words("bot.panel.typed", form=form, what=words(f"bot.slash.arg.{asked}.what")))
            return question(self.verb, self.scope, choices[asked], words, *said)
        buttons = [self._turn(name, offered, words) for name, offered in choices.items() if offered]
        return View(
            lines=(*lines.values(), *also),
            buttons=(*buttons, *also.values()),
            kind=_kind(self.verb, self.scope),
        )

    def _turn(self, name: str, choices: Sequence[Choice], words: Words) -> Button:
        title = words(f"bot.panel.{name}")
        others = [choice for choice in choices if not choice.holds]
        if len(choices) == 2 and len(others) == 1:
            other = Choice(others[0].typed, title, choices[0].holds)
            return _button(self.verb, self.scope, other, words)
        return opens(self.verb, words("bot.panel.which", setting=title), self.scope, name)

    def _offered(self, context: Context) -> Sequence[Setting]:
        paged = context.services.config.page_url is not None
        return [each for each in self.settings if paged or each is not SHOWN]

    def _choices(self, context: Context, setting: Setting, now: Settings) -> Iterator[Choice]:
        name, words, games = setting.argument.name, context.words, context.table.games
        if setting is GAMES:  # the question stays, since several can be chosen
            allowed = now.games or tuple(games)
            for key in games:
                kept = [each for each in games if (each in allowed) != (each == key)]
                typed = "all" if len(kept) == len(games) else ",".join(kept)
                if kept:
                    yield Choice(f"games games:{typed}", words(f"{key}.name"), key in allowed)
            return
        for value in setting.argument.words or setting.offered or ZONES[words.language]:
            try:
                changed = self.changed(context, now, {name: value}, offered=True)
            except CommandError:
                continue  # refused as things are
            # Warnings that only beginners get are on, too.
            holds = replace(changed, warned=now.warned) == now
            yield Choice(f"{name}:{value}", _label(setting.argument, value, words), holds)


def _label(argument: Argument, value: str, words: Words) -> str:
    if argument.name == "language":
        return NAMES[value]
    if argument.words:
        return words(argument.label(value))
    if value == SWITCHED_OFF:
        return words("bot.panel.no-limit" if argument.name == "most" else "bot.panel.off")
    if argument == ZONE:
        return value
    if argument.name == "weekend":
        days = [words.weekday(day) for day in days_off(value)]
        return words.list(days) if days else words("bot.panel.no-weekend")
    said = ", ".join(f"{share}%" for share in value.split(",")) if argument.name == "reminders" else value
    return words(f"bot.panel.{argument.name}.value", value=said.replace("-", "–"))


def _allowed(games: Mapping[str, AnyGame], typed: str) -> tuple[str, ...]:
    if typed.casefold() in ALL:
        return ()
    keys = []
    for name in filter(None, (part.strip() for part in typed.split(","))):
        if (game := find_game(games, name)) is None:
            raise CommandError(BadCommand.NO_SUCH_GAME_HERE, text=shown(name), known=", ".join(games))
        keys.append(game.key)
    return tuple(key for key in games if key in keys)


PERSON: Final = Panel(Verb.SETTINGS, OWN)
HERE: Final = Panel(Verb.SETTINGS, (THEME_HERE, HINTS), "here")
CONFIG: Final = Panel(Verb.CONFIG, GOVERNED)


def asked_setting(context: Context) -> str | None:
    """Return the setting that a command names without a value, which asks for its values; None if it names none."""
    names = argument_names(context.commands[context.command.name])
    found = None
    for word in context.command.words:
        if (found := names.get(word.casefold())) is None:
            raise no_such_word(word)
    return found
