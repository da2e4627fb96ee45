"""Matches that nobody plays any more: those whose end no clock will bring."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from play.clock import Now
from play.facts import Closed, SilenceNoticed
from play.keeping import over
from play.match import Closing, Match, Result

QUIET_FOR: Final = timedelta(days=60)
"""After so long without anything done, the players are told."""

NOTICE: Final = timedelta(days=7)
"""So long after that the match is closed."""


def told_at(match: Match) -> datetime:
    """When the silence in a match has lasted long enough to say so."""
    last = match.touched or (match.log[-1].at if match.log else match.opened)
    return last + QUIET_FOR


def closed_at(noticed: datetime) -> datetime:
    """When a match is closed after the notice."""
    return noticed + NOTICE


def notice(match: Match, at: datetime) -> SilenceNoticed:
    """Say that nobody has done anything for long."""
    return SilenceNoticed(replace(match, noticed=at), closed_at(at))


def close(match: Match, now: Now) -> Closed:
    """End a match that nobody plays, without a winner."""
    return Closed(over(match, Result((), Closing.SILENCE.value), now))
