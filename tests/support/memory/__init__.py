"""The store in memory, which tests and measurements use in place of Redis. It passes the same contract tests."""

from tests.support.memory.store import MemoryStore

__all__ = ["MemoryStore"]
