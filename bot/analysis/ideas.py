"""The idea behind a turn, named by the engine that specialises in the game."""

from __future__ import annotations

from typing import Any

from bot.analysis.judging import proof_of
from bot.thinking.jobs import Variation
from engine import SPECIALISTS
from engine.core import GameValue, Idea, SearchResult
from rules.core import AnyGame, Position, RulesError


def thought_of(game: AnyGame, position: Position[Any], line: Variation) -> SearchResult[Any]:
    """A line as the engine had it, with moves in place of texts."""
    moves, here = [], position
    for text in line.line:
        (move,) = game.notation.parse(text, here)
        here = here.play(move)
        moves.append(move)
    turn = tuple(moves[: len(line.turn)])
    return SearchResult(turn, line.value, proof_of(line), tuple(moves), line.depth, 0, 0, "")


def idea_of(game: AnyGame, position: Position[Any], line: Variation) -> Idea | None:
    """The idea of a turn, if it has a name; what is lost for sure has none, for names of ideas praise."""
    specialist = SPECIALISTS.get(game.key)
    proof = proof_of(line)
    if specialist is None or (proof is not None and proof.result is GameValue.LOSS):
        return None
    try:
        return specialist.idea(position, thought_of(game, position, line))
    except (RulesError, ValueError):
        return None
