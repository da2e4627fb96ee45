"""Closing matches that are not played any more, where no clock brings their end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar, Final

from play.actions.action import Action, Replayer
from play.actions.turn_transitions import over
from play.checks import check_fresh
from play.facts import Closed, SilenceNoticed
from play.match import Closing, Match, Result
from play.request import Request

QUIET_FOR: Final = timedelta(days=60)
"""After so long without anything done, the players are told."""

NOTICE: Final = timedelta(days=7)
"""So long after that the match is closed."""


@dataclass(frozen=True, slots=True)
class NoticeInactivity(Action[SilenceNoticed]):
    """Announce that nothing has been done for long.

    Raises:
        Stale: the match is not as it was seen.
    """

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[SilenceNoticed, None]:
        """See `Action.decide`."""
        check_fresh(match, request, match.revision)
        return SilenceNoticed(replace(match, noticed=request.at), closed_at(request.at)), None


@dataclass(frozen=True, slots=True)
class CloseInactive(Action[Closed]):
    """End a match that is not played any more, without a winner.

    Raises:
        Stale: the match is not as it was seen.
    """

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[Closed, None]:
        """See `Action.decide`."""
        check_fresh(match, request, match.revision)
        return Closed(over(match, Result((), Closing.SILENCE.value), request.now)), None


def told_at(match: Match) -> datetime:
    """Return when a match has been inactive for long enough to say so."""
    last = match.touched or (match.log[-1].at if match.log else match.opened)
    return last + QUIET_FOR


def closed_at(noticed: datetime) -> datetime:
    """Return when a match is closed after the notice."""
    return noticed + NOTICE
