"""Crowds on the loopback platforms: one person who sends anything, and others who play and ask."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from statistics import median, quantiles
from typing import Any, Final

from bot.features.commands import REGISTRY
from rules import GAMES
from tests.platforms.discord.people import Person
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild, Interaction, Message
from tests.platforms.telegram.server import BotApi, Human, Json, Room, keys, words

BURST: Final = 50  # requests of the person between two rounds of the others
OTHERS: Final = 20
PAIRS: Final = OTHERS // 2
MATCHES: Final = 3 * PAIRS  # each in a hall of its own, for a chat takes 20 messages a minute
MOB: Final = 20  # people who flood the bot together
ANALYSED: Final = "How the match went"

_COMMAND: Final = 2
_PRESS: Final = 3
_COMPLETE: Final = 4

ON_TELEGRAM: Final = (
    "commands", "private commands", "lobbies", "presses", "forged presses", "inline queries", "joins", "imports", "files",
    "plain lines", "moves",
)  # fmt: skip
ON_DISCORD: Final = (
    "commands", "lobbies", "presses", "forged presses", "completions", "joins", "imports", "moves",
)  # fmt: skip
"""The floods by name. The last one is never dropped, so it keeps its person busy for hours."""

Flood = Callable[[int], object]
"""Sends one request, by its number."""


async def sent(flood: Flood, number: int) -> None:
    """Send one request."""
    going = flood(number)
    if asyncio.iscoroutine(going):
        await going


def crowded() -> Guild:
    """Return a server for a `DiscordCrowd`."""
    return Guild("Crowd", channels=[Channel(name="hall") for _ in range(1 + MATCHES + MOB // 2 + PAIRS)])


@dataclass
class LGame:
    """A match of two of the others, who play on at random."""

    luck: random.Random
    position: Any = field(default_factory=lambda: GAMES["lgame"].start(GAMES["lgame"].choose({})))

    def move(self) -> tuple[int, str]:
        """Return who moves, and their move, which has not ended the match."""
        going = [move for move in self.position.legal_moves() if self.position.play(move).outcome is None]
        who, move = int(self.position.to_move), self.luck.choice(going)
        self.position = self.position.play(move)
        return who, GAMES["lgame"].notation.format(move)


class Waits:
    """How long the others wait, by what they do."""

    def __init__(self) -> None:
        self.by: dict[str, list[float]] = {}

    async def time(self, what: str, answered: Awaitable[object]) -> None:
        """Note how long an answer takes."""
        began = asyncio.get_running_loop().time()
        await answered
        self.by.setdefault(what, []).append(asyncio.get_running_loop().time() - began)

    @property
    def p99(self) -> float:
        """The wait that 99 of 100 do not exceed."""
        return _p99([wait for each in self.by.values() for wait in each])

    @property
    def p99_by(self) -> dict[str, float]:
        """The same by what they do."""
        return {what: _p99(waits) for what, waits in self.by.items()}

    def __str__(self) -> str:
        each = ", ".join(
            f"{len(waits)} {what} in {median(waits):.3f} s (median), {max(waits):.3f} s (longest)"
            for what, waits in self.by.items()
        )
        return f"{each}; p99 of all {self.p99:.3f} s"


async def half_sent(port: int, number: int, cut: list[int]) -> None:
    """Send half a request to a port from an address of its own, and again whenever it is `cut` off."""
    while True:
        with suppress(OSError):
            address = (f"127.0.1.{number + 1}", 0)
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=address)
            writer.write(b"POST /hook HTTP/1.1\r\nX-Half: ")
            try:
                await reader.read()
                cut.append(number)
            finally:
                writer.close()
        await asyncio.sleep(0.01)


def _p99(waits: Sequence[float]) -> float:
    return quantiles(waits, n=100, method="inclusive")[98]


class TelegramCrowd:
    """The person who floods the bot, and the others."""

    def __init__(self, api: BotApi) -> None:
        self._api = api
        self._ann = api.human("Ann")
        self._others = [api.human(f"Other{number}") for number in range(OTHERS)]
        self._hall = api.group(-1_000, "Hall", self._ann, *self._others)
        self._halls = [api.group(-2_000 - match, "Hall", *self._pair(match)) for match in range(MATCHES)]
        self._matches = [LGame(random.Random(match)) for match in range(MATCHES)]
        self._turns = cycle(range(OTHERS))
        self._playing = cycle(range(MATCHES))
        self._card: Json = {}
        self._codes: list[str] = []  # of the matches
        self._over: list[str] = []  # of one that is over, for each pair

    def _pair(self, match: int) -> tuple[Human, Human]:
        pair = match % PAIRS
        return self._others[2 * pair], self._others[2 * pair + 1]

    async def begin(self) -> None:
        """Open a lobby in the hall, and begin the matches of the others."""
        self._api.say(self._ann, self._hall, "/new lgame")
        self._card = await self._shown(self._hall, "")
        for other in self._others:
            self._api.say(other, None, "/settings warnings:off")
            await self._shown(other, "")
        for match, hall in enumerate(self._halls):
            self._codes.append(await self._begun(hall, *self._pair(match)))

    async def begin_mob(self) -> list[Flood]:
        """Begin the matches of the people who flood the bot together, and end one of each pair of the others.

        Return what asks for the board of each of these people.
        """
        mob = [self._api.human(f"Mob{number}") for number in range(MOB)]
        for pair in range(MOB // 2):
            hall = self._api.group(-3_000 - pair, "Mob", *mob[2 * pair : 2 * pair + 2])
            await self._begun(hall, *mob[2 * pair : 2 * pair + 2])
        for pair in range(PAIRS):
            people = self._pair(pair)
            hall = self._api.group(-4_000 - pair, "Over", *people)
            self._over.append(await self._begun(hall, *people))
            match = LGame(random.Random(pair))
            for _ in range(2):
                who, move = match.move()
                self._api.say(people[who], hall, f"/move {move}")
                await self._shown(hall, move)
            self._api.say(people[0], hall, "/resign yes")
            await self._told(hall, "resigns")
            self._api.say(
                people[0], None, f"/analyse #{self._over[-1]}"
            )  # the search of a match takes its time, once
            await self._told(people[0], ANALYSED)
        return [partial(self._asks_board, who) for who in mob]

    async def _told(self, room: Room | Human, said: str) -> None:
        await self._api.until(lambda: any(said in each for _, each in self._api.history.get(room.id, ())))

    def _asks_board(self, who: Human, _number: int) -> None:
        self._api.say(who, None, "/board")

    async def _begun(self, hall: Room, one: Human, other: Human) -> str:
        self._api.say(one, hall, f"/challenge @{other.user} lgame side:first")
        card = await self._shown(hall, "")
        self._api.press(other, card, keys(card)[0]["callback_data"])
        return _code_in(words(await self._shown(hall, "Turn: ")))

    async def _shown(self, room: Room | Human, said: str) -> Json:
        def found() -> Json | None:
            messages = reversed(self._api.shown(room))
            return next((each for each in messages if "reply_markup" in each and said in words(each)), None)

        await self._api.until(lambda: found() is not None)
        message = found()
        assert message
        return message

    def floods(self) -> dict[str, Flood]:
        """The floods, see `ON_TELEGRAM`."""
        api, ann = self._api, self._ann
        names = sorted(REGISTRY.specs)
        return {
            "commands": lambda count: api.say(ann, self._hall, f"/{names[count % len(names)]}"),
            "private commands": lambda count: api.say(ann, None, f"/{names[count % len(names)]}"),
            "lobbies": lambda _: api.say(ann, self._hall, "/new klopodavka players:4"),
            "presses": lambda _: api.press(ann, self._card, "-a1"),
            "forged presses": lambda count: api.press(ann, self._card, f"-{count % 1000}"),
            "inline queries": lambda _: api.ask_inline(ann, "lgame"),
            "joins": lambda count: api.say(ann, None, f"/join #aaa{count % 1000:03}"),
            "imports": lambda _: api.say(ann, None, "/import no match"),
            "files": lambda _: api.give(ann, None, "a.klop", b"no match"),
            "plain lines": lambda _: api.say(ann, None, "what is this"),
            "moves": lambda _: api.say(ann, self._hall, "/move a2-a3"),
        }

    async def others_act(self, waits: Waits) -> None:
        """One other presses, one types a command, and a pair plays on."""
        await waits.time("presses", self._press(self._others[next(self._turns)]))
        await waits.time("commands", self._ask(self._others[next(self._turns)], "/rules lgame"))
        await waits.time("moves", self._move(next(self._playing)))

    async def others_ask(self, waits: Waits) -> None:
        """Others ask for a board and an analysis, and import something, and a pair plays on."""
        one, two, three = (next(self._turns) for _ in range(3))  # a chat takes a message a second
        await waits.time("/board", self._ask(self._others[one], f"/board #{self._codes[one // 2]}"))
        await waits.time("/analyse", self._ask(self._others[two], f"/analyse #{self._over[two // 2]}"))
        await waits.time("/import", self._ask(self._others[three], "/import no match"))
        await waits.time("moves", self._move(next(self._playing)))

    async def _press(self, other: Human) -> None:
        query = self._api.press(other, self._card, "-a1")
        await self._api.until(lambda: query in self._api.answered)

    async def _ask(self, other: Human, text: str) -> None:
        known = len(self._api.shown(other))
        self._api.say(other, None, text)
        await self._api.until(lambda: len(self._api.shown(other)) > known)

    async def _move(self, match: int) -> None:
        who, move = self._matches[match].move()
        hall, player = self._halls[match], self._pair(match)[who]
        self._api.say(player, hall, f"/move {move}")
        said = f"{player.first}: {move}"
        await self._api.until(lambda: any(said in each for _, each in self._api.history[hall.id][-6:]))


class DiscordCrowd:
    """The person who floods the bot, and the others."""

    def __init__(self, discord: Discord, guild: Guild) -> None:
        self._discord = discord
        hall, *others = guild.channels
        self._halls, self._free = others[:MATCHES], others[MATCHES:]
        self._ann, *self._others = (
            Person(discord, discord.named(f"p{count}", f"P{count}", "en-US"), hall)
            for count in range(OTHERS + 1)
        )
        self._matches = [LGame(random.Random(match)) for match in range(MATCHES)]
        self._turns = cycle(range(OTHERS))
        self._playing = cycle(range(MATCHES))
        self._card: Message
        self._codes: list[str] = []  # of the matches
        self._over: list[str] = []  # of one that is over, for each pair

    @property
    def flooder(self) -> str:
        """The name of the person who floods the bot."""
        return self._ann.user.name

    def _pair(self, match: int) -> tuple[Person, Person]:
        hall, pair = self._halls[match], match % PAIRS
        return self._others[2 * pair].at(hall), self._others[2 * pair + 1].at(hall)

    async def begin(self) -> None:
        """Open a lobby in the hall, and begin the matches of the others."""
        await self._ann.types("new", game="lgame")
        self._card = await self._shown(self._ann.channel, "")
        for other in self._others:
            done = await other.types("settings", warnings="off")
            await self._discord.until(lambda done=done: done.settled, "an answer")  # type: ignore[misc]
        for match in range(MATCHES):
            self._codes.append(await self._begun(*self._pair(match)))

    async def begin_mob(self) -> list[Flood]:
        """See `TelegramCrowd.begin_mob`."""
        mob = [
            Person(
                self._discord, self._discord.named(f"m{count}", f"M{count}", "en-US"), self._free[count // 2]
            )
            for count in range(MOB)
        ]
        for pair in range(MOB // 2):
            await self._begun(*mob[2 * pair : 2 * pair + 2])
        for pair, hall in enumerate(self._free[MOB // 2 :]):
            people = [each.at(hall) for each in self._pair(pair)]
            self._over.append(await self._begun(*people))
            match = LGame(random.Random(pair))
            for _ in range(2):
                who, move = match.move()
                await self._ask(people[who], "move", _text("move", move))
            await self._ask(people[0], "resign")
            await people[0].presses(people[0].private()[-1], 0)
            await self._ask(people[0], "analyse", _text("match", self._over[-1]))
            await self._discord.until(partial(_analysed, people[0]), "an analysis")
        return [partial(_asks_board, who) for who in mob]

    async def _begun(self, one: Person, other: Person) -> str:
        await one.types("challenge", person=other.user, game="lgame", options="side:first")
        await other.presses(await self._shown(one.channel, ""), "Accept")
        return _code_in((await self._shown(one.channel, "Turn: ")).words)

    async def _shown(self, hall: Channel, said: str) -> Message:
        def found() -> Message | None:
            messages = reversed(hall.messages.values())
            return next((each for each in messages if each.only is None and said in each.words), None)

        await self._discord.until(lambda: found() is not None, said)
        message = found()
        assert message
        return message

    def floods(self) -> dict[str, Flood]:
        """The floods, see `ON_DISCORD`."""
        typed = {"name": "game", "type": 3, "value": "l", "focused": True}
        names = sorted(REGISTRY.specs)

        def command(name: str, *options: dict[str, Any]) -> Awaitable[Interaction]:
            return self._ann.sends(_COMMAND, _data(name, *options))

        def press(custom_id: str) -> Awaitable[Interaction]:
            return self._ann.sends(_PRESS, {"component_type": 2, "custom_id": custom_id}, self._card)

        (joining,) = self._card.pressed()[:1]
        return {
            "commands": lambda count: command(names[count % len(names)]),
            "lobbies": lambda _: command("new", _text("game", "lgame")),
            "presses": lambda _: press(joining["custom_id"]),
            "forged presses": lambda count: press(f"-{count % 1000}"),
            "completions": lambda _: self._ann.sends(_COMPLETE, _data("rules", typed)),
            "joins": lambda count: command("join", _text("match", f"aaa{count % 1000:03}")),
            "imports": lambda _: command("import", _text("file", "no match")),
            "moves": lambda _: command("move", _text("move", "a2-a3")),
        }

    async def others_act(self, waits: Waits) -> None:
        """One other types a command, and a pair plays on."""
        await waits.time("commands", self._ask(self._others[next(self._turns)], "help"))
        await waits.time("moves", self._move(next(self._playing)))

    async def others_ask(self, waits: Waits) -> None:
        """See `TelegramCrowd.others_ask`."""
        one, two, three = (next(self._turns) for _ in range(3))
        board, over = _text("match", self._codes[one // 2]), _text("match", self._over[two // 2])
        await waits.time("/board", self._ask(self._others[one], "board", board))
        await waits.time("/analyse", self._ask(self._others[two], "analyse", over))
        await waits.time("/import", self._ask(self._others[three], "import", _text("file", "no match")))
        await waits.time("moves", self._move(next(self._playing)))

    async def _ask(self, other: Person, name: str, *options: dict[str, Any]) -> None:
        done = await other.sends(_COMMAND, _data(name, *options))
        await self._discord.until(lambda: done.settled, "an answer")

    async def _move(self, match: int) -> None:
        who, move = self._matches[match].move()
        player = self._pair(match)[who]
        await player.sends(_COMMAND, _data("move", _text("move", move)))
        said = f"{player.user.shown}: {move}"
        history = self._halls[match].history
        await self._discord.until(
            lambda: any(said in each.replace("\\", "") for _, each in history[-6:]), said
        )


def _asks_board(who: Person, _number: int) -> Awaitable[Interaction]:
    return who.sends(_COMMAND, _data("board"))


def _analysed(who: Person) -> bool:
    return any(ANALYSED in each.content for each in who.private())


def _code_in(said: str) -> str:
    found = re.search(r"#([a-z0-9]{6})", said)
    assert found
    return found[1]


def _data(name: str, *options: dict[str, Any]) -> dict[str, Any]:
    return {"id": "1", "name": name, "type": 1, "options": list(options)}


def _text(name: str, value: str) -> dict[str, Any]:
    return {"name": name, "type": 3, "value": value}
