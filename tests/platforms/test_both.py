"""The bot as a process of its own, connected to a Discord, to a Telegram or to both; and a person whom both forget."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from bot.chat.visitor import Visitor
from bot.platforms.console.rendering import player_named
from bot.platforms.telegram.integration import webhook_secret
from bot.platforms.telegram.places import account
from play.actions.leaving import Resign
from play.request import Request
from storage import open_store
from storage.maintenance.backup import backup
from storage.maintenance.retention import AFTER as MONTH
from storage.maintenance.retention import REWRITE_AFTER, REWRITE_EVERY, rewrite_if_due, sweep
from storage.redis.store import RedisStore
from tests.bot.process import PATIENCE
from tests.bot.world import ROOM
from tests.platforms.discord.gateway import Fault
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.discord.process import BotProcess, Evening, evening
from tests.platforms.discord.rest import TOKEN as DISCORD_TOKEN
from tests.platforms.telegram.harness import HALL, telegram_bot
from tests.platforms.telegram.process import BotProcess as TelegramBot
from tests.platforms.telegram.process import running
from tests.platforms.telegram.server import TOKEN, BotApi, Human, Json, Room, keys, words
from tests.platforms.test_features import posted
from tests.support.servers import free_port

pytestmark = pytest.mark.slow

GROUP = -100700


class Both:
    """A server of Discord's and a group of Telegram's, with one bot in both."""

    def __init__(self, here: Evening, api: BotApi) -> None:
        self.here = here
        self.api = api
        self.ann = here.person("ann")
        self.bob: Human = api.human("Bohdan", language="uk")
        self.group: Room = api.group(GROUP, "Партія", self.bob)
        self.group.admins.add(self.bob.id)

    def bot(self) -> BotProcess:
        return self.here.bot(TELEGRAM_TOKEN=TOKEN, KLOP_TELEGRAM_API=self.api.url)

    async def says(self, text: str) -> None:
        """Bohdan says something in his group."""
        self.api.say(self.bob, self.group, text)
        await self.api.until(lambda: not self.api.waiting)

    async def shown(self, fits: Callable[[str], bool]) -> Json:
        """The bot's message in the group whose words fit."""

        def found() -> list[Json]:
            return [message for message in self.api.shown(self.group) if fits(words(message))]

        await self.api.until(lambda: bool(found()))
        return found()[-1]


async def test_those_who_seek_find_each_other_across_platforms(tmp_path: Path) -> None:
    """Ann seeks on Discord and Bohdan on Telegram: the match begins where each of them is."""
    api = BotApi()
    async with evening(tmp_path / "data") as here, api.serving():
        both = Both(here, api)
        async with both.bot():
            await both.ann.types("seek", game="breakthrough", options="4x5", clock="1d")
            await here.latest("challenges anyone")
            await both.says("/seek breakthrough 4x5 clock:24h")
            await here.latest("Turn: ")
            await both.shown(lambda text: "Ann" in text and "Ходить" in text)


async def test_a_match_from_a_server_to_a_group(tmp_path: Path) -> None:
    """Ann challenges anyone on Discord; Bohdan joins from Telegram by the code; each sees it natively, to the end."""
    api = BotApi()
    async with evening(tmp_path / "data") as here, api.serving():
        both = Both(here, api)
        async with both.bot() as bot:
            await both.says("/language uk here")
            await both.says("/settings warnings:off")  # his capture loses
            await both.ann.types("challenge", game="breakthrough", options="4x5")
            card = await here.latest("Breakthrough")
            found = re.search(r"#([a-z0-9]{6})", card.words)
            assert found, card.words
            await both.says(f"/join {found[1]}")
            turn = await here.latest("Turn: Ann")
            assert turn.pings == (both.ann.user.id,)
            board = await both.shown(lambda text: "Ann" in text and "Ходить" in text)
            assert keys(board), "no keys under the board"
            await both.ann.types("move", move="d2-d3")
            mine = await both.shown(lambda text: "d2-d3" in text)
            assert not pinged(mine), "he has just acted here: his board changes in place"
            await bot.kill()
        async with both.bot():
            await both.says("/move a4-a2")  # refused, and nothing is lost by it
            await both.says("/move c4-b3")
            turn = await here.latest("c4-b3")
            assert turn.pings == (both.ann.user.id,)
            await both.ann.types("move", move="d3-c4")
            await both.shown(lambda text: "d3-c4" in text)
            await both.says("/move b3xc2")
            await here.latest("b3xc2")
            await both.ann.types("move", move="c4xd5")
            await here.latest("Ann won")
            over = await both.shown(lambda text: "Перемагає Ann" in text)
            assert not pinged(over)
    assert not api.invalid, api.invalid


async def test_a_channel_plays_a_group(tmp_path: Path) -> None:
    """Ann opens a match in her channel's name, Bohdan joins in his group's, and each sees it at their place."""
    api = BotApi()
    async with evening(tmp_path / "data") as here, api.serving():
        both = Both(here, api)
        async with both.bot():
            await both.says("/language uk here")
            await both.ann.types("challenge", options="anyone 5x5", game="breakthrough", channel="vote")
            card = await here.latest("Breakthrough")
            found = re.search(r"#([a-z0-9]{6})", card.words)
            assert found, card.words
            await both.says(f"/join {found[1]} channel")
            board = await here.latest("Turn: #games")
            assert "Партія" in board.words
            await both.shown(lambda text: "#games" in text and "Ходить" in text)
    assert not api.invalid, api.invalid


async def test_what_discord_garbles_restarts_discord_alone(tmp_path: Path) -> None:
    """An event of another shape is skipped; a frame that cannot be read ends the connection, which is made again."""
    api = BotApi()
    async with evening(tmp_path / "data") as here, api.serving():
        both, gateway = Both(here, api), here.discord.gateway
        async with both.bot() as bot:
            await both.says("/language en here")
            await gateway.tell("GUILD_CREATE", {"name": "no id"})
            await both.ann.types("help")
            await gateway.garble()
            await both.says("/new lgame")
            await both.shown(lambda text: "L-game" in text)
            await here.discord.until(lambda: len(gateway.opened) == 2 and gateway.connected, "connected anew")
            await both.ann.types("challenge", game="lgame")
            await here.latest("L-game")
            assert gateway.opened == [("identify", 0)] * 2
        assert b"GUILD_CREATE of Discord cannot be read" in bot.logged
        assert b"discord is started again in 0.5 s" in bot.logged
        assert b"telegram is started again" not in bot.logged
    assert not api.invalid, api.invalid


def pinged(message: Json) -> set[int]:
    """Whom a message calls."""
    entities = [*message.get("caption_entities", ()), *message.get("entities", ())]
    return {entity["user"]["id"] for entity in entities if entity["type"] == "text_mention"}


# The bot as a process of its own on one platform: how it connects, registers and ends. `tests/reliability` kills it.


async def test_it_ends_in_order_when_it_is_asked_to(tmp_path: Path) -> None:
    async with evening(tmp_path / "data") as here:
        async with here.bot() as bot:
            bot.process.send_signal(signal.SIGTERM)
            assert await bot.process.wait() == 0
            assert not here.discord.gateway.connected
        assert DISCORD_TOKEN not in bot.logged.decode()


@pytest.mark.parametrize("with_code", [False, True])
async def test_a_token_that_is_refused_is_said_so(tmp_path: Path, with_code: bool) -> None:
    async with evening(tmp_path / "data") as here:
        if with_code:
            here.discord.gateway.refuse(4004)
        bot = here.bot(DISCORD_TOKEN=DISCORD_TOKEN if with_code else "another.token")
        with pytest.raises(AssertionError, match="the bot ended"):
            await bot.__aenter__()
        assert bot.process.returncode == 2
        assert b"DISCORD_TOKEN" in bot.logged
        assert b"another.token" not in bot.logged
        here.discord.wrong.clear()


async def test_commands_that_discord_refuses_are_registered_later(tmp_path: Path) -> None:
    async with evening(tmp_path / "data") as here:
        commands = r"/applications/\d+/commands"
        here.discord.faults += [Fault("PUT", commands, status) for status in (400, 403)]
        async with here.bot() as bot:
            await here.discord.until(lambda: here.discord.synced == 1, "registered")
            done = await here.person("ann").types("help")
            await here.discord.until(lambda: done.settled, "an answer")
        assert b"the commands are not registered with Discord; again in 0.5 s" in bot.logged
        assert f"{len(here.discord.commands)} commands were registered".encode() in bot.logged


async def test_with_a_page_an_entry_point_command_is_added_where_there_is_none(tmp_path: Path) -> None:
    page = {"KLOP_PAGE_URL": "https://page.test", "KLOP_PAGE_LISTEN": "off"}
    async with evening(tmp_path / "data") as here:

        def types() -> list[int]:
            return sorted({each["type"] for each in here.discord.commands})

        here.discord.faults.append(Fault("PUT", r"/applications/\d+/commands", 400))
        async with here.bot(**page) as bot:  # Discord takes none: Activities are not enabled
            await here.discord.until(lambda: here.discord.synced == 1, "registered")
            assert types() == [1, 2]
        assert b"enable Activities" in bot.logged
        async with here.bot():
            await here.discord.until(lambda: here.discord.synced == 2, "registered without a page")
            assert types() == [1, 2]
        async with here.bot(**page):
            await here.discord.until(lambda: here.discord.synced == 3, "registered")
            assert types() == [1, 2, 4]
        async with here.bot():
            await here.discord.until(lambda: here.discord.synced == 4, "registered without a page again")
            assert types() == [1, 2, 4], "one that is there is kept"


async def test_the_gateway_asks_to_connect_again_and_nothing_is_lost(tmp_path: Path) -> None:
    async with evening(tmp_path / "data") as here:
        gateway = here.discord.gateway
        ann = here.person("ann")
        async with here.bot():
            await gateway.ask_to_reconnect()
            await here.discord.until(lambda: ("resume", 0) in gateway.opened, "a resumed session")
            await ann.types("help")
            await gateway.hang_up(code=1001)
            # Sent while no one listens: it comes with the session when it is resumed.
            sent = await ann.sends(2, {"id": "1", "name": "games", "type": 1, "options": []})
            await here.discord.until(lambda: gateway.opened.count(("resume", 0)) == 2, "resumed again")
            await here.discord.until(lambda: sent.settled, "an answer to what was sent meanwhile")
            await gateway.invalidate(resumable=True)
            await here.discord.until(lambda: gateway.opened.count(("resume", 0)) == 3, "resumed a third time")
            await gateway.invalidate(resumable=False)
            await here.discord.until(lambda: gateway.opened.count(("identify", 0)) == 2, "identified anew")
            await here.discord.until(lambda: gateway.connected, "connected")
            done = await ann.types("help")
            await here.discord.until(lambda: done.settled, "an answer")


def board(api: BotApi, room: Room) -> Json:
    return next(m for m in reversed(api.shown(room)) if "#" in words(m))


async def test_a_match_by_webhook(tmp_path: Path) -> None:
    api, port = BotApi(), free_port()
    api.deliver_to = f"http://127.0.0.1:{port}/klop/hook"
    async with (
        api.serving(),
        running(
            api,
            tmp_path / "data",
            KLOP_TELEGRAM_WEBHOOK_URL="https://klop.example/klop/hook",
            KLOP_TELEGRAM_WEBHOOK_LISTEN=f"127.0.0.1:{port}",
        ) as bot,
    ):
        ann, bob = api.human("Ann"), api.human("Bob")
        room = api.group(HALL, "Hall", ann, bob)
        api.say(ann, room, "/challenge bob lgame")
        await api.until(lambda: bool(api.shown(room)))
        accept = next(key["callback_data"] for key in keys(board(api, room)) if "callback_data" in key)
        query = api.press(bob, board(api, room), accept)
        await api.until(lambda: query in api.answered and "Turn: Ann" in words(board(api, room)))
        api.say(ann, room, "/settings warnings:off")
        api.say(ann, room, "L b3-b1-a1 n a4-a3", reply_to=board(api, room))
        await api.until(lambda: "Turn: Bob" in words(board(api, room)))
        assert "png" in board(api, room)
        await api.until(lambda: not api.waiting)
        assert webhook_secret(TOKEN) not in bot.log
        assert api.hook is not None


async def test_a_token_that_telegram_does_not_know(tmp_path: Path) -> None:
    api = BotApi()
    async with api.serving():
        bot = TelegramBot(
            api, tmp_path / "data", TELEGRAM_TOKEN="7000000009:AAanother-bots-token-another-botsx"
        )
        assert await bot.ended() == 2
        assert "TELEGRAM_TOKEN" in bot.log
        assert "another-bots" not in bot.log


# SIGTERM: what was taken is finished, whatever takes long is left to the next process, and a second signal
# ends it at once.


class SlowApi(BotApi):
    """A Telegram that answers new messages only while its gate is open, and counts the bots that have left."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.held = self.left = 0

    async def _sendMessage(self, given: Json, files: Mapping[str, bytes]) -> Json:  # noqa: N802
        self.held += 1
        self.changed()
        await self.gate.wait()
        return await super()._sendMessage(given, files)

    async def _getUpdates(self, given: Json, files: Mapping[str, bytes]) -> list[Json]:  # noqa: N802
        found = await super()._getUpdates(given, files)
        if not given.get("timeout"):
            self.left += 1
            self.changed()
        return found


@pytest.mark.parametrize("signals", [1, 2])
async def test_a_signal_while_a_board_is_sent(signals: int, tmp_path: Path) -> None:
    api = SlowApi()
    async with api.serving():
        ann, bob = api.human("Ann"), api.human("Bob")
        room = api.group(HALL, "Hall", ann, bob)
        async with running(api, tmp_path / "data") as bot:
            api.say(ann, room, "/challenge bob breakthrough 5x6")
            await api.until(lambda: api.held == 1)
            assert bot.process
            bot.process.send_signal(signal.SIGTERM)
            await api.until(lambda: api.left == 1)
            api.say(ann, room, "/games")
            if signals == 2:
                assert await bot.end() == 0
                assert not api.shown(room), "the second signal does not wait"
                return
            api.gate.set()
            assert await asyncio.wait_for(bot.process.wait(), PATIENCE) == 0
        assert len(api.shown(room)) == 1, "what was begun was sent, and what was said later waits"
        assert len(api.waiting) == 1
        async with running(api, tmp_path / "data"):
            await api.until(lambda: not api.waiting)
            sent = [words(each) for each in api.shown(room) if "challenges" in words(each)]
            assert len(sent) == 1, sent


# A person plays on Telegram, on Discord and in the room, and is forgotten: then no file of the embedded
# server names them.


def named_in_files(directory: Path, marks: Sequence[str]) -> set[tuple[str, str]]:
    """The files that hold one of some words, in any case, and the word."""
    return {
        (file.name, mark)
        for file in directory.rglob("*")
        if file.is_file()
        for mark in marks
        if mark.casefold() in file.read_bytes().decode(errors="replace").casefold()
    }


async def rest(store: RedisStore) -> None:
    """Wait for the rewrite under way; the first request of all begins one."""
    while (await store.journal.state()).rewriting:  # the server says when it is done
        await store.connection.command("PING")


async def rewritten(store: RedisStore, after: timedelta) -> None:
    """Have what is due after a time rewritten, and wait until that is done."""
    await rewrite_if_due(store, await store.now() + after)
    await rest(store)


async def no_pause(_seconds: float) -> None:
    """Make no pause."""


async def expire_limits(store: RedisStore) -> None:
    """Let the rate limits run out, which the server drops after a minute."""
    async for found in store.connection.scan("klop:bucket:*"):
        await store.connection.batch([("DEL", key) for key in found])


@pytest.mark.parametrize("asks", ["telegram", "discord"])
async def test_no_file_names_a_forgotten_person(tmp_path: Path, asks: str) -> None:
    data, said = tmp_path / "data", ""
    async with open_store(None, data, data / "archive") as store, telegram_bot(store=store) as f:
        zoe, bob = Human(904_117_523, "Zoroaster Quill", "zoro_x", "en"), f.api.human("Bohdan")
        f.api.humans[zoe.id] = zoe
        f.api.started.add(zoe.id)
        hall = f.api.group(HALL, "Hall", zoe, bob)
        await f.say(zoe, hall, "/challenge Bohdan breakthrough rated:yes")
        await f.press(bob, f.board(hall), "Accept")
        (match,) = [await f.table.get(match_id) async for match_id in store.matches.ids()]
        await f.say(zoe, hall, "/move a2-a3")
        assert match.rated
        await f.say(bob, hall, "/challenge @zoro_x lgame")
        await f.say(bob, hall, "/chalenge @zoro_x lgame")
        await f.say(zoe, hall, "/new klopodavka players:3")
        await f.say(zoe, None, "/challenge Bohdan lgame")
        await f.say(zoe, None, "/settings theme:dark")
        await f.say(zoe, None, "/puzzle")
        await f.say(zoe, None, "hello")
        await f.press(bob, await f.card(zoe, feedback=True), "Join")
        await f.say(bob, None, "/block @zoro_x")
        hall.admins.add(bob.id)
        await f.say(bob, hall, "/exclude @zoro_x")
        player = player_named("zorolocal")
        assert player is not None
        room = Visitor(player, ROOM, find=player_named)
        for line in ("/challenge bob breakthrough", "/block bob", "/settings theme:dark", "/puzzle"):
            await f.services.desk.answer(room, line)
        await f.settled()
        # The same person on Discord, whose accounts are linked.
        await f.say(zoe, None, "/link")
        found = re.search(r"/link (\w{8})", words(f.api.last(zoe)))
        assert found
        async with DiscordHarness(store=store) as home:
            quill = home.person("quillfeather")
            await quill.types("new", game="klopodavka")
            await quill.types("link", code=found[1])
            await quill.presses(quill.private()[-1], "Yes, it is mine")
            await posted(f, home)
            await f.press(zoe, f.api.last(zoe), lambda label: label.startswith("Yes"))
            assert (await store.settings.get(account(zoe.id))).others
            await quill.types("games")
            await quill.types("new", game="lgame")
            await quill.types("privacy", export=True)
            assert quill.private()[-1].attachments
            await f.say(zoe, None, "/privacy export")
            assert any(call.method == "sendDocument" for call in f.api.calls)

            other = next(player for player in match.players() if player.account == account(bob.id))
            await f.table.act(match.id, Resign(), Request(other, await store.now()))
            await f.settled()
            assert await sweep(store, await store.now() + MONTH, no_pause)
            marks = ["zoroaster", "zoro_x", str(zoe.id), "quillfeather", str(quill.user.id), "zorolocal"]
            assert {mark for _, mark in named_in_files(data, marks)} == {*marks}
            assert named_in_files(data / "archive", marks)
            if asks == "discord":
                await backup(store, tmp_path / "backup")
                await quill.types("forgetme")
                await quill.presses(quill.private()[-1], "Yes, forget me")
                said = quill.private()[-1].content
            await home.settle()
        if asks == "telegram":
            await f.say(zoe, None, "/forgetme yes")
            await f.settled()
            said = words(f.api.last(zoe))
        [local] = await f.services.desk.answer(room, "/forgetme yes")
        await f.settled()
        for answer in (said, "\n".join(local.view.lines)):
            assert "up to two hours" in answer
            assert ("Backups made by" in answer) is (asks == "discord")
        await rest(store)
        assert named_in_files(data, marks)  # the file is not rewritten yet
        await expire_limits(store)
        await rewritten(
            store, REWRITE_AFTER + REWRITE_EVERY
        )  # facts for Discord may be left: they delay it by an hour at most
        assert named_in_files(data, marks) == set()
        for match_id in [match_id async for match_id in store.matches.ids()]:
            held = repr(await f.table.get(match_id)).casefold()
            assert [mark for mark in marks if mark in held] == []
