"""The Redis client: connections, pipelining, retries."""

from storage.client.absence import PATIENCE
from storage.client.connecting import CONNECTIONS, TIMEOUT, by_socket, by_url, connect
from storage.client.connection import Connection, Script, Word, pairs

__all__ = [
    "CONNECTIONS",
    "PATIENCE",
    "TIMEOUT",
    "Connection",
    "Script",
    "Word",
    "by_socket",
    "by_url",
    "connect",
    "pairs",
]
