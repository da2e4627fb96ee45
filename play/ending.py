"""Ending a match from outside, by the word of whoever runs the place where it was made."""

from __future__ import annotations

from play.checks import check_live
from play.clock import Now
from play.facts import CalledOff, Closed
from play.invitations import called_off
from play.keeping import over
from play.match import Cancel, Closing, Match, Phase, Result
from play.people import Player, entering


def end(match: Match, by: Player, now: Now) -> Closed | CalledOff:
    """A match without a winner, or an invitation called off.

    Whether somebody may do that is not the table's to know: it depends on the place.

    Raises:
        WrongPhase: over, or called off already.
    """
    check_live(match)
    if match.phase is Phase.OPEN:
        return called_off(match, Cancel.WITHDRAWN, entering(by))
    return Closed(over(match, Result((), Closing.ENDED.value), now))
