"""Breakthrough's games of `bench.matches`: our engines against others, and against each other.

A player is a name and what it may use for each move: seconds, or nodes with an `n` before the number. Every opening, of
some random plies, is played twice with sides swapped. Seconds are processor time, so that other programs do not shorten a
search.

    native, python   our engines
    mcts             OpenSpiel's MCTS bot (C++, random rollouts, with its solver), one search from scratch a move; it
                     counts simulations, so that their number is set from how long those of its last move took
    alphabeta        the rival of `breakthrough_rival`: alpha-beta in C++ with an evaluation of its own, on 8x8
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Protocol

from bench.breakthrough_rival import Rival
from bench.tally import Tally
from engine.breakthrough.engine_base import BreakthroughEngine, NativeEngine, packed
from engine.breakthrough.python_engine import PythonEngine
from engine.core import Budget
from rules.breakthrough import GAME, BreakthroughPosition, Move
from rules.core import Grid, Square

_OPENING: Final = 4
"""Random plies before each game."""

FALL: Final = 0.6
"""How much less its next value must be for an engine to have overlooked something."""


class Player(Protocol):
    """A player of one game."""

    def move(self, line: Sequence[BreakthroughPosition], moves: Sequence[Move]) -> tuple[Move, int]:
        """Return a legal move at the end of a line, and how many nodes or simulations it took."""
        ...


@dataclass(slots=True)
class Engine:
    """One of ours, and how often its value has fallen suddenly."""

    engine: BreakthroughEngine
    budget: Budget
    chance: random.Random
    value: float = -1.0
    falls: int = 0

    def move(self, line: Sequence[BreakthroughPosition], moves: Sequence[Move]) -> tuple[Move, int]:  # noqa: ARG002
        """What it thinks is best."""
        result = self.engine.think(line[-1], self.budget, seed=self.chance.getrandbits(32))
        self.falls += self.value - result.value >= FALL
        self.value = result.value
        return result.turn[0], result.nodes


@dataclass(slots=True)
class Mcts:
    """OpenSpiel's."""

    seconds: float | None
    simulations: int
    seed: int
    rate: float = 15_000.0
    state: Any = None
    played: int = 0

    def move(self, line: Sequence[BreakthroughPosition], moves: Sequence[Move]) -> tuple[Move, int]:
        """What it has visited most."""
        import pyspiel  # noqa: PLC0415 - other players do without

        grid = line[0].options.grid
        game = pyspiel.load_game("breakthrough", {"rows": grid.ranks, "columns": grid.files})
        if self.state is None:
            self.state = game.new_initial_state()
        for move in moves[self.played :]:
            actions = _actions(self.state, grid)
            self.state.apply_action(actions[move.start, move.end])
        self.played = len(moves)
        count = self.simulations if self.seconds is None else max(2, int(self.rate * self.seconds))
        self.seed += 1
        evaluator = pyspiel.RandomRolloutEvaluator(1, self.seed)
        bot = pyspiel.MCTSBot(game, evaluator, math.sqrt(2), count, 1000, True, self.seed, False)
        began = time.process_time()
        action = bot.step(self.state)
        took = time.process_time() - began
        # A search that ends at once with a proof says nothing about the next.
        if self.seconds is not None and took > 0.2 * self.seconds:
            self.rate = count / took
        ends = next(ends for ends, known in _actions(self.state, grid).items() if known == action)
        return next(move for move in line[-1].legal_moves() if (move.start, move.end) == ends), count


def _actions(state: Any, grid: Grid) -> dict[tuple[Square, Square], int]:
    """OpenSpiel's action for each of our moves. Its first player moves down the board, ours up."""

    def square(text: str) -> Square:
        return Square(ord(text[0]) - ord("a"), grid.ranks - int(text[1:]))

    found = {}
    for action in state.legal_actions():
        text = state.action_to_string(action).rstrip("*")
        split = next(at for at, letter in enumerate(text) if at and letter.isalpha())
        found[square(text[:split]), square(text[split:])] = action
    return found


@dataclass(slots=True)
class RivalPlayer:
    """The rival's."""

    budget: Budget
    rival: Rival = field(default_factory=Rival)

    def move(self, line: Sequence[BreakthroughPosition], moves: Sequence[Move]) -> tuple[Move, int]:  # noqa: ARG002
        """What it thinks is best."""
        here = line[-1]
        grid = here.options.grid
        start, end, _, nodes = self.rival.move(*packed(here), self.budget.seconds, self.budget.nodes)
        ends = (grid.square(start), grid.square(end))
        return next(move for move in here.legal_moves() if (move.start, move.end) == ends), nodes


@cache
def _engine(name: str, at: int) -> BreakthroughEngine:  # noqa: ARG001 - two players of a kind share no table
    return {"native": NativeEngine, "python": PythonEngine}[name](time.process_time)


def player(spec: str, at: int, seed: int) -> Player:
    """Return the first player, 0, or the second, 1, of one game, from its name and what it may use."""
    name, _, limit = spec.partition(":")
    chance = random.Random(seed)
    nodes = int(limit[1:]) if limit.startswith("n") else None
    seconds = float(limit) if limit and nodes is None else None
    if name == "mcts":
        return Mcts(seconds, nodes or 0, seed)
    if name == "alphabeta":
        return RivalPlayer(Budget(seconds, nodes))
    return Engine(_engine(name, at), Budget(seconds, nodes), chance)


def game(specs: tuple[str, str], options: Mapping[str, str], number: int) -> Tally:
    """Play one game; each opening has two numbers, and the players swap sides in the odd one.

    Args:
        specs: The players.
        options: As typed.
        number: Of the opening, doubled, and one more with sides swapped.
    """
    opening, swapped = divmod(number, 2)
    tally = Tally()
    chance = random.Random(opening)
    line, moves = [GAME.start(GAME.choose(options))], list[Move]()
    players = [player(spec, at, 1000 * opening + at) for at, spec in enumerate(specs)]
    while line[-1].outcome is None:
        if len(moves) < _OPENING:
            move = chance.choice(line[-1].legal_moves())
        else:
            at = (len(moves) + swapped) % 2
            began = time.process_time()
            move, work = players[at].move(line, moves)
            tally.turn(at, time.process_time() - began, work)
        moves.append(move)
        line.append(line[-1].play(move))
    tally.games = 1
    if isinstance(players[0], Engine):
        tally.falls = players[0].falls
    tally.won = (line[-1].outcome.winners[0] + swapped) % 2 == 0
    return tally
