"""Check a stored match: its log by the rules, and its end by its log."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from play.errors import BadLog
from play.match import Closing, Match, Phase
from play.replay import Replay
from rules.core import AnyGame

_CLOSINGS = frozenset(closing.value for closing in Closing)


def replaying(games: Mapping[str, AnyGame]) -> Callable[[Match], None]:
    """Return a check of matches.

    It raises BadLog for a log that the rules do not allow, or whose end is not the match's, and BadRequest for a game that
    is not known.
    """
    replay = Replay(games, limit=0)

    def check(match: Match) -> None:
        if match.phase is Phase.CALLED_OFF:
            return
        course = replay.positions(match)
        if match.phase is Phase.OPEN:
            return
        by_rules = course.result
        said = match.result
        if by_rules is not None and by_rules.reason in _CLOSINGS and match.phase is Phase.PLAYING:
            return  # a repetition that was undone again and stands in the log only
        if (match.phase is Phase.OVER) is (said is None):
            raise BadLog(match.id, len(match.log))
        if said is None and by_rules is not None:
            raise BadLog(match.id, len(match.log))
        if said is not None and said.reason not in _CLOSINGS and said != by_rules:
            raise BadLog(match.id, len(match.log))

    return check
