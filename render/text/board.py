"""A board as lines of text, and what its symbols stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from render.text.elements import Element, ElementKind, Group, Rim, SquareElements, group, order
from rules.core import SEATS, Diagram, Kind, Seat, Sign, Square, Zone

MESSAGE: Final = 1900
"""Characters in a board at the most, in UTF-16 units: Discord takes 2000 in a message, a code block's fences included."""


@dataclass(frozen=True, slots=True)
class Alphabet:
    """One way of writing boards: a symbol for everything there is to tell, no two alike."""

    pieces: Mapping[tuple[Kind, Seat | None], str]  # by kind and owner
    zones: Mapping[Zone, str]  # of a cell on which nothing stands
    signs: Mapping[Sign, str]  # on a cell or before it
    rims: Mapping[Rim, str]  # beside the board

    def symbol(self, what: ElementKind, owner: Seat | None) -> str:
        """What stands for this."""
        match what:
            case Kind():
                return self.pieces[what, owner]
            case Zone():
                return self.zones[what]
            case Sign():
                return self.signs[what]
            case Rim():
                return self.rims[what]


def per_seat(kind: Kind, symbols: str, neutral: str) -> dict[tuple[Kind, Seat | None], str]:
    """The symbols of a kind of piece: ten of them, in the order of the seats, and the neutral one."""
    return {(kind, None): neutral} | {(kind, seat): symbols[seat] for seat in SEATS}


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One line of a legend."""

    symbol: str  # as it stands on the board or below it
    what: ElementKind  # what it means
    owner: Seat | None = None  # whose it is, where the symbol tells
    # The kind of piece that the symbol shows together with a sign or a zone ("a man that has just moved").
    on: Kind | None = None


@dataclass(frozen=True, slots=True)
class CellText:
    """A cell as text, what of it a reader does not get from that, and the symbols used."""

    text: str
    hidden: tuple[Element, ...] = ()
    entries: tuple[LegendEntry, ...] = ()


def draw(
    told: Mapping[Square, SquareElements], one: Callable[[SquareElements], CellText]
) -> Mapping[Square, CellText]:
    """Each square drawn by `one`; a cell that several squares share is drawn once."""
    done: dict[int, CellText] = {}
    for cell in told.values():
        if id(cell) not in done:
            done[id(cell)] = one(cell)
    return {square: done[id(cell)] for square, cell in told.items()}


@dataclass(frozen=True, slots=True)
class TextBoard:
    """A board to send as a message, or as a part of one."""

    rows: tuple[str, ...]  # the board and its coordinates, from the top
    # What the cells have no room for; with it nothing of the diagram is lost but arrows and scores. Of a zone
    # that does not show wholly, all the squares.
    notes: tuple[Group, ...]
    footer: tuple[str, ...]  # the notes as lines, in symbols alone
    legend: tuple[LegendEntry, ...]  # every symbol used, pieces first

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(self.rows + self.footer)


def left_over(
    diagram: Diagram, told: Mapping[Square, SquareElements], drawn: Mapping[Square, CellText]
) -> tuple[Group, ...]:
    """What the cells do not show, and who plays no more: see `TextBoard.notes`."""
    hidden = [(fact, square) for square, cell in drawn.items() if cell.hidden for fact in cell.hidden]
    zones = {fact for fact, _ in hidden if isinstance(fact.what, Zone)}
    if zones:
        hidden = [(fact, square) for fact, square in hidden if fact not in zones]
        hidden += [(fact, square) for square, cell in told.items() for fact in cell.zones if fact in zones]
    return group(hidden) + tuple(Group(Rim.OUT, seat, ()) for seat in sorted(diagram.out))


def rims(diagram: Diagram) -> tuple[Rim, ...]:
    """The edges that are joined."""
    return (Rim.JOINED_FILES,) * diagram.joined_files + (Rim.JOINED_RANKS,) * diagram.joined_ranks


def legend(
    diagram: Diagram, drawn: Iterable[CellText], notes: Iterable[Group], alphabet: Alphabet
) -> tuple[LegendEntry, ...]:
    """Every symbol that cells, notes and rim use, once."""
    entries = {entry for cell in {id(cell): cell for cell in drawn}.values() for entry in cell.entries}
    for note in notes:
        owner = note.owner if isinstance(note.what, Kind) else None
        entries.add(LegendEntry(alphabet.symbol(note.what, owner), note.what, owner))
    entries |= {LegendEntry(alphabet.rims[rim], rim) for rim in rims(diagram)}
    return tuple(
        sorted(entries, key=lambda entry: (order(entry.what, entry.owner), entry.on or "", entry.symbol))
    )


GLUE: Final = "\N{NO-BREAK SPACE}"
"""Stands in notes where no line may end: between whose or which it is, and where."""


def footer(diagram: Diagram, notes: Iterable[Group], alphabet: Alphabet) -> Iterator[str]:
    """Notes as lines: `sign square square`, `zone seat: square seat: corner-corner`, `candidate label: square`.

    A label and the square after it have `GLUE` between them.
    """
    lines: dict[str, list[str]] = {}
    for note in notes:
        words = lines.setdefault(alphabet.symbol(note.what, note.owner), [])
        if note.what is Rim.OUT and note.owner is not None:
            words.append(seat_symbol(diagram, note.owner, alphabet))
        squares = _extent(note.squares) if isinstance(note.what, Zone) else map(str, note.squares)
        if note.label:
            squares = _labelled(note.label, squares)
        elif note.owner is not None and not isinstance(note.what, Kind):
            squares = _labelled(seat_symbol(diagram, note.owner, alphabet), squares)
        words.extend(squares)
    for symbol, words in lines.items():
        yield " ".join((symbol, *words))


def _labelled(label: str, squares: Iterable[str]) -> Iterator[str]:
    """Squares, the first of them with its label."""
    before = f"{label}:{GLUE}"
    for square in squares:
        yield f"{before}{square}"
        before = ""


def _extent(squares: Sequence[Square]) -> Iterable[str]:
    """A rectangle by two of its corners, `a1-h1`; other squares one by one."""
    low, high = squares[0], squares[-1]
    box = {Square(f, r) for f in range(low.file, high.file + 1) for r in range(low.rank, high.rank + 1)}
    return (f"{low}-{high}",) if len(squares) > 2 and box == set(squares) else map(str, squares)


def seat_symbols(diagram: Diagram, seat: Seat, alphabet: Alphabet) -> str:
    """What tells a seat's things on the board: the symbol of its pieces, and of its walls once it has any."""
    own = seat_symbol(diagram, seat, alphabet)
    if any(piece.kind is Kind.WALL and piece.owner == seat for piece in diagram.pieces):
        return f"{own} {alphabet.pieces[Kind.WALL, seat]}"
    return own


def seat_symbol(diagram: Diagram, seat: Seat, alphabet: Alphabet) -> str:
    """The symbol of a seat's own pieces, to set beside a name; the seat's number where the board has no pieces."""
    live = [piece for piece in diagram.pieces if piece.owner is not None and piece.kind is not Kind.WALL]
    own = [piece.kind for piece in live if piece.owner == seat] or [piece.kind for piece in live]
    if own:
        kind = min(own, key=tuple(Kind).index)
    elif any(piece.kind is Kind.WALL for piece in diagram.pieces):
        kind = Kind.BUG  # every bug is crushed: walls were bugs
    else:
        return str(seat.number)
    return alphabet.pieces[kind, seat]
