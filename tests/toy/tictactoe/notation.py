"""Moves and positions as text."""

from rules.core import BadNotation, Notation, Spelling, Square, fold, quoted

from .position import Options, TicTacToe


class TicTacToeNotation(Notation[TicTacToe, Square, Options]):
    """A move is a square, `b2`; a position is its ranks from the top, `..o/.x./...`."""

    def parse(self, text: str, position: TicTacToe) -> tuple[Square, ...]:
        """Return the one move that a text asks for."""
        square = position.options.board.find(fold(text))
        position.play(square)
        return (square,)

    def steps(self, move: Square) -> tuple[str, ...]:
        """Return the tokens that pick a move in the fork."""
        return (str(move),)

    def parse_position(self, text: str, options: Options) -> TicTacToe:
        """Return the position of a text, if a game can come to it."""
        board, rows = options.board, text.split("/")[::-1]
        if [len(row) for row in rows] == [board.files] * board.ranks and set(text) <= set("xo./"):
            men = [frozenset(at for at in board if rows[at.rank][at.file] == letter) for letter in "xo"]
            position = TicTacToe(options, (men[0], men[1]))
            if len(men[0]) - len(men[1]) in (0, 1) and not position.has_row(men[position.to_move]):
                return position
        raise BadNotation(Spelling.NOT_A_POSITION, text=quoted(text))

    def format_position(self, position: TicTacToe) -> str:
        """Return the text of a position."""
        first, second = position.men
        letters = ["x" if at in first else "o" if at in second else "." for at in position.options.board]
        files = position.options.board.files
        return "/".join("".join(letters[at : at + files]) for at in range(0, len(letters), files)[::-1])
