"""Putting one player in the place of another throughout a match: a second account, or one that is to be forgotten."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias, TypeVar

from play.actions.action import Action, Replayer
from play.actions.invitations import Decline, Withdraw
from play.actions.leaving import Leave, Resign
from play.errors import BadLog, BadRequest, PlayError
from play.facts import CalledOff, Departed, LeftLobby, Renamed, TurnedDown
from play.match import Chair, Match
from play.people import Account, Player, forgotten, private_place
from play.ratings.counting import count, seated
from play.replay import Course
from play.request import Request
from play.table import Table
from rules.core import RulesError

Removal: TypeAlias = CalledOff | LeftLobby | TurnedDown | Departed | Renamed

F = TypeVar("F", bound=CalledOff | LeftLobby | TurnedDown | Departed)


@dataclass(frozen=True, slots=True)
class Rename(Action[Renamed]):
    """Put another player wherever the account that asks is named in a match."""

    to: Player

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[Renamed, None]:
        """See `Action.decide`."""
        return Renamed(_renamed(match, request.account, self.to)), None


@dataclass(frozen=True, slots=True)
class Forget(Action[Removal]):
    """Take the player who asks out of a match: their invitation is withdrawn, their game given up, their name replaced.

    That they go is announced without their name.
    """

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Removal, Course | None]:
        """See `Action.decide`."""
        for way in (Withdraw(), Leave(), Resign(), Decline()):
            with suppress(PlayError, RulesError):  # what cannot be done need not be
                fact, course = way.decide(match, replay, request)
                return _unnamed(fact, match, request.account), course
        unknown = _unknown(match, request.account)
        return Renamed(_without(match, request.account, unknown)), None


async def forget(table: Table, match_id: str, request: Request) -> Removal:
    """Take the player who asks out of a match; see `Forget`.

    What is to be counted for their rating is counted before and at once, so that nothing of theirs is written later.
    """
    people = await seated(table, await table.get(match_id))
    with suppress(BadLog, BadRequest):  # what cannot be replayed cannot be counted
        await count(table, match_id)
    fact = await table.act(match_id, Forget(), request)
    with suppress(BadLog, BadRequest):
        await count(table, match_id, people)
    return fact


def _renamed(match: Match, who: Account, to: Player) -> Match:
    """Return the match with another player wherever an account is named in it."""

    def other(player: Player | None) -> Player | None:
        return to if player is not None and player.account == who else player

    chairs = tuple(Chair(other(chair.player), other(chair.reserved)) for chair in match.chairs)
    host = other(match.host)
    assert host is not None, "a host"  # noqa: S101 - only None becomes None
    return replace(match, chairs=chairs, host=host)


def _without(match: Match, who: Account, unknown: Player) -> Match:
    """Return the match with an unknown player in place of an account, and not shown in the account's private chat.

    Remarks go too: they may name people.
    """
    private = private_place(who)
    shown = tuple(address for address in match.addresses if address != private)
    return replace(_renamed(match, who, unknown), addresses=shown, remarks=())


def _unnamed(fact: F, before: Match, who: Account) -> F:
    """Return what an account did last, without its name, in a match without it.

    Args:
        fact: They left, withdrew or declined.
        before: The match when they had not yet.
        who: They.
    """
    unknown = _unknown(before, who)
    fact = replace(fact, match=_without(fact.match, who, unknown))
    if isinstance(fact, CalledOff):
        return replace(fact, by=unknown)
    return replace(fact, player=unknown)


def _unknown(match: Match, who: Account) -> Player:
    """Return the anonymous player that takes an account's place in a match."""
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
