"""What a person, or a place, has chosen, in words.

Cards of settings: what is chosen, with a button for each setting. A press stands for what is typed after a command.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import NAMES, Words
from bot.chat.view import Button, View
from play.ratings.model import SETTLED
from play.settings import OldBoards, QuietHours, Settings
from render.picture import Theme
from rules.core import AnyGame

KEYS: Final = {"bot.config.old-boards.{}": (OldBoards,), "bot.theme.{}": (Theme,)}
"""The keys that this module puts together, by their template: the members of each hole."""

ADMINS: Final = "admins"
PLAYERS: Final = "players"
"""Who may end a match."""


def place_lines(
    place: Settings, games: Mapping[str, AnyGame], theme: Theme, words: Words
) -> Mapping[str, str]:
    """What is chosen for a place, by setting."""
    allowed = [words(f"{key}.name") for key in games if not place.games or key in place.games]
    return {
        "language": _language(place, words),
        "games": words("bot.config.games", games=words.list(allowed)),
        "most": words.count("bot.config.most", place.most) if place.most else words("bot.config.no-most"),
        "threads": words("bot.config.threads" if place.threads else "bot.config.no-threads"),
        "page": words("bot.config.page" if place.page else "bot.config.no-page"),
        "old-boards": words(f"bot.config.old-boards.{place.old_boards}"),
        "quiet": quiet_text(place.quiet, words) if place.quiet else words("bot.settings.no-quiet"),
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
        "quiet": quiet_text(settings.quiet, words) if settings.quiet else words("bot.settings.no-quiet"),
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


def _language(place: Settings, words: Words) -> str:
    if not place.language:
        return words("bot.config.no-language")
    return words("bot.config.language", language=NAMES[place.language])


def quiet_text(quiet: QuietHours, words: Words) -> str:
    """When nothing is to disturb."""
    return words(
        "bot.settings.quiet", start=f"{quiet.start:%H:%M}", end=f"{quiet.end:%H:%M}", zone=quiet.zone
    )


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that a setting can have.

    Attributes:
        typed: What is typed to choose it.
        label: In words.
        holds: Whether the setting has it now.
    """

    typed: str
    label: str
    holds: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """The settings that a command changes.

    Attributes:
        verb: Of buttons that run the command.
        scope: What is typed first, before each change.
        lines: What is chosen, by setting.
        choices: By setting, in the order of their buttons; of settings that can be changed now.
    """

    verb: Verb
    scope: str
    lines: Mapping[str, str]
    choices: Mapping[str, Sequence[Choice]]

    def card(self, words: Words, *also: Button) -> View:
        """Every setting with its button: one with two values takes the other, one with more asks which."""
        return View(lines=tuple(self.lines.values()), buttons=(*self._settings(words), *also))

    def _settings(self, words: Words) -> Iterable[Button]:
        for name, choices in self.choices.items():
            title = words(f"bot.panel.{name}")
            if [choice.holds for choice in choices] in ([True, False], [False, True]):
                first, second = choices
                yield self._button(
                    Choice((second if first.holds else first).typed, title, first.holds), words
                )
            else:
                yield self._button(Choice(name, words("bot.panel.which", setting=title)), words)

    def question(self, name: str, words: Words, *said: str, back: Button | None = None) -> View:
        """The values of one setting, each with its button, and the way back: to the card unless it is another."""
        buttons = [self._button(choice, words) for choice in self.choices[name]]
        buttons.append(back or self._button(Choice("", words("bot.button.back")), words))
        return View(lines=tuple(filter(None, (self.lines.get(name), *said))), buttons=tuple(buttons))

    def _button(self, choice: Choice, words: Words) -> Button:
        label = words("bot.panel.holds", label=choice.label) if choice.holds else choice.label
        return opens(self.verb, label, self.scope, choice.typed)


def opens(verb: Verb, label: str, *typed: str) -> Button:
    """A button that runs the command of a verb with what is typed after it."""
    return Button(label, CallbackData.without_match(verb, " ".join(filter(None, typed))))
