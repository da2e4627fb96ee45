"""A bot's store on Redis or Valkey."""

from storage.client.connection import Connection


class RedisPart:
    """A part of the store: it has a connection, and no state."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
