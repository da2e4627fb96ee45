"""The idea behind a turn, named by the engine that specialises in the game."""

from __future__ import annotations

from typing import Any

from bot.analysis.judging import proof_of
from bot.presenter.variations import played
from bot.thinking.jobs import Variation
from engine import specialist_of
from engine.core import GameValue, Idea, SearchResult
from rules.core import AnyGame, Position, RulesError


def thought_of(game: AnyGame, position: Position[Any], line: Variation) -> SearchResult[Any]:
    """Return a variation as the engine had it, with moves in place of texts."""
    moves, _ = played(game, position, line.line)
    turn = tuple(moves[: len(line.turn)])
    return SearchResult(turn, line.value, proof_of(line), tuple(moves), line.depth, 0, 0, "")


def idea_of(game: AnyGame, position: Position[Any], line: Variation) -> Idea | None:
    """Return the idea of a turn, if it has a name; a lost turn has none, since names of ideas praise."""
    specialist = specialist_of(game.key)
    proof = proof_of(line)
    if specialist is None or (proof is not None and proof.result is GameValue.LOSS):
        return None
    try:
        return specialist.idea(position, thought_of(game, position, line))
    except (RulesError, ValueError):
        return None
