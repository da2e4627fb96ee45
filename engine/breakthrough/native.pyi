class Core:
    """Searches one kind of board of up to 64 cells.

    A set of squares is an integer: cell (file, rank) is bit `rank * files + file`. A step is an integer too:
    `start | end << 6 | captures << 12`. White is 0, Black 1.
    """

    def __init__(self, files: int, ranks: int, misere: bool) -> None: ...
    def legal(self, white: int, black: int, to_move: int) -> list[int]:
        """The legal steps; none when the game is over."""
    def perft(self, white: int, black: int, to_move: int, depth: int) -> int:
        """The number of legal sequences of `depth` plies."""
