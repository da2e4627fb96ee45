"""Settings of people and places, each declared once: how it is typed, what it says, and the values that buttons offer.

A panel is the card of the settings that a command changes. A press stands for what is typed after the command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from functools import cached_property
from typing import Any, Final, TypeVar

from bot.chat.arguments import PAGE, ZONE, Argument, argument_names, choice, text
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, no_such_word, only_reading, shown
from bot.chat.game_words import find_game
from bot.chat.grammar import OFF, ON, number_in, switch
from bot.chat.i18n import LANGUAGES, NAMES, Words, read_language
from bot.chat.i18n.times import Hours, read_days, read_hour, read_hours, read_zone
from bot.chat.presenting.moments import moment
from bot.chat.view import Button, View, ViewKind, opens, theme_of
from play.ratings.model import SETTLED
from play.settings import MOST_MATCHES, DailyPuzzle, OldBoards, QuietHours, Settings
from play.time.calendar import fixed_until, week_of, with_week, with_zone
from play.time.week import LEAST_AWAKE, MOST_OFF, WEEKEND, Week
from render.picture import Theme
from rules.core import AnyGame, Reason

T = TypeVar("T")

_OFF: Final = "off"
_ALL: Final = frozenset({"all", "any", "усі", "всі", "все"})
_OF: Final = {"weekend": "awake"}  # settings of which the line of another one tells
_TIMED: Final = ("quiet", "zone", "puzzle", "awake", "weekend")  # settings that share a time zone
_WEEKEND: Final = ON | {_OFF, "вимк", "выкл"}  # `weekend:off`: the usual days are off
_AROUND: Final = OFF | _ALL | {"0-24", "00-24", "0:00-24:00", "00:00-24:00", "24"}
"""What is typed to be awake all day."""
_MAX_REMINDERS: Final = 5  # in one turn
_SHARE: Final = re.compile(r"[1-9][0-9]?\Z", re.ASCII)


class AwakeRefusal(Reason):
    """Why awake hours or days off are refused."""

    BAD_HOURS = "bot.command.bad-awake"  # text
    TOO_SHORT = "bot.command.awake-short"  # text, least
    BAD_DAYS = "bot.command.bad-weekend"  # text
    TOO_MANY = "bot.command.weekend-many"  # most
    FIXED = "bot.command.week-fixed"  # when


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of people or of places."""

    argument: Argument  # its words are all values that there are; without them any can be typed
    # Says what is chosen; games and theme are then those that hold. None: the line of another setting does.
    line: Callable[[Settings, Words], str] | None
    read: Callable[[str], Any] = switch  # returns the value that a text stands for, or refuses it
    offered: Sequence[str] = ()  # values that have a button, of more that can be typed
    also: tuple[str, ...] = ()  # other names that are typed for it; no menu or correction offers them
    stored: str = ""  # its name in `Settings`, where that is another


def _switched(name: str, on: str, off: str, *also: str, stored: str = "") -> Setting:
    def line(now: Settings, words: Words) -> str:
        return words(on if getattr(now, stored or name) else off)

    return Setting(choice(name, "on", _OFF), line, also=also, stored=stored)


def _one_of(values: Mapping[str, T], reason: Reason, **fields: str) -> Callable[[str], T]:
    def read(typed: str) -> T:
        if (found := values.get(typed.casefold().replace("'", "’"))) is None:
            raise CommandError(reason, text=shown(typed), **fields)
        return found

    return read


def _unless_off(read: Callable[[str], Mapping[str, T]], reason: Reason) -> Callable[[str], T | None]:
    return lambda typed: None if typed.casefold() in OFF else only_reading(read(typed), typed, reason)


def spoken_language(typed: str) -> str:
    """Return the language that is named; refused if it is none of ours."""
    found = read_language(typed)
    if found is None:
        known = ", ".join(f"{code} ({NAMES[code]})" for code in LANGUAGES)
        raise CommandError(BadCommand.BAD_LANGUAGE, text=shown(typed), languages=known)
    return found


def language_line(now: Settings, words: Words) -> str:
    """Return which language is chosen, in words."""
    if now.language is None:
        return words("bot.config.no-language")
    return words("bot.config.language", language=NAMES[now.language])


def _shares(typed: str) -> tuple[int, ...]:
    if typed.casefold() in OFF:
        return ()
    if typed.casefold() in ON:
        return Settings().reminders
    parts = [part.rstrip("%").strip() for part in re.split(r"[,\s]+(?!%)", typed.strip(", "))]
    if len(parts) > _MAX_REMINDERS or not all(map(_SHARE.match, parts)):
        raise CommandError(BadCommand.BAD_REMINDERS, text=shown(typed))
    return tuple(sorted({int(part) for part in parts}, reverse=True))


def quiet_text(quiet: QuietHours | None, words: Words) -> str:
    """Return when nothing is to disturb, in words."""
    if quiet is None:
        return words("bot.settings.no-quiet")
    start, end = f"{quiet.start:%H:%M}", f"{quiet.end:%H:%M}"
    return words("bot.settings.quiet", start=start, end=end, zone=quiet.zone)


def _awake_hours(typed: str) -> Hours:
    if typed.casefold().replace(" ", "") in _AROUND:
        return time(), time(), None
    hours = only_reading(read_hours(typed), typed, AwakeRefusal.BAD_HOURS)
    if Week(*hours[:2]).day < LEAST_AWAKE:
        least = LEAST_AWAKE // timedelta(hours=1)
        raise CommandError(AwakeRefusal.TOO_SHORT, text=shown(typed), least=least)
    return hours


def _days_off(typed: str) -> tuple[int, ...]:
    if typed.casefold() in _WEEKEND:
        return WEEKEND
    days = () if typed.casefold() in OFF else read_days(typed)
    if days is None:
        raise CommandError(AwakeRefusal.BAD_DAYS, text=shown(typed))
    if len(days) > MOST_OFF:
        raise CommandError(AwakeRefusal.TOO_MANY, most=MOST_OFF)
    return days


def _awake_line(now: Settings, words: Words) -> str:
    return week_text(week_of(now), words, "bot.settings.awake")


def week_text(week: Week, words: Words, key: str) -> str:
    """Return in which hours a week is awake, in words: by a key, or by that with `-off` where it has days off."""
    end = "24:00" if week.end == time() else f"{week.end:%H:%M}"
    days = words.list([words.weekday(day) for day in week.off])
    return words(
        f"{key}-off" if days else key, start=f"{week.start:%H:%M}", end=end, zone=week.zone, days=days
    )


def _warnings_line(now: Settings, words: Words) -> str:
    if now.warnings and not now.warned:
        return words("bot.settings.warnings-begun", count=SETTLED)
    return words("bot.settings.warnings" if now.warnings else "bot.settings.no-warnings")


def _most(typed: str) -> int:
    most = 0 if typed.casefold() in OFF else number_in(typed, 0, MOST_MATCHES)
    if most is None:
        raise CommandError(BadCommand.BAD_MOST, text=shown(typed), limit=MOST_MATCHES)
    return most


_THEMES: Final = {
    **{theme.value: theme.value for theme in Theme},
    **dict.fromkeys(("світла", "світлі", "светлая", "светлые"), Theme.LIGHT.value),
    **dict.fromkeys(("темна", "темні", "тёмная", "темная", "тёмные"), Theme.DARK.value),
    **dict.fromkeys(("контрастна", "контраст", "контрастная"), Theme.CONTRAST.value),
    **dict.fromkeys(("дерево", "дерев’яна", "деревянная"), Theme.WOOD.value),
}
_BOARDS: Final = {"live": False, "each": True}
_ENDS: Final = {
    **dict.fromkeys(("admins", "admin", "адміни", "админы"), True),
    **dict.fromkeys(("players", "player", "гравці", "игроки"), False),
}
_ZONES: Final[Mapping[str, Sequence[str]]] = {
    "uk": ("Europe/Kyiv", "Europe/Warsaw", "Europe/Berlin", "Europe/London", "America/Toronto", "UTC"),
    "ru": ("Europe/Kyiv", "Europe/Moscow", "Europe/Berlin", "Asia/Tbilisi", "Asia/Almaty", "Asia/Jerusalem", "UTC"),
    "en": ("Europe/London", "Europe/Berlin", "America/New_York", "America/Chicago", "America/Los_Angeles", "Australia/Sydney", "UTC"),
}  # fmt: skip
"""The time zones that are offered, by language."""

_QUIET: Final = Setting(
    text("quiet", named=True),
    lambda now, words: quiet_text(now.quiet, words),
    _unless_off(read_hours, BadCommand.BAD_QUIET),
    ("22-8", "23-7", "0-9", _OFF),
)
_ZONE: Final = Setting(
    ZONE,
    lambda now, words: (
        words("bot.settings.zone", zone=now.own_zone) if now.own_zone else words("bot.settings.no-zone")
    ),
    lambda typed: only_reading(read_zone(typed), typed, BadCommand.BAD_ZONE),
)
_AWAKE: Final = Setting(
    text("awake", named=True), _awake_line, _awake_hours, ("8-23", "9-22", "7-21", "0-24")
)
_OFF_DAYS: Final = Setting(
    text("weekend", named=True), None, _days_off, ("sat,sun", "fri,sat", "sun", "none")
)
_PUZZLE: Final = Setting(
    text("puzzle", named=True),
    lambda now, words: (
        words("bot.config.puzzle", time=f"{now.puzzle.at:%H:%M}", zone=now.puzzle.zone)
        if now.puzzle
        else words("bot.config.no-puzzle")
    ),
    _unless_off(read_hour, BadCommand.BAD_PUZZLE_HOUR),
    ("8", "9", "12", "18", "20", _OFF),
)
_THEME: Final = Setting(
    choice("theme", *Theme),
    lambda now, words: words("bot.settings.theme", theme=words(f"bot.theme.{now.theme}")),
    _one_of(_THEMES, BadCommand.BAD_THEME, themes=", ".join(Theme)),
    also=("colours", "colors"),
)
_THEME_HERE: Final = replace(
    _THEME, line=lambda now, words: words("bot.settings.theme-here", theme=words(f"bot.theme.{now.theme}"))
)
_HINTS: Final = _switched("hints", "bot.config.hints", "bot.config.no-hints", "hint")
_WARNINGS: Final = Setting(choice("warnings", "on", _OFF), _warnings_line, also=("warning",))
_GAMES: Final = Setting(
    text("games", named=True),
    lambda now, words: words(
        "bot.config.games", games=words.list([words(f"{key}.name") for key in now.games])
    ),
)
_PAGE: Final = Setting(
    PAGE, lambda now, words: words("bot.config.page" if now.page else "bot.config.no-page")
)
_CONFIRM: Final = ("підтвердження", "подтверждение")

OWN: Final = (
    Setting(
        text("reminders", named=True),
        lambda now, words: (
            words("bot.settings.reminders", shares=words.list([f"{share}%" for share in now.reminders]))
            if now.reminders
            else words("bot.settings.no-reminders")
        ),
        _shares,
        ("50,10", "75,50,25", "25", _OFF),
        ("remind",),
    ),
    _QUIET,
    _ZONE,
    _AWAKE,
    _OFF_DAYS,
    _switched("headsup", "bot.settings.heads-up", "bot.settings.no-heads-up", "next", stored="heads_up"),
    _THEME,
    _switched("flip", "bot.settings.flip", "bot.settings.no-flip", "side"),
    _switched("confirm", "bot.settings.confirm", "bot.settings.no-confirm", *_CONFIRM),
    _HINTS,
    _WARNINGS,
    _switched("profile", "bot.settings.profile", "bot.settings.no-profile"),
)
"""What a person chooses."""

GOVERNED: Final = (
    Setting(choice("language", *LANGUAGES), language_line, spoken_language),
    _GAMES,
    Setting(
        text("most", named=True),
        lambda now, words: (
            words.count("bot.config.most", now.most) if now.most else words("bot.config.no-most")
        ),
        _most,
        ("1", "3", "5", "10", _OFF),
    ),
    _switched("threads", "bot.config.threads", "bot.config.no-threads"),
    Setting(
        choice("old-boards", *OldBoards),
        lambda now, words: words(f"bot.config.old-boards.{now.old_boards}"),
        _one_of({each: each for each in OldBoards}, BadCommand.BAD_OLD_BOARDS, known=", ".join(OldBoards)),
        stored="old_boards",
    ),
    Setting(
        choice("boards", "each", "live"),
        lambda now, words: words("bot.config.each-board" if now.each_board else "bot.config.live-board"),
        _one_of(_BOARDS, BadCommand.BAD_BOARDS),
        stored="each_board",
    ),
    _PAGE,
    _QUIET,
    replace(_ZONE, line=None),
    Setting(
        choice("end", "admins", "players"),
        lambda now, words: words("bot.config.ends" if now.ends else "bot.config.no-ends"),
        _one_of(_ENDS, BadCommand.BAD_END),
        stored="ends",
    ),
    _HINTS,
    _THEME_HERE,
    _PUZZLE,
)
"""What admins choose for a place."""

KEYS: Final = {  # for the check of the catalogues
    "bot.config.old-boards.{}": (OldBoards,),
    "bot.panel.{}.value": (
        {each.argument.name for each in (*OWN, *GOVERNED) if each.offered and each is not _OFF_DAYS},
    ),
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
            value = _allowed(games, said) if setting is _GAMES else setting.read(said)
            values[setting.stored or setting.argument.name] = value
        if "warnings" in values:
            values["warned"] = values["warnings"]
        timed: dict[str, Any] = {name: values.pop(name) for name in _TIMED if name in values}
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
        if _PAGE in shown:  # its line stands before that of old boards, its button after it
            at = shown.index(_PAGE)
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
            said = [lines[each] for each in [_OF.get(asked, asked)] if each in lines]
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
        return [each for each in self.settings if paged or each is not _PAGE]

    def _choices(self, context: Context, setting: Setting, now: Settings) -> Iterator[Choice]:
        name, words, games = setting.argument.name, context.words, context.table.games
        if setting is _GAMES:  # the question stays, since several can be chosen
            allowed = now.games or tuple(games)
            for key in games:
                kept = [each for each in games if (each in allowed) != (each == key)]
                typed = "all" if len(kept) == len(games) else ",".join(kept)
                if kept:
                    yield Choice(f"games games:{typed}", words(f"{key}.name"), key in allowed)
            return
        for value in setting.argument.words or setting.offered or _ZONES[words.language]:
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
    if value == _OFF:
        return words("bot.panel.no-limit" if argument.name == "most" else "bot.panel.off")
    if argument == ZONE:
        return value
    if argument.name == "weekend":
        days = [words.weekday(day) for day in _days_off(value)]
        return words.list(days) if days else words("bot.panel.no-weekend")
    said = ", ".join(f"{share}%" for share in value.split(",")) if argument.name == "reminders" else value
    return words(f"bot.panel.{argument.name}.value", value=said.replace("-", "–"))


def _allowed(games: Mapping[str, AnyGame], typed: str) -> tuple[str, ...]:
    if typed.casefold() in _ALL:
        return ()
    keys = []
    for name in filter(None, (part.strip() for part in typed.split(","))):
        if (game := find_game(games, name)) is None:
            raise CommandError(BadCommand.NO_SUCH_GAME_HERE, text=shown(name), known=", ".join(games))
        keys.append(game.key)
    return tuple(key for key in games if key in keys)


PERSON: Final = Panel(Verb.SETTINGS, OWN)
HERE: Final = Panel(Verb.SETTINGS, (_THEME_HERE, _HINTS), "here")
CONFIG: Final = Panel(Verb.CONFIG, GOVERNED)


def asked_setting(context: Context) -> str | None:
    """Return the setting that a command names without a value, which asks for its values; None if it names none."""
    names = argument_names(context.commands[context.command.name])
    found = None
    for word in context.command.words:
        if (found := names.get(word.casefold())) is None:
            raise no_such_word(word)
    return found
