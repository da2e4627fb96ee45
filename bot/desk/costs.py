"""What actions in a match cost of a person's quotas."""

from __future__ import annotations

from typing import Any

from bot.quotas import DRAW_OFFERS, Rate
from play.actions.action import Action
from play.actions.agreeing import OfferDraw, Propose
from play.match import Ask, Match


def cost_of(action: Action[Any], match: Match) -> Rate | None:
    """Return the rate, for a person in a match, that an action takes one of; None for most actions.

    A proposal of what is proposed already accepts it, which costs nothing.
    """
    if isinstance(action, OfferDraw | Propose):
        ask = action.ask if isinstance(action, Propose) else Ask.DRAW
        return None if match.offer and match.offer.ask is ask else DRAW_OFFERS
    return None
