"""What buttons offer for each setting of a command: every value that it takes, or a few of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from bot.desk.arguments import PAGE, Argument
from bot.desk.command_spec import CommandSpec, argument_names
from bot.desk.context import Context
from bot.desk.errors import CommandError, no_such_word
from bot.i18n import NAMES, Words
from bot.presenter.panels import Choice, Panel
from bot.view import Button, View
from play.settings import Settings

Change: TypeAlias = Callable[[Settings, Mapping[str, str]], Settings]
"""Returns settings with typed values chosen in them, by key.

Raises:
    CommandError: an unknown key or a bad value.
"""

_OFF: Final = "off"
_SOME: Final[Mapping[str, Sequence[str]]] = {
    "reminders": ("50,10", "75,50,25", "25", _OFF),
    "quiet": ("22-8", "23-7", "0-9", _OFF),
    "most": ("1", "3", "5", "10", _OFF),
    "puzzle": ("8", "9", "12", "18", "20", _OFF),
}
"""The values that are offered of settings with too many; any other can be typed."""

KEYS: Final = {"bot.panel.{}.value": (_SOME,)}
"""The keys that this module puts together, by their template: the members of each hole."""

_ZONES: Final[Mapping[str, Sequence[str]]] = {
    "uk": ("Europe/Kyiv", "Europe/Warsaw", "Europe/Berlin", "Europe/London", "America/Toronto", "UTC"),
    "ru": ("Europe/Kyiv", "Europe/Moscow", "Europe/Berlin", "Asia/Tbilisi", "Asia/Almaty", "Asia/Jerusalem", "UTC"),
    "en": ("Europe/London", "Europe/Berlin", "America/New_York", "America/Chicago", "America/Los_Angeles", "Australia/Sydney", "UTC"),
}  # fmt: skip
"""The time zones that are offered, by language."""


def asked(context: Context, spec: CommandSpec) -> str | None:
    """Return the setting that a command names without a value, which asks for its values; None if it names none.

    Raises:
        CommandError: a word that is no setting.
    """
    names = argument_names(spec)
    found = None
    for word in context.command.words:
        found = names.get(word.casefold())
        if found is None:
            raise no_such_word(word)
    return found


def card(context: Context, spec: CommandSpec, panel: Panel, question: str | None, *also: Button) -> View:
    """Return the card of a command's settings, or the values of the one that is asked about."""
    words = context.words
    if question is None or question not in panel.choices:
        return panel.card(words, *also)
    typed = []
    if question in _SOME or question == "zone":
        form = " ".join(filter(None, (f"/{spec.name}", panel.scope, f"{question}:…")))
        typed.append(words("bot.panel.typed", form=form, what=words(f"bot.slash.arg.{question}.what")))
    return panel.question(question, words, *typed)


def choices(
    context: Context, spec: CommandSpec, now: Settings, change: Change
) -> Mapping[str, Sequence[Choice]]:
    """Return what can be chosen for each setting of a command; not what `change` refuses as things are."""
    found = {}
    for argument in spec.arguments:
        if argument == PAGE and context.resources.page is None:
            continue
        if argument.named and (offered := list(_offered(context, argument, now, change))):
            found[argument.name] = offered
    return found


def _offered(context: Context, argument: Argument, now: Settings, change: Change) -> Iterator[Choice]:
    name, words = argument.name, context.words
    if name == "games":
        yield from _games(context, now)
        return
    values = argument.words or (_ZONES[words.language] if name == "zone" else _SOME[name])
    for value in values:
        try:
            changed = change(now, {name.replace("-", ""): value})
        except CommandError:
            continue
        # Warnings that only beginners get are on, too.
        same = replace(changed, warned=now.warned) == now
        yield Choice(f"{name}:{value}", _label(argument, value, words), same)


def _games(context: Context, now: Settings) -> Iterator[Choice]:
    """Yield a choice for each game: to allow it, or not any more. The question stays, since several can be chosen."""
    known = tuple(context.table.games)
    allowed = now.games or known
    for key in known:
        kept = [each for each in known if (each in allowed) != (each == key)]
        typed = "all" if len(kept) == len(known) else ",".join(kept)
        if kept:
            yield Choice(f"games games:{typed}", context.words(f"{key}.name"), key in allowed)


def _label(argument: Argument, value: str, words: Words) -> str:
    if value == _OFF and not argument.words:
        return words("bot.panel.no-limit" if argument.name == "most" else "bot.panel.off")
    match argument.name:
        case "language":
            return NAMES[value]
        case "reminders":
            said = ", ".join(f"{share}%" for share in value.split(","))
        case "quiet":
            said = value.replace("-", "–")
        case "puzzle" | "most":
            said = value
        case _:
            return words(argument.label(value)) if argument.words else value
    return words(f"bot.panel.{argument.name}.value", value=said)
