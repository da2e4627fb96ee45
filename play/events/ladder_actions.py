"""What people do on a ladder.

What happens on a ladder by itself: challenges are accepted, absent players are parked, old entries are archived.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from play.errors import NotAllowed, WrongPhase
from play.events.actions import EventAction, check_live, playing_entrant
from play.events.entries import Began, Entered, EventEntry, ExitReason, Left, Paired, Stage
from play.events.event import EntrantInfo, Event, Rules
from play.events.ladder import (
    ABSENCES,
    BETWEEN,
    FREE_REFUSAL,
    ChallengeMade,
    ChallengeRefused,
    ChallengeTakenBack,
    Ladder,
    LadderArchived,
    LadderChallenge,
    LadderRefused,
    Rested,
    ladder_of,
)
from play.people import Account
from play.request import Request
from play.time.clock import Now, Span

KEPT: Final = timedelta(days=35)  # for so long entries stay in the log; the card compares with a week ago
WORTH: Final = 500  # so many entries are archived at once, at least


def accepted(event: Event, challenge: LadderChallenge, at: datetime) -> Paired:
    """Return that a challenge is played: first moves who had it less on this ladder, and of level ones the challenged."""
    firsts = ladder_of(event).firsts
    pair = (challenge.challenged, challenge.challenger)
    first, second = sorted(pair, key=lambda one: firsts.get(one, 0))  # stable
    return Paired(challenge.number + 1, ((first, second),), at=at)


class LadderRules(Rules):
    """The `Rules` of ladders."""

    entries: tuple[type[EventEntry], ...] = (
        ChallengeMade,
        ChallengeRefused,
        ChallengeTakenBack,
        Rested,
        LadderArchived,
    )

    def follow(self, event: Event, now: Now, known: EntrantInfo) -> Sequence[EventEntry]:
        if event.state.stage is Stage.OPEN:
            return (Began(tuple(range(len(event.state.entrants))), at=now.at),)
        return tuple(_steps(event, ladder_of(event), now, known))[:1]

    def due(self, event: Event, now: Now) -> datetime | None:
        if event.state.stage is Stage.OPEN:
            return event.opened
        ladder = ladder_of(event)
        return min((ladder.accepted_at(one, now) for one in ladder.waiting), default=None)

    def outdated(self, event: Event, at: datetime) -> int:
        old = bisect_left(event.log, at - KEPT, key=lambda entry: entry.at)
        kept = sum(isinstance(entry, Entered | Began) for entry in event.log[:old])
        return old if old - kept >= WORTH else 0

    def archived(self, event: Event) -> EventEntry:
        ladder, at = ladder_of(event), event.log[-1].at
        return LadderArchived(
            order=ladder.order,
            parked=tuple((one.entrant, one.place, one.why) for one in ladder.parked.values()),
            challenges=tuple(
                (one.number, one.challenger, one.challenged, one.at, one.game) for one in ladder.challenges
            ),
            count=ladder.count,
            last=tuple(
                (min(pair), max(pair), when) for pair, when in ladder.last.items() if when + BETWEEN > at
            ),
            refused=tuple((one, when) for one, when in ladder.refused.items() if when + FREE_REFUSAL > at),
            absences=tuple(ladder.absences.items()),
            rests=tuple(
                (one, *span) for one, spans in ladder.rests.items() for span in spans if span[1] > at
            ),
            probation=tuple(ladder.probation.items()),
            firsts=tuple(ladder.firsts.items()),
            at=at,
        )


LADDER: Final = LadderRules()


def _steps(event: Event, ladder: Ladder, now: Now, known: EntrantInfo) -> Iterator[EventEntry]:
    for challenge in ladder.waiting:
        if now.at < ladder.accepted_at(challenge, now):
            continue
        away = known.away.get(challenge.challenged)
        if away is not None and away[1] > now.at:
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
    accounts: tuple[Account, ...] = ()
    away: Span | None = None
    apart: bool = False

    def decide(self, event: Event, request: Request) -> Event:
        check_live(event)
        challenger = playing_entrant(event, request, self.accounts).number
        if self.apart:
            raise NotAllowed(LadderRefused.APART)
        ladder = ladder_of(event)
        if self.away is not None and ladder.away(self.challenged, request.at) is None:
            event = event.logged(Rested(self.challenged, *self.away, at=request.at))
            ladder = ladder_of(event)
        barred = ladder.barred(challenger, self.challenged, request.at)
        if barred is not None:
            raise NotAllowed(barred.why, **barred.fields(ladder.reach, request.at))
        return event.logged(ChallengeMade(challenger, self.challenged, at=request.at))


@dataclass(frozen=True, slots=True)
class AnswerChallenge(EventAction):
    """Accept or refuse a challenge; what was answered already stays as it is."""

    challenge: int
    accept: bool
    accounts: tuple[Account, ...] = ()

    def decide(self, event: Event, request: Request) -> Event:
        check_live(event)
        challenge = _waiting(event, self.challenge)
        if challenge.challenged != playing_entrant(event, request, self.accounts).number:
            raise NotAllowed(LadderRefused.NOT_YOURS)
        if self.accept:
            return event.logged(accepted(event, challenge, request.at))
        return event.logged(ChallengeRefused(challenge.number, at=request.at))


@dataclass(frozen=True, slots=True)
class TakeBack(EventAction):
    """Take one's challenge back before it is answered; the seven days count from then."""

    challenge: int
    accounts: tuple[Account, ...] = ()

    def decide(self, event: Event, request: Request) -> Event:
        check_live(event)
        challenge = _waiting(event, self.challenge)
        if challenge.challenger != playing_entrant(event, request, self.accounts).number:
            raise NotAllowed(LadderRefused.NOT_YOURS)
        return event.logged(ChallengeTakenBack(challenge.number, at=request.at))


def _waiting(event: Event, number: int) -> LadderChallenge:
    for challenge in ladder_of(event).waiting:
        if challenge.number == number:
            return challenge
    raise WrongPhase(LadderRefused.ANSWERED)
