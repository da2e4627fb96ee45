"""The bot as a process of its own, asking for updates or having them brought.

Matches are short: in a group Telegram, and so the bot, allows one new message in five seconds.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.platforms.telegram.settings import webhook_secret
from tests.platforms.telegram.process import BotProcess, running
from tests.platforms.telegram.server import TOKEN, BotApi, Human, Json, Room, keys, words
from tests.support.servers import free_port

pytestmark = pytest.mark.slow

HALL = -1_001_234
SECRET = webhook_secret(TOKEN)


def board(api: BotApi, room: Room) -> Json:
    return next(m for m in reversed(api.shown(room)) if "#" in words(m))


async def begin(api: BotApi, ann: Human, bob: Human, room: Room, game: str = "lgame") -> None:
    """A match with Ann on turn."""
    api.say(ann, room, f"/challenge bob {game}")
    await api.until(lambda: bool(api.shown(room)))
    accept = next(key["callback_data"] for key in keys(board(api, room)) if "callback_data" in key)
    query = api.press(bob, board(api, room), accept)
    await api.until(lambda: query in api.answered and "Turn: Ann" in words(board(api, room)))


async def play(api: BotApi, ann: Human, bob: Human, room: Room) -> None:
    """To the end, which an L-game can have after two moves, unless Ann is warned of it."""
    api.say(ann, room, "/settings warnings:off")
    api.say(ann, room, "L b3-b1-a1 n a4-a3", reply_to=board(api, room))
    await api.until(lambda: "Turn: Bob" in words(board(api, room)))
    api.say(bob, room, "L c1-c3-d3 n d1-b4", reply_to=board(api, room))
    await api.until(lambda: "Victory: Bob" in words(board(api, room)))
    await api.until(lambda: not api.waiting)


async def test_a_match_by_polling(tmp_path: Path) -> None:
    api = BotApi()
    async with api.serving(), running(api, tmp_path / "data") as bot:
        ann, bob = api.human("Ann"), api.human("Bob")
        room = api.group(HALL, "Hall", ann, bob)
        await begin(api, ann, bob, room)
        await play(api, ann, bob, room)
        assert "png" in board(api, room)
        assert await bot.end() == 0


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
        await begin(api, ann, bob, room)
        await play(api, ann, bob, room)
        assert SECRET not in bot.log
        assert api.hook is not None


async def test_nothing_is_lost_or_done_twice_when_it_is_killed(tmp_path: Path) -> None:
    """Moves in four groups at once, while the bot is killed again and again."""
    api = BotApi()
    async with api.serving():
        bot = BotProcess(api, tmp_path / "data")
        await bot.start()
        ann, bob = api.human("Ann"), api.human("Bob")
        rooms = [api.group(HALL - n, f"Hall {n}", ann, bob) for n in range(4)]
        for room in rooms:
            await begin(api, ann, bob, room, "breakthrough 4x5")
        sent: list[int] = []
        for number, move in enumerate(["a2-a3", "b4xa3", "b2xa3", "c4-c3"]):
            for room in rooms:
                update = api.say((ann, bob)[number % 2], room, f"/move {move}")
                assert update is not None
                sent.append(update)
            if (
                number < 3
            ):  # the first time in the middle of four moves, then with moves of two rounds under way
                await api.until(lambda: bool(set(sent) & set(api.confirmed)))
                await bot.kill()
                bot = BotProcess(api, tmp_path / "data")
                await bot.start()
        await api.until(lambda: not api.waiting, 90)
        # Each move is legal after the one before it alone: with the last one shown, none was lost or done twice.
        await api.until(lambda: all("c4-c3" in words(board(api, room)) for room in rooms), 90)
        await bot.end()
        assert set(sent) <= set(api.confirmed)
        assert not api.invalid


async def test_a_token_that_telegram_does_not_know(tmp_path: Path) -> None:
    api = BotApi()
    async with api.serving():
        bot = BotProcess(
            api, tmp_path / "data", TELEGRAM_TOKEN="7000000009:AAanother-bots-token-another-botsx"
        )
        assert await bot.ended() == 2
        assert "TELEGRAM_TOKEN" in bot.log
        assert "another-bots" not in bot.log
