"""Makes puzzles of a game: `python -m bench.puzzles <game> [seconds] [options ...]` adds to engine/<game>/puzzles.txt.

Weak levels, or chance, play on the presets; or, where options are named (`board=6x6 board=5x5,actions=2`), on those. A
position is a puzzle where one turn alone wins by force and the rules alone prove that every other turn loses, or where tables
say that one turn alone wins or does not lose. Puzzles of the file that are none are left out.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, Final

import engine
from bench.solving import ForcedWins
from engine import engine_for, levels_of
from engine.core import (
    FEWEST,
    LONGEST,
    SHORTEST,
    Budget,
    BudgetExhausted,
    EngineKind,
    GameValue,
    Puzzle,
    Task,
    task_of,
    write_puzzles,
)
from engine.levels import choose_turn
from rules import GAMES
from rules.breakthrough import BreakthroughPosition
from rules.breakthrough.options import Variant
from rules.core import AnyGame, Position, Seat

EACH = 5
"""Puzzles of one preset, kind and length, at most."""
NODES = 20_000
"""Of an engine, to find a win."""
PROVED = 40_000
"""Positions looked into for the wins of each side from one position, at most."""
TURNS = 400
"""Turns of a position, at most: all are proved."""


def main(arguments: Sequence[str]) -> int:
    """Make more puzzles of one game."""
    game = GAMES[arguments[0]]
    seconds = float(arguments[1]) if len(arguments) > 1 else 120.0
    typed = [dict(option.split("=", 1) for option in each.split(",")) for each in arguments[2:]]
    chosen = typed or [{"preset": name} for name in game.schema.presets]
    found = {
        puzzle.position: puzzle for puzzle in map(_again, repeat(game), engine.puzzles_of(game.key)) if puzzle
    }
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
            for move in choose_turn(game, searcher, here, level, seed=chance.randrange(1 << 30)).turn:
                here = here.play(move)


def _by_chance(here: Position[Any], chance: random.Random) -> Position[Any]:
    seat = here.to_move
    for _ in range(here.plies_left):
        if here.outcome is not None or here.to_move != seat:
            break
        here = here.play(chance.choice(list(here.legal_moves())))
    return here


def whole_turns(position: Position[Any], most: int) -> set[Position[Any]] | None:
    """Return where all whole turns of a position lead; None if they are more than so many on the way or at the end."""
    ended: set[Position[Any]] = set()
    under_way = {position}
    while under_way:
        after = {here.play(move) for here in under_way for move in here.legal_moves()}
        under_way = {
            here
            for here in after
            if here.outcome is None
            and here.to_move == position.to_move
            and here.plies_left < position.plies_left
        }
        ended |= after - under_way
        if max(len(ended), len(under_way)) > most:
            return None
    return ended


def _again(game: AnyGame, puzzle: Puzzle) -> Puzzle | None:
    options = game.choose(dict(puzzle.options))
    return _puzzle(game, options, game.notation.parse_position(puzzle.position, options))


def _puzzle(game: AnyGame, options: Any, position: Position[Any]) -> Puzzle | None:
    searcher = engine_for(game, options, position)
    if searcher.kind is EngineKind.TABLES:
        every = len(position.legal_moves())
        task = task_of([each.proof for each in searcher.ranked(position, Budget(nodes=1), most=every)])
    else:
        results = searcher.ranked(position, Budget(nodes=NODES), most=TURNS)
        proofs = [each.proof for each in results if each.proof is not None]
        wins = sum(proof.result is GameValue.WIN for proof in proofs)
        whole = position.plies_left > 1 or len(proofs) == len(results)
        plies = only_win(game, position) if wins == 1 and whole else None
        task = None if plies is None else (Task.WIN, plies)
    if task is None:
        return None
    return Puzzle(*task, tuple(game.describe(options).items()), game.notation.format_position(position))


def only_win(game: AnyGame, position: Position[Any], most: int | None = PROVED) -> int | None:
    """Return the length of the quickest win of a position in which all turns but one are proved to lose.

    Args:
        game: The rules; of two seats.
        position: The beginning of a turn.
        most: Positions that the proofs may look into; None: any number.

    Returns:
        None if the position is not like that, or not so soon.
    """
    seats = position.to_move, Seat(1 - position.to_move)
    own, other = (ForcedWins(game, seat, FLOORS.get(game.key), most) for seat in seats)
    after = whole_turns(position, TURNS)
    if after is None or len(after) < FEWEST:
        return None
    try:
        plies = own.shortest(position, LONGEST)
        if plies is None or plies < SHORTEST:
            return None
        winning = 0
        for here in after:
            lost = next(
                (
                    loses
                    for n in range(1, LONGEST + 1)
                    if (loses := other.within(here, n)) or own.within(here, n)
                ),
                None,
            )
            winning += lost is False
            if lost is None or winning > 1:
                return None
    except BudgetExhausted:
        return None
    return plies


def _steps_left(position: BreakthroughPosition, seat: Seat) -> int:
    """Return the fewest plies in which a seat of Breakthrough can bring a man home or take all men."""
    grid = position.options.grid
    men, others = position.men[seat], position.men[1 - seat]
    at = men.bit_length() - 1 if seat is Seat.S1 else (men & -men).bit_length() - 1
    rank = at // (grid.files + 1)
    turns = min(grid.ranks - 1 - rank if seat is Seat.S1 else rank, others.bit_count())
    return 1 if position.options.variant is Variant.MISERE else 2 * turns - (position.to_move is seat)


FLOORS: Final[Mapping[str, Callable[[Any, Seat], int]]] = {"breakthrough": _steps_left}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
