"""What lists of matches say, held against the matches themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from play.people import Address

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from play.match import Match
    from play.people import Account


OVER_KEPT: Final = 20
"""How many matches that are over a list keeps: the "last few" of the port."""


class Hint(NamedTuple):
    """One entry of a list: that a match is there, as of a moment. Later ones are greater."""

    changed: int
    match_id: str
    key: str


@dataclass(slots=True)
class Sifted:
    """What holds true of some hints.

    Attributes:
        shown: The matches that belong, the latest change first.
        wrong: Hints that do not hold.
        missing: Hints that should stand instead.
    """

    shown: list[Match] = field(default_factory=list)
    wrong: list[Hint] = field(default_factory=list)
    missing: list[Hint] = field(default_factory=list)


def concerns(match: Match, whose: Account | Address) -> bool:
    """Whether a match belongs on the lists of a person or a place."""
    if isinstance(whose, Address):
        return whose in match.addresses
    return whose in match.people()


def sift(
    hints: Iterable[Hint], found: Mapping[str, Match | None], whose: Account | Address, live: str, over: str
) -> Sifted:
    """Hints held against the matches they are about.

    Args:
        hints: From both lists.
        found: The match under each id, None where there is none; an id left out cannot be judged now.
        whose: Whose lists they are.
        live: Key of the list of live matches.
        over: Key of the other.
    """
    sifted = Sifted()
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
