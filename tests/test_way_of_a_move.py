"""How many modules and frames one move takes: from the typed line to the printed board, from the update to the posted message.

A test that fails prints the modules in the order of their first call, then the deepest stack, its outermost function first. A module
that is new there does something for every move: it can often be left out or stand with another one. A frame that only hands on what it
gets can be inlined. What runs beside, whether a move comes or not, does not count.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Final

import pytest
from redis.asyncio import Redis

import bot
from storage.redis.store import RedisStore
from tests.bot.process import environment
from tests.platforms.discord.harness import DiscordHarness, begun, latest
from tests.platforms.telegram.harness import telegram_bot, words

BOUNDS: Final = {"room": (58, 14), "telegram": (70, 14), "discord": (68, 13)}
"""The most modules, and the most frames of one stack, of a move at each place. They only become smaller."""

HOME: Final = f"{Path(bot.__path__[0]).parent}/"
HOUSE: Final = tuple(f"{HOME}{each}/" for each in ("bot", "engine", "play", "render", "rules", "storage"))
BESIDE: Final = "bot/app/supervisor.py:_kept"
"""The function below which the parts of a process run that wait for no move."""

LINES: Final = (
    "ann: /challenge bob breakthrough board:5x5",
    "bob: /accept",
    "ann: /move a2-a3",
    "bob: /move e4-e3",
    "ann: /move b2-b3",
)


@dataclass
class Way:
    """What is called of the product: modules, and the deepest stack."""

    modules: list[str] = field(default_factory=list)
    deepest: list[str] = field(default_factory=list)

    def called(self, frame: FrameType, event: str, _argument: object) -> None:
        """Count a call, for `sys.setprofile`."""
        if event != "call" or not frame.f_code.co_filename.startswith(HOUSE):
            return
        stack: list[str] = []
        outer: FrameType | None = frame
        while outer is not None:
            code, outer = outer.f_code, outer.f_back
            if code.co_filename.startswith(HOUSE) and not code.co_name.startswith("<"):
                stack.insert(0, f"{code.co_filename.removeprefix(HOME)}:{code.co_name}")
        module = frame.f_code.co_filename.removeprefix(HOME)
        if BESIDE not in stack:
            self.modules += [] if module in self.modules else [module]
            self.deepest = max(self.deepest, stack, key=len)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count while the context lasts."""
        sys.setprofile(self.called)
        try:
            yield
        finally:
            sys.setprofile(None)

    def check(self, place: str) -> None:
        """Compare with the bounds."""
        found = len(self.modules), len(self.deepest)
        if found[0] > BOUNDS[place][0] or found[1] > BOUNDS[place][1]:
            seen = "\n".join((*self.modules, "", *self.deepest))
            pytest.fail(f"{found} of {BOUNDS[place]} modules and frames at {place}:\n{seen}", pytrace=False)


def serve_room(data: str) -> None:
    """Run the bot with its room, type `LINES`, and print the way of the last one."""
    from bot.__main__ import main
    from bot.app import local_room

    way = Way()

    async def typed(*_: object) -> AsyncIterator[str]:
        for line in LINES[:-1]:
            yield line
        with way.counted():
            yield LINES[-1]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(local_room, "read_terminal", typed)
        main(["--board", "ascii", "--data", data])
    sys.stdout.write(json.dumps([way.modules, way.deepest]))


def test_from_a_typed_line_to_the_printed_board(tmp_path: Path) -> None:
    program = f"from {__name__} import serve_room; serve_room({str(tmp_path)!r})"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=HOME,
        env={**environment(), "KLOP_WORKERS": "0"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    _, board, last = done.stdout.rpartition("  ann: b2-b3\n")
    assert board, done.stdout + done.stderr
    Way(*json.loads(last.splitlines()[-1])).check("room")


async def test_from_an_update_of_telegram_to_the_posted_message(redis_client: Redis) -> None:
    way = Way()
    async with telegram_bot(store=RedisStore(redis_client)) as home:
        ann, bob, hall = await home.begun("breakthrough 5x5")
        await home.say(ann, hall, "/move a2-a3")
        await home.say(bob, hall, "/move e4-e3")
        with way.counted():
            await home.say(ann, hall, "/move b2-b3")
        assert "b2-b3" in words(home.board(hall))
    way.check("telegram")


async def test_from_an_interaction_of_discord_to_the_posted_message(redis_client: Redis) -> None:
    way = Way()
    async with DiscordHarness(store=RedisStore(redis_client)) as home:
        ann, bob = await begun(home)
        await ann.types("move", move="a2-a3")
        await bob.types("move", move="e4-e3")
        with way.counted():
            await ann.types("move", move="b2-b3")
        assert "b2-b3" in latest(ann).content
    way.check("discord")
