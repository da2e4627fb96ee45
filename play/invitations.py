"""Invitations: a challenge or a lobby, from its making until it begins or comes to nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from play.checks import check_fresh, check_open, expired, game_named
from play.clock import Clock
from play.errors import BadRequest, NotAllowed, Refused, Stale
from play.facts import CalledOff
from play.machines import is_engine
from play.match import Cancel, Chair, Match, Phase
from play.people import Account, Address, Player, Who, account_of, clean, entering
from play.ports import Chance
from rules.core import AnyGame, Number

CHALLENGE_LASTS: Final = timedelta(hours=24)
"""How long a challenge, a rematch or an imported match waits for its people."""

LOBBY_LASTS: Final = timedelta(hours=24)
"""How long a lobby waits for its start."""

MAX_ADDRESSES: Final = 10
"""Places where one match is shown; each of them gets every message."""

PLAYERS: Final = "players"
"""The key of the option, in games that have it, that says how many play."""


def challenge(
    games: Mapping[str, AnyGame],
    host: Player,
    where: Address,
    key: str,
    chosen: Mapping[str, str],
    *,
    at: datetime,
    opponents: Sequence[Player],
    side: str,
    chance: Chance,
    clock: Clock | None = None,
    rated: bool = False,
    also: Sequence[Address] = (),
) -> Match:
    """An invitation to a match that begins once every chair is taken; it has no id yet.

    The host takes the chair that `side` says; the named opponents' chairs, the next free ones, are kept for them, and
    engines among them sit down at once; the rest are open to anyone. Where more people are named than the game seats and nothing was said of the number of
    players, the number is theirs.

    Raises:
        BadRequest: no such game, the host or somebody else named twice, too many named, or no such side; or rated, and
            that is not for these options, or not for engines.
        BadOption: the options cannot be played.
    """
    game = game_named(games, key)
    if any(opponent.account == host.account for opponent in opponents):
        raise BadRequest(Refused.YOURSELF)
    if len({opponent.account for opponent in opponents}) < len(opponents):
        raise BadRequest(Refused.ALREADY_SEATED)
    options = game.choose(chosen)
    people = 1 + len(opponents)
    if people > game.seats(options) and counts_players(game) and PLAYERS not in chosen:
        options = game.choose({**chosen, PLAYERS: str(people)})
    if rated:
        check_ratable(game, options, opponents)
    seats = game.seats(options)
    if people > seats:
        if all(is_engine(opponent.account) for opponent in opponents):
            raise BadRequest(Refused.TOO_MANY_ENGINES, seats=seats, most=seats - 1)
        raise BadRequest(Refused.TOO_MANY_SEATS, seats=seats)
    chairs = [Chair()] * seats
    own = _own_chair(side, seats, chance)
    chairs[own] = Chair(player=entering(host))
    free = (index for index in range(seats) if index != own)
    for opponent, index in zip(opponents, free, strict=False):
        chairs[index] = expecting(opponent)
    addresses = tuple(dict.fromkeys((where, *also)))[:MAX_ADDRESSES]
    made = invitation(game, options, host, chairs, addresses=addresses, at=at, clock=clock)
    return replace(made, rated=rated)


def check_ratable(game: AnyGame, options: Any, others: Sequence[Player]) -> None:
    """Refuse to rate what says nothing of how well people play: a game with these options, or with engines in it.

    Raises:
        BadRequest: it cannot be rated.
    """
    if not game.ratable(options):
        raise BadRequest(Refused.UNRATABLE)
    if any(is_engine(other.account) for other in others):
        raise BadRequest(Refused.RATED_ENGINE)


def expecting(player: Player) -> Chair:
    """A chair for somebody: kept for a person, taken by an engine."""
    player = entering(player)
    return Chair(player=player) if is_engine(player.account) else Chair(reserved=player)


def lobby(
    games: Mapping[str, AnyGame],
    host: Player,
    where: Address,
    key: str,
    chosen: Mapping[str, str],
    *,
    at: datetime,
    engines: Sequence[Player] = (),
    clock: Clock | None = None,
    rated: bool = False,
) -> Match:
    """A lobby with its host in the first chair, and engines in the last ones; it has no id yet.

    Raises:
        BadRequest: no such game, or too many engines for it; or rated, and that is not for these options, or for engines.
        BadOption: the options cannot be played.
    """
    game = game_named(games, key)
    options = game.choose(chosen)
    if rated:
        check_ratable(game, options, engines)
    seats = game.seats(options)
    if len(engines) >= seats:
        raise BadRequest(Refused.TOO_MANY_ENGINES, seats=seats, most=seats - 1)
    chairs = [Chair(player=entering(host)), *[Chair()] * (seats - 1 - len(engines)), *map(expecting, engines)]
    made = invitation(game, options, host, chairs, addresses=(where,), at=at, clock=clock)
    return replace(made, lobby=True, expires=at + LOBBY_LASTS, rated=rated)


def invitation(
    game: AnyGame,
    options: Any,
    host: Player,
    chairs: Sequence[Chair],
    *,
    addresses: tuple[Address, ...],
    at: datetime,
    clock: Clock | None = None,
) -> Match:
    """A match that waits for its people; it has no id yet."""
    return Match(
        id="",
        game=game.key,
        rules_version=game.rules_version,
        options=tuple(game.describe(options).items()),
        chairs=tuple(chairs),
        host=entering(host),
        lobby=False,
        addresses=addresses,
        opened=at,
        expires=at + CHALLENGE_LASTS,
        clock=clock,
    )


def counts_players(game: AnyGame) -> bool:
    """Whether the number of players is an option of the game."""
    return any(option.key == PLAYERS and isinstance(option, Number) for option in game.schema.options)


def decline(match: Match, who: Who, seen: int | None) -> CalledOff:
    """Turn down an invitation that was meant for oneself; it comes to nothing for all.

    Raises:
        WrongPhase: begun already, or called off.
        NotAllowed: not invited, one's own challenge, or seated already.
        Stale: looking at another revision.
    """
    check_open(match)
    check_fresh(match, seen)
    account = account_of(who)
    check_unseated(match, account)
    invited = next((c.reserved for c in match.chairs if c.reserved and c.reserved.account == account), None)
    if invited is None:
        own = match.host.account == account
        raise NotAllowed(Refused.OWN_CHALLENGE if own else Refused.NOT_INVITED)
    return called_off(match, Cancel.DECLINED, invited)


def check_unseated(match: Match, account: Account) -> None:
    """Refuse somebody who has a chair already."""
    if any(True for _ in match.seats_of(account)):
        own = match.host.account == account and not match.lobby
        raise NotAllowed(Refused.OWN_CHALLENGE if own else Refused.ALREADY_SEATED)


def withdraw(match: Match, who: Who, seen: int | None) -> CalledOff:
    """Take back one's own invitation.

    Raises:
        NotAllowed: not its host.
        WrongPhase: begun already, or called off.
        Stale: looking at another revision.
    """
    if match.host.account != account_of(who):
        raise NotAllowed(Refused.NOT_HOST, host=match.host.name)
    check_open(match)
    check_fresh(match, seen)
    return called_off(match, Cancel.WITHDRAWN, match.host)


def expire(match: Match, at: datetime) -> CalledOff:
    """Call off an invitation whose time has run out.

    Raises:
        WrongPhase: begun already, or called off.
        Stale: it is not time yet; the error's match says when.
    """
    check_open(match)
    if not expired(match, at):
        raise Stale(match)
    return called_off(match, Cancel.EXPIRED, None)


def called_off(match: Match, why: Cancel, by: Player | None) -> CalledOff:
    """The end of an invitation that came to nothing."""
    return CalledOff(replace(match, phase=Phase.CALLED_OFF, cancelled=why), why, by)


def _own_chair(side: str, seats: int, chance: Chance) -> int:
    word = clean(side, 20).lower()
    if word == "random":
        return chance.shuffled(seats)[0]
    known = ("first", "second", *map(str, range(1, seats + 1)))
    if word not in known:
        raise BadRequest(Refused.BAD_SIDE, side=word, known=(*known[:2], "random", *known[2:]))
    return {"first": 0, "second": 1}.get(word, known.index(word) - 2)
