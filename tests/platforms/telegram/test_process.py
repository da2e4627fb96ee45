"""The bot as a process of its own, asking for updates or having them brought."""

from __future__ import annotations

import random
import socket
from pathlib import Path

import pytest

from tests.platforms.telegram.process import BotProcess, running
from tests.platforms.telegram.server import BotApi, Human, Json, Room, keys, words

pytestmark = pytest.mark.slow

HALL = -1_001_234
SECRET = "Se-cret_123"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def board(api: BotApi, room: Room) -> Json:
    return next(m for m in reversed(api.shown(room)) if "#" in words(m))


async def begin(api: BotApi, ann: Human, bob: Human, room: Room) -> None:
    """A match of Breakthrough, with Ann on turn."""
    api.say(ann, room, "/challenge bob breakthrough 4x5")
    await api.until(lambda: bool(api.shown(room)))
    accept = next(key["callback_data"] for key in keys(board(api, room)) if "callback_data" in key)
    query = api.press(bob, board(api, room), accept)
    await api.until(lambda: query in api.answered and "Turn: Ann" in words(board(api, room)))


async def play(api: BotApi, ann: Human, bob: Human, room: Room) -> None:
    """To the end: Ann walks through."""
    for who, move, then in (
        (ann, "a2-a3", "Turn: Bob"), (bob, "b4xa3", "Turn: Ann"), (ann, "b2xa3", "Turn: Bob"),
        (bob, "c4-c3", "Turn: Ann"), (ann, "a3-b4", "Turn: Bob"), (bob, "c3xd2", "Turn: Ann"),
        (ann, "b4xa5", "Victory: Ann"),
    ):  # fmt: skip
        api.say(who, room, move, reply_to=board(api, room))
        await api.until(lambda then=then: then in words(board(api, room)), 60)  # type: ignore[misc]
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
            KLOP_TELEGRAM_WEBHOOK_SECRET=SECRET,
            KLOP_TELEGRAM_WEBHOOK_LISTEN=f"127.0.0.1:{port}",
        ) as bot,
    ):
        ann, bob = api.human("Ann"), api.human("Bob")
        room = api.group(HALL, "Hall", ann, bob)
        await begin(api, ann, bob, room)
        await play(api, ann, bob, room)
        assert SECRET not in bot.log
        assert api.hook is not None


@pytest.mark.parametrize("seed", range(2))
async def test_nothing_is_lost_or_done_twice_when_it_is_killed(tmp_path: Path, seed: int) -> None:
    """A lobby that many people join while the bot is killed again and again."""
    luck = random.Random(seed)
    api = BotApi()
    async with api.serving():
        bot = BotProcess(api, tmp_path / "data")
        await bot.start()
        ann, bob = api.human("Ann"), api.human("Bob")
        rooms = [api.group(HALL - n, f"Hall {n}", ann, bob) for n in range(4)]
        for room in rooms:
            await begin(api, ann, bob, room)
        moves = ["a2-a3", "b4xa3", "b2xa3", "c4-c3", "a3-b4", "c3xd2", "b4xa5"]
        sent: list[int] = []
        for number, move in enumerate(moves):
            for room in rooms:
                update = api.say((ann, bob)[number % 2], room, f"/move {move}")
                assert update is not None
                sent.append(update)
            if luck.random() < 0.7:
                await api.until(lambda: bool(set(sent) & set(api.confirmed)) or len(sent) < 8)
                await bot.kill()
                bot = BotProcess(api, tmp_path / "data")
                await bot.start()
        await api.until(lambda: not api.waiting, 90)
        await api.until(lambda: all("Victory: Ann" in words(board(api, room)) for room in rooms), 90)
        await bot.end()
        assert set(sent) <= set(api.confirmed)
        assert not api.invalid


async def test_a_token_that_telegram_does_not_know(tmp_path: Path) -> None:
    api = BotApi()
    async with api.serving():
        bot = BotProcess(
            api, tmp_path / "data", TELEGRAM_TOKEN="7000000009:AAsomebody-elses-token-somebody-el"
        )
        assert await bot.ended() == 2
        assert "TELEGRAM_TOKEN" in bot.log
        assert "somebody-elses" not in bot.log
