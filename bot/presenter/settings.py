"""What goes on in a place, as its admins have chosen it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.i18n import NAMES, Words
from bot.presenter.clocks import vacation_card
from bot.view import Button, View
from play.settings import OldBoards, QuietHours, Settings
from render.picture import Theme
from rules.core import AnyGame

ADMINS: Final = "admins"
PLAYERS: Final = "players"
"""Who may end a match."""

_MORNING: Final = "9"  # when the puzzle of the day is offered to come; any other time can be typed


def place_card(
    place: Settings, games: Mapping[str, AnyGame], words: Words, *, pressable: bool = False
) -> View:
    """What is chosen for a place, and how to choose otherwise: by buttons too, for what has two ways and is `pressable`."""
    allowed = [words(f"{key}.name") for key in games if not place.games or key in place.games]
    lines = [
        _language(place, words),
        words("bot.config.games", games=words.list(allowed)),
        words.count("bot.config.most", place.most) if place.most else words("bot.config.no-most"),
        quiet_text(place.quiet, words) if place.quiet else words("bot.settings.no-quiet"),
        *(said for _, said in _switches(place, words)),
        words(f"bot.config.old-boards.{place.old_boards}"),
        words("bot.config.how"),
    ]
    buttons = [
        Button(
            words(f"bot.config.button.{key}-{value}"),
            CallbackData.without_match(Verb.CONFIG, f"{key}:{value}"),
        )
        for key, value in (
            *(choice for choice, _ in _switches(place, words)),
            *(("old-boards", each.value) for each in OldBoards if each is not place.old_boards),
        )
    ]
    return View(lines=tuple(lines), buttons=tuple(buttons) if pressable else ())


def _switches(place: Settings, words: Words) -> Iterator[tuple[tuple[str, str], str]]:
    """What has two ways: how to have it the other way, and how it is."""
    yield (
        ("threads", "off" if place.threads else "on"),
        words("bot.config.threads" if place.threads else "bot.config.no-threads"),
    )
    yield (
        ("end", PLAYERS if place.ends else ADMINS),
        words("bot.config.ends" if place.ends else "bot.config.no-ends"),
    )
    yield (
        ("hints", "off" if place.hints else "on"),
        words("bot.config.hints" if place.hints else "bot.config.no-hints"),
    )
    yield (
        ("puzzle", "off" if place.puzzle else _MORNING),
        words("bot.config.puzzle", time=f"{place.puzzle.at:%H:%M}", zone=place.puzzle.zone)
        if place.puzzle
        else words("bot.config.no-puzzle"),
    )


def settings_card(settings: Settings, at: datetime, words: Words, theme: Theme) -> View:
    """What a person has chosen about time and about boards, and how to choose otherwise."""
    if settings.reminders:
        shares = words.list([f"{share}%" for share in settings.reminders])
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
            words("bot.settings.confirm" if settings.confirm else "bot.settings.no-confirm"),
            *(() if settings.hints else (words("bot.settings.no-hints"),)),
            *(() if settings.warnings else (words("bot.settings.no-warnings"),)),
            *vacation_card(settings, at, words).lines,
            words("bot.settings.how"),
        )
    )


def here_card(place: Settings, theme: Theme, words: Words) -> View:
    """The settings of a place that concern what is shown there, and how to choose otherwise."""
    return View(
        lines=(
            words("bot.settings.theme-here", theme=words(f"bot.theme.{theme.value}")),
            words("bot.config.hints" if place.hints else "bot.config.no-hints"),
            _language(place, words),
            words("bot.settings.how-here"),
        )
    )


def _language(place: Settings, words: Words) -> str:
    if not place.language:
        return words("bot.config.no-language")
    return words("bot.config.language", language=NAMES[place.language])


def quiet_text(quiet: QuietHours, words: Words) -> str:
    """When nothing is to disturb."""
    return words(
        "bot.settings.quiet", start=f"{quiet.start:%H:%M}", end=f"{quiet.end:%H:%M}", zone=quiet.zone
    )
