"""Which backups of a folder are kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as some

from storage.maintenance.retention import DAYS, MONTHS, WEEKS, finish, found_in, kept, new_in, prune

AT = datetime(2026, 11, 21, 3, 40, tzinfo=UTC)
TIMES = some.sets(some.integers(0, 1000 * 24).map(lambda hours: AT - timedelta(hours=hours)), max_size=60)


def test_of_two_years_of_nights_few_are_kept() -> None:
    nights = [AT - timedelta(days=days) for days in range(730)]
    chosen = sorted(kept(nights), reverse=True)
    assert chosen[:DAYS] == nights[:DAYS]
    assert len(chosen) <= DAYS + WEEKS + MONTHS
    assert AT - chosen[-1] > timedelta(days=320)


@given(TIMES)
def test_the_newest_is_always_kept_and_what_is_kept_stays_kept(times: set[datetime]) -> None:
    chosen = kept(times)
    assert chosen <= times
    assert not times or max(times) in chosen
    assert kept(chosen) == chosen


def made(folder: Path, days: int, *, sound: bool = True) -> Path:
    path = new_in(folder, AT - timedelta(days=days))
    path.write_bytes(b"")
    return finish(path, sound=sound)


def test_only_backups_are_deleted(tmp_path: Path) -> None:
    for days in range(40):
        made(tmp_path, days)
    (tmp_path / "notes.txt").write_text("mine")
    prune(tmp_path)
    left = found_in(tmp_path)
    assert next(iter(left)) == AT
    assert set(left) == kept(left)
    assert len(left) < 15
    assert (tmp_path / "notes.txt").exists()


def test_damaged_backups_displace_no_sound_one(tmp_path: Path) -> None:
    sound = [made(tmp_path, days) for days in range(40, 47)]
    for days in reversed(range(40)):
        made(tmp_path, days, sound=False)
        new_in(tmp_path, AT - timedelta(days=days, hours=1)).write_bytes(b"of a process that was killed")
        prune(tmp_path)
    left = found_in(tmp_path).values()
    assert set(sound) < set(left)
    assert len(left) < len(sound) + 15
    assert not [path for path in tmp_path.iterdir() if path not in left]
