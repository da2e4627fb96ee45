"""What an operator does for a store, or the bot for people who were forgotten, and how long ago."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from storage.redis.store import RedisStore
from storage.maintenance.backup import last_backup
from storage.maintenance.rewriting import last_rewrite

_VERIFIED: Final = "verified"  # the note of the last `klop verify`


async def note_damaged(store: RedisStore, damaged: int) -> None:
    """Note how many matches `klop verify` found damaged."""
    await store.notes.write(_VERIFIED, str(damaged), keep=timedelta(days=365))


async def damaged(store: RedisStore) -> int:
    """Return how many matches the last `klop verify` found damaged; 0 if there was none."""
    (noted,) = await store.notes.read(_VERIFIED)
    return int(noted or 0)


async def ages(store: RedisStore) -> tuple[timedelta | None, timedelta | None]:
    """Return the age of the last backup and of the last rewrite of the append-only file; None for what never was."""
    at = await store.now()
    backup, rewrite = await last_backup(store), await last_rewrite(store)
    backup_age, rewrite_age = [max(timedelta(), at - since) if since else None for since in (backup, rewrite)]
    return backup_age, rewrite_age
