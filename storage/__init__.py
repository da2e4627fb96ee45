"""Storage: `open_store` for a bot, `MemoryStore` for a test."""

from storage.embedded import EmbeddedRedis
from storage.errors import BadDump, CannotStart, Damage, Damaged, Dump, StorageError, StoreProblem
from storage.memory import MemoryStore
from storage.opening import open_store
from storage.outgoing import BoardMessage, Bucket, Outgoing, Sent
from storage.ports import FullStore
from storage.redis.store import RedisStore

__all__ = [
    "BadDump",
    "BoardMessage",
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
    "StorageError",
    "StoreProblem",
    "open_store",
]
