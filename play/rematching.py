"""The same game once more: the same people, options and clock, rated or not, everybody one seat on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from play.checks import check_not_called_off, seat_of
from play.errors import Refused, WrongPhase
from play.invitations import MAX_ADDRESSES, expecting, invitation
from play.match import Chair, Match, Phase
from play.people import Address, Player, entering
from rules.core import AnyGame, Seat, Sides


def rematch(
    game: AnyGame,
    old: Match,
    who: Player,
    where: Address | None,
    at: datetime,
    *,
    also: Sequence[Address] = (),
) -> Match:
    """The invitation to a rematch, with the asker seated and everybody else's chair kept, engines seated; it has no id yet.

    Raises:
        NotAllowed: the asker was not seated.
        WrongPhase: the match is not over, or never began.
        BadOption: its options cannot be played any more.
    """
    seat_of(old, who)
    check_not_called_off(old)
    if old.phase is not Phase.OVER:
        raise WrongPhase(Refused.NOT_OVER)
    options = game.choose(dict(old.options))
    chairs = [Chair()] * len(old.chairs)
    for seat, to in next_seats(game.sides(options)).items():
        player = old.chairs[seat].player
        if player and player.account == who.account:
            chairs[to] = Chair(player=entering(who))
        else:
            chairs[to] = expecting(player) if player else Chair()
    places = (*((where,) if where else ()), *also, *old.addresses)
    addresses = tuple(dict.fromkeys(places))[:MAX_ADDRESSES]
    made = invitation(game, options, who, chairs, addresses=addresses, at=at, clock=old.clock)
    return replace(made, rematch_of=old.id, rated=old.rated)


def next_seats(sides: Sides) -> dict[Seat, Seat]:
    """Where each seat's person sits in a rematch: one seat on, the last one first; with two seats, they swap.

    Where that would part team-mates, each moves to the same place in the next team instead.
    """
    seats = sorted(seat for side in sides for seat in side)
    onward = dict(zip(seats, (*seats[1:], seats[0]), strict=True))
    teams = {frozenset(side) for side in sides}
    if {frozenset(onward[seat] for seat in side) for side in sides} == teams:
        return onward
    if len({len(side) for side in sides}) > 1:
        return {seat: seat for seat in seats}
    return {
        seat: to
        for side, after in zip(sides, (*sides[1:], sides[0]), strict=True)
        for seat, to in zip(side, after, strict=True)
    }
