"""What the buttons of a half-made move claim: in a match, or wherever else there is a position to move in."""

from __future__ import annotations

from dataclasses import dataclass

from bot.callback_data import CallbackData, Verb
from bot.presenter.selection import Path
from play.match import Match


@dataclass(frozen=True, slots=True)
class Claims:
    """Where a move is picked, as its buttons name it.

    Attributes:
        code: Of the match, or of what else it is.
        seen: Which state of that the buttons are made for.
        picks: The verb of a step.
        plays: The verb of what is whole.
    """

    code: str
    seen: int
    picks: Verb = Verb.STEP
    plays: Verb = Verb.MOVE

    def pick(self, path: Path) -> CallbackData:
        """So much is picked."""
        return CallbackData(self.picks, self.code, self.seen, str(path))

    def play(self, moves: str) -> CallbackData:
        """This is played."""
        return CallbackData(self.plays, self.code, self.seen, moves)


def in_match(match: Match) -> Claims:
    """A move in a match as it is."""
    return Claims(match.id, match.revision)
