"""How a new match comes about: by a challenge, a lobby, or the same game once more.

A rematch has the same people, options and clock, is rated or not, and each player sits one seat on, or where they sat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Final

from play.actions.seating import Join, begin, counts_players, open_options, player_counts, started
from play.errors import BadRequest, Refused, Stale, WrongPhase
from play.facts import Challenged, Joined, LobbyOpened, Started
from play.match import MAX_ADDRESSES, ODDS, PLAYERS, Chair, Match, Phase, Start, Talk, is_engine
from play.people import Address, Player, channel_place, clean, entering, is_channel
from play.ports import Chance, derived
from play.replay import begun
from play.request import Opening, Request, check_not_called_off, game_named, seat_of
from play.table import CODES, Table
from play.time.clock import Clock
from play.time.clock_text import clock_of
from rules.core import AnyGame, Position, Seat, Sides

CHALLENGE_LASTS: Final = timedelta(hours=24)
"""How long a challenge, a rematch or an imported match waits for its people."""

ALONE: Final = "both"
LOBBY_LASTS: Final = timedelta(hours=24)  # how long a lobby waits for its start


@dataclass(frozen=True, slots=True)
class Challenge(Opening[Challenged | Started]):
    """Invite people to a match that begins once every chair is taken.

    The host takes the chair that `side` says; the named opponents' chairs, the next free ones, are kept for them, and
    engines among them sit down at once; the rest are open to anyone. Where more people are named than the game seats and
    nothing was said of the number of players, the number is theirs.

    Attributes:
        chosen: Texts of options by key, as typed.
        side: The host's chair: `first`, `second`, `random`, or its number; `both`: all of them, for one who plays alone.
        clock: What it is timed by, as typed or as it is; None: nothing.
        rated: Whether its result is to count for ratings.
        also: Where else it is shown, to people who do not see that place.
        talk: Whether its seats may write to each other.
        start: Where it begins, if not where its game does; odds as they are typed, `odds:3`, are given by the host.
    """

    where: Address
    game: str
    chosen: Mapping[str, str] = field(default_factory=dict)
    opponents: Sequence[Player] = ()
    side: str = "first"
    clock: Clock | str | None = None
    rated: bool = False
    also: Sequence[Address] = ()
    talk: Talk = Talk.OPEN
    start: Start | None = None

    def decide(self, games: Mapping[str, AnyGame], chance: Chance, request: Request) -> Challenged | Started:
        clock = clock_of(self.clock)
        game, host = game_named(games, self.game), request.who
        accounts = [opponent.account for opponent in self.opponents]
        if host.account in accounts:
            raise BadRequest(Refused.YOURSELF)
        if len(set(accounts)) < len(accounts):
            raise BadRequest(Refused.ALREADY_SEATED)
        options = self._options(game)
        if self.rated:
            check_ratable(game, options, (request.who, *self.opponents), self.start)
        seats = game.seats(options)
        if len(accounts) >= seats:
            if all(map(is_engine, accounts)):
                raise BadRequest(Refused.TOO_MANY_ENGINES, seats=seats, most=seats - 1)
            raise BadRequest(Refused.TOO_MANY_SEATS, seats=seats)
        chairs = [Chair()] * seats
        alone = clean(self.side, 20).lower() == ALONE
        own = 0 if alone else _own_chair(self.side, seats, chance)
        start = self._start(game, options, Seat(own))
        chairs[own] = Chair(player=entering(host))
        free = (index for index in range(seats) if index != own)
        if alone:
            self._check_alone(host)
            chairs = [chairs[own]] * seats
        for opponent, index in zip(self.opponents, free, strict=False):
            chairs[index] = expecting(opponent)
        made = invitation(game, options, request, chairs, (self.where, *self.also))
        made = replace(made, clock=clock, rated=self.rated, talk=self.talk, start=start)
        return invited(game, made)

    def _check_alone(self, host: Player) -> None:
        if self.rated:
            raise BadRequest(Refused.RATED_ALONE)
        if self.opponents or is_channel(host.account):
            raise BadRequest(Refused.TOO_MANY_SEATS, seats=1)

    def _start(self, game: AnyGame, options: Any, own: Seat) -> Start | None:
        """Return where it begins, in the canonical text; refused where there is nothing to play."""
        if self.start is None:
            return None
        kind, _, given = self.start.source.partition(":")
        if kind == ODDS:
            position, key = _with_odds(game, options, own, given)
            return Start(game.notation.format_position(position), f"{ODDS}:{own.number}:{key}:{given}")
        position = begun(game, options, self.start).start
        if position.outcome is not None:
            raise BadRequest(Refused.DECIDED_START)
        return replace(self.start, position=game.notation.format_position(position))

    def _options(self, game: AnyGame) -> Any:
        options = game.choose(self.chosen)
        people = 1 + len(self.opponents)
        if people > game.seats(options) and counts_players(game) and PLAYERS not in self.chosen:
            return game.choose({**self.chosen, PLAYERS: str(people)})
        return options


@dataclass(frozen=True, slots=True)
class Lobby(Opening[LobbyOpened]):
    """Open a lobby: chairs that anyone may take until it is started. The host sits in the first one, engines in the last.

    Attributes:
        chosen: Texts of options by key, as typed.
        open_size: Whether there is a chair for each person who comes, as many as can play; what follows from their number
            is settled at the start.
        clock: What it is timed by, from the start on, as typed or as it is; None: nothing.
    """

    where: Address
    game: str
    chosen: Mapping[str, str] = field(default_factory=dict)
    engines: Sequence[Player] = ()
    clock: Clock | str | None = None
    rated: bool = False
    open_size: bool = False
    talk: Talk = Talk.OPEN

    def decide(self, games: Mapping[str, AnyGame], _chance: Chance, request: Request) -> LobbyOpened:
        clock = clock_of(self.clock)
        game = game_named(games, self.game)
        options = game.choose(self.chosen)
        if self.rated:
            check_ratable(game, options, (request.who, *self.engines))
        seats, engines = game.seats(options), self.engines
        most = max(player_counts(game, self.chosen)) if self.open_size else seats
        if len(engines) >= most:
            raise BadRequest(Refused.TOO_MANY_ENGINES, seats=most, most=most - 1)
        host = Chair(player=entering(request.who))
        free = 1 if self.open_size else seats - 1 - len(engines)
        chairs = [host, *[Chair()] * free, *map(expecting, engines)]
        made = invitation(game, options, request, chairs, (self.where,))
        if self.open_size:
            made = replace(made, options=open_options(game, self.chosen))
        made = replace(made, lobby=True, expires=request.at + LOBBY_LASTS)
        return LobbyOpened(replace(made, clock=clock, rated=self.rated, talk=self.talk))


def invited(game: AnyGame, made: Match) -> Challenged | Started:
    """Return an invitation that was made; where engines have taken all the other chairs, the match."""
    if all(chair.player for chair in made.chairs):
        return begin(made, started(game, made), made.opened)
    return Challenged(made)


def check_ratable(game: AnyGame, options: Any, players: Sequence[Player], start: Start | None = None) -> None:
    """Refuse to rate a match that says nothing of how well players play: with these options, with engines, or a person and a place."""
    if not game.ratable(options):
        raise BadRequest(Refused.UNRATABLE)
    if start is not None:
        raise BadRequest(Refused.RATED_START)
    if any(is_engine(player.account) for player in players):
        raise BadRequest(Refused.RATED_ENGINE)
    if len({is_channel(player.account) for player in players}) > 1:
        raise BadRequest(Refused.RATED_CHANNEL)


def expecting(player: Player) -> Chair:
    """Return a chair that is kept for a person, or taken by an engine."""
    player = entering(player)
    return Chair(player=player) if is_engine(player.account) else Chair(reserved=player)


def invitation(
    game: AnyGame, options: Any, request: Request, chairs: Sequence[Chair], places: Sequence[Address]
) -> Match:
    """Return a match that waits for its people, made by who asks; it has no id, and no clock yet.

    Besides the places, it is shown at those that have a chair.
    """
    people = (who for chair in chairs for who in (chair.player, chair.reserved) if who)
    playing = filter(None, (channel_place(who.account) for who in people))
    return Match(
        id="",
        game=game.key,
        rules_version=game.rules_version,
        options=tuple(game.describe(options).items()),
        chairs=tuple(chairs),
        host=entering(request.who),
        lobby=False,
        addresses=tuple(dict.fromkeys((*places[:1], *playing, *places[1:])))[:MAX_ADDRESSES],
        opened=request.at,
        expires=request.at + CHALLENGE_LASTS,
    )


def _with_odds(game: AnyGame, options: Any, giver: Seat, given: str) -> tuple[Position[Any], str]:
    for key, unequal in game.odds.items():
        return unequal(game.start(options), giver, given), key
    raise BadRequest(Refused.NO_ODDS)


def _own_chair(side: str, seats: int, chance: Chance) -> int:
    word = clean(side, 20).lower()
    if word == "random":
        return chance.shuffled(seats)[0]
    known = ("first", "second", *map(str, range(1, seats + 1)))
    if word not in known:
        raise BadRequest(Refused.BAD_SIDE, side=word, known=(*known[:2], "random", ALONE, *known[2:]))
    return {"first": 0, "second": 1}.get(word, known.index(word) - 2)


async def rematch(
    table: Table,
    match_id: str,
    request: Request,
    *,
    where: Address | None = None,
    also: Sequence[Address] = (),
    same: bool = False,
) -> Challenged | Started | Joined:
    """Ask for the same game again, perhaps with the `same` seats; where another player has asked already, accept."""
    old = await table.get(match_id)
    game = game_named(table.games, old.game)
    places = (*((where,) if where else ()), *also, *old.addresses)
    fact = invited(game, again(game, old, request, places, same=same))
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


def again(
    game: AnyGame, old: Match, request: Request, places: Sequence[Address], *, same: bool = False
) -> Match:
    """Return the invitation, with the asker seated and all other chairs kept, engines seated; it has no id yet."""
    seat_of(old, request.account)
    check_not_called_off(old)
    if old.phase is not Phase.OVER:
        raise WrongPhase(Refused.NOT_OVER)
    options = game.choose(dict(old.options))
    chairs = [Chair()] * len(old.chairs)
    for seat, onward in next_seats(game.sides(options)).items():
        player, to = old.chairs[seat].player, seat if same else onward
        if player and player.account == request.account:
            chairs[to] = Chair(player=entering(request.who))
        else:
            chairs[to] = expecting(player) if player else Chair()
    made = invitation(game, options, request, chairs, places)
    made = replace(made, clock=old.clock, rematch_of=old.id, rated=old.rated)
    return replace(made, shown_by=old.shown_by, talk=old.talk, start=old.start)


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
