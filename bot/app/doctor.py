"""`klop doctor`: check everything a bot needs, also while it runs; a line for each finding, with its remedy."""

from __future__ import annotations

import asyncio
import shutil
import stat
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from zoneinfo import available_timezones

from aiohttp import ClientSession, ClientTimeout

from bot.app.settings import ignored
from bot.app.setup import Failure, tried
from bot.chat.i18n import LANGUAGES, Words
from bot.chat.i18n import words as words_for
from bot.chat.thinking.jobs import kinds_in_use, weaker_here
from bot.config import Config
from bot.platforms import CHATS
from bot.platforms.integration import BotProfile, Finding, Severity, either, found
from play.errors import BadLog, PlayError, Unavailable
from play.match import Closing, Match, Phase
from play.replay import Replay
from rules import GAMES
from rules.core import AnyGame
from storage import CannotStart, RedisStore, StorageError, StoreProblem, open_store
from storage.client.connecting import by_socket
from storage.embedded.directory import SOCKET
from storage.embedded.server import find_server, version_of
from storage.maintenance.backup import ages
from storage.maintenance.retention import last_moved
from storage.opening import check, opened_archive


@asynccontextmanager
async def attached(
    url: str | None, directory: Path, archive: Path | None = None
) -> AsyncIterator[RedisStore]:
    """Open the store; while a bot has claimed the data directory, connect to its server."""
    async with AsyncExitStack() as stack:
        try:
            store = await stack.enter_async_context(open_store(url, directory, archive))
        except CannotStart as refused:
            socket = await asyncio.to_thread(lambda: directory.resolve() / SOCKET)
            # Where the path is too long, the socket of a running server is elsewhere.
            if refused.reason is not StoreProblem.IN_USE or not await asyncio.to_thread(socket.exists):
                raise
            client = by_socket(socket)
            stack.push_async_callback(client.aclose)
            await check(client)
            store = RedisStore(client, archive=opened_archive(archive, stack))
        yield store


OLDEST_PYTHON: Final = (3, 11)
NEEDED: Final = ("babel", "hiredis", "msgspec", "PIL", "pydantic_settings", "redis", "structlog")
"""Modules that every bot needs."""
OPTIONAL: Final = "prompt_toolkit"
ROOM: Final = 200 * 1024 * 1024
"""Bytes that should be free on the disk: the append-only file grows to twice its size while it is rewritten."""
PATIENCE: Final = ClientTimeout(total=10.0)
SKEW: Final = timedelta(seconds=5)  # the difference between this clock and the server's that is reported
RECENT: Final = timedelta(seconds=60)
SHOWN: Final = 10  # entries that are set aside, of which a line each is written: the last ones


async def examine(settings: Config, words: Words, write: Callable[[str], None]) -> int:
    """Write a line for each check; return 0 if nothing has to be repaired, else 1."""
    bad = False
    for finding in _machine(settings):
        bad |= finding.severity is Severity.BAD
        write(_line(finding, words))
    for findings in (token_findings, connection_findings, _store):
        async for finding in findings(settings):
            bad |= finding.severity is Severity.BAD
            write(_line(finding, words))
    return int(bad)


def _line(finding: Finding, words: Words) -> str:
    fields = {
        name: words.time_left(value) if isinstance(value, timedelta) else value
        for name, value in finding.fields.items()
    }
    return f"{finding.severity.value} {words(finding.key, **fields)}"


def _machine(settings: Config) -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    fine = sys.version_info >= OLDEST_PYTHON
    needed = ".".join(map(str, OLDEST_PYTHON))
    yield either(fine, "bot.doctor.python", "bot.doctor.old-python", version=version, needed=needed)
    for key, fields in ignored():
        yield found(Severity.NOTE, key, **fields)
    missing = [name for name in NEEDED if find_spec(name) is None]
    yield either(not missing, "bot.doctor.libraries", "bot.doctor.missing", names=", ".join(missing))
    if find_spec(OPTIONAL) is None:
        yield found(Severity.NOTE, "bot.doctor.optional", name=OPTIONAL)
    yield from _catalogues()
    yield either(len(available_timezones()) > 1, "bot.doctor.zones", "bot.doctor.no-zones")
    yield found(Severity.GOOD, "bot.doctor.games", games=", ".join(GAMES))
    for game, engines in kinds_in_use().items():
        yield found(Severity.GOOD, "bot.doctor.engines", game=game, engines=", ".join(engines))
    for game, levels in weaker_here().items():
        for level, alike in levels.items():
            yield found(Severity.NOTE, "bot.doctor.uncompiled", game=game, level=level, alike=alike)
    if settings.workers == 0:
        yield found(Severity.NOTE, "bot.doctor.no-workers")
    for name, command in (settings.engines or {}).items():
        there = shutil.which(command[0]) is not None
        yield either(there, "bot.doctor.program", "bot.doctor.no-program", name=name, command=command[0])
    yield from _directory(settings.data)


def _catalogues() -> Iterator[Finding]:
    for language in LANGUAGES:
        try:
            spoken = words_for(language).has("bot.help.help")
        except (OSError, ValueError):
            spoken = False
        if not spoken:
            yield found(Severity.BAD, "bot.doctor.no-catalogue", language=language)
            return
    yield found(Severity.GOOD, "bot.doctor.catalogues", languages=", ".join(LANGUAGES))


def _directory(data: Path) -> Iterator[Finding]:
    there = next((path for path in (data, *data.resolve().parents) if path.exists()), Path("/"))
    if not data.exists():
        yield found(Severity.NOTE, "bot.doctor.new-directory", directory=str(data))
    elif not data.is_dir():
        yield found(Severity.BAD, "bot.doctor.no-directory", directory=str(data))
    elif stat.S_IMODE(data.stat().st_mode) & 0o077:
        yield found(Severity.BAD, "bot.doctor.open-directory", directory=str(data))
    else:
        yield found(Severity.GOOD, "bot.doctor.directory", directory=str(data))
    free = shutil.disk_usage(there).free
    sizes = {"free": free // 2**20, "needed": ROOM // 2**20}
    yield either(free >= ROOM, "bot.doctor.disk", "bot.doctor.full-disk", **sizes)


async def token_findings(settings: Config) -> AsyncIterator[Finding]:
    """Yield what the platforms say of the tokens. That one cannot be reached is no fault of the configuration."""
    async with ClientSession(timeout=PATIENCE) as session:
        for chat in CHATS:
            name, token = chat.source(settings).token_setting, chat.token(settings)
            if token is None:
                yield found(Severity.NOTE, "bot.doctor.no-token", name=name)
                continue
            said = await tried(session, chat.operations(), settings, token)
            if isinstance(said, BotProfile):
                yield found(Severity.GOOD, "bot.doctor.token", name=name, bot=said.name)
            elif said is Failure.REJECTED:
                yield found(Severity.BAD, said, platform=chat.name)
            else:
                yield found(Severity.NOTE, "bot.doctor.untried-token", name=name, platform=chat.name)


async def connection_findings(settings: Config) -> AsyncIterator[Finding]:
    """Yield findings about how requests of the platforms come."""
    async with ClientSession(timeout=PATIENCE) as session:
        for chat in CHATS:
            if chat.token(settings):
                for finding in await chat.operations().connection_findings(session, settings):
                    yield finding


async def _store(settings: Config) -> AsyncIterator[Finding]:
    url = settings.store_url
    if url is None:
        try:
            program = find_server(settings.data)
        except CannotStart as trouble:
            yield found(Severity.BAD, trouble.reason, **trouble.fields)
            return
        version = ".".join(map(str, version_of(program)))
        yield found(Severity.GOOD, "bot.doctor.embedded", program=str(program), version=version)
    else:
        yield found(Severity.GOOD, "bot.doctor.own-server")
    try:
        async with attached(url, settings.data, settings.archive_folder) as store:
            yield found(Severity.GOOD, "bot.doctor.remembers")
            async for finding in _replicas(store):
                yield finding
            async for finding in _through(store):
                yield finding
            yield await _archive(store)
            for chat in filter(lambda each: each.token(settings), CHATS):
                for finding in await chat.operations().store_findings(store):
                    yield finding
    except (StorageError, PlayError) as trouble:
        yield found(Severity.BAD, trouble.reason, **trouble.fields)


async def _replicas(store: RedisStore) -> AsyncIterator[Finding]:
    connection = store.connection
    if not connection.clustered and not connection.watched:
        return
    masters = await connection.fields("INFO", "replication")
    replicas = [int(each["connected_slaves"]) for each in masters]
    kind = "bot.doctor.cluster" if connection.clustered else "bot.doctor.sentinel"
    yield found(Severity.GOOD, kind, masters=len(masters), replicas=sum(replicas))
    if not min(replicas):
        yield found(Severity.NOTE, "bot.doctor.no-replica")
    if not all("min_slaves_good_slaves" in each for each in masters):  # only if a master requires one
        yield found(Severity.NOTE, "bot.doctor.takes-alone")


async def _through(store: RedisStore) -> AsyncIterator[Finding]:
    at = await store.now()
    skew = abs(datetime.now(UTC) - at)
    yield either(skew <= SKEW, "bot.doctor.clock", "bot.doctor.skew", seconds=round(skew.total_seconds()))
    last = await store.uptime.last_beat()
    if last is None:
        yield found(Severity.NOTE, "bot.doctor.never-ran")
    elif at - last <= RECENT:
        yield found(Severity.GOOD, "bot.doctor.runs")
    else:
        yield found(Severity.NOTE, "bot.doctor.ran", age=at - last)
    outgoing = store.outgoing()
    waiting = await outgoing.backlog()
    await outgoing.close()
    yield either(waiting <= 1000, "bot.doctor.told", "bot.doctor.stuck", waiting=waiting)
    if aside := await store.aside.all():
        yield found(Severity.BAD, "bot.doctor.aside", count=len(aside))
    for each in aside[-SHOWN:]:
        fields = {"name": each.id, "stream": each.stream, "about": each.about, "reason": each.reason}
        since = max(timedelta(), at - each.at)
        yield found(Severity.NOTE, "bot.doctor.set-aside", age=since, **fields)
    policy = await store.journal.fsync()
    if policy is None:
        yield found(Severity.NOTE, "bot.doctor.hidden-fsync")
    else:
        weak = Severity.GOOD if policy == "always" else Severity.NOTE
        key = "bot.doctor.fsync" if policy == "always" else "bot.doctor.weak-fsync"
        yield found(weak, key, policy=policy)
    backup, rewrite = await ages(store)
    for age, key, never in (
        (backup, "bot.doctor.backup", "bot.doctor.no-backup"),
        (rewrite, "bot.doctor.rewritten", "bot.doctor.not-rewritten"),
    ):
        yield found(Severity.NOTE, never) if age is None else found(Severity.GOOD, key, age=age)


async def _archive(store: RedisStore) -> Finding:
    moved, archive = await last_moved(store), store.archive
    lost = found(Severity.BAD, "bot.doctor.lost-archive")
    if archive is None:
        return found(Severity.NOTE, "bot.doctor.no-archive") if moved is None else lost
    try:
        matches = await archive.count()
    except Unavailable as error:
        return found(
            Severity.BAD, "bot.doctor.bad-archive", file=str(archive.file), text=str(error.__cause__)
        )
    if moved is not None and not matches:
        return lost
    size = archive.file.stat().st_size // 2**20 if matches else 0
    return found(
        Severity.GOOD, "bot.doctor.archive", matches=matches, size=size, folder=str(archive.file.parent)
    )


_CLOSINGS = frozenset(closing.value for closing in Closing)


def replaying(games: Mapping[str, AnyGame]) -> Callable[[Match], None]:
    """Return a check of matches.

    It raises BadLog for a log that the rules do not allow, or whose end is not the match's, and BadRequest for a game that
    is not known.
    """
    replay = Replay(games, limit=0)

    def check(match: Match) -> None:
        if match.phase is Phase.CALLED_OFF:
            return
        course = replay.positions(match)
        if match.phase is Phase.OPEN:
            return
        by_rules = course.result
        said = match.result
        if by_rules is not None and by_rules.reason in _CLOSINGS and match.phase is Phase.PLAYING:
            return  # a repetition that was undone again and stands in the log only
        if (match.phase is Phase.OVER) is (said is None):
            raise BadLog(match.id, len(match.log))
        if said is None and by_rules is not None:
            raise BadLog(match.id, len(match.log))
        if said is not None and said.reason not in _CLOSINGS and said != by_rules:
            raise BadLog(match.id, len(match.log))

    return check
