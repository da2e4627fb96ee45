"""Random games, the material of the conformance suite."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rules.core import AnyGame
from tests.rules.cases import Case


@dataclass(frozen=True, slots=True, repr=False)
class Line:
    """A game played at random: `moves[n]` leads from `positions[n]` to the next.

    Attributes:
        case: What is played.
        seed: What the moves were drawn with.
        options: The case's options.
        positions: From the start on.
        moves: The plies, one fewer.
        thorough: Look at more positions, and at all moves of each.
    """

    case: Case
    seed: int
    options: Any
    positions: Sequence[Any]
    moves: Sequence[Any]
    thorough: bool = False

    def __repr__(self) -> str:
        return f"{self.case} seed {self.seed}, {len(self.moves)} plies"

    @property
    def game(self) -> AnyGame:
        """The game."""
        return self.case.game

    @property
    def chance(self) -> random.Random:
        """The same choices at every call."""
        return random.Random(f"{self.case}/{self.seed}")

    def looks(self) -> Sequence[int]:
        """Which positions to look at closely: the first two, the last two, some between."""
        last = len(self.positions) - 1
        middle = self.chance.choices(range(last + 1), k=6 if self.thorough else 2)
        return sorted({0, min(1, last), max(last - 1, 0), last, *middle})

    def some(self, moves: Sequence[Any], count: int) -> Sequence[Any]:
        """All of the moves, or a sample of so many where a sample must do."""
        if self.thorough or len(moves) <= count:
            return moves
        return self.chance.sample(list(moves), count)

    def going(self) -> Iterator[tuple[int, Any]]:
        """The positions to look at in which the game goes on."""
        return ((at, self.positions[at]) for at in self.looks() if self.positions[at].outcome is None)

    def turns(self) -> Iterator[tuple[Any, list[Any], Any]]:
        """Each whole turn: the position before it, its plies, the position after it."""
        begun = 0
        for at, (position, after) in enumerate(zip(self.positions, self.positions[1:], strict=False)):
            if position.plies_left == position.turn_length:
                begun = at
            if position.plies_left == 1 or after.outcome or after.to_move != position.to_move:
                yield self.positions[begun], list(self.moves[begun : at + 1]), after
                begun = at + 1


def play_out(case: Case, seed: int, *, thorough: bool = False) -> Line:
    """A random game to its end, or as far as twice the board's cells in plies.

    Twice, since in a game where each ply fills a cell or changes for ever what stands there that is an end.
    """
    options = case.options
    position = case.game.start(options)
    chance = random.Random(f"{case}/{seed}/moves")
    positions, moves = [position], []
    for _ in range(max(60, 2 * len(case.game.draw(position).grid))):
        legal = position.legal_moves()
        if not legal:
            break
        moves.append(chance.choice(legal))
        position = position.play(moves[-1])
        positions.append(position)
    return Line(case, seed, options, positions, moves, thorough)


def text(line: Line, position: Any) -> str:
    """A position in a message about what failed."""
    return f"{line}: {line.game.notation.format_position(position)}"
