"""The privacy notice and the terms: the texts of `/privacy`, of the page's `/privacy` and `/terms`, and of `docs/`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.i18n import Words
from bot.presenter.cards import paragraphs


@dataclass(frozen=True, slots=True)
class Operator:
    """Who runs the bot, and how they are reached, as they have set it."""

    name: str | None = None
    contact: str | None = None

    def told(self, words: Words) -> Sequence[str]:
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
    return operator.told(words) or [words("bot.legal.unnamed")]


LEGAL: Final = {"privacy": privacy, "terms": terms}
"""The texts by the name of their page."""
