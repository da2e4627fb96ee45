"""Ratings in words: what a match did to them, and who has which."""

from __future__ import annotations

from bot.presenter.presentation import Presentation
from play.people import Player, is_forgotten
from play.ratings.model import MOST_A_DAY, Rating, ended_rated, uncounted
from rules.core import Seat


def number(rating: Rating) -> str:
    """A rating as people see it; a provisional one with a question mark."""
    return f"{rating.shown}?" if rating.provisional else str(rating.shown)


def changed(presentation: Presentation) -> tuple[str, ...]:
    """What a rated match that is over did to ratings, or why it did nothing, in a line; empty for any other match."""
    names, words, changes = presentation.names, presentation.words, presentation.changes
    if not ended_rated(names.match):
        return ()
    if (why := uncounted(names.match, presentation.course)) is not None:
        return (words(why),)
    parts = [
        words(
            "bot.rating.change",
            name=names.seat(Seat(index)),
            rating=number(change.after),
            gained=signed(change.gained),
        )
        for index, change in enumerate(changes)
        if change is not None and not _forgotten(names.player(Seat(index)))
    ]
    if parts:
        return (words("bot.rating.changed", changes=", ".join(parts)),)
    known = [player for chair in names.match.chairs if (player := chair.player) and not _forgotten(player)]
    # Counted without a change for anyone, though two players are still known.
    often = len(known) > 1 and len(changes) > 0 and not any(changes)
    return (words.count("bot.rating.often", MOST_A_DAY),) if often else ()


def _forgotten(player: Player | None) -> bool:
    return player is not None and is_forgotten(player.account)


def signed(gained: int) -> str:
    """A change of a rating with its sign."""
    return f"+{gained}" if gained > 0 else f"−{-gained}" if gained else "±0"
