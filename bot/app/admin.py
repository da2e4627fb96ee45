"""The commands for operators: each writes lines and returns an exit status."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.app.doctor import attached, examine, replaying
from bot.app.setup import UNITS, hidden, set_up, unit
from bot.chat.i18n import Words
from bot.chat.i18n import words as words_for
from bot.config import Config
from play.errors import PlayError
from rules import GAMES
from storage import StorageError
from storage.embedded.directory import holds_store
from storage.errors import Damage, Damaged
from storage.maintenance.backup import backup, note_damaged, restore
from storage.maintenance.retention import finish, found_in, new_in, prune
from storage.maintenance.verify import reindex, verify
from storage.redis.store import RedisStore

WELL: Final = 0
DAMAGE: Final = 1
FAILED: Final = 2
_ALL: Final = "all"  # in place of the id of what is set aside


@dataclass(frozen=True, slots=True)
class AdminRequest:
    """An operator's request."""

    settings: Config
    words: Words
    write: Callable[[str], None]
    argument: str = ""

    def say(self, key: str, /, **fields: object) -> None:
        """Write the words of a key."""
        self.write(self.words(key, **fields))

    def complain(self, key: str, /, **fields: object) -> None:
        """Write the words of a key to standard error."""
        sys.stderr.write(self.words(key, **fields) + "\n")


async def _verify(request: AdminRequest, store: RedisStore) -> int:
    looked = damaged = newer = 0
    async for found in verify(store, replaying(GAMES)):
        looked += 1
        if found.fault is not None:
            newer += found.fault.reason is Damage.NEWER  # sound, and no backup would help
            damaged += found.fault.reason is not Damage.NEWER
            said = request.words(found.fault.reason, **found.fault.fields)
            request.say("bot.admin.damaged", code=found.match_id, said=said)
    await note_damaged(store, damaged)
    request.write(request.words.count("bot.admin.verified", looked))
    if damaged:
        request.write(request.words.count("bot.admin.remedy", damaged))
    elif not newer:
        request.say("bot.admin.sound")
    return DAMAGE if damaged or newer else WELL


async def _reindex(request: AdminRequest, store: RedisStore) -> int:
    done = await reindex(store)
    request.write(request.words.count("bot.admin.reindexed", done.matches, added=done.added))
    if done.unreadable:
        request.write(request.words.count("bot.admin.unreadable", done.unreadable))
    return DAMAGE if done.unreadable else WELL


async def _taken_up(
    request: AdminRequest, store: RedisStore, take_up: Callable[[str], Awaitable[bool]], done: str
) -> int:
    wanted = request.argument
    names = [each.id for each in await store.aside.all()] if wanted == _ALL else [wanted]
    count = sum([await take_up(name) for name in names])
    if not count and wanted != _ALL:
        request.say("bot.admin.no-aside", name=wanted)
        return FAILED
    request.say(done, count=count)
    return WELL


async def _backup(request: AdminRequest, store: RedisStore) -> int:
    path = _file(request)
    if request.argument.endswith("/"):
        path.mkdir(mode=0o700, exist_ok=True)
    folder = path if path.is_dir() else None
    if folder is not None:
        path = new_in(folder, await store.now())
    done = await backup(store, path)
    if folder is not None:
        path = finish(path, sound=not done.damaged)
        prune(folder)
    _name(request, done.damaged)
    request.write(request.words.count("bot.admin.backed-up", done.matches, file=str(path)))
    if not done.damaged:
        return WELL
    request.say("bot.admin.set-aside", count=len(done.damaged))
    return DAMAGE


async def _restore(request: AdminRequest, store: RedisStore) -> int:
    path = _file(request)
    if path.is_dir():
        finished = found_in(path)
        if not finished:
            request.say("bot.admin.no-backup-in", file=str(path))
            return FAILED
        path = next(iter(finished.values()))
    done = await restore(store, path)
    _name(request, done.damaged)
    request.write(request.words.count("bot.admin.restored", done.matches, file=str(path)))
    if done.damaged:
        request.say("bot.admin.left-out", count=len(done.damaged))
    if done.torn:
        request.say("bot.admin.torn")
    return DAMAGE if done.damaged or done.torn else WELL


def _name(request: AdminRequest, damaged: Sequence[Damaged]) -> None:
    for found in damaged:
        said = request.words(found.reason, **found.fields)
        request.say("bot.admin.damaged", code=found.match_id, said=said)


def _file(request: AdminRequest) -> Path:
    if not request.argument:
        raise ValueError("a file has to be named")
    return Path(request.argument)


_ON_A_STORE: Final[Mapping[str, Callable[[AdminRequest, RedisStore], Awaitable[int]]]] = {
    "verify": _verify,
    "reindex": _reindex,
    "replay": lambda request, store: _taken_up(request, store, store.aside.replay, "bot.admin.replayed"),
    "drop": lambda request, store: _taken_up(request, store, store.aside.drop, "bot.admin.dropped"),
    "backup": _backup,
    "restore": _restore,
}


async def _systemd(request: AdminRequest) -> int:
    """Complain on standard error, since what is written goes into a file."""
    name = request.argument or UNITS[0]
    if name not in UNITS:
        request.complain("bot.admin.no-unit", name=name, offered=UNITS)
        return FAILED
    request.write(unit(name))
    if (path := hidden()) is None:
        return WELL
    request.complain("bot.admin.unit-hidden", path=str(path))
    return DAMAGE


_WITHOUT_STORE: Final[Mapping[str, Callable[[AdminRequest], Awaitable[int]]]] = {
    "doctor": lambda request: examine(request.settings, request.words, request.write),
    "setup": lambda request: set_up(request.settings, request.words, request.write),
    "systemd": _systemd,
}

_ON_WHAT_IS_THERE: Final = frozenset({"verify", "reindex", "replay", "drop", "backup"})
"""Commands that do not make a new store, which a mistyped path would ask for."""


async def run(
    command: str, settings: Config, write: Callable[[str], None], argument: str | None = None
) -> int:
    """Run a command; see `bot.app.operators.administer`."""
    request = AdminRequest(settings, words_for(settings.language), write, argument or "")
    alone = _WITHOUT_STORE.get(command)
    if alone is not None and (argument or command not in _ON_A_STORE):
        return await alone(request)
    url = settings.store_url
    if url is None and command in _ON_WHAT_IS_THERE and not holds_store(settings.data):
        request.say("bot.admin.no-store", directory=str(settings.data))
        return FAILED
    try:
        async with attached(url, settings.data, settings.archive_folder) as store:
            return await _ON_A_STORE[command](request, store)
    except (StorageError, PlayError) as refusal:
        request.say(refusal.reason, **refusal.fields)
    except FileExistsError:
        request.say("bot.admin.file-exists", file=request.argument)
    except OSError as error:
        request.say("bot.admin.file-trouble", file=request.argument, text=error.strerror or str(error))
    return FAILED
