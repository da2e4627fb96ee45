"""How fair the usual games are: a level against itself, `python -m bench.balance [GAME ...]`.

Engines answer alike when asked alike, so each game begins differently: the first turn of each seat is drawn, evenly, from
the best that a search of 1000 nodes finds, and every later turn has a seed of its own. Level 6 has its own limits, level 8
has 0.1 s of the processor for a turn. A kind of game stops once it is certain, at any number of games, that no side is 5 points
of 100 or more from its even share, or that one is; else at the most games. A draw counts half, and a position that a match
would call a draw when it comes back ends a game here too.

Figures go into `engine/<game>/balance.json`, which the bot reads; `--write` makes the table of `docs/balance.md` from them.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

import engine
from bench.measure import head
from bench.tally import Tally
from engine import levels_of, measured_balance, specialist_of
from engine.core import Budget, Engine
from engine.generic import GenericEngine
from rules import GAMES
from rules.core import AnyGame, Position

USUAL: Final[Mapping[str, Sequence[str]]] = {
    "breakthrough": ("board:8x6", "board:6x8", "board:9x9", "board:6x6 variant:misere"),
    "klopodavka": (
        *(
            f"{board}first:{first}"
            for board in ("", *(f"preset:{name} " for name in ("quick", "duel", "bases", "cylinder")))
            for first in ("auto", 1, 2)
        ),
        *(f"board:{board} first:{first}" for board in ("6x6", "12x12") for first in ("auto", 1, 2)),
        *(f"players:{players}{first}" for players in (3, 4, 6) for first in ("", " first:2")),
        "preset:tournament players:4",
    ),
}
"""Kinds of games that are chosen beside the presets, as typed."""
_PAGE: Final = Path(__file__).parent.parent / "docs" / "balance.md"
_MARK: Final = "<!-- python -m bench.balance --write -->"
EDGE: Final = 0.05
"""From an even share, in which all games of a kind may be certain to lie, or not."""
LEAST: Final = 300
"""Games, before which nothing is certain enough to stop."""
_BEST: Final = 12
_OPENING: Final = Budget(nodes=1000)
_WORSE: Final = 0.1
"""Of a first turn, how much less than the best one it may be worth; of twice its expectation."""
_LONGEST: Final = 4000
"""Plies after which a game counts as drawn."""
_BEHIND: Final = 0.5
"""Of its even share: the expectation below which a winner has come back."""
_AHEAD: Final = 0.8
"""The expectation from which a game is decided."""


@dataclass(frozen=True, slots=True)
class Played:
    """One game.

    Attributes:
        winner: The number of a side, from 0; None for a draw.
        plies: How many.
        back: Whether its winner expected less than half of an even share at some turn.
        early: Whether its winner expected 80 % or more at each of its turns in the second half.
    """

    winner: int | None
    plies: int
    back: bool
    early: bool


@dataclass(slots=True)
class Games:
    """Games of one kind by one level."""

    sides: int
    played: list[Played] = field(default_factory=list)

    def tally(self, side: int) -> Tally:
        """Of one side among all."""
        won = sum(1.0 if game.winner == side else 0.0 for game in self.played)
        drawn = sum(game.winner is None for game in self.played)
        return Tally(len(self.played), won + drawn / self.sides)

    def certain(self) -> bool:
        """Whether each side is certainly within the edge of an even share, or one certainly beyond it."""
        even = 1 / self.sides
        bounds = [self.tally(side).bounds() for side in range(self.sides)]
        beyond = any(low > even + EDGE or high < even - EDGE for low, high in bounds)
        return beyond or all(low > even - EDGE and high < even + EDGE for low, high in bounds)

    def figures(self) -> dict[str, Any]:
        """What is kept of them. Shares are of all games, in thousandths."""
        plies = sorted(game.plies for game in self.played)
        won = [game for game in self.played if game.winner is not None]
        shares = [(self.tally(side).share, *self.tally(side).bounds()) for side in range(self.sides)]
        return {
            "games": len(self.played),
            "shares": [[round(1000 * figure) for figure in share] for share in shares],
            "draws": len(self.played) - len(won),
            "plies": [round(median(plies)), round(quantiles(plies, n=10)[-1]) if plies[1:] else plies[0]],
            "comebacks": sum(game.back for game in won),
            "early": sum(game.early for game in won),
        }


def play(game: AnyGame, chosen: Any, care: Budget, number: int) -> Played:
    """Play the game of a number by searches of a budget; the same one again, where that has no limit of time."""
    sides = game.sides(chosen)
    side_of = {seat: at for at, side in enumerate(sides) for seat in side}
    often = game.repetitions(chosen)
    here: Position[Any] = game.start(chosen)
    searcher = _engine(game, here, chosen)
    chance = random.Random(number)
    seen, plies, begun = Counter([here]), 0, set()
    expected: list[tuple[int, int, float]] = []
    while here.outcome is None and plies < _LONGEST and not (often and seen[here] >= often):
        seat = here.to_move
        if seat not in begun:
            begun.add(seat)
            turn = _drawn(searcher, here, chance)
        else:
            found = searcher.think(here, care, seed=chance.getrandbits(30))
            turn = found.turn
            expected.append((plies, side_of[seat], (found.value + 1) / 2))
        for ply in turn:
            here, plies = here.play(ply), plies + 1
            seen[here] += 1
    if here.outcome is None or here.outcome.drawn:
        return Played(None, plies, back=False, early=False)
    winner = side_of[here.outcome.winners[0]]
    own = [(at, value) for at, side, value in expected if side == winner]
    late = [value for at, value in own if at >= plies / 2]
    back = any(value < _BEHIND / len(sides) for _, value in own)
    return Played(winner, plies, back, bool(late) and min(late) >= _AHEAD)


def _drawn(searcher: Engine[Any, Any], here: Position[Any], chance: random.Random) -> Sequence[Any]:
    ranked = searcher.ranked(here, _OPENING, most=_BEST, seed=chance.getrandbits(30))
    return chance.choice([each for each in ranked if each.value >= ranked[0].value - _WORSE]).turn


@cache
def _engines(key: str) -> Sequence[Engine[Any, Any]]:
    specialist = specialist_of(key)
    return specialist.build(time.process_time) if specialist else ()


def _engine(game: AnyGame, start: Position[Any], chosen: Any) -> Engine[Any, Any]:
    for special in _engines(game.key):
        if special.fits(start):
            return special
    return GenericEngine(game.sides(chosen), game.evaluate, time.process_time)


def measured(game: AnyGame, chosen: Any, level: int, most: int, until: float) -> dict[str, Any]:
    """Play games of the search of a level against itself, without its haste, until it is certain how fair they are, or the monotonic clock says so; return what is kept."""
    care = Budget(seconds=0.1) if level == 8 else levels_of(game.key, chosen)[level].care
    games = Games(len(game.sides(chosen)))
    while len(games.played) < most and time.monotonic() < until:
        games.played.append(play(game, chosen, care, len(games.played)))
        if len(games.played) >= LEAST and len(games.played) % 20 == 0 and games.certain():
            break
    return {"on": f"{datetime.now(UTC):%Y-%m-%d}", **games.figures()}


def kinds(game: AnyGame) -> Iterator[tuple[str, Any]]:
    """The presets and usual boards of a game: what is typed, and options. None comes twice."""
    known = set()
    for typed in (*(f"preset:{preset}" for preset in game.schema.presets), *USUAL.get(game.key, ())):
        chosen = game.choose(dict(word.split(":") for word in typed.split()))
        if chosen not in known:
            known.add(chosen)
            yield typed, chosen


def kind_of(game: AnyGame, chosen: Any) -> str:
    """The name of a kind in a file: its options, but for defaults."""
    return " ".join(f"{key}:{value}" for key, value in game.describe(chosen).items())


def keep(file: Path, kind: str, level: int, figures: Mapping[str, Any]) -> None:
    """Put figures of a kind and level into a file, in the place of those that are there."""
    kept = json.loads(file.read_text("utf-8")) if file.exists() else {}
    kept.setdefault(kind, {})[str(level)] = figures
    lines = [f"  {json.dumps(name)}: {json.dumps(kept[name], sort_keys=True)}" for name in sorted(kept)]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def table(key: str) -> Iterator[str]:
    """Yield the lines of a game's table."""
    game, measured = GAMES[key], measured_balance(key)
    yield "| options | level | games | first player, or each in turn, of 100 | draws | plies: half, 90 % | comebacks | early |"
    yield "|---|---|---|---|---|---|---|---|"
    for typed, chosen in kinds(game):
        for level, found in measured.get(kind_of(game, chosen), {}).items():
            games, won = found["games"], max(1, found["games"] - found["draws"])
            shares = found["shares"][:1] if len(found["shares"]) == 2 else found["shares"]
            said = "; ".join(
                f"{share / 10:.1f} ({low / 10:.1f} to {high / 10:.1f})" for share, low, high in shares
            )
            half, most = found["plies"]
            yield (
                f"| `{typed}` | {level} | {games} | {said} | {found['draws'] / games:.0%} | {half}, {most}"
                f" | {found['comebacks'] / won:.0%} | {found['early'] / won:.0%} |"
            )


def write(page: Path) -> None:
    """Put the tables into a page, behind its mark."""
    text, mark, _ = page.read_text("utf-8").partition(_MARK)
    if not mark:
        raise ValueError(f"{page} has no {_MARK}")
    days = {
        each["on"] for key in GAMES for levels in measured_balance(key).values() for each in levels.values()
    }
    machine = ", ".join(next(head(datetime.now(UTC))).split(", ")[1:3])
    when = f"on {min(days)}" if len(days) == 1 else f"from {min(days)} to {max(days)}"
    lines = [f"Measured {when}, on {machine}."]
    for key in sorted(GAMES):
        lines += ["", f"## {key}", "", *table(key)]
    page.write_text(f"{text}{mark}\n" + "\n".join(lines) + "\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and store each kind's figures as they are known; or write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.balance", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="game", help=f"some of: {', '.join(sorted(GAMES))}")
    parser.add_argument("--level", type=int, default=6)
    parser.add_argument("--games", type=int, default=4000, help="of each kind at most")
    parser.add_argument("--minutes", type=float, default=10.0, help="of each kind at most")
    parser.add_argument("--only", action="append", help="a kind, as it is printed: `preset:quick first:1`")
    parser.add_argument("--write", action="store_true", help="measure nothing, write docs/balance.md")
    asked = parser.parse_args(arguments)
    if asked.write:
        write(_PAGE)
        return 0
    for key in asked.names or sorted(GAMES):
        game = GAMES[key]
        for typed, chosen in kinds(game):
            if asked.only and typed not in asked.only:
                continue
            began = time.monotonic()
            end = began + 60 * asked.minutes
            figures = measured(game, chosen, asked.level, asked.games, end)
            keep(Path(engine.__path__[0], key, "balance.json"), kind_of(game, chosen), asked.level, figures)
            print(
                f"{key} {typed} level {asked.level}: {json.dumps(figures)} ({time.monotonic() - began:.0f} s)",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
