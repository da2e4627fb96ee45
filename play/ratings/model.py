"""Ratings: how well people play a game, as far as their rated matches tell, and how a result changes that.

A rating is an estimate and how far it may be off. A result moves both, by the model of Plackett and Luce as Weng and Lin
work it out ("A Bayesian Approximation Method for Online Ranking", 2011), which takes two to ten people, also in teams.
What people see is one number: 1500 to begin with, and of two who have settled, the one who is 400 above the other is
expected to win ten games of eleven. It is the estimate itself and not a cautious lower bound, so that the winner goes up and
the loser goes down; instead, a rating is called provisional for its first matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from openskill.models import PlackettLuce

from play.match import Closing, Match, Ply
from play.replay import Course
from rules.core import Reason, Seat, Sides

START: Final = 1500  # what a newcomer's rating is shown as
SETTLED: Final = 10  # matches after which a rating is no longer provisional

# Of two settled people the better one wins at odds of exp(difference / (sqrt(2) * beta)), and beta is 25/6: odds of ten
# to one are a difference of 13.6, which are to be 400 points.
_POINTS: Final = 30
_MODEL: Final = PlackettLuce()

_CLOSED: Final = (Closing.SILENCE.value, Closing.ENDED.value, Closing.HALVED.value, Closing.AGREED.value)

MOST_A_DAY: Final = 5
"""Rated matches of one game that count between the same people within a day, so that friends cannot play each other up."""


class Uncounted(Reason):
    """Why a rated match that is over does not count."""

    UNPLAYED = "match.uncounted.unplayed"
    CLOSED = "match.uncounted.closed"


@dataclass(frozen=True, slots=True)
class Rating:
    """How well a person plays a game.

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
        return self.played < SETTLED


NEWCOMER: Final = Rating(_MODEL.mu, _MODEL.sigma)  # the rating of a person who has played no rated match


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What a match did to a rating."""

    before: Rating
    after: Rating

    @property
    def gained(self) -> int:
        """The difference of what people see."""
        return self.after.shown - self.before.shown


def uncounted(match: Match, course: Course) -> Uncounted | None:
    """Return why a rated match that is over does not count, as far as that can be seen from it; None: it counts.

    Each side that was in it to the end must have had a turn, and two sides at least. A side that left before its first
    turn does not keep a match of others, who played on, from counting for them.
    """
    if match.result is None or match.result.reason in _CLOSED:
        return Uncounted.CLOSED
    playing = played(course)
    idle = {seat for side in course.sides if side not in playing for seat in side}
    return Uncounted.UNPLAYED if len(playing) < 2 or not idle.isdisjoint(course.live) else None


def played(course: Course) -> Sides:
    """Return the sides that have had a whole turn; a match counts for them only."""
    moved = set()
    for entry, after in zip(course.log, course.positions[1:], strict=True):
        done = after.outcome or after.to_move != entry.seat or after.plies_left == after.turn_length
        if isinstance(entry, Ply) and done:
            moved.add(entry.seat)
    return tuple(side for side in course.sides if not moved.isdisjoint(side))


def places(match: Match, course: Course) -> tuple[int, ...]:
    """Return the place of each side, 0 for the best: who won, then who was out latest. Who is still in at a draw shares one."""
    winners = set(match.result.winners) if match.result else set()
    seats = [seat for side in course.sides for seat in side]
    lasted = {seat: at for at, here in enumerate(course.positions) for seat in seats if seat not in here.out}
    never = len(course.positions) + 1
    kept = [
        never if not winners.isdisjoint(side) else max(lasted.get(seat, 0) for seat in side)
        for side in course.sides
    ]
    best_first = sorted(set(kept), reverse=True)
    return tuple(map(best_first.index, kept))


def changes(sides: Sides, taken: Sequence[int], before: Sequence[Rating]) -> tuple[RatingChange, ...]:
    """Return what a result does to ratings, by seat; of the places that were `taken` by sides, less is better."""
    teams = [[_MODEL.rating(before[seat].skill, before[seat].doubt) for seat in side] for side in sides]
    rated = _MODEL.rate(teams, ranks=[float(place) for place in taken])
    after = {
        seat: Rating(new.mu, new.sigma, before[seat].played + 1)
        for side, team in zip(sides, rated, strict=True)
        for seat, new in zip(side, team, strict=True)
    }
    return tuple(RatingChange(old, after.get(Seat(index), old)) for index, old in enumerate(before))
