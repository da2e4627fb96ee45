"""What people see of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from bot.chat.i18n import Words
from bot.chat.view import View
from bot.features.events.parts import EventForm, News, Shown
from play.events.entries import Paired
from play.events.event import Changed
from play.people import Account
from rules.core import Reason
from storage.ports import FullStore


class PairsRefusal(Reason):
    """Why something is not done with pairs."""

    NONE_HERE = "bot.pairs.refused.none-here"


def card(shown: Shown) -> View:
    """Return who plays whom."""
    games = [shown.opponents(game) for game in shown.event.state.games]
    return shown.view(*games, buttons=[shown.button("bot.cup.button.join", "join", good=True)])


def mine(shown: Shown, _who: Account) -> View:
    """Return the card: everybody sees the same."""
    return card(shown)


def table(shown: Shown, _page: int | None, _who: Account) -> View:
    """Return the card: there is no other table."""
    return card(shown)


def news(_shown: Shown, _facts: Sequence[Changed]) -> News:
    """Return nothing: the matches say that they begin."""
    return News((), ())


async def profile(_store: FullStore, _account: Account, _words: Words, _at: datetime) -> str | None:
    """Return nothing."""
    return None


FORM: Final = EventForm(PairsRefusal.NONE_HERE, card, mine, table, news, profile, calling=(Paired,))
