"""Ladders: an order of players that changes by challenges, always open.

* A player challenges up, three places or a tenth of the ladder, whichever is more; two challenges out and two in at once,
  and seven days between two of the same pair.
* A challenge that is not answered is accepted after 72 hours; hours in which the bot was down, or the challenged is on
  vacation, do not count. One refusal in 30 days is free, another one costs a place.
* A challenger who wins takes the place, and those between go down one. A win over an absent player gives one place only;
  two absences without a game between them park the absent one, and who leaves makes room and no more. A newcomer's wins give
  no places for a day, and those of a young account for as long as it is young.
* Who is parked or has left comes back a fifth of the ladder lower. A vacation parks without loss: the place is kept, and
  no one can challenge for it.

The state is replayed from the event's log (`ladder_of`), which holds nothing twice: places, absences and what may be done
next follow from it. What happens by itself is in `ladder_rules`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import singledispatchmethod
from typing import Final

from play.events.entries import (
    Archived,
    Ended,
    Entered,
    EventEntry,
    ExitReason,
    Fold,
    GameEnd,
    Left,
    OnProbation,
    Paired,
    Returned,
    Voided,
)
from play.events.event import Event
from play.time.clock import Now, Span, merged, reached
from rules.core import Reason

REACH: Final = 3  # places up that can be challenged, at least
TENTH: Final = 10  # on a long ladder, one place in so many can be challenged
MOST_OUT: Final = 2  # challenges of a player that are open at once
MOST_IN: Final = 2  # open challenges to a player at once
BETWEEN: Final = timedelta(days=7)  # how long the same two do not meet again
ANSWER: Final = timedelta(hours=72)  # after this long without an answer, a challenge is accepted
FREE_REFUSAL: Final = timedelta(days=30)  # in this time, one refusal costs nothing
ABSENCES: Final = 2  # games without showing up, with none played between them, that park a player
LOWER: Final = 5  # who returns does so one place in so many lower
NEW_HERE: Final = timedelta(days=1)  # for so long after entering, wins give no places


@dataclass(frozen=True, slots=True)
class ChallengeMade(EventEntry):
    """A player challenged one above. Challenges are numbered from 0; that of number n is played as round n + 1."""

    challenger: int
    challenged: int


@dataclass(frozen=True, slots=True)
class ChallengeRefused(EventEntry):
    """The challenged refused."""

    challenge: int


@dataclass(frozen=True, slots=True)
class ChallengeTakenBack(EventEntry):
    """The challenger took the challenge back before it was answered."""

    challenge: int


@dataclass(frozen=True, slots=True)
class Rested(EventEntry):
    """A player is on vacation from one moment to another, and is not challenged meanwhile."""

    entrant: int
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class LadderArchived(EventEntry):
    """How the ladder stood after the entries that are archived; the fields are those of `Ladder`, with mappings as pairs."""

    order: tuple[int, ...]
    parked: tuple[tuple[int, int, ExitReason], ...]
    challenges: tuple[tuple[int, int, int, datetime, int | None], ...]
    count: int
    last: tuple[tuple[int, int, datetime], ...]
    refused: tuple[tuple[int, datetime], ...]
    absences: tuple[tuple[int, int], ...]
    rests: tuple[tuple[int, datetime, datetime], ...]
    probation: tuple[tuple[int, datetime], ...]
    firsts: tuple[tuple[int, int], ...]


class Obstacle(Reason):
    """Why one player cannot challenge another. The fields that come with each are in its comment."""

    NOT_ON = "event.ladder.not-on"
    THEY_LEFT = "event.ladder.they-left"
    YOURSELF = "event.ladder.yourself"
    BELOW = "event.ladder.below"
    TOO_FAR = "event.ladder.too-far"  # count
    OPEN = "event.ladder.open"
    YOUR_LIMIT = "event.ladder.your-limit"  # count
    THEIR_LIMIT = "event.ladder.their-limit"  # count
    AGAIN = "event.ladder.again"  # left: a length of time
    AWAY = "event.ladder.away"  # left: a length of time


class LadderRefused(Reason):
    """Why a ladder says no to what is no new challenge."""

    APART = "event.ladder.apart"
    NOT_YOURS = "event.ladder.not-yours"
    ANSWERED = "event.ladder.answered"


@dataclass(frozen=True, slots=True)
class Barred:
    """That a challenge is not possible now, why, and until when if that is known."""

    why: Obstacle
    until: datetime | None = None

    def fields(self, reach: int, at: datetime) -> dict[str, int | timedelta]:
        """Return what the words for it name."""
        if self.until is not None:
            return {"left": self.until - at}
        known = {Obstacle.TOO_FAR: ("count", reach), Obstacle.YOUR_LIMIT: ("count", MOST_OUT)}
        known[Obstacle.THEIR_LIMIT] = ("count", MOST_IN)
        return dict([known[self.why]]) if self.why in known else {}


@dataclass(frozen=True, slots=True)
class LadderChallenge:
    """A challenge that is open.

    Attributes:
        number: From 0, in the order of the log.
        game: The number of its game, once it is accepted.
    """

    number: int
    challenger: int
    challenged: int
    at: datetime
    game: int | None = None


@dataclass(frozen=True, slots=True)
class Parked:
    """Who is off the ladder, by choice or absence, and the place that they had (0: the top)."""

    entrant: int
    place: int
    why: ExitReason


@dataclass(frozen=True, slots=True)
class Ladder:
    """How a ladder stands.

    Attributes:
        order: The players, the top first.
        last: When two last met, or refused to.
        refused: When each player's last free refusal was.
        absences: How often each was absent since they last played.
        probation: Until when wins give no places.
    """

    order: tuple[int, ...] = ()
    parked: Mapping[int, Parked] = field(default_factory=dict)
    challenges: tuple[LadderChallenge, ...] = ()
    last: Mapping[frozenset[int], datetime] = field(default_factory=dict)
    refused: Mapping[int, datetime] = field(default_factory=dict)
    absences: Mapping[int, int] = field(default_factory=dict)
    rests: Mapping[int, tuple[Span, ...]] = field(default_factory=dict)
    probation: Mapping[int, datetime] = field(default_factory=dict)
    count: int = 0
    firsts: Mapping[int, int] = field(default_factory=dict)

    @property
    def reach(self) -> int:
        """How many places up can be challenged."""
        return max(REACH, len(self.order) // TENTH)

    @property
    def waiting(self) -> tuple[LadderChallenge, ...]:
        """The challenges that are not answered."""
        return tuple(one for one in self.challenges if one.game is None)

    def away(self, entrant: int, at: datetime) -> datetime | None:
        """Return until when a player is on vacation; None: they are not."""
        return max((end for start, end in self.rests.get(entrant, ()) if start <= at < end), default=None)

    def barred(self, challenger: int, challenged: int, at: datetime) -> Barred | None:
        """Return why one player cannot challenge another now; None: they can."""
        if challenger not in self.order:
            return Barred(Obstacle.NOT_ON)
        if challenged not in self.order:
            return Barred(Obstacle.THEY_LEFT)
        if challenger == challenged:
            return Barred(Obstacle.YOURSELF)
        up = self.order.index(challenger) - self.order.index(challenged)
        if up <= 0:
            return Barred(Obstacle.BELOW)
        if up > self.reach:
            return Barred(Obstacle.TOO_FAR)
        return self._busy(challenger, challenged) or self._wait(challenger, challenged, at)

    def _busy(self, challenger: int, challenged: int) -> Barred | None:
        pair = {challenger, challenged}
        if any({one.challenger, one.challenged} == pair for one in self.challenges):
            return Barred(Obstacle.OPEN)
        if sum(one.challenger == challenger for one in self.challenges) >= MOST_OUT:
            return Barred(Obstacle.YOUR_LIMIT)
        if sum(one.challenged == challenged for one in self.challenges) >= MOST_IN:
            return Barred(Obstacle.THEIR_LIMIT)
        return None

    def _wait(self, challenger: int, challenged: int, at: datetime) -> Barred | None:
        last = self.last.get(frozenset((challenger, challenged)))
        if last is not None and at < last + BETWEEN:
            return Barred(Obstacle.AGAIN, last + BETWEEN)
        until = self.away(challenged, at)
        return Barred(Obstacle.AWAY, until) if until else None

    def targets(self, challenger: int, at: datetime) -> Sequence[tuple[int, Barred | None]]:
        """Return the players within a player's reach, the nearest first, and what stands against challenging each."""
        if challenger not in self.order:
            return ()
        place = self.order.index(challenger)
        near = reversed(self.order[max(0, place - self.reach) : place])
        return [(one, self.barred(challenger, one, at)) for one in near]

    def costs_a_place(self, entrant: int, at: datetime) -> bool:
        """Whether a refusal by a player would cost them a place."""
        last = self.refused.get(entrant)
        return last is not None and at < last + FREE_REFUSAL

    def accepted_at(self, challenge: LadderChallenge, now: Now) -> datetime:
        """Return when a challenge is accepted if it is not answered."""
        spans = sorted((*now.down, *self.rests.get(challenge.challenged, ())))
        return reached(challenge.at, ANSWER, merged(spans))

    def return_place(self, entrant: int) -> int:
        """Return the place (0: the top) at which a parked player would come back."""
        lower = max(1, -(-len(self.order) // LOWER))
        return min(self.parked[entrant].place + lower, len(self.order))


def ladder_of(event: Event) -> Ladder:
    """Return how a ladder stands, from its log."""
    return event.folded(_LadderFold)


def ladder_at(event: Event, at: datetime) -> Ladder:
    """Return how a ladder stood at a moment."""
    return ladder_of(replace(event, log=tuple(entry for entry in event.log if entry.at <= at)))


class _LadderFold(Fold[Ladder]):
    def __init__(self) -> None:
        self.order: list[int] = []
        self.entrants = 0
        self.parked: dict[int, Parked] = {}
        self.challenges: dict[int, LadderChallenge] = {}
        self.count = 0
        self.games: dict[int, tuple[int, ...]] = {}
        self.played = 0
        self.firsts: dict[int, int] = {}
        self.of_game: dict[int, int] = {}
        self.last: dict[frozenset[int], datetime] = {}
        self.refused: dict[int, datetime] = {}
        self.absences: dict[int, int] = {}
        self.rests: dict[int, tuple[Span, ...]] = {}
        self.probation: dict[int, datetime] = {}

    def state(self) -> Ladder:
        return Ladder(
            order=tuple(self.order),
            parked=self.parked,
            challenges=tuple(self.challenges.values()),
            last=self.last,
            refused=self.refused,
            absences=self.absences,
            rests=self.rests,
            probation=self.probation,
            count=self.count,
            firsts=self.firsts,
        )

    @singledispatchmethod
    def add(self, entry: EventEntry) -> None:
        """Pass over what changes nothing."""

    @add.register
    def _(self, entry: Entered) -> None:
        self.order.append(self.entrants)
        self.probation[self.entrants] = entry.at + NEW_HERE
        self.entrants += 1

    @add.register
    def _(self, entry: OnProbation) -> None:
        self.probation[entry.entrant] = max(entry.until, self.probation[entry.entrant])

    @add.register
    def _(self, entry: Left) -> None:
        place = self.order.index(entry.entrant)
        del self.order[place]
        self.parked[entry.entrant] = Parked(entry.entrant, place, entry.why)
        for one in tuple(self.challenges.values()):
            if one.game is None and entry.entrant in (one.challenger, one.challenged):
                self.close(one.number, entry.at)

    @add.register
    def _(self, entry: Returned) -> None:
        place = self.state().return_place(entry.entrant)
        del self.parked[entry.entrant]
        self.order.insert(place, entry.entrant)
        self.absences.pop(entry.entrant, None)

    @add.register
    def _(self, entry: Rested) -> None:
        self.rests[entry.entrant] = (*self.rests.get(entry.entrant, ()), (entry.since, entry.until))

    @add.register
    def _(self, entry: ChallengeMade) -> None:
        made = LadderChallenge(self.count, entry.challenger, entry.challenged, entry.at)
        self.challenges[self.count] = made
        self.count += 1

    @add.register
    def _(self, entry: ChallengeRefused) -> None:
        challenge = self.close(entry.challenge, entry.at)
        who = challenge.challenged
        last = self.refused.get(who)
        if last is None or entry.at >= last + FREE_REFUSAL:
            self.refused[who] = entry.at
        else:
            self.move(who, self.order.index(who) + 1)

    @add.register
    def _(self, entry: ChallengeTakenBack) -> None:
        self.close(entry.challenge, entry.at)

    @add.register
    def _(self, entry: Paired) -> None:
        for entrants in entry.games:
            number = entry.round - 1
            self.of_game[self.played] = number
            self.challenges[number] = replace(self.challenges[number], game=self.played)
            self.games[self.played] = entrants
            self.firsts[entrants[0]] = self.firsts.get(entrants[0], 0) + 1
            self.played += 1

    @add.register
    def _(self, entry: Voided) -> None:
        for game in entry.games:
            if self.of_game[game] in self.challenges:
                self.close(self.of_game[game], entry.at)

    @add.register
    def _(self, entry: Ended) -> None:
        challenge = self.close(self.of_game[entry.game], entry.at)
        entrants = self.games[entry.game]
        for entrant in entrants:
            if entrant in entry.absent:
                self.absences[entrant] = self.absences.get(entrant, 0) + 1
            elif entry.end is GameEnd.PLAYED:
                self.absences.pop(entrant, None)
        place = dict(zip(entrants, entry.places, strict=True))
        if place[challenge.challenger] < place[challenge.challenged]:
            self.win(challenge, entry)

    @add.register
    def _(self, entry: Archived) -> None:
        self.played = entry.games
        self.games = {game[0]: game[2] for game in entry.open}

    @add.register
    def _(self, entry: LadderArchived) -> None:
        self.order = list(entry.order)
        self.parked = {one[0]: Parked(*one) for one in entry.parked}
        self.challenges = {one[0]: LadderChallenge(*one) for one in entry.challenges}
        self.count = entry.count
        self.of_game = {one.game: one.number for one in self.challenges.values() if one.game is not None}
        self.last = {frozenset((one, other)): at for one, other, at in entry.last}
        self.refused, self.absences = dict(entry.refused), dict(entry.absences)
        self.rests = {}
        for entrant, since, until in entry.rests:
            self.rests[entrant] = (*self.rests.get(entrant, ()), (since, until))
        self.probation, self.firsts = dict(entry.probation), dict(entry.firsts)

    def win(self, challenge: LadderChallenge, entry: Ended) -> None:
        winner, loser = challenge.challenger, challenge.challenged
        if entry.at < self.probation[winner] or not {winner, loser} <= set(self.order):
            return  # who has left made room by that
        at, goal = self.order.index(winner), self.order.index(loser)
        if at > goal:
            beaten = entry.end in (GameEnd.PLAYED, GameEnd.ADJUDICATED) and loser not in entry.absent
            self.move(winner, goal if beaten else at - 1)

    def move(self, entrant: int, place: int) -> None:
        self.order.remove(entrant)
        self.order.insert(place, entrant)

    def close(self, number: int, at: datetime) -> LadderChallenge:
        challenge = self.challenges.pop(number)
        self.last[frozenset((challenge.challenger, challenge.challenged))] = at
        return challenge
