"""What is kept: backups (a day, a week, a month, a year), finished matches in the archive, a rewritten append-only file.

Backups that hold something damaged are counted for themselves: they displace none that is sound.

A match goes into the archive a month after it is over. It is written there first; then its record in Redis is replaced by its
head, if it has not changed. Ended between the two steps, the move is repeated by the next sweep. A change of a match in the
archive puts a whole record into Redis again, and the next sweep archives that.

What was deleted stands in the server's append-only file until that is rewritten. At most one rewrite an hour serves all who were
forgotten before it. Requests are stored. A rewrite counts once it has succeeded, and if no fact or update from before the
request was left to be done when it began.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from play.errors import Unavailable
from play.match import Match
from storage import keys
from storage.errors import Damaged
from storage.ports import FullStore
from storage.records import codec
from storage.records.schema import read_time
from storage.redis.lists import last_activity
from storage.redis.store import RedisStore

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


AFTER: Final = timedelta(days=30)
"""How long a match that is over stays in Redis."""
EVERY: Final = timedelta(hours=6)
"""Time between sweeps, by whichever process."""
LOOK: Final = 600.0  # seconds between checks whether a sweep is due
PIECE: Final = 64  # records that are looked at together
PAUSE: Final = 0.1  # seconds after each piece

_SWEPT: Final = "archive:swept"
_MOVED: Final = "archive:moved"
_KEPT: Final = timedelta(days=3650)
_log: Final = logging.getLogger(__name__)


def is_due(match: Match, at: datetime) -> bool:
    """Return whether a match belongs into the archive."""
    return not match.live and last_activity(match) + AFTER <= at


async def last_moved(store: FullStore) -> datetime | None:
    """Return when a match was last moved into an archive; None if none was."""
    (noted,) = await store.notes.read(_MOVED)
    return read_time(noted)


async def sweep_if_due(store: RedisStore) -> None:
    """Sweep a store that has an archive, unless a process has within `EVERY`."""
    try:
        if await store.notes.write_once(_SWEPT, "", keep=EVERY):
            await sweep(store, await store.now())
    except Unavailable as error:
        _log.warning("finished matches stay in Redis for now: %s", error.__cause__)


async def sweep(
    store: RedisStore, at: datetime, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> int:
    """Move what is due at a time into the archive; return the number of matches."""
    moved = 0
    async for found in store.connection.scan(keys.MATCHES):
        for start in range(0, len(found), PIECE):
            moved += await _moved(store, found[start : start + PIECE], at)
            await sleep(PAUSE)
    if moved:
        await store.notes.write(_MOVED, at.isoformat(), keep=_KEPT)
    return moved


async def _moved(store: RedisStore, found: list[str], at: datetime) -> int:
    due = {}
    records = await store.connection.batch([("GET", key) for key in found])
    for key, record in zip(found, records, strict=True):
        name = key.rpartition(":")[2]
        if record is None or codec.is_head(record):
            continue
        with suppress(Damaged):  # `klop verify` reports it
            match = codec.decode(name, record)
            if is_due(match, at):
                due[name] = (match, record)
    return await store.matches.archive(due)


REWRITE_EVERY: Final = timedelta(hours=1)
"""The shortest time between rewrites."""
REWRITE_AFTER: Final = timedelta(minutes=2)
"""How long after a request the first may begin: the answer to it is sent, and its rate limits have run out."""
LOOK_AGAIN: Final = 20.0  # seconds between checks

_ASKED: Final = "rewrite"  # the timeline of the requests
_BEGUN: Final = "rewrite:begun"
_REFUSED: Final = "rewrite:refused"


async def request_rewrite(store: FullStore) -> bool:
    """Store a request for a rewrite; return whether the server lets the bot do that, as far as is known."""
    at = await store.now()
    await store.timelines.add(_ASKED, at.isoformat(), at)
    (refused,) = await store.notes.read(_REFUSED)
    if refused is None:  # the first request of all finds out
        return await _rewrite(store)
    return not refused


async def last_rewrite(store: FullStore) -> datetime | None:
    """Return when the last rewrite for forgotten people began; None if none did."""
    return (await _begun(store))[0]


async def rewrite_if_due(store: FullStore, at: datetime | None = None) -> None:
    """Begin a rewrite if one is due, or settle the requests that the last one has served."""
    at = at or await store.now()
    requests = map(datetime.fromisoformat, await store.timelines.read(_ASKED))
    # Those that are old enough, or later than now: the clock was set back since.
    asked = [request for request in requests if not timedelta() <= at - request < REWRITE_AFTER]
    if not asked:
        return
    state = await store.journal.state()
    if state.rewriting:
        return
    begun, run, served = await _begun(store)
    if served is not None and run == state.run and not state.failed:
        for request in [request for request in asked if request <= served]:
            await store.timelines.remove(_ASKED, request.isoformat())
        asked = [request for request in asked if request > served]
    if not asked or (begun is not None and timedelta() <= at - begun < REWRITE_EVERY):
        return
    oldest = await store.journal.oldest_entry()
    whole = oldest is None or oldest > asked[-1]
    if not whole and timedelta() <= at - asked[0] < REWRITE_EVERY:
        return
    allowed = await _rewrite(store)
    noted = [at.isoformat(), state.run, asked[-1].isoformat() if whole and allowed else None]
    await store.notes.write(_BEGUN, json.dumps(noted))


async def _rewrite(store: FullStore) -> bool:
    allowed = await store.journal.rewrite()
    await store.notes.write(_REFUSED, "" if allowed else "refused")
    if not allowed:
        _log.warning("the server does not let the bot rewrite the append-only file (BGREWRITEAOF)")
    return allowed


async def _begun(store: FullStore) -> tuple[datetime | None, str, datetime | None]:
    (noted,) = await store.notes.read(_BEGUN)
    if noted is None:
        return None, "", None
    try:
        began, run, served = json.loads(noted)
        return datetime.fromisoformat(began), run, read_time(served)
    except ValueError:  # damaged
        return None, "", None
