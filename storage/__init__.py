"""Storage: `open_store` for a bot, the stores and their errors."""

from storage.embedded import EmbeddedRedis
from storage.errors import CannotStart, Damage, Damaged, StorageError, StoreProblem
from storage.opening import open_store
from storage.ports import BoardMessage, FullStore
from storage.redis.store import RedisStore
