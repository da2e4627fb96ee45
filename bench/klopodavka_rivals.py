"""Plain opponents for Klopodavka.

    child      crushes what it can, and else walks at the enemy
    greedy     action by action, what leads by reach
    one_ply    the same of whole turns
    rollouts   of the actions that it can make, the one after which random games are won most often
    mcts       Monte Carlo tree search over single actions, with random games

Seconds are those of the processor.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from engine.core import made_turn
from rules.klopodavka import KlopodavkaPosition, Move
from rules.klopodavka.reach import reach, union

Rival: TypeAlias = Callable[[KlopodavkaPosition, float, random.Random], Sequence[Move]]
"""Makes a whole turn, given the position, the seconds it may take, and a source of chance."""

_CURIOSITY: Final = 0.7
"""How much UCT tries what it knows little of; better here than 1 and 1.4."""


def child(position: KlopodavkaPosition, seconds: float, chance: random.Random) -> Sequence[Move]:
    """As a child plays who knows the rules: crush any bug that can be crushed, else go where an enemy is nearest."""
    del seconds
    seat, side = position.seat, position.ruleset.side

    def action(here: KlopodavkaPosition) -> Move:
        bugs = [cells for other, cells in enumerate(here.occupancy.bugs) if side[other] != side[seat]]
        enemies = here.ruleset.board.listed(union(bugs))
        moves = here.legal_moves()
        return chance.choice([move for move in moves if move.crush] or _nearest(moves, enemies))

    return made_turn(position, action)


def _nearest(moves: Sequence[Move], enemies: Iterable[tuple[int, int]]) -> list[Move]:
    steps = {
        move: min(
            (max(abs(move.square.file - file), abs(move.square.rank - rank)) for file, rank in enemies),
            default=0,
        )
        for move in moves
    }
    return [move for move, count in steps.items() if count == min(steps.values())]


def greedy(position: KlopodavkaPosition, seconds: float, chance: random.Random) -> Sequence[Move]:
    """Action by action, the one after which its reach minus all its enemies' is greatest. Needs no time."""
    del seconds
    seat = position.seat

    def action(here: KlopodavkaPosition) -> Move:
        scored = [(_lead(here.play(move), seat), chance.random(), move) for move in here.legal_moves()]
        return max(scored, key=lambda each: each[:2])[2]

    return made_turn(position, action)


def _lead(position: KlopodavkaPosition, seat: int) -> float:
    side = position.ruleset.side
    if position.outcome:
        return math.inf if seat in position.outcome.winners else -math.inf
    total = 0
    for other in range(len(side)):
        if not position.gone >> other & 1:
            cells = reach(position.ruleset, position.occupancy, other).bit_count()
            total += cells if side[other] == side[seat] else -cells
    return total


def one_ply(position: KlopodavkaPosition, seconds: float, chance: random.Random) -> Sequence[Move]:
    """Of as many whole turns as there is time for, the greedy one first, the one after which it leads most."""
    end = time.process_time() + seconds
    seat, best = position.seat, greedy(position, 0.0, chance)
    most = _lead(_after(position, best), seat)
    while time.process_time() < end:
        turn: list[Move] = []
        here = position
        while here.outcome is None and len(turn) < position.plies_left and here.seat == seat:
            turn.append(chance.choice(here.legal_moves()))
            here = here.play(turn[-1])
        if (lead := _lead(here, seat)) > most:
            best, most = turn, lead
    return best


def _after(position: KlopodavkaPosition, turn: Sequence[Move]) -> KlopodavkaPosition:
    for move in turn:
        position = position.play(move)
    return position


def rollouts(position: KlopodavkaPosition, seconds: float, chance: random.Random) -> Sequence[Move]:
    """Action by action, with an equal part of the time for each: the one that won most of its random games."""
    turn: list[Move] = []
    here = position
    while here.outcome is None and len(turn) < position.plies_left and here.seat == position.seat:
        end = time.process_time() + seconds / position.plies_left
        moves = list(here.legal_moves())
        chance.shuffle(moves)
        games, wins = [0] * len(moves), [0] * len(moves)
        while time.process_time() < end and len(moves) > 1:
            at = games.index(0) if not games[-1] else _curious(games, wins)
            wins[at] += _rolled(here.play(moves[at]), position, chance)
            games[at] += 1
        turn.append(moves[max(range(len(moves)), key=lambda at: (games[at], wins[at]))])
        here = here.play(turn[-1])
    return turn


def _curious(games: Sequence[int], wins: Sequence[int]) -> int:
    spread = 2 * math.log(sum(games))
    return max(range(len(games)), key=lambda at: wins[at] / games[at] + math.sqrt(spread / games[at]))


def _rolled(here: KlopodavkaPosition, asked: KlopodavkaPosition, chance: random.Random) -> int:
    while here.outcome is None:
        here = here.play(chance.choice(here.legal_moves()))
    side = asked.ruleset.side
    return side[asked.seat] in {side[seat] for seat in here.outcome.winners}


@dataclass(slots=True)
class _Node:
    seat: int = 0
    visits: int = 0
    wins: float = 0.0
    untried: list[Move] | None = None
    children: dict[Move, _Node] = field(default_factory=dict)


def mcts(position: KlopodavkaPosition, seconds: float, chance: random.Random) -> Sequence[Move]:
    """UCT over single actions with random playouts to the end, through the rules alone."""
    root = _Node()
    end = time.process_time() + seconds
    while time.process_time() < end:
        _sample(root, position, chance)
    turn: list[Move] = []
    here, node = position, root
    while here.outcome is None and len(turn) < position.plies_left and here.seat == position.seat:
        if node.children:
            move, node = max(node.children.items(), key=lambda each: each[1].visits)
        else:
            move, node = chance.choice(here.legal_moves()), _Node()
        turn.append(move)
        here = here.play(move)
    return turn


def _sample(root: _Node, position: KlopodavkaPosition, chance: random.Random) -> None:
    here, node, path = position, root, [root]
    while here.outcome is None and (node.visits or node is root):
        if node.untried is None:
            node.untried = list(here.legal_moves())
            chance.shuffle(node.untried)
        if node.untried:
            move = node.untried.pop()
            node.children[move] = _Node(here.seat)
        else:
            move = _promising(node)
        node = node.children[move]
        path.append(node)
        here = here.play(move)
    while here.outcome is None:
        here = here.play(chance.choice(here.legal_moves()))
    side = position.ruleset.side
    won = {side[seat] for seat in here.outcome.winners}
    for step in path:
        step.visits += 1
        step.wins += side[step.seat] in won


def _promising(node: _Node) -> Move:
    spread = math.log(node.visits)
    return max(
        node.children,
        key=lambda each: (
            node.children[each].wins / node.children[each].visits
            + _CURIOSITY * math.sqrt(spread / node.children[each].visits)
        ),
    )
