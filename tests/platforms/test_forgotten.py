"""A person plays on Telegram, on Discord and in the room, and is forgotten: then no file of the embedded server names them."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
from storage.maintenance.retention import REWRITE_AFTER, REWRITE_EVERY, Archiver, Rewrites
from storage.redis.store import RedisStore
from tests.bot.world import ROOM
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.telegram.harness import HALL, telegram_bot, words
from tests.platforms.telegram.server import Human
from tests.platforms.test_linked import posted

pytestmark = pytest.mark.slow


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
    await Rewrites(store).tick(await store.now() + after)
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
        query = f.api.ask_inline(zoe, "breakthrough mini")
        await f.settled()
        card = f.api.post_inline(zoe, f.api.results[query][0], feedback=True)
        await f.settled()
        await f.press(bob, card, "Join")
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
            assert await Archiver(store, no_pause).sweep(await store.now() + MONTH)
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
