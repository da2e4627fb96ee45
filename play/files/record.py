"""What a match file holds, before the rules have been asked about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from play.match import Entry, Match, Result
from play.people import Player, clean
from play.time.clock import Clock
from rules.core import Seat

MAX_REMARKS: Final = 8000
"""Characters of remarks that are kept; a file of the longest log stays within what is read."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a match file holds.

    Attributes:
        match: Id that the match had where the file was written.
        players: By seat.
        result: None while the match goes on.
        follows: Id of the match this one was the rematch of.
        clock: The rule that the match is timed by, if any.
        left: What each seat had left, by seat: the one on turn when its time began to run; nothing before the start.
        running: Whose time runs, and since when.
        rated: Whether its result was to count for ratings, where the file was written.
        remarks: What the file says otherwise: tags of other programs, each a name and its values, and comments, each
            `Comment`, the number of entries before it, and its text.
        aside: Whether it has variations, or more remarks than are kept.
        places: The line and the column of each entry of the log in the file, from 1; empty unless read from one.
        tag_lines: In which line each tag was; of several, the last.
    """

    game: str
    match: str
    rules_version: int
    options: tuple[tuple[str, str], ...]
    players: tuple[Player, ...]
    host: Player
    opened: datetime
    result: Result | None
    log: tuple[Entry, ...]
    follows: str | None = None
    clock: Clock | None = None
    left: tuple[timedelta, ...] = ()
    running: tuple[Seat, datetime] | None = None
    rated: bool = False
    remarks: tuple[tuple[str, ...], ...] = ()
    aside: bool = field(default=False, compare=False)
    places: tuple[tuple[int, int], ...] = field(default=(), compare=False)
    tag_lines: Mapping[str, int] = field(default_factory=dict, compare=False)


def record(match: Match) -> Record:
    """What the file of a match holds; every chair has to be taken."""
    times = match.times
    return Record(
        game=match.game,
        match=match.id,
        rules_version=match.rules_version,
        options=match.options,
        players=tuple(chair.player for chair in match.chairs if chair.player),
        host=match.host,
        opened=match.opened,
        result=match.result,
        log=match.log,
        follows=match.rematch_of,
        clock=match.clock,
        left=times.left if times else (),
        running=(times.seat, times.since) if times and times.since else None,
        rated=match.rated,
        remarks=match.remarks,
    )


def kept(remarks: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return the remarks that are kept of a file: each on one line, and the first `MAX_REMARKS` characters of all."""
    within, size = [], 0
    for remark in remarks:
        short = tuple(clean(value, MAX_REMARKS) for value in remark)
        size += sum(map(len, short)) + 8  # what a line has around them
        if size <= MAX_REMARKS:
            within.append(short)
    return tuple(within)
