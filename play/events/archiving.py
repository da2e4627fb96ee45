"""Keeping the log of an event short that never ends: what older entries said stands in it as two, with who entered."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from play.events.entries import Archived, Began, Entered
from play.events.event import Event
from play.events.forms import RULES


def shortened(event: Event, at: datetime) -> Event:
    """Return an event that says the same with a shorter log, if its form archives anything at that moment; else the same."""
    rules = RULES[event.setup.form]
    count = rules.outdated(event, at)
    if not count:
        return event
    old = replace(event, log=event.log[:count])
    kept = [entry for entry in old.log if isinstance(entry, Entered | Began)]
    state, last = old.state, old.log[-1].at
    short = Archived(
        dropped=old.dropped + count - len(kept) - 2,
        games=state.count,
        open=tuple(
            (game.number, game.round, game.entrants, game.paired, game.match) for game in state.open_games
        ),
        out=tuple((one.number, one.out) for one in state.entrants if one.out is not None),
        flags=tuple((one.number, one.flags) for one in state.entrants if one.flags),
        round=state.round,
        paired=state.paired,
        at=last,
    )
    return replace(event, log=(*kept, short, rules.archived(old), *event.log[count:]))
