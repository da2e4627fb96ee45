"""What a bot remembers of people and chats is bounded: with small bounds, twenty leave no more behind than ten."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sized
from types import ModuleType
from typing import Any, Final

import pytest

from bot.chat import fair_queue, seen
from bot.chat.sending import attention, posted, unreached
from bot.chat.thinking import thinker
from bot.platforms.discord import courier, followups
from bot.platforms.telegram import known_users, places, presses, sending
from play.replay import Replay
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.discord.world import Channel
from tests.platforms.telegram.harness import TelegramHarness, telegram_bot
from tests.platforms.telegram.server import keys

BOUND: Final = 5
PEOPLE: Final = 10
SLACK: Final = BOUND  # what is under way at the moment of counting

CACHES: Final[list[tuple[ModuleType, str]]] = [
    (courier, "_CERTAIN"),
    (courier, "_KEPT"),
    (places, "KNOWN"),
    (known_users, "KNOWN"),
    (posted, "KEPT"),
    (attention, "_KEPT"),
    (followups, "_KEPT"),
    (sending, "_REMEMBERED"),
    (thinker, "REMEMBERED"),
    (fair_queue, "REMEMBERED"),
    (seen, "_REMEMBERED"),
    (presses, "_CONFIRMED"),
    (unreached, "LOOKED"),
]
"""The bounds of what is kept until there is too much of it; `Replay` besides."""

_OURS: Final = ("bot.", "play.", "render.", "storage.")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in CACHES:
        monkeypatch.setattr(module, name, BOUND)
    monkeypatch.setattr(Replay.__init__, "__defaults__", (BOUND,))


def _ours(named: object) -> bool:
    # The store in memory stands for the server: what it holds is the players' data.
    name = str(named)
    return name.startswith(_OURS) and not name.startswith("tests.support.memory")


def _containers() -> Iterator[tuple[str, Sized]]:
    """Every container that an object or a module of the bot refers to, by its name there."""
    gc.collect()
    for each in gc.get_objects():
        kind = type(each)
        if not _ours(kind.__module__):
            continue
        names = [name for base in kind.__mro__ for name in getattr(base, "__slots__", ())]
        for name in {*getattr(each, "__dict__", ()), *names}:
            found = getattr(each, name, None)
            if isinstance(found, Sized) and not isinstance(found, str | bytes | tuple | frozenset):
                yield f"{kind.__module__}.{kind.__name__}.{name}", found
    for module in [module for name, module in sys.modules.items() if _ours(name)]:
        for name, found in vars(module).items():
            if isinstance(found, dict | list | set):
                yield f"{module.__name__}.{name}", found


def _sizes() -> Counter[str]:
    """How much the containers of each name hold together."""
    sizes: Counter[str] = Counter()
    for name, found in _containers():
        sizes[name] += len(found)
    return sizes


async def _flat(act: Callable[[int], Awaitable[None]]) -> None:
    """Have ten people act, then ten others, who leave no more behind."""
    began = _sizes()
    for number in range(PEOPLE):
        await act(number)
    half = _sizes()
    for number in range(PEOPLE, 2 * PEOPLE):
        await act(number)
    end = _sizes()
    assert not {
        name: (began[name], half[name], size) for name, size in end.items() if size > half[name] + SLACK
    }
    assert any(half[name] >= began[name] + BOUND for name in half)  # they did fill something


async def test_on_telegram() -> None:
    async with telegram_bot() as f:
        await _flat(lambda number: _on_telegram(f, number))


async def _on_telegram(f: TelegramHarness, number: int) -> None:
    one, other = f.api.human(f"One{number}"), f.api.human(f"Other{number}")
    hall = f.api.group(-1_000_000 - number, "Hall", one, other)
    for line in ("/start", "/settings warnings:off", "/puzzle lgame", "/games", "/nonsense", "what"):
        await f.say(one, None, line)
    await f.say(one, hall, f"/challenge @{other.user} lgame side:first")
    await f.press(other, f.board(hall), "Accept")
    await f.say(one, hall, "/new klopodavka players:3")
    await f.say(other, hall, "/hint")
    await f.say(other, hall, "/config")
    f.api.ask_inline(one, "lgame")
    await f.settled()
    shown = f.board(hall)
    f.api.press(one, shown, keys(shown)[0]["callback_data"])
    await f.settled()


async def test_on_discord() -> None:
    async with DiscordHarness() as home:
        await _flat(lambda number: _on_discord(home, number))


async def _on_discord(home: DiscordHarness, number: int) -> None:
    channel = Channel(name=f"hall{number}", guild=home.guild)
    home.guild.channels.append(channel)
    home.discord.add(channel)
    one, other = home.person(f"one{number}", at=channel), home.person(f"other{number}", at=channel)
    commands: list[tuple[str, dict[str, Any]]] = [
        ("settings", {"warnings": "off"}),
        ("puzzle", {"game": "lgame"}),
        ("games", {}),
        ("challenge", {"person": other.user, "game": "lgame", "options": "side:first"}),
        ("hint", {}),
    ]
    for name, given in commands:
        await one.types(name, **given)
    private = home.discord.conversation(one.user.id)
    await one.at(private).types("games")
    await other.presses(
        next(each for each in reversed(channel.messages.values()) if each.only is None), "Accept"
    )
