"""Notches as text: cells, `a1 b2`; positions as ranks from the top, then turn, plies left, who is out, who won."""

from __future__ import annotations

from collections.abc import Sequence

from rules.core import (
    BadNotation,
    Fork,
    IllegalMove,
    Notation,
    Picks,
    Seat,
    Spelling,
    Square,
    Step,
    fold,
    pick,
)

from .position import Notch, Notches, Options, Refusal


class NotchesNotation(Notation[Notches, Notch, Options]):
    """A ply is the name of its cell; a text may carry a whole turn."""

    def parse(self, text: str, position: Notches) -> tuple[Notch, ...]:
        """The notches that the text names, each legal after those before it."""
        words = fold(text).replace(",", " ").split()
        if not words:
            raise BadNotation(Spelling.EMPTY)
        moves = tuple(Notch(position.options.board.find(word)) for word in words)
        here = position
        for at, move in enumerate(moves):
            if at and (here.outcome or at >= position.plies_left or here.to_move != position.to_move):
                raise IllegalMove(Refusal.TOO_MANY, count=len(moves), left=at)
            here = here.play(move)
        return moves

    def format(self, move: Notch) -> str:
        """The cell."""
        return str(move.square)

    def steps(self, move: Notch) -> tuple[str, ...]:
        """The cell."""
        return (str(move.square),)

    def parse_position(self, text: str, options: Options) -> Notches:
        """The position, if these options could have led to it."""
        try:
            board, turn, left, gone, blocked = text.split(" ")
            rows = board.split("/")
            cells: list[set[Square]] = [set() for _ in range(options.players)]
            for rank, row in enumerate(reversed(rows)):
                for file, mark in enumerate(row):
                    if mark != ".":
                        cells[_number(mark, options.players) - 1].add(Square(file, rank))
            position = Notches(
                options,
                tuple(map(frozenset, cells)),
                Seat(_number(turn, options.players) - 1),
                _number(left, options.cuts) if left != "0" else 0,
                frozenset(Seat(_number(seat, options.players) - 1) for seat in gone if gone != "-"),
                Seat(_number(blocked, options.players) - 1) if blocked != "-" else None,
            )
        except ValueError:
            raise BadNotation(Spelling.NOT_A_POSITION, text=text[:40]) from None
        if self.format_position(position) != text or not _possible(position):
            raise BadNotation(Spelling.NOT_A_POSITION, text=text[:40])
        return position

    def format_position(self, position: Notches) -> str:
        """`1.2/.../..3 2 1 - -`."""
        marks = {cell: str(seat + 1) for seat, cells in enumerate(position.notches) for cell in cells}
        grid = position.options.board
        board = "/".join(
            "".join(marks.get(Square(file, rank), ".") for file in range(grid.files))
            for rank in reversed(range(grid.ranks))
        )
        gone = "".join(str(seat.number) for seat in sorted(position.gone)) or "-"
        blocked = "-" if position.blocked is None else position.blocked.number
        return f"{board} {position.turn.number} {position.left} {gone} {blocked}"


def _number(text: str, high: int) -> int:
    if len(text) != 1 or text not in "123456789"[:high]:
        raise ValueError(text)
    return int(text)


def _possible(position: Notches) -> bool:
    """Whether play can lead here: no notch touches another player's, and the seat to move can cut."""
    seats = [Seat(n) for n in range(position.options.players)]
    for seat in seats:
        bare = Notches(
            position.options,
            tuple(frozenset() if other == seat else cells for other, cells in enumerate(position.notches)),
            seat,
            1,
        )
        if any(bare.refusal(seat, cell) for cell in position.notches[seat]):
            return False
    if not position.staying:
        return False
    if position.blocked is not None:
        lost = position.blocked in position.gone and not position.cells(position.blocked)
        return position.options.variant == "first" and position.left == 0 and lost
    if position.outcome:
        return position.left == 0
    return position.left > 0 and position.turn not in position.gone and bool(position.cells(position.turn))


# Choosing a notch: a cell, with regions first on a large board.


PROMPT = "notches.fork.cell"


def fork(position: Notches, chosen: Sequence[str]) -> Fork[Notch]:
    """The cells that can be cut, or the notch once one is named."""
    ways = [((Step(str(move.square), Picks.CELLS, (move.square,)),), move) for move in position.legal_moves()]
    return pick(ways, chosen, lambda _: PROMPT)
