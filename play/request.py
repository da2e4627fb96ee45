"""A request: who asks, when, and at which revision they saw the match.

What an action is: a value that decides what becomes of a match.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Final, Generic, TypeAlias, TypeVar

from play.facts import Fact
from play.match import Match
from play.people import Account, Player
from play.ports import Operation
from play.replay import Course
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


F_co = TypeVar("F_co", bound=Fact, covariant=True)

Replayer: TypeAlias = Callable[[Match], Course]
"""Gives the course of a match; raises `BadLog` where its log does not replay."""


class Action(ABC, Generic[F_co]):
    """One thing that people, timers and engines can do to a match.

    Attributes:
        by_player: Whether it is a sign of life: refused once an invitation has expired, and noted as the last thing done.
        meets: Whether it brings a player together with the others, or asks them something: see
            `play.checks`.
    """

    __slots__ = ()

    by_player: ClassVar[bool] = True
    meets: ClassVar[bool] = False

    @abstractmethod
    def decide(self, match: Match, replay: Replayer, request: Request, /) -> tuple[F_co, Course | None]:
        """Return what happens, with the match after it; and the course of that match where the log was needed.

        Raises:
            PlayError, RulesError: it cannot be done; each action says which.
        """
