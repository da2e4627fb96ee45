"""Where matches sleep: `open_store` for a bot, `MemoryStore` for a test."""

from storage.embedded import EmbeddedRedis
from storage.errors import CannotStart, Damage, Damaged, StorageError, Trouble
from storage.memory import MemoryStore
from storage.opening import open_store
from storage.redis_store import RedisStore

__all__ = [
    "CannotStart",
    "Damage",
    "Damaged",
    "EmbeddedRedis",
    "MemoryStore",
    "RedisStore",
    "StorageError",
    "Trouble",
    "open_store",
]
