"""Cards of settings: what is chosen, with a button for each setting. A press stands for what is typed after a command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.callback_data import CallbackData, Verb
from bot.i18n import Words
from bot.view import Button, View


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
