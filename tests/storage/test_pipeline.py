"""Connections and pipelines; requests and replies that are lost."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import redis
from hiredis import Reader
from redis import exceptions
from redis.asyncio import BlockingConnectionPool, Redis, UnixDomainSocketConnection
from redis.exceptions import RedisClusterException

from play.errors import Stale, Unavailable
from play.facts import Reached, Started
from play.match import Match
from play.ports import Operation, Timer
from play.settings import Settings
from storage import keys
from storage.client import connection as client_connection
from storage.client.connecting import by_socket
from storage.client.connection import CHANNELS, LEAST, Connection, Pipeline
from storage.redis.store import RedisStore
from tests.support.matches import ANIA, HALL, OPENED, running
from tests.support.proxy import Proxy
from tests.support.stores import got, language, put, set_language, set_settings
from tests.support.waiting import LIMIT, eventually

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


async def test_a_cancellation_that_the_client_loses_still_ends_the_task() -> None:
    asked = asyncio.Event()

    async def loses_it(_: object) -> list[int]:
        asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return [1]
        return [0]

    async with Redis() as client:
        task = asyncio.create_task(Connection(client).ask((), to=loses_it))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


@pytest.mark.parametrize(
    "leaked", [AttributeError, KeyError, TypeError, OSError, RuntimeError, RedisClusterException]
)
async def test_what_redis_py_lets_slip_is_a_store_out_of_reach(leaked: type[Exception]) -> None:
    class Broken(BlockingConnectionPool):
        async def get_connection(self, *_: Any, **__: Any) -> Any:
            raise leaked("'NoneType' object has no attribute 'write'")

    with pytest.raises(Unavailable):
        await Connection(Redis.from_pool(Broken()), patience=0.05).command("PING")


async def test_errors_of_this_program_are_not_hidden() -> None:
    async def wrong(_: object) -> list[Any]:
        raise AttributeError

    async with Redis() as client:
        with pytest.raises(AttributeError):
            await Connection(client, patience=0.05).ask((), to=wrong)


async def test_redis_py_has_the_private_attributes_that_the_pipeline_uses() -> None:
    connection = UnixDomainSocketConnection(path="/nowhere")
    missing = [name for name in client_connection.PRIVATE if not hasattr(connection, name)]
    assert not missing, f"redis-py {redis.__version__} renamed {missing}: adapt storage/client/connection.py"


def test_the_pipeline_uses_no_other_private_attributes_of_redis_py() -> None:
    source = Path(client_connection.__file__).read_text("utf-8")
    assert set(re.findall(r"self\.connection\.(_\w+)", source)) == set(client_connection.PRIVATE)
    assert re.findall(r"_pool\._\w+", source) == []


# A connection that loses requests and replies: nothing is lost, nothing doubled, and every wait ends.


@pytest_asyncio.fixture
async def shaky(proxy: Proxy) -> AsyncIterator[RedisStore]:
    """A store that talks through the proxy."""
    client = by_socket(proxy.path)
    yield RedisStore(client, patience=LIMIT)
    await client.aclose()


@pytest_asyncio.fixture
async def hasty(proxy: Proxy) -> AsyncIterator[RedisStore]:
    """The same, with little patience."""
    client = by_socket(proxy.path, timeout=0.05)
    yield RedisStore(client, patience=0.1)
    await client.aclose()


@pytest.fixture
def steady(redis_client: Redis) -> RedisStore:
    """A store that talks to the same server directly, with all the time there is."""
    return RedisStore(redis_client, patience=LIMIT)


async def test_each_command_is_one_trip(proxy: Proxy, shaky: RedisStore) -> None:
    await put(shaky, running(), 0)  # the first one has to bring the script
    proxy.questions = 0

    async def trips() -> int:
        count, proxy.questions = proxy.questions, 0
        return count

    await put(shaky, running(), 1)
    assert await trips() == 1
    await got(shaky, "k7q2ab")
    assert await trips() == 1
    await set_settings(shaky, HALL, Settings(flip=True))
    proxy.questions = 0
    await set_settings(shaky, HALL, Settings())
    assert await trips() == 2  # they are read, and then swapped
    await shaky.settings.get(HALL)
    assert await trips() == 1
    await got(shaky, "k7q2ab")
    await put(shaky, running(), 2, operation=Operation("a", "b"), timers=[Timer("flag", OPENED)])
    assert await trips() == 2
    await shaky.matches.load("k7q2ab", Operation("a", "b"))
    assert await trips() == 1
    await shaky.matches.at(HALL)
    assert await trips() == 2  # the list, and then the matches on it
    await shaky.matches.of(replace(ANIA.account, uid="stranger"))
    assert await trips() == 1
    with pytest.raises(Stale):
        await put(shaky, running(), 1)
    assert await trips() == 1  # the fresh match came with the refusal


async def test_a_server_that_has_forgotten_the_script_gets_it_again(
    redis_client: Redis, steady: RedisStore
) -> None:
    await put(steady, running(), 0)
    await redis_client.script_flush()
    assert (await put(steady, running(), 1)).revision == 2


@pytest.mark.parametrize("lost", [1, 2, 3])
@pytest.mark.parametrize("what", ["lose_questions", "lose_answers", "delay_questions"])
async def test_a_commit_on_a_bad_line_is_done_once(
    proxy: Proxy, shaky: RedisStore, steady: RedisStore, what: str, lost: int
) -> None:
    begun = await put(shaky, running(plies=3), 0)
    setattr(proxy, what, lost)
    committed = await put(shaky, running(plies=4), begun.revision)
    assert committed == replace(running(plies=4), revision=2) == await got(steady, begun.id)
    await proxy.deliver()
    assert await got(steady, begun.id) == committed
    assert await steady.matches.at(HALL) == [committed]


@pytest.mark.parametrize("what", ["lose_questions", "lose_answers", "delay_questions"])
async def test_a_fact_that_is_announced_on_a_bad_line_is_sent_once(
    proxy: Proxy, shaky: RedisStore, steady: RedisStore, what: str
) -> None:
    match = await put(steady, running(), 0)
    setattr(proxy, what, 2)
    await shaky.matches.announce(Reached(match, HALL))
    await proxy.deliver()
    sent = [one.fact for one in await steady.outgoing().read(10)]
    assert sent == [Started(match), Reached(match, HALL)]


@pytest.mark.parametrize("what", ["lose_questions", "lose_answers", "delay_questions"])
async def test_a_note_is_taken_on_a_bad_line(
    proxy: Proxy, shaky: RedisStore, steady: RedisStore, what: str
) -> None:
    await steady.notes.write("ticket", "row 7")
    setattr(proxy, what, 2)
    assert await shaky.notes.take("ticket") == "row 7"
    await proxy.deliver()
    assert await shaky.notes.take("ticket") is None


async def test_a_late_question_does_not_undo_what_came_after(
    proxy: Proxy, shaky: RedisStore, steady: RedisStore
) -> None:
    await put(shaky, running(plies=3), 0)
    proxy.delay_questions = 1
    await put(shaky, running(plies=4), 1)
    last = await put(steady, running(plies=5), 2)
    (answer,) = await proxy.deliver()
    assert answer.startswith(b"*2\r\n")  # it had been done
    assert await got(steady, last.id) == last


async def test_a_lost_answer_is_made_good_even_if_others_went_on(
    proxy: Proxy, shaky: RedisStore, steady: RedisStore
) -> None:
    await put(shaky, running(plies=3), 0)

    async def others_play_on() -> None:
        for plies in (5, 6, 7):
            await put(steady, running(plies=plies), plies - 3)

    proxy.lose_answers = 1
    proxy.meanwhile = others_play_on
    assert (await put(shaky, running(plies=4), 1)).revision == 2
    assert await got(steady, "k7q2ab") == replace(running(plies=7), revision=5)


async def test_a_lost_request_loses_to_a_faster_one(
    proxy: Proxy, shaky: RedisStore, steady: RedisStore
) -> None:
    await put(shaky, running(plies=3), 0)
    faster: list[Match] = []

    async def another_plays() -> None:
        faster.append(await put(steady, running(plies=5), 1))

    proxy.lose_questions = 1
    proxy.meanwhile = another_plays
    with pytest.raises(Stale) as refusal:
        await put(shaky, running(plies=4), 1)
    assert [refusal.value.match] == faster


@pytest.mark.parametrize("asked_again", [True, False])
async def test_facts_whose_answer_was_lost_are_read_again(
    proxy: Proxy, shaky: RedisStore, steady: RedisStore, monkeypatch: pytest.MonkeyPatch, asked_again: bool
) -> None:
    outgoing = shaky.outgoing()
    wanted = outgoing._wanted

    def wanted_and_lost() -> list[int]:
        proxy.lose_answers = 1 if asked_again else 1000
        return wanted()

    told: list[int] = []
    for revision in range(6):
        await put(steady, running(), revision)
        monkeypatch.setattr(outgoing, "_wanted", wanted_and_lost)
        if asked_again:
            told += [sent.subject.revision for sent in await outgoing.read(10)]
        else:
            monkeypatch.setattr(shaky.connection, "_patience", 0.05)
            with pytest.raises(Unavailable):
                await outgoing.read(10)
        proxy.lose_answers = 0
        monkeypatch.undo()
        told += [sent.subject.revision for sent in await outgoing.read(10)]
    assert told == [1, 2, 3, 4, 5, 6]


async def test_receipts_do_not_pile_up(redis_client: Redis, steady: RedisStore) -> None:
    match = await put(steady, running(), 0)
    receipts = await redis_client.keys(f"{keys.operation_key(match.id, ' ')}*")
    assert len(receipts) == 1
    assert 0 < await redis_client.ttl(receipts[0]) <= 60


async def test_a_black_hole_is_left_in_time(proxy: Proxy, hasty: RedisStore) -> None:
    proxy.deaf = True
    for attempt in (
        got(hasty, "k7q2ab"),
        put(hasty, running(), 0),
        hasty.matches.announce(Reached(replace(running(), revision=1), HALL)),
        hasty.matches.at(HALL),
        language(hasty, HALL),
    ):
        with pytest.raises(Unavailable) as refusal:
            async with asyncio.timeout(LIMIT):
                await attempt
        assert isinstance(refusal.value.__cause__, (exceptions.TimeoutError, TimeoutError))
    proxy.deaf = False
    await proxy.hang_up()
    await eventually(lambda: answers(hasty))


@pytest.mark.parametrize("how", ["cut off", "loading"])
async def test_calls_wait_together_for_a_server_that_is_away(
    proxy: Proxy, hasty: RedisStore, how: str
) -> None:
    """Once one of them has given up, the others fail without being sent; a probe finds out when they go through again."""
    match = await put(hasty, running(), 0)
    many = 100
    if how == "cut off":
        proxy.lose_questions = 100 * many
    else:
        proxy.replies.extend([b"-LOADING Redis is loading the dataset in memory\r\n"] * (100 * many))
    with pytest.raises(Unavailable):
        await put(hasty, running(), match.revision)
    before = proxy.questions
    for _ in range(many):
        with pytest.raises(Unavailable) as refusal:
            await got(hasty, match.id)
        assert isinstance(refusal.value.__cause__, exceptions.ConnectionError)
    assert proxy.questions - before < many
    proxy.lose_questions = 0
    proxy.replies.clear()
    await eventually(lambda: answers(hasty))
    assert await got(hasty, match.id) == match


@pytest.mark.parametrize(
    "words",
    [
        b"OOM command not allowed when used memory > 'maxmemory'.",
        b"MISCONF Errors writing to the AOF file: No space left on device",
        b"BUSY Redis is busy running a script.",
        b"NOREPLICAS Not enough good replicas to write.",
        b"CLUSTERDOWN The cluster is down",
        b"LOADING Redis is loading the dataset in memory",
        b"READONLY You can't write against a read only replica.",
        b"ERR unknown command",
        b"WRONGTYPE Operation against a key holding the wrong kind of value",
        b"NOAUTH Authentication required.",
        b"NOPERM this user has no permissions",
    ],
    ids=lambda words: words.split()[0].decode(),
)
async def test_a_server_s_refusal_is_told_in_its_words_and_not_kept(
    proxy: Proxy, hasty: RedisStore, steady: RedisStore, words: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    proxy.replies.extend([b"-%b\r\n" % words] * 100)
    with pytest.raises(Unavailable) as refusal:
        await put(hasty, running(), 0)
    assert isinstance(refusal.value.__cause__, exceptions.RedisError)
    assert hasty.connection.words_of(refusal.value) == words.decode()
    assert f"the store: {words.decode()}" in caplog.text
    proxy.replies.clear()
    await eventually(lambda: answers(hasty))
    assert (await put(steady, running(), 0)).revision == 1


@pytest.mark.parametrize(
    "words", [b"LOADING Redis is loading the dataset in memory", b"READONLY You can't write"]
)
async def test_what_passes_in_a_moment_is_waited_for(proxy: Proxy, shaky: RedisStore, words: bytes) -> None:
    proxy.replies.extend([b"-%b\r\n" % words] * 2)
    assert (await put(shaky, running(), 0)).revision == 1


async def test_a_master_s_successor_is_looked_for_behind_a_new_connection(
    proxy: Proxy, shaky: RedisStore, steady: RedisStore
) -> None:
    await put(shaky, running(), 0)
    assert proxy.connections == 1
    proxy.replies.append(b"-READONLY You can't write against a read only replica.\r\n")
    assert (await put(shaky, running(), 1)).revision == 2
    assert proxy.connections == 2


async def answers(store: RedisStore) -> bool:
    try:
        await language(store, HALL)
    except Unavailable:
        return False
    return True


async def test_a_cancelled_command_leaves_the_client_sane(
    proxy: Proxy, shaky: RedisStore, steady: RedisStore
) -> None:
    match = await put(steady, running(), 0)
    proxy.deaf = True
    waiting = asyncio.create_task(got(shaky, match.id))
    before = proxy.questions
    await eventually(lambda: proxy.questions > before)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    proxy.deaf = False
    await set_language(shaky, HALL, "uk")
    assert await got(shaky, match.id) == match
