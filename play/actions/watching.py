"""Showing a match in more places than where it was made.

Once it is shown in as many as it can be, a place that a stranger asked for gives way, so that strangers cannot keep others out. Who
asked for a place is kept as a number of 16 bits, which tells apart the few who did for one match, and names none of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import ClassVar

from play.actions.action import Action, Replayer
from play.checks import check_live
from play.errors import Refused, WrongPhase
from play.facts import Watching
from play.match import MAX_ADDRESSES, Match
from play.people import Account, Address
from play.request import Request
from play.table import Table


@dataclass(frozen=True, slots=True)
class Watch(Action[Watching]):
    """Show a match at one more place, or no longer (`on` is false). Where it was made it is always shown.

    Raises:
        WrongPhase: called off or over, shown there already, not shown there, or shown in too many places.
    """

    where: Address
    on: bool = True

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[Watching, None]:
        """See `Action.decide`."""
        where = self.where
        asked = tuple((place, by) for place, by in match.shown_by if place != where)
        if not self.on:
            if where not in match.addresses[1:]:
                raise WrongPhase(Refused.NOT_WATCHING)
            rest = tuple(address for address in match.addresses if address != where)
            return Watching(replace(match, addresses=rest, shown_by=asked), where, False), None
        if where in match.addresses:
            raise WrongPhase(Refused.ALREADY_WATCHING)
        check_live(match)
        if len(match.addresses) >= MAX_ADDRESSES:
            raise WrongPhase(Refused.TOO_MANY_PLACES, limit=MAX_ADDRESSES)
        asked = (*asked, (where, _number(request.account)))
        match = replace(match, addresses=(*match.addresses, where), shown_by=asked)
        return Watching(match, where, True), None


async def show(
    table: Table, match: Match, where: Address, request: Request, *, joins: bool = False
) -> Watching:
    """Show a match at one more place, for which another one gives way if it has to.

    Args:
        table: Of the match.
        match: As it was a moment ago.
        where: The place.
        request: Who asks.
        joins: Whether they are about to play in it.

    Raises:
        WrongPhase: as for `Watch`; no place gives way.
    """
    try:
        return await table.act(match.id, Watch(where), request, known=match)
    except WrongPhase as refused:
        if refused.reason is not Refused.TOO_MANY_PLACES:
            raise
        out = _giving_way(await table.get(match.id), request.account, joins=joins)
        if out is None:
            raise
    done = request.operation
    freeing = replace(done, id=f"{done.id}:freed") if done else None
    await table.act(match.id, Watch(out, on=False), replace(request, operation=freeing))
    return await table.act(match.id, Watch(where), request)


def _giving_way(match: Match, who: Account, *, joins: bool) -> Address | None:
    """Return the oldest place of the stranger who asked for most of them, for a player, or a stranger with at least two fewer."""
    players = [*match.people()]
    numbers = {*map(_number, players)}
    strange = [(place, by) for place, by in match.shown_by if by not in numbers and place in match.addresses]
    held = Counter(by for _, by in strange)
    most = max(held.values(), default=0)
    if not joins and who not in players and held[_number(who)] + 2 > most:
        return None
    return next((place for place, by in strange if held[by] == most), None)


def _number(account: Account) -> int:
    return int.from_bytes(blake2b(str(account).encode(errors="replace"), digest_size=2).digest(), "big")
