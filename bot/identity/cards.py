"""Cards about linked accounts, stored data and being forgotten."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.callback_data import CallbackData, Verb
from bot.i18n import Words
from bot.identity.questions import LinkQuestion, MatchCounts
from bot.presenter.cards import paragraphs
from bot.presenter.controls import CONFIRMED
from bot.presenter.legal import Operator
from bot.presenter.naming import clean
from bot.view import Button, View
from play.people import Player


def stored(words: Words, operator: Operator, page: str | None) -> View:
    """Return what is stored about a person, why, how to delete it, and who runs the bot; `page` is the board page's address."""
    lines = [*paragraphs(words("bot.privacy")), *operator.told(words)]
    if page is None:
        return View(lines=tuple(lines))
    url = f"{page.rstrip('/')}/privacy?lang={words.language}"
    return View(lines=(*lines, words("bot.legal.whole", url=url)), urls=(url,))


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


def to_second(asked: LinkQuestion, count: MatchCounts, code: str, words: Words) -> View:
    """Ask the account that typed a code whether the one that it came from is to be asked."""
    return _question(asked, count, words, (f"ask {code}", f"drop {code}"))


def to_first(asked: LinkQuestion, count: MatchCounts, words: Words) -> View:
    """Ask the account whose code was typed whether the other one is the same person's."""
    return _question(asked, count, words, (f"yes {asked.key}", f"no {asked.key}"))


def _question(asked: LinkQuestion, count: MatchCounts, words: Words, answers: tuple[str, str]) -> View:
    """Name the other account and what is shared; `answers` are what the buttons for yes and no ask for."""
    yes, no = answers
    buttons = (
        Button(words("bot.link.yes"), CallbackData.without_match(Verb.LINK, yes), style="good"),
        Button(words("bot.link.no"), CallbackData.without_match(Verb.LINK, no), style="danger"),
    )
    lines = (
        words("bot.link.ask", name=clean(asked.other.name), platform=platform_name(asked.other)),
        words("bot.link.shares", yours=count.own, theirs=count.other, first=clean(asked.first.name)),
        words("bot.link.sure"),
    )
    return View(lines=lines, buttons=buttons)


def asked(first: Player, kept: timedelta, words: Words) -> View:
    """Say that the other account is asked now, and what to do if the question does not come."""
    said = words(
        "bot.link.asked",
        name=clean(first.name),
        platform=platform_name(first),
        left=words.time_left(kept),
        command="/link",
    )
    return View(lines=(said,))


def refused(words: Words) -> View:
    """Say that accounts stay separate."""
    return View(lines=(words("bot.link.refused"),))


def answered(first: Player, yes: bool, words: Words) -> View:
    """Tell the account that asked what the other one has answered."""
    if yes:
        return linked(first, words)
    return View(lines=(words("bot.link.said-no", name=clean(first.name), platform=platform_name(first)),))


def platform_name(player: Player) -> str:
    """Return the name of a player's platform."""
    return player.account.platform.capitalize()


def linked(first: Player, words: Words) -> View:
    """Say that two accounts are one person's now."""
    return View(lines=(words("bot.link.done", name=clean(first.name)),))


def unlinked(words: Words) -> View:
    """Say that the accounts are separate again."""
    return View(lines=(words("bot.link.undone"),))
