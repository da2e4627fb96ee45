"""Lines that a reader tries beside a match, from any turn of it, for both sides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from zlib import crc32

from bot.chat.presenting.boards import as_it_was
from bot.chat.presenting.naming import Presentation
from play.match import Match, Phase
from rules.core import Reason


class TryingRefusal(Reason):
    """Why a player tries no moves beside a match under way."""

    RATED = "bot.what-if.rated"
    NO_HINTS = "bot.what-if.no-hints"


def refusal(match: Match, *, plays: bool, hints: bool) -> TryingRefusal | None:
    """Return why a reader may not try moves, if they `play` the match, and its places allow `hints` or not."""
    if match.phase is not Phase.PLAYING or not plays:
        return None
    return TryingRefusal.RATED if match.rated else None if hints else TryingRefusal.NO_HINTS


@dataclass(frozen=True, slots=True)
class TriedLine:
    """A line that a reader tries: its text is `7~12~a2-a3;b7-b6`, or `~12~…` where the first is unknown."""

    at: int  # the entry of the log from which it starts
    moves: tuple[str, ...] = ()
    seen: int = 0  # revision of the match when it was begun; 0: unknown

    @classmethod
    def read(cls, text: str) -> TriedLine:
        """Return the line that a text names; raises `ValueError`."""
        seen, at, moves = text.split("~", 2)
        if not all(number.isascii() and number.isdecimal() for number in (seen or "0", at)):
            raise ValueError(f"no line: {text[:24]!r}")
        return cls(int(at[:9]), tuple(filter(None, moves.split(";"))), int(seen[:9] or 0))

    def __str__(self) -> str:
        return f"{self.seen or ''}~{self.at}~{';'.join(self.moves)}"

    @property
    def stamp(self) -> int:
        """A number that tells the line from others, as the buttons under its board carry it in place of a revision."""
        return crc32(str(self).encode()) % 36**6

    @property
    def back(self) -> TriedLine:
        """The line without its last move."""
        return replace(self, moves=self.moves[:-1])


def after(presentation: Presentation, line: TriedLine) -> Presentation:
    """Return the match as it would stand after a line; RulesError or ValueError if that cannot be played."""
    then = as_it_was(presentation, line.at)
    course = then.course
    for text in line.moves:
        (move,) = presentation.game.notation.parse(text, course.position)
        course = course.played(move, presentation.now.at)
    phase = Phase.PLAYING if course.result is None else Phase.OVER
    match = replace(then.match, phase=phase, result=course.result, log=course.log)
    match = replace(match, touched=presentation.now.at, silence=None)  # no player keeps silent in a line
    return replace(then, match=match, course=course, changes=())
