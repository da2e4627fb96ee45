"""What an action is: a value that decides what becomes of a match."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Generic, TypeAlias, TypeVar

from play.facts import Fact
from play.match import Match
from play.replay import Course
from play.request import Request

F_co = TypeVar("F_co", bound=Fact, covariant=True)

Replayer: TypeAlias = Callable[[Match], Course]
"""Gives the course of a match; raises `BadLog` where its log does not replay."""


class Action(ABC, Generic[F_co]):
    """One thing that people, timers and engines can do to a match.

    Attributes:
        by_player: Whether it is a sign of life: refused once an invitation has expired, and noted as the last thing done.
        meets: Whether it brings a player together with the others, or asks them something: see
            `play.blocking`.
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
