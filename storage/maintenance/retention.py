"""A folder of backups: one a day for a week, one a week for four weeks, one a month for a year.

Those that hold something damaged are counted for themselves: they displace none that is sound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

DAYS: Final = 7
WEEKS: Final = 4
MONTHS: Final = 12

_NAME: Final = "klop-%Y-%m-%dT%H%M%S"  # in UTC
_SOUND, _DAMAGED, _UNFINISHED = ".backup", ".damaged", ".unfinished"

_SPANS: Final[tuple[tuple[int, Callable[[datetime], object]], ...]] = (
    (DAYS, datetime.date),
    (WEEKS, lambda at: at.isocalendar()[:2]),
    (MONTHS, lambda at: (at.year, at.month)),
)


def new_in(folder: Path, at: datetime) -> Path:
    """Return the path of a backup that is begun at a time; `finish` gives it another name."""
    return folder / (at.astimezone(UTC).strftime(_NAME) + _UNFINISHED)


def finish(path: Path, *, sound: bool) -> Path:
    """Give a backup that was begun under `new_in` the name of a finished one, and return it.

    Raises:
        OSError: it cannot be renamed.
    """
    return path.rename(path.with_suffix(_SOUND if sound else _DAMAGED))


def found_in(folder: Path) -> dict[datetime, Path]:
    """Return the finished backups in a folder by their times, newest first; other files do not count."""
    return dict(sorted({**_named(folder, _DAMAGED), **_named(folder, _SOUND)}.items(), reverse=True))


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
    """Delete the backups of a folder that are not to be kept: the unfinished ones, and of the sound and of the damaged ones the rest.

    Raises:
        OSError: one cannot be deleted.
    """
    for suffix in (_SOUND, _DAMAGED, _UNFINISHED):
        found = _named(folder, suffix)
        keep = kept(found) if suffix != _UNFINISHED else ()
        for at, path in found.items():
            if at not in keep:
                path.unlink()


def _named(folder: Path, suffix: str) -> dict[datetime, Path]:
    found = {}
    for path in folder.iterdir():
        try:
            at = datetime.strptime(path.name, _NAME + suffix).replace(tzinfo=UTC)
        except ValueError:
            continue
        found[at] = path
    return found
