"""One bot, as a process of its own, connected to a Discord and to a Telegram on this machine."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from bot.chat.visitor import Visitor
from bot.platforms.console.rendering import player_named
from bot.platforms.telegram.places import account
from play.actions.leaving import Resign
from play.request import Request
from storage import open_store
from storage.maintenance.backup import backup
from storage.maintenance.retention import AFTER as MONTH
from storage.maintenance.retention import REWRITE_AFTER, REWRITE_EVERY, rewrite_if_due, sweep
from storage.redis.store import RedisStore
from tests.bot.world import ROOM
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.discord.process import BotProcess, Evening, evening
from tests.platforms.telegram.harness import HALL, telegram_bot
from tests.platforms.telegram.server import TOKEN, BotApi, Human, Json, Room, keys, words
from tests.platforms.test_features import posted

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
            assert pinged(mine) == {both.bob.id}, "the person on turn is called"
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
            await here.latest("Victory: Ann")
            over = await both.shown(lambda text: "Перемога: Ann" in text)
            assert not pinged(over)
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
