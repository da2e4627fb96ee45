"""Settings of people and places, each declared once: how it is typed, what it says, and the values that buttons offer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import time, timedelta
from typing import Any, Final, TypeVar

from bot.chat.arguments import PAGE, ZONE, Argument, choice, text
from bot.chat.errors import BadCommand, CommandError, only_reading, shown
from bot.chat.grammar import OFF, ON, number_in, switch
from bot.chat.i18n import LANGUAGES, NAMES, Words, read_language
from bot.chat.i18n.times import Hours, read_days, read_hour, read_hours, read_zone
from bot.features.talking.allowing import TALK, read_talk
from play.ratings.model import SETTLED
from play.settings import MOST_MATCHES, OldBoards, QuietHours, Settings
from play.time.calendar import week_of
from play.time.week import LEAST_AWAKE, MOST_OFF, WEEKEND, Week
from render.picture import Theme
from rules.core import Reason

T = TypeVar("T")

SWITCHED_OFF: Final = "off"
ALL: Final = frozenset({"all", "any", "усі", "всі", "все"})
TOLD_WITH: Final = {"weekend": "awake"}  # settings of which the line of another one tells
TIMED: Final = ("quiet", "zone", "puzzle", "awake", "weekend")  # settings that share a time zone
_WEEKEND: Final = ON | {SWITCHED_OFF, "вимк", "выкл"}  # `weekend:off`: the usual days are off
_AROUND: Final = OFF | ALL | {"0-24", "00-24", "0:00-24:00", "00:00-24:00", "24"}
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

    return Setting(choice(name, "on", SWITCHED_OFF), line, also=also, stored=stored)


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


def days_off(typed: str) -> tuple[int, ...]:
    """Return the days of the week that are typed as days off, Monday is 0; refused if they are none, or too many."""
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
ZONES: Final[Mapping[str, Sequence[str]]] = {
    "uk": ("Europe/Kyiv", "Europe/Warsaw", "Europe/Berlin", "Europe/London", "America/Toronto", "UTC"),
    "ru": ("Europe/Kyiv", "Europe/Moscow", "Europe/Berlin", "Asia/Tbilisi", "Asia/Almaty", "Asia/Jerusalem", "UTC"),
    "en": ("Europe/London", "Europe/Berlin", "America/New_York", "America/Chicago", "America/Los_Angeles", "Australia/Sydney", "UTC"),
}  # fmt: skip
"""The time zones that are offered, by language."""

_QUIET: Final = Setting(
    text("quiet", named=True),
    lambda now, words: quiet_text(now.quiet, words),
    _unless_off(read_hours, BadCommand.BAD_QUIET),
    ("22-8", "23-7", "0-9", SWITCHED_OFF),
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
DAYS_OFF: Final = Setting(text("weekend", named=True), None, days_off, ("sat,sun", "fri,sat", "sun", "none"))
_PUZZLE: Final = Setting(
    text("puzzle", named=True),
    lambda now, words: (
        words("bot.config.puzzle", time=f"{now.puzzle.at:%H:%M}", zone=now.puzzle.zone)
        if now.puzzle
        else words("bot.config.no-puzzle")
    ),
    _unless_off(read_hour, BadCommand.BAD_PUZZLE_HOUR),
    ("8", "9", "12", "18", "20", SWITCHED_OFF),
)
_THEME: Final = Setting(
    choice("theme", *Theme),
    lambda now, words: words("bot.settings.theme", theme=words(f"bot.theme.{now.theme}")),
    _one_of(_THEMES, BadCommand.BAD_THEME, themes=", ".join(Theme)),
    also=("colours", "colors"),
)
THEME_HERE: Final = replace(
    _THEME, line=lambda now, words: words("bot.settings.theme-here", theme=words(f"bot.theme.{now.theme}"))
)
HINTS: Final = _switched("hints", "bot.config.hints", "bot.config.no-hints", "hint")
_WARNINGS: Final = Setting(choice("warnings", "on", SWITCHED_OFF), _warnings_line, also=("warning",))
GAMES: Final = Setting(
    text("games", named=True),
    lambda now, words: words(
        "bot.config.games", games=words.list([words(f"{key}.name") for key in now.games])
    ),
)
SHOWN: Final = Setting(
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
        ("50,10", "75,50,25", "25", SWITCHED_OFF),
        ("remind",),
    ),
    _QUIET,
    _ZONE,
    _AWAKE,
    DAYS_OFF,
    _switched("headsup", "bot.settings.heads-up", "bot.settings.no-heads-up", "next", stored="heads_up"),
    _THEME,
    _switched("flip", "bot.settings.flip", "bot.settings.no-flip", "side"),
    _switched("confirm", "bot.settings.confirm", "bot.settings.no-confirm", *_CONFIRM),
    HINTS,
    _WARNINGS,
    _switched("profile", "bot.settings.profile", "bot.settings.no-profile"),
)
"""What a person chooses."""

GOVERNED: Final = (
    Setting(choice("language", *LANGUAGES), language_line, spoken_language),
    GAMES,
    Setting(
        text("most", named=True),
        lambda now, words: (
            words.count("bot.config.most", now.most) if now.most else words("bot.config.no-most")
        ),
        _most,
        ("1", "3", "5", "10", SWITCHED_OFF),
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
    SHOWN,
    _QUIET,
    replace(_ZONE, line=None),
    Setting(
        choice("end", "admins", "players"),
        lambda now, words: words("bot.config.ends" if now.ends else "bot.config.no-ends"),
        _one_of(_ENDS, BadCommand.BAD_END),
        stored="ends",
    ),
    HINTS,
    THEME_HERE,
    _PUZZLE,
    Setting(
        choice("digest", "on", SWITCHED_OFF),
        lambda now, words: (
            words("bot.config.digest", zone=now.place_zone) if now.digest else words("bot.config.no-digest")
        ),
    ),
    Setting(TALK, lambda now, words: words(f"bot.config.talk.{now.talk}"), read_talk),
    _switched("story", "bot.config.story", "bot.config.no-story"),
)
"""What admins choose for a place."""
