"""Cards about linked accounts, stored data and being forgotten."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.callback_data import CallbackData, Verb
from bot.i18n import Words
from bot.presenter.cards import paragraphs
from bot.presenter.controls import CONFIRMED
from bot.presenter.naming import clean
from bot.view import Button, View
from play.people import Player


def stored(words: Words) -> View:
    """Return what is stored about a person, why, and how to delete it."""
    return View(lines=tuple(paragraphs(words("bot.privacy"))))


def sure(words: Words) -> View:
    """Ask for confirmation before a person is forgotten."""
    yes = CallbackData.without_match(Verb.FORGET, CONFIRMED)
    button = Button(words("bot.forget.sure"), yes, style="danger")
    return View(lines=(words("bot.forget.ask"),), buttons=(button,))


def forgotten(words: Words, rewritten: bool, backup: datetime | None) -> View:
    """Say that a person's data is deleted, and what still holds it.

    Args:
        words: The reader's.
        rewritten: Whether the bot may rewrite the server's append-only file.
        backup: When the last backup was made.
    """
    lines = [words("bot.forget.done"), words("bot.forget.files" if rewritten else "bot.forget.refused")]
    if backup is not None:
        lines.append(words("bot.forget.backup", date=words.date(backup)))
    return View(lines=tuple(lines))


def exported(data: bytes, words: Words) -> View:
    """Return a person's data as a file."""
    return View(lines=(words("bot.privacy.exported"),), files=(("klop-data.zip", data),))


def code(code: str, kept: timedelta, words: Words) -> View:
    """Return the code that links two accounts."""
    return View(lines=(words("bot.link.code", command=f"/link {code}", left=words.time_left(kept)),))


def linked(first: Player, words: Words) -> View:
    """Say that two accounts are one person's now."""
    return View(lines=(words("bot.link.done", name=clean(first.name)),))


def unlinked(words: Words) -> View:
    """Say that the accounts are separate again."""
    return View(lines=(words("bot.link.undone"),))
