"""The platforms of the simulation: who lives there, where they play, and how a move is typed there."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from bot.platforms.discord.rendering import PLATFORM as DISCORD
from bot.platforms.discord.rendering import place
from bot.platforms.telegram.places import Chat, account, address
from play.people import Account, Address
from tests.platforms.discord.people import Person
from tests.platforms.discord.process import BotProcess
from tests.platforms.discord.rest import Request
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild, Message, User
from tests.platforms.telegram.crowd import Human, Room
from tests.platforms.telegram.process import running
from tests.platforms.telegram.server import BotApi, Call

_PATIENCE: Final = 120.0  # seconds for a board
_KEPT: Final = 4  # messages of a group; older ones are forgotten
_GROUPS: Final = -1_000_000_000_000  # where Telegram's numbers of groups begin
_CHANNELS: Final = 200  # of a server on Discord, which has at most 500
_COMMAND: Final = 2


class Platform(ABC):
    """A platform on this machine. What it takes of the processor does not count.

    Attributes:
        messages: New messages in groups, as the bot has asked for them since the last `clear`.
        edits: Changes of messages there.
        answers: Responses to interactions, which no rate limits.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Count from the beginning."""
        self.messages = self.edits = self.answers = 0

    @abstractmethod
    def person(self, number: int) -> Account:
        """Return one more person."""

    @abstractmethod
    def group(self, people: Sequence[Account]) -> Address:
        """Return one more group, with people in it."""

    @abstractmethod
    def running(self, data: Path, settings: Mapping[str, str]) -> Any:
        """Return a context in which a bot with a data directory runs; its value is the process id."""

    @abstractmethod
    async def type(self, who: Account, where: Address, move: str) -> float | None:
        """Type a move; return the seconds until the new board was there, or None if it never came."""


class _Telegram(Platform):
    def __init__(self) -> None:
        super().__init__()
        self._api = BotApi()
        self._api.calls = _Calls(self)
        self._humans: dict[str, Human] = {}
        self._boards: dict[int, asyncio.Future[float]] = {}  # by chat: when its next message comes

    def person(self, number: int) -> Account:
        human = self._api.human(f"p{number}")
        who = account(human.id)
        self._humans[who.uid] = human
        return who

    def group(self, people: Sequence[Account]) -> Address:
        at = _GROUPS - len(self._api.rooms)
        self._api.rooms[at] = Room(at, f"g{-at}", {self._humans[who.uid].id for who in people})
        return address(Chat(at))

    @asynccontextmanager
    async def running(self, data: Path, settings: Mapping[str, str]) -> AsyncIterator[int]:
        async with self._api.serving(), running(self._api, data, **settings) as bot:
            assert bot.process
            yield bot.process.pid

    async def type(self, who: Account, where: Address, move: str) -> float | None:
        room = self._api.rooms[int(where.place)]
        board: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._boards[room.id] = board
        began = self._api.clock()
        self._api.say(self._humans[who.uid], room, f"/move {move}")
        try:
            return await asyncio.wait_for(board, _PATIENCE) - began
        except TimeoutError:
            return None
        finally:
            _forget(self._api.messages.get(room.id, {}))

    def called(self, call: Call) -> bool:
        if call.method.startswith("edit"):
            self.edits += 1
            return True
        if call.method not in ("sendMessage", "sendPhoto"):
            return False
        self.messages += 1
        waiting = self._boards.pop(int(call.given["chat_id"]), None)
        if waiting is not None and not waiting.done():
            waiting.set_result(call.at)
        return True


class _Calls(list[Call]):
    def __init__(self, platform: _Telegram) -> None:
        super().__init__()
        self._platform = platform

    def append(self, call: Call) -> None:
        if not self._platform.called(call):
            super().append(call)


class _OnDiscord(Platform):
    def __init__(self) -> None:
        super().__init__()
        self._guilds: list[Guild] = []
        self._users: dict[str, User] = {}
        self._discord = Discord()
        self._discord.requests = _Requests(self)

    def person(self, number: int) -> Account:
        user = User(f"p{number}", f"P{number}")
        self._users[str(user.id)] = self._discord.users[user.id] = user
        return Account(DISCORD, str(user.id))

    def group(self, people: Sequence[Account]) -> Address:  # noqa: ARG002 - everybody sees a server's channels
        if not self._guilds or len(self._guilds[-1].channels) == _CHANNELS:
            self._guilds.append(Guild(f"s{len(self._guilds)}"))
            self._discord.guilds.append(self._guilds[-1])
        channel = Channel(name=f"c{len(self._discord.channels)}", guild=self._guilds[-1])
        self._guilds[-1].channels.append(self._discord.add(channel))
        return place(channel.id)

    @asynccontextmanager
    async def running(self, data: Path, settings: Mapping[str, str]) -> AsyncIterator[int]:
        async with self._discord, BotProcess(self._discord, data, settings) as bot:
            yield bot.process.pid

    async def type(self, who: Account, where: Address, move: str) -> float | None:
        channel = self._discord.channels[int(where.place)]
        newest = max(channel.messages, default=0)
        option = {"name": "move", "type": 3, "value": move}
        data = {"id": "1", "name": "move", "type": 1, "options": [option]}
        sent = await Person(self._discord, self._users[who.uid], channel).sends(_COMMAND, data)

        def board() -> Message | None:
            return next((each for at, each in channel.messages.items() if at > newest and each.files), None)

        try:
            await self._discord.until(board, patience=_PATIENCE)
        except AssertionError:
            return None
        finally:
            _forget(channel.messages)
        return asyncio.get_running_loop().time() - sent.sent

    def asked(self, request: Request) -> None:
        if request.path.startswith(("/interactions/", "/webhooks/")):
            self.answers += 1
        elif request.method == "PATCH":
            self.edits += 1
        elif "/messages" in request.path:
            self.messages += 1


class _Requests(list[Request]):
    def __init__(self, platform: _OnDiscord) -> None:
        super().__init__()
        self._platform = platform

    def append(self, request: Request) -> None:
        self._platform.asked(request)


def _forget(messages: dict[int, Any]) -> None:
    for old in list(messages)[:-_KEPT]:
        del messages[old]


PLATFORMS: Final[Mapping[str, type[Platform]]] = {"telegram": _Telegram, "discord": _OnDiscord}
