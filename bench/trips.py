"""Record what a store sends to Redis, at its pipeline, and send it again without the store."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from redis.asyncio import Redis
from redis.exceptions import NoScriptError

from storage import RedisStore
from storage.client.connection import Pipeline, Script
from storage.keys import PREFIX

ELSEWHERE: Final = "bare"
"""Stands in front of the keys of what is said again: as long as the store's own prefix, so that sizes stay the same."""

_READ: Final = Script("read")


@dataclass(frozen=True, slots=True)
class Command:
    """One command, on keys elsewhere.

    Attributes:
        words: What was said.
        entries: Which entries of streams its answer held. They are called otherwise when it is said again.
    """

    words: tuple[Any, ...]
    entries: tuple[str, ...] = ()

    def runs(self, script: Script) -> bool:
        """Return whether it runs a script, brought along or not."""
        return len(self.words) > 1 and self.words[1] in (script.digest, script.text)


Trip: TypeAlias = tuple[Command, ...]
"""The commands of one round trip: several in a pipeline."""


def elsewhere(words: Sequence[Any]) -> tuple[Any, ...]:
    """The words of a command on keys of its own, where it finds and does just what the first did."""
    own = f"{PREFIX}:"
    return tuple(
        f"{ELSEWHERE}:{word.removeprefix(own)}" if isinstance(word, str) and word.startswith(own) else word
        for word in words
    )


class Overheard(Pipeline):
    """A pipeline that writes down all that goes through it, on keys elsewhere.

    One trip at a time: over several connections answers may arrive in another order than the server served them, and what
    is said again would not find what it found.
    """

    _written: list[Trip]
    _turn: asyncio.Lock

    @classmethod
    def of(cls, store: RedisStore) -> Overheard:
        """The pipeline of a store from now on."""
        connection = store.connection
        made = cls(connection.client.connection_pool)  # type: ignore[union-attr]  # one server, not a cluster
        made._written = []
        made._turn = asyncio.Lock()
        connection._nodes = made  # noqa: SLF001 - the store need not know
        return made

    def take(self) -> tuple[Trip, ...]:
        """The trips since this was last asked."""
        taken = tuple(self._written)
        self._written.clear()
        return taken

    async def exchange(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """Ask, and write down. What only finds that the server does not know a script is left out: it does once."""
        async with self._turn:
            answers = await super().exchange(commands)
            trip = tuple(
                _written(words, answer)
                for words, answer in zip(commands, answers, strict=True)
                if not isinstance(answer, NoScriptError)
            )
            if trip:
                self._written.append(trip)
        return answers


def _written(words: Sequence[Any], answer: Any) -> Command:
    command = Command(elsewhere(words))
    return Command(command.words, tuple(_entries(answer))) if command.runs(_READ) else command


def _entries(answer: Any) -> Iterator[str]:
    for *_, entries in answer[2:]:  # after how many readers there are
        for name, _ in entries:
            yield name.decode()


class Echo:
    """Says again what was overheard, through redis-py's own commands and pipelines.

    Entries of a stream are named by the server's clock, so those that are done with are called here by the names that they
    have here.
    """

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._called: dict[Any, str] = {}

    async def say(self, trips: Sequence[Trip]) -> None:
        """Make some trips, one after the other.

        Raises:
            ValueError: a stream did not hold as many entries as it did when this was overheard.
        """
        for trip in trips:
            if len(trip) == 1:
                answers = [await self._client.execute_command(*self._words(trip[0]))]  # type: ignore[no-untyped-call]
            else:
                pipe = self._client.pipeline(transaction=False)
                for command in trip:
                    pipe.execute_command(*self._words(command))
                answers = await pipe.execute()
            for command, answer in zip(trip, answers, strict=True):
                if command.runs(_READ):
                    self._called.update(zip(command.entries, _entries(answer), strict=True))

    def _words(self, command: Command) -> tuple[Any, ...]:
        if command.words[0] == "XDEL":  # of what is done
            return tuple(self._called.pop(word, word) for word in command.words)
        if command.runs(_READ):  # from the entry on that was read last
            return tuple(self._called.get(word, word) for word in command.words)
        return command.words
