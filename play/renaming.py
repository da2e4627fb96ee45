"""Putting one person in the place of another throughout a match: who has two accounts, or wants to be forgotten."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeVar

from play.facts import CalledOff, Departed, LeftLobby, Renamed
from play.match import Chair, Match
from play.people import Account, Player

F = TypeVar("F", bound=CalledOff | LeftLobby | Departed)

GONE: Final = "gone"
"""The platform of those who were forgotten. Nobody else's: it has no places, and nobody is told anything there."""


def forgotten(seat: int) -> Player:
    """Whom a match has in the place of somebody who was forgotten."""
    return Player(Account(GONE, str(seat + 1)), "—")


def is_forgotten(account: Account) -> bool:
    """Whether it stands for somebody who was forgotten."""
    return account.platform == GONE


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
    return rename(match, who, _somebody(match, who))


def unnamed(fact: F, before: Match, who: Account) -> F:
    """What somebody did last, told without their name, in a match without it.

    Args:
        fact: They left, withdrew or declined.
        before: The match when they had not yet.
        who: They.
    """
    unknown = _somebody(before, who)
    fact = replace(fact, match=rename(fact.match, who, unknown).match)
    if isinstance(fact, CalledOff):
        return replace(fact, by=unknown)
    return replace(fact, player=unknown)


def _somebody(match: Match, who: Account) -> Player:
    """Whom a match has in somebody's place."""
    seat = next(
        (
            index
            for index, chair in enumerate(match.chairs)
            for player in (chair.player, chair.reserved)
            if player is not None and player.account == who
        ),
        len(match.chairs),
    )
    return forgotten(seat)
