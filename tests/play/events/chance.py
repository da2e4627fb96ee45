"""Events that are played out by chance, from a seed: the rules alone, without a store."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import groupby
from random import Random

from play.errors import PlayError
from play.events import pods, standings
from play.events.actions import Enter, EventAction, LeaveEvent, Rebind, Report
from play.events.entries import Ended, EventClosed, EventEntry, EventState, GameEnd, Paired, Stage
from play.events.event import TOGETHER, EntrantInfo, Event, EventSetup, settle
from play.events.forms import cup
from play.events.forms.cup import RULES, CupSettings, round_length
from play.events.standings import Bye, GameScore, PairingSystem, ScoredGame
from play.events.swiss import Round, pair, rounds
from play.people import Account, Address, Player
from play.request import Request
from play.time.clock import Clock, Now
from storage.records import codec

# Random Swiss events, for the tests of pairing and tables: the stronger wins more often, some people leave.


@dataclass
class Swiss:
    """An event under way.

    Attributes:
        history: All games and byes, in order.
        made: The rounds as they were paired.
        apart: For each round, the sum of the distances in half points over its pairs.
    """

    history: list[ScoredGame[int] | Bye[int]] = field(default_factory=list)
    made: list[Round[int]] = field(default_factory=list)
    apart: list[int] = field(default_factory=list)

    @property
    def games(self) -> list[ScoredGame[int]]:
        return [entry for entry in self.history if isinstance(entry, ScoredGame)]

    @property
    def byes(self) -> list[Bye[int]]:
        return [entry for entry in self.history if isinstance(entry, Bye)]

    def points(self, player: int) -> int:
        return sum(game.points(player) for game in self.games if player in game.players) + sum(
            bye.points for bye in self.byes if bye.player == player
        )


Pairing = Callable[[Sequence[int], Sequence[ScoredGame[int] | Bye[int]]], Round[int]]


def played(
    players: int, seed: int, pairing: Pairing = pair, leaving: float = 0.0, count: int | None = None
) -> Swiss:
    """Play a Swiss event; each player leaves before a round with the chance `leaving`."""
    random, swiss, present = Random(seed), Swiss(), list(range(players))
    for _ in range(count or rounds(players)):
        made = pairing(present, swiss.history)
        swiss.made.append(made)
        swiss.apart.append(sum(abs(swiss.points(g.first) - swiss.points(g.second)) for g in made.games))
        swiss.history += [replace(game, score=_score(random, game, players)) for game in made.games]
        if made.bye is not None:
            swiss.history.append(Bye(made.bye))
        present = [player for player in present if random.random() >= leaving]
        if len(present) < 2:
            break
    return swiss


def _score(random: Random, game: ScoredGame[int], players: int) -> GameScore:
    wins = 1 / (1 + 10 ** (2 * (game.first - game.second) / players))
    return random.choices(
        [GameScore.FIRST, GameScore.DRAW, GameScore.SECOND], [0.8 * wins, 0.2, 0.8 - 0.8 * wins]
    )[0]


# Cups that are played out by chance, from a seed: the rules alone, without a store.


AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
MOST_STEPS = 100_000


def person(number: int) -> Player:
    return Player(Account("room", f"p{number}"), f"p{number}")


class RandomCup:
    """A cup of so many people, with everything that can happen to it, by a seed."""

    def __init__(self, seed: int, people: int, seats: int = 2) -> None:
        self.luck = random.Random(seed)
        self.now = AT
        clock = Clock(timedelta(hours=self.luck.choice([1, 24, 400])), soft=self.luck.random() < 0.2)
        settings = CupSettings(AT + timedelta(days=1), people, round_length(clock), seats)
        setup = EventSetup("cup", "any", (), clock, True, settings.texts())
        self.event = Event("e234567", setup, person(0), (Address("room", "hall"),), AT)
        self.people = people
        self.messages = 0
        self.steps = 0
        self.calm = self.luck.random() < 0.3  # no one leaves or is absent, and nothing is void
        ratings = {
            number: self.luck.randrange(1000, 2000) for number in range(people) if self.luck.random() < 0.8
        }
        pairs = [(a, b) for a in range(min(people, 12)) for b in range(a) if self.luck.random() < 0.02]
        self.known = EntrantInfo(ratings, frozenset((b, a) for a, b in pairs))

    def act(self, action: EventAction, who: Player | None = None) -> None:
        before = self.event
        try:
            after = action.decide(before, Request(who or person(0), self.now))
        except PlayError:
            return
        self.settle(after)

    def settle(self, after: Event) -> None:
        """Have all follow; now and then the process ends before that is stored, and another one reads the record."""
        before, self.event = self.event, settle(RULES, after, Now(self.now), self.known)
        if not self.calm and self.luck.random() < 0.03:
            self.event = codec.decode_event(before.id, codec.encode(before))
            assert self.event == before
            return
        self.messages += any(
            isinstance(entry, Paired | EventClosed) for entry in self.event.log[len(before.log) :]
        )
        assert self.event.log[: len(before.log)] == before.log, "what has happened stays"
        self.steps += 1
        if self.people <= 12 or self.steps % self.people == 0:  # a look at a large cup takes long
            self.check()

    def play(self) -> Event:
        """Play the cup to its end."""
        for number in range(self.people - (self.luck.random() < 0.2)):
            self.act(Enter(), person(number))
            self.act(Enter(), person(number))  # who comes twice is in once
        for _ in range(MOST_STEPS):
            if not self.event.live:
                return self.event
            self.step()
        raise AssertionError("a cup without an end")

    def step(self) -> None:
        running = [game for game in self.event.state.open_games if game.match]
        chance = self.luck.random()
        if chance < 0.02 and not self.calm:
            who = person(self.luck.randrange(self.people + 5))
            self.act(self.luck.choice([LeaveEvent(), Enter()]), who)
        elif chance < 0.03 and running:
            game = self.luck.choice(running)
            assert game.match
            self.act(Rebind(game.number, game.match))
        elif chance < 0.95 and running:
            game = self.luck.choice(running)
            assert game.match
            places = self.luck.choice([tuple(range(len(game.entrants))), (0,) * len(game.entrants)])
            shuffled = tuple(self.luck.sample(places, len(places)))
            void, absent = self.luck.random() < 0.02, self.luck.random() < 0.05
            lost = (shuffled.index(max(shuffled)),) if absent and len(set(places)) > 1 else ()
            report = Report(game.number, game.match, shuffled, () if self.calm else lost)
            if void and not self.calm:
                report = replace(report, places=(), absent=())
            self.act(report)
            self.act(report)  # told twice, counted once
        else:
            due = RULES.due(self.event, Now(self.now))
            self.now = (
                max(self.now, due) if due and self.luck.random() < 0.5 else self.now + timedelta(hours=5)
            )
            self.settle(self.event)

    def check(self) -> None:
        """What is true of a cup at any time."""
        state = self.event.state
        assert settle(RULES, self.event, Now(self.now), self.known) is self.event, "settled twice is settled"
        running = Counter(one for game in state.open_games if game.match for one in game.entrants)
        assert max(running.values(), default=0) <= TOGETHER
        out = {one.number for one in state.entrants if one.out}
        for game in state.open_games:
            assert len(game.entrants) > 2 or out.isdisjoint(game.entrants)
        people = [*(one.person for one in state.playing), *(one.person for one in state.waiting)]
        assert len(set(people)) == len(people), "everybody once"
        bound = [game.match for game in state.games if game.match]
        assert len(set(bound)) == len(bound), "each game has a match of its own"


def judge(played: RandomCup) -> None:
    """What is true of a cup that is over."""
    event = played.event
    state, how = event.state, cup.system(event)
    assert state.stage is Stage.OVER
    assert EventState().after(event.log) == state
    assert not state.open_games
    assert played.messages <= cup.rounds(event) + 2
    if not state.games:
        return
    rows = cup.table(event)
    assert sorted(row.player for row in rows) == list(range(len(state.entrants)))
    assert [row.place for row in rows] == sorted(row.place for row in rows)
    assert sum((row.total for row in rows), Fraction(0)) == _points_given(event)
    assert cup.table(_shuffled(event, played.luck)) == rows, "the order of results does not matter"
    if how is not PairingSystem.PODS:
        _meet(event, how)
    if played.calm and state.round == cup.rounds(event):
        games = Counter(one for game in state.games for one in game.entrants)
        games.update(entrant for _, entrant in state.byes)
        counts = [games[one.number] for one in state.entrants]
        assert max(counts) - min(counts) <= 1, "everybody plays as often"


def _points_given(event: Event) -> Fraction:
    state, how = event.state, cup.system(event)
    counted = [game for game in state.games if game.counts]
    if how is PairingSystem.PODS:
        return sum((sum(pods.shares(game.places), Fraction(0)) for game in counted), Fraction(0))
    return Fraction(len(counted) + len(state.byes))


def _meet(event: Event, how: PairingSystem) -> None:
    state = event.state
    met = Counter(frozenset(game.entrants) for game in state.games if game.end is not GameEnd.VOID)
    most = standings.cycles(len(state.entrants)) if how is PairingSystem.ROUND_ROBIN else 1
    gone = sum(one.out is not None for one in state.entrants)
    if how is PairingSystem.ROUND_ROBIN or len(state.entrants) - gone > 2 * state.round:
        assert max(met.values(), default=0) <= most


def _shuffled(event: Event, luck: random.Random) -> Event:
    log: list[EventEntry] = []
    for ended, entries in groupby(event.log, lambda entry: isinstance(entry, Ended)):
        some: Sequence[EventEntry] = list(entries)
        log += luck.sample(some, len(some)) if ended else some
    return replace(event, log=tuple(log))


def size(luck: random.Random) -> int:
    """How many people come to a cup: few mostly, sometimes two hundred."""
    few, some, any_number = range(3, 13), range(3, 41, 3), range(3, 201)
    chosen: int = luck.choice((*few, *few, *some, luck.choice(any_number)))
    return chosen
