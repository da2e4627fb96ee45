"""Values of positions by the rules alone: of all positions of a small game, and of one by all moves from it."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from engine.core import BudgetExhausted, GameValue
from rules.core import AnyGame, Position, Seat

P = TypeVar("P", bound=Position[Any])

_UNKNOWN: Final = 2  # no value of `GameValue`


def solve(start: P) -> Mapping[P, GameValue]:
    """Return the value of each position that can be reached from one, for its side to move; a turn is one ply.

    What neither side can force to end is a draw.
    """
    return {position: value for position, (value, _) in solved(start).items()}


def solved(start: P) -> Mapping[P, tuple[GameValue, int]]:
    """Return the values as `solve` does, each with the plies to the end: the winner hurries, the loser holds out; 0 in a draw."""
    numbers, before = _explored(start)
    left, values = array("I", bytes(4 * len(numbers))), array("b", [_UNKNOWN]) * len(numbers)
    plies = array("I", bytes(4 * len(numbers)))
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
                values[earlier], plies[earlier] = -values[number], plies[number] + 1
                known.append(earlier)
    return {
        position: (GameValue(values[number]) if values[number] != _UNKNOWN else GameValue.DRAW, plies[number])
        for position, number in numbers.items()
    }


def _explored(start: P) -> tuple[Mapping[P, int], Sequence[array[int]]]:
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


class ForcedWins:
    """Wins that one seat of two can force, proved by trying all moves of the rules.

    A game whose length is bounded can be searched without a limit; then what is no forced win is proved to be none.
    """

    def __init__(
        self,
        game: AnyGame,
        seat: Seat,
        floor: Callable[[Position[Any], Seat], int] | None = None,
        most: int | None = None,
    ) -> None:
        """Prepare for one seat.

        Args:
            game: The rules.
            seat: Who wins.
            floor: A lower bound for the plies to a win of the seat, if one is known.
            most: How many positions may be looked into; None: any number.
        """
        self._game, self._seat, self._floor, self._left = game, seat, floor, most
        self._failing: dict[Position[Any], int] = {}  # plies within which there is no forced win
        self._winning: dict[Position[Any], int] = {}  # plies within which there is one

    def shortest(self, position: Position[Any], most: int) -> int | None:
        """Return the plies of the quickest forced win; None if there is none within so many.

        Raises:
            BudgetExhausted: more positions would have to be looked into than are allowed.
        """
        return next((plies for plies in range(1, most + 1) if self.within(position, plies)), None)

    def within(self, position: Position[Any], plies: int) -> bool:
        """Return whether the seat can force its win within so many plies.

        Raises:
            BudgetExhausted: more positions would have to be looked into than are allowed.
        """
        if (outcome := position.outcome) is not None:
            return self._seat in outcome.winners
        if self._winning.get(position, plies + 1) <= plies:
            return True
        floor = self._floor(position, self._seat) if self._floor else 1
        if plies < floor or self._failing.get(position, 0) >= plies:
            return False
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise BudgetExhausted
        own = position.to_move == self._seat
        after = [position.play(move) for move in position.legal_moves()]
        if plies > 1:
            after.sort(key=lambda here: self._game.evaluate(here, self._seat), reverse=own)
        won = (any if own else all)(self.within(here, plies - 1) for here in after)
        (self._winning if won else self._failing)[position] = plies
        return won
