"""Search of positions, for opponents and advice. Imports the rules only."""

from __future__ import annotations

import json
import pkgutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from engine.core import Engine, EngineKind, Level, Proof, Puzzle, Specialist, read_puzzles, read_solved
from engine.generic import GenericEngine
from engine.levels import LEVELS
from engine.native import is_built
from rules.core import AnyGame, Position

_FOLDERS: Final = frozenset(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


@cache
def specialist_of(game: str) -> Specialist[Any, Any] | None:
    """Return the specialist that the folder of a game defines, loaded at the first call; None if there is none."""
    if game not in _FOLDERS:
        return None
    found: Specialist[Any, Any] | None = getattr(import_module(f"{__name__}.{game}"), "SPECIALIST", None)
    return found


def engines_of(game: str) -> tuple[Engine[Any, Any], ...]:
    """Return the special engines of a game that this machine has, the strongest first; made anew once there is a native core."""
    return _engines(game, is_built(game))


@cache
def _engines(game: str, _native: bool) -> tuple[Engine[Any, Any], ...]:
    specialist = specialist_of(game)
    return tuple(specialist.build(time.monotonic)) if specialist else ()


def engine_for(game: AnyGame, options: Any, position: Position[Any]) -> Engine[Any, Any]:
    """Return the strongest engine for a position; the generic one where no other fits."""
    for engine in engines_of(game.key):
        if engine.fits(position):
            return engine
    return GenericEngine(game.sides(options), game.evaluate)


FAIR: Final = 0.03  # the most that a side's share of the games may lie from an even one


@dataclass(frozen=True, slots=True)
class Balance:
    """How evenly a level won against itself, as `bench/balance.py` measured it."""

    games: int
    # Of each side, in the order in which they move: its share of the games, of a draw its part; and the ends of the 95 %
    # confidence interval.
    shares: tuple[tuple[float, float, float], ...]

    @property
    def fair(self) -> bool:
        """Whether all shares are about even."""
        return all(abs(share - 1 / len(self.shares)) <= FAIR for share, _, _ in self.shares)

    @property
    def unfair(self) -> bool:
        """Whether some share is certainly not about even."""
        even = 1 / len(self.shares)
        return any(low > even + FAIR or high < even - FAIR for _, low, high in self.shares)


def balance_of(game: AnyGame, options: Any) -> Balance | None:
    """Return how evenly games with these options are won, by the level with the most games; None where none was measured."""
    kind = " ".join(f"{key}:{text}" for key, text in game.describe(options).items())
    levels = measured_balance(game.key).get(kind, {}).values()
    found = max(levels, key=lambda figures: figures["games"], default=None)
    if found is None:
        return None
    shares = tuple((share / 1000, low / 1000, high / 1000) for share, low, high in found["shares"])
    return Balance(found["games"], shares)


@cache
def measured_balance(game: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the figures of `bench/balance.py` from `balance.json` in the folder of a game's engines, by options and level."""
    found: dict[str, dict[str, Any]] = json.loads(_text(game, "balance.json") or "{}")
    return found


def weaker_levels(game: str) -> Mapping[int, int]:
    """Return the levels that are weaker on this machine, each with the one it plays like: none, once the native core is built."""
    engines, specialist = engines_of(game), specialist_of(game)
    if specialist is None or engines[0].kind is not EngineKind.PYTHON:
        return {}
    return specialist.without_core


@cache
def puzzles_of(game: str) -> tuple[Puzzle, ...]:
    """Return the puzzles of a game from `puzzles.txt` in the folder of its engines, the shortest first."""
    return tuple(read_puzzles(_text(game, "puzzles.txt")))


def proof_of_start(game: AnyGame, options: Any) -> Proof | None:
    """Return what best play from the start comes to for the seat that begins; None where that is not known."""
    return _solved_starts(game.key).get(tuple(sorted(game.describe(options).items())))


@cache
def _solved_starts(game: str) -> Mapping[tuple[tuple[str, str], ...], Proof]:
    """From `solved.txt` in the folder of a game's engines; `bench.solved` writes it."""
    return {start.options: start.proof for start in read_solved(_text(game, "solved.txt"))}


def _text(game: str, name: str) -> str:
    files = (Path(path) / game / name for path in __path__)
    return next((file.read_text("utf-8") for file in files if file.is_file()), "")


@cache
def solved_puzzles_of(game: str) -> tuple[Puzzle, ...]:
    """Return every puzzle that the solution of a game has, the shortest first; none where it has no solution."""
    specialist = specialist_of(game)
    return tuple(specialist.puzzles()) if specialist else ()


def levels_of(game: str, options: Any) -> Mapping[int, Level]:
    """Return the figures of each level in a game with these options."""
    specialist = specialist_of(game)
    return MappingProxyType({**LEVELS, **specialist.levels_for(options)}) if specialist else LEVELS
