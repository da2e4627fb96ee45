"""Where matches sleep: `open_store` for a bot, `MemoryStore` for a test."""

from storage.embedded import EmbeddedRedis
from storage.errors import BadDump, CannotStart, Damage, Damaged, Dump, StorageError, Trouble
from storage.memory import MemoryStore
from storage.opening import open_store
from storage.outgoing import Bucket, Outgoing, Sent, Shown
from storage.redis_store import RedisStore
from storage.upkeep import FullStore, Upkeep

__all__ = [
    "BadDump",
    "Bucket",
    "CannotStart",
    "Damage",
    "Damaged",
    "Dump",
    "EmbeddedRedis",
    "FullStore",
    "MemoryStore",
    "Outgoing",
    "RedisStore",
    "Sent",
    "Shown",
    "StorageError",
    "Trouble",
    "Upkeep",
    "open_store",
]
