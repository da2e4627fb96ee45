"""Crowds on the loopback platforms: one person who sends anything, and others who play and ask."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from signal import SIGTERM
from statistics import median, quantiles
from typing import Any, Final, TypeAlias

from bot.features.commands import REGISTRY
from rules import GAMES
from tests.platforms.discord.people import Person
from tests.reliability.chats import PLATFORMS, Answered, DiscordPlatform, Platform, Telegram
from tests.reliability.processes import BotProcess

BURST: Final = 50  # requests of the person between two rounds of the others
OTHERS: Final = 20
PAIRS: Final = OTHERS // 2
MATCHES: Final = 3 * PAIRS  # each in a hall of its own, for a chat takes 20 messages a minute
MOB: Final = 20  # people who flood the bot together
FORGED: Final = "-a1"
NAMES: Final = sorted(REGISTRY.specs)

_COMPLETE: Final = 4
_CODE: Final = re.compile(r"#([a-z0-9]{6})")
_FLOODS: Final = ("commands", "lobbies", "presses", "forged presses", "joins", "imports", "moves")
FLOODS: Final = {
    "telegram": (*_FLOODS, "private commands", "inline queries", "files", "plain lines"),
    "discord": (*_FLOODS, "completions"),
}

Flood: TypeAlias = Callable[[int], Awaitable[object]]
"""Sends one request, by its number."""


class LGame:
    """A match of two of the others, who play on at random."""

    def __init__(self, seed: int) -> None:
        self._luck = random.Random(seed)
        self._position: Any = GAMES["lgame"].start(GAMES["lgame"].choose({}))

    def move(self) -> tuple[int, str]:
        """Return who moves, and their move, which has not ended the match."""
        at = self._position
        move = self._luck.choice([move for move in at.legal_moves() if at.play(move).outcome is None])
        self._position = at.play(move)
        return int(at.to_move), GAMES["lgame"].notation.format(move)


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


def _p99(waits: Sequence[float]) -> float:
    return quantiles(waits, n=100, method="inclusive")[98]


class Crowd:
    """The person who floods the bot, the others, and the mob.

    Attributes:
        process: The bot's number.
        floods: What the person sends, by name, see `FLOODS`. Moves are never dropped, and so handled for hours.
    """

    def __init__(self, platform: Platform, process: int) -> None:
        self._platform, self.process = platform, process
        self._ann: Any = platform.person("Ann")
        self._others: list[Any] = [platform.person(f"Other{number}") for number in range(OTHERS)]
        people = [self._ann, *self._others]
        self._hall: Any = platform.place(*people)
        self._halls: list[Any] = [platform.place(*self._pair(match)) for match in range(MATCHES)]
        self._matches = [LGame(match) for match in range(MATCHES)]
        self._turns, self._playing = cycle(range(OTHERS)), cycle(range(MATCHES))
        self._card: Any = None
        self._codes: list[str] = []  # of the matches
        self._over: list[str] = []  # of one that is over, for each pair
        self.floods: Mapping[str, Flood] = {}

    async def begin(self) -> None:
        """Open a lobby in the hall, and begin the matches of the others."""
        await self._platform.send(self._ann, self._hall, "new", game="lgame")
        self._card = (await self._latest(self._hall, "#"))[0]
        self.floods = self._made()
        for other in self._others:
            await self._ask(other, "settings", warnings="off")
        for match, hall in enumerate(self._halls):
            self._codes.append(await self._begun(hall, *self._pair(match)))

    def _made(self) -> Mapping[str, Flood]:
        ann, hall, card, platform = self._ann, self._hall, self._card, self._platform
        send, press = partial(platform.send, ann), partial(platform.press, ann, card)
        alone: Any = platform.alone(ann, hall)
        first = next(iter(platform.buttons(card).values()))
        floods: dict[str, Flood] = {
            "commands": lambda count: send(hall, NAMES[count % len(NAMES)]),
            "lobbies": lambda _: send(hall, "new", game="klopodavka", options="players:4"),
            "presses": lambda _: press(first),
            "forged presses": lambda count: press(f"-{count % 1000}"),
            "joins": lambda count: send(alone, "join", match=f"aaa{count % 1000:03}"),
            "imports": lambda _: send(alone, "import", file="no match"),
            "moves": lambda _: send(hall, "move", move="a2-a3"),
        }
        if isinstance(platform, DiscordPlatform):
            typed = {"name": "game", "type": 3, "value": "l", "focused": True}
            data = {"id": "1", "name": "rules", "type": 1, "options": [typed]}
            person = Person(platform.discord, ann, hall)
            return floods | {"completions": lambda _: person.sends(_COMPLETE, data)}
        assert isinstance(platform, Telegram)
        api = platform.api

        def sends(what: Callable[..., object], *given: Any) -> Flood:
            async def send(_: int) -> None:
                what(ann, *given)

            return send

        return floods | {
            "private commands": lambda count: send(alone, NAMES[count % len(NAMES)]),
            "inline queries": sends(api.ask_inline, "lgame"),
            "files": sends(api.give, None, "a.klop", b"no match"),
            "plain lines": sends(api.say, None, "what is this"),
        }

    async def begin_mob(self) -> list[Flood]:
        """Begin the matches of the people who flood the bot together, and end one of each pair of the others.

        Return what asks for the board of each of these people.
        """
        platform = self._platform
        mob: list[Any] = [platform.person(f"Mob{number}") for number in range(MOB)]
        asking: list[Flood] = []
        for pair in zip(mob[::2], mob[1::2], strict=True):
            hall: Any = platform.place(*pair)
            await self._begun(hall, *pair)
            asking += [partial(self._asks_board, who, platform.alone(who, hall)) for who in pair]
        for number in range(PAIRS):
            people, match = self._pair(number), LGame(number)
            hall = platform.place(*people)
            self._over.append(await self._begun(hall, *people))
            for _ in range(2):
                await self._moves(hall, people, match)
            await platform.send(people[0], hall, "draw")
            await self._tells(hall, "offers a draw")
            await platform.send(people[1], hall, "draw", answer="yes")
            await self._tells(hall, "A draw.")
            alone: Any = platform.alone(people[0], hall)  # the search of a match takes its time, once
            await platform.send(people[0], alone, "analyse", match=self._over[-1])
            await platform.until(
                lambda people=people, hall=hall: any(  # type: ignore[misc]
                    "How the match went" in said for said in platform.private(people[0], hall)
                )
            )
        return asking

    async def _asks_board(self, who: Any, place: Any, _number: int) -> Answered:
        return await self._platform.send(who, place, "board")

    async def others_act(self, waits: Waits) -> None:
        """One other presses, one types a command, and a pair plays on."""
        pressing = self._platform.press(self._others[next(self._turns)], self._card, FORGED)
        await waits.time("presses", self._answer(pressing))
        await waits.time("commands", self._ask(self._others[next(self._turns)], "rules", game="lgame"))
        await self._play_on(waits)

    async def others_ask(self, waits: Waits) -> None:
        """Others ask for a board and an analysis, and import something, and a pair plays on."""
        one, two, three = (next(self._turns) for _ in range(3))  # a chat takes a message a second
        for who, command, options in (
            (one, "board", {"match": self._codes[one // 2]}),
            (two, "analyse", {"match": self._over[two // 2]}),
            (three, "import", {"file": "no match"}),
        ):
            await waits.time(f"/{command}", self._ask(self._others[who], command, **options))
        await self._play_on(waits)

    async def _play_on(self, waits: Waits) -> None:
        match = next(self._playing)
        await waits.time("moves", self._moves(self._halls[match], self._pair(match), self._matches[match]))

    async def _moves(self, hall: Any, people: Sequence[Any], match: LGame) -> None:
        who, move = match.move()
        await self._platform.send(people[who], hall, "move", move=move)
        await self._tells(hall, f"Other{self._others.index(people[who])}: {move}")

    def _pair(self, match: int) -> Sequence[Any]:
        pair = match % PAIRS
        return self._others[2 * pair : 2 * pair + 2]

    async def _begun(self, hall: Any, one: Any, other: Any) -> str:
        await self._platform.send(one, hall, "challenge", person=other, game="lgame", options="side:first")
        await self._latest(hall, "#")
        await self._platform.send(other, hall, "accept")
        found = _CODE.search((await self._latest(hall, "Turn: "))[1])
        assert found
        return found[1]

    async def _latest(self, place: Any, said: str) -> tuple[Any, str]:
        def latest() -> tuple[Any, str] | None:
            messages = reversed(self._platform.messages(place))
            return next((each for each in messages if said in each[1]), None)

        found: tuple[Any, str] = await self._platform.until(latest)
        return found

    async def _tells(self, place: Any, said: str) -> None:
        await self._platform.until(
            lambda: any(said in each for _, each in self._platform.history(place)[-6:])
        )

    async def _ask(self, who: Any, command: str, **options: Any) -> None:
        alone: Any = self._platform.alone(who, self._hall)
        await self._answer(self._platform.send(who, alone, command, **options))

    async def _answer(self, sending: Awaitable[Answered]) -> None:
        await self._platform.until(await sending)


@asynccontextmanager
async def crowd(name: str, directory: Path, **settings: str) -> AsyncIterator[Crowd]:
    """A bot on a platform, and a crowd there that has begun."""
    async with PLATFORMS[name]() as platform:
        given = {**platform.settings, "KLOP_LOG": "error", **settings}
        bot = await BotProcess.start(directory / "data", directory / "log", given)
        try:
            await platform.connected(bot)
            made = Crowd(platform, bot.number)
            await made.begin()
            yield made
        finally:
            await bot.end(SIGTERM)
        # Who floods the bot may wait for more than the three seconds that Discord gives.
        assert not [wrong for wrong in platform.wrong if not wrong.startswith(("ann saw", "mob"))]
