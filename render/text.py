"""A board as lines of text, what its symbols stand for, and its alphabet in plain ASCII, for a font of equal widths.

A cell in ASCII is a mark, a piece and a bracket: `+a` a bug has come, `[a]` a bug on a base, ` 3).` candidate 3 on an
empty cell. A board too wide for its line gives up brackets, labels and marks, in this order, and notes them below instead.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from textwrap import wrap
from typing import Final, TypeAlias

from rules.core import SEATS, Diagram, Grid, Kind, Seat, Sign, Square, Zone


class Rim(StrEnum):
    """What is told beside the board, of no square in particular."""

    JOINED_FILES = "joined-files"  # the left and right edges are one
    JOINED_RANKS = "joined-ranks"  # the bottom and top edges are one
    OUT = "out"  # the owner plays no more


ElementKind: TypeAlias = Kind | Zone | Sign | Rim

_ORDER: Final[tuple[ElementKind, ...]] = (*Kind, *Sign, *Zone, *Rim)

# Where one place must do for several things, the first of these is shown there and the rest is noted below the board.
_SIGNS: Final = (Sign.CANDIDATE, Sign.PICKED, Sign.CRUSHED, Sign.ENTERED, Sign.LEFT)
_ZONES: Final = (Zone.HEADQUARTERS, Zone.BASE, Zone.GOAL, Zone.PAINTED)


@dataclass(frozen=True, slots=True)
class Element:
    """One thing to tell: what it is, whose, and the label of a candidate."""

    what: ElementKind
    owner: Seat | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class SquareElements:
    """All that is told of one square; signs and zones with the most telling first."""

    piece: Element | None = None
    signs: tuple[Element, ...] = ()
    zones: tuple[Element, ...] = ()

    def __iter__(self) -> Iterator[Element]:
        if self.piece:
            yield self.piece
        yield from self.signs
        yield from self.zones

    @property
    def zone(self) -> Element | None:
        """The zone to show in the cell.

        One side's goal is noted only: it is an edge as a rule, and signs all along it would be in the way.
        """
        return next((zone for zone in self.zones if zone.what is not Zone.GOAL or zone.owner is None), None)


@dataclass(frozen=True, slots=True)
class Group:
    """One fact and all the squares it holds for, by file and then rank; a fact of no square has none."""

    what: ElementKind
    owner: Seat | None
    squares: tuple[Square, ...]
    label: str = ""


def cells(diagram: Diagram) -> Mapping[Square, SquareElements]:
    """The squares of which there is something to tell; those with the same piece and nothing else share one cell."""
    told = {square: _plain(piece.kind, piece.owner) for piece in diagram.pieces for square in piece.cells}
    # Dictionaries keep what is told once, in the order in which it came.
    signs: dict[Square, dict[Element, None]] = {}
    for mark in diagram.marks:
        signs.setdefault(mark.square, {})[Element(mark.sign, label=mark.label)] = None
    zones: dict[Square, dict[Element, None]] = {}
    for area in diagram.areas:
        zone = Element(area.zone, area.owner)
        for square in area.cells:
            zones.setdefault(square, {})[zone] = None
    for square in signs.keys() | zones.keys():
        told[square] = SquareElements(
            told[square].piece if square in told else None,
            tuple(sorted(signs.get(square, ()), key=lambda fact: _SIGNS.index(Sign(fact.what)))),
            tuple(sorted(zones.get(square, ()), key=lambda fact: _ZONES.index(Zone(fact.what)))),
        )
    return told


@cache
def _plain(kind: Kind, owner: Seat | None) -> SquareElements:
    return SquareElements(Element(kind, owner))


def _order(what: ElementKind, owner: Seat | None, label: str = "") -> tuple[int, int, int, str]:
    """Sorts what is told: pieces, signs, zones, the rim; then by seat; then labels as numbers go.

    Neutral pieces come last. Zones without an owner come first: in a line of notes no seat's name precedes them.
    """
    neutral = len(Seat) if isinstance(what, Kind) else -1
    return _ORDER.index(what), neutral if owner is None else owner, len(label), label


def _group(told: Iterable[tuple[Element, Square]]) -> tuple[Group, ...]:
    found: dict[Element, list[Square]] = {}
    for fact, square in told:
        found.setdefault(fact, []).append(square)
    groups = (
        Group(fact.what, fact.owner, tuple(sorted(squares)), fact.label) for fact, squares in found.items()
    )
    return tuple(sorted(groups, key=lambda one: _order(one.what, one.owner, one.label)))


@lru_cache(maxsize=64)
def rows(grid: Grid, *, flipped: bool) -> tuple[tuple[Square, ...], ...]:
    """The squares as they are drawn, the top row first; flipped is how the other side of the table sees them."""
    ranks = range(grid.ranks) if flipped else reversed(range(grid.ranks))
    files = tuple(reversed(range(grid.files)) if flipped else range(grid.files))
    return tuple(tuple(Square(file, rank) for file in files) for rank in ranks)


def pieces(diagram: Diagram) -> tuple[Group, ...]:
    """What stands where, by kind and owner: from this a presenter words the position for those who cannot see it."""
    return _group(
        (Element(piece.kind, piece.owner), square) for piece in diagram.pieces for square in piece.cells
    )


def areas(diagram: Diagram) -> tuple[Group, ...]:
    """Which squares have a meaning of their own, by zone and owner."""
    return _group((Element(area.zone, area.owner), square) for area in diagram.areas for square in area.cells)


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
    # What the cells have no room for; with it nothing of the diagram is lost but scores and arrows without a label. Of a zone
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
    return _group(hidden) + tuple(Group(Rim.OUT, seat, ()) for seat in sorted(diagram.out))


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
        sorted(entries, key=lambda entry: (_order(entry.what, entry.owner), entry.on or "", entry.symbol))
    )


GLUE: Final = "\N{NO-BREAK SPACE}"
"""Stands in notes where no line may end: between whose or which it is, and where."""


def footer(diagram: Diagram, notes: Iterable[Group], alphabet: Alphabet) -> Iterator[str]:
    """Notes as lines: `sign square square`, `zone seat: square seat: corner-corner`, `candidate label: square`.

    A label and the square after it have `GLUE` between them. Labelled arrows come last: `label: square-square`.
    """
    lines: dict[str, list[str]] = {}
    for note in notes:
        words = lines.setdefault(alphabet.symbol(note.what, note.owner), [])
        if note.what is Rim.OUT and note.owner is not None:
            words.append(seat_symbol(diagram, note.owner, alphabet))
        squares = list(_extent(note.squares) if isinstance(note.what, Zone) else map(str, note.squares))
        label = note.label
        if not label and note.owner is not None and not isinstance(note.what, Kind):
            label = seat_symbol(diagram, note.owner, alphabet)
        if label and squares:
            squares[0] = f"{label}:{GLUE}{squares[0]}"
        words.extend(squares)
    for symbol, words in lines.items():
        yield " ".join((symbol, *words))
    if ways := [f"{one.label}:{GLUE}{one.start}-{one.end}" for one in diagram.arrows if one.label]:
        yield " ".join(ways)


def _extent(squares: Sequence[Square]) -> Iterable[str]:
    """A rectangle by two of its corners, `a1-h1`; other squares one by one."""
    low, high = squares[0], squares[-1]
    box = {Square(f, r) for f in range(low.file, high.file + 1) for r in range(low.rank, high.rank + 1)}
    return (f"{low}-{high}",) if len(squares) > 2 and box == set(squares) else map(str, squares)


def kind_of(diagram: Diagram, seat: Seat | None) -> Kind | None:
    """What a seat plays with: the kind of its own pieces, else of the others'; None on a board without any."""
    live = [piece for piece in diagram.pieces if piece.owner is not None and piece.kind is not Kind.WALL]
    own = [piece.kind for piece in live if piece.owner == seat] or [piece.kind for piece in live]
    if own:
        return min(own, key=tuple(Kind).index)
    # Where every bug is crushed: walls were bugs.
    return Kind.BUG if any(piece.kind is Kind.WALL for piece in diagram.pieces) else None


def seat_symbols(diagram: Diagram, seat: Seat, alphabet: Alphabet) -> str:
    """What tells a seat's things on the board: the symbol of its pieces, and of its walls once it has any."""
    own = seat_symbol(diagram, seat, alphabet)
    if any(piece.kind is Kind.WALL and piece.owner == seat for piece in diagram.pieces):
        return f"{own} {alphabet.pieces[Kind.WALL, seat]}"
    return own


def seat_symbol(diagram: Diagram, seat: Seat, alphabet: Alphabet) -> str:
    """The symbol of a seat's own pieces, to set beside a name; the seat's number where the board has no pieces."""
    kind = kind_of(diagram, seat)
    return alphabet.pieces[kind, seat] if kind else str(seat.number)


PHONE_COLUMNS: Final = 36  # characters of a code block that stand in one line on a phone
DOT: Final = "."

_WIDE: Final = 10  # files beyond which a row is hard to follow from the left edge alone
_TALL: Final = 16  # ranks, likewise


ASCII: Final = Alphabet(
    # Numbers for tiles as the L-game's sheets have them; a capital is the wall of the same letter's bug; an open
    # and a filled ring for the two sides with men, which needs no language.
    pieces=per_seat(Kind.TILE, "1234567890", "%")
    | per_seat(Kind.DISC, "kmnpqrstuw", "o")
    | per_seat(Kind.MAN, "O@STUVWXYZ", "&")
    | per_seat(Kind.BUG, "abcdefghij", "z")
    | per_seat(Kind.WALL, "ABCDEFGHIJ", "#"),
    zones={Zone.PAINTED: "::", Zone.BASE: "[]", Zone.HEADQUARTERS: "{}", Zone.GOAL: "=="},
    signs={Sign.LEFT: "-", Sign.ENTERED: "+", Sign.CRUSHED: "x", Sign.PICKED: "*", Sign.CANDIDATE: "?"},
    rims={Rim.JOINED_FILES: "<>", Rim.JOINED_RANKS: "^v", Rim.OUT: "!"},
)


@dataclass(frozen=True, slots=True)
class _Form:
    """How many columns a cell has before its piece (for marks) and after it (for brackets)."""

    lead: int
    trail: int

    def width(self, diagram: Diagram) -> int:
        margin = len(str(diagram.grid.ranks))
        sides = 1 + diagram.joined_files + (1 + margin if diagram.grid.files > _WIDE else 0)
        return margin + sides + diagram.grid.files * (self.lead + 1 + self.trail)

    def cell(self, cell: SquareElements) -> CellText:
        piece = ASCII.symbol(cell.piece.what, cell.piece.owner) if cell.piece else DOT
        shown: list[Element] = []
        entries: list[LegendEntry] = []
        if cell.piece:
            shown.append(cell.piece)
            entries.append(LegendEntry(piece, cell.piece.what, cell.piece.owner))
        lead, trail = "", ""
        if self.trail and (zone := cell.zone):
            brackets = ASCII.symbol(zone.what, None)
            lead, trail = brackets[0], brackets[1]
            entries.append(LegendEntry(brackets, zone.what))
            if zone.owner is None or (cell.piece and zone.owner == cell.piece.owner):
                shown.append(zone)
        if self.lead and cell.signs:
            sign = cell.signs[0]
            numbered = sign.what is Sign.CANDIDATE and sign.label and self.lead > 1
            lead = f"{sign.label})" if numbered else ASCII.symbol(sign.what, None)
            if numbered or not sign.label:
                shown.append(sign)
            if not numbered:
                entries.append(LegendEntry(lead, sign.what))
        text = lead.rjust(self.lead) + piece + trail.ljust(self.trail)
        return CellText(text, tuple(fact for fact in cell if fact not in shown), tuple(entries))


def ascii_board(
    diagram: Diagram, *, flipped: bool = False, columns: int = PHONE_COLUMNS, limit: int = MESSAGE
) -> TextBoard:
    """The board in ASCII, in the fullest form that keeps to `columns` a line and `limit` characters, notes included.

    Some form does if it has at most 26 files and 30 ranks and no more marks than a turn leaves.
    """
    told = cells(diagram)
    *forms, plainest = _forms(told.values())
    for form in forms:
        if form.width(diagram) <= columns:
            board = _board(diagram, told, form, flipped=flipped, columns=columns)
            if len(board.text) <= limit:
                return board
    return _board(diagram, told, plainest, flipped=flipped, columns=columns)


def _forms(told: Collection[SquareElements]) -> Iterator[_Form]:
    """The fullest form first. Labels stand apart from the piece on their left, and end in a bracket."""
    label = max((len(sign.label) for cell in told for sign in cell.signs), default=0)
    leads = (label + 2, 1) if label else (1,)
    trails = (1, 0) if any(cell.zone for cell in told) else (0,)
    yield from (_Form(lead, trail) for lead in leads for trail in trails)
    yield _Form(0, 0)


def _board(
    diagram: Diagram, told: Mapping[Square, SquareElements], form: _Form, *, flipped: bool, columns: int
) -> TextBoard:
    drawn = draw(told, form.cell)
    notes = left_over(diagram, told, drawn)
    wrapped = (
        part.replace(GLUE, " ")
        for line in footer(diagram, notes, ASCII)
        for part in wrap(
            line, columns, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
    )
    above: tuple[str, ...] = ()
    if diagram.first:
        above = (*ascii_board(diagram.first, flipped=flipped, columns=columns).rows, "")
    return TextBoard(
        rows=(*above, *_rows(diagram, form, drawn, flipped=flipped)),
        notes=notes,
        footer=tuple(wrapped),
        legend=legend(diagram, drawn.values(), notes, ASCII),
    )


def _rows(diagram: Diagram, form: _Form, drawn: Mapping[Square, CellText], *, flipped: bool) -> Iterator[str]:
    grid = diagram.grid
    board = rows(grid, flipped=flipped)
    margin = len(str(grid.ranks))
    empty = form.cell(SquareElements())
    left, right = tuple(ASCII.rims[Rim.JOINED_FILES]) if diagram.joined_files else (" ", "")
    above, below = tuple(ASCII.rims[Rim.JOINED_RANKS])

    def rim(symbols: str) -> str:
        row = "".join(" " * form.lead + symbol + " " * form.trail for symbol in symbols)
        return f"{'':{margin}} {row}".rstrip()

    letters = rim("".join(str(square)[0] for square in board[0]))
    if grid.ranks > _TALL:
        yield letters
    if diagram.joined_ranks:
        yield rim(above * grid.files)
    for row in board:
        rank = str(row[0].rank + 1)
        line = f"{rank:>{margin}}{left}{''.join([drawn.get(square, empty).text for square in row])}{right}"
        yield f"{line} {rank:>{margin}}" if grid.files > _WIDE else line.rstrip()
    if diagram.joined_ranks:
        yield rim(below * grid.files)
    yield letters
