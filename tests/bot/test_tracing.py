"""Traces: one move is one trace, over streams and processes, and says nothing of people; where it is off there is nothing."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio
from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from redis.asyncio import Redis

from bot import tracing
from bot.commands import REGISTRY
from bot.config import export
from bot.desk.context import Resources
from bot.desk.desk import Desk
from bot.desk.visitor import Visitor
from bot.metrics import StoreMeter
from bot.on_console.courier import RoomCourier
from bot.on_console.line_parser import player_named
from bot.sender import Sender
from bot.sender.composer import Composer
from bot.thinking import Thinker
from bot.thinking.jobs import job_for
from bot.thinking.remote import ALIVE, RemoteSolver, RemoteWorker
from bot.thinking.seats import Seats
from bot.view import Message
from play.engine_players import engine
from play.facts import Reached
from play.opening import Challenge
from play.request import Request
from play.table import Table
from rules import GAMES
from storage import RedisStore, keys
from tests.bot.thinking.helpers import Inline
from tests.bot.world import ANN, NOON, ROOM, Counted
from tests.reliability.bot_process import BotProcess
from tests.reliability.chats import telegram
from tests.support.matches import HALL, running
from tests.support.servers import redis_server
from tests.support.storing import put
from tests.support.waiting import LIMIT, eventually

Tree = list[tuple[str, "Tree"]]
"""Spans by name, each with those below it."""

COLLECTOR: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"


@pytest_asyncio.fixture
async def spans() -> AsyncIterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    tracing.begin(SimpleSpanProcessor(exporter), {"service.name": "klop"})
    yield exporter
    await tracing.stop()


@pytest.fixture
def store(redis_client: Redis) -> RedisStore:
    store = RedisStore(redis_client, patience=LIMIT)
    store.connection.meter = StoreMeter()
    return store


def tree(spans: InMemorySpanExporter) -> Tree:
    """All spans, which are of one trace, from its first one on."""
    done = sorted(spans.get_finished_spans(), key=lambda span: span.start_time or 0)
    assert len({trace_of(span) for span in done}) == 1

    def below(parent: int | None) -> Tree:
        return [
            (span.name, below(span.context.span_id if span.context else 0))
            for span in done
            if (span.parent.span_id if span.parent else None) == parent
        ]

    return below(None)


def trace_of(span: ReadableSpan) -> int:
    assert span.context
    found: int = span.context.trace_id
    return found


async def entries(client: Redis, stream: str) -> list[dict[Any, Any]]:
    """What the entries of a stream hold."""
    return [said or {} for _, said in await client.xrange(stream) or ()]


class Evening:
    """A room in which Ann plays an engine, which thinks once it may."""

    def __init__(self, store: RedisStore, sleep: Callable[[float], Awaitable[None]]) -> None:
        self.seen: list[Message] = []
        self.solver = Inline()
        self.solver.hold = asyncio.Event()
        thinker = Thinker(self.solver)
        self.table = Table(store, GAMES, Counted())
        self.seats = Seats(self.table, store, thinker, lambda: NOON)
        self.desk = Desk(REGISTRY, Resources(self.table, store, "en", thinker=thinker), lambda: NOON)
        self.sender = Sender(
            store.outgoing(),
            store.bucket(),
            Composer(self.table, "en", lambda: NOON),
            [RoomCourier(ROOM, self._show)],
            now=store.now,
            sleep=sleep,
            also=[self.seats],
        )

    async def _show(self, messages: Any) -> None:
        self.seen += messages

    async def begin(self, spans: InMemorySpanExporter) -> None:
        opening = Challenge(ROOM, "breakthrough", {"board": "5x5"}, opponents=[engine(1)], side="first")
        await self.table.open(opening, Request(ANN, NOON))
        await self.sender.drain()
        spans.clear()

    async def move(self) -> None:
        await self.desk.hear(Visitor(ANN, ROOM, find=player_named), "/move a2-a3")

    async def end(self) -> None:
        await self.seats.close()
        await self.sender.close()


async def test_a_move_and_an_engines_answer_are_one_trace(
    store: RedisStore, spans: InMemorySpanExporter
) -> None:
    async def at_once(_seconds: float) -> None:
        """Wait for no engine."""

    evening = Evening(store, at_once)
    await evening.begin(spans)
    await evening.move()
    await evening.sender.drain()
    assert evening.solver.hold
    evening.solver.hold.set()
    await evening.seats.settled(LIMIT)
    await evening.sender.drain()
    await evening.end()
    sent: Tree = [("send console", [])]
    engines: Tree = [("engine breakthrough", [("job breakthrough move", []), ("commit", sent)])]
    found = tree(spans)
    assert [(name, sorted(below)) for name, below in found[0][1]] == [("commit", sorted(engines + sent))]
    assert [name for name, _ in found] == ["request console command"]
    said = {
        span.name: dict(span.attributes or {})
        for span in spans.get_finished_spans()
        if (span.attributes or {}).get("klop.match.revision", 2) == 2
    }
    assert said["request console command"] == {
        "klop.platform": "console",
        "klop.kind": "command",
        "klop.outcome": "answered",
    }
    (code,) = [key.rpartition(":")[2] async for key in _matches(store)]
    stream = {
        "messaging.system": "redis",
        "messaging.destination.name": "klop:out",
        "messaging.message.conversation_id": code,
        "klop.match.revision": 2,
    }
    handled = {"messaging.operation.type": "process", "messaging.operation.name": "process"}
    assert said["commit"] == {
        **stream,
        "messaging.operation.type": "send",
        "messaging.operation.name": "send",
        "db.system.name": "redis",
        "db.stored_procedure.name": "commit",
    }
    assert said["engine breakthrough"] == stream | handled
    assert said["send console"] == {
        **(stream | handled),
        "klop.platform": "console",
        "klop.fact": "moved",
        "klop.message": "in_place",
    }


async def _matches(store: RedisStore) -> AsyncIterator[str]:
    async for found in store.connection.scan(keys.MATCHES):
        for key in found:
            yield key


async def test_one_message_for_two_moves_is_below_the_last_one_and_names_both(
    store: RedisStore, spans: InMemorySpanExporter
) -> None:
    async def until_it_answers(_seconds: float) -> None:
        await asyncio.Event().wait()

    evening = Evening(store, until_it_answers)
    assert evening.solver.hold
    evening.solver.hold.set()
    await evening.begin(spans)
    await evening.move()
    await evening.sender.drain()
    await evening.end()
    first, last = (span for span in spans.get_finished_spans() if span.name == "commit")
    (sent,) = (span for span in spans.get_finished_spans() if span.name == "send console")
    assert sent.parent
    assert last.context
    assert first.context
    assert sent.parent.span_id == last.context.span_id
    assert [link.context.span_id for link in sent.links] == [first.context.span_id]
    assert len({trace_of(span) for span in spans.get_finished_spans()}) == 1


async def test_a_search_elsewhere_belongs_to_the_trace(
    store: RedisStore, spans: InMemorySpanExporter
) -> None:
    game = GAMES["breakthrough"]
    options = game.choose({"board": "5x5"})
    working = asyncio.create_task(RemoteWorker(store.jobs(), Inline(), store.now).run())

    async def known() -> bool:
        return bool(await store.jobs().workers("move", await store.now(), ALIVE))

    await eventually(known)
    with tracing.span("asked", "INTERNAL"):
        asker = RemoteSolver(store.jobs(), Inline(), store.now, 2)
        await asker.solve(job_for(game, options, game.start(options), level=1), LIMIT)
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    assert tree(spans) == [("asked", [("job breakthrough elsewhere", [])])]


async def test_what_is_announced_again_is_of_the_trace_that_asked(
    store: RedisStore, spans: InMemorySpanExporter
) -> None:
    match = await put(store, running(), 0)
    spans.clear()
    with tracing.span("asked", "INTERNAL"):
        await store.matches.announce(Reached(match, HALL))
        asked = tracing.carried()
    first, again = await store.outgoing().read(9)
    assert len(first.trace) == len(again.trace) == 55
    assert again.trace[:36] == asked[:36]  # the trace, and not the span
    assert again.trace != asked
    assert tree(spans) == [("asked", [("announce", [])])]


async def test_an_entry_without_a_trace_or_with_something_newer_is_read(
    store: RedisStore, redis_client: Redis, spans: InMemorySpanExporter
) -> None:
    """As they are of a process of the version before, of one that does not trace, or of a later one."""
    match = await put(store, running(), 0)
    stream = keys.OUT.stream(keys.tag_of(match.id))
    (said,) = await entries(redis_client, stream)
    assert set(said) == {b"m", b"f", b"r", b"t"}
    trace = said.pop(b"t")
    await redis_client.xadd(stream, said)
    await redis_client.xadd(stream, {**said, b"t": b"\xff", b"z": b"later"})
    found = await store.outgoing().read(9)
    assert [sent.subject for sent in found] == [match] * 3
    assert [sent.trace for sent in found] == [trace.decode(), "", "\ufffd"]
    for sent in found[1:]:  # none of them is a parent
        with tracing.span("sent", "CONSUMER", of=[sent.trace]), tracing.within(sent.trace):
            pass
    assert [span.parent for span in spans.get_finished_spans()] == [None] * 3


async def test_while_it_is_off_the_streams_hold_what_they_held(
    store: RedisStore, redis_client: Redis
) -> None:
    match = await put(store, running(), 0)
    await store.matches.announce(Reached(match, HALL))
    jobs = store.jobs()
    await jobs.put("move", "a", "{}", 5.0, tracing.carried())
    told = await entries(redis_client, keys.OUT.stream(keys.tag_of(match.id)))
    assert [list(said) for said in told] == [[b"m", b"f", b"r"]] * 2
    (said,) = await entries(redis_client, keys.jobs_key("move"))
    assert list(said) == [b"id", b"job", b"for"]
    (leased,) = await jobs.take(jobs.new_worker(), 1)
    assert leased.trace == ""


async def test_a_failure_is_named_and_not_quoted(spans: InMemorySpanExporter) -> None:
    with pytest.raises(LookupError), tracing.span("request", "SERVER", {"klop.kind": "command"}):
        raise LookupError("ann of chat 1181516234210815999")
    (failed,) = spans.get_finished_spans()
    assert not failed.status.is_ok
    assert failed.attributes == {"klop.kind": "command", "error.type": "LookupError"}
    assert (failed.events, failed.status.description) == ((), None)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, False),
        ({COLLECTOR: ""}, False),
        ({COLLECTOR: "http://127.0.0.1:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, True),
        ({COLLECTOR: "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "true"}, False),
        ({COLLECTOR: "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER": "none"}, False),
    ],
)
def test_the_standard_variables_turn_it_on(given: dict[str, str], wanted: bool) -> None:
    assert tracing._wanted(given) is wanted


def test_a_bad_value_stops_no_bot(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv(COLLECTOR, "http://127.0.0.1:4318")
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "-1")
    assert not tracing.start("0", ["all"])
    assert "OTEL_" in caplog.text


def test_variables_of_the_file_and_secrets_reach_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", {"OTEL_SERVICE_NAME": "mine", "CREDENTIALS_DIRECTORY": str(tmp_path)})
    (tmp_path / ".env").write_text(f"{COLLECTOR}=http://here:4318\nOTEL_SERVICE_NAME=other\nKLOP_ROOM=x\n")
    (tmp_path / "OTEL_EXPORTER_OTLP_HEADERS").write_text("key=secret\n")
    export("OTEL_")
    assert {name: value for name, value in os.environ.items() if name != "CREDENTIALS_DIRECTORY"} == {
        "OTEL_SERVICE_NAME": "mine",
        COLLECTOR: "http://here:4318",
        "OTEL_EXPORTER_OTLP_HEADERS": "key=secret",
    }


async def test_a_collector_that_does_not_answer_does_not_hold_a_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answered = threading.Event()

    class Waits(SpanProcessor):
        def shutdown(self) -> None:
            answered.wait()

    monkeypatch.setattr(tracing, "FLUSH", 0.0)
    tracing.begin(Waits(), {})
    await tracing.stop()
    assert not answered.is_set()
    assert tracing.carried() == ""
    answered.set()


@asynccontextmanager
async def collector() -> AsyncIterator[tuple[str, list[tuple[str, Span]]]]:
    """A collector's address, and the spans that processes have sent there, each with their role."""
    came: list[tuple[str, Span]] = []

    async def take(request: web.Request) -> web.Response:
        for sent in ExportTraceServiceRequest.FromString(await request.read()).resource_spans:
            about = {each.key: each.value.string_value for each in sent.resource.attributes}
            assert about["service.name"] == "klop"
            came.extend((about["klop.role"], span) for scope in sent.scope_spans for span in scope.spans)
        return web.Response()

    application = web.Application()
    application.router.add_post("/v1/traces", take)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}", came
    await runner.cleanup()


@pytest.mark.slow
async def test_processes_by_role_share_a_trace_and_send_their_last_spans_when_they_end(
    tmp_path: Path,
) -> None:
    async with AsyncExitStack() as stack:
        server = stack.enter_context(redis_server(tmp_path / "server"))
        address, came = await stack.enter_async_context(collector())
        platform = await stack.enter_async_context(telegram())
        settings = {
            "REDIS_URL": f"unix://{server}",
            "KLOP_WORKERS": "0",
            COLLECTOR: address,
            "OTEL_BSP_SCHEDULE_DELAY": "3600000",
            **platform.settings,
        }
        bots = []
        for role in ("gateway", "sender"):
            given = {**settings, "KLOP_ROLE": role}
            bots.append(await BotProcess.start(tmp_path / "data" / role, tmp_path / "log", given))
            stack.push_async_callback(bots[-1].end)
        chat = platform.group()
        await chat.say(bots[0], 0, "challenge", "bob breakthrough 5x5")
        await eventually(lambda: any("breakthrough" in said.lower() for said in chat.shown))
        assert not came
        for bot in bots:
            await bot.end(signal.SIGTERM)
            assert bot.status == 0
        by_id = {span.span_id: (role, span) for role, span in came}
        ((_, sent),) = ((role, span) for role, span in came if span.name == "send telegram")
        way = [sent]
        while way[-1].parent_span_id:
            way.append(by_id[way[-1].parent_span_id][1])
        assert [(by_id[span.span_id][0], span.name) for span in way] == [
            ("sender", "send telegram"),
            ("gateway", "commit"),
            ("gateway", "request telegram command"),
        ]
        assert len({span.trace_id for span in way}) == 1
        texts = {each.value.string_value for _, span in came for each in span.attributes}
        assert not any(re.search(r"bob|\d{6}|#", text) for text in texts - codes(way))


def codes(spans: Iterable[Span]) -> set[str]:
    """The codes of the matches that spans are about."""
    return {
        each.value.string_value
        for span in spans
        for each in span.attributes
        if each.key == "messaging.message.conversation_id"
    }
