"""Klopodavka as text: `d4 xe5 f6` puts on d4, crushes on e5 and puts on f6.

Picking an action: one cell, on large fronts by way of a part of the board.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rules.core import (
    BadNotation,
    Fork,
    IllegalMove,
    Legality,
    Notation,
    Picks,
    Spelling,
    Square,
    Step,
    as_typed,
    fold_move,
    pick_one,
    quoted,
)
from rules.klopodavka.options import SCHEMA, Illegal, Misplaced, Options, Variant, options
from rules.klopodavka.position import KlopodavkaPosition, read, write
from rules.klopodavka.reach import Move, reach, ruleset_of

_CROSS_APART: Final = re.compile(r"(?<![a-z0-9])x (?=[a-z][0-9])")
_CROSS: Final = re.compile(r"x(?=[a-z][0-9])")
_BETWEEN: Final = re.compile(r"[ ,;-]+|(?<=[0-9])(?=[a-z])")


class KlopodavkaNotation(Notation[KlopodavkaPosition, Move, Options]):
    """Cells with blanks, commas or hyphens between them, or nothing; a crush with x before its cell."""

    def parse(self, text: str, position: KlopodavkaPosition) -> tuple[Move, ...]:
        """The actions that typed text asks for; in the fields of a refusal, `square` is the first bad cell.

        An enemy's bug is crushed with or without x. On a board of 24 files or more, `x5` is a cell of the file x.
        """
        wanted = [
            (self._square(word, text, position), bool(_CROSS.match(word)))
            for word in _BETWEEN.split(_CROSS_APART.sub("x", fold_move(text)).strip(" ,;-"))
        ]
        if position.outcome:
            raise IllegalMove(Legality.GAME_OVER)
        if len(wanted) > position.plies_left:
            square, _ = wanted[position.plies_left]
            raise IllegalMove(Illegal.TOO_MANY, square=square, given=len(wanted), count=position.plies_left)
        moves: list[Move] = []
        here = position
        for square, cross in wanted:
            if any(move.square == square for move in moves):
                raise IllegalMove(Illegal.REPEATED, square=square)
            if here.outcome:
                raise IllegalMove(Illegal.OVER_BEFORE, square=square)
            if here.seat != position.seat:
                raise IllegalMove(Illegal.TURN_OVER, square=square)
            ruleset = position.ruleset
            crush = cross or bool(ruleset.board.bits[square] & here.occupancy.live)
            move = (ruleset.moves.crushes if crush else ruleset.moves.puts)[square]
            here = here.play(move)
            moves.append(move)
        return tuple(moves)

    def steps(self, move: Move) -> tuple[str, ...]:
        return (str(move.square),)

    def parse_position(self, text: str, options: Options) -> KlopodavkaPosition:
        ruleset = ruleset_of(options)
        fields = read(ruleset, text)
        position = KlopodavkaPosition.of(ruleset, fields)
        if fields.left > position.turn_length:
            raise BadNotation(Misplaced.LEFT, count=fields.left, limit=position.turn_length)
        if options.immune:
            for seat, home in enumerate(ruleset.homes):
                if missing := home & ~fields.occupancy.bugs[seat]:
                    square = ruleset.board.listed(missing)[0]
                    raise BadNotation(Misplaced.HOME_MISSING, square=square, seat=seat)
        blocked = fields.gone >> fields.seat & 1
        if position.outcome is None:
            settled = bool(position.reached)
        elif blocked:
            # Only a count of bases ends with the seat to move out, and then because it cannot act.
            settled = not reach(ruleset, fields.occupancy, fields.seat)
            settled = settled and options.variant is Variant.BASES
        else:
            settled = True
        if not settled:
            raise BadNotation(Misplaced.UNSETTLED)
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


def position(text: str, /, **chosen: str) -> KlopodavkaPosition:
    """Return a position from its line and typed options: what `repr` of a position prints."""
    return KlopodavkaNotation().parse_position(text, options(SCHEMA.read(chosen)))


PROMPT: Final = "klopodavka.pick.cell"
"""Catalogue key of what a fork asks for."""


def fork(position: KlopodavkaPosition, chosen: Sequence[str]) -> Fork[Move]:
    """Return the cells to act on, or the action once one is chosen."""
    moves = {
        Step(str(move.square), Picks.PIECE if move.crush else Picks.CELLS, (move.square,)): move
        for move in position.legal_moves()
    }
    return pick_one(PROMPT, moves, chosen)
