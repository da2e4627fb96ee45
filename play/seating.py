"""Taking chairs, giving them back, and the start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from play.checks import check_fresh, check_open, seat_of
from play.clock import first, turned
from play.errors import BadRequest, NotAllowed, Refused, WrongPhase
from play.facts import CalledOff, Joined, LeftLobby, Started
from play.invitations import PLAYERS, called_off, check_unseated, counts_players
from play.machines import is_engine
from play.match import Cancel, Chair, Match, Phase
from play.people import Account, Player, Who, account_of, entering
from play.replay import begun, extended
from rules.core import AnyGame, BadOption, Seat, Sides


def join(
    game: AnyGame, match: Match, who: Player, team: int | None, *, at: datetime, seen: int | None
) -> Started | Joined:
    """Take a chair: of the team asked for; or the one kept for oneself; or one of the team with the fewest members.

    Whoever is seated already and asks for another team goes over to it.

    Raises:
        WrongPhase: begun already, called off, no chair is left, or none in that team.
        NotAllowed: seated already, in that team or without asking for one, or what chairs are left are kept for others; or
            an engine, and the match is rated.
        BadRequest: no such team.
        Stale: looking at another revision.
    """
    check_open(match)
    check_fresh(match, seen)
    if match.rated and is_engine(who.account):
        raise NotAllowed(Refused.RATED_ENGINE)
    who = entering(who)
    sides = game.sides(game.choose(dict(match.options)))
    if not _changes_team(match, sides, who.account, team):
        check_unseated(match, who.account)
    seat = _chair_for(match, sides, who.account, team)
    chairs = [Chair() if _held_by(chair, who.account) else chair for chair in match.chairs]
    chairs[seat] = Chair(player=who)
    match = replace(match, chairs=tuple(chairs))
    if not match.lobby and all(chair.player for chair in chairs):
        return begin(game, match, at)
    return Joined(match, who, seat)


def seat_engine(
    game: AnyGame, match: Match, who: Who, engine: Player, team: int | None, *, at: datetime, seen: int | None
) -> Started | Joined:
    """Have an engine take a chair, by the word of the host, or of anybody who sits there.

    Raises:
        NotAllowed: not seated; or what chairs are left are kept for others; or the match is rated.
        WrongPhase: begun already, called off, no chair is left, or none in that team.
        BadRequest: no such team.
        Stale: looking at another revision.
    """
    if match.host.account != account_of(who):
        seat_of(match, who)
    return join(game, match, engine, team, at=at, seen=seen)


def leave(match: Match, who: Who, seen: int | None) -> LeftLobby | CalledOff:
    """Give a chair back before the start. A host's place passes to whoever sits next; the last one calls it off.

    Raises:
        NotAllowed: not seated.
        WrongPhase: begun already, or called off.
        Stale: looking at another revision.
    """
    seat = seat_of(match, who)
    check_open(match)
    check_fresh(match, seen)
    player = match.chairs[seat].player
    assert player is not None, "seated"  # noqa: S101 - seat_of found the account in this chair
    chairs = list(match.chairs)
    # In a match from a file the log belongs to its people: nobody else may go on with it.
    chairs[seat] = Chair(reserved=player) if match.log else Chair()
    match = replace(match, chairs=tuple(chairs))
    if match.host.account != player.account:
        return LeftLobby(match, player, None)
    seated = [chair.player for chair in (*chairs[seat:], *chairs[:seat]) if chair.player]
    seated = [player for player in seated if not is_engine(player.account)]
    if not seated:
        return called_off(match, Cancel.EMPTY, player)
    return LeftLobby(replace(match, host=seated[0]), player, seated[0])


def start(game: AnyGame, match: Match, who: Who, *, at: datetime, seen: int | None) -> Started:
    """Begin a match by its host's word, or, once every chair is taken, by anybody's who sits there.

    With chairs left empty, a game that has an option for the number of players is played by those present.

    Raises:
        NotAllowed: not seated, or not its host.
        WrongPhase: begun already, called off, or too few are there for what was chosen.
        Stale: looking at another revision.
    """
    host = match.host.account == account_of(who)
    if not host:
        seat_of(match, who)
    check_open(match)
    full = all(chair.player for chair in match.chairs)
    if not (full or host):
        raise NotAllowed(Refused.NOT_HOST, host=match.host.name)
    check_fresh(match, seen)
    return begin(game, match if full else _of_those_present(game, match), at)


def begin(game: AnyGame, match: Match, at: datetime) -> Started:
    """The match under way; over at once if the rules see nothing to play in its start position.

    Its clock runs from now on; in a match from a file, from what each seat had left.
    """
    course = extended(begun(game, game.choose(dict(match.options))), match.log, match.id)
    result = None if match.log else course.result
    match = replace(match, phase=Phase.OVER if result else Phase.PLAYING, result=result, touched=at)
    if match.clock is not None:
        to, since = course.position.to_move, None if result else at
        if match.times is None:
            times = first(match.clock, len(match.chairs), to, at)
        else:
            times = replace(turned(match.times, to, at), credited=len(match.log))
        match = replace(match, times=replace(times, since=since))
    return Started(match)


def _kept_for(chair: Chair, account: Account) -> bool:
    return chair.reserved is not None and chair.reserved.account == account


def _held_by(chair: Chair, account: Account) -> bool:
    """Whether somebody sits in a chair, or it is kept for them."""
    return _kept_for(chair, account) or (chair.player is not None and chair.player.account == account)


def _changes_team(match: Match, sides: Sides, account: Account, team: int | None) -> bool:
    """Whether somebody seated asks for a team they are not in; in a match from a file everybody has their own seat."""
    seat = next(match.seats_of(account), None)
    if seat is None or team is None or match.log:
        return False
    return not (1 <= team <= len(sides) and seat in sides[team - 1])


def _chair_for(match: Match, sides: Sides, account: Account, team: int | None) -> Seat:
    kept = [Seat(index) for index, chair in enumerate(match.chairs) if _kept_for(chair, account)]
    if kept and team is None:
        return kept[0]
    free = {Seat(i) for i, chair in enumerate(match.chairs) if not (chair.player or chair.reserved)}
    free.update(kept)
    if team is not None:
        if not 1 <= team <= len(sides):
            raise BadRequest(Refused.NO_SUCH_TEAM, team=team, teams=len(sides))
        left = [seat for seat in sides[team - 1] if seat in free]
        if not left:
            raise WrongPhase(Refused.TEAM_FULL, team=team)
        return left[0]
    if not free:
        if any(chair.reserved for chair in match.chairs):
            raise NotAllowed(Refused.NOT_INVITED)
        raise WrongPhase(Refused.FULL)
    side = min(
        (side for side in sides if not free.isdisjoint(side)),
        key=lambda side: sum(match.chairs[seat].player is not None for seat in side),
    )
    return next(seat for seat in side if seat in free)


def _of_those_present(game: AnyGame, match: Match) -> Match:
    """The match with as many chairs as there are people."""
    present = sum(chair.player is not None for chair in match.chairs)
    can_be_fewer = counts_players(game) and not match.log
    if present < 2 or not can_be_fewer:
        needed = 2 if can_be_fewer else len(match.chairs)
        raise WrongPhase(Refused.TOO_FEW, seated=present, needed=needed)
    old = game.sides(game.choose(dict(match.options)))
    try:
        options = game.choose({**dict(match.options), PLAYERS: str(present)})
    except BadOption as refused:  # what else was chosen is for as many as there are chairs
        raise WrongPhase(Refused.TOO_FEW, seated=present, needed=len(match.chairs)) from refused
    if game.seats(options) != present:
        raise WrongPhase(Refused.TOO_FEW, seated=present, needed=game.seats(options))
    chairs = _resettled(match.chairs, old, game.sides(options))
    return replace(match, options=tuple(game.describe(options).items()), chairs=chairs)


def _resettled(chairs: Sequence[Chair], old: Sides, new: Sides) -> tuple[Chair, ...]:
    """The people of some chairs on fewer: in the same order, and in teams with their team-mates where there is room."""
    left = [Seat(index) for index, chair in enumerate(chairs) if chair.player]
    taken: dict[Seat, Chair] = {}
    if any(len(side) > 1 for side in new):
        for before, after in zip(old, new, strict=False):
            mates = [seat for seat in left if seat in before]
            for seat, to in zip(mates, after, strict=False):
                taken[to] = chairs[seat]
                left.remove(seat)
    free = [seat for seat in sorted(seat for side in new for seat in side) if seat not in taken]
    for seat, to in zip(left, free, strict=True):
        taken[to] = chairs[seat]
    return tuple(taken[seat] for seat in sorted(taken))
