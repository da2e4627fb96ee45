"""Putting one person in the place of another throughout a match: who has two accounts, or wants to be forgotten."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from play.facts import Renamed
from play.match import Chair, Match
from play.people import Account, Player

GONE: Final = "gone"
"""The platform of those who were forgotten. Nobody else's: it has no places, and nobody is told anything there."""


def forgotten(seat: int) -> Player:
    """Whom a match has in the place of somebody who was forgotten."""
    return Player(Account(GONE, str(seat + 1)), "—")


def rename(match: Match, who: Account, to: Player) -> Renamed:
    """The match with another person wherever somebody is named in it."""

    def other(player: Player | None) -> Player | None:
        return to if player is not None and player.account == who else player

    chairs = tuple(Chair(other(chair.player), other(chair.reserved)) for chair in match.chairs)
    host = other(match.host)
    assert host is not None, "a host"  # noqa: S101 - nobody becomes None
    return Renamed(replace(match, chairs=chairs, host=host))


def forget(match: Match, who: Account) -> Renamed:
    """The match without anything about somebody but what they played."""
    seat = next(
        (
            index
            for index, chair in enumerate(match.chairs)
            for player in (chair.player, chair.reserved)
            if player is not None and player.account == who
        ),
        len(match.chairs),
    )
    return rename(match, who, forgotten(seat))
