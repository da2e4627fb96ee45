"""What is shown and said of a position: its diagram, threats, lessons, evaluation, and turns that are decided.

A quick guess at who is better off: live bugs, and what can be acted on.

The ideas of Klopodavka, each on a board.

Which bugs could be crushed.

What to know before a game on a board that is too small for its players, or with turns that are too long.

Turns that are decided: each way to finish them wins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final

from rules.core import (
    SEATS,
    Area,
    BadNotation,
    Diagram,
    Grid,
    Highlights,
    Kind,
    Lesson,
    Mark,
    Phrase,
    Piece,
    Seat,
    Sign,
    Square,
    Threat,
    Zone,
    sq,
    squashed,
)
from rules.klopodavka.layout import BoardShape, arranged, distance, recommended
from rules.klopodavka.options import USUAL_ACTIONS, Options, Variant, homes
from rules.klopodavka.position import KlopodavkaPosition
from rules.klopodavka.reach import Move, reach


def draw(position: KlopodavkaPosition, highlights: Highlights[KlopodavkaPosition, Move]) -> Diagram:
    """Bugs and walls with their owners, homes under them, and marks for the last turn and the move being made."""
    options = position.options
    marks = [Mark(Sign.CRUSHED if move.crush else Sign.ENTERED, move.square) for move in highlights.last]
    marks += (Mark(Sign.CANDIDATE, move.square, str(n)) for n, move in enumerate(highlights.candidates, 1))
    marks += (Mark(Sign.PICKED, square) for square in _picked(position, highlights.picked))
    return Diagram(
        grid=options.board,
        pieces=tuple(_pieces(position)),
        areas=_areas(options),
        marks=tuple(marks),
        joined_files=options.topology.joined_files,
        joined_ranks=options.topology.joined_ranks,
        out=position.out,
        scores=position.scores,
    )


def _pieces(position: KlopodavkaPosition) -> Iterator[Piece]:
    board = position.ruleset.board
    for kind, sets in ((Kind.BUG, position.occupancy.bugs), (Kind.WALL, position.occupancy.walls)):
        for seat, cells in zip(SEATS, sets, strict=False):
            yield from (_piece(kind, square, seat) for square in board.listed(cells))


@lru_cache(maxsize=4096)
def _piece(kind: Kind, square: Square, seat: Seat) -> Piece:
    return Piece(kind, (square,), seat)


@lru_cache(maxsize=256)
def _areas(options: Options) -> tuple[Area, ...]:
    zone = Zone.HEADQUARTERS if options.has_hq else Zone.BASE
    return tuple(Area(zone, cells, seat) for seat, cells in zip(SEATS, homes(options), strict=False))


def _picked(position: KlopodavkaPosition, path: Sequence[str]) -> list[Square]:
    """The cell that is picked, or all that can be picked in the part of the board that is."""
    if not path:
        return []
    try:
        low, _, high = path[-1].partition("-")
        corner, far = sq(low), sq(high or low)
    except BadNotation:
        return []
    return [
        square
        for square in position.ruleset.board.listed(position.reached)
        if corner.file <= square.file <= far.file and corner.rank <= square.rank <= far.rank
    ]


_SCALE: Final = 16.0
"""Cells by which one is ahead when the game is half won."""
_BASE: Final = 3.0
"""Cells that a base is worth where bases are counted."""


def evaluate(position: KlopodavkaPosition, seat: Seat, /) -> float:
    """What the seat's side has, less what the average other side that is still in has."""
    ruleset, occupancy, gone = position.ruleset, position.occupancy, position.gone
    held = position.scores if ruleset.options.variant is Variant.BASES else ()
    worth = [0.0] * len(ruleset.sides)
    alive = set()
    for member, side in enumerate(ruleset.side):
        if gone >> member & 1:
            continue
        alive.add(side)
        worth[side] += occupancy.bugs[member].bit_count() + reach(ruleset, occupancy, member).bit_count()
        if held:
            worth[side] += _BASE * held[member]
    mine = ruleset.side[seat]
    others = [worth[side] for side in alive if side != mine]
    return squashed((worth[mine] - sum(others) / max(1, len(others))) / _SCALE)


_SMALL: Final = (("board", "5x5"),)

_HQ: Final = (("board", "5x7"), ("variant", "hq"))

LESSONS: Final = (
    Lesson("link", "5/2AA1/1a3/1a3/a3b 1 3 -", squares="e3 e4 e5", options=_SMALL),
    Lesson("cut", "5/b1AA1/1a3/1a3/a4 2 3 -", "xb3 xb2 a5", "c4 d4", options=_SMALL),
    Lesson("near", "4b/5/5/1a3/a4 2 3 -", "d4 c3 xb2", "b2", options=_SMALL),
    Lesson("blocked", "4b/5/2b2/BB3/aa3 2 1 -", "xb1", "a1", options=_SMALL),
    Lesson("space", "b1b2/5/AAbAA/1a3/a4 1 1 -", "xc3", "b1 c1 d1 e1 a2 c2 d2 e2", _SMALL),
    Lesson("bases", "a1ABb/2ABB/2AbA/1a3/a4 1 1 -", "xd3", "a1 b2 a5", (*_SMALL, ("variant", "bases"))),
    Lesson("branch", "1bbb1/1bbb1/1b1a1/2ba1/3a1/1aaa1/1aaa1 2 1 -", "xd4", "d5", _HQ),
    Lesson("fence", "1bbb1/1bbb1/4b/AAAAb/3a1/1aaa1/1aaa1 1 1 -", "xe4", "a4 b4 c4 d4 e4", _HQ),
    Lesson("surround", "AbbbA/AbbbA/AAAbA/2a2/2a2/1aaa1/1aaa1 1 1 -", "xd5", "d5", _HQ),
    Lesson(
        "teams",
        "b4c/2c3/1CC3/1a4/6/a4d 1 3 -",
        squares="d3 d4 a5 b5 d5",
        options=(("board", "6x6"), ("teams", "2v2")),
    ),
    Lesson(
        "cylinder",
        "2b2/5/4a/5/5 1 3 -",
        squares="a2 a3 a4",
        options=(*_SMALL, ("topology", "cylinder")),
    ),
    Lesson("torus", "5/5/2b2/5/a4 1 3 -", squares="e1 e2 a5 b5 e5", options=(*_SMALL, ("topology", "torus"))),
    Lesson("immune", "4b/5/5/ab3/a4 2 3 -", squares="a1", options=(*_SMALL, ("base", "immune"))),
    Lesson("anchor", "4b/a2b1/a1b2/ab3/a4 2 1 -", "xa1", "a1", (*_SMALL, ("reach", "base"))),
)


def threats(position: KlopodavkaPosition) -> list[Threat]:
    """Return what each seat could crush, were it to move."""
    if position.outcome is not None:
        return []
    ruleset, occupancy = position.ruleset, position.occupancy
    return [
        Threat(SEATS[seat], square)
        for seat in range(len(occupancy.bugs))
        if not position.gone >> seat & 1
        for square in ruleset.board.listed(reach(ruleset, occupancy, seat) & occupancy.live)
    ]


TURNS: Final = 2
"""A seat that starts within so many turns of an enemy's base may crush it before its owner has moved much, or at all."""

_TOURNAMENT: Final = Grid(20, 30)
_TOURNAMENT_ACTIONS: Final = 4
_LARGEST: Final = Grid(26, 30)


def setup_warning(made: Options) -> Phrase | None:
    """That enemies start within two turns of each other, and what helps: fewer actions, else a larger board.

    There is no warning for two players, to whom it is equally near, for headquarters, which cannot be crushed, and for
    bases that were named.
    """
    if made.players == 2 or made.immune or made.bases or _room(made, made.board, made.actions):
        return None
    usual = recommended(made.players, len(made.sides), made.topology, has_hq=False)
    board = next((g for g in (usual, _TOURNAMENT, _LARGEST) if _room(made, g, made.actions)), None)
    if board is None or _room(made, made.board, USUAL_ACTIONS):
        return Phrase("klopodavka.warning.actions", {"actions": made.actions})
    if _room(made, _TOURNAMENT, _TOURNAMENT_ACTIONS):
        return Phrase("klopodavka.warning.tournament", {"board": str(board)})
    return Phrase("klopodavka.warning.board", {"board": str(board)})


def _room(made: Options, board: Grid, actions: int) -> bool:
    shape = BoardShape(board, made.topology)
    blocks = arranged(shape, made.sides, inset=made.inset)
    return all(
        distance(shape, blocks[one], blocks[other]) > TURNS * actions
        for side, rest in combinations(made.sides, 2)
        for one in side
        for other in rest
    )


MOST: Final = 400
"""Positions after which a search gives up: the turn is then taken for undecided."""


@lru_cache(maxsize=256)
def finish(position: KlopodavkaPosition) -> tuple[Move, ...]:
    """Return actions that finish the turn, where all that could be played instead wins within it, too; else nothing."""
    if position.outcome or not (_all_blocked(position) or _always_wins(position, set())):
        return ()
    moves: list[Move] = []
    while not position.outcome:
        moves.append(_puts_first(position)[0])
        position = position.play(moves[-1])
    return tuple(moves)


def _all_blocked(position: KlopodavkaPosition) -> bool:
    """Whether only the seat to move can act, and will be the only one whatever it does.

    An action takes cells from an enemy's reach or leaves it as it is. What an ally reaches, and how bases count, changes.
    """
    ruleset, occupancy, mover = position.ruleset, position.occupancy, position.seat
    others = [seat for seat in range(len(ruleset.homes)) if seat != mover and not position.gone >> seat & 1]
    return ruleset.options.variant is not Variant.BASES and not any(
        ruleset.side[seat] == ruleset.side[mover] or reach(ruleset, occupancy, seat) for seat in others
    )


def _always_wins(position: KlopodavkaPosition, known: set[KlopodavkaPosition]) -> bool:
    """Whether all ways to finish the turn win; `known` holds the positions that were looked at."""
    for move in _puts_first(position):
        after = position.play(move)
        if after in known:
            continue
        known.add(after)
        if after.outcome:
            wins = position.to_move in after.outcome.winners
        else:
            wins = after.seat == position.seat and _always_wins(after, known)
        if not wins or len(known) > MOST:
            return False
    return True


def _puts_first(position: KlopodavkaPosition) -> list[Move]:
    """The legal actions, those first that leave the enemies' reach as it is: they show soonest that a turn is open."""
    return sorted(position.legal_moves(), key=lambda move: move.crush)
