"""The store in memory, for tests and trials."""

from storage.memory.store import MemoryStore

__all__ = ["MemoryStore"]
