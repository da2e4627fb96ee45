"""Cards of /seek: what is sought, who seeks, and the questions for those who press instead of typing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.i18n import Words
from bot.presenter.clocks import clock_text
from bot.presenter.naming import game_title, player_name
from bot.seeking.seeks import Seek, Terms
from bot.view import Button, View
from play.match import Match
from play.people import Account
from play.time.clock_text import clock_of
from rules.core import AnyGame

KEYS: Final = {"bot.seek.button.rated.{}": (("yes", "no"),)}
"""The keys that this module puts together, by their template: the members of each hole."""

LISTED: Final = 10
"""Seeks shown in the list."""

CLOCKS: Final = ("1d", "3d", "12h", "none")
"""The clocks that buttons offer."""

NEW: Final = "new"
"""The word before a game after which the other terms are asked for; buttons say it."""


def described(game: AnyGame, terms: Terms, words: Words) -> str:
    """Return what is sought: the game, the clock, whether it is rated."""
    parts = [game_title(game, dict(terms.options), words)]
    if (clock := clock_of(terms.clock)) is not None:
        parts.append(clock_text(clock, words))
    if terms.rated:
        parts.append(words("bot.seek.rated"))
    return ", ".join(parts)


def own(game: AnyGame, seek: Seek, said: str, words: Words) -> tuple[str, str]:
    """Return the lines about the reader's own seek; `said` is what becomes of it."""
    what = described(game, seek.terms, words)
    if seek.terms.rated:
        what = words("bot.seek.yours", what=what, rating=seek.rating)
    return what, said


def cancel(match: Match, label: str) -> Button:
    """Return the button that ends a seek of the reader's."""
    return Button(label, CallbackData(Verb.WITHDRAW, match.id, match.revision))


def listed(
    games: Mapping[str, AnyGame],
    offered: Iterable[str],
    found: Sequence[tuple[Seek, Match]],
    reader: Account,
    words: Words,
) -> View:
    """Return the open seeks with a button to play or to cancel each, then a button to seek each offered game."""
    lines, buttons = [], []
    for number, (seek, match) in enumerate(found[:LISTED], 1):
        name, mine = player_name(seek.player, words), seek.player.account == reader
        if seek.terms.rated:
            name = words("bot.seek.with-rating", name=name, rating=seek.rating)
        what = described(games[seek.terms.game], seek.terms, words)
        lines.append(words("bot.seek.line", number=number, name=name, what=what))
        if mine:
            buttons.append(cancel(match, words("bot.button.seek-withdraw", number=number)))
        else:
            label = words("bot.button.seek-join", number=number)
            buttons.append(Button(label, CallbackData(Verb.JOIN, match.id, match.revision)))
    buttons += [press(words(f"{key}.name"), f"{NEW} {key}") for key in offered]
    head = words("bot.seek.list") if lines else words("bot.seek.none")
    return View(lines=(head, *lines, words("bot.seek.choose")), buttons=tuple(buttons))


def which_clock(line: str, words: Words) -> View:
    """Return the question for a clock; a press says a line with it."""
    buttons = []
    for typed in CLOCKS:
        clock = clock_of(typed)
        label = words("bot.order.no-clock") if clock is None else clock_text(clock, words)
        buttons.append(press(label, f"{line} clock:{typed}"))
    return View(lines=(words("bot.order.clock"),), buttons=tuple(buttons))


def which_rating(line: str, words: Words) -> View:
    """Return the question whether the match is rated; a press says a line with the answer."""
    buttons = [
        press(words(f"bot.seek.button.rated.{answer}"), f"{line} rated:{answer}") for answer in ("yes", "no")
    ]
    return View(lines=(words("bot.seek.which-rating"),), buttons=tuple(buttons))


def press(label: str, typed: str) -> Button:
    """Return a button that does what is typed after /seek."""
    return Button(label, CallbackData.without_match(Verb.SEEK, typed))
