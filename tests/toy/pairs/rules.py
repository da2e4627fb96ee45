"""Pairs: every two who enter play one game, at once. It goes on until an admin stops it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from play.events.entries import Began, EventEntry, Paired, Stage
from play.events.event import EntrantInfo, Event, Rules
from play.time.clock import Now


def _follow(event: Event, now: Now, _known: EntrantInfo) -> Sequence[EventEntry]:
    state = event.state
    if state.stage is Stage.OPEN:
        return (Began((), at=now.at),)
    paired = {entrant for game in state.games for entrant in game.entrants}
    waiting = [one.number for one in state.entrants if one.out is None and one.number not in paired]
    return (Paired(state.round + 1, (tuple(waiting[:2]),), at=now.at),) if len(waiting) > 1 else ()


def _due(_event: Event, _now: Now) -> datetime | None:
    return None


RULES: Final = Rules(_follow, _due)
