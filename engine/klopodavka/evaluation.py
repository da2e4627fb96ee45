"""Evaluation of positions, with one file of weights for plain Python and the native core."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from engine.klopodavka.features import LOGARITHMS, Feature, Row, rows
from engine.klopodavka.state import State
from rules.klopodavka.options import Variant
from rules.klopodavka.ruleset import Ruleset

WON: Final = 1000.0
"""The value of a win on the board; one that is only counted out is worth less, and so is one further off."""
COUNTED_OUT: Final = 500.0
DECIDED: Final = COUNTED_OUT / 2
"""Values beyond this are ends, not guesses."""

FILE: Final = Path(__file__).with_name("weights.json")
"""A table for each kind of game; the native core is given those that its game needs."""

Table: TypeAlias = Mapping[str, Mapping[str, Sequence[float]]]
"""For each feature, `moving` and `waiting`: its worth on an empty board and on a full one."""

LEARNED: Final = 100
"""Cells of the board on which two players played the games that the weights were learned from."""

_LOGARITHM: Final = tuple(math.log1p(count) for count in range(1024))


@dataclass(frozen=True, slots=True)
class FeatureWeights:
    """What each feature is worth on an empty board and on a full one; in between in proportion.

    A side with value a beside another with value b wins about 1 / (1 + exp(b - a)) of its games.
    """

    # For the seat to move, by feature: on an empty board, and what is added on a full one.
    moving: tuple[tuple[float, float], ...]
    waiting: tuple[tuple[float, float], ...]  # the same for all others

    @classmethod
    def of(cls, table: Table) -> FeatureWeights:
        """Weights as the file has them for one kind of game.

        Raises:
            ValueError: a feature is missing.
        """
        if set(table) != {feature.name.lower() for feature in Feature}:
            raise ValueError("the weights are not those of the features")
        found: dict[str, list[tuple[float, float]]] = {"moving": [], "waiting": []}
        for feature in Feature:
            for whose, pairs in found.items():
                empty, full = table[feature.name.lower()][whose]
                pairs.append((float(empty), float(full) - float(empty)))
        return cls(tuple(found["moving"]), tuple(found["waiting"]))

    @property
    def even(self) -> FeatureWeights:
        """The mean of both, without the worth of having the move, which was learned on one size of board."""
        pairs = zip(self.moving, self.waiting, strict=True)
        mean = tuple(((one[0] + two[0]) / 2, (one[1] + two[1]) / 2) for one, two in pairs)
        return FeatureWeights(mean, mean)

    def flat(self) -> list[float]:
        """Return all numbers in one row for the native core: moving, then waiting."""
        return [number for pairs in (self.moving, self.waiting) for pair in pairs for number in pair]


def kinds(on: Ruleset) -> tuple[str, ...]:
    """Return the kinds of game whose weights suit, the nearest first: variant with many sides, variant, any."""
    variant = on.options.variant.value
    named = (variant, Variant.STANDARD.value)
    return (f"{variant}-many", *named) if len(on.sides) > 2 else named


def weights(on: Ruleset) -> FeatureWeights:
    """Return the weights of this package for a kind of game."""
    known = _all()
    return next(known[kind] for kind in kinds(on) if kind in known)


@cache
def _all() -> dict[str, FeatureWeights]:
    return {
        kind: FeatureWeights.of(table) for kind, table in json.loads(FILE.read_text(encoding="utf-8")).items()
    }


def measure(feature: int, number: int, cells: int) -> float:
    """Return the number of a feature as its weight takes it, on a board of so many cells.

    What a seat could ever do grows with the board, and would outweigh all else on a large one: it counts by its share of a
    board as large as the one that the weights were learned on.
    """
    if feature == Feature.CAPACITY:
        return number * (LEARNED / cells)
    if feature == Feature.ROOM:
        return math.log1p(number * (LEARNED / cells))
    return _LOGARITHM[number] if feature in LOGARITHMS else number


def worth(row: Row, pairs: tuple[tuple[float, float], ...], full: float, cells: int) -> float:
    """Return the worth of the features of one seat."""
    total = 0.0
    for feature, number in enumerate(row):
        if number:
            empty, more = pairs[feature]
            total += (empty + more * full) * measure(feature, number, cells)
    return total


def evaluate(state: State, side: int, by: FeatureWeights) -> float:
    """Return what a state is worth to a side: about the logarithm of its chances to win against those to lose."""
    on = state.field.ruleset
    if state.end:
        return ended(state, side)
    found = rows(state)
    if (winner := counted_out(state, found)) is not None:
        return COUNTED_OUT if winner == side else -COUNTED_OUT
    cells = state.field.cells
    full = (state.occupancy.live | state.occupancy.stones).bit_count() / cells
    worths: list[float | None] = [None] * len(on.sides)
    for seat, row in enumerate(found):
        if row is not None:
            mine = on.side[seat]
            worths[mine] = (worths[mine] or 0.0) + worth(
                row, by.moving if seat == state.seat else by.waiting, full, cells
            )
    mine_, others = worths[side], [one for at, one in enumerate(worths) if at != side and one is not None]
    if mine_ is None:
        return -WON
    if len(others) == 1:
        return mine_ - others[0]
    most = max(others)
    return mine_ - most - math.log(sum(math.exp(one - most) for one in others))


def ended(state: State, side: int) -> float:
    """Return what an end is worth to a side."""
    if state.end is None or state.end.drawn:
        return 0.0
    on = state.field.ruleset
    return WON if any(on.side[seat] == side for seat in state.end.winners) else -WON


def counted_out(state: State, found: list[Row | None]) -> int | None:
    """Return the side of two players that wins by counting actions alone; None where none does.

    No enemy's action ever adds to what a seat could reach, so `CAPACITY` is the most it can still make. No enemy can take
    the actions of `RESERVE` from it.
    """
    on = state.field.ruleset
    if len(on.homes) != 2 or state.field.counted or on.fenced:
        return None
    for seat in (0, 1):
        mine, theirs = found[seat], found[1 - seat]
        if mine is None or theirs is None:
            return None
        if mine[Feature.RESERVE] and outlasts(
            mine[Feature.RESERVE], theirs[Feature.CAPACITY], on.actions, state.left, first=seat == state.seat
        ):
            return on.side[seat]
    return None


def outlasts(reserve: int, capacity: int, actions: int, left: int, *, first: bool) -> bool:
    """Return whether a seat with `reserve` certain actions outlasts one that can make at most `capacity`.

    A turn has `actions`; the seat to move, the first one or the other, owes `left`.
    """
    # Its turns before the one in which the other seat acts for the last time, and one action after it.
    if first:
        return reserve > (left + (-(-capacity // actions) - 1) * actions if capacity else 0)
    return reserve > max(0, -(-(capacity - left) // actions)) * actions
