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

All of it is replayed from the event's log (`ladder_of`), which holds nothing twice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import datetime, timedelta
from functools import singledispatchmethod
from typing import Final

from play.errors import NotAllowed, WrongPhase
from play.events.actions import EventAction, check_live, playing_entrant
from play.events.entries import (
    Archived,
    Began,
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
    Stage,
    Voided,
)
from play.events.event import EntrantInfo, Event, Rules
from play.request import Request
from play.time.clock import Now, merged, reached
from play.time.week import Span
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
KEPT: Final = timedelta(days=35)  # for so long entries stay in the log; the card compares with a week ago
WORTH: Final = 500  # so many entries are archived at once, at least


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

    NOT_YOURS = "event.ladder.not-yours"
    ANSWERED = "event.ladder.answered"


@dataclass(frozen=True, slots=True)
class Barred:
    """That a challenge is not possible now, and why; with the number that is in the way, or until when it is."""

    why: Obstacle
    count: int | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class LadderChallenge:
    """A challenge that is open."""

    number: int  # from 0, in the order of the log
    challenger: int
    challenged: int
    at: datetime
    game: int | None = None  # the number of its game, once it is accepted


@dataclass(frozen=True, slots=True)
class Parked:
    """Who is off the ladder, by choice or absence, and the place that they had (0: the top)."""

    entrant: int
    place: int
    why: ExitReason


@dataclass
class Ladder(Fold):
    """How a ladder stands."""

    order: list[int] = field(default_factory=list)  # the players, the top first
    parked: dict[int, Parked] = field(default_factory=dict)
    challenges: tuple[LadderChallenge, ...] = ()  # those that are open, in order
    last: dict[frozenset[int], datetime] = field(default_factory=dict)  # when two last met, or refused to
    refused: dict[int, datetime] = field(default_factory=dict)  # when each player's last free refusal was
    absences: dict[int, int] = field(default_factory=dict)  # how often each was absent since they last played
    rests: dict[int, tuple[Span, ...]] = field(default_factory=dict)  # the vacations of each
    probation: dict[int, datetime] = field(default_factory=dict)  # until when wins give no places
    count: int = 0  # how many challenges there have been
    firsts: dict[int, int] = field(default_factory=dict)  # how often each has moved first
    played: int = 0  # how many games there have been
    seats: dict[int, tuple[int, ...]] = field(default_factory=dict)  # of each open game, in the order of play

    @property
    def reach(self) -> int:
        return max(REACH, len(self.order) // TENTH)

    @property
    def waiting(self) -> tuple[LadderChallenge, ...]:
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
        pair, last = {challenger, challenged}, self.last.get(frozenset((challenger, challenged)))
        again, away = last and last + BETWEEN, self.away(challenged, at)
        out = sum(one.challenger == challenger for one in self.challenges)
        into = sum(one.challenged == challenged for one in self.challenges)
        between = any({one.challenger, one.challenged} == pair for one in self.challenges)
        obstacles = (
            (up <= 0, Barred(Obstacle.BELOW)),
            (up > self.reach, Barred(Obstacle.TOO_FAR, count=self.reach)),
            (between, Barred(Obstacle.OPEN)),
            (out >= MOST_OUT, Barred(Obstacle.YOUR_LIMIT, count=MOST_OUT)),
            (into >= MOST_IN, Barred(Obstacle.THEIR_LIMIT, count=MOST_IN)),
            (again is not None and at < again, Barred(Obstacle.AGAIN, until=again)),
            (away is not None, Barred(Obstacle.AWAY, until=away)),
        )
        return next((barred for holds, barred in obstacles if holds), None)

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
        spans = sorted((*now.outages, *self.rests.get(challenge.challenged, ())))
        return reached(challenge.at, ANSWER, merged(spans))

    def return_place(self, entrant: int) -> int:
        """Return the place (0: the top) at which a parked player would come back."""
        lower = max(1, -(-len(self.order) // LOWER))
        return min(self.parked[entrant].place + lower, len(self.order))

    @singledispatchmethod
    def add(self, entry: EventEntry) -> None:
        """Pass over what changes nothing."""

    @add.register
    def _(self, entry: Entered) -> None:
        number = len(self.order) + len(self.parked)
        self.order.append(number)
        self.probation[number] = entry.at + NEW_HERE

    @add.register
    def _(self, entry: OnProbation) -> None:
        self.probation[entry.entrant] = max(entry.until, self.probation[entry.entrant])

    @add.register
    def _(self, entry: Left) -> None:
        place = self.order.index(entry.entrant)
        del self.order[place]
        self.parked[entry.entrant] = Parked(entry.entrant, place, entry.why)
        for one in self.waiting:
            if entry.entrant in (one.challenger, one.challenged):
                self.close(one, entry.at)

    @add.register
    def _(self, entry: Returned) -> None:
        place = self.return_place(entry.entrant)
        del self.parked[entry.entrant]
        self.order.insert(place, entry.entrant)
        self.absences.pop(entry.entrant, None)

    @add.register
    def _(self, entry: Rested) -> None:
        self.rests[entry.entrant] = (*self.rests.get(entry.entrant, ()), (entry.since, entry.until))

    @add.register
    def _(self, entry: ChallengeMade) -> None:
        self.challenges += (LadderChallenge(self.count, entry.challenger, entry.challenged, entry.at),)
        self.count += 1

    @add.register
    def _(self, entry: ChallengeRefused) -> None:
        who = self.close(self.challenge(entry.challenge), entry.at).challenged
        last = self.refused.get(who)
        if last is None or entry.at >= last + FREE_REFUSAL:
            self.refused[who] = entry.at
        else:
            self.move(who, self.order.index(who) + 1)

    @add.register
    def _(self, entry: ChallengeTakenBack) -> None:
        self.close(self.challenge(entry.challenge), entry.at)

    @add.register
    def _(self, entry: Paired) -> None:
        for entrants in entry.games:
            challenge = self.challenge(entry.round - 1)
            begun = replace(challenge, game=self.played)
            self.challenges = tuple(begun if one is challenge else one for one in self.challenges)
            self.seats[self.played] = entrants
            self.firsts[entrants[0]] = self.firsts.get(entrants[0], 0) + 1
            self.played += 1

    @add.register
    def _(self, entry: Voided) -> None:
        for one in self.challenges:
            if one.game in entry.games:
                self.close(one, entry.at)

    @add.register
    def _(self, entry: Ended) -> None:
        entrants = self.seats[entry.game]
        challenge = self.close(next(one for one in self.challenges if one.game == entry.game), entry.at)
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
        self.seats = {game[0]: game[2] for game in entry.open}

    @add.register
    def _(self, entry: LadderArchived) -> None:
        self.order = list(entry.order)
        self.parked = {one[0]: Parked(*one) for one in entry.parked}
        self.challenges = tuple(LadderChallenge(*one) for one in entry.challenges)
        self.count = entry.count
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

    def close(self, challenge: LadderChallenge, at: datetime) -> LadderChallenge:
        self.challenges = tuple(one for one in self.challenges if one != challenge)
        self.last[frozenset((challenge.challenger, challenge.challenged))] = at
        if challenge.game is not None:
            del self.seats[challenge.game]
        return challenge

    def challenge(self, number: int) -> LadderChallenge:
        for one in self.challenges:
            if one.number == number:
                return one
        raise ValueError(f"challenge {number} is not open")


def ladder_of(event: Event) -> Ladder:
    """Return how a ladder stands, from its log."""
    return event.folded(Ladder)


def ladder_at(event: Event, at: datetime) -> Ladder:
    """Return how a ladder stood at a moment."""
    return ladder_of(replace(event, log=tuple(entry for entry in event.log if entry.at <= at)))


def accepted(event: Event, challenge: LadderChallenge, at: datetime) -> Paired:
    """Return that a challenge is played: first moves who had it less on this ladder, and of level ones the challenged."""
    firsts = ladder_of(event).firsts
    pair = (challenge.challenged, challenge.challenger)
    first, second = sorted(pair, key=lambda one: firsts.get(one, 0))  # stable
    return Paired(challenge.number + 1, ((first, second),), at=at)


def _follow(event: Event, now: Now, known: EntrantInfo) -> Sequence[EventEntry]:
    if event.state.stage is Stage.OPEN:
        return (Began(tuple(range(len(event.state.entrants))), at=now.at),)
    return tuple(_steps(event, ladder_of(event), now, known))[:1]


def _due(event: Event, now: Now) -> datetime | None:
    if event.state.stage is Stage.OPEN:
        return event.opened
    ladder = ladder_of(event)
    return min((ladder.accepted_at(one, now) for one in ladder.waiting), default=None)


def _outdated(event: Event, at: datetime) -> int:
    old = bisect_left(event.log, at - KEPT, key=lambda entry: entry.at)
    kept = sum(isinstance(entry, Entered | Began) for entry in event.log[:old])
    return old if old - kept >= WORTH else 0


def _archived(event: Event) -> EventEntry:
    ladder, at = ladder_of(event), event.log[-1].at
    return LadderArchived(
        order=tuple(ladder.order),
        parked=tuple(map(astuple, ladder.parked.values())),
        challenges=tuple(map(astuple, ladder.challenges)),
        count=ladder.count,
        last=tuple((min(pair), max(pair), when) for pair, when in ladder.last.items() if when + BETWEEN > at),
        refused=tuple((one, when) for one, when in ladder.refused.items() if when + FREE_REFUSAL > at),
        absences=tuple(ladder.absences.items()),
        rests=tuple((one, *span) for one, spans in ladder.rests.items() for span in spans if span[1] > at),
        probation=tuple(ladder.probation.items()),
        firsts=tuple(ladder.firsts.items()),
        at=at,
    )


RULES: Final = Rules(_follow, _due, _outdated, _archived)


def _steps(event: Event, ladder: Ladder, now: Now, known: EntrantInfo) -> Iterator[EventEntry]:
    for challenge in ladder.waiting:
        if now.at < ladder.accepted_at(challenge, now):
            continue
        away = known.away.get(challenge.challenged)
        if away and away[1] > challenge.at and away not in ladder.rests.get(challenge.challenged, ()):
            yield Rested(challenge.challenged, *away, at=now.at)
        else:
            yield accepted(event, challenge, now.at)
    for entrant in ladder.order:
        if ladder.absences.get(entrant, 0) >= ABSENCES:
            yield Left(entrant, ExitReason.ABSENT, at=now.at)
    out = {one.number for one in event.state.entrants if one.out is not None}
    for game in event.state.open_games:
        if game.match is None and not out.isdisjoint(game.entrants):
            yield game.forfeited(out, now.at)


@dataclass(frozen=True, slots=True)
class ChallengeAbove(EventAction):
    """Challenge a player above."""

    challenged: int
    away: Span | None = None

    def decide(self, event: Event, request: Request) -> Event:
        challenger = playing_entrant(event, request).number
        ladder = ladder_of(event)
        if self.away is not None and ladder.away(self.challenged, request.at) is None:
            event = event.logged(Rested(self.challenged, *self.away, at=request.at))
            ladder = ladder_of(event)
        barred = ladder.barred(challenger, self.challenged, request.at)
        if barred is not None:
            fields = {"count": barred.count, "left": barred.until and barred.until - request.at}
            raise NotAllowed(
                barred.why, **{name: value for name, value in fields.items() if value is not None}
            )
        return event.logged(ChallengeMade(challenger, self.challenged, at=request.at))


@dataclass(frozen=True, slots=True)
class AnswerChallenge(EventAction):
    """Accept or refuse a challenge; what was answered already stays as it is."""

    challenge: int
    accept: bool

    def decide(self, event: Event, request: Request) -> Event:
        challenge = _waiting(event, self.challenge, request, asks_challenged=True)
        if self.accept:
            return event.logged(accepted(event, challenge, request.at))
        return event.logged(ChallengeRefused(challenge.number, at=request.at))


@dataclass(frozen=True, slots=True)
class TakeBack(EventAction):
    """Take one's challenge back before it is answered; the seven days count from then."""

    challenge: int

    def decide(self, event: Event, request: Request) -> Event:
        challenge = _waiting(event, self.challenge, request, asks_challenged=False)
        return event.logged(ChallengeTakenBack(challenge.number, at=request.at))


def _waiting(event: Event, number: int, request: Request, *, asks_challenged: bool) -> LadderChallenge:
    check_live(event)
    found = [one for one in ladder_of(event).waiting if one.number == number]
    if not found:
        raise WrongPhase(LadderRefused.ANSWERED)
    asked = found[0].challenged if asks_challenged else found[0].challenger
    if asked != playing_entrant(event, request).number:
        raise NotAllowed(LadderRefused.NOT_YOURS)
    return found[0]
