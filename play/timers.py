"""When a match wants to be looked at, whatever people do. It follows from the match alone, and from the outages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from play import reminding, silence
from play.clock import Now, deadline
from play.match import Match, Phase
from play.ports import Timer

EXPIRE: Final = "expire"
"""An invitation has run out."""
FLAG: Final = "flag"
"""The time of the seat on turn is up."""
REMIND: Final = "remind"
"""The player on turn may want to be reminded."""
SILENCE: Final = "silence"
"""Nobody has done anything for long: the players are told."""
CLOSE: Final = "close"
"""Nobody has answered that: the match is closed."""


def timers(match: Match, now: Now) -> tuple[Timer, ...]:
    """All the timers of a match as it is.

    An outage that is not known here makes a timer come too early, never too late: whoever fires it sets it anew.
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
        yield Timer(SILENCE, silence.told_at(match))
    else:
        yield Timer(CLOSE, silence.closed_at(match.noticed))
