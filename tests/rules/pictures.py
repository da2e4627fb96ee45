"""Checks of what a game draws."""

from __future__ import annotations

import re
from typing import Any

from rules.core import SEATS, Diagram, Highlights, Position, Sign
from tests.rules.lines import Line, text
from tests.rules.picking import random_path


def check_diagram(line: Line) -> None:
    """What is drawn stands on the board, one piece to a cell, and shows the turn, the choice and the seats."""
    draw = line.game.draw
    for at in line.looks():
        position = line.positions[at]
        plain = draw(position)
        _check_board(line, position, plain)
        assert plain == draw(position)
        assert hash(plain) == hash(draw(position))
        if at:
            shown = draw(position, Highlights(last=line.moves[at - 1 : at], before=line.positions[at - 1]))
            _check_board(line, position, shown)
            signs = {mark.sign for mark in shown.marks}
            assert signs & {Sign.LEFT, Sign.ENTERED, Sign.CRUSHED} or shown.arrows, text(line, position)
            taken = line.game.takes(line.positions[at - 1], line.moves[at - 1])
            assert taken is (Sign.CRUSHED in signs), text(line, position)
            _check_board(line, position, draw(position, Highlights(last=line.moves[at - 1 : at])))
        _check_threats(line, position, plain)
        if position.outcome is not None:
            continue
        for count in (1, 9):
            offered = position.legal_moves()[:count]
            shown = draw(position, Highlights(candidates=offered))
            _check_board(line, position, shown)
            labels = [mark.label for mark in shown.marks if mark.sign is Sign.CANDIDATE]
            # Where candidates share a square its label may name several, in any short way.
            numbers = {int(number) for label in labels for number in re.findall("[0-9]+", label)}
            assert numbers, text(line, position)
            assert numbers <= set(range(1, len(offered) + 1)), text(line, position)
        path, _ = random_path(line.game, position, line.chance)
        for end in range(len(path)):
            _check_board(line, position, draw(position, Highlights(picked=path[:end])))
        shown = draw(position, Highlights(picked=path))
        _check_board(line, position, shown)
        assert any(mark.sign is Sign.PICKED for mark in shown.marks), (path, text(line, position))


def _check_threats(line: Line, position: Position[Any], shown: Diagram) -> None:
    """What could be taken stands on the board, and the seat to move can take exactly what it threatens."""
    found = line.game.threats(position)
    for threat in found:
        assert (piece := shown.at(threat.target)) is not None, text(line, position)
        assert piece.owner != threat.by, text(line, position)
        if threat.start is not None:
            assert (taker := shown.at(threat.start)) is not None, text(line, position)
            assert taker.owner == threat.by, text(line, position)
    mine = [threat for threat in found if threat.by == position.to_move]
    taking = [move for move in position.legal_moves() if line.game.takes(position, move)]
    assert len(mine) == len(taking), text(line, position)


def _check_board(line: Line, position: Any, shown: Diagram) -> None:
    seats = SEATS[: line.game.seats(line.options)]
    covered = [cell for piece in shown.pieces for cell in piece.cells]
    assert len(set(covered)) == len(covered), text(line, position)
    assert all(piece.cells for piece in shown.pieces)
    on_it = [
        *covered,
        *(cell for area in shown.areas for cell in area.cells),
        *(mark.square for mark in shown.marks),
        *(end for arrow in shown.arrows for end in (arrow.start, arrow.end)),
    ]
    assert all(cell in shown.grid for cell in on_it), text(line, position)
    assert {piece.owner for piece in shown.pieces} <= {None, *seats}
    assert {area.owner for area in shown.areas} <= {None, *seats}
    assert all(len(mark.label) <= 3 for mark in shown.marks)
    assert shown.out == position.out, text(line, position)
    assert shown.scores == position.scores
    assert shown.grid == line.game.draw(line.positions[0]).grid
