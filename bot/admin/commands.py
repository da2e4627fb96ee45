"""The commands for operators: each writes lines, and its exit status says whether all is well."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.admin.attaching import attached
from bot.admin.doctor import examine
from bot.admin.replaying import replaying
from bot.config import Config
from bot.i18n import Words
from bot.i18n import words as words_for
from play.errors import PlayError
from rules import GAMES
from storage import StorageError
from storage.embedded.directory import holds_store
from storage.maintenance.backup import backup, restore
from storage.maintenance.verify import reindex, verify
from storage.redis.store import RedisStore

WELL: Final = 0
DAMAGE: Final = 1
FAILED: Final = 2


@dataclass(frozen=True, slots=True)
class Chore:
    """An operator's request.

    Attributes:
        settings: Of the bot that is looked after.
        words: The language of the lines.
        write: Writes a line.
        file: The file that was named, if any.
    """

    settings: Config
    words: Words
    write: Callable[[str], None]
    file: Path | None = None

    def say(self, key: str, /, **fields: object) -> None:
        """Write the words of a key."""
        self.write(self.words(key, **fields))


async def _verify(chore: Chore, store: RedisStore) -> int:
    """Replay every match; report each that is damaged, and what to do."""
    looked = damaged = 0
    async for found in verify(store, replaying(GAMES)):
        looked += 1
        if found.fault is not None:
            damaged += 1
            said = chore.words(found.fault.reason, **found.fault.fields)
            chore.say("bot.admin.damaged", code=found.match_id, said=said)
    chore.write(chore.words.count("bot.admin.verified", looked))
    if damaged:
        chore.write(chore.words.count("bot.admin.remedy", damaged))
        return DAMAGE
    chore.say("bot.admin.sound")
    return WELL


async def _reindex(chore: Chore, store: RedisStore) -> int:
    """Put the lists of people and places right."""
    done = await reindex(store)
    chore.write(chore.words.count("bot.admin.reindexed", done.matches, added=done.added))
    if done.unreadable:
        chore.write(chore.words.count("bot.admin.unreadable", done.unreadable))
    return DAMAGE if done.unreadable else WELL


async def _backup(chore: Chore, store: RedisStore) -> int:
    """Write everything into a new file."""
    path = _file(chore)
    chore.write(chore.words.count("bot.admin.backed-up", await backup(store, path), file=str(path)))
    return WELL


async def _restore(chore: Chore, store: RedisStore) -> int:
    """Bring a backup into an empty store."""
    path = _file(chore)
    chore.write(chore.words.count("bot.admin.restored", await restore(store, path), file=str(path)))
    return WELL


def _file(chore: Chore) -> Path:
    if chore.file is None:
        raise ValueError("a file has to be named")
    return chore.file


_ON_A_STORE: Final[Mapping[str, Callable[[Chore, RedisStore], Awaitable[int]]]] = {
    "verify": _verify,
    "reindex": _reindex,
    "backup": _backup,
    "restore": _restore,
}

_ON_WHAT_IS_THERE: Final = frozenset({"verify", "reindex", "backup"})
"""Those that would find nothing in a new store, and should not make one where a path was mistyped."""

HELP: Final[Mapping[str, str]] = {
    "verify": "replay every match and report damage",
    "reindex": "rebuild the lists of people's and chats' matches",
    "doctor": "look at everything the bot needs, and say how to mend what is amiss",
    "backup": "write everything into a new file; the bot may run",
    "restore": "bring a backup into an empty store",
}
"""Every command for operators, and what it does."""

ADMIN: Final = tuple(HELP)

WITH_FILE: Final = ("backup", "restore")
"""Those that a file is named for."""


async def administer(
    command: str, settings: Config, write: Callable[[str], None], file: Path | None = None
) -> int:
    """Run one command.

    Args:
        command: One of `ADMIN`.
        settings: Of the bot.
        write: Writes a line.
        file: For `WITH_FILE`.

    Returns:
        The exit status: 0 if all is well, 1 if something is damaged or amiss, 2 if it could not be done.
    """
    chore = Chore(settings, words_for(settings.language), write, file)
    if command == "doctor":
        return await examine(settings, chore.words, write)
    url = settings.store_url
    if url is None and command in _ON_WHAT_IS_THERE and not holds_store(settings.data):
        chore.say("bot.admin.no-store", directory=str(settings.data))
        return FAILED
    try:
        async with attached(url, settings.data) as store:
            return await _ON_A_STORE[command](chore, store)
    except (StorageError, PlayError) as refusal:
        chore.say(refusal.reason, **refusal.fields)
    except FileExistsError:
        chore.say("bot.admin.file-exists", file=str(file))
    except OSError as error:
        chore.say("bot.admin.file-trouble", file=str(file), text=error.strerror or str(error))
    return FAILED
