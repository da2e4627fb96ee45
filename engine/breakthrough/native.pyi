from collections.abc import Callable
from typing import TypeAlias

Answer: TypeAlias = tuple[int, int, list[tuple[int, list[int]]]]
"""The depth that was finished, the nodes made, and for each line its score and its steps."""

class Core:
    """Searches one kind of board.

    A set of squares is an integer: cell (file, rank) is bit `rank * files + file`. A step is an integer too:
    `start | end << 10 | captures << 20`. White is 0, Black 1.
    """

    def __init__(
        self, files: int, ranks: int, misere: bool, bricks: list[int], crosses: list[int], megabytes: int
    ) -> None: ...
    def legal(self, white: int, black: int, to_move: int) -> list[int]:
        """The legal steps; none when the game is over."""
    def perft(self, white: int, black: int, to_move: int, depth: int) -> int:
        """The number of legal sequences of `depth` plies."""
    def evaluate(self, white: int, black: int, to_move: int) -> int:
        """The score for the side to move, without looking ahead."""
    def certain(self, white: int, black: int, to_move: int) -> int:
        """The end that is in sight for the side to move while nobody stands on a far rank; 0 if none is."""
    def think(
        self,
        white: int,
        black: int,
        to_move: int,
        depth: int,
        nodes: int,
        most: int,
        seed: int,
        poll: Callable[[int], bool] | None,
        report: Callable[[Answer], None] | None,
    ) -> Answer:
        """The best `most` steps, each with a score of its own; 0 for depth or nodes means no limit.

        Other threads run meanwhile. `poll` is asked every few milliseconds, with the nodes so far, whether to stop;
        `report` is told of every depth that is finished.
        """
    def solve(
        self, white: int, black: int, to_move: int, most: int, poll: Callable[[int], bool]
    ) -> tuple[int, list[int]]:
        """The plies to the end with best play, at most `most`, and its steps: the winner hurries, the loser holds out.

        Negative plies are a loss for the side to move; 0 if no side wins within `most`, or `poll` stopped it.
        """
