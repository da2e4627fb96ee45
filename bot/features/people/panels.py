"""Settings in words, and their panels: what is chosen, with a button for each setting.

A press stands for what is typed after a command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from bot.chat.arguments import PAGE, Argument, CommandSpec, argument_names
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError, no_such_word
from bot.chat.i18n import LANGUAGES, NAMES, Words
from bot.chat.presenting.naming import moment
from bot.chat.view import Button, View, ViewKind, opens
from play.match import Match
from play.ratings.model import SETTLED
from play.settings import OldBoards, QuietHours, Settings, on_vacation
from play.time.vacation import budget_left
from render.picture import Theme
from rules.core import AnyGame

# Who may end a match.
ADMINS: Final = "admins"
PLAYERS: Final = "players"


def spoken() -> str:
    """The languages there are, each by its code and by its own name."""
    return ", ".join(f"{code} ({NAMES[code]})" for code in LANGUAGES)


def place_lines(
    place: Settings, games: Mapping[str, AnyGame], theme: Theme, words: Words
) -> Mapping[str, str]:
    """What is chosen for a place, by setting."""
    allowed = [words(f"{key}.name") for key in games if not place.games or key in place.games]
    return {
        "language": words("bot.config.language", language=NAMES[place.language])
        if place.language
        else words("bot.config.no-language"),
        "games": words("bot.config.games", games=words.list(allowed)),
        "most": words.count("bot.config.most", place.most) if place.most else words("bot.config.no-most"),
        "threads": words("bot.config.threads" if place.threads else "bot.config.no-threads"),
        "page": words("bot.config.page" if place.page else "bot.config.no-page"),
        "old-boards": words(f"bot.config.old-boards.{place.old_boards}"),
        "quiet": quiet_text(place.quiet, words),
        "end": words("bot.config.ends" if place.ends else "bot.config.no-ends"),
        "hints": _hints(place, words),
        "theme": words("bot.settings.theme-here", theme=words(f"bot.theme.{theme.value}")),
        "puzzle": words("bot.config.puzzle", time=f"{place.puzzle.at:%H:%M}", zone=place.puzzle.zone)
        if place.puzzle
        else words("bot.config.no-puzzle"),
    }


def own_lines(settings: Settings, theme: Theme, words: Words) -> Mapping[str, str]:
    """What a person has chosen about time and about boards, by setting."""
    shares = words.list([f"{share}%" for share in settings.reminders])
    zone = settings.own_zone
    return {
        "reminders": words("bot.settings.reminders", shares=shares)
        if settings.reminders
        else words("bot.settings.no-reminders"),
        "quiet": quiet_text(settings.quiet, words),
        "zone": words("bot.settings.zone", zone=zone) if zone else words("bot.settings.no-zone"),
        "headsup": words("bot.settings.heads-up" if settings.heads_up else "bot.settings.no-heads-up"),
        "theme": words("bot.settings.theme", theme=words(f"bot.theme.{theme.value}")),
        "flip": words("bot.settings.flip" if settings.flip else "bot.settings.no-flip"),
        "confirm": words("bot.settings.confirm" if settings.confirm else "bot.settings.no-confirm"),
        "hints": _hints(settings, words),
        "warnings": _warnings(settings, words),
        "profile": words("bot.settings.profile" if settings.profile else "bot.settings.no-profile"),
    }


def _warnings(settings: Settings, words: Words) -> str:
    if settings.warnings and not settings.warned:
        return words("bot.settings.warnings-begun", count=SETTLED)
    return words("bot.settings.warnings" if settings.warnings else "bot.settings.no-warnings")


def _hints(settings: Settings, words: Words) -> str:
    return words("bot.config.hints" if settings.hints else "bot.config.no-hints")


def quiet_text(quiet: QuietHours | None, words: Words) -> str:
    """When nothing is to disturb."""
    if quiet is None:
        return words("bot.settings.no-quiet")
    start, end = f"{quiet.start:%H:%M}", f"{quiet.end:%H:%M}"
    return words("bot.settings.quiet", start=start, end=end, zone=quiet.zone)


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that a setting can have."""

    typed: str  # to choose it
    label: str  # in words
    holds: bool = False  # whether the setting has it now


@dataclass(frozen=True, slots=True)
class Panel:
    """The settings that a command changes."""

    verb: Verb  # of buttons that run the command
    scope: str  # what is typed first, before each change
    lines: Mapping[str, str]  # what is chosen, by setting
    choices: Mapping[str, Sequence[Choice]]  # in the order of their buttons, of what can be changed now

    def card(self, words: Words, *also: Button) -> View:
        """Every setting with its button: one with two values takes the other, one with more asks which."""
        buttons = (*self._settings(words), *also)
        return View(lines=tuple(self.lines.values()), buttons=buttons, kind=self._kind)

    def _settings(self, words: Words) -> Iterable[Button]:
        for name, choices in self.choices.items():
            title = words(f"bot.panel.{name}")
            if [choice.holds for choice in choices] in ([True, False], [False, True]):
                first, second = choices
                other = second if first.holds else first
                yield self._button(Choice(other.typed, title, first.holds), words)
            else:
                yield self._button(Choice(name, words("bot.panel.which", setting=title)), words)

    def question(self, name: str, words: Words, *said: str, back: Button | None = None) -> View:
        """The values of one setting, each with its button, and the way back: to the card unless it is another."""
        buttons = [self._button(choice, words) for choice in self.choices[name]]
        buttons.append(back or self._button(Choice("", words("bot.button.back")), words))
        lines = tuple(filter(None, (self.lines.get(name), *said)))
        return View(lines=lines, buttons=tuple(buttons), kind=self._kind)

    @property
    def _kind(self) -> ViewKind:
        return ViewKind.FORM if self.scope or self.verb is Verb.CONFIG else ViewKind.PANEL

    def _button(self, choice: Choice, words: Words) -> Button:
        label = words("bot.panel.holds", label=choice.label) if choice.holds else choice.label
        return opens(self.verb, label, self.scope, choice.typed)


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
    none = rest <= timedelta()
    left = words("bot.vacation.none-left") if none else words("bot.vacation.left", left=words.time_left(rest))
    return [*lines, left]


Change: TypeAlias = Callable[[Settings, Mapping[str, str]], Settings]
"""Returns settings with typed values chosen in them, by key; an unknown key or a bad value is refused."""

_OFF: Final = "off"

_SOME: Final[Mapping[str, Sequence[str]]] = {
    "reminders": ("50,10", "75,50,25", "25", _OFF),
    "quiet": ("22-8", "23-7", "0-9", _OFF),
    "most": ("1", "3", "5", "10", _OFF),
    "puzzle": ("8", "9", "12", "18", "20", _OFF),
}
"""The values that are offered of settings with too many; any other can be typed."""

KEYS: Final = {  # for the check of the catalogues
    "bot.config.old-boards.{}": (OldBoards,),
    "bot.panel.{}.value": (_SOME,),
    "bot.theme.{}": (Theme,),
}

_ZONES: Final[Mapping[str, Sequence[str]]] = {
    "uk": ("Europe/Kyiv", "Europe/Warsaw", "Europe/Berlin", "Europe/London", "America/Toronto", "UTC"),
    "ru": ("Europe/Kyiv", "Europe/Moscow", "Europe/Berlin", "Asia/Tbilisi", "Asia/Almaty", "Asia/Jerusalem", "UTC"),
    "en": ("Europe/London", "Europe/Berlin", "America/New_York", "America/Chicago", "America/Los_Angeles", "Australia/Sydney", "UTC"),
}  # fmt: skip
"""The time zones that are offered, by language."""


def asked(context: Context, spec: CommandSpec) -> str | None:
    """Return the setting that a command names without a value, which asks for its values; None if it names none."""
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
        yield from _games_offered(context, now)
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


def _games_offered(context: Context, now: Settings) -> Iterator[Choice]:
    # To allow each, or not any more. The question stays, since several can be chosen.
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
