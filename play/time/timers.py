"""The timers of a match. They follow from the match and the outages alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from play.match import Match, Phase
from play.ports import Timer
from play.time import inactivity
from play.time import reminders as reminding
from play.time.clock import Now, deadline

EXPIRE: Final = "expire"
"""An invitation has run out."""
FLAG: Final = "flag"
"""The time of the seat on turn is up."""
REMIND: Final = "remind"
"""The player on turn may want to be reminded."""
INACTIVE: Final = "silence"
"""Nothing has been done for long: the players are told."""
CLOSE: Final = "close"
"""Nothing has been done after that: the match is closed."""


def timers(match: Match, now: Now) -> tuple[Timer, ...]:
    """Return all the timers of a match as it is.

    An outage that is not known here makes a timer come too early, never too late: firing it sets it anew.
    """
    if match.phase is Phase.OPEN:
        return (Timer(EXPIRE, match.expires),)
    if match.phase is Phase.PLAYING:
        return tuple(_playing(match, now))
    return ()


def _playing(match: Match, now: Now) -> Iterator[Timer]:
    times = match.times
    if times is not None and not times.up and (falls := deadline(times, now)):
        yield Timer(FLAG, falls)
        if look := reminding.next_look(times, now):
            yield Timer(REMIND, look)
    elif match.noticed is None:
        yield Timer(INACTIVE, inactivity.told_at(match))
        if look := inactivity.next_look(match, now):
            yield Timer(REMIND, look)
    else:
        yield Timer(CLOSE, inactivity.closed_at(match.noticed))
