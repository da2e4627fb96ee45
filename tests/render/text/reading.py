"""Reads text boards back into facts, knowing nothing of how they were drawn but the symbols."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from render import ASCII, EMOJI, Alphabet, Rim, seat_symbol
from render.emoji import EMPTY, NUMBERS, TOGETHER
from rules.core import SEATS, Diagram, Kind, Seat, Sign, Square, Zone, sq

Told = tuple[str, Seat | None, str]
"""What, whose, and with which label."""


@dataclass(frozen=True)
class Read:
    """A board as its reader understands it."""

    size: tuple[int, int]
    elements: frozenset[tuple[Square, Told]]
    out: frozenset[Seat]
    joined: frozenset[Rim]


def truth(diagram: Diagram) -> Read:
    """What a reader should understand."""
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
    at = next(n for n, line in enumerate(lines) if "\U0001f1e6" <= line[0] <= "\U0001f1ff")
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
    """Cells and notes together: a note says more of what a cell shows without an owner or a label."""
    for square, (what, owner, label) in noted:
        if owner is not None or label:
            elements.discard((square, (what, None, "")))
    merged = elements | noted
    owners = {square: told[1] for square, told in merged if told[0] in set(Kind)}
    return frozenset(
        (square, (what, None if what in set(Zone) and owners.get(square) == owner else owner, label))
        for square, (what, owner, label) in merged
    )
