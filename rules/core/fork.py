"""Picking a move step by step: what feeds buttons, selects, autocomplete and the terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Generic, TypeVar

from rules.core.errors import BadNotation, IllegalMove, Legality
from rules.core.grid import sq
from rules.core.squares import Square

M = TypeVar("M")

MAX_STEPS: Final = 25
"""The most steps one fork offers: a select or an autocomplete of Discord holds 25."""


class Picks(StrEnum):
    """What choosing a step picks."""

    REGION = "region"  # one part of the board, to choose a square inside it next
    PIECE = "piece"  # something that stands on the step's squares
    CELLS = "cells"  # where something goes
    NOTHING = "nothing"  # leave it at that


@dataclass(frozen=True, slots=True)
class Step:
    """One way on from a half-made move."""

    token: str  # names the step inside its fork: ASCII, at most 12 characters, the notation's own word for it
    picks: Picks  # what is picked
    squares: tuple[Square, ...]  # the squares it is about, for showing it on the board
    label: str | None = None  # catalogue key of its words where the token does not speak for itself


@dataclass(frozen=True, slots=True)
class Fork(Generic[M]):
    """Where a half-made move can go: either steps to choose from, or the finished move."""

    prompt: str  # catalogue key of what is asked for
    # At most `MAX_STEPS`, each leading to at least one legal move; empty once the move is complete.
    steps: tuple[Step, ...] = ()
    move: M | None = None  # the move, once it is complete


def take(fork: Fork[M], token: str) -> Step:
    """Return the step of a fork that a token names, or raise IllegalMove."""
    for step in fork.steps:
        if step.token == token:
            return step
    raise IllegalMove(Legality.NO_SUCH_STEP, step=token)


def narrow(steps: Sequence[Step], chosen: Sequence[str]) -> tuple[tuple[Step, ...], Sequence[str]]:
    """Steps cut down to at most `MAX_STEPS` by regions of the board, and what of `chosen` is left to use.

    Regions already chosen are followed first. A region's token names its corners, `a1-e5`; it holds the steps whose
    first square lies in it. Only regions that hold a step are offered.
    """
    left = list(steps)
    while len(left) > MAX_STEPS:
        regions = _regions(step.squares[0] for step in left)
        if not chosen:
            return regions, chosen
        region = take(Fork("", regions), chosen[0])
        low, high = region.squares
        left = [step for step in left if _inside(step.squares[0], low, high)]
        chosen = chosen[1:]
    return tuple(left), chosen


def pick_one(prompt: str, moves: Mapping[Step, M], chosen: Sequence[str]) -> Fork[M]:
    """Return the fork of moves that are one step each, by way of regions where there are many, or raise IllegalMove."""
    if not moves:
        raise IllegalMove(Legality.GAME_OVER)
    steps, left = narrow(tuple(moves), chosen)
    fork: Fork[M] = Fork(prompt, steps)
    for token in left:
        fork = Fork(prompt, move=moves[take(fork, token)])
    return fork


def picked_squares(chosen: Iterable[str]) -> tuple[Square, ...]:
    """Return the squares that tokens name; other tokens, such as regions, are left out."""
    squares = []
    for token in chosen:
        try:
            squares.append(sq(token))
        except BadNotation:
            continue
    return tuple(squares)


def _regions(squares: Iterable[Square]) -> tuple[Step, ...]:
    """The bounding box of some squares cut into square blocks, at most 5 by 5 of them; the top row first."""
    held = set(squares)
    left, right = min(s.file for s in held), max(s.file for s in held)
    bottom, top = min(s.rank for s in held), max(s.rank for s in held)
    side = max(right - left, top - bottom) + 1
    if side > 10:
        block = math.ceil(side / 5)
    elif side > 5:
        # Up to 10 x 10, four quarters of at most 25 squares: found faster on a screen than 25 parts.
        block = 5
    else:
        block = math.ceil(side / 2)
    rows = sorted(
        {((s.rank - bottom) // block, (s.file - left) // block) for s in held}, key=lambda at: (-at[0], at[1])
    )
    if len(rows) == 1 and block == 1:
        raise ValueError(f"more than {MAX_STEPS} steps on one square")
    regions = []
    for row, column in rows:
        low = Square(left + column * block, bottom + row * block)
        far = Square(min(low.file + block - 1, right), min(low.rank + block - 1, top))
        regions.append(Step(f"{low}-{far}", Picks.REGION, (low, far)))
    return tuple(regions)


def _inside(square: Square, low: Square, high: Square) -> bool:
    return low.file <= square.file <= high.file and low.rank <= square.rank <= high.rank


def holds(region: Step, square: Square) -> bool:
    """Whether a region step contains a square."""
    return region.picks is Picks.REGION and _inside(square, *region.squares)


def walk(at: Callable[[tuple[str, ...]], Fork[M]], steps: Sequence[str]) -> tuple[tuple[str, ...], Fork[M]]:
    """Follow a move's own steps through forks, adding the narrowing steps on the way.

    Args:
        at: The fork at a path of tokens, `Game.fork` with its position bound.
        steps: `Notation.steps` of the wanted move; the square that tells regions apart is the last in the token.

    Returns:
        The whole path of tokens, and the fork it leads to.

    Raises:
        IllegalMove: the steps lead to no legal move.
    """
    path: tuple[str, ...] = ()
    fork = at(path)
    for token in steps:
        while all(step.token != token for step in fork.steps):
            region = next((step for step in fork.steps if _may_hold(step, token)), None)
            if region is None:
                raise IllegalMove(Legality.NO_SUCH_STEP, step=token)
            path = (*path, region.token)
            fork = at(path)
        path = (*path, token)
        fork = at(path)
    return path, fork


def _may_hold(step: Step, token: str) -> bool:
    try:
        return holds(step, sq(token.rsplit(" ", 1)[-1].split("-", 1)[0]))
    except BadNotation:
        return False
