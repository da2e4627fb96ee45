"""A request: who asks, when, and at which revision they saw the match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from play.people import Account, Player
from play.ports import Operation
from play.time.clock import Now, Outage

CLOCKWORK: Final = Player(Account("clockwork", ""), "")
"""Who asks when a timer comes; sits nowhere."""


@dataclass(frozen=True, slots=True)
class Request:
    """What every action is asked with.

    Attributes:
        who: Who asks.
        at: When; aware.
        seen: Revision of the match that they were looking at; None: they are answered as the match is now. Each action
            says what must not have changed since (`play.checks.check_fresh`).
        operation: The request as its platform names it; what it did before, it does not do again.
        outages: When the bot was down; the table fills it in.
    """

    who: Player
    at: datetime
    seen: int | None = None
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
