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
from storage.client.connection import CHANNELS, LEAST, Pipeline

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


async def echoed(pipeline: Pipeline, word: str) -> Any:
    (reply,) = await pipeline.exchange([("ECHO", word)])
    if isinstance(reply, Exception):
        raise reply
    return reply


@dataclass
class World:
    server: Server
    pipeline: Pipeline
    asked: list[asyncio.Task[Any]] = field(default_factory=list)

    def ask(self, count: int) -> list[asyncio.Task[Any]]:
        self.asked = [asyncio.create_task(echoed(self.pipeline, str(number))) for number in range(count)]
        return self.asked

    async def waiting_on_one(self) -> tuple[Heard, list[asyncio.Task[Any]]]:
        """A channel on which so many questions are open as go out in one piece."""
        tasks = self.ask(CHANNELS + LEAST)
        await self.server.until(CHANNELS)
        channel = self.server.heard[0]
        channel.answer(b"first")
        await self.server.until(CHANNELS + LEAST)
        return channel, tasks[CHANNELS:]


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    server = Server()
    path = tmp_path / "socket"
    listening = await asyncio.start_unix_server(server.talk, path)
    client = by_socket(path, timeout=PATIENCE)
    world = World(server, Pipeline(client.connection_pool))
    try:
        yield world
    finally:
        for task in world.asked:
            task.cancel()
        await all_of(world.asked)
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
    world.ask(CHANNELS + waiting)
    await world.server.until(CHANNELS)
    channels = list(world.server.heard)
    assert [len(channel.asked) for channel in channels] == [1] * CHANNELS, "each at once, in the asking task"
    channels[0].answer(b"yes")
    await world.server.until(CHANNELS + waiting // CHANNELS)
    assert [len(channel.asked) for channel in channels] == [1 + waiting // CHANNELS, *[1] * (CHANNELS - 1)]
    channels[1].answer(b"yes")
    await world.server.until(CHANNELS + waiting // CHANNELS + (waiting - waiting // CHANNELS) // CHANNELS)


async def test_each_future_is_resolved_as_its_reply_arrives(world: World) -> None:
    channel, late = await world.waiting_on_one()
    assert channel.asked[1:] == [str(CHANNELS + number).encode() for number in range(LEAST)], "in one piece"
    channel.answer(b"a", b"b", b"c")
    assert [await soon(task) for task in late[:3]] == [b"a", b"b", b"c"]
    assert not any(task.done() for task in late[3:])
    channel.answer(*[b"more"] * (LEAST - 3))
    assert await all_of(late[3:]) == [b"more"] * (LEAST - 3)


async def test_a_cut_befalls_those_alone_that_were_not_answered(world: World) -> None:
    channel, late = await world.waiting_on_one()
    channel.answer(b"a", b"b")
    channel.writer.close()
    answers = await all_of(late)
    assert answers[:2] == [b"a", b"b"]
    assert all(isinstance(answer, exceptions.ConnectionError) for answer in answers[2:])


async def test_the_answers_to_one_batch_and_in_the_place_of_each_lost_one_an_error(world: World) -> None:
    batch = asyncio.create_task(world.pipeline.exchange([("ECHO", "a"), ("ECHO", "b"), ("ECHO", "c")]))
    await world.server.until(3)
    world.server.heard[0].answer(b"a")
    world.server.heard[0].writer.close()
    said, *lost = await soon(batch)
    assert said == b"a"
    assert len(lost) == 2
    assert all(isinstance(answer, exceptions.ConnectionError) for answer in lost)
