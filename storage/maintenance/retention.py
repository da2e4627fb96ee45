"""A folder of backups: one a day for a week, one a week for four weeks, one a month for a year."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

DAYS: Final = 7
WEEKS: Final = 4
MONTHS: Final = 12

_NAME: Final = "klop-%Y-%m-%dT%H%M%S.backup"  # in UTC


_SPANS: Final[tuple[tuple[int, Callable[[datetime], object]], ...]] = (
    (DAYS, datetime.date),
    (WEEKS, lambda at: at.isocalendar()[:2]),
    (MONTHS, lambda at: (at.year, at.month)),
)


def new_in(folder: Path, at: datetime) -> Path:
    """Return the path of a backup that is made at a time."""
    return folder / at.astimezone(UTC).strftime(_NAME)


def found_in(folder: Path) -> dict[datetime, Path]:
    """Return the backups in a folder by their times, newest first; other files do not count."""
    found = {}
    for path in folder.iterdir():
        try:
            at = datetime.strptime(path.name, _NAME).replace(tzinfo=UTC)
        except ValueError:
            continue
        found[at] = path
    return dict(sorted(found.items(), reverse=True))


def kept(times: Iterable[datetime]) -> set[datetime]:
    """Return which of some backups to keep: the newest of each of the last days, weeks and months that have one."""
    newest_first = sorted(times, reverse=True)
    chosen: set[datetime] = set()
    for count, span in _SPANS:
        spans: dict[object, datetime] = {}
        for at in newest_first:
            spans.setdefault(span(at), at)
        chosen.update(list(spans.values())[:count])
    return chosen


def prune(folder: Path) -> None:
    """Delete the backups of a folder that are not to be kept.

    Raises:
        OSError: one cannot be deleted.
    """
    found = found_in(folder)
    keep = kept(found)
    for at, path in found.items():
        if at not in keep:
            path.unlink()
