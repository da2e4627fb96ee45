"""The rules: what can be chosen, and what can be played."""

from dataclasses import dataclass
from typing import Self

from rules.core import Ending, Grid, IllegalMove, Legality, Outcome, Position, Reason, Seat, Square


class Refusal(Reason):
    """Why a man cannot be put on a square."""

    NOT_EMPTY = "tictactoe.illegal.not-empty"  # square


class End(Ending):
    """How a game ends."""

    ROW = "tictactoe.ending.row"
    FULL = "tictactoe.ending.full"


@dataclass(frozen=True, slots=True)
class Options:
    """The size of the board; as many men in a row win as its shorter side has squares."""

    board: Grid


@dataclass(frozen=True, slots=True)
class TicTacToe(Position[Square]):
    """The options, and the squares of each seat's men. A move is the square that a man is put on."""

    options: Options
    men: tuple[frozenset[Square], frozenset[Square]] = (frozenset(), frozenset())

    @property
    def to_move(self) -> Seat:
        """The seat with fewer men, or the first."""
        return Seat.S2 if len(self.men[0]) > len(self.men[1]) else Seat.S1

    @property
    def outcome(self) -> Outcome | None:
        """A row wins; a full board is a draw."""
        mover = Seat(1 - self.to_move)
        if self.has_row(self.men[mover]):
            return Outcome((mover,), End.ROW)
        return Outcome((), End.FULL) if len(self.men[0] | self.men[1]) == len(self.options.board) else None

    def has_row(self, men: frozenset[Square]) -> bool:
        """Whether enough of these men stand in a row."""
        length, ways = (
            min(self.options.board.files, self.options.board.ranks),
            ((1, 0), (0, 1), (1, 1), (1, -1)),
        )
        rows = ({(at.file + n * x, at.rank + n * y) for n in range(length)} for at in men for x, y in ways)
        return any(row <= men for row in rows)

    def legal_moves(self) -> tuple[Square, ...]:
        """Return the empty squares while the game goes on."""
        taken = self.men[0] | self.men[1]
        return () if self.outcome else tuple(at for at in self.options.board if at not in taken)

    def play(self, move: Square) -> Self:
        """Return the position with one more man, or raise IllegalMove."""
        if self.outcome:
            raise IllegalMove(Legality.GAME_OVER)
        if move not in self.legal_moves():
            raise IllegalMove(Refusal.NOT_EMPTY, square=move)
        first, second = self.men
        men = (first, second | {move}) if self.to_move else (first | {move}, second)
        return type(self)(self.options, men)
