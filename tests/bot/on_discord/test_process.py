"""The bot as its own process, with its own server of matches: it connects, is played with, is killed, and goes on."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.platforms.discord.evening import evening
from tests.platforms.discord.faults import Fault
from tests.platforms.discord.rest import TOKEN

pytestmark = pytest.mark.slow


async def test_a_whole_match_with_a_kill_in_the_middle_of_a_pick(tmp_path: Path) -> None:
    async with evening(tmp_path / "data") as here:
        ann, bob = here.person("ann"), here.person("bob", "uk")
        async with here.bot() as bot:
            await ann.types("challenge", person=bob.user, game="lgame")
            await bob.presses(await here.latest("challenges"), "Accept")
            turn = await here.latest("Turn: Ann")
            assert turn.pings == (ann.user.id,)
            await ann.presses(turn, "Move")
            picking = await here.latest("L-game", ann)
            await bot.kill()
        async with here.bot():
            step = next(each for each in picking.pressed() if not each.get("disabled"))
            if step["type"] == 3:
                await ann.chooses(picking, step["options"][0]["value"])
            else:
                await ann.presses(picking, step["custom_id"])
            await here.discord.until(lambda: picking.edits > 0 or picking.id not in here.games.messages)
            await ann.types("settings", warnings="off")
            # Not the latest message: the kill may leave the press of Move to be answered once more, after this answer.
            off = "Warnings before a losing move: off"
            await here.discord.until(lambda: any(off in each.words for each in ann.private()), off)
            await ann.types("move", move="L b3-b1-a1 n a4-a3")
            await here.latest("Turn: Bob")
            await bob.types("move", move="L c1-c3-d3 n d1-b4")
            await here.latest("Victory: Bob")
            assert here.discord.synced == 1  # nothing about the commands has changed


async def test_it_ends_in_order_when_it_is_asked_to(tmp_path: Path) -> None:
    async with evening(tmp_path / "data") as here:
        async with here.bot() as bot:
            bot.process.send_signal(signal.SIGTERM)
            assert await bot.process.wait() == 0
            assert not here.discord.gateway.connected
        assert TOKEN not in bot.logged.decode()


@pytest.mark.parametrize("with_code", [False, True])
async def test_a_token_that_is_refused_is_said_so(tmp_path: Path, with_code: bool) -> None:
    async with evening(tmp_path / "data") as here:
        if with_code:
            here.discord.gateway.refuse(4004)
        bot = here.bot(DISCORD_TOKEN=TOKEN if with_code else "another.token")
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


async def test_an_entry_point_command_stays_registered(tmp_path: Path) -> None:
    entry = {"id": "900", "type": 4, "name": "launch", "description": "", "handler": 2, "contexts": [0, 1, 2]}
    async with evening(tmp_path / "data") as here:
        here.discord.commands = [{**entry, "application_id": "1", "version": "5"}]
        async with here.bot():
            await here.discord.until(lambda: here.discord.synced == 1, "registered")
        assert [each for each in here.discord.commands if each["type"] == 4] == [entry]
        assert len(here.discord.commands) > 1


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
