from collections.abc import Callable, Sequence

VERSION: int
"""What was built: see `engine.klopodavka.natively.VERSION`."""

class Core:
    """Searches one kind of game. A set of cells is its words of 64 bits, in the layout of the rules' bitboards."""

    def __init__(
        self,
        files: int,
        ranks: int,
        actions: int,
        sides: int,
        kind: tuple[bool, bool, bool, bool, bool],
        homes: Sequence[Sequence[int]],
        soft: Sequence[int],
        weights: Sequence[float],
    ) -> None:
        """A kind of game; `kind`: joined files, joined ranks, anchored, ended by a fence, decided by counting bases."""
    def set(
        self, bugs: Sequence[Sequence[int]], walls: Sequence[Sequence[int]], seat: int, left: int, gone: int
    ) -> None:
        """Go to a position."""
    def act(self, cell: int) -> None:
        """Act on a cell, by its bit's number."""
    def standing(self) -> tuple[int, int, int, int]:
        """The seat to move, what it owes, who is out, and the end: 0 none, -1 a draw, or 1 + the side that won."""
    def reached(self) -> list[int]:
        """Where the seat to move can act."""
    def far(self) -> list[tuple[list[int], list[int]]]:
        """For each seat, what its chain touches and where it could ever come to."""
    def rows(self) -> list[list[int]]:
        """The numbers of each seat; none of those who are out."""
    def worth(self, side: int) -> float:
        """What the position is worth to a side."""
    def search(
        self,
        nodes: int,
        depth: int,
        most: int,
        shape: tuple[int, int],
        stopped: Callable[[], bool],
    ) -> tuple[list[tuple[list[int], float, bool, int, list[list[int]]]], bool, int, int]:
        """Search the position; the GIL is released, and `stopped` asked every few milliseconds.

        Returns:
            The turns, best first: cells, value, whether it is certain, visits, the turns expected after it; then whether the
            value of the position is certain, how many turns deep it went, and the nodes.
        """
