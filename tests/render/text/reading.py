"""Reads text boards back into facts, and diagrams to draw."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from render import ASCII, EMOJI, Alphabet, Rim, seat_symbol
from render.emoji import EMPTY, NUMBERS, TOGETHER
from rules.core import SEATS, Area, Diagram, Grid, Kind, Mark, Piece, Seat, Sign, Square, Zone, sq

# Reads text boards back into facts, knowing nothing of how they were drawn but the symbols.


Told = tuple[str, Seat | None, str]
"""What, whose, and with which label."""


@dataclass(frozen=True)
class Read:
    size: tuple[int, int]
    elements: frozenset[tuple[Square, Told]]
    out: frozenset[Seat]
    joined: frozenset[Rim]


def truth(diagram: Diagram) -> Read:
    elements: set[tuple[Square, Told]] = set()
    owners = {square: piece.owner for piece in diagram.pieces for square in piece.cells}
    elements |= {
        (square, (piece.kind, piece.owner, "")) for piece in diagram.pieces for square in piece.cells
    }
    for area in diagram.areas:
        for square in area.cells:
            # A zone round a piece is its owner's or has none: boards need not tell which.
            own = square in owners and area.owner == owners[square]
            elements.add((square, (area.zone, None if own else area.owner, "")))
    elements |= {(mark.square, (mark.sign, None, mark.label)) for mark in diagram.marks}
    joined = {Rim.JOINED_FILES: diagram.joined_files, Rim.JOINED_RANKS: diagram.joined_ranks}
    return Read(
        (diagram.grid.files, diagram.grid.ranks),
        frozenset(elements),
        diagram.out,
        frozenset(rim for rim, on in joined.items() if on),
    )


def read_ascii(text: str, diagram: Diagram) -> Read:
    """What an ASCII board says. The diagram tells only which symbols stand for the seats."""
    lines = text.split("\n")
    at = next(n for n, line in reversed(list(enumerate(lines))) if re.fullmatch(r" +[a-z]( *[a-z])*", line))
    letters = lines[at]
    columns = [(column, letter) for column, letter in enumerate(letters) if letter != " "]
    ranks = [line for line in lines[:at] if re.match(r" *[0-9]", line)]
    margin = len(re.match(r" *[0-9]+", ranks[0])[0])  # type: ignore[index]
    lead = columns[0][0] - margin - 1
    trail = columns[1][0] - columns[0][0] - 1 - lead
    elements: set[tuple[Square, Told]] = set()
    for line in ranks:
        row = line.ljust(len(letters) + trail)
        rank = int(row[:margin])
        for column, letter in columns:
            square = Square(ord(letter) - 97, rank - 1)
            elements |= {
                (square, told)
                for told in _ascii_cell(row[column - lead : column], row[column], row[column + 1 :][:trail])
            }
    footer = "\n".join(lines[at + 1 :]).replace("\n  ", " ")
    noted, out = _notes(footer.split("\n") if footer else [], diagram, ASCII)
    joined = {Rim.JOINED_FILES for line in ranks if line[margin] == "<"}
    joined |= {Rim.JOINED_RANKS for line in lines[:at] if set(line) == {" ", "^"}}
    return Read((len(columns), len(ranks)), _merge(elements, noted), out, frozenset(joined))


def _ascii_cell(lead: str, piece: str, trail: str) -> Iterator[Told]:
    lead, trail = lead.strip(), trail.strip()
    if piece != ".":
        kind, owner = _piece(piece, ASCII)
        yield kind, owner, ""
    zone = next((zone for zone, brackets in ASCII.zones.items() if trail and brackets[1] == trail), None)
    assert bool(zone) == bool(trail), (lead, piece, trail)
    if zone:
        yield zone, None, ""
    if lead.endswith(")"):
        yield Sign.CANDIDATE, None, lead[:-1]
    elif lead and not (zone and lead == ASCII.zones[zone][0]):
        yield next(sign for sign, mark in ASCII.signs.items() if mark == lead), None, ""


def read_emoji(text: str, diagram: Diagram) -> Read:
    """What an emoji board says. The diagram tells only which symbols stand for the seats."""
    lines = text.split("\n")
    at = next(
        n
        for n, line in enumerate(lines)
        if "\U0001f1e6" <= line[0] <= "\U0001f1ff" and line[-1] not in "0123456789"
    )
    letters, _, edges = lines[at].partition(" ")
    files = [ord(letter) - 0x1F1E6 for letter in letters.split("\u200b")]
    elements: set[tuple[Square, Told]] = set()
    for line in lines[:at]:
        row, _, rank = line.rpartition(" ")
        cells = tokens(row)
        assert len(cells) == len(files)
        for file, cell in zip(files, cells, strict=True):
            square = Square(file, int(rank) - 1)
            elements |= {(square, told) for told in _emoji_cell(cell, square)}
    noted, out = _notes(lines[at + 1 :], diagram, EMOJI)
    joined = frozenset(rim for rim, symbol in EMOJI.rims.items() if symbol in edges)
    return Read((len(files), at), _merge(elements, noted), out, joined)


_CELLS = sorted(
    (
        *EMPTY,
        *NUMBERS.values(),
        *TOGETHER.values(),
        *EMOJI.pieces.values(),
        *EMOJI.zones.values(),
        *EMOJI.signs.values(),
    ),
    key=len,
    reverse=True,
)


def tokens(row: str) -> list[str]:
    """A row of an emoji board cut into its cells."""
    found = re.findall("|".join(map(re.escape, _CELLS)), row)
    assert "".join(found) == row, row
    return found


def _emoji_cell(cell: str, square: Square) -> Iterator[Told]:
    if cell in EMPTY:
        assert cell == EMPTY[(square.file + square.rank) % 2]
        return
    for label, number in NUMBERS.items():
        if number == cell:
            yield Sign.CANDIDATE, None, label
            return
    for (over, kind, owner), symbol in TOGETHER.items():
        if symbol == cell:
            yield kind, owner, ""
            yield over, None, ""
            return
    for symbols in (EMOJI.zones, EMOJI.signs):
        for what, symbol in symbols.items():
            if symbol == cell:
                yield what, None, ""
                return
    kind, owner = _piece(cell, EMOJI)
    yield kind, owner, ""


def _piece(symbol: str, alphabet: Alphabet) -> tuple[Kind, Seat | None]:
    (found,) = [piece for piece, drawn in alphabet.pieces.items() if drawn == symbol]
    return found


def _notes(
    lines: list[str], diagram: Diagram, alphabet: Alphabet
) -> tuple[set[tuple[Square, Told]], frozenset[Seat]]:
    elements: set[tuple[Square, Told]] = set()
    out: set[Seat] = set()
    seats = {seat_symbol(diagram, seat, alphabet): seat for seat in SEATS}
    whats: Mapping[str, str] = {
        symbol: what
        for symbols in (alphabet.zones, alphabet.signs, alphabet.rims)
        for what, symbol in symbols.items()
    }
    for line in lines:
        symbol, *words = line.split(" ")
        if symbol == alphabet.rims[Rim.OUT]:
            out |= {seats[word] for word in words}
            continue
        kind, owner = (whats[symbol], None) if symbol in whats else _piece(symbol, alphabet)
        label = ""
        for word in words:
            if not word.endswith(":"):
                low, high = map(sq, (word.split("-") * 2)[:2])
                elements |= {
                    (Square(file, rank), (kind, owner, label))
                    for file in range(low.file, high.file + 1)
                    for rank in range(low.rank, high.rank + 1)
                }
            elif kind in set(Zone):
                owner = seats[word[:-1]]
            else:
                label = word[:-1]
    return elements, frozenset(out)


def _merge(
    elements: set[tuple[Square, Told]], noted: set[tuple[Square, Told]]
) -> frozenset[tuple[Square, Told]]:
    for square, (what, owner, label) in noted:
        if owner is not None or label:
            elements.discard((square, (what, None, "")))
    merged = elements | noted
    owners = {square: told[1] for square, told in merged if told[0] in set(Kind)}
    return frozenset(
        (square, (what, None if what in set(Zone) and owners.get(square) == owner else owner, label))
        for square, (what, owner, label) in merged
    )


# Diagrams to draw: made up at random, and by hand as the three games would have them.


def squares(text: str) -> tuple[Square, ...]:
    return tuple(map(sq, text.split()))


def anything(seed: int) -> Diagram:
    chance = Random(seed)
    grid = (
        Grid(chance.randint(3, 26), chance.randint(3, 30))
        if seed % 3
        else Grid(*chance.choices(range(3, 12), k=2))
    )
    cells = chance.sample(tuple(grid), chance.randint(0, len(grid)))
    owners: tuple[Seat | None, ...] = (None, *SEATS)
    pieces = []
    while cells:
        taken, cells = cells[: chance.randint(1, 4)], cells[4:]
        pieces.append(Piece(chance.choice(tuple(Kind)), tuple(taken), chance.choice(owners)))
    some = tuple(grid)
    # One owner to a zone of a square, and one label to a candidate: more than one is tested apart.
    zones = {
        (chance.choice(tuple(Zone)), square): chance.choice(owners)
        for square in chance.choices(some, k=chance.choice((0, 3, 20)))
    }
    areas = [Area(zone, (square,), owner) for (zone, square), owner in zones.items()]
    marks = {
        (sign, square): Mark(sign, square, chance.choice(LABELS) if sign is Sign.CANDIDATE else "")
        for sign, square in zip(chance.choices(tuple(Sign), k=12), chance.choices(some, k=12), strict=True)
    }
    return Diagram(
        grid,
        tuple(pieces),
        tuple(areas),
        tuple(list(marks.values())[: chance.randint(0, 12)]),
        joined_files=chance.random() < 0.3,
        joined_ranks=chance.random() < 0.3,
        out=frozenset(chance.sample(SEATS, chance.choice((0, 0, 1, 3)))),
    )


LABELS = ("", "1", "2", "9", "10", "11", "25", "1,2", "1-4", "3+", "a")


def klopodavka(files: int, ranks: int, seats: int, *, full: float = 0.5, seed: int = 1) -> Diagram:
    """A game of bugs in the middle of a turn: bases, walls, three actions of the last turn."""
    chance = Random(seed)
    grid = Grid(files, ranks)
    cells = chance.sample(tuple(grid), max(seats, round(full * len(grid))))
    kinds = [Kind.BUG] * seats + chance.choices((Kind.BUG, Kind.WALL), (2, 1), k=max(0, len(cells) - seats))
    pieces = [
        Piece(kind, (cell,), Seat(at % seats))
        for at, (kind, cell) in enumerate(zip(kinds, cells, strict=False))
    ]
    last = [
        Mark(Sign.CRUSHED if piece.kind is Kind.WALL else Sign.ENTERED, piece.cells[0])
        for piece in pieces[-3:]
    ]
    bases = tuple(Area(Zone.BASE, (cells[seat],), Seat(seat)) for seat in range(seats))
    return Diagram(grid, tuple(pieces), bases, tuple(last))


def breakthrough(files: int = 8, ranks: int = 8, marks: Iterable[Mark] = ()) -> Diagram:
    """White has a man on d3, and Black has just taken another on e6, coming from d7."""
    placed = {
        square: Seat.S1 if square.rank < 2 else Seat.S2
        for square in Grid(files, ranks)
        if square.rank < 2 or square.rank >= ranks - 2
    }
    for gone in squares("d2 e2 d7"):
        del placed[gone]
    placed |= {sq("d3"): Seat.S1, sq("e6"): Seat.S2}
    men = tuple(Piece(Kind.MAN, (square,), seat) for square, seat in sorted(placed.items()))
    last = (Mark(Sign.LEFT, sq("d7")), Mark(Sign.ENTERED, sq("e6")), Mark(Sign.CRUSHED, sq("e6")))
    return Diagram(Grid(files, ranks), men, marks=(*last, *marks))


def lgame(*, painted: bool = False, moved: bool = True, marks: Iterable[Mark] = ()) -> Diagram:
    """The start, or the position after `L c1-a1-a2 n d1-b2`."""
    own, neutral = ("a1 b1 c1 a2", "b2") if moved else ("b1 c1 b2 b3", "d1")
    signs = {Sign.LEFT: "b3 d1", Sign.ENTERED: "a1 a2 b2"} if moved else {}
    last = tuple(Mark(sign, square) for sign, names in signs.items() for square in squares(names))
    return Diagram(
        Grid(4, 4),
        (
            Piece(Kind.TILE, squares(own), Seat.S1),
            Piece(Kind.TILE, squares("b4 c4 c3 c2"), Seat.S2),
            Piece(Kind.DISC, squares("a4")),
            Piece(Kind.DISC, squares(neutral)),
        ),
        (Area(Zone.PAINTED, squares("a3 b3 a4 b4")),) if painted else (),
        (*last, *marks),
    )
