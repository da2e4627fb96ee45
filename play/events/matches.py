"""The matches of events: opened once they are bound, left with those who leave, reported once they are over."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from play.actions.leaving import Resign
from play.actions.playing import over
from play.actions.seating import begin, counts_players, started
from play.errors import NoSuchMatch, PlayError, Stale, Unavailable
from play.events.actions import Rebind, Report
from play.events.entries import Bound, Ended, EventGame, GameEnd, Left
from play.events.event import Changed, Event, NoSuchEvent
from play.events.events import Events
from play.facts import Closed, Started
from play.match import PLAYERS, Chair, Closing, Exit, Match, Ply, Result
from play.opening import invitation
from play.people import entering, is_forgotten
from play.ports import Chance
from play.ratings.model import places
from play.replay import Course
from play.request import Action, Opening, Replayer, Request, check_live, game_named
from rules.core import AnyGame, RulesError, Seat

_CLOSED: Final = (Closing.SILENCE.value, Closing.ENDED.value, Closing.DESERTED.value)
_AWAY: Final = (Closing.TIME.value, Closing.RESIGNED.value)
_SERIOUS: Final = 2  # turns from which on to resign is no absence


@dataclass(frozen=True, slots=True)
class EventMatch(Opening[Started]):
    """Begin the match of a game of an event. It is shown to its players, at no place."""

    event: Event
    game: EventGame

    def decide(self, games: Mapping[str, AnyGame], _chance: Chance, request: Request) -> Started:
        setup = self.event.setup
        players = [self.event.state.entrants[one].player for one in self.game.entrants]
        rules = game_named(games, setup.game)
        chosen = dict(setup.options)
        options = rules.choose(chosen)
        if rules.seats(options) != len(players) and counts_players(rules):
            options = rules.choose({**chosen, PLAYERS: str(len(players))})
        chairs = [Chair(player=entering(player)) for player in players]
        made = invitation(rules, options, replace(request, who=players[0]), chairs, ())
        made = replace(made, clock=setup.clock, rated=setup.rated, event=(self.event.id, self.game.number))
        return begin(made, started(rules, made), request.at)


@dataclass(frozen=True, slots=True)
class AdjudicateMatch(Action[Closed]):
    """End a match as its event has decided it, whose time was up."""

    places: tuple[int, ...]  # of each seat, 0 for the best, as proved; all 0, a draw, where nothing is
    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[Closed, None]:
        check_live(match)
        proved = len(set(self.places)) > 1
        winners = tuple(Seat(seat) for seat, place in enumerate(self.places) if proved and place == 0)
        why = Closing.PROVED if proved else Closing.HALVED
        return Closed(over(match, Result(winners, why.value), request.now)), None


async def serve(events: Events, fact: Changed, request: Request) -> None:
    """Open the matches that a fact has bound, end those that it has decided, and give up those of people who have left.

    It may be done again at any time: what is open already stays as it is, what has ended meanwhile is not opened.

    Raises:
        Unavailable: the store does not answer; it has to be done again.
    """
    bound = [entry.game for entry in fact.entries if isinstance(entry, Bound)]
    left = {entry.entrant for entry in fact.entries if isinstance(entry, Left)}
    decided = [
        entry for entry in fact.entries if isinstance(entry, Ended) and entry.end is GameEnd.ADJUDICATED
    ]
    for entry in decided:
        game = fact.event.state.game(entry.game)
        if game is not None and game.match:
            await _act(events, game.match, AdjudicateMatch(entry.places), request)
    if not bound and not left:
        return
    event = await events.get(fact.event.id)
    if event.live:
        for number in bound:
            if (game := event.state.game(number)) is not None and game.open:
                await _open(events, event, game, request)
    before = fact.event.state
    for number in left & set(range(len(before.entrants))) if before.games else ():
        for game in before.games_of(number):
            if game.match:
                await _give_up(events, game.match, fact.event, number, request)


async def report(events: Events, match: Match, request: Request) -> None:
    """Report a match of an event that is over; again, nothing changes.

    Raises:
        Unavailable: the store does not answer; it has to be done again.
    """
    if match.event is None or match.live:
        return
    event_id, number = match.event
    action = Report(number, match.id, *_outcome(match, events.table.course(match)))
    with suppress(NoSuchEvent):
        await events.act(event_id, action, replace(request, at=max(request.at, match.changed_at)))


async def _open(events: Events, event: Event, game: EventGame, request: Request) -> None:
    table = events.table
    fact = EventMatch(event, game).decide(table.games, table.chance, request)
    assert game.match is not None, "bound"  # noqa: S101 - the log says so
    try:
        await table.commit(replace(fact, match=replace(fact.match, id=game.match)), request)
    except Stale as there:
        if there.match.event != (event.id, game.number):
            await events.act(event.id, Rebind(game.number, game.match), request)


async def _give_up(events: Events, match_id: str, event: Event, number: int, request: Request) -> None:
    seat_of = [one for game in event.state.games if game.match == match_id for one in game.entrants]
    try:
        match = await events.table.get(match_id)
    except NoSuchMatch:
        return
    player = match.chairs[seat_of.index(number)].player
    if not match.live or player is None or is_forgotten(player.account):
        return
    await _act(events, match_id, Resign(), replace(request, who=player))


async def _act(events: Events, match_id: str, action: Action[Any], request: Request) -> None:
    try:
        await events.table.act(match_id, action, request)
    except Unavailable:
        raise
    except (PlayError, RulesError):
        pass


def _outcome(match: Match, course: Course) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the place of each seat of a match, none where it counts for nothing; and the seats that were absent."""
    result = match.result
    if result is None or result.reason in _CLOSED:
        return (), ()
    by_side = dict(zip(course.sides, places(match, course), strict=True))
    by_seat = {seat: place for side, place in by_side.items() for seat in side}
    reasons = {entry.seat: entry.reason.value for entry in match.log if isinstance(entry, Exit)}
    if result.reason in _AWAY:
        gone = set(course.live).difference(result.winners, reasons)
        reasons |= dict.fromkeys(gone, result.reason)
    absent = (
        int(seat)
        for seat, reason in reasons.items()
        if reason == Closing.TIME.value
        or (reason == Closing.RESIGNED.value and _turns(match, seat) < _SERIOUS)
    )
    return tuple(by_seat[Seat(seat)] for seat in range(len(match.chairs))), tuple(sorted(absent))


def _turns(match: Match, seat: Seat) -> int:
    own = [isinstance(entry, Ply) and entry.seat == seat for entry in match.log]
    return sum(mine and not before for mine, before in zip(own, (False, *own), strict=False))
