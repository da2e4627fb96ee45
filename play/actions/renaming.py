"""Putting one player in the place of another throughout a match: a second account, or one that is to be forgotten.

Showing a match in more places than where it was made.

Once it is shown in as many as it can be, a place that a stranger asked for gives way, so that strangers cannot keep others out. Who
asked for a place is kept as a number of 16 bits, which tells apart the few who did for one match, and names none of them.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import ClassVar, TypeAlias, TypeVar

from play.actions.leaving import Leave, Resign
from play.actions.seating import Decline, Withdraw
from play.errors import BadLog, BadRequest, PlayError, Refused, WrongPhase
from play.facts import CalledOff, Departed, LeftLobby, Renamed, TurnedDown, Watching
from play.match import MAX_ADDRESSES, Chair, Match
from play.people import Account, Address, Player, channel, forgotten, private_place
from play.ratings.records import count, seated
from play.replay import Course
from play.request import Action, Replayer, Request, check_live
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
        return Renamed(_renamed(match, request.account, self.to)), None


@dataclass(frozen=True, slots=True)
class Forget(Action[Removal]):
    """Take the player who asks out of a match: their invitation is withdrawn, their game given up, their name replaced.

    That they go is announced without their name.
    """

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Removal, Course | None]:
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
    def other(player: Player | None) -> Player | None:
        return to if player is not None and player.account == who else player

    chairs = tuple(Chair(other(chair.player), other(chair.reserved)) for chair in match.chairs)
    host = other(match.host)
    assert host is not None, "a host"  # noqa: S101 - only None becomes None
    return replace(match, chairs=chairs, host=host)


def _without(match: Match, who: Account, unknown: Player) -> Match:
    # It is not shown in the account's private chat any more. Remarks go too: they may name people.
    private = private_place(who)
    shown = tuple(address for address in match.addresses if address != private)
    return replace(_renamed(match, who, unknown), addresses=shown, remarks=())


def _unnamed(fact: F, before: Match, who: Account) -> F:
    unknown = _unknown(before, who)
    fact = replace(fact, match=_without(fact.match, who, unknown))
    if isinstance(fact, CalledOff):
        return replace(fact, by=unknown)
    return replace(fact, player=unknown)


def _unknown(match: Match, who: Account) -> Player:
    own = (seat for seat, chair in enumerate(match.chairs) if chair.concerns(who))
    return forgotten(next(own, len(match.chairs)))


@dataclass(frozen=True, slots=True)
class Watch(Action[Watching]):
    """Show a match at one more place, or no longer (`on` is false). Where it was made, and at places that play it, it is always shown."""

    where: Address
    on: bool = True

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[Watching, None]:
        where = self.where
        asked = tuple((place, by) for place, by in match.shown_by if place != where)
        if not self.on:
            if match.seat_of(channel(where)) is not None:
                raise WrongPhase(Refused.ALREADY_WATCHING)
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
    """Show a match at one more place, for which another one gives way if it has to; `joins`: the asker is about to play."""
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
    watching = {place for place in match.addresses if match.seat_of(channel(place)) is None}
    strange = [(place, by) for place, by in match.shown_by if by not in numbers and place in watching]
    held = Counter(by for _, by in strange)
    most = max(held.values(), default=0)
    if not joins and who not in players and held[_number(who)] + 2 > most:
        return None
    return next((place for place, by in strange if held[by] == most), None)


def _number(account: Account) -> int:
    return int.from_bytes(blake2b(str(account).encode(errors="replace"), digest_size=2).digest(), "big")
