"""A position in words, for those who do not see the board: what stands where, by whom it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple, Protocol

from bot.i18n import Words
from render import Group, areas, pieces
from rules.core import Diagram, Kind, Seat, Square, Zone

KEYS: Final = {
    "bot.position.{}": (("joined-files", "joined-ranks"),),
    "bot.legend.{}": (Zone,),
    "bot.position.some.{}": ([kind for kind in Kind if kind is not Kind.TILE],),
}
"""The keys that this module puts together, by their template: the members of each hole."""

POSITION: Final = 700  # characters of a position in words beside everything else that is said of a match

_RUN: Final = 3  # squares in a row that are told by their ends


class OwnerNames(Protocol):
    """What the owners of pieces are called."""

    @property
    def words(self) -> Words:
        """The language."""

    def seat(self, seat: Seat, /) -> str:
        """Who sits there."""

    def side(self, seat: Seat, /) -> str | None:
        """What the seat is called in the game, where that is something else."""


class PieceGroup(NamedTuple):
    """Some things of one kind and owner.

    Attributes:
        whose: The owner; empty where they belong to the board.
        what: How many of what: "5 bugs".
        squares: Where, as it is told: "a1–a4, c3".
    """

    whose: str
    what: str
    squares: str


def position_text(diagram: Diagram, names: OwnerNames, room: int | None = None) -> str:
    """What stands where on a board, and what its squares are; see `position_lines`."""
    return " ".join(position_lines(diagram, names, room))


def fitted(whole: str, diagram: Diagram, names: OwnerNames, room: int) -> str:
    """Return the `whole` `position_text`, or where it is too long for some room, a shorter one."""
    return whole if len(whole) < room else position_text(diagram, names, room)


def position_lines(diagram: Diagram, names: OwnerNames, room: int | None = None) -> tuple[str, ...]:
    """What stands where on a board, and what its squares are: a line for each owner; above them the board before, if it is shown.

    Where there is no `room` for so many characters, the longest lists of squares are left out, and it is told how many
    there are of what; the text is never less than that.
    """
    if before := diagram.first:
        _, *stood = position_lines(replace(before, areas=()), names)
        said = names.words("bot.position.before", position=" ".join(stood))
        left = None if room is None else room - len(said) - 1
        return (said, *position_lines(replace(diagram, first=None), names, left))
    told = list(_told(diagram, names))
    lines = _worded(diagram, names, told)
    while (
        room is not None
        and sum(len(line) + 1 for line in lines) > room
        and any(things.squares for things in told)
    ):
        longest = max(range(len(told)), key=lambda at: len(told[at].squares))
        told[longest] = told[longest]._replace(squares="")
        lines = _worded(diagram, names, told)
    return lines


def _worded(diagram: Diagram, names: OwnerNames, told: Iterable[PieceGroup]) -> tuple[str, ...]:
    words, grid = names.words, diagram.grid
    parts = [words("bot.position.board", files=grid.files, ranks=grid.ranks)]
    for whose, group in groupby(told, key=lambda things: things.whose):
        said = "; ".join(
            words("bot.position.on", what=things.what, squares=things.squares)
            if things.squares
            else things.what
            for things in group
        )
        owned = words("bot.position.owned", owner=whose, things=said) if whose else said
        parts.append(words("bot.caption.sentence", said=owned))
    rims = (("joined-files", diagram.joined_files), ("joined-ranks", diagram.joined_ranks))
    parts += [words(f"bot.position.{rim}") for rim, joined in rims if joined]
    return tuple(parts)


def _told(diagram: Diagram, names: OwnerNames) -> Iterator[PieceGroup]:
    """What each seat has, then what has no owner, then what is the board's."""
    tiles = (
        Group(piece.kind, piece.owner, piece.cells) for piece in diagram.pieces if piece.kind is Kind.TILE
    )
    others = (group for group in pieces(diagram) if group.what is not Kind.TILE)

    def place(group: Group) -> tuple[bool, int]:
        of_board = group.owner is None and isinstance(group.what, Zone)
        return of_board, len(Seat) if group.owner is None else group.owner

    for group in sorted((*tiles, *others, *areas(diagram)), key=place):
        if group.owner is not None:
            whose = name_and_side(names, group.owner)
        else:
            whose = "" if isinstance(group.what, Zone) else names.words("bot.position.unowned")
        yield PieceGroup(whose, _what(group, names), squares_text(group.squares))


def _what(group: Group, names: OwnerNames) -> str:
    """How many of what; of a shape over several squares, and of a zone, there is one."""
    words, count = names.words, len(group.squares)
    if group.what is Zone.PAINTED:
        return words.count("bot.position.painted", count)
    if isinstance(group.what, Zone):
        return words(f"bot.legend.{group.what.value}")
    if group.what is Kind.TILE:
        return words("bot.position.tile")
    return words.count(f"bot.position.some.{group.what.value}", count)


def name_and_side(names: OwnerNames, seat: Seat) -> str:
    """A player's name, and the side where sides have names: "Ann (White)"."""
    side = names.side(seat)
    return names.words("bot.roster.line", name=names.seat(seat), notes=side) if side else names.seat(seat)


@lru_cache(maxsize=2048)
def squares_text(squares: tuple[Square, ...]) -> str:
    """Squares as they are told: those in a row, along ranks or along files, by its ends.

    The same squares are told again and again: in the caption, in the words for a screen reader, and after the next move.
    """
    ranks = _runs(sorted(squares, key=lambda at: (at.rank, at.file)), Square(1, 0))
    files = _runs(sorted(squares), Square(0, 1))
    return ", ".join(files if len(files) < len(ranks) else ranks)


def _runs(squares: Sequence[Square], step: Square) -> list[str]:
    """Squares in an order in which those that are a step apart stand side by side."""
    runs: list[list[Square]] = []
    for square in squares:
        before = runs[-1][-1] if runs else None
        if before and square == (before.file + step.file, before.rank + step.rank):
            runs[-1].append(square)
        else:
            runs.append([square])
    texts: list[str] = []
    for run in runs:
        texts += [f"{run[0]}–{run[-1]}"] if len(run) >= _RUN else map(str, run)
    return texts
