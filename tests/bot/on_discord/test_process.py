"""The bot as its own process, with its own server of matches: it connects, is played with, is killed, and goes on."""

from __future__ import annotations

import signal
from pathlib import Path
from random import Random

import pytest

from rules import GAMES
from tests.platforms.discord.evening import evening
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
            picking = await here.told(ann, "L-game")
            await bot.kill()
        async with here.bot():
            step = next(each for each in picking.pressed() if not each.get("disabled"))
            if step["type"] == 3:
                await ann.chooses(picking, step["options"][0]["value"])
            else:
                await ann.presses(picking, step["custom_id"])
            await here.discord.until(lambda: picking.edits > 0 or picking.id not in here.games.messages)
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


async def test_two_shards_of_one_process_and_one_shard_of_a_process(tmp_path: Path) -> None:
    async with evening(tmp_path / "data", shards=2) as here:
        gateway = here.discord.gateway
        ann = here.person("ann")
        async with here.bot():
            await here.discord.until(lambda: gateway.connected == {0, 1}, "both shards")
            assert set(gateway.opened) == {("identify", 0), ("identify", 1)}
            await ann.types("help")
        async with here.bot(KLOP_DISCORD_SHARD_IDS="1", KLOP_DISCORD_SHARD_COUNT="2"):
            assert gateway.opened[2:] == [("identify", 1)]


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("lgame", {"variant": "scoring", "points": "5"}),
        ("breakthrough", {"board": "4x5"}),
        ("klopodavka", {"board": "6x6", "teams": "2v2", "actions": "4"}),
    ],
)
async def test_a_whole_match_of_each_game(tmp_path: Path, game: str, options: dict[str, str]) -> None:
    """Two people, or a lobby of four in teams; moves at random, each typed by the player on turn."""
    rules = GAMES[game]
    chosen = rules.choose(options)
    seats = rules.seats(chosen)
    chance = Random(game)
    typed = " ".join(f"{key}:{value}" for key, value in options.items())
    async with evening(tmp_path / "data") as here, here.bot():
        people = [here.person(name) for name in ("ann", "bob", "cem", "dan")[:seats]]
        if seats == 2:
            await people[0].types("challenge", person=people[1].user, game=game, options=typed)
            await people[1].presses(await here.latest("challenges"), "Accept")
        else:
            await people[0].types("new", game=game, options=typed)
            for number, person in enumerate(people[1:], 2):
                done = await person.presses(
                    await here.latest("gathers"), "Join team 1" if number == 2 else "Join team 2"
                )
                await here.settled(done)
                await here.latest(person.user.shown)
            await people[0].presses(await here.latest("4 of 4"), "Start")
        turn = await here.latest("Turn: ")
        order = [line.split(" ")[1] for line in turn.content.splitlines() if line[:1] in "①②③④"]
        position = rules.start(chosen)
        seen = 0
        while position.outcome is None:
            mover = next(each for each in people if each.user.shown == order[position.to_move])
            move = chance.choice(position.legal_moves())
            done = await mover.types("move", move=rules.notation.format(move))
            await here.settled(done)
            assert not [each for each in mover.private() if each.id > seen], mover.private()[-1].content
            position = position.play(move)
        end = await here.latest("Victory" if position.outcome.winners else "Draw")
        assert "Rematch" in [each["label"] for each in end.pressed()]
