"""Whether what engines call proved is so: `python -m bench.proofs [--quick] [ENGINE ...]`.

Each engine plays itself from random openings until it claims a proof, on boards of several sizes and with several budgets
of nodes. Each first claim is checked: of a win, the position after the turn; else the position itself. The check is a search
with ten times the nodes; for the tables of the L-game, which claim draws too, it is the whole game solved by the rules. One
that proves the opposite makes the claim false; one that proves nothing leaves it open.

With `--progress FILE` a run goes on where the last one with that file ended, however it ended.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from bench.solving import solve
from engine import engines_of
from engine.core import Budget, Engine, EngineKind, GameValue, Proof, SearchResult
from engine.generic import GenericEngine
from rules import GAMES
from rules.core import Position

TIMES: Final = 10
"""Nodes of the check, as a multiple of the claim's."""

NODES: Final = (3_000, 10_000, 30_000, 100_000)
OPENING: Final = 12
"""Random plies before a game, at most."""
LATE: Final = 40
"""The same for engines that see few plies ahead: they claim something only once the end is near."""
_LONGEST: Final = 300
"""Plies after which a game is given up: its engine claims nothing."""

Any_: TypeAlias = Engine[Any, Any]
Maker: TypeAlias = Callable[[Position[Any], Mapping[str, str]], Any_]
"""Makes an engine for a position of a kind of game."""

Judge: TypeAlias = Callable[[Position[Any], Mapping[str, str], int], GameValue | None]
"""Returns the value of a position for its side to move, of a kind of game, and claimed with a budget; None: unknown."""


class Verdict(StrEnum):
    """What a check says of a claim."""

    CONFIRMED = "confirmed"
    OPEN = "open"
    FALSE = "false"


@dataclass(frozen=True, slots=True)
class Contender:
    """An engine whose claims are checked."""

    game: str  # its key
    kinds: Sequence[Mapping[str, str]]  # options, as typed
    engine: Maker
    judge: Judge
    opening: int = OPENING  # random plies before a game, at most


@dataclass(frozen=True, slots=True)
class Claim:
    """The first proof that an engine claims in a game."""

    number: int  # of the game
    kind: Mapping[str, str]
    position: Position[Any]
    result: SearchResult[Any]
    proof: Proof
    nodes: int  # of the budget


def claims(contender: Contender, nodes: Sequence[int], first: int = 0) -> Iterator[Claim]:
    """Yield first claims; the number of a game gives its options, budget, opening and seeds."""
    number = first
    while True:
        at, which = divmod(number, len(contender.kinds))
        claim = _first_claim(contender, contender.kinds[which], nodes[at % len(nodes)], number)
        if claim is not None:
            yield claim
        number += 1


def _first_claim(contender: Contender, kind: Mapping[str, str], nodes: int, number: int) -> Claim | None:
    game = GAMES[contender.game]
    chance = random.Random(f"{contender.game} {kind} {number}")
    here: Position[Any] = game.start(game.choose(kind))
    opening, plies = chance.randint(2, contender.opening), 0
    while here.outcome is None and (plies < opening or here.plies_left != here.turn_length):
        here, plies = here.play(chance.choice(list(here.legal_moves()))), plies + 1
    while here.outcome is None and plies < _LONGEST:
        engine = contender.engine(here, kind)
        result = engine.think(here, Budget(nodes=nodes), seed=chance.getrandbits(32))
        if result.proof is not None:
            return Claim(number, kind, here, result, result.proof, nodes)
        for move in result.turn:
            here, plies = here.play(move), plies + 1
    return None


def check(contender: Contender, claim: Claim) -> Verdict:
    """Search what was claimed with ten times the nodes."""
    here, seat, claimed = claim.position, claim.position.to_move, claim.proof.result
    if claimed is GameValue.WIN:
        for move in claim.result.turn:
            here = here.play(move)
    if here.outcome is not None:
        return Verdict.CONFIRMED if seat in here.outcome.winners else Verdict.FALSE
    found = contender.judge(here, claim.kind, claim.nodes)
    if found is None:
        return Verdict.OPEN
    result = found if here.to_move == seat else -found
    return Verdict.CONFIRMED if result == claimed else Verdict.FALSE


def _special(game: str, *kinds: EngineKind) -> Maker:

    def made(position: Position[Any], _kind: Mapping[str, str]) -> Any_:
        fitting = [each for each in engines_of(game) if each.fits(position)]
        return next(each for kind in kinds for each in fitting if each.kind is kind)

    return made


def _generic(game: str) -> Maker:
    def made(_position: Position[Any], kind: Mapping[str, str]) -> Any_:
        known = GAMES[game]
        return GenericEngine(known.sides(known.choose(kind)), known.evaluate)

    return made


def _search(maker: Maker) -> Judge:

    def judge(position: Position[Any], kind: Mapping[str, str], nodes: int) -> GameValue | None:
        found = maker(position, kind).think(position, Budget(nodes=TIMES * nodes)).proof
        return None if found is None else found.result

    return judge


@cache
def _values(game: str, kind: tuple[tuple[str, str], ...]) -> Mapping[Position[Any], GameValue]:
    known = GAMES[game]
    return solve(known.start(known.choose(dict(kind))))


def _solved(game: str) -> Judge:
    return lambda position, kind, _nodes: _values(game, tuple(kind.items()))[position]


def _boards(*boards: str, **options: str) -> Sequence[Mapping[str, str]]:
    return [{"board": board, **options} for board in boards]


def _contenders() -> Iterator[tuple[str, Contender]]:
    native, python = EngineKind.NATIVE, EngineKind.PYTHON
    kinds = {
        "breakthrough": _boards("6x6", "7x7", "8x8"),
        "klopodavka": [*_boards("6x6", "7x7", "8x8"), *_boards("6x6", "7x7", actions="2")],
    }
    for game, boards in kinds.items():
        judge = _search(_special(game, native, python))
        yield f"{game}-native", Contender(game, boards, _special(game, native), judge)
        yield f"{game}-python", Contender(game, boards, _special(game, python), judge, LATE)
        yield f"{game}-generic", Contender(game, boards, _generic(game), judge, LATE)
    misere = _boards("6x6", "7x7", "8x8", variant="misere")
    best = _special("breakthrough", native, python)
    yield "breakthrough-misere", Contender("breakthrough", misere, best, _search(best))
    slow = _special("breakthrough", python)
    yield "breakthrough-misere-python", Contender("breakthrough", misere, slow, _search(best), LATE)
    solved = [{"variant": each} for each in ("classic", "sudden-death", "symmetry")]
    tables = _special("lgame", EngineKind.TABLES)
    yield "lgame-tables", Contender("lgame", solved, tables, _solved("lgame"))
    yield "lgame-generic", Contender("lgame", solved, _generic("lgame"), _search(tables), LATE)
    points = _special("lgame", python)
    yield "lgame-points", Contender("lgame", [{"variant": "scoring"}], points, _search(points))


CONTENDERS: Final[Mapping[str, Contender]] = dict(_contenders())


@dataclass(slots=True)
class Progress:
    """What was found of each engine, in a file if there is one.

    Attributes:
        found: By engine: how many claims of each result and verdict, and the number of the next game as `next`.
    """

    path: Path | None = None
    found: dict[str, Counter[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path | None) -> Progress:
        """Return what earlier runs with this file found."""
        known = json.loads(path.read_text()) if path and path.exists() else {}
        return cls(path, {name: Counter(counts) for name, counts in known.items()})

    def add(self, name: str, claim: Claim, verdict: Verdict) -> None:
        """Count a claim, and write the file."""
        counts = self.found.setdefault(name, Counter())
        counts[verdict] += 1
        counts[claim.proof.result.name.lower()] += 1
        counts["next"] = claim.number + 1
        if self.path:
            new = self.path.with_name(f"{self.path.name}.new")
            new.write_text(json.dumps(self.found, indent=1))
            new.replace(self.path)


def judged(
    name: str, most: int, nodes: Sequence[int], until: float, progress: Progress | None = None
) -> Counter[str]:
    """Check an engine's claims until there are enough; print false and open ones, and a line for the engine."""
    contender, progress = CONTENDERS[name], progress or Progress()
    counts = progress.found.setdefault(name, Counter())
    missing = most - sum(counts[each] for each in Verdict)
    for _, claim in zip(range(missing), claims(contender, nodes, counts["next"]), strict=False):
        verdict = check(contender, claim)
        progress.add(name, claim, verdict)
        if verdict is not Verdict.CONFIRMED:
            text = GAMES[contender.game].notation.format_position(claim.position)
            words = " ".join(f"{key}:{value}" for key, value in claim.kind.items())
            _say(f"  {verdict}: game {claim.number}, {words}, {text}, nodes {claim.nodes}: {claim.proof}")
        if time.monotonic() > until:
            break
    results = ", ".join(f"{counts[each]} {each}" for each in ("win", "draw", "loss"))
    verdicts = ", ".join(f"{counts[each]} {each}" for each in Verdict)
    _say(f"{name}: {sum(counts[each] for each in Verdict)} claims ({results}): {verdicts}")
    return counts


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Check claims.

    Returns:
        The exit status: 1 if one is false.
    """
    parser = argparse.ArgumentParser(prog="python -m bench.proofs", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="ENGINE", help=f"some of: {', '.join(CONTENDERS)}")
    parser.add_argument("--quick", action="store_true", help="a few claims with few nodes")
    parser.add_argument("--claims", type=int, default=500, help="of each engine")
    parser.add_argument("--nodes", default=",".join(map(str, NODES)), help="the budgets, in turns")
    parser.add_argument("--progress", type=Path, metavar="FILE", help="continue from a file, and write it")
    parser.add_argument("--minutes", type=float, default=1e9, help="for each engine")
    chosen = parser.parse_args(arguments)
    if unknown := sorted(set(chosen.names) - set(CONTENDERS)):
        parser.error(f"no such engine: {', '.join(unknown)}; there are {', '.join(CONTENDERS)}")
    most, nodes = (6, [1_000]) if chosen.quick else (chosen.claims, [*map(int, chosen.nodes.split(","))])
    wrong, progress = 0, Progress.read(chosen.progress)
    for name in chosen.names or CONTENDERS:
        until = time.monotonic() + 60 * chosen.minutes
        wrong += judged(name, most, nodes, until, progress)[Verdict.FALSE]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
