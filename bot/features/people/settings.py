"""/vacation, /settings, /language, and the values of settings as they are typed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from bot.chat import arguments
from bot.chat.arguments import CommandSpec, HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, no_such_word, only_reading, shown
from bot.chat.grammar import HERE, OFF, ON, QUIET, REMINDERS, switch
from bot.chat.i18n import LANGUAGES, NAMES, Hours, Words, read_hours, read_language, read_zone
from bot.chat.i18n import words as words_for
from bot.chat.presenting.naming import moment
from bot.chat.registry import Registry
from bot.chat.view import Message, View, opens, theme_of
from bot.features.people import panels
from bot.features.people.panels import (
    Choice,
    Panel,
    asked,
    card,
    choices,
    own_lines,
    place_lines,
    vacation_lines,
)
from play.errors import Refused
from play.settings import QuietHours, Settings, on_vacation
from play.time.clock import read as read_length
from play.time.vacation import SHORTEST, budget_left, end_vacation, length_of, run_on, take_vacation
from render.picture import Theme

registry: Final = Registry()

_DAYS: Final = (1, 3, 7)  # lengths of a vacation that are offered; any other can be typed
_MAX_REMINDERS: Final = 5  # reminders in one turn, at most

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
    **dict.fromkeys(("profile", "профіль", "профиль"), "profile"),
}
_SWITCHES: Final[Mapping[str, Sequence[str]]] = {
    **{name: (name,) for name in ("flip", "confirm", "hints", "profile")},
    "warnings": ("warnings", "warned"),
}
"""What is on or off, with its names in `Settings`."""

_THEMES: Final[Mapping[str, Theme]] = {
    **{theme.value: theme for theme in Theme},
    **dict.fromkeys(("світла", "світлі", "светлая", "светлые"), Theme.LIGHT),
    **dict.fromkeys(("темна", "темні", "тёмная", "темная", "тёмные"), Theme.DARK),
    **dict.fromkeys(("контрастна", "контраст", "контрастная"), Theme.CONTRAST),
    **dict.fromkeys(("дерево", "дерев’яна", "деревянная"), Theme.WOOD),
}
_SHARE: Final = re.compile(r"[1-9][0-9]?\Z", re.ASCII)


@registry.command(
    "vacation", arguments.text("days"), topic=HelpTopic.OPTIONS, button=Verb.VACATION, finishing=True
)
async def vacation(context: Context) -> Sequence[Message]:
    """`/vacation 10d` begins one, `/vacation off` ends it, `/vacation` shows how much is left."""
    text, who, at, words = context.command.rest.strip(), context.visitor.account, context.at, context.words
    settings, over = await context.store.settings.get(who), text.casefold() in OFF
    if over:
        days, _ = await end_vacation(context.table, context.request())
        settings = replace(settings, vacation=days)
    elif text:
        days, _ = await take_vacation(context.table, context.request(), _vacation_length(context, text))
        settings = replace(settings, vacation=days)
    rest = budget_left(settings.vacation, at)
    offered = [
        Choice(f"{count}d", words.length(timedelta(count))) for count in _DAYS if rest >= timedelta(count)
    ]
    if on_vacation(settings.vacation, at):
        offered.append(Choice("off", words("bot.panel.end-vacation")))
    said = vacation_lines(settings, at, words, over=over, runs_on=await run_on(context.table, who))
    back = opens(Verb.SETTINGS, words("bot.button.back"))
    panel = Panel(Verb.VACATION, "", {}, {"vacation": offered})
    return [context.private(panel.question("vacation", words, *said, back=back))]


def _vacation_length(context: Context, text: str) -> timedelta:
    if read_length(text) is not None:
        return length_of(text)
    since, until = context.span(text, Refused.BAD_VACATION)
    if since > context.at:
        when = moment(since, context.words, context.own.own_zone)
        raise CommandError(BadCommand.VACATION_AHEAD, when=when)
    if until - since < SHORTEST:
        raise CommandError(Refused.BAD_VACATION, text=shown(text))
    return until - since


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
    arguments.choice("profile", "on", "off"),
    arguments.HERE,
    button=Verb.SETTINGS,
    topic=HelpTopic.OPTIONS,
    finishing=False,
)
async def choose_settings(context: Context) -> Sequence[Message]:
    """`/settings quiet:23-8 zone:Europe/Kyiv theme:dark` for oneself, `/settings here theme:dark` for the place.

    Without any, what is chosen.
    """
    context, here = _for_place(context)
    spec, typed, words = context.commands["settings"], context.command.chosen(), context.words
    question = asked(context, spec)
    if here:
        return await _settings_here(context, spec, question)
    new = await context.store.settings.change(context.visitor.account, lambda now: chosen(now, typed))
    lines = {
        **own_lines(new, theme_of(new) if new.theme else context.place_theme, words),
        "language": words("bot.config.language", language=NAMES[words.language]),
        "vacation": vacation_lines(new, context.at, words)[0],
    }
    panel = Panel(Verb.SETTINGS, "", lines, choices(context, spec, new, chosen))
    also = (
        opens(Verb.LANGUAGE, words("bot.panel.which", setting=words("bot.panel.language"))),
        opens(Verb.VACATION, words("bot.panel.which", setting=words("bot.panel.vacation"))),
    )
    return [context.private(card(context, spec, panel, question, *also))]


async def _settings_here(context: Context, spec: CommandSpec, question: str | None) -> Sequence[Message]:
    typed, words, runs = context.command.chosen(), context.words, await context.visitor.is_admin()
    _chosen_here(context.place, typed)
    if typed and not runs:
        raise CommandError(BadCommand.NOT_FOR_ALL)
    new = await context.store.settings.change(context.visitor.place, lambda now: _chosen_here(now, typed))
    lines = place_lines(new, context.table.games, theme_of(new), words)
    lines = {name: lines[name] for name in ("theme", "hints", "language")}
    if not runs:
        return [context.private(View(lines=tuple(lines.values())))]
    panel = Panel(Verb.SETTINGS, "here", lines, choices(context, spec, new, _chosen_here))
    language = opens(Verb.LANGUAGE, words("bot.panel.which", setting=words("bot.panel.language")), "here")
    return [context.private(card(context, spec, panel, question, language))]


@registry.command(
    "language",
    arguments.choice("language", *LANGUAGES, named=False),
    arguments.HERE,
    button=Verb.LANGUAGE,
    topic=HelpTopic.OPTIONS,
    finishing=False,
)
async def language(context: Context) -> Sequence[Message]:
    """`/language uk` for oneself, `/language uk here` for the place; without one, which there are."""
    context, here = _for_place(context)
    named, words = " ".join(context.command.words), context.words
    new = read_language(named) if named else None
    if named and new is None:
        raise CommandError(BadCommand.BAD_LANGUAGE, text=shown(named), languages=panels.spoken())
    if here:
        return await _language_here(context, new)
    if new is None:
        return [context.private(_languages(words, words("bot.language.now", language=NAMES[words.language])))]
    await context.store.settings.change(context.visitor.account, lambda now: replace(now, language=new))
    words = words_for(new)
    said = words("bot.language.yours-too" if context.place_words is words else "bot.language.yours")
    return [replace(context, words=words).private(_languages(words, said))]


async def _language_here(context: Context, new: str | None) -> Sequence[Message]:
    place, words, runs = context.visitor.place, context.words, await context.visitor.is_admin()
    told = []
    if new is not None:
        if not runs:
            raise CommandError(BadCommand.NOT_FOR_ALL)
        await context.store.settings.change(place, lambda now: replace(now, language=new))
        told.append(Message(place, View(lines=(words_for(new)("bot.language.here"),))))
        if context.seen is None:  # typed: there is no card
            return told
    now = new or context.place.language
    said = words("bot.config.language", language=NAMES[now]) if now else words("bot.config.no-language")
    view = _languages(words, said, now, "here") if runs else View(lines=(said,))
    return [*told, context.private(view)]


def _languages(words: Words, said: str, now: str | None = None, scope: str = "") -> View:
    spoken = now if scope else words.language
    offered = [Choice(each, NAMES[each], each == spoken) for each in LANGUAGES]
    panel = Panel(Verb.LANGUAGE, scope, {}, {"language": offered})
    return panel.question("language", words, said, back=opens(Verb.SETTINGS, words("bot.button.back"), scope))


def _for_place(context: Context) -> tuple[Context, bool]:
    words = tuple(word for word in context.command.words if word.casefold() not in HERE)
    here = words != context.command.words
    return replace(context, command=replace(context.command, words=words)), here


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
    now = _by_the_clock(now, typed, person=person)
    if "headsup" in typed:
        now = replace(now, heads_up=switch(typed["headsup"]))
    if "theme" in typed:
        now = replace(now, theme=_theme(typed["theme"]))
    switched: dict[str, Any] = {
        name: switch(typed[key]) for key, names in _SWITCHES.items() if key in typed for name in names
    }
    return replace(now, **switched)


def _by_the_clock(now: Settings, typed: Mapping[str, str], *, person: bool) -> Settings:
    hours = read_quiet(typed["quiet"]) if "quiet" in typed else None
    zone = hours[2] if hours else None
    if "zone" in typed:
        zone = only_reading(read_zone(typed["zone"]), typed["zone"], BadCommand.BAD_ZONE)
    if "quiet" in typed:
        now = replace(now, quiet=hours and QuietHours(hours[0], hours[1], zone or now.own_zone or "UTC"))
    elif zone and now.quiet:
        now = replace(now, quiet=replace(now.quiet, zone=zone))
    elif zone and not person:
        raise CommandError(BadCommand.ZONE_ALONE)
    if zone and person:
        now = replace(now, zone=zone)
    return now


def _chosen_here(now: Settings, options: Mapping[str, str]) -> Settings:
    if any(_KEYS.get(key, "theme") not in {"theme", "hints"} for key in options):
        raise CommandError(BadCommand.NOT_FOR_A_PLACE)
    return chosen(now, options, person=False)


def _shares(text: str) -> tuple[int, ...]:
    if text.casefold() in OFF:
        return ()
    if text.casefold() in ON:
        return Settings().reminders
    parts = [part.rstrip("%") for part in re.split(r"[,\s]+(?!%)", text.strip(", "))]
    parts = [part.strip() for part in parts]
    if len(parts) > _MAX_REMINDERS or not all(map(_SHARE.match, parts)):
        raise CommandError(BadCommand.BAD_REMINDERS, text=shown(text))
    return tuple(sorted({int(part) for part in parts}, reverse=True))


def read_quiet(text: str) -> Hours | None:
    """Return typed quiet hours; None for off."""
    return None if text.casefold() in OFF else only_reading(read_hours(text), text, BadCommand.BAD_QUIET)


def _theme(text: str) -> str:
    found = _THEMES.get(text.casefold().replace("'", "’"))
    if found is None:
        raise CommandError(BadCommand.BAD_THEME, text=shown(text), themes=", ".join(Theme))
    return found.value
