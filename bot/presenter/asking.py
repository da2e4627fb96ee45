"""Asking once more before something that cannot be taken back."""

from __future__ import annotations

from typing import Final

from bot.callback_data import Verb
from bot.i18n import Words
from bot.presenter.controls import button
from bot.presenter.naming import Naming
from bot.view import View
from play.match import Match
from rules.core import AnyGame

SURE: Final = "sure"
"""What a button says in its argument that is pressed after the question."""


def resign(game: AnyGame, match: Match, words: Words) -> View:
    """Whether somebody wants to give up."""
    names = Naming(game, match, words)
    sure = button(words, match, Verb.RESIGN, SURE, label=words("bot.resign.sure"))
    return View(
        lines=(names.title, words("bot.resign.ask")),
        buttons=(sure,),
        code=match.id,
        revision=match.revision,
    )
