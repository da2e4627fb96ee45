"""What an operator does for a store, or the bot for people who were forgotten, and how long ago."""

from __future__ import annotations

from datetime import timedelta

from storage import RedisStore
from storage.maintenance.backup import last_backup
from storage.maintenance.rewriting import last_rewrite


async def ages(store: RedisStore) -> tuple[timedelta | None, timedelta | None]:
    """Return the age of the last backup and of the last rewrite of the append-only file; None for what never was."""
    at = await store.now()
    backup, rewrite = await last_backup(store), await last_rewrite(store)
    return at - backup if backup else None, at - rewrite if rewrite else None
