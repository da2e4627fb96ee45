"""Long matches between engines that can be interrupted and continued: `python -m bench.matches [NAME ...]`.

Every finished game is a line in the file of its match; the same command plays what is missing. The sum is printed after
each game. Games of engines with other code do not count. Seconds are processor time, so that other programs do not shorten
a search. Of Breakthrough's games it also says how often the first player's value fell by 0.6 and more between two of its turns.

Without names it tells what there is and how far it has come.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Final

from bench import breakthrough_engines, klopodavka_engines, klopodavka_rivals
from bench.klopodavka_engines import CLASSIC, ENGINES, thinking
from bench.klopodavka_rivals import Rival
from bench.tally import Tally, played, summed
from engine.generic import GenericEngine
from engine.klopodavka.engine import KlopodavkaEngine
from rules.klopodavka import GAME as KLOPODAVKA
from rules.klopodavka import KlopodavkaPosition, Move

_THREE: Final = {"players": "3", "board": "8x8"}
_ROOT: Final = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Match:
    """A match that can be asked for.

    Attributes:
        names: Of the first player and of the second.
        share: Of the second player's time, what the first one has.
        goal: The share of games that the first one should win.
        play: Plays the game of a number, with the seconds of both.
        seconds: That the second player has for a turn, unless told otherwise.
    """

    names: tuple[str, str]
    share: float
    goal: float | None
    play: Callable[[tuple[float, float], int], Tally]
    seconds: float = 0.1


def _breakthrough(first: str, second: str, seconds: tuple[float, float], number: int) -> Tally:
    return breakthrough_engines.game(
        (f"{first}:{seconds[0]}", f"{second}:{seconds[1]}"), {}, 200_000 + number
    )


@cache
def _klopodavka_engine(kind: str) -> KlopodavkaEngine:
    return ENGINES[kind]()


def _klopodavka(
    chosen: Mapping[str, str], first: str, second: str | Rival, seconds: tuple[float, float], number: int
) -> Tally:

    def other(tally: Tally) -> Rival:
        return thinking(_klopodavka_engine(second), tally, 1) if isinstance(second, str) else second

    return klopodavka_engines.game(
        chosen, lambda tally: thinking(_klopodavka_engine(first), tally), other, seconds, number
    )


@cache
def _generic(*, paranoid: bool) -> GenericEngine[KlopodavkaPosition, Move]:
    sides = KLOPODAVKA.sides(KLOPODAVKA.choose(_THREE))
    evaluate = KLOPODAVKA.evaluate
    return GenericEngine(sides, evaluate, time.process_time, paranoid=paranoid)


def _generics(seconds: tuple[float, float], number: int) -> Tally:

    def first(tally: Tally) -> Rival:
        return thinking(_generic(paranoid=False), tally)

    def second(tally: Tally) -> Rival:
        return thinking(_generic(paranoid=True), tally, 1)

    return klopodavka_engines.game(_THREE, first, second, seconds, number)


def _matches() -> Iterator[tuple[str, Match]]:
    for kind, share in (("native", 1 / 50), ("python", 1 / 10)):
        names = (kind, "OpenSpiel's MCTS")
        yield (
            f"breakthrough-mcts-{kind}",
            Match(names, share, 0.97, partial(_breakthrough, kind, "mcts"), 0.25),
        )
    for kind in ("native", "python"):
        play = partial(_breakthrough, kind, "alphabeta")
        yield f"breakthrough-alphabeta-{kind}", Match((kind, "alpha-beta rival"), 1.0, 0.9, play)
    play = partial(_breakthrough, "native", "python")
    yield "breakthrough-native-python", Match(("native", "python"), 1.0, 0.9, play)
    for kind in ("native", "python"):
        names = (f"{kind}, thrice the time", kind)
        yield f"breakthrough-growth-{kind}", Match(names, 3.0, None, partial(_breakthrough, kind, kind))
    for kind in ("native", "python"):
        for rival, goal in (("greedy", 0.95), ("mcts", 0.95), ("one_ply", 0.9), ("rollouts", 0.9)):
            play = partial(_klopodavka, CLASSIC, kind, getattr(klopodavka_rivals, rival))
            yield f"klopodavka-{rival}-{kind}", Match((kind, rival), 1.0, goal, play)
        four = {**CLASSIC, "players": "4"}
        play = partial(_klopodavka, four, kind, klopodavka_rivals.greedy)
        yield f"klopodavka-four-{kind}", Match((kind, "three greedy ones"), 1.0, 0.7, play)
    yield "klopodavka-generic", Match(("generic tree", "two paranoid ones"), 1.0, None, _generics)
    play = partial(_klopodavka, CLASSIC, "native", "python")
    yield "klopodavka-native-python", Match(("native", "python"), 1.0, None, play)
    for kind in ("native", "python"):
        names = (f"{kind}, thrice the time", kind)
        play = partial(_klopodavka, CLASSIC, kind, kind)
        yield f"klopodavka-growth-{kind}", Match(names, 3.0, None, play)


MATCHES: Final[Mapping[str, Match]] = dict(_matches())
"""What there is, by name. `growth` is an engine against itself with a third of the time."""


def build() -> str:
    """A name for the code that engines are made of, compiled cores included."""
    digest = hashlib.sha256()
    kinds = {".py", ".json", ".so", ".pyd"}
    for path in sorted(path for path in (_ROOT / "engine").rglob("*") if path.suffix in kinds):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Kept:
    """The games of one match in a file.

    Attributes:
        file: Where they are.
        build: Of the engines; what others played is passed over.
    """

    file: Path
    build: str

    def read(self) -> dict[int, Tally]:
        """The games that are over, by number."""
        found = {}
        lines = self.file.read_text("utf-8").splitlines() if self.file.exists() else []
        for line in lines:
            try:
                told = json.loads(line)
            except ValueError:
                continue  # broken off in the middle of writing
            if told.pop("build") == self.build:
                number = told.pop("number")
                found[number] = Tally(**told)
        return found

    def add(self, number: int, tally: Tally) -> None:
        """Write a game down."""
        line = json.dumps({"build": self.build, "number": number, **asdict(tally)})
        # A line that was broken off must not swallow this one.
        with self.file.open("a+b") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - 1))
            start = b"" if not end or file.read() == b"\n" else b"\n"
            file.write(start + line.encode() + b"\n")


def run(match: Match, kept: Kept, seconds: float, games: int, *, until: float, processes: int) -> Tally:
    """Play what is missing of the first so many games, until a moment of the monotonic clock."""
    found = {number: tally for number, tally in kept.read().items() if number < games}
    names = (f"{match.names[0]}, {match.share * seconds:.3g} s", f"{match.names[1]}, {seconds:.3g} s")
    missing = [number for number in range(games) if number not in found]
    play = partial(match.play, (match.share * seconds, seconds))
    for number, tally in played(play, missing, processes, until):
        found[number] = tally
        kept.add(number, tally)
        _say(f"[{len(found)}/{games}] {summed(found.values()).line(names, match.goal)}")
    return summed(found.values())


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _listed(folder: Path, here: str) -> None:
    for name, match in MATCHES.items():
        _say(f"{name}: {match.names[0]} against {match.names[1]}, {match.share:g} of its time")
        for file in sorted(folder.glob(f"{name}@*.jsonl")):
            total = summed(Kept(file, here).read().values())
            _say(f"    {file.stem.partition('@')[2]} s: {total.line(match.names, match.goal)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Play matches, one after the other, and print how they go."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.matches",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="name", help=f"some of: {', '.join(MATCHES)}")
    parser.add_argument("--games", type=int, default=100, help="of each match, with those already played")
    parser.add_argument("--seconds", type=float, help="of the second player for a turn")
    parser.add_argument("--minutes", type=float, default=1e9, help="after which no further game is begun")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument(
        "--keep", type=Path, default=Path(tempfile.gettempdir()) / "klop-matches", help="where games are kept"
    )
    asked = parser.parse_args(arguments)
    if unknown := sorted(set(asked.names) - set(MATCHES)):
        parser.error(f"no such match: {', '.join(unknown)}; there are {', '.join(MATCHES)}")
    asked.keep.mkdir(parents=True, exist_ok=True)
    here = build()
    if not asked.names:
        _listed(asked.keep, here)
    until = time.monotonic() + 60 * asked.minutes
    for name in asked.names:
        match = MATCHES[name]
        seconds = asked.seconds or match.seconds
        kept = Kept(asked.keep / f"{name}@{seconds:g}.jsonl", here)
        total = run(match, kept, seconds, asked.games, until=until, processes=asked.processes)
        _say(f"{name}: {total.line(match.names, match.goal)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
