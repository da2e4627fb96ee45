"""Perft: how many sequences of plies there are, the standard check of a move generator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.core.position import Position


def perft(position: Position[Any], depth: int) -> int:
    """The number of legal sequences of `depth` plies; shorter ones that end the game do not count."""
    if depth == 0:
        return 1
    moves = position.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(perft(position.play(move), depth - 1) for move in moves)


def split(position: Position[Any], depth: int) -> Mapping[Any, int]:
    """Perft by first move: compare two generators' splits to find where they part."""
    return {move: perft(position.play(move), depth - 1) for move in position.legal_moves()}
