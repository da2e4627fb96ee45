"""The same game once more: the same people, options and clock, rated or not, each one seat on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from play.actions.seating import Join
from play.errors import Refused, Stale, WrongPhase
from play.facts import Challenged, Joined, Started
from play.match import Chair, Match, Phase
from play.opening import expecting, invitation, invited
from play.people import Address, entering
from play.ports import derived
from play.request import Request, check_not_called_off, game_named, seat_of
from play.table import CODES, Table
from rules.core import AnyGame, Seat, Sides


async def rematch(
    table: Table,
    match_id: str,
    request: Request,
    *,
    where: Address | None = None,
    also: Sequence[Address] = (),
) -> Challenged | Started | Joined:
    """Ask for the same game again; where another player has asked already, accept.

    Args:
        table: Where the match was played.
        match_id: Of the match that is over.
        request: Who asks.
        where: Where it is shown first; None: where the old one was.
        also: Where else it is shown, to people who do not see that place.

    Raises:
        NotAllowed: the asker was not seated.
        WrongPhase: the match is not over, or never began; or the rematch has begun.
        BadOption: its options cannot be played any more.
    """
    old = await table.get(match_id)
    game = game_named(table.games, old.game)
    fact = invited(game, again(game, old, request, (*((where,) if where else ()), *also, *old.addresses)))
    for code in rematch_codes(old):
        try:
            return await table.commit(replace(fact, match=replace(fact.match, id=code)), request)
        except Stale as taken:
            there = taken.match
        if there.rematch_of == old.id and there.live and not there.expired(request.at):
            try:
                return await table.act(code, Join(), replace(request, seen=None))
            except WrongPhase as refusal:
                if refusal.reason is Refused.ALREADY_STARTED:
                    raise WrongPhase(Refused.REMATCH_BEGUN, code=f"#{code}") from refusal
                raise
    return await table.add(fact, request)


def rematch_codes(old: Match) -> tuple[str, ...]:
    """Return the codes that a match's rematch can have, in the order in which they are tried.

    They follow from the old match's, so that two players who ask at once ask for the same rematch.
    """
    return tuple(derived(old.id, attempt) for attempt in range(CODES))


def again(game: AnyGame, old: Match, request: Request, places: Sequence[Address]) -> Match:
    """Return the invitation, with the asker seated and all other chairs kept, engines seated; it has no id yet.

    Raises:
        NotAllowed, WrongPhase, BadOption: as for `rematch`.
    """
    seat_of(old, request.account)
    check_not_called_off(old)
    if old.phase is not Phase.OVER:
        raise WrongPhase(Refused.NOT_OVER)
    options = game.choose(dict(old.options))
    chairs = [Chair()] * len(old.chairs)
    for seat, to in next_seats(game.sides(options)).items():
        player = old.chairs[seat].player
        if player and player.account == request.account:
            chairs[to] = Chair(player=entering(request.who))
        else:
            chairs[to] = expecting(player) if player else Chair()
    made = invitation(game, options, request, chairs, places)
    return replace(made, clock=old.clock, rematch_of=old.id, rated=old.rated, shown_by=old.shown_by)


def next_seats(sides: Sides) -> dict[Seat, Seat]:
    """Return where each seat's player sits in a rematch: one seat on, the last one first; with two seats, they swap.

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
