"""How a game ended, by its rules."""

from __future__ import annotations

from dataclasses import dataclass

from rules.core.reasons import Reason
from rules.core.seat import Seat


class Ending(Reason):
    """Base of every game's enum of endings; the value is the key of the words."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: who won (none: a draw; a team: all its seats) and by which rule."""

    winners: tuple[Seat, ...]
    reason: Ending

    @property
    def drawn(self) -> bool:
        """Whether it is a draw."""
        return not self.winners
