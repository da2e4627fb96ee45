"""Cups: who plays whom, when a round ends, and the table.

How a cup pairs follows from the game and the number of people at the start (`PairingSystem`): a game for three and more is played
in pods; a game for two as a round robin up to ten people, as a Swiss event from eleven. Three to five people meet twice.

* Everybody in a round robin is paired at the start; of a person's games three at most are under way.
* Another round is paired when all games of the last one have ended, or at its date. Games still open then go on, count as
  draws for pairing, and are counted when they end. A cup waits for its last games for one more round's time at most; what
  is open then is a draw.
* Who is out of a round robin before half of their games are decided has never been in it: their games are void. After
  that, what is open is lost. In the other systems results stand, and open games are lost; a pod is played on without them.
  A person who waits takes a seat that is free: in a round robin at once, else when a round is paired.
* Two games lost by absence are the end of it, unless the clock is soft.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from play.events import pods, standings, swiss
from play.events.entries import (
    Began,
    Ended,
    EventClosed,
    EventEntry,
    EventState,
    ExitReason,
    GameEnd,
    Left,
    Paired,
    RoundDue,
    Stage,
    Substituted,
    Voided,
)
from play.events.event import TOGETHER, EntrantInfo, Event, EventSetup, Rules
from play.events.standings import Bye, PairingSystem, ScoredGame, StandingsRow
from play.time.clock import Clock, Now, reached

LEAST: Final = 3  # people that a cup needs to begin
MOST: Final = 200  # people that a cup can have
OPEN_FOR: Final = timedelta(hours=24)  # how long people can enter, where nothing else is said

LONGEST_ROUND: Final = timedelta(days=14)
SHORTEST_ROUND: Final = timedelta(hours=1)

FLAGS: Final = 2  # games lost by absence after which a person is out
POD_ROUNDS: Final = 3  # rounds of a cup that is played in pods; where all sit in one, they play two

_TURNS: Final = 12  # a round lasts as long as so many turns that each take all their time


@dataclass(frozen=True, slots=True)
class CupSettings:
    """A cup's own settings."""

    closes: datetime  # when entries close, and it begins
    most: int  # with how many people it begins before that
    round: timedelta  # how long a round lasts at most
    seats: int  # of its game with its options

    def texts(self) -> tuple[tuple[str, str], ...]:
        return (
            ("closes", self.closes.isoformat()),
            ("most", str(self.most)),
            ("round", str(self.round // timedelta(seconds=1))),
            ("seats", str(self.seats)),
        )


@lru_cache(256)
def settings_of(setup: EventSetup) -> CupSettings:
    """Return the settings of a cup."""
    texts = dict(setup.settings)
    return CupSettings(
        datetime.fromisoformat(texts["closes"]),
        int(texts["most"]),
        timedelta(seconds=int(texts["round"])),
        int(texts["seats"]),
    )


def round_length(clock: Clock) -> timedelta:
    """Return how long a round lasts by default: a game of some slow turns, within bounds."""
    each = clock.initial if clock.increment is None else max(clock.increment, clock.initial / _TURNS)
    return min(max(each * _TURNS, SHORTEST_ROUND), LONGEST_ROUND)


def system(event: Event) -> PairingSystem:
    """Return how a cup pairs; before its start, how it would with the people it has."""
    if settings_of(event.setup).seats > 2:
        return PairingSystem.PODS
    return (
        PairingSystem.ROUND_ROBIN
        if len(event.state.entrants) <= standings.MOST_PLAYERS
        else PairingSystem.SWISS
    )


def rounds(event: Event) -> int:
    """Return how many rounds a cup has."""
    count = len(event.state.entrants)
    how = system(event)
    if how is PairingSystem.PODS:
        return 2 if len(pods.sizes(max(count, pods.FEWEST))) == 1 else POD_ROUNDS
    if how is PairingSystem.SWISS:
        return swiss.rounds(count)
    return (count - 1 + count % 2) * standings.cycles(count)


def ends(event: Event, now: Now, more: timedelta = timedelta()) -> datetime | None:
    """Return the date of the round that is played, of a round robin that of all, or so much later; None: none is played."""
    state = event.state
    if state.paired is None or state.stage is not Stage.RUNNING:
        return None
    return reached(state.paired, _lasts(event) + more, now.outages)


def table(event: Event) -> tuple[StandingsRow[int], ...]:
    """Return the table, best first. It does not depend on the order of results."""
    state, how = event.state, system(event)
    players = range(len(state.entrants))
    if how is PairingSystem.PODS:
        return pods.table(
            players, _placed(state), (one for game in state.open_games for one in game.entrants)
        )
    byes = [Bye(entrant) for _, entrant in state.byes] if how is PairingSystem.SWISS else ()
    return standings.table(players, [game.scored for game in state.games], byes, how)


def finishers(event: Event) -> tuple[StandingsRow[int], ...]:
    """Return the lines of those who have played to the end, their places counted anew."""
    rows = [row for row in table(event) if event.state.entrants[row.player].out is None]
    first = {row.place: 1 + at for at, row in reversed(list(enumerate(rows)))}
    return tuple(replace(row, place=first[row.place]) for row in rows)


def before(event: Event) -> Event:
    """Return an event as it was before the last round was paired; a round robin as before its last result."""
    kinds = (Ended, Voided) if system(event) is PairingSystem.ROUND_ROBIN else (Paired,)
    last = max((at for at, entry in enumerate(event.log) if isinstance(entry, kinds)), default=0)
    return replace(event, log=event.log[:last]) if last else event


def _follow(event: Event, now: Now, known: EntrantInfo) -> Sequence[EventEntry]:
    if event.state.stage is Stage.OPEN:
        return _begun(event, now, known)
    return tuple(_out(event, now)) or _progress(event, now, known)


def _due(event: Event, now: Now) -> datetime | None:
    if event.state.stage is Stage.OPEN:
        return settings_of(event.setup).closes
    date = ends(event, now)
    if date is None or not event.state.open_games:
        return None
    return ends(event, now, settings_of(event.setup).round) if event.state.round in event.state.due else date


RULES: Final = Rules(_follow, _due)


def _begun(event: Event, now: Now, known: EntrantInfo) -> Sequence[EventEntry]:
    settings, count = settings_of(event.setup), len(event.state.entrants)
    if count < settings.most and now.at < settings.closes:
        return ()
    if count < LEAST:
        return (EventClosed(stopped=True, at=now.at),) if now.at >= settings.closes else ()
    seeds = sorted(range(count), key=lambda number: -known.ratings.get(number, 0))
    return (Began(tuple(seeds), at=now.at),)


def _out(event: Event, now: Now) -> Iterator[EventEntry]:
    state = event.state
    for one in state.playing:
        if one.flags >= FLAGS and not event.setup.clock.soft:
            yield Left(one.number, ExitReason.ABSENT, at=now.at)
            return
    gone = {one.number for one in state.entrants if one.out is not None}
    open_to = [(one, game) for game in state.open_games if len(game.entrants) == 2 for one in game.entrants]
    leaving = min((one for one, _ in open_to if one in gone), default=None)
    if leaving is None:
        return
    left = [game for one, game in open_to if one == leaving]
    robin, games = system(event) is PairingSystem.ROUND_ROBIN, state.games_of(leaving)
    if robin and state.waiting:
        yield from (game.forfeited({leaving}, now.at) for game in left if game.match)
        yield Substituted(leaving, at=now.at)
    elif robin and 2 * sum(game.counts for game in games) < len(games):
        yield Voided(tuple(game.number for game in games if game.end is not GameEnd.VOID), at=now.at)
    else:
        yield from (game.forfeited({leaving}, now.at) for game in left)


def _progress(event: Event, now: Now, known: EntrantInfo) -> Sequence[EventEntry]:
    state = event.state
    playing = [one.number for one in state.playing]
    if state.round == 0:
        return _paired(event, playing, now, known)
    left = state.open_games
    date = ends(event, now)
    due = date is not None and now.at >= date
    overdue = [RoundDue(state.round, at=now.at)] if left and due and state.round not in state.due else []
    if state.round >= rounds(event):
        last = ends(event, now, settings_of(event.setup).round)
        if left and last is not None and last > now.at:
            return overdue
        return (*(game.drawn(now.at) for game in left), EventClosed(at=now.at))
    if left and not due:
        return ()
    seats = [one.number for one in state.entrants if one.out is not None][: len(state.waiting)]
    return (
        [Substituted(number, at=now.at) for number in seats] or overdue or _paired(event, playing, now, known)
    )


def _paired(event: Event, playing: Sequence[int], now: Now, known: EntrantInfo) -> Sequence[EventEntry]:
    state, how = event.state, system(event)
    if len(playing) < (pods.FEWEST if how is PairingSystem.PODS else 2):
        return (*(game.drawn(now.at) for game in state.open_games), EventClosed(at=now.at))
    apart = [frozenset(pair) for pair in known.apart]
    if how is PairingSystem.ROUND_ROBIN:
        cycles = standings.cycles(len(playing))
        return [
            Paired(number, tuple(game.players for game in games), at=now.at)
            for number, games in enumerate(standings.berger(state.seeds, cycles), 1)
        ]
    if how is PairingSystem.PODS:
        ranked = [row.player for row in table(event)] if state.round else state.seeds
        among = [number for number in ranked if number in set(playing)]
        return (Paired(state.round + 1, pods.seat(among, _placed(state), apart), at=now.at),)
    seeded = [number for number in state.seeds if number in set(playing)]
    made = swiss.pair(seeded, _history(state), apart)
    byes = () if made.bye is None else (made.bye,)
    return (Paired(state.round + 1, tuple(game.players for game in made.games), byes, at=now.at),)


def _lasts(event: Event) -> timedelta:
    """Return how long the round that is played lasts; a round robin as many as a person's games need, three at once."""
    each = settings_of(event.setup).round
    if system(event) is not PairingSystem.ROUND_ROBIN:
        return each
    return each * -(-rounds(event) // TOGETHER)


def _history(state: EventState) -> Iterator[ScoredGame[int] | Bye[int]]:
    for number in range(1, state.round + 1):
        yield from (game.scored for game in state.games if game.round == number)
        yield from (Bye(entrant) for played, entrant in state.byes if played == number)


def _placed(state: EventState) -> tuple[pods.Placed[int], ...]:
    """Return the pods that have ended; those that are open count for pairing as shared by all."""
    return tuple(
        pods.Placed(game.entrants, game.places, void=not game.counts) for game in state.games if not game.open
    )
