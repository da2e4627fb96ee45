"""Interactions and webhook events that Discord posts: rejected unless it signed them just now, answered, and handled once."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, Self
from urllib.parse import urlsplit

import discord
import pytest
import pytest_asyncio
from aiohttp import ClientSession, ClientTimeout
from nacl.signing import SigningKey

from bot.app.doctor import connection_findings
from bot.chat.callback_data import MAX_BYTES
from bot.chat.i18n import words
from bot.config import Config, ListenAddress
from bot.platforms import listening
from bot.platforms.discord.adapter import FRESH, LIMITS, Endpoint, Response
from bot.platforms.discord.client import Raw
from bot.platforms.discord.followups import Followups
from bot.platforms.discord.publishing import DiscordOperations
from bot.platforms.discord.rendering import EMBEDS, LONGEST, PLATFORM
from bot.platforms.platform import CannotPublish
from play.errors import Unavailable
from tests.platforms.discord.gateway import PUBLIC_KEY, Fault, signed
from tests.platforms.discord.harness import DiscordHarness, begun, latest, public
from tests.platforms.discord.world import Channel, Guild
from tests.support.servers import free_port
from tests.support.waiting import eventually

AT = datetime(2026, 11, 21, 18, tzinfo=UTC)
PING = {"type": 1, "id": "5", "token": "t", "version": 1, "application_id": "1"}
PRESS = {"type": 3, "id": "6", "token": "t"}
EVENT = {"type": 1, "event": {"type": "APPLICATION_AUTHORIZED"}}


class Posted:
    """An endpoint, and what it took."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.taken: list[Raw] = []
        self.away = False
        self.response: Response | None = {"type": 6}

    async def take(self, raw: Raw) -> Response | None:
        if self.away:
            raise Unavailable
        self.taken.append(raw)
        return None if "event" in raw else self.response

    async def post(
        self,
        body: object,
        headers: Mapping[str, str] | None = None,
        method: str = "POST",
        path: str = "/discord",
    ) -> tuple[int, Any]:
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = signed(sent, AT.timestamp()) if headers is None else headers
        async with (
            ClientSession(timeout=ClientTimeout(total=20)) as session,
            session.request(method, self.url + path, data=sent, headers=headers) as answer,
        ):
            said = await answer.read()
            assert answer.content_type == "application/json" or answer.status >= 400
            return answer.status, json.loads(said) if said and answer.status == 200 else None


@pytest.fixture(autouse=True)
def _ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held open at the end of a test gets no two seconds to come to its end."""
    monkeypatch.setattr(listening, "_SHUTDOWN", 0.05)


@contextlib.asynccontextmanager
async def posted(**limits: Any) -> AsyncIterator[Posted]:
    port, listening = free_port(), asyncio.Event()
    there = Posted(port)
    endpoint = Endpoint(there.take, PUBLIC_KEY, "/discord", lambda: AT, replace(LIMITS, **limits))
    task = asyncio.create_task(endpoint.serve(ListenAddress("127.0.0.1", port, ""), listening.set))
    try:
        await eventually(listening.is_set)
        yield there
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_ping_is_answered_and_goes_no_further() -> None:
    async with posted() as there:
        assert await there.post(PING) == (200, {"type": 1})
        assert await there.post({"type": 0, "version": 1, "application_id": "1"}) == (204, None)
        assert there.taken == []


async def test_what_is_taken_has_its_response_or_none() -> None:
    async with posted() as there:
        assert await there.post(PRESS) == (200, {"type": 6})
        there.response = None  # sent by a request of its own
        assert await there.post(PRESS) == (202, None)
        assert await there.post(EVENT) == (204, None)
        assert there.taken == [PRESS, PRESS, EVENT]


async def test_what_is_not_stored_is_not_acknowledged() -> None:
    async with posted() as there:
        there.away = True
        assert (await there.post(EVENT))[0] == 503, "Discord brings it again"


def tampered(name: str, value: str) -> dict[str, str]:
    return {**signed(json.dumps(PRESS).encode(), AT.timestamp()), name: value}


FORGED = {
    "no headers": {},
    "no signature": tampered("X-Signature-Ed25519", ""),
    "half a signature": tampered("X-Signature-Ed25519", "ab" * 32),
    "no hexadecimal number": tampered("X-Signature-Ed25519", "xy" * 64),
    "no digits": tampered("X-Signature-Ed25519", "й" * 128),
    "a signature of zeros": tampered("X-Signature-Ed25519", "00" * 64),
    "another key": signed(json.dumps(PRESS).encode(), AT.timestamp(), SigningKey(bytes(32))),
    "another body": signed(json.dumps(PING).encode(), AT.timestamp()),
    "no time": tampered("X-Signature-Timestamp", ""),
    "another time": tampered("X-Signature-Timestamp", str(int(AT.timestamp()) + 1)),
    "a time beyond all times": tampered("X-Signature-Timestamp", "9" * 30),
    "a time that is no number": tampered("X-Signature-Timestamp", "now"),
    "a stale time": signed(json.dumps(PRESS).encode(), (AT - FRESH - timedelta(seconds=1)).timestamp()),
    "a time to come": signed(json.dumps(PRESS).encode(), (AT + FRESH + timedelta(seconds=1)).timestamp()),
}


@pytest.mark.parametrize("headers", FORGED.values(), ids=FORGED)
async def test_what_discord_has_not_signed_just_now_is_rejected(headers: Mapping[str, str]) -> None:
    async with posted() as there:
        given = {name: value.encode("utf-8", "replace").decode("latin-1") for name, value in headers.items()}
        assert (await there.post(PRESS, given))[0] == 401
        assert (await there.post(PING, given if headers is not FORGED["another body"] else {}))[0] == 401
        assert there.taken == []


async def test_a_request_within_the_time_that_clocks_may_differ_is_taken() -> None:
    async with posted() as there:
        for off in (FRESH, -FRESH):
            headers = signed(json.dumps(PRESS).encode(), (AT + off).timestamp())
            assert (await there.post(PRESS, headers))[0] == 200


async def test_what_is_no_interaction_is_refused() -> None:
    bodies = (b"", b"{", b"[]", b'"x"', b"{}", b'{"type": "1"}', b"[" * 100_000, b"\xff\xfe", b"null")
    async with posted() as there:
        for body in bodies:
            assert (await there.post(body))[0] == 400, body[:20]
        assert (await there.post(PRESS, method="GET"))[0] == 405
        assert (await there.post(PRESS, method="PUT"))[0] == 405
        assert (await there.post(PRESS, path="/other"))[0] == 404
        assert there.taken == []


def head(length: int | None, headers: Mapping[str, str]) -> bytes:
    """The headers of a request, whose body has a length, or is sent in chunks."""
    body = f"Content-Length: {length}" if length is not None else "Transfer-Encoding: chunked"
    given = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST /discord HTTP/1.1\r\nHost: x\r\n{body}\r\n{given}\r\n".encode()


class Slow:
    """A stranger who sends headers, and the body never."""

    def __init__(self, there: Posted) -> None:
        self._port = urlsplit(there.url).port

    async def send(self, sent: bytes) -> Self:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self._port)
        self.writer.write(sent)
        await self.writer.drain()
        return self

    async def status(self) -> int:
        """The status of the answer; the connection is closed."""
        async with asyncio.timeout(20):
            line = await self.reader.readline()
        self.writer.close()
        return int(line.split()[1])


SIGNED = signed(json.dumps(PRESS).encode(), AT.timestamp())


@pytest.mark.parametrize(
    ("length", "headers", "status"),
    [
        (LIMITS.largest + 1, SIGNED, 413),
        (10**12, SIGNED, 413),
        (100, {}, 401),
        (LIMITS.largest + 1, {}, 401),
        (None, {}, 401),
        (100, FORGED["half a signature"], 401),
        (100, FORGED["a stale time"], 401),
        (100, {"X-Signature-Timestamp": SIGNED["X-Signature-Timestamp"]}, 401),
    ],
)
async def test_a_body_that_would_be_refused_is_not_waited_for(
    length: int | None, headers: Mapping[str, str], status: int
) -> None:
    async with posted(body_within=1e6) as there:
        assert await (await Slow(there).send(head(length, headers))).status() == status


async def test_a_body_of_unknown_length_is_read_up_to_the_bound() -> None:
    async with posted(largest=2000, small=1000, body_within=1e6) as there:
        chunk = b"3e8\r\n" + b" " * 1000 + b"\r\n"
        assert await (await Slow(there).send(head(None, SIGNED) + 3 * chunk)).status() == 413
    assert there.taken == []


@pytest.mark.parametrize("length", [LIMITS.small + 1, None])
async def test_few_large_bodies_are_read_at_once_and_those_that_do_not_come_give_way(
    length: int | None,
) -> None:
    whole = json.dumps({**PRESS, "data": "v" * LIMITS.small}).encode()
    async with posted(body_within=1e6) as there:
        held = [await Slow(there).send(head(length, SIGNED)) for _ in range(LIMITS.large_at_once + 2)]
        ended = [asyncio.create_task(each.reader.read()) for each in held]
        async with asyncio.timeout(20):
            assert [await first for first in ended[:2]] == [b"", b""]
            assert (await there.post(PRESS))[0] == 200
            assert sum(each.done() for each in ended) == 2
            assert (await there.post(whole))[0] == 200
            assert await ended[2] == b""
        for one, end in zip(held, ended, strict=True):
            one.writer.close()
            end.cancel()
        await asyncio.gather(*ended, return_exceptions=True)
    bound = (100 - LIMITS.large_at_once) * LIMITS.small + LIMITS.large_at_once * LIMITS.largest
    assert LIMITS.most_open == 100
    assert bound < 10 << 20


async def test_a_body_that_does_not_come_frees_its_place() -> None:
    async with posted(body_within=0.05, large_at_once=1) as there:
        for _ in range(2):
            assert await (await Slow(there).send(head(LIMITS.largest, SIGNED))).status() == 408
    assert LIMITS.body_within <= 3, "seconds after which Discord gives up"


def member(number: int) -> dict[str, Any]:
    roles = [str(10**18 + role) for role in range(250)]
    return {"roles": roles, "nick": "ї" * 32, "permissions": "9" * 20, "avatar": "a" * 34, "flags": number}


async def test_the_largest_interaction_is_taken() -> None:
    """As Discord bounds the text of what this bot sends and asks for, with every letter escaped."""
    entry = {"label": "ї" * 100, "value": "v" * MAX_BYTES}
    menus = [{"type": 3, "custom_id": "i" * 100, "placeholder": "ї" * 150, "options": [entry] * 25}] * 5
    message = {
        "embeds": [{"description": "ї" * 4096}, {"description": "ї" * (EMBEDS - 4096)}],
        "components": [{"type": 1, "components": [menu]} for menu in menus],
        "attachments": [{"url": "u" * 400, "proxy_url": "u" * 400, "description": "ї" * 1024}],
    }
    file = {"components": [{"type": 18, "component": {"type": 4, "value": "🟣" * LONGEST}}]}
    people = {"resolved": {"members": {str(number): member(number) for number in range(10)}}}
    async with posted() as there:
        for data in (file, people):
            whole = {**PRESS, "data": data, "message": message, "member": member(0)}
            assert len(json.dumps(whole)) > LIMITS.small
            assert (await there.post(whole))[0] == 200


# The bot without the gateway: what people do is posted to it. Nothing is lost with a process, or done twice.


@pytest_asyncio.fixture
async def home() -> AsyncIterator[DiscordHarness]:
    async with DiscordHarness(over_http=True) as home:
        yield home
        assert not home.discord.gateway.opened


async def test_a_match_is_played_by_commands_keys_and_a_modal(home: DiscordHarness) -> None:
    ann, bob = await begun(home)
    offered = await ann.completes("move", "move", "a2")
    assert offered[0]["value"] == "a2-a3"
    await ann.presses(latest(ann), "Move")
    opened = await ann.presses(ann.private()[-1], words("en")("bot.discord.type"))
    assert opened.modal is not None
    await ann.fills_in(opened, "a2-a3")
    assert latest(bob).pings == (bob.user.id,)
    done = await bob.types("move", move="a2-a5")
    assert (done.ack, done.ephemeral) == (5, True)
    (explained,) = bob.private()
    assert explained.content
    file = await bob.types("import")
    assert file.modal is not None
    calls = [each.path for each in home.discord.requests if each.path.endswith("/callback")]
    assert len(calls) == 4, (
        "completions, two modals, a list of moves; all else is acknowledged by the response"
    )
    assert home.platform.silence() == {"endpoint": 0.0}


async def test_what_comes_twice_is_done_once(home: DiscordHarness) -> None:
    ann, _ = await begun(home)
    data = {"id": "1", "name": "move", "type": 1, "options": [{"name": "move", "type": 3, "value": "a2-a3"}]}
    done = await ann.sends(2, data)
    await home.settle()
    seen = len(public(ann))
    for _ in range(2):
        await ann.sends(2, data, again=done)
        await home.settle()
    (match,) = home.matches.values()
    assert len(match.log) == 1
    assert len(public(ann)) == seen


@pytest.mark.parametrize("method", ["PATCH", "POST"])
async def test_an_answer_that_overtakes_the_acknowledgement_is_sent_again(
    home: DiscordHarness, method: str
) -> None:
    """Another process may be faster than the response."""
    ann, _ = await begun(home)
    path = r"/webhooks/\d+/[^/]+" + ("/messages/@original" if method == "PATCH" else "")
    home.discord.faults.append(Fault(method, path, 404, code=10015))
    if method == "PATCH":
        await ann.types("games")
    else:
        await ann.presses(latest(ann), "More…")
    assert len(ann.private()) == 1
    assert ann.private()[-1].words


async def test_what_is_not_there_is_tried_a_few_times_also_by_a_clock_that_is_behind(
    home: DiscordHarness,
) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) > 100:
            raise AssertionError("for ever")

    async def call() -> None:
        response: Any = SimpleNamespace(status=404, reason="Not Found")
        raise discord.NotFound(response, {"code": 10015, "message": "Unknown Webhook"})

    followups = Followups(home.store.notes, sleep)
    with pytest.raises(discord.NotFound):
        await followups.acknowledged(discord.utils.time_snowflake(datetime(2100, 1, 1, tzinfo=UTC)), call)
    assert 3 < sum(waited) < 6


async def test_of_the_pressed_message_only_what_is_read_is_stored(
    home: DiscordHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _ = await begun(home)
    accepted: list[Any] = []
    inbox = home.store.inbox(PLATFORM)
    kind = type(inbox)
    accept = kind.accept

    async def noted(self: Any, updates: Any) -> None:
        accepted.extend(updates)
        await accept(self, updates)

    monkeypatch.setattr(kind, "accept", noted)
    board = latest(ann)
    await ann.presses(board, "More…")
    (update,) = accepted
    assert (update.chat, update.person) == (str(home.games.id), str(ann.user.id))
    kept = json.loads(update.body)["message"]
    assert (kept["content"], kept["embeds"], kept["components"]) == ("", [], [])
    assert kept["id"] == str(board.id)


async def test_a_board_of_another_channel_has_a_link_once_someone_acted_there(home: DiscordHarness) -> None:
    _, bob = await begun(home)
    await bob.at(home.hall).types("games")
    link = f"https://discord.com/channels/{home.guild.id}/{home.games.id}/"
    assert link in bob.at(home.hall).private()[-1].words


async def added(home: DiscordHarness, where: Guild, **more: object) -> int:
    """Post that the bot was added to a server, twice."""
    data = {"integration_type": 0, "scopes": ["bot"], "user": {}, "guild": where.payload(home.discord.bot)}
    event = {"type": "APPLICATION_AUTHORIZED", "timestamp": "2026-11-21T18:00:00.5", "data": data | more}
    payload = {"version": 1, "application_id": "1", "type": 1, "event": event}
    statuses = {(await home.discord.posting.post(payload))[0] for _ in range(2)}
    await home.settle()
    (status,) = statuses
    return status


async def test_a_new_server_is_greeted_once_in_its_language(home: DiscordHarness) -> None:
    closed, general = Channel(name="closed", bot_may=0), Channel(name="general")
    guild = Guild("New", locale="uk", channels=[general, closed])
    for channel in guild.channels:
        channel.guild = guild
        home.discord.add(channel)
    home.discord.guilds.append(guild)
    assert await added(home, guild) == 204
    (hello,) = general.messages.values()
    assert [each["style"] for each in hello.pressed()] == [3, 2, 2]
    assert not closed.messages


async def test_other_events_and_servers_that_are_not_there_change_nothing(home: DiscordHarness) -> None:
    assert await added(home, Guild("Gone")) == 204
    assert await added(home, home.guild, guild=None) == 204
    events: tuple[Any, ...] = ({"type": "ENTITLEMENT_CREATE", "timestamp": "now"}, [], {}, None)
    for event in events:
        assert (await home.discord.posting.post({"type": 1, "version": 1, "event": event}))[0] == 204
    assert not [each for each in home.discord.all_messages() if each.author is home.discord.bot]


async def test_what_cannot_be_read_is_skipped(home: DiscordHarness) -> None:
    for payload in ({"type": 2}, {"type": 3, "id": "x"}, {"type": 99}, {"type": 5, "data": []}):
        assert (await home.discord.posting.post(payload)) == (202, None)
    await home.person("ann").types("games")
    assert home.person("ann").private()


async def test_publishing_and_the_doctor_know_the_endpoint(
    home: DiscordHarness,
) -> None:
    (reached,), publish = home.discord.posting.processes, DiscordOperations().publish
    config = home.services.config.model_copy(update={"discord_endpoint_url": reached})
    application = home.discord.about
    assert await judged(config) == [
        "ok bot.doctor.endpoint",
        "!! bot.doctor.not-brought",
        "-- bot.doctor.no-events",
    ]
    application["event_webhooks_types"] = ["ENTITLEMENT_CREATE"]
    assert "endpoint" in await publish(config)
    assert (application["interactions_endpoint_url"], application["event_webhooks_url"]) == (reached, reached)
    assert application["event_webhooks_types"] == ["APPLICATION_AUTHORIZED", "ENTITLEMENT_CREATE"]
    assert await judged(config) == ["ok bot.doctor.endpoint", "ok bot.doctor.brought"]
    assert not await publish(config)
    without = config.model_copy(update={"discord_endpoint_url": None})
    assert await publish(without) == ["endpoint"]
    assert application["interactions_endpoint_url"] is None, "the gateway has them again"
    assert (application["event_webhooks_url"], application["event_webhooks_status"]) == (None, 1)
    assert await publish(without) == []
    foreign = {"event_webhooks_url": "https://elsewhere.example", "event_webhooks_status": 2}
    application.update(interactions_endpoint_url=reached, **foreign)
    assert await publish(without) == ["endpoint"]
    assert foreign.items() <= application.items(), "events for another program stay"
    assert await judged(without) == []
    gone = config.model_copy(
        update={"discord_endpoint_url": "http://127.0.0.1:9/x", "discord_api": "http://127.0.0.1:9"}
    )
    assert await judged(gone) == ["!! bot.doctor.no-endpoint", "-- bot.doctor.unasked"]


async def test_an_endpoint_that_does_not_answer_is_not_published(home: DiscordHarness) -> None:
    await home.close()
    with pytest.raises(CannotPublish):
        await DiscordOperations().publish(home.services.config)
    home.discord.wrong.clear()


async def judged(config: Config) -> list[str]:
    return [f"{each.severity.value} {each.key}" async for each in connection_findings(config)]
