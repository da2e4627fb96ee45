"""Klopodavka as text and as a board: notation, picking an action, the diagram, and what is said of a position."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final

from rules.core import (
    SEATS,
    Area,
    BadNotation,
    Diagram,
    Fork,
    Grid,
    Highlights,
    IllegalMove,
    Kind,
    Legality,
    Loss,
    Mark,
    Notation,
    Phrase,
    Picks,
    Piece,
    Seat,
    Sign,
    Spelling,
    Square,
    Step,
    Threat,
    Way,
    Zone,
    as_typed,
    fold_move,
    pick,
    quoted,
    sq,
    squashed,
)
from rules.core.errors import refuse_all
from rules.klopodavka.layout import LARGEST, BoardShape, arranged, distance, recommended
from rules.klopodavka.options import (
    SCHEMA,
    USUAL_ACTIONS,
    Illegal,
    Misplaced,
    Options,
    Variant,
    homes,
    options,
)
from rules.klopodavka.position import KlopodavkaPosition, read, write
from rules.klopodavka.reach import Move, carriers, could_ever, reach, ruleset_of

_CROSS_APART: Final = re.compile(r"(?<![a-z0-9])x (?=[a-z][0-9])")
_CROSS: Final = re.compile(r"x(?=[a-z][0-9])")
_BETWEEN: Final = re.compile(r"[ ,;-]+|(?<=[0-9])(?=[a-z])")


@lru_cache(maxsize=2048)  # a match is replayed from its texts, and many have the same
def _words(text: str) -> tuple[str, ...]:
    return tuple(_BETWEEN.split(_CROSS_APART.sub("x", fold_move(text)).strip(" ,;-")))


class KlopodavkaNotation(Notation[KlopodavkaPosition, Move, Options]):
    """Cells with blanks, commas or hyphens between them, or nothing; a crush with x before its cell."""

    def parse(self, text: str, position: KlopodavkaPosition) -> tuple[Move, ...]:
        """The actions that typed text asks for; in the fields of a refusal, `square` is the first bad cell.

        An enemy's bug is crushed with or without x. On a board of 24 files or more, `x5` is a cell of the file x.
        """
        wanted = [(self._square(word, text, position), bool(_CROSS.match(word))) for word in _words(text)]
        if position.outcome:
            raise IllegalMove(Legality.GAME_OVER)
        if len(wanted) > position.plies_left:
            square, _ = wanted[position.plies_left]
            raise IllegalMove(Illegal.TOO_MANY, square=square, given=len(wanted), count=position.plies_left)
        moves: list[Move] = []
        here = position
        for square, cross in wanted:
            if moves:
                here = here.play(moves[-1])
            if any(move.square == square for move in moves):
                raise IllegalMove(Illegal.REPEATED, square=square)
            if here.outcome:
                raise IllegalMove(Illegal.OVER_BEFORE, square=square)
            if here.seat != position.seat:
                raise IllegalMove(Illegal.TURN_OVER, square=square)
            ruleset = position.ruleset
            crush = cross or bool(ruleset.board.bits[square] & here.occupancy.live)
            move = (ruleset.moves.crushes if crush else ruleset.moves.puts)[square]
            here.check(move)
            moves.append(move)
        return tuple(moves)

    def steps(self, move: Move) -> tuple[str, ...]:
        return (str(move.square),)

    def parse_position(self, text: str, options: Options) -> KlopodavkaPosition:
        ruleset = ruleset_of(options)
        position = KlopodavkaPosition.of(ruleset, read(ruleset, text))
        refuse_all(list(_faults(position)))
        return position

    def format_position(self, position: KlopodavkaPosition) -> str:
        return write(position.ruleset, position.fields)

    def _square(self, word: str, text: str, position: KlopodavkaPosition) -> Square:
        try:
            return position.options.board.find(_CROSS.sub("", word, count=1))
        except BadNotation as error:
            if error.reason is not Spelling.NOT_A_SQUARE:
                raise
            raise BadNotation(error.reason, text=quoted(as_typed(word, text) or text)) from None


def _faults(position: KlopodavkaPosition) -> Iterator[BadNotation]:
    """Yield why no play can go on from a position that was read."""
    ruleset, occupancy = position.ruleset, position.occupancy
    if position.plies_left > position.turn_length:
        yield BadNotation(Misplaced.LEFT, count=position.plies_left, limit=position.turn_length)
    for seat, home in enumerate(ruleset.homes if position.options.immune else ()):
        if missing := home & ~occupancy.bugs[seat]:
            yield BadNotation(
                Misplaced.HOME_MISSING, square=ruleset.board.listed(missing)[0], seat=SEATS[seat]
            )
    occupied, near = occupancy.live | occupancy.stones, ruleset.board.near
    # What crushed the bug stood beside it, alive or as a wall, and is there for ever.
    if lone := [square for square in ruleset.board.listed(occupancy.stones) if not near[square] & occupied]:
        yield BadNotation(Misplaced.LONE_WALL, squares=lone[:8])
    # Only a count of bases ends with the seat to move out, and then because it cannot act.
    counted = position.options.variant is Variant.BASES and not reach(ruleset, occupancy, position.seat)
    out = position.gone >> position.seat & 1
    if not (position.reached if position.outcome is None else counted or not out):
        yield BadNotation(Misplaced.UNSETTLED)


def position(text: str, /, **chosen: str) -> KlopodavkaPosition:
    """Return a position from its line and typed options: what `repr` of a position prints."""
    return KlopodavkaNotation().parse_position(text, options(SCHEMA.read(chosen)))


def fork(position: KlopodavkaPosition, chosen: Sequence[str]) -> Fork[Move]:
    """Return the cells to act on, or the action once one is chosen."""
    return pick(_ways(position), chosen, lambda _: "klopodavka.pick.cell")


@lru_cache(maxsize=16)  # all actions that complete a turn are looked at one after the other
def _ways(position: KlopodavkaPosition) -> Sequence[Way[Move]]:
    return [
        ((Step(str(move.square), Picks.PIECE if move.crush else Picks.CELLS, (move.square,)),), move)
        for move in position.legal_moves()
    ]


def draw(position: KlopodavkaPosition, highlights: Highlights[KlopodavkaPosition, Move]) -> Diagram:
    """Bugs and walls with their owners, homes under them, and marks for the last turn and the move being made."""
    options = position.options
    marks = [Mark(Sign.CRUSHED if move.crush else Sign.ENTERED, move.square) for move in highlights.last]
    marks += (Mark(Sign.CANDIDATE, move.square, str(n)) for n, move in enumerate(highlights.candidates, 1))
    marks += (Mark(Sign.PICKED, square) for square in _picked(position, highlights.picked))
    return Diagram(
        grid=options.board,
        pieces=tuple(
            _piece(kind, square, seat)
            for kind, sets in ((Kind.BUG, position.occupancy.bugs), (Kind.WALL, position.occupancy.walls))
            for seat, cells in zip(SEATS, sets, strict=False)
            for square in position.ruleset.board.listed(cells)
        ),
        areas=_areas(options),
        marks=tuple(marks),
        joined_files=options.topology.joined_files,
        joined_ranks=options.topology.joined_ranks,
        out=position.out,
        scores=position.scores,
    )


@lru_cache(maxsize=4096)
def _piece(kind: Kind, square: Square, seat: Seat) -> Piece:
    return Piece(kind, (square,), seat)


@lru_cache(maxsize=256)
def _areas(options: Options) -> tuple[Area, ...]:
    zone = Zone.HEADQUARTERS if options.has_hq else Zone.BASE
    return tuple(Area(zone, cells, seat) for seat, cells in zip(SEATS, homes(options), strict=False))


def _picked(position: KlopodavkaPosition, path: Sequence[str]) -> list[Square]:
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


_SCALE: Final = 16.0  # cells by which one is ahead when the game is half won
_BASE: Final = 3.0  # cells that a base is worth where bases are counted


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


def losses(before: KlopodavkaPosition, after: KlopodavkaPosition) -> list[Loss]:
    """Return what a turn took from the links of the seats that are still in; walls serve the whole side."""
    found = []
    for seat in SEATS[: len(before.occupancy.bugs)]:
        if seat in before.out:
            continue
        own = after.occupancy.bugs[seat] | after.occupancy.walls[seat]
        cut = own & _chain(before, seat) & ~_chain(after, seat)
        dead = own & _chain(before, seat, ever=True) & ~_chain(after, seat, ever=True)
        acted, acts = (reach(here.ruleset, here.occupancy, seat) for here in (before, after))
        if cut or dead or (acted and not acts):
            found.append(Loss(seat, cut.bit_count(), dead.bit_count(), bool(acted) and not acts))
    return found


def _chain(position: KlopodavkaPosition, seat: Seat, *, ever: bool = False) -> int:
    """The cells that link a seat's side, or that could `ever` link it; an ally that is out may come back."""
    ruleset, occupancy = position.ruleset, position.occupancy
    cells = 0
    for ally in ruleset.allies[seat]:
        if ever:
            cells |= could_ever(ruleset, occupancy, ally)
        elif ally == seat or ally not in position.out:
            start = occupancy.bugs[ally] & (ruleset.homes[ally] if ruleset.anchored else -1)
            cells |= ruleset.board.flood(start, carriers(ruleset, occupancy, ally))
    return cells


_TURNS: Final = 2
"""A seat that starts within so many turns of an enemy's base may crush it before its owner has moved much, or at all."""

_TOURNAMENT: Final = Grid(20, 30)
_TOURNAMENT_ACTIONS: Final = 4


def setup_warning(made: Options) -> Phrase | None:
    """Return that enemies start within two turns of each other, and what helps: fewer actions, else a larger board.

    Not for two players, to whom it is equally near, for headquarters, which cannot be crushed, and for named bases.
    """
    if made.players == 2 or made.immune or made.bases or _room(made, made.board, made.actions):
        return None
    usual = recommended(made.players, len(made.sides), made.topology, has_hq=False)
    board = next((g for g in (usual, _TOURNAMENT, LARGEST) if _room(made, g, made.actions)), None)
    if board is None or _room(made, made.board, USUAL_ACTIONS):
        return Phrase("klopodavka.warning.actions", {"actions": made.actions})
    if _room(made, _TOURNAMENT, _TOURNAMENT_ACTIONS):
        return Phrase("klopodavka.warning.tournament", {"board": str(board)})
    return Phrase("klopodavka.warning.board", {"board": str(board)})


def _room(made: Options, board: Grid, actions: int) -> bool:
    shape = BoardShape(board, made.topology)
    blocks = arranged(shape, made.sides, inset=made.inset)
    return all(
        distance(shape, blocks[one], blocks[other]) > _TURNS * actions
        for side, rest in combinations(made.sides, 2)
        for one in side
        for other in rest
    )


MOST: Final = 400  # positions after which a search gives up: the turn is then taken for undecided


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
