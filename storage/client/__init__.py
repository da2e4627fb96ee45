"""The Redis client: connections, pipelining, retries."""

from storage.client.connecting import CONNECTIONS, TIMEOUT, by_socket, by_url
from storage.client.connection import Connection, Script, Word, pairs
from storage.client.pipeline import PATIENCE

__all__ = [
    "CONNECTIONS",
    "PATIENCE",
    "TIMEOUT",
    "Connection",
    "Script",
    "Word",
    "by_socket",
    "by_url",
    "pairs",
]
