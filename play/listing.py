"""A person's matches over all places, most urgent first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from play.actions.agreeing import asked_seats
from play.match import Match, Phase
from play.people import Account
from play.replay import Course
from play.time.clock import Now, reached, until_flag
from play.time.week import Week, rests
from rules.core import Seat


class Waits(StrEnum):
    """What a match waits for, seen by one person."""

    MOVE = "move"  # it is their turn
    ANSWER = "answer"  # a question of another side's
    INVITATION = "invitation"  # a chair is kept for them
    OTHERS = "others"  # another person has to do something


@dataclass(frozen=True, slots=True)
class Listed:
    """One match of a person.

    Attributes:
        left: How long the person has, or, where others are waited for, how long those have, vacations included; below
            zero once that is over and the timer has not fired yet; None: no limit.
    """

    match: Match
    waits: Waits
    seat: Seat | None
    left: timedelta | None
    paused: bool = False

    @property
    def mine(self) -> bool:
        return self.waits is not Waits.OTHERS


def waiting(
    account: Account,
    matches: Iterable[tuple[Match, Course]],
    now: Now,
) -> tuple[Listed, ...]:
    """The live matches of a person: their turns, then invitations, then those that wait for others; what is due next first."""
    entries = [_listed(account, match, course, now) for match, course in matches if match.live]
    return tuple(sorted(entries, key=_urgency))


def _listed(account: Account, match: Match, course: Course, now: Now) -> Listed:
    seat = match.seat_of(account, course.position.to_move)
    if match.phase is Phase.OPEN:
        invited = any(chair.kept_for(account) for chair in match.chairs)
        ready = match.lobby and match.host.account == account and match.full
        waits = Waits.INVITATION if invited else Waits.MOVE if ready else Waits.OTHERS
        return Listed(match, waits, seat, match.expires - now.at)
    offer, times = match.offer, match.times
    running = until_flag(times, now) if times and times.since else None
    if seat == course.position.to_move and not match.paused:
        return Listed(match, Waits.MOVE, seat, running)
    if offer and seat in asked_seats(match, course, offer) and seat not in (*offer.agreed, *offer.against):
        return Listed(match, Waits.ANSWER, seat, None, bool(match.paused))
    return Listed(match, Waits.OTHERS, seat, running, bool(match.paused))


def free_until(entries: Iterable[Listed], week: Week, at: datetime) -> datetime | None:
    """Return when the first thing that waits for a person is due; None where that is within their next day awake, or nothing is."""
    due = min((at + entry.left for entry in entries if entry.mine and entry.left is not None), default=None)
    return due if due and due > reached(at, week.day, rests(week, at)) else None


_RANKS: Final = {Waits.MOVE: 0, Waits.ANSWER: 0, Waits.INVITATION: 1, Waits.OTHERS: 2}


def _urgency(entry: Listed) -> tuple[int, bool, timedelta, datetime, str]:
    last = entry.match.touched or entry.match.opened
    return (
        _RANKS[entry.waits],
        entry.left is None,
        entry.left or timedelta(),
        last,  # of those without a limit, the one that waits longest comes first
        entry.match.id,
    )
