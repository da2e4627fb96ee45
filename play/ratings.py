"""Ratings: how well people play a game, as far as their rated matches tell, and how a result changes that.

A rating is an estimate and how far it may be off. A result moves both, by the model of Plackett and Luce as Weng and Lin
work it out ("A Bayesian Approximation Method for Online Ranking", 2011), which takes two to ten people, also in teams.
What people see is one number: 1500 to begin with, and of two who have settled, the one who is 400 above the other is
expected to win ten games of eleven. It is the estimate itself and not a cautious lower bound, so that whoever wins goes
up and whoever loses goes down; instead, a rating is called provisional for its first matches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from openskill.models import PlackettLuce

from play.match import Closing, Exit, Match, Phase, Ply, Return
from play.replay import Course
from rules.core import Seat, Sides

START: Final = 1500
"""What a newcomer's rating is shown as."""

SETTLED: Final = 10
"""Matches after which a rating is no longer provisional."""

# Of two settled people the better one wins at odds of exp(difference / (sqrt(2) * beta)), and beta is 25/6: odds of ten
# to one are a difference of 13.6, which are to be 400 points.
_POINTS: Final = 30
_MODEL: Final = PlackettLuce()

_UNCOUNTED: Final = (Closing.SILENCE.value, Closing.ENDED.value)


@dataclass(frozen=True, slots=True)
class Rating:
    """How well somebody plays a game.

    Attributes:
        skill: The estimate, in the model's own measure.
        doubt: Its standard deviation.
        played: Rated matches that it comes from.
    """

    skill: float
    doubt: float
    played: int = 0

    @property
    def shown(self) -> int:
        """The number that people see."""
        return round(START + _POINTS * (self.skill - NEWCOMER.skill))

    @property
    def provisional(self) -> bool:
        """Whether it comes from too few matches to say much."""
        return self.played < SETTLED


NEWCOMER: Final = Rating(_MODEL.mu, _MODEL.sigma)
"""The rating of whoever has played no rated match."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a match did to a rating."""

    before: Rating
    after: Rating

    @property
    def gained(self) -> int:
        """The difference of what people see."""
        return self.after.shown - self.before.shown


def counts(match: Match) -> bool:
    """Whether a match changes ratings: it was played for that, to an end of its own, and not given up at once."""
    if not match.rated or match.phase is not Phase.OVER or match.result is None:
        return False
    if match.result.reason == Closing.RESIGNED.value and not _tried(match):
        return False
    return match.result.reason not in _UNCOUNTED


def _tried(match: Match) -> bool:
    """Whether two people have moved: of two, each of them."""
    return len({entry.seat for entry in match.log if isinstance(entry, Ply)}) > 1


def places(match: Match, course: Course) -> tuple[int, ...]:
    """The place of each side, 0 for the best: who won, then whoever was out latest. Who is still there at a draw shares one."""
    winners = set(match.result.winners) if match.result else set()
    lasted = _lasted(course)
    never = len(course.positions) + 1
    kept = [
        never if not winners.isdisjoint(side) else max(lasted.get(seat, 0) for seat in side)
        for side in course.sides
    ]
    best_first = sorted(set(kept), reverse=True)
    return tuple(map(best_first.index, kept))


def _lasted(course: Course) -> Mapping[Seat, int]:
    """In which position of a match each seat was last not out."""
    seats = [seat for side in course.sides for seat in side]
    lasted: dict[Seat, int] = {}
    left: set[Seat] = set()
    for index, position in enumerate(course.positions):
        if index:
            entry = course.log[index - 1]
            if isinstance(entry, Exit):
                left.add(entry.seat)
            elif isinstance(entry, Return):
                left.discard(entry.seat)
        lasted |= {seat: index for seat in seats if seat not in position.out and seat not in left}
    return lasted


def changes(sides: Sides, taken: Sequence[int], before: Sequence[Rating]) -> tuple[Change, ...]:
    """What a result does to the ratings of everybody, by seat.

    Args:
        sides: The seats, and which of them belong together.
        taken: The place of each side; less is better.
        before: The ratings before it, by seat.
    """
    teams = [[_MODEL.rating(before[seat].skill, before[seat].doubt) for seat in side] for side in sides]
    rated = _MODEL.rate(teams, ranks=[float(place) for place in taken])
    after = {
        seat: Rating(new.mu, new.sigma, before[seat].played + 1)
        for side, team in zip(sides, rated, strict=True)
        for seat, new in zip(side, team, strict=True)
    }
    return tuple(Change(old, after[Seat(index)]) for index, old in enumerate(before))
