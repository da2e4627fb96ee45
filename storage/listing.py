"""Check lists of matches, or of events, against those."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Generic, NamedTuple, TypeVar

from play.events.event import Event
from play.match import Match
from play.people import Account, Address

OVER_KEPT: Final = 20  # how many finished matches a list keeps: the "last few" of `MatchStore`


S = TypeVar("S", bound=Match | Event)


class Hint(NamedTuple):
    """An entry of a list: a match, and when it changed. Later ones are greater."""

    changed: int
    match_id: str
    key: str


@dataclass(slots=True)
class Sifted(Generic[S]):
    """Hints checked against their matches.

    Attributes:
        shown: The matches that belong on the list, the latest change first.
        wrong: Hints to delete.
        missing: Hints to add.
    """

    shown: list[S] = field(default_factory=list)
    wrong: list[Hint] = field(default_factory=list)
    missing: list[Hint] = field(default_factory=list)


def concerns(match: Match | Event, whose: Account | Address) -> bool:
    """Return whether a match belongs on the lists of a person or a place."""
    if isinstance(whose, Address):
        return whose in match.addresses
    return whose in match.people()


def last_activity(match: Match | Event) -> datetime:
    """Return when something was last done in a match or an event."""
    touched = match.touched if isinstance(match, Match) else None
    return max([match.opened, *([touched] if touched else []), *[entry.at for entry in match.log[-1:]]])


def sift(
    hints: Iterable[Hint], found: Mapping[str, S | None], whose: Account | Address, live: str, over: str
) -> Sifted[S]:
    """Return the hints of two lists, `live` and `over`, checked against their matches.

    A match that was not found is None; hints of ids that are not among `found` are kept.
    """
    sifted: Sifted[S] = Sifted()
    seen = set()
    for hint in sorted(hints, reverse=True):
        if hint.match_id not in found:
            continue
        match = found[hint.match_id]
        if match is None or not concerns(match, whose):
            sifted.wrong.append(hint)
            continue
        belongs = live if match.live else over
        if hint.key != belongs:
            sifted.wrong.append(hint)
            sifted.missing.append(hint._replace(key=belongs))
        if hint.match_id not in seen:
            seen.add(hint.match_id)
            sifted.shown.append(match)
    return sifted
