"""Picking a turn step by step: where the L goes, which neutral moves, and where to."""

from __future__ import annotations

from collections.abc import Sequence

from rules.core import Fork, IllegalMove, Legality, Picks, Step, take
from rules.lgame.board import LYING, squares
from rules.lgame.moves import Move
from rules.lgame.notation import BOTH, KEEP, neutral_token, target_token
from rules.lgame.position import LPosition

PLACE = "lgame.fork.place"
NEUTRAL = "lgame.fork.neutral"
TARGET = "lgame.fork.target"
TARGETS = "lgame.fork.targets"
COMPLETE = "lgame.fork.complete"


def fork(position: LPosition, chosen: Sequence[str]) -> Fork[Move]:
    """The next steps of a half-made turn, or the turn.

    First the placement, then `keep`, or a neutral and its target. Where both neutrals may move, `both` and the two
    cells that they will stand on: they are alike, so which goes where is no choice.
    """
    moves: Sequence[Move] = position.legal_moves()
    if not moves:
        raise IllegalMove(Legality.GAME_OVER)
    # Ten cells are open to an L, and no ten hold more than 18 placements: the L's own and 17 to choose from.
    here: Fork[Move] = Fork(PLACE, _placements(moves))
    if not chosen:
        return here
    placement = take(here, chosen[0]).token
    moves = [move for move in moves if str(LYING[move.cells]) == placement]
    here = Fork(NEUTRAL, _neutrals(moves))
    if len(chosen) == 1:
        return here
    token = take(here, chosen[1]).token
    moves = [move for move in moves if neutral_token(move) == token]
    if token == KEEP:
        return _complete(moves[0], chosen[2:])
    here = Fork(TARGETS if token == BOTH else TARGET, tuple(map(_target, moves)))
    if len(chosen) == 2:
        return here
    token = take(here, chosen[2]).token
    return _complete(next(move for move in moves if target_token(move) == token), chosen[3:])


def _complete(move: Move, beyond: Sequence[str]) -> Fork[Move]:
    done = Fork(COMPLETE, move=move)
    if beyond:
        take(done, beyond[0])
    return done


def _placements(moves: Sequence[Move]) -> tuple[Step, ...]:
    lying = [LYING[cells] for cells in dict.fromkeys(move.cells for move in moves)]
    return tuple(Step(str(p), Picks.CELLS, p.cells) for p in lying)


def _neutrals(moves: Sequence[Move]) -> tuple[Step, ...]:
    offered = {neutral_token(move): move for move in moves}
    labels = {KEEP: "lgame.step.keep", BOTH: "lgame.step.both"}
    return tuple(
        Step(token, Picks.PIECE if move.lifted else Picks.NOTHING, squares(move.lifted), labels.get(token))
        for token, move in offered.items()
    )


def _target(move: Move) -> Step:
    return Step(target_token(move), Picks.CELLS, squares(move.put))
