"""What a store says to Redis, written down and said again with nothing around."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline

from storage.keys import PREFIX

ELSEWHERE: Final = "bare"
"""Stands in front of the keys of what is said again: as long as the store's own prefix, so that sizes stay the same."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command as redis-py takes it: the words, and how the answer is to be read."""

    words: tuple[Any, ...]
    reading: Mapping[str, Any]

    @property
    def elsewhere(self) -> Command:
        """The same on keys of its own, where it finds and does just what the first did."""
        own = f"{PREFIX}:"
        words = tuple(
            f"{ELSEWHERE}:{word.removeprefix(own)}"
            if isinstance(word, str) and word.startswith(own)
            else word
            for word in self.words
        )
        return Command(words, self.reading)


Trip = tuple[Command, ...]
"""The commands of one round trip: several in a pipeline."""


class Overheard(Redis):
    """A client that writes down all it is told, on keys elsewhere."""

    _written: list[Trip]

    @classmethod
    def through(cls, client: Redis) -> Overheard:
        """One that speaks through another's connections; it is the other that closes them."""
        made = cls(connection_pool=client.connection_pool)
        made._written = []
        return made

    def take(self) -> tuple[Trip, ...]:
        """The trips since this was last asked."""
        taken = tuple(self._written)
        self._written.clear()
        return taken

    async def execute_command(self, *words: Any, **reading: Any) -> Any:
        """Write down and say one command."""
        self._written.append((Command(words, reading).elsewhere,))
        return await super().execute_command(*words, **reading)  # type: ignore[no-untyped-call]  # redis-py

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline:
        """A pipeline that writes down what it says when it is sent."""
        pipe = _OverheardPipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)
        pipe.written = self._written
        return pipe


class _OverheardPipeline(Pipeline):
    written: list[Trip]

    async def execute(self, raise_on_error: bool = True) -> list[Any]:
        if self.is_transaction:
            raise ValueError("a transaction, which would have to be said again as one")
        said = (Command(tuple(words), reading) for words, reading in self.command_stack)
        self.written.append(tuple(command.elsewhere for command in said))
        return await super().execute(raise_on_error)


async def say(client: Redis, trips: Sequence[Trip]) -> None:
    """Make some trips, one after the other."""
    for trip in trips:
        if len(trip) == 1:
            command = trip[0]
            await client.execute_command(*command.words, **command.reading)  # type: ignore[no-untyped-call]  # redis-py
        else:
            pipe = client.pipeline(transaction=False)
            for command in trip:
                pipe.execute_command(*command.words, **command.reading)
            await pipe.execute()
