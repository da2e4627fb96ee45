"""Which options the games are tried with: found in each game's schema, so that a new game needs no line here."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from rules.core import AnyGame, BadOption, Number, OneOf, Option, Size, Squares

Atom = tuple[str, str]
"""One option with one of its texts."""


@dataclass(frozen=True, slots=True)
class Case:
    """A game with options as a player would type them."""

    game: AnyGame
    chosen: tuple[Atom, ...]

    def __str__(self) -> str:
        return "-".join([self.game.key, *(f"{key}:{text}" for key, text in self.chosen)])

    @property
    def options(self) -> Any:
        return self.game.choose(dict(self.chosen))


def atoms(option: Option) -> tuple[Atom, ...]:
    """Every word of an option, every number of a few, or the bounds; squares depend on the rest: `_with_squares`."""
    texts: Iterable[str] = ()
    match option:
        case OneOf(offered=offered):
            texts = offered
        case Number(low=low, high=high):
            texts = map(str, range(low, high + 1) if high - low <= 10 else (low, high))
        case Size(files=files, ranks=ranks):
            texts = (f"{f}x{r}" for f in files for r in ranks)
    return tuple((option.key, text) for text in dict.fromkeys(texts))


def cases(game: AnyGame) -> tuple[Case, ...]:
    """Every preset, every word by itself, rows in which each bound occurs among others, and named squares."""
    rows = [(), *((("preset", name),) for name in game.schema.presets)]
    cover = _Cover(game)
    words = [atom for option in game.schema.options if isinstance(option, OneOf) for atom in atoms(option)]
    rows += [row for word in words if (row := cover.seed({word})) is not None]
    rows += cover.rows([{atom} for option in game.schema.options for atom in atoms(option)])
    rows += _with_squares(game, rows[: 1 + len(game.schema.presets)])
    return tuple(Case(game, row) for row in dict.fromkeys(rows))


def pairwise(game: AnyGame) -> tuple[Case, ...]:
    """Rows in which every two words or ends of ranges that can be had together are together, some with named squares."""
    cover = _Cover(game)
    every = [atom for option in game.schema.options for atom in _ends(option)]
    rows = cover.rows([{one, two} for one, two in combinations(every, 2) if one[0] != two[0]])
    rows += _with_squares(game, rows[::4])
    return tuple(Case(game, row) for row in dict.fromkeys(rows))


def _ends(option: Option) -> tuple[Atom, ...]:
    """The atoms of an option; of a range of numbers the first, the middle one and the last."""
    every = atoms(option)
    return every[:: len(every) // 2] if isinstance(option, Number) and len(every) > 3 else every


def unreachable(game: AnyGame) -> list[Atom]:
    cover = _Cover(game)
    return [atom for option in game.schema.options for atom in atoms(option) if cover.seed({atom}) is None]


class _Cover:
    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.random = random.Random(game.key)
        self.every = [atoms(option) for option in game.schema.options]
        self._accepted: dict[frozenset[Atom], bool] = {}

    def accepts(self, row: Iterable[Atom]) -> bool:
        known = frozenset(row)
        if known not in self._accepted:
            self._accepted[known] = accepts(self.game, dict(known))
        return self._accepted[known]

    def seed(self, wanted: set[Atom]) -> tuple[Atom, ...] | None:
        taken = {key for key, _ in wanted}
        more = [atom for row in self.every for atom in row if atom[0] not in taken]
        for size in range(3):
            for extra in combinations(more, size):
                if len({key for key, _ in extra}) == size and self.accepts({*wanted, *extra}):
                    return self._ordered({*wanted, *extra})
        return None

    def rows(self, targets: list[set[Atom]]) -> list[tuple[Atom, ...]]:
        left = list(targets)
        rows = []
        while left:
            seed = self.seed(left[0])
            if seed is None:
                left.pop(0)
                continue
            row = self._filled(set(seed), left)
            rows.append(self._ordered(row))
            left = [target for target in left if not target <= row]
        return rows

    def _filled(self, row: set[Atom], left: list[set[Atom]]) -> set[Atom]:
        wanted = {atom for target in left for atom in target}
        columns = self.every[:]
        self.random.shuffle(columns)
        for column in columns:
            if {key for key, _ in column} & {key for key, _ in row}:
                continue
            for atom in self.random.sample(column, len(column)):
                if atom in wanted and self.accepts({*row, atom}):
                    row = {*row, atom}
                    break
        return row

    def _ordered(self, row: set[Atom]) -> tuple[Atom, ...]:
        keys = [option.key for option in self.game.schema.options]
        return tuple(sorted(row, key=lambda atom: keys.index(atom[0])))


def accepts(game: AnyGame, chosen: Mapping[str, str]) -> bool:
    try:
        game.choose(chosen)
    except BadOption:
        return False
    return True


def _with_squares(game: AnyGame, rows: list[tuple[Atom, ...]]) -> Iterator[tuple[Atom, ...]]:
    for option in game.schema.options:
        if not isinstance(option, Squares):
            continue
        for row in rows:
            chosen = game.choose(dict(row))
            squares = list(game.draw(game.start(chosen)).grid)
            for count in dict.fromkeys((game.seats(chosen), *range(1, 11))):
                spread = (squares[at * (len(squares) - 1) // max(count - 1, 1)] for at in range(count))
                atom = (option.key, ",".join(map(str, dict.fromkeys(spread))))
                if accepts(game, dict((*row, atom))):
                    yield (*row, atom)
                    break
