"""Chats of both loopback platforms, with the two who play there: what they say and press, and what they are shown."""

from __future__ import annotations

import asyncio
import random
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final

from bot.chat.i18n import words as words_for
from play.errors import Unavailable
from tests.platforms.discord.people import CannotDo, Person
from tests.platforms.discord.rest import TOKEN as DISCORD_TOKEN
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild, Interaction
from tests.platforms.telegram.server import TOKEN as TELEGRAM_TOKEN
from tests.platforms.telegram.server import BotApi, Human, Room, keys, words
from tests.reliability.processes import BotDied, BotProcess
from tests.support.servers import free_port
from tests.support.waiting import eventually

NAMES: Final = ("Ann", "Bob")
AGAIN: Final = 0.1  # seconds until a person repeats what has failed
ANSWERED: Final = 20.0  # seconds after which a person takes a command for lost, and repeats it
UNREACHED: Final = words_for("en")(Unavailable().reason)
ACKNOWLEDGED: Final = "interaction failed"
"""What a person sees on a machine that is too busy for Discord's three seconds: they try again."""


class Chat(ABC):
    """A chat with the bot and the players."""

    @property
    def refused(self) -> Sequence[str]:
        """The private answers to commands and presses; none on Telegram, where they are in other chats."""
        return ()

    @abstractmethod
    async def say(self, bot: BotProcess, who: int, command: str, text: str = "", code: str = "") -> None:
        """Send a command, and return once the platform need not be told again.

        Raises:
            BotDied: the bot died before, so the person has to say it once more.
        """

    @abstractmethod
    async def press(self, bot: BotProcess, who: int, code: str, label: str) -> None:
        """Press a button under the message about a match, where it is still there. Raises `BotDied` like `say`."""

    @property
    @abstractmethod
    def history(self) -> Sequence[tuple[int, str]]:
        """The bot's messages for all, each as it was sent and after each edit: its number and its words."""

    @property
    @abstractmethod
    def shown(self) -> Sequence[str]:
        """The words of the bot's messages as they stand now."""


class Platform(ABC):
    """A loopback platform.

    Attributes:
        settings: The environment of a bot that connects to it.
        queues: Whether it keeps for a dead bot what people say.
    """

    settings: dict[str, str]
    queues: bool

    @abstractmethod
    def group(self) -> Chat:
        """Return a new group with both players."""

    @abstractmethod
    def private(self) -> Chat:
        """Return the conversation of the first player with the bot."""

    @abstractmethod
    async def connected(self, bot: BotProcess) -> None:
        """Return once people can say something to a bot that was started. Raises `BotDied`."""

    def process(self, number: str) -> Mapping[str, str]:
        """Return the settings of one of several processes behind one address, by its number."""
        return {}

    @property
    @abstractmethod
    def connections(self) -> int:
        """How often a bot has connected."""

    @property
    def unanswered(self) -> Sequence[Interaction]:
        """Requests that a bot acknowledged and none has answered yet; Telegram shows no acknowledgement."""
        return ()

    @property
    @abstractmethod
    def invalid(self) -> Sequence[str]:
        """What the bot sent that the platform does not allow."""

    @property
    def nonces_repeated(self) -> int:
        """How many messages came again under the same nonce, and were not shown again."""
        return 0


class _TelegramChat(Chat):
    def __init__(self, api: BotApi, people: Sequence[Human], room: Room | None) -> None:
        self._api, self._people, self._room = api, people, room
        self._id = room.id if room else people[0].id

    async def say(self, bot: BotProcess, who: int, command: str, text: str = "", code: str = "") -> None:
        named = f"#{code}" if code else ""
        self._api.say(self._people[who], self._room, " ".join(filter(None, (f"/{command}", named, text))))

    async def press(self, bot: BotProcess, who: int, code: str, label: str) -> None:
        for message in self._api.messages[self._id].values():
            for key in keys(message):
                if key["text"] == label and code in key.get("callback_data", ""):
                    self._api.press(self._people[who], message, key["callback_data"])
                    return

    @property
    def history(self) -> Sequence[tuple[int, str]]:
        return self._api.history.get(self._id, ())

    @property
    def shown(self) -> Sequence[str]:
        room = self._room or self._people[0]
        return [words(message) for message in self._api.shown(room)]


class Telegram(Platform):
    """A Bot API server: it keeps updates until they are confirmed."""

    queues = True

    def __init__(self, api: BotApi) -> None:
        self._api = api
        self._people = [api.human(name) for name in NAMES]
        self._groups = 0
        self.settings = {"TELEGRAM_TOKEN": TELEGRAM_TOKEN, "KLOP_TELEGRAM_API": api.url}

    def bring(self) -> None:
        """From now on bring updates to a webhook, each one to five times within four seconds."""
        port, luck = free_port(), random.Random(5)
        self._api.repeats = lambda: [luck.uniform(0, 4) for _ in range(luck.randrange(5))]
        self._api.deliver_to = f"http://127.0.0.1:{port}/hook"
        self.settings |= {
            "KLOP_TELEGRAM_WEBHOOK_URL": "https://example.org/hook",
            "KLOP_TELEGRAM_WEBHOOK_LISTEN": f"127.0.0.1:{port}",
        }

    def group(self) -> Chat:
        self._groups += 1
        return _TelegramChat(
            self._api, self._people, self._api.group(-1000 - self._groups, "Hall", *self._people)
        )

    def private(self) -> Chat:
        return _TelegramChat(self._api, self._people, None)

    async def connected(self, bot: BotProcess) -> None:
        return

    @property
    def connections(self) -> int:
        return sum(call.method in ("deleteWebhook", "setWebhook") for call in self._api.calls)

    @property
    def invalid(self) -> Sequence[str]:
        return self._api.invalid


class _DiscordChat(Chat):
    def __init__(self, people: Sequence[Person], channel: Channel) -> None:
        self._people, self._channel = people, channel
        self._done: list[Interaction] = []

    async def say(self, bot: BotProcess, who: int, command: str, text: str = "", code: str = "") -> None:
        options: dict[str, object] = {"match": code} if code else {}
        words = text.split()
        if command == "challenge" and words[0] == "bob":
            options |= {"person": self._people[1].user, "game": words[1]}
            options |= {"options": " ".join(words[2:])} if words[2:] else {}
        elif command == "new":
            options |= {"game": words[0], "options": " ".join(words[1:])}
        elif command == "challenge":
            options |= {"game": words[1], "options": " ".join((words[0], *words[2:]))}
        elif command == "settings":
            options |= dict([text.split(":")])
        elif text:
            options[command if command in ("move", "plan") else "answer"] = text
        discord = self._people[who].discord
        await discord.until(lambda: discord.commands, "commands")  # offered once the bot is connected
        await self._tried(bot, partial(self._people[who].types, command, **options))

    async def press(self, bot: BotProcess, who: int, code: str, label: str) -> None:
        for message in list(self._channel.messages.values()):
            for each in message.pressed():
                if each.get("label") == label and code in each.get("custom_id", ""):
                    with suppress(CannotDo):  # the button has gone meanwhile
                        await self._tried(bot, partial(self._people[who].presses, message, label))
                    return

    async def _tried(self, bot: BotProcess, act: Callable[[], Awaitable[Interaction]]) -> None:
        done = await _unless_gone(bot, act())
        while done is None:
            await asyncio.sleep(AGAIN)
            done = await _unless_gone(bot, act())
        self._done.append(done)

    @property
    def refused(self) -> Sequence[str]:
        answers = [each for done in self._done for each in (done.original, *done.follow_ups) if each]
        return [each.words for each in answers if each.only and each.words]

    @property
    def history(self) -> Sequence[tuple[int, str]]:
        return [(number, said.replace("\\", "")) for number, said in self._channel.history]

    @property
    def shown(self) -> Sequence[str]:
        return [each.words.replace("\\", "") for each in self._channel.messages.values() if each.only is None]


class DiscordPlatform(Platform):
    """A Discord: what is said while no bot is connected is lost, and the person says it again."""

    queues = False

    def __init__(self, discord: Discord) -> None:
        self._discord = discord
        self._opened = 0
        self._ports: Sequence[int] = ()
        self.posting = discord.posting
        self.settings = {"DISCORD_TOKEN": DISCORD_TOKEN, "KLOP_DISCORD_API": discord.url}

    def bring(self, processes: int = 1) -> None:
        """From now on post interactions to an address, and so to the processes behind it by turns."""
        self._ports = [free_port() for _ in range(processes)]
        self.posting.processes = [f"http://127.0.0.1:{port}/discord" for port in self._ports]
        self.settings |= {
            "KLOP_DISCORD_ENDPOINT_URL": "https://example.org/discord",
            "KLOP_DISCORD_ENDPOINT_LISTEN": f"127.0.0.1:{self._ports[0]}",
        }

    def process(self, number: str) -> Mapping[str, str]:
        listen = {number: f"127.0.0.1:{port}" for number, port in enumerate(self._ports, 1)}
        return {"KLOP_DISCORD_ENDPOINT_LISTEN": listen[int(number)]} if number else {}

    async def listens(self) -> None:
        """Return once all processes behind one address listen."""
        for url in self.posting.processes:
            await eventually(partial(self.posting.answers, url))

    def _in(self, channel: Channel) -> Chat:
        users = [self._discord.named(name.lower(), name, "en-US") for name in NAMES]
        people = [Person(self._discord, user, channel) for user in users]
        return _DiscordChat(people, channel)

    def group(self) -> Chat:
        guild = self._discord.guilds[0]
        channel = self._discord.add(Channel(name="hall", guild=guild))
        guild.channels.append(channel)
        return self._in(channel)

    def private(self) -> Chat:
        ann = self._discord.named("ann", "Ann", "en-US")
        return self._in(self._discord.conversation(ann.id))

    async def connected(self, bot: BotProcess) -> None:
        if self.posting.processes:
            listening = asyncio.ensure_future(self.listens())
            await eventually(lambda: bot.gone.is_set() or (listening.done() and self._discord.commands))
            listening.cancel()
        else:
            gateway = self._discord.gateway
            await eventually(
                lambda: (
                    bot.gone.is_set()
                    or (len(gateway.opened) > self._opened and gateway.connected and self._discord.commands)
                )
            )
            self._opened = len(gateway.opened)
        if bot.gone.is_set():
            raise BotDied

    @property
    def connections(self) -> int:
        return len(self._discord.gateway.opened) or len(self._discord.asked("GET", "/users/@me"))

    @property
    def unanswered(self) -> Sequence[Interaction]:
        return [each for each in self._discord.interactions.values() if each.acked and not each.answered]

    @property
    def invalid(self) -> Sequence[str]:
        return [
            wrong
            for wrong in (*self._discord.wrong, *self._discord.gateway.wrong)
            if ACKNOWLEDGED not in wrong
        ]

    @property
    def nonces_repeated(self) -> int:
        sent = [
            request.payload["nonce"]
            for request in self._discord.requests
            if request.method == "POST" and request.payload and "nonce" in request.payload
        ]
        return len(sent) - len(set(sent))


async def _unless_gone(bot: BotProcess, acting: Awaitable[Interaction]) -> Interaction | None:
    """Return an interaction that has been answered; None if the time for that has passed."""
    task, gone = asyncio.ensure_future(acting), asyncio.ensure_future(bot.gone.wait())
    try:
        await asyncio.wait((task, gone), timeout=ANSWERED, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            done = task.result()
            with suppress(TimeoutError):
                await eventually(lambda: done.settled or done.failed or bot.gone.is_set(), ANSWERED)
            if done.settled:
                return done
        if bot.gone.is_set():
            raise BotDied
        return None
    finally:
        task.cancel()
        gone.cancel()


@asynccontextmanager
async def telegram() -> AsyncIterator[Telegram]:
    api = BotApi()
    async with api.serving():
        yield Telegram(api)


@asynccontextmanager
async def discord() -> AsyncIterator[DiscordPlatform]:
    server = Discord(Guild("Somewhere", channels=[Channel(name="games")]))
    async with server:
        yield DiscordPlatform(server)
        server.interactions.clear()  # late answers are the machine's fault
        server.wrong[:] = [wrong for wrong in server.wrong if ACKNOWLEDGED not in wrong]
