from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest_asyncio
from hiredis import Reader
from redis import exceptions

from storage.client import by_socket
from storage.client.pipeline import CHANNELS, LEAST, Pipeline

PATIENCE = 20.0


@dataclass
class Heard:
    """A connection as the server sees it: it answers when the test says so."""

    writer: asyncio.StreamWriter
    asked: list[bytes] = field(default_factory=list)

    def answer(self, *words: bytes) -> None:
        self.writer.write(b"".join(b"+" + word + b"\r\n" for word in words))


class Server:
    """Hears what is asked, and on which connection."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self._news = asyncio.Event()

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard = Heard(writer)
        self.heard.append(heard)
        questions = Reader()
        while said := await reader.read(1 << 16):
            questions.feed(said)
            while (question := questions.gets()) is not False:
                heard.asked.append(question[1])
            self._news.set()
        writer.close()

    async def until(self, count: int) -> None:
        """Until so many questions have come in all."""
        async with asyncio.timeout(PATIENCE):
            while sum(len(heard.asked) for heard in self.heard) < count:
                self._news.clear()
                await self._news.wait()


@dataclass
class World:
    server: Server
    pipeline: Pipeline

    def ask(self, count: int) -> list[asyncio.Task[Any]]:
        return [asyncio.create_task(self.pipeline.ask("ECHO", str(number))) for number in range(count)]


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    server = Server()
    path = tmp_path / "socket"
    listening = await asyncio.start_unix_server(server.talk, path)
    client = by_socket(path, timeout=PATIENCE)
    try:
        yield World(server, Pipeline(client.connection_pool))
    finally:
        await client.aclose()
        listening.close()


async def all_of(tasks: list[asyncio.Task[Any]]) -> list[Any]:
    async with asyncio.timeout(PATIENCE):
        return await asyncio.gather(*tasks, return_exceptions=True)


async def soon(wanted: Awaitable[Any]) -> Any:
    async with asyncio.timeout(PATIENCE):
        return await wanted


async def test_what_waits_is_shared_out_among_the_channels(world: World) -> None:
    waiting = 4 * LEAST * CHANNELS
    tasks = world.ask(CHANNELS + waiting)
    await world.server.until(CHANNELS)
    channels = list(world.server.heard)
    assert [len(channel.asked) for channel in channels] == [1] * CHANNELS, "each at once, in the asking task"
    channels[0].answer(b"yes")
    await world.server.until(CHANNELS + waiting // CHANNELS)
    assert [len(channel.asked) for channel in channels] == [1 + waiting // CHANNELS, *[1] * (CHANNELS - 1)]
    channels[1].answer(b"yes")
    await world.server.until(CHANNELS + waiting // CHANNELS + (waiting - waiting // CHANNELS) // CHANNELS)
    for task in tasks:
        task.cancel()
    await all_of(tasks)


async def test_each_future_is_resolved_as_its_reply_arrives(world: World) -> None:
    tasks = world.ask(CHANNELS + LEAST)
    await world.server.until(CHANNELS)
    channel = world.server.heard[0]
    channel.answer(b"first")
    await world.server.until(CHANNELS + LEAST)
    assert channel.asked[1:] == [str(CHANNELS + number).encode() for number in range(LEAST)], "in one piece"
    channel.answer(b"a", b"b", b"c")
    late = tasks[CHANNELS:]
    assert [await soon(task) for task in late[:3]] == [b"a", b"b", b"c"]
    assert not any(task.done() for task in late[3:])
    channel.answer(*[b"more"] * (LEAST - 3))
    assert await all_of(late[3:]) == [b"more"] * (LEAST - 3)
    for task in tasks:
        task.cancel()
    await all_of(tasks)


async def test_a_cut_befalls_those_alone_that_were_not_answered(world: World) -> None:
    tasks = world.ask(CHANNELS + LEAST)
    await world.server.until(CHANNELS)
    channel = world.server.heard[0]
    channel.answer(b"first")
    await world.server.until(CHANNELS + LEAST)
    channel.answer(b"a", b"b")
    channel.writer.close()
    answers = await all_of(tasks[CHANNELS:])
    assert answers[:2] == [b"a", b"b"]
    assert all(isinstance(answer, exceptions.ConnectionError) for answer in answers[2:])
    for task in tasks:
        task.cancel()
    await all_of(tasks)


async def test_the_answers_to_one_batch_and_in_the_place_of_each_lost_one_an_error(world: World) -> None:
    batch = asyncio.create_task(world.pipeline.ask_all([("ECHO", "a"), ("ECHO", "b"), ("ECHO", "c")]))
    await world.server.until(3)
    world.server.heard[0].answer(b"a")
    world.server.heard[0].writer.close()
    said, *lost = await soon(batch)
    assert said == b"a"
    assert len(lost) == 2
    assert all(isinstance(answer, exceptions.ConnectionError) for answer in lost)
