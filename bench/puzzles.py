"""Makes puzzles of a game: `python -m bench.puzzles <game> [seconds] [options ...]` adds to engine/<game>/puzzles.txt.

Weak levels, or chance, play on the presets; or, where options are named (`board=6x6 board=5x5,actions=2`), on those. Each position is searched: where one turn alone wins by force, or one
turn alone does not lose, it is a puzzle, graded by the length of the win.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import engine
from engine import engine_for, levels_of
from engine.core import Budget, Puzzle, Task, choose_turn, hopeless, task_of, write_puzzles
from rules import GAMES
from rules.core import AnyGame, Position

EACH = 14
"""Puzzles of one preset, kind and length, at most."""
SECONDS = 0.12
"""For one position."""
SURE = 5.0
"""Seconds for a turn that seems not to lose; in less time a loss may stay unseen."""


def main(arguments: Sequence[str]) -> int:
    """Make more puzzles of one game."""
    game = GAMES[arguments[0]]
    seconds = float(arguments[1]) if len(arguments) > 1 else 120.0
    typed = [dict(option.split("=", 1) for option in each.split(",")) for each in arguments[2:]]
    chosen = typed or [{"preset": name} for name in game.schema.presets]
    found = {puzzle.position: puzzle for puzzle in engine.puzzles_of(game.key)}
    held = Counter(map(_grade, found.values()))
    solved = {(puzzle.options, puzzle.task) for puzzle in engine.solved_puzzles_of(game.key)}
    for puzzle in _found(game, chosen, time.monotonic() + seconds):
        grade = _grade(puzzle)
        if (puzzle.options, puzzle.task) in solved:  # the solution has every one of these
            continue
        if puzzle.position not in found and held[grade] < EACH:
            found[puzzle.position] = puzzle
            held[grade] += 1
    path = Path(engine.__file__).parent / game.key / "puzzles.txt"
    ordered = sorted(found.values(), key=lambda each: (each.plies, each.task, each.options, each.position))
    path.write_text(write_puzzles(ordered), "utf-8")
    print(f"{len(found)} puzzles:", sorted({(each.task.value, each.plies) for each in ordered}))
    return 0


def _grade(puzzle: Puzzle) -> tuple[tuple[tuple[str, str], ...], Task, int]:
    return puzzle.options, puzzle.task, puzzle.plies


def _found(game: AnyGame, chosen: Sequence[Mapping[str, str]], until: float) -> Iterator[Puzzle]:
    chance = random.Random(f"{game.key} {chosen}")
    while time.monotonic() < until:
        options = game.choose(chance.choice(chosen))
        if game.seats(options) != 2:
            continue
        here: Position[Any] = game.start(options)
        searcher = engine_for(game, options, here)
        wild = chance.random() < 0.5
        for ply in range(200):
            if here.outcome is not None or time.monotonic() >= until:
                break
            if ply >= 4 and here.plies_left == here.turn_length:
                puzzle = _puzzle(game, options, here)
                if puzzle:
                    yield puzzle
            if wild:
                here = _by_chance(here, chance)
                continue
            level = levels_of(game.key, options)[chance.choice((1, 2, 3))]
            for move in choose_turn(searcher, here, level, seed=chance.randrange(1 << 30)).turn:
                here = here.play(move)


def _by_chance(here: Position[Any], chance: random.Random) -> Position[Any]:
    """The position after any turn."""
    seat = here.to_move
    for _ in range(here.plies_left):
        if here.outcome is not None or here.to_move != seat:
            break
        here = here.play(chance.choice(list(here.legal_moves())))
    return here


def _puzzle(game: AnyGame, options: Any, position: Position[Any]) -> Puzzle | None:
    """The puzzle that a position is, if it is one."""
    every = len(position.legal_moves())
    most = 8 if position.plies_left > 1 else every
    results = engine_for(game, options, position).ranked(position, Budget(seconds=SECONDS), most=most)
    whole = len(results) == every
    # Of turns of several plies many come to the same: then most of those looked at must not win.
    found = task_of(
        [result.proof for result in results], whole=whole, alike=0 if whole else (len(results) - 1) // 3
    )
    if found is None or (found[0] is Task.SAVE and _loses(game, options, position)):
        return None
    texts = tuple(game.describe(options).items())
    return Puzzle(*found, texts, game.notation.format_position(position))


def _loses(game: AnyGame, options: Any, position: Position[Any]) -> bool:
    """Return whether a position is lost, or as good as that, looked at for long."""
    best, *_ = engine_for(game, options, position).ranked(position, Budget(seconds=SURE), most=1)
    return hopeless(best.value, best.proof)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
