"""Tic-tac-toe on any board: the example of docs/adding-a-game.md."""

from collections.abc import Sequence

from rules.core.diagram import Diagram, Kind, Mark, Piece, Sign
from rules.core.errors import Phrase
from rules.core.game import Fork, Game, Highlights, Picks, Step, pick, picked_squares
from rules.core.grid import Seat, Square
from rules.core.options import Schema, Size

from .notation import TicTacToeNotation
from .position import Options, TicTacToe


def diagram(position: TicTacToe, highlights: Highlights[TicTacToe, Square]) -> Diagram:
    """Draw men, the last one, and what can be chosen."""
    marks = [Mark(Sign.ENTERED, square) for square in highlights.last]
    marks += [Mark(Sign.CANDIDATE, square, str(n)) for n, square in enumerate(highlights.candidates, 1)]
    marks += [Mark(Sign.PICKED, square) for square in picked_squares(highlights.picked)]
    men = [Piece(Kind.MAN, (at,), Seat(seat)) for seat in (0, 1) for at in sorted(position.men[seat])]
    return Diagram(position.options.board, tuple(men), marks=tuple(marks))


def fork(position: TicTacToe, chosen: Sequence[str]) -> Fork[Square]:
    """Offer the empty squares, by regions where there are many."""
    ways = [((Step(str(square), Picks.CELLS, (square,)),), square) for square in position.legal_moves()]
    return pick(ways, chosen, lambda _: "tictactoe.fork.square")


GAME: Game[TicTacToe, Square, Options] = Game(
    key="tictactoe",
    rules_version=1,
    schema=Schema((Size("board", "3x3", (3, 9), (3, 9)),), presets={"classic": {}, "four": {"board": "4x4"}}),
    options=lambda values: Options(**values),
    start=TicTacToe,
    notation=TicTacToeNotation(),
    diagram=diagram,
    fork=fork,
    say=lambda _, square: Phrase("tictactoe.said.put", {"square": square}),
)
