"""A request: who asks, when, and which state of the match they were looking at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeAlias

from play.match import Ask, Match
from play.people import Account, Player
from play.ports import Operation
from play.time.clock import Now, Outage
from rules.core import Seat

CLOCKWORK: Final = Player(Account("clockwork", ""), "")
"""Who asks when a timer comes; sits nowhere."""


@dataclass(frozen=True, slots=True)
class AtRevision:
    """The match was seen at a revision. Quiet revisions since then do not count, except where it has to be `exact`."""

    number: int
    exact: bool = False


@dataclass(frozen=True, slots=True)
class AtPly:
    """The match was seen with so many entries in its log."""

    entries: int


@dataclass(frozen=True, slots=True)
class AtOffer:
    """The match was seen with this question open; see `Offer` for the fields."""

    ask: Ask
    by: Seat
    keep: int


Seen: TypeAlias = AtRevision | AtPly | AtOffer


def is_fresh(match: Match, seen: Seen) -> bool:
    """Whether a match is still as it was seen."""
    match seen:
        case AtRevision(number, exact):
            return match.revision - (0 if exact else match.quiet) <= number <= match.revision
        case AtPly(entries):
            return len(match.log) == entries
        case AtOffer(ask, by, keep):
            offer = match.offer
            return offer is not None and (offer.ask, offer.by, offer.keep) == (ask, by, keep)


@dataclass(frozen=True, slots=True)
class Request:
    """What every action is asked with.

    Attributes:
        who: Who asks.
        at: When; aware.
        seen: What they were looking at; None: they are answered as the match is now.
        operation: The request as its platform names it; what it did before, it does not do again.
        outages: When the bot was down; the table fills it in.
    """

    who: Player
    at: datetime
    seen: Seen | None = None
    operation: Operation | None = None
    outages: Sequence[Outage] = field(default=(), repr=False)

    @property
    def account(self) -> Account:
        """The account that asks."""
        return self.who.account

    @property
    def now(self) -> Now:
        """When it is asked, as clocks count it."""
        return Now(self.at, self.outages)
