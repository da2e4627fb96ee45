"""Both loopback platforms in the same words: people and places, what is sent and pressed there, and what is shown."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from typing import Any, Final, TypeAlias

from bot.chat.i18n import words as words_for
from play.errors import Unavailable
from tests.platforms.discord.people import Person
from tests.platforms.discord.rest import TOKEN as DISCORD_TOKEN
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild, Interaction, Message, User
from tests.platforms.telegram.server import TOKEN as TELEGRAM_TOKEN
from tests.platforms.telegram.server import BotApi, Human, Json, Room, keys, words
from tests.reliability.processes import BotDied, BotProcess
from tests.support.servers import free_port
from tests.support.waiting import eventually

NAMES: Final = ("Ann", "Bob")
AGAIN: Final = 0.1  # seconds until a person repeats what has failed
ANSWERED: Final = 20.0  # seconds after which a person takes a command for lost, and repeats it
UNREACHED: Final = words_for("en")(Unavailable().reason)
ACKNOWLEDGED: Final = "interaction failed"
"""What a person sees on a machine that is too busy for Discord's three seconds: they try again."""
COMMAND: Final = 2
PRESS: Final = 3

Answered: TypeAlias = Callable[[], bool | None]
"""Whether a request has been answered; False if it failed, None before."""


class Telegram:
    """A Bot API server: it keeps updates until they are confirmed. Nothing is acknowledged, and private answers are in other chats.

    Attributes:
        settings: The environment of a bot that connects to it.
        queues: Whether a platform keeps for a dead bot what people say.
        unanswered: Requests that a bot acknowledged and none has answered yet.
        nonces_repeated: How many messages came again under the same nonce, and were not shown again.
    """

    queues = True
    unanswered: Sequence[Interaction] = ()
    nonces_repeated = 0

    def __init__(self, api: BotApi) -> None:
        self.api = api
        self.settings = {"TELEGRAM_TOKEN": TELEGRAM_TOKEN, "KLOP_TELEGRAM_API": api.url}

    def bring(self) -> None:
        """From now on bring updates to a webhook, each one to five times within four seconds."""
        port, luck = free_port(), random.Random(5)
        self.api.repeats = lambda: [luck.uniform(0, 4) for _ in range(luck.randrange(5))]
        self.api.deliver_to = f"http://127.0.0.1:{port}/hook"
        self.settings |= {
            "KLOP_TELEGRAM_WEBHOOK_URL": "https://example.org/hook",
            "KLOP_TELEGRAM_WEBHOOK_LISTEN": f"127.0.0.1:{port}",
        }

    def person(self, name: str) -> Human:
        known = (human for human in self.api.humans.values() if human.first == name)
        return next(known, None) or self.api.human(name)

    def place(self, *people: Human) -> Room:
        """Return a new group with people."""
        return self.api.group(-1_000 - len(self.api.rooms), "Hall", *people)

    def conversation(self, who: Human) -> Room:
        """Return the place of a person and the bot."""
        return self.api.rooms.setdefault(who.id, Room(who.id, who.first, {who.id}))

    def alone(self, who: Human, place: Room) -> Room:
        """Return where a person of a place asks for what is theirs alone."""
        return self.conversation(who)

    async def send(self, who: Human, place: Room, command: str, **options: Any) -> Answered:
        forms = {"match": "#{}", "warnings": "warnings:{}"}
        given = [
            f"@{value.user}" if isinstance(value, Human) else forms.get(name, "{}").format(value)
            for name, value in options.items()
        ]
        known = len(self.api.shown(place))
        self.api.say(who, place, " ".join((f"/{command}", *given)))
        return lambda: len(self.api.shown(place)) > known or None

    async def press(self, who: Human, message: Json, button: str) -> Answered:
        query = self.api.press(who, message, button)
        return lambda: query in self.api.answered or None

    def messages(self, place: Room) -> Sequence[tuple[Json, str]]:
        """The bot's messages for all as they stand now, with their words."""
        return [(message, words(message)) for message in self.api.shown(place)]

    def buttons(self, message: Json) -> Mapping[str, str]:
        """The buttons of a message by their words."""
        return {key["text"]: key["callback_data"] for key in keys(message) if "callback_data" in key}

    def history(self, place: Room) -> Sequence[tuple[int, str]]:
        """The bot's messages for all, each as it was sent and after each edit: its number and its words."""
        return self.api.history.get(place.id, ())

    def private(self, who: Human, place: Room) -> Sequence[str]:
        """What a person was shown where they are `alone`."""
        return [said for _, said in self.history(self.conversation(who))]

    async def until(self, true: Callable[[], Any]) -> Any:
        """Wait until something is so, and return what it is; a group takes 20 messages a minute, so the last may wait for one."""
        await self.api.until(lambda: bool(true()), 150)
        return true()

    async def connected(self, bot: BotProcess) -> None:
        """Return once people can say something to a bot that was started. Raises `BotDied`."""

    def process(self, number: str) -> Mapping[str, str]:
        """Return the settings of one of several processes behind one address, by its number."""
        return {}

    def refused(self, place: Room) -> Sequence[str]:
        """The private answers to commands and presses."""
        return ()

    @property
    def connections(self) -> int:
        """How often a bot has connected."""
        return sum(call.method in ("deleteWebhook", "setWebhook") for call in self.api.calls)

    @property
    def wrong(self) -> Sequence[str]:
        """What the bot sent that the platform does not allow, and what it did not do in time."""
        return self.api.invalid


class DiscordPlatform:
    """A Discord: what is said while no bot is connected is lost, and the person says it again."""

    queues = False

    def __init__(self, discord: Discord) -> None:
        self.discord = discord
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

    def person(self, name: str) -> User:
        return self.discord.named(name.lower(), name, "en-US")

    def place(self, *people: User) -> Channel:
        guild = self.discord.guilds[0]
        guild.channels.append(self.discord.add(Channel(name="hall", guild=guild)))
        return guild.channels[-1]

    def conversation(self, who: User) -> Channel:
        return self.discord.conversation(who.id)

    def alone(self, who: User, place: Channel) -> Channel:
        return place

    async def send(self, who: User, place: Channel, command: str, **options: Any) -> Answered:
        person = Person(self.discord, who, place)
        await self.until(lambda: self.discord.commands)  # offered once the bot is connected
        users = [value for value in options.values() if isinstance(value, User)]
        given = [
            {"name": name, "type": 6, "value": str(value.id)}
            if isinstance(value, User)
            else {"name": name, "type": 3, "value": value}
            for name, value in options.items()
        ]
        data = {"id": "1", "name": command, "type": 1, "options": given, "resolved": person._people(users)}
        return partial(_answered, await person.sends(COMMAND, data))

    async def press(self, who: User, message: Message, button: str) -> Answered:
        person = Person(self.discord, who, message.channel)
        return partial(
            _answered, await person.sends(PRESS, {"component_type": 2, "custom_id": button}, message)
        )

    def messages(self, place: Channel) -> Sequence[tuple[Message, str]]:
        return [(each, each.words) for each in list(place.messages.values()) if each.only is None]

    def buttons(self, message: Message) -> Mapping[str, str]:
        return {each.get("label", ""): each["custom_id"] for each in message.pressed() if "custom_id" in each}

    def history(self, place: Channel) -> Sequence[tuple[int, str]]:
        return [(number, said.replace("\\", "")) for number, said in place.history]

    def private(self, who: User, place: Channel) -> Sequence[str]:
        return [each.words for each in Person(self.discord, who, place).private()]

    async def until(self, true: Callable[[], Any]) -> Any:
        return await self.discord.until(true)

    def refused(self, place: Channel) -> Sequence[str]:
        done = [each for each in self.discord.interactions.values() if each.channel is place]
        answers = [each for one in done for each in (one.original, *one.follow_ups) if each]
        return [each.words for each in answers if each.only and each.words]

    async def connected(self, bot: BotProcess) -> None:
        gateway, listening = self.discord.gateway, asyncio.ensure_future(self.listens())

        def there() -> bool:
            opened = bool(self.posting.processes) or (
                len(gateway.opened) > self._opened and gateway.connected
            )
            return bot.gone.is_set() or bool(opened and listening.done() and self.discord.commands)

        try:
            await eventually(there)
        finally:
            listening.cancel()
        self._opened = len(gateway.opened)
        if bot.gone.is_set():
            raise BotDied

    @property
    def connections(self) -> int:
        return len(self.discord.gateway.opened) or len(self.discord.asked("GET", "/users/@me"))

    @property
    def unanswered(self) -> Sequence[Interaction]:
        return [each for each in self.discord.interactions.values() if each.acked and not each.answered]

    @property
    def wrong(self) -> Sequence[str]:
        return [*self.discord.wrong, *self.discord.gateway.wrong]

    @property
    def nonces_repeated(self) -> int:
        sent = [
            request.payload["nonce"]
            for request in self.discord.requests
            if request.method == "POST" and request.payload and "nonce" in request.payload
        ]
        return len(sent) - len(set(sent))


def _answered(done: Interaction) -> bool | None:
    return True if done.settled or done.answered else False if done.failed else None


Platform: TypeAlias = Telegram | DiscordPlatform
"""A person, a place and a message are what it takes them for: the callers have them from it."""


class Chat:
    """A chat with the bot and two players."""

    def __init__(self, platform: Platform, place: Any, people: Sequence[Any]) -> None:
        self._platform, self._place, self._people = platform, place, people
        self.queues = platform.queues

    @classmethod
    def group(cls, platform: Platform) -> Chat:
        """Return a new group with both players."""
        people: list[Any] = [platform.person(name) for name in NAMES]
        return cls(platform, platform.place(*people), people)

    @classmethod
    def conversation(cls, platform: Platform, who: int = 0) -> Chat:
        """Return the conversation of a player with the bot."""
        people: list[Any] = [platform.person(name) for name in NAMES]
        return cls(platform, platform.conversation(people[who]), people)

    async def say(self, bot: BotProcess, who: int, command: str, **options: str) -> None:
        """Send a command, and return once the platform need not be told again. A person for an option is their name.

        Raises:
            BotDied: the bot died before, so the person has to say it once more.
        """
        given: dict[str, Any] = {name: value for name, value in options.items() if value}
        if "person" in given:
            given["person"] = self._people[NAMES.index(given["person"])]
        await self._tried(bot, partial(self._platform.send, self._people[who], self._place, command, **given))

    async def press(self, bot: BotProcess, who: int, code: str, label: str) -> None:
        """Press a button under the message about a match, where it is still there. Raises `BotDied` like `say`."""
        message: Any
        for message, _ in self._platform.messages(self._place):
            button = self._platform.buttons(message).get(label, "")
            if code in button:
                await self._tried(bot, partial(self._platform.press, self._people[who], message, button))
                return

    async def _tried(self, bot: BotProcess, act: Callable[[], Awaitable[Answered]]) -> None:
        while True:
            answered = await act()
            if self._platform.queues:
                return
            with suppress(TimeoutError):
                await eventually(lambda: answered() is not None or bot.gone.is_set(), ANSWERED)  # noqa: B023
            if answered():
                return
            if bot.gone.is_set():
                raise BotDied
            await asyncio.sleep(AGAIN)

    @property
    def refused(self) -> Sequence[str]:
        return self._platform.refused(self._place)

    @property
    def history(self) -> Sequence[tuple[int, str]]:
        return self._platform.history(self._place)


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


Connect: TypeAlias = Callable[[], AbstractAsyncContextManager[Platform]]
PLATFORMS: Final[Mapping[str, Connect]] = {
    "discord": discord, "telegram": telegram,
}  # fmt: skip
