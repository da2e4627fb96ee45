"""What a match wants of an engine that sits in it."""

from __future__ import annotations

from dataclasses import dataclass

from play.engine_players import is_engine
from play.match import Ask, Match, Phase
from play.people import Account
from play.replay import Course
from rules.core import Seat


@dataclass(frozen=True, slots=True)
class Due:
    """Something that an engine owes.

    Attributes:
        seat: Which engine's seat.
        account: Which engine.
        ask: The question it has to answer; None: a turn.
    """

    seat: Seat
    account: Account
    ask: Ask | None = None


def due(match: Match, course: Course) -> Due | None:
    """What a match waits for from an engine: first an answer, then a turn; None: nothing."""
    if match.phase is not Phase.PLAYING:
        return None
    if match.offer:
        for seat in course.opponents(match.offer.by):
            account = _engine_at(match, seat)
            if account and seat not in match.offer.agreed:
                return Due(seat, account, match.offer.ask)
    if match.paused is not None:
        return None
    seat = course.position.to_move
    account = _engine_at(match, seat)
    return Due(seat, account) if account and seat in course.live else None


def _engine_at(match: Match, seat: Seat) -> Account | None:
    player = match.chairs[seat].player
    return player.account if player and is_engine(player.account) else None
