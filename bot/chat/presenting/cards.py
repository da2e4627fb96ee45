"""What is said where the bot is new, and the legal texts of `/privacy`, of the page and of `docs/`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.view import Button, View, opens

BULLET: Final = "· "  # before each line of a list

# The setup of a match, and of one against an engine; see `bot.features.matches.setup_questions.MatchSetup`.
NEW_MATCH: Final = CallbackData.without_match(Verb.ORDER, "c")
AGAINST_ENGINE: Final = CallbackData.without_match(Verb.ORDER, "c////e")


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a card."""
    return [part.strip() for part in text.split("\n\n") if part.strip()]


def apart(parts: Sequence[str]) -> list[str]:
    """Paragraphs with a blank line between them."""
    return [line for part in parts for line in ("", part)][1:]


def greeting(words: Words, key: str = "bot.greeting", *, first: bool = False) -> View:
    """Hello (or the words of another key), with what can be done; to learn a game, where a person is greeted `first`."""
    help_button = Button(words("bot.greeting.help"), CallbackData.without_match(Verb.HELP))
    learning = (learn(words),) if first else ()
    return View(lines=(words(key),), buttons=(play(words), *learning, rules_button(words), help_button))


def against_computer(words: Words) -> Button:
    """Begins an order against an engine."""
    return Button(words("bot.greeting.computer"), AGAINST_ENGINE, style="good")


def play(words: Words) -> Button:
    """Begins an order."""
    return Button(words("bot.greeting.play"), NEW_MATCH, style="good")


def learn(words: Words, game: str = "") -> Button:
    """Begins the lesson of a game, or asks of which."""
    return opens(Verb.LEARN, words("bot.button.learn" if game else "bot.greeting.learn"), game)


def rules_button(words: Words) -> Button:
    """Shows which games there are."""
    return Button(words("bot.greeting.rules"), CallbackData.without_match(Verb.RULES))


@dataclass(frozen=True, slots=True)
class Operator:
    """Who runs the bot, and how they are reached, as they have set it."""

    name: str | None = None
    contact: str | None = None

    def lines(self, words: Words) -> Sequence[str]:
        """Return the lines that say so."""
        lines = [words("bot.legal.operator", name=self.name)] if self.name else []
        return [*lines, words("bot.legal.contact", contact=self.contact)] if self.contact else lines


@dataclass(frozen=True, slots=True)
class LegalText:
    """A title and paragraphs, as plain text."""

    title: str
    paragraphs: Sequence[str]


def privacy(words: Words, operator: Operator) -> LegalText:
    """Return the notice: what `/privacy` says in a chat, and what takes too long for one."""
    said = (*paragraphs(words("bot.privacy")), *paragraphs(words("bot.legal.privacy.more")))
    return LegalText(words("bot.legal.privacy"), (*said, *_reach(words, operator)))


def terms(words: Words, operator: Operator) -> LegalText:
    """Return the terms."""
    said = paragraphs(words("bot.legal.terms.text"))
    return LegalText(words("bot.legal.terms"), (*said, *_reach(words, operator)))


def _reach(words: Words, operator: Operator) -> Sequence[str]:
    return operator.lines(words) or [words("bot.legal.unnamed")]


LEGAL: Final = {"privacy": privacy, "terms": terms}  # the texts by the name of their page
