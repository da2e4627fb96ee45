"""The fields of a position as one line of text, both ways.

    9b/10/10/10/10/10/10/10/1a8/aA8 1 2 -

Ranks from the top, between slashes; in a rank a small letter is a live bug and a capital one a wall, a for the first
seat, b for the second; numbers are so many empty cells. Then the seat to move, counted from 1, the actions it owes,
and the seats that are out, or `-`. Where homes are comes from the options.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from rules.core import BadNotation, Spelling
from rules.klopodavka.occupancy import Occupancy
from rules.klopodavka.reasons import Misplaced
from rules.klopodavka.ruleset import Ruleset

_LINE: Final = re.compile(
    r"(?P<rows>[a-jA-J0-9/]{5,900}) (?P<seat>[1-9]|10) (?P<left>[1-9]|10) (?P<out>-|[0-9,]{1,20})\Z", re.ASCII
)
_LONGEST: Final = 930
_RUN: Final = re.compile(r"[1-9][0-9]?|[a-jA-J]", re.ASCII)


class PositionFields(NamedTuple):
    """What a line says: the fields of a position that the rest follows from."""

    occupancy: Occupancy
    seat: int  # who must act next
    left: int  # how many actions it owes
    gone: int  # who is out, one bit a seat


def write(ruleset: Ruleset, fields: PositionFields) -> str:
    """The line of a position with these fields."""
    occupancy, seat, left, gone = fields
    files, ranks = ruleset.options.board.files, ruleset.options.board.ranks
    held: dict[tuple[int, int], str] = {}
    for first, sets in (("a", occupancy.bugs), ("A", occupancy.walls)):
        for owner, cells in enumerate(sets):
            held |= dict.fromkeys(ruleset.board.listed(cells), chr(ord(first) + owner))
    rows = ("".join(held.get((file, rank), " ") for file in range(files)) for rank in reversed(range(ranks)))
    layout = re.sub(" +", lambda run: str(len(run[0])), "/".join(rows))
    out = ",".join(str(one + 1) for one in range(len(ruleset.homes)) if gone >> one & 1)
    return f"{layout} {seat + 1} {left} {out or '-'}"


def read(ruleset: Ruleset, text: str) -> PositionFields:
    """The fields that a line says.

    Raises:
        BadNotation: the text is no such line, or not one of this board and these seats.
    """
    if len(text) > _LONGEST:
        raise BadNotation(Spelling.TOO_LONG, limit=_LONGEST)
    found = _LINE.match(text)
    if not found:
        raise _no_position(text)
    players = ruleset.options.players
    bugs, walls = [0] * players, [0] * players
    for letter, bit in _standing(ruleset, found["rows"], text):
        sets = bugs if letter.islower() else walls
        owner = ord(letter.lower()) - ord("a")
        if owner >= players:
            raise BadNotation(Misplaced.NO_SUCH_SEAT, seat=str(owner + 1), players=players)
        sets[owner] |= bit
    seat, left = int(found["seat"]) - 1, int(found["left"])
    out = [] if found["out"] == "-" else found["out"].split(",")
    for number in (str(seat + 1), *out):
        if not number.isdigit() or not 1 <= int(number) <= players:
            raise BadNotation(Misplaced.NO_SUCH_SEAT, seat=number, players=players)
    gone = sum(1 << int(number) - 1 for number in set(out))
    fields = PositionFields(Occupancy.of(tuple(bugs), tuple(walls)), seat, left, gone)
    if write(ruleset, fields) != text:
        raise _no_position(text)
    return fields


def _standing(ruleset: Ruleset, layout: str, text: str) -> list[tuple[str, int]]:
    """The letters of a layout, each with the bit of its cell."""
    board = ruleset.options.board
    rows = layout.split("/")
    if len(rows) != board.ranks:
        raise BadNotation(Misplaced.ROWS, board=board)
    occupancy = []
    for rank, row in zip(reversed(range(board.ranks)), rows, strict=True):
        file = 0
        for run in _RUN.findall(row):
            if not run.isdigit():
                occupancy.append((run, 1 << rank * (board.files + 1) + file))
            file += int(run) if run.isdigit() else 1
        if file != board.files:
            raise BadNotation(Misplaced.ROWS, board=board)
    if "".join(_RUN.findall(layout)) != layout.replace("/", ""):
        raise _no_position(text)
    return occupancy


def _no_position(text: str) -> BadNotation:
    return BadNotation(Spelling.NOT_A_POSITION, text=text[:40])
