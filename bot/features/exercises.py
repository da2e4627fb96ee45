"""Positions outside of a match in which one person is to find a turn: how they are shown, picked in and answered.

Puzzles and lessons stand on this; what a turn is worth, and what follows from it, they say themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from hashlib import blake2b
from typing import Any, Final

from bot.chat import error_handling
from bot.chat.context import Context
from bot.chat.i18n import Words
from bot.chat.match_lookup import legal_readings
from bot.chat.presenting import picking
from bot.chat.presenting.captions import ALT, POSITION, cut, length, position_text, sentence
from bot.chat.presenting.naming import side_name
from bot.chat.presenting.selection import PartialMove, PickTarget
from bot.chat.thinking.jobs import Variation
from bot.chat.view import Button, Message, RosterLine, View
from render.picture import Strip, StripLine
from rules.core import AnyGame, Diagram, Highlights, Phrase, Position, Seat

_FIRST: Final = "1ilo"  # no match's code has any of these
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_MORE: Final = 5
_READINGS: Final = 5  # of a typed turn that are offered


def number_of(*words: str) -> int:
    """Return a large number derived from some words, the same on every machine."""
    return int.from_bytes(blake2b("\n".join(words).encode(), digest_size=6).digest())


def code_of(*words: str) -> str:
    """Return a code for buttons, in place of a match's, derived from some words; it is no match's."""
    number, first = divmod(number_of(*words), len(_FIRST))
    digits = []
    for _ in range(_MORE):
        number, digit = divmod(number, len(_DIGITS))
        digits.append(_DIGITS[digit])
    return _FIRST[first] + "".join(digits)


async def reading_of(context: Context, game: AnyGame, position: Position[Any], text: str) -> str | Message:
    """Return the legal turn that a text typed after a command stands for, or the question which of several; else the text."""
    found = legal_readings(game, position, text) or [text]
    if len(found) == 1:
        return found[0]
    lines = [f"/{context.command.name} {move}" for move in found[:_READINGS]]
    return await error_handling.question(context, lines)


class Verdict(Enum):
    """What a turn comes to."""

    PART = auto()  # the turn goes on
    WRONG = auto()
    RIGHT = auto()
    SOLVED = auto()


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """A turn, or a part of one, that was tried, and the position after it.

    `reply` is the other side's best one, if it was searched; `answer` its moves after a right turn, `further` the position then.
    """

    verdict: Verdict
    moves: tuple[Any, ...]
    after: Position[Any]
    reply: Variation | None = None
    answer: tuple[Any, ...] = ()
    further: Position[Any] | None = None

    @property
    def here(self) -> Position[Any]:
        """The position after the reply to a right turn; else the one after the turn."""
        return self.further or self.after


@dataclass(frozen=True, slots=True)
class Exercise:
    """Views of a position of a game, under a title, for one reader.

    With `confirms` a picked turn is played by a press of its own, and can be gone back in; `typed` is the line that says how a turn
    is typed, `own` the reader's seat, where their side is marked as theirs.
    """

    game: AnyGame
    options: Any
    title: str
    typed: str
    words: Words
    confirms: bool = False
    flipped: bool = False
    own: Seat | None = None

    def seat(self, seat: Seat) -> str:
        """Return a side's name, or its number."""
        side = side_name(self.game, seat, self.words)
        return self.words("bot.exercise.own", side=side) if seat == self.own else side

    seat_and_side = seat

    def phrase(self, phrase: Phrase) -> str:
        """Return a phrase of the game, with the names of sides in place of seats."""
        fields = {
            key: self.seat(value) if isinstance(value, Seat) else value
            for key, value in phrase.fields.items()
        }
        return self.words(phrase.key, **fields)

    def text(self, moves: Iterable[Any]) -> str:
        """Return a turn in the game's notation."""
        return " ".join(map(self.game.notation.format, moves))

    def drawn(self, position: Position[Any], turn: JudgedTurn) -> Diagram:
        """Return the board after a turn from a position."""
        return self.game.draw(turn.after, Highlights(last=turn.moves, before=position))

    def picked(
        self,
        target: PickTarget,
        partial: PartialMove,
        *lines: str,
        diagram: Diagram | None = None,
        buttons: Sequence[Button] = (),
    ) -> View:
        """Return the board with the half-made turn and the ways on, after some words; `diagram` is shown in place of that board."""
        diagram = diagram or picking.board(self.game, partial)
        keys, on_grid = picking.grid(self.game, target, partial, diagram, flipped=self.flipped)
        ways = picking.ways(self.game, self.words, target, partial, on_grid, confirms=self.confirms)
        prompt = picking.prompted(self.words, target, partial)
        begun, mover = target.picking(self.game, partial, self.typed), partial.start.to_move
        view = self.view(diagram, *lines, mover=mover, after=(prompt,), buttons=(*ways, *buttons))
        return replace(view, grid=keys, picking=begun)

    def view(
        self,
        diagram: Diagram,
        *lines: str,
        mover: Seat | None = None,
        after: tuple[str, ...] = (),
        buttons: Iterable[Button] = (),
    ) -> View:
        """Return a board with some words, which is described in them for those who do not see it."""
        said = " ".join(sentence(line, self.words) for line in (*lines, *after) if line)
        seats = [Seat(number) for number in range(self.game.seats(self.options))]
        return View(
            lines=(self.title, *lines),
            diagram=diagram,
            after=after,
            buttons=tuple(buttons),
            alt=cut(f"{said} {position_text(diagram, self, ALT - length(said) - 1)}", ALT),
            roster=tuple(RosterLine(seat, self.seat(seat)) for seat in seats),
            strip=Strip(tuple(self._line(seat, seat == mover) for seat in seats)),
            position=position_text(diagram, self, POSITION),
            flipped=self.flipped,
        )

    def _line(self, seat: Seat, turn: bool) -> StripLine:
        """Return a side's line in the picture, which has little room beside a tall board: that it is the reader's is a note."""
        note = self.words("bot.exercise.you") if seat == self.own else ""
        return StripLine(side_name(self.game, seat, self.words), seat, turn, note)
