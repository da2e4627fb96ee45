"""/vacation, /settings, /language, and the values of settings as they are typed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import time
from typing import Any, Final
from zoneinfo import available_timezones

from bot.desk import arguments
from bot.desk.command_spec import Access, HelpTopic
from bot.desk.context import Context, language_of
from bot.desk.errors import BadCommand, CommandError, no_such_word, shown
from bot.desk.grammar import HERE, OFF, QUIET, REMINDERS
from bot.desk.registry import Registry
from bot.i18n import LANGUAGES, pick, read_language
from bot.i18n import words as words_for
from bot.pictures import theme_of
from bot.presenter import cards
from bot.presenter.clocks import vacation_card
from bot.presenter.settings import here_card, settings_card
from bot.view import Message
from play.people import Account, Address
from play.settings import QuietHours, Settings
from play.time.days_off import end_vacation, run_on, take_vacation
from render.picture import Theme

registry: Final = Registry()

MAX_REMINDERS: Final = 5
"""Reminders in one turn, at most."""

_ON: Final = frozenset({"on", "yes", "так", "увімк", "да", "вкл"})
_KEYS: Final[Mapping[str, str]] = {
    **dict.fromkeys(REMINDERS, "reminders"),
    **dict.fromkeys(QUIET, "quiet"),
    **dict.fromkeys(("zone", "пояс"), "zone"),
    **dict.fromkeys(("headsup", "next", "наступний", "следующий"), "headsup"),
    **dict.fromkeys(("theme", "colours", "colors", "тема"), "theme"),
    **dict.fromkeys(("flip", "side", "розворот", "разворот"), "flip"),
    **dict.fromkeys(
        ("confirm", "підтверджувати", "підтвердження", "подтверждать", "подтверждение"), "confirm"
    ),
    **dict.fromkeys(("hints", "hint", "підказки", "подсказки"), "hints"),
    **dict.fromkeys(("warnings", "warning", "застереження", "предупреждения"), "warnings"),
}
_SWITCHES: Final = ("flip", "confirm", "hints", "warnings")
"""What is on or off, by its name in `Settings`."""

_THEMES: Final[Mapping[str, Theme]] = {
    **{theme.value: theme for theme in Theme},
    **dict.fromkeys(("світла", "світлі", "светлая", "светлые"), Theme.LIGHT),
    **dict.fromkeys(("темна", "темні", "тёмная", "темная", "тёмные"), Theme.DARK),
    **dict.fromkeys(("контрастна", "контраст", "контрастная"), Theme.CONTRAST),
    **dict.fromkeys(("дерево", "дерев’яна", "деревянная"), Theme.WOOD),
}
_SHARE: Final = re.compile(r"[1-9][0-9]?\Z", re.ASCII)
_HOUR: Final = re.compile(r"([0-9]{1,2})(?:[:.]([0-9]{2}))?\Z", re.ASCII)
_HOURS: Final = re.compile(r"([0-9]{1,2})(?:[:.]([0-9]{2}))?[-–—]([0-9]{1,2})(?:[:.]([0-9]{2}))?\Z", re.ASCII)


@registry.command("vacation", arguments.text("days"), topic=HelpTopic.OPTIONS)
async def vacation(context: Context) -> Sequence[Message]:
    """`/vacation 10d` begins one, `/vacation off` ends it, `/vacation` shows how much is left."""
    text, who, at = context.command.rest.strip(), context.visitor.account, context.at
    settings, over = await context.store.settings.get(who), text.casefold() in OFF
    if over:
        days, _ = await end_vacation(context.table, context.request())
        settings = replace(settings, vacation=days)
    elif text:
        days, _ = await take_vacation(context.table, context.request(), text)
        settings = replace(settings, vacation=days)
    view = vacation_card(settings, at, context.words, over=over, runs_on=await run_on(context.table, who))
    return [context.private(view)]


@registry.command(
    "settings",
    arguments.text("reminders", named=True),
    arguments.QUIET,
    arguments.ZONE,
    arguments.choice("headsup", "on", "off"),
    arguments.THEME,
    arguments.choice("flip", "on", "off"),
    arguments.choice("confirm", "on", "off"),
    arguments.HINTS,
    arguments.WARNINGS,
    arguments.HERE,
    topic=HelpTopic.OPTIONS,
    access=Access.ADMINS_FOR_PLACE,
)
async def choose_settings(context: Context) -> Sequence[Message]:
    """`/settings quiet:23-8 zone:Europe/Kyiv theme:dark` for oneself, `/settings here theme:dark` for the place.

    Without any, what is chosen.
    """
    who, where = context.visitor.account, context.visitor.place
    here = any(word.casefold() in HERE for word in context.command.words)
    for word in context.command.words:
        if word.casefold() not in HERE:
            raise no_such_word(word)
    if here:
        chosen_here(context.place, context.command.chosen())
        if context.command.options:
            context.for_all()
        new = await context.store.settings.change(
            where, lambda now: chosen_here(now, context.command.chosen())
        )
        return [context.private(here_card(new, theme_of(new), context.words))]
    new = await context.store.settings.change(who, lambda now: chosen(now, context.command.chosen()))
    theme = theme_of(new) if new.theme else context.place_theme
    return [context.private(settings_card(new, context.at, context.words, theme))]


@registry.command(
    "language",
    arguments.choice("language", *LANGUAGES, named=False),
    arguments.HERE,
    topic=HelpTopic.OPTIONS,
    access=Access.ADMINS_FOR_PLACE,
)
async def language(context: Context) -> Sequence[Message]:
    """`/language uk` for oneself, `/language uk here` for the place."""
    words = list(context.command.words)
    here = any(word.casefold() in HERE for word in words)
    named = [word for word in words if word.casefold() not in HERE]
    if not named:
        return [context.private(cards.languages(context.words))]
    chosen = read_language(" ".join(named))
    if chosen is None:
        raise CommandError(BadCommand.BAD_LANGUAGE, text=shown(" ".join(named)), languages=cards.spoken())
    if here:
        context.for_all()
        await _speak(context, context.visitor.place, chosen)
        return [Message(context.visitor.place, cards.language(words_for(chosen), here=True))]
    await _speak(context, context.visitor.account, chosen)
    there = pick(await language_of(context.store, context.visitor.place), context.resources.language)
    return [context.private(cards.language(words_for(chosen), here=False, spoken_here=there == chosen))]


async def _speak(context: Context, whose: Account | Address, language: str) -> None:
    await context.store.settings.change(whose, lambda now: replace(now, language=language))


def chosen(now: Settings, options: Mapping[str, str], *, person: bool = True) -> Settings:
    """Return the settings of a person, or of a place, with what was typed changed in them.

    Raises:
        CommandError: an unknown key or a bad value.
    """
    typed = {}
    for key, value in options.items():
        if key not in _KEYS:
            raise no_such_word(key)
        typed[_KEYS[key]] = value
    if "reminders" in typed:
        now = replace(now, reminders=_shares(typed["reminders"]))
    zone = read_zone(typed["zone"]) if "zone" in typed else None
    if "quiet" in typed:
        now = replace(now, quiet=_quiet(typed["quiet"], zone or now.own_zone))
    elif zone and now.quiet:
        now = replace(now, quiet=replace(now.quiet, zone=zone))
    elif zone and not person:
        raise CommandError(BadCommand.ZONE_ALONE)
    if zone and person:
        now = replace(now, zone=zone)
    if "headsup" in typed:
        now = replace(now, heads_up=switch(typed["headsup"]))
    if "theme" in typed:
        now = replace(now, theme=_theme(typed["theme"]))
    switched: dict[str, Any] = {key: switch(typed[key]) for key in _SWITCHES if key in typed}
    return replace(now, **switched)


def chosen_here(now: Settings, options: Mapping[str, str]) -> Settings:
    """Return the settings of a place with its theme and hints changed.

    Raises:
        CommandError: as for `chosen`, or something that each person chooses.
    """
    if any(_KEYS.get(key, "theme") not in {"theme", "hints"} for key in options):
        raise CommandError(BadCommand.NOT_FOR_A_PLACE)
    return chosen(now, options, person=False)


def _shares(text: str) -> tuple[int, ...]:
    """Return percentages of a turn's time, the largest first."""
    if text.casefold() in OFF:
        return ()
    if text.casefold() in _ON:
        return Settings().reminders
    parts = [part.rstrip("%") for part in re.split(r"[,\s]+(?!%)", text.strip(", "))]
    parts = [part.strip() for part in parts]
    if len(parts) > MAX_REMINDERS or not all(map(_SHARE.match, parts)):
        raise CommandError(BadCommand.BAD_REMINDERS, text=shown(text))
    return tuple(sorted({int(part) for part in parts}, reverse=True))


def _quiet(text: str, zone: str | None) -> QuietHours | None:
    if text.casefold() in OFF:
        return None
    found = _HOURS.match("".join(text.split()))
    if not found:
        raise CommandError(BadCommand.BAD_QUIET, text=shown(text))
    try:
        start = time(int(found[1]) % 24, int(found[2] or 0))
        end = time(int(found[3]) % 24, int(found[4] or 0))
    except ValueError:
        raise CommandError(BadCommand.BAD_QUIET, text=shown(text)) from None
    if start == end or int(found[1]) > 24 or int(found[3]) > 24:
        raise CommandError(BadCommand.BAD_QUIET, text=shown(text))
    return QuietHours(start, end, zone or "UTC")


def read_hour(text: str) -> time | None:
    """Return a time of day, such as 9 or 21:30; None for off.

    Raises:
        CommandError: it is neither.
    """
    if text.casefold() in OFF:
        return None
    found = _HOUR.match(text)
    if not found or int(found[1]) > 24 or int(found[2] or 0) > 59:
        raise CommandError(BadCommand.BAD_PUZZLE_HOUR, text=shown(text))
    return time(int(found[1]) % 24, int(found[2] or 0))


def read_zone(text: str) -> str:
    """Return the name of a time zone; case does not count.

    Raises:
        CommandError: there is no such zone.
    """
    names = {name.casefold(): name for name in available_timezones()}
    found = names.get(text.casefold())
    if found is None:
        raise CommandError(BadCommand.BAD_ZONE, text=shown(text))
    return found


def _theme(text: str) -> str:
    found = _THEMES.get(text.casefold().replace("'", "’"))
    if found is None:
        raise CommandError(BadCommand.BAD_THEME, text=shown(text), themes=", ".join(Theme))
    return found.value


def switch(text: str) -> bool:
    """Return a typed on or off.

    Raises:
        CommandError: neither.
    """
    if text.casefold() in _ON:
        return True
    if text.casefold() in OFF:
        return False
    raise CommandError(BadCommand.BAD_SWITCH, text=shown(text))
