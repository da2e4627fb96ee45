"""The bot without the gateway: what people do is posted to it. Nothing is lost with a process, or done twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import discord
import pytest
import pytest_asyncio

from bot.app.doctor import connection_findings
from bot.chat.i18n import words
from bot.chat.suggestions import Suggestion
from bot.config import Config
from bot.platforms.discord.followups import Followups
from bot.platforms.discord.places import PLATFORM
from bot.platforms.discord.publishing import DiscordOperations
from bot.platforms.platform import CannotPublish
from tests.bot.on_discord.playing import begun, latest, public
from tests.platforms.discord.faults import Fault
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.discord.world import Channel, Guild


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
    assert len(calls) == 3, "completions and two modals; all else is acknowledged by the response"
    assert home.platform.silence() == {"endpoint": 0.0}


async def test_completions_that_newer_ones_replace_break_no_connection(
    home: DiscordHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Discord keeps connections; one that breaks would fail what else comes over it."""
    ann, _ = await begun(home)
    desk, begin = home.services.desk, asyncio.Event()
    complete = desk.autocomplete

    async def slow(*asked: Any) -> Sequence[Suggestion]:
        if asked[3] == "a":
            begin.set()
            await asyncio.Event().wait()
        return await complete(*asked)

    monkeypatch.setattr(desk, "autocomplete", slow)
    options = [{"name": "move", "type": 3, "value": "a", "focused": True}]
    before = await ann.sends(4, {"id": "1", "name": "move", "type": 1, "options": options})
    await begin.wait()
    assert await ann.completes("move", "move", "a2")
    await home.discord.until(lambda: before.failed)
    assert home.discord.posting.broken == 0


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


async def test_a_thread_is_known_by_the_interaction(home: DiscordHarness) -> None:
    eve = home.person("eve")
    home.guild.admins.add(eve.user.id)
    await eve.types("config", threads="on")
    ann, bob = await begun(home)
    (thread,) = [each for each in home.discord.channels.values() if each.parent is home.games]
    await ann.at(thread).types("move", move="a2-a3")
    assert latest(bob.at(thread)).pings == (bob.user.id,)
    assert not [each for each in home.discord.requests if each.status >= 400]


async def test_a_board_of_another_channel_has_a_link_once_someone_acted_there(home: DiscordHarness) -> None:
    _, bob = await begun(home)
    await bob.at(home.hall).types("games")
    link = f"https://discord.com/channels/{home.guild.id}/{home.games.id}/"
    assert link in bob.at(home.hall).private()[-1].words


async def test_where_the_bot_is_no_member_it_follows_up(home: DiscordHarness) -> None:
    foreign = Channel(name="foreign")
    guild = Guild("Elsewhere", channels=[foreign], installed=False)
    foreign.guild = guild
    home.discord.guilds.append(guild)
    home.discord.add(foreign)
    ann, bob = home.person("ann", at=foreign), home.person("bob", at=foreign)
    await ann.types("challenge", person=bob.user, game="breakthrough", options="board:5x5")
    await bob.presses(latest(bob), "Accept")
    await ann.types("move", move="a2-a3")
    assert latest(ann).pings == (bob.user.id,)


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
