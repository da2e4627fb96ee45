"""Showing a match in more places than where it was made."""

from __future__ import annotations

from dataclasses import replace

from play.checks import check_live
from play.errors import Refused, WrongPhase
from play.facts import Watching
from play.invitations import MAX_ADDRESSES
from play.match import Match
from play.people import Address


def watch(match: Match, where: Address, on: bool) -> Watching:
    """Show a match at one more place, or no longer. Where it was made it is always shown.

    Raises:
        WrongPhase: called off or over, shown there already, not shown there, or shown in too many places.
    """
    if on:
        if where in match.addresses:
            raise WrongPhase(Refused.ALREADY_WATCHING)
        check_live(match)
        if len(match.addresses) >= MAX_ADDRESSES:
            raise WrongPhase(Refused.TOO_MANY_PLACES, limit=MAX_ADDRESSES)
        return Watching(replace(match, addresses=(*match.addresses, where)), where, on)
    if where not in match.addresses[1:]:
        raise WrongPhase(Refused.NOT_WATCHING)
    rest = tuple(address for address in match.addresses if address != where)
    return Watching(replace(match, addresses=rest), where, on)
