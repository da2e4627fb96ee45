"""The values of all positions of a small game, by its rules alone: what checks an engine that knows them all."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.core import GameValue
from rules.core import Position

_UNKNOWN: Final = 2  # no value of `GameValue`


def solve(start: Position[Any]) -> Mapping[Position[Any], GameValue]:
    """Return the value of each position that can be reached from one, for its side to move; a turn is one ply.

    What neither side can force to end is a draw.
    """
    numbers, before = _explored(start)
    left, values = array("I", bytes(4 * len(numbers))), array("b", [_UNKNOWN]) * len(numbers)
    known: deque[int] = deque()
    for origins in before:
        for origin in origins:
            left[origin] += 1
    for position, number in numbers.items():
        if position.outcome is not None:
            values[number] = _ended(position)
            known.append(number)
    while known:
        number = known.popleft()
        if values[number] == GameValue.DRAW:
            continue
        for earlier in before[number]:
            left[earlier] -= values[number] == GameValue.WIN  # moves that do not lose
            if values[earlier] == _UNKNOWN and (values[number] == GameValue.LOSS or not left[earlier]):
                values[earlier] = -values[number]
                known.append(earlier)
    return {
        position: GameValue.DRAW if values[number] == _UNKNOWN else GameValue(values[number])
        for position, number in numbers.items()
    }


def _explored(start: Position[Any]) -> tuple[Mapping[Position[Any], int], Sequence[array[int]]]:
    """Return the number of each position, and by number those from which a move leads there."""
    numbers, before, queue = {start: 0}, [array("I")], deque((start,))
    while queue:
        here = queue.popleft()
        if here.outcome is not None:
            continue
        for move in here.legal_moves():
            there = here.play(move)
            number = numbers.setdefault(there, len(numbers))
            if number == len(before):
                before.append(array("I"))
                queue.append(there)
            before[number].append(numbers[here])
    return numbers, before


def _ended(position: Position[Any]) -> GameValue:
    outcome = position.outcome
    assert outcome is not None
    if not outcome.winners:
        return GameValue.DRAW
    return GameValue.WIN if position.to_move in outcome.winners else GameValue.LOSS
