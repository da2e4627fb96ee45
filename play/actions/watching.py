"""Showing a match in more places than where it was made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from play.actions.action import Action, Replayer
from play.checks import check_live
from play.errors import Refused, WrongPhase
from play.facts import Watching
from play.match import MAX_ADDRESSES, Match
from play.people import Address
from play.request import Request


@dataclass(frozen=True, slots=True)
class Watch(Action[Watching]):
    """Show a match at one more place, or no longer (`on` is false). Where it was made it is always shown.

    Raises:
        WrongPhase: called off or over, shown there already, not shown there, or shown in too many places.
    """

    where: Address
    on: bool = True

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, _request: Request) -> tuple[Watching, None]:
        """See `Action.decide`."""
        where = self.where
        if not self.on:
            if where not in match.addresses[1:]:
                raise WrongPhase(Refused.NOT_WATCHING)
            rest = tuple(address for address in match.addresses if address != where)
            return Watching(replace(match, addresses=rest), where, False), None
        if where in match.addresses:
            raise WrongPhase(Refused.ALREADY_WATCHING)
        check_live(match)
        if len(match.addresses) >= MAX_ADDRESSES:
            raise WrongPhase(Refused.TOO_MANY_PLACES, limit=MAX_ADDRESSES)
        return Watching(replace(match, addresses=(*match.addresses, where)), where, True), None
