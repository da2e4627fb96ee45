"""Checks of a game's fork: the choices that make a move step by step."""

from __future__ import annotations

import random
from typing import Any

import pytest

from rules.core import MAX_STEPS, AnyGame, Fork, Grid, IllegalMove, Legality, Picks, walk
from tests.rules.catalogues import assert_said
from tests.rules.lines import Line, text

TOKEN = 12
"""The longest token: it travels in a button of 64 bytes beside the match and what was picked before it."""


def check_steps(line: Line, position: Any) -> None:
    """Each move's own steps lead to it."""
    game = line.game
    for move in line.some(position.legal_moves(), 25):
        path, fork = walk(lambda path: game.fork(position, path), game.notation.steps(move))
        assert fork.move == move, f"{path} in {text(line, position)}"
        assert not fork.steps


def check_tree(line: Line, position: Any) -> None:
    """All of the tree where it is small, some ways down it where it is large."""
    legal = position.legal_moves()
    if len(legal) > (1000 if line.thorough else 70):
        chance = line.chance
        for _ in range(8):
            _, move = random_path(line.game, position, chance)
            assert move in legal
        return
    grid = line.game.draw(position).grid
    found = []
    ways: list[tuple[str, ...]] = [()]
    while ways:
        path = ways.pop()
        fork = line.game.fork(position, path)
        check_fork_itself(line, position, fork, grid)
        if fork.move is not None:
            found.append(fork.move)
        ways += ((*path, step.token) for step in fork.steps)
    assert len(found) == len(legal), text(line, position)
    assert set(found) == set(legal), text(line, position)


def check_fork_itself(line: Line, position: Any, fork: Fork[Any], grid: Grid) -> None:
    """A move or a few steps; tokens short and distinct, squares on the board, words for all that is asked."""
    assert (fork.move is None) == bool(fork.steps), text(line, position)
    assert len(fork.steps) <= MAX_STEPS, text(line, position)
    tokens = [step.token for step in fork.steps]
    assert len(set(tokens)) == len(tokens), tokens
    if fork.steps:
        assert_said(line.game, fork.prompt, set())
    for step in fork.steps:
        assert 1 <= len(step.token) <= TOKEN, step
        assert step.token.isascii(), step
        assert step.token.isprintable(), step
        assert all(square in grid for square in step.squares), step
        assert step.squares or step.picks is Picks.NOTHING, step
        if step.label is not None:
            assert_said(line.game, step.label, set())


def check_wrong_steps(line: Line, position: Any) -> None:
    """A step that is not offered is refused, and so is a step after the last."""
    game = line.game
    path, _ = random_path(game, position, line.chance)
    for wrong in ((*path, path[-1]), (*path[:-1], "no-such"), ("",), ("a0",), ("\0",), (*path, "a1", "a1")):
        with pytest.raises(IllegalMove) as refused:
            game.fork(position, wrong)
        assert refused.value.reason is Legality.NO_SUCH_STEP


def random_path(game: AnyGame, position: Any, chance: random.Random) -> tuple[tuple[str, ...], Any]:
    """Some way through the fork, and the move at its end."""
    path: tuple[str, ...] = ()
    fork = game.fork(position, path)
    while fork.move is None:
        path = (*path, chance.choice(fork.steps).token)
        fork = game.fork(position, path)
    return path, fork.move
