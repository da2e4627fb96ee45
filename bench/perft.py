"""Perft: legal sequences counted by walking the tree; Breakthrough's beside OpenSpiel's through its Python bindings.

OpenSpiel is C++. Its user in Python has two ways to walk a tree: a child state for each action, or applying and
undoing on one state. Both are measured, and so are both of ours: plain integers, and the `Position` API.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import islice
from typing import Any, Final

from bench.measure import Budget, Goal, Row, Side, interleaved
from bench.playouts import playouts
from rules.breakthrough import GAME, BreakthroughPosition, Move
from rules.breakthrough.position import Mover
from rules.core import Position, Square

INTEGERS: Final = Goal(at_least=2)
POSITIONS: Final = Goal(at_least=1)

BOARDS: Final = ("8x8", "6x6", "10x10")
_GAMES: Final = 8
_STOPS: Final = (12, 24, 36)
"""After how many plies of each game a position of the middle game is taken."""

Walk = Callable[[Any, int], int]


@dataclass(frozen=True, slots=True)
class Place:
    """One position, as ours and as OpenSpiel's state."""

    position: BreakthroughPosition
    state: Any


def rows(budget: Budget) -> Sequence[Row]:
    """From the start on several boards, then from the middle of games on the usual one."""
    found: list[Row] = []
    for board in BOARDS:
        start = [_place(board, ())]
        found += _rows(f"{board} start, depth 4, counted", start, 4, budget, bulk=True)
        found += _rows(f"{board} start, depth 3, played", start, 3, budget, bulk=False)
    middle = [
        _place("8x8", played_out.moves[:stop])
        for played_out in islice(playouts(GAME, {"board": "8x8"}, least=max(_STOPS) + 4), _GAMES)
        for stop in _STOPS
    ]
    found += _rows("8x8 middle, depth 3, counted", middle, 3, budget, bulk=True)
    found += _rows("8x8 middle, depth 2, played", middle, 2, budget, bulk=False)
    return found


def _rows(what: str, places: Sequence[Place], depth: int, budget: Budget, *, bulk: bool) -> list[Row]:
    ours: Mapping[str, Walk] = {
        "integers": _on_integers if bulk else _played_integers,
        "Position": perft if bulk else played,
    }
    theirs: Mapping[str, Walk] = {
        "OpenSpiel child": _counted_children if bulk else _played_children,
        "OpenSpiel undo": _counted_undoing if bulk else _played_undoing,
    }
    nodes = [perft(place.position, depth) for place in places]
    sides = []
    for name, walk in {**ours, **theirs}.items():
        roots = [place.position if name in ours else place.state for place in places]
        if [walk(root, depth) for root in roots] != nodes:
            raise ValueError(f"{what}: {name} counts other nodes than Position")
        sides.append(Side(name, partial(_all, walk, roots, depth), sum(nodes)))
    integers, positions, *peers = interleaved(sides, budget)
    return [
        Row(what, "nodes", series, peer, goal=goal)
        for series, goal in ((integers, INTEGERS), (positions, POSITIONS))
        for peer in peers
    ]


def _all(walk: Walk, roots: Sequence[Any], depth: int) -> None:
    for root in roots:
        walk(root, depth)


# The same position on both sides


def _place(board: str, moves: Sequence[Move]) -> Place:
    position = GAME.start(GAME.choose({"board": board}))
    grid = position.options.grid
    pyspiel: Any = import_module("pyspiel")  # the tests that count with `perft` have no OpenSpiel
    state = pyspiel.load_game("breakthrough", {"rows": grid.ranks, "columns": grid.files}).new_initial_state()
    for move in moves:
        state.apply_action(_actions(state, position)[move])
        position = position.play(move)
    _actions(state, position)
    return Place(position, state)


def _actions(state: Any, position: BreakthroughPosition) -> dict[Move, int]:
    """OpenSpiel's action for each of our moves. Its first player moves down the board, ours up."""
    top = position.options.grid.ranks - 1

    def square(text: str) -> Square:
        return Square(ord(text[0]) - ord("a"), top - (int(text[1:]) - 1))

    found = {}
    for action in state.legal_actions():
        text = state.action_to_string(action)
        cells = text.rstrip("*")
        split = next(at for at, letter in enumerate(cells) if at and letter.isalpha())
        found[Move(square(cells[:split]), square(cells[split:]), captures=text.endswith("*"))] = action
    if set(found) != set(position.legal_moves()):
        raise ValueError(f"OpenSpiel has other moves at {position!r}")
    return found


# Walking the tree: leaves counted, and every leaf's position made


def perft(position: Position[Any], depth: int) -> int:
    """The number of legal sequences of `depth` plies; shorter ones that end the game do not count."""
    if depth == 0:
        return 1
    moves = position.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(perft(position.play(move), depth - 1) for move in moves)


def played(position: Position[Any], depth: int) -> int:
    """Perft that makes the position of every leaf, where `perft` counts the moves that lead there."""
    if depth == 0:
        return 1
    return sum(played(position.play(move), depth - 1) for move in position.legal_moves())


def perft_of_integers(mover: Mover, own: int, foe: int, depth: int) -> int:
    """The same number for Breakthrough, on plain integers: what the generator does without positions."""
    if depth == 0:
        return 1
    legal = mover.legal(own, foe)
    if depth == 1:
        return legal.bit_count()
    total = 0
    for move in mover.moves(legal, foe):
        _, _, flip, _, taken = move.bits
        total += perft_of_integers(mover.next, foe ^ taken, own ^ flip, depth - 1)
    return total


def _on_integers(position: BreakthroughPosition, depth: int) -> int:
    own, foe, mover = position.state
    return perft_of_integers(mover, own, foe, depth)


def _played_integers(position: BreakthroughPosition, depth: int) -> int:
    def walk(mover: Mover, own: int, foe: int, left: int) -> int:
        if left == 0:
            return 1
        total = 0
        for move in mover.moves(mover.legal(own, foe), foe):
            _, _, flip, _, taken = move.bits
            total += walk(mover.next, foe ^ taken, own ^ flip, left - 1)
        return total

    own, foe, mover = position.state
    return walk(mover, own, foe, depth)


def _counted_children(state: Any, depth: int) -> int:
    actions = state.legal_actions()
    if depth == 1:
        return len(actions)
    return sum(_counted_children(state.child(action), depth - 1) for action in actions)


def _played_children(state: Any, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(_played_children(state.child(action), depth - 1) for action in state.legal_actions())


def _counted_undoing(state: Any, depth: int) -> int:
    actions = state.legal_actions()
    if depth == 1:
        return len(actions)
    player, total = state.current_player(), 0
    for action in actions:
        state.apply_action(action)
        total += _counted_undoing(state, depth - 1)
        state.undo_action(player, action)
    return total


def _played_undoing(state: Any, depth: int) -> int:
    if depth == 0:
        return 1
    player, total = state.current_player(), 0
    for action in state.legal_actions():
        state.apply_action(action)
        total += _played_undoing(state, depth - 1)
        state.undo_action(player, action)
    return total
