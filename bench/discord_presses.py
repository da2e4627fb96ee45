"""How soon people on Discord are answered: fifty matches, with a move in each at the same moment; and taps, one after the other.

The bot runs as its own process with its embedded server, and speaks to a Discord on this machine, which is in this process and
takes its own time. Of each burst the figure is how long the slowest but one of a hundred waited for the first answer; beside it
stands what is wanted of it. Discord itself gives up after three seconds. A burst begins when the old boards of the last one are
folded and the bot may send as many requests at once as after a rest: a new board and a fold for each match are as many as it may send in
two seconds, and the folds come last. Of the taps, in ten of the matches, every press is a
sample, as in `telegram_presses`. The processor time of the bot is taken over a burst, and over the taps of a round.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.measure import Budget, Goal, Row, Series
from bench.presses import (
    ACKNOWLEDGED,
    FIVE_TAPS,
    NEW_KEYS,
    PAUSE,
    SPENT_ON_MOVE,
    SPENT_ON_TAP,
    SQUARES,
    WANTED,
    compared,
    spent,
    worked,
)
from rules import GAMES
from tests.platforms.discord.people import Person
from tests.platforms.discord.process import BotProcess
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild, Interaction, Message

MATCHES: Final = 50
BURST: Final = 0.5
"""Seconds in which 99 of 100 are to be answered."""

ALL_SHOWN: Final = 1.2
"""Seconds in which the boards of a burst are to be shown."""

REST: Final = 1.0
"""Seconds after which the bot's bucket for all requests is full again (`DiscordCourier.pace`)."""

TAPPED: Final = 10
"""Matches in which taps are timed one by one."""

GAME: Final = "breakthrough"
_COMMAND: Final = 2
_PRESS: Final = 3


class _Match:
    """A match in a channel of its own."""

    def __init__(self, discord: Discord, number: int) -> None:
        self.channel = Channel(name=f"games-{number}")
        self.people = [
            Person(discord, discord.named(f"{name}{number}", f"{name}{number}", "en-US"), self.channel)
            for name in ("ann", "bob")
        ]
        self.position: Any = GAMES[GAME].start(GAMES[GAME].choose({}))
        self._chance = Random(number)

    async def begin(self) -> None:
        ann, bob = self.people
        discord = ann.discord
        await ann.types("challenge", person=bob.user, game=GAME)
        card = await discord.until(self._card, "a card")
        await bob.presses(card, "Accept")
        await discord.until(ann.pinged, "a board")

    def _card(self) -> Message | None:
        return next(
            (each for each in self.channel.messages.values() if each.components and not each.only), None
        )

    async def move(self) -> Interaction:
        move = self._chance.choice(self.position.legal_moves())
        mover = self.people[self.position.to_move]
        self.position = self.position.play(move)
        option = {"name": "move", "type": 3, "value": GAMES[GAME].notation.format(move)}
        data = {"id": "1", "name": "move", "type": 1, "options": [option]}
        sent: Interaction = await mover.sends(_COMMAND, data)
        return sent

    def shown(self) -> int:
        """How many boards were posted, and how often they changed in place."""
        return sum(1 + each.edits for each in self.channel.messages.values() if not each.only)

    def folded(self) -> bool:
        return sum(bool(each.components) and not each.only for each in self.channel.messages.values()) == 1

    async def begin_picking(self) -> Picker:
        white, discord = self.people[0], self.people[0].discord
        board = next(each for each in reversed(self.channel.messages.values()) if each.components)
        await white.presses(board, "Move")
        shown = await discord.until(white.private, "a picker")
        await white.presses(shown[-1], "Step by step")
        picker = Picker(white, shown[-1])
        await discord.until(lambda: len(picker.steps()) > 1, "its squares")
        return picker


class Picker:
    """A private message in which a move is picked step by step."""

    def __init__(self, person: Person, shown: Message) -> None:
        self.person, self.shown = person, shown

    def steps(self) -> list[str]:
        """The ids of its buttons that pick a step, and no move."""
        return [one for one in self._ids() if one.startswith("1sp:")]

    async def tap(self, square: str) -> Interaction:
        """Send a press that picks a square first."""
        code, seen = self.steps()[0].split(":")[1:3]
        data = {"component_type": 2, "custom_id": f"1sp:{code}:{seen}:{square}"}
        sent: Interaction = await self.person.sends(_PRESS, data, self.shown)
        return sent

    async def once(self, square: str) -> tuple[float, float]:
        """Tap a square; return the wait for the acknowledgement, and for the new buttons."""
        sent = await self.tap(square)
        await self.person.discord.until(lambda: sent.acked is not None, "an acknowledgement")
        acknowledged = (sent.acked or 0.0) - sent.sent
        await self.person.discord.until(lambda: self._picked(square), "new buttons")
        return acknowledged, asyncio.get_running_loop().time() - sent.sent

    async def quickly(self) -> float:
        """Tap five times; return how long it is until the buttons show the last."""
        began = asyncio.get_running_loop().time()
        for square in SQUARES:
            await self.tap(square)
            await asyncio.sleep(PAUSE)
        await self.person.discord.until(lambda: self._picked(SQUARES[-1]), "the last buttons")
        return asyncio.get_running_loop().time() - began

    def _picked(self, square: str) -> bool:
        return any(f":{square}{after}" in one for one in self._ids() for after in "/-")

    def _ids(self) -> list[str]:
        return [each.get("custom_id", "") for each in self.shown.pressed()]


def rows(budget: Budget) -> Sequence[Row]:
    """The bursts."""
    return asyncio.run(_rows(budget))


async def _rows(budget: Budget) -> Sequence[Row]:
    guild = Guild("Bench")
    with TemporaryDirectory() as directory:
        async with Discord(guild) as discord:
            matches = [_Match(discord, number) for number in range(MATCHES)]
            for match in matches:
                match.channel.guild = guild
                guild.channels.append(match.channel)
                discord.add(match.channel)
            async with BotProcess(discord, Path(directory) / "data", {"KLOP_LOG": "error"}) as bot:
                pid = bot.process.pid
                await asyncio.gather(*(match.begin() for match in matches))
                pickers = [await match.begin_picking() for match in matches[:TAPPED]]
                taps, on_taps = await _taps(pickers, budget, pid)
                acknowledged, told, on_moves = [], [], []
                for _ in range(budget.rounds):
                    before = spent(pid)
                    slowest, until_told = await _burst(discord, matches)
                    on_moves.append((spent(pid) - before) / MATCHES)
                    acknowledged.append(slowest)
                    told.append(until_told)
                    await discord.until(lambda: all(match.folded() for match in matches), "folded boards")
                    await asyncio.sleep(REST)
    wanted = Series("wanted", (BURST,) * budget.rounds)
    return [
        Row(
            f"{MATCHES} moves at once in {MATCHES} matches: 99 of 100 acknowledged",
            "burst",
            Series("acknowledged", tuple(acknowledged)),
            wanted,
            cost=True,
            rate=False,
            goal=Goal(below=1),
        ),
        Row(
            "the same: until every board is shown",
            "burst",
            Series("all shown", tuple(told)),
            Series("wanted", (ALL_SHOWN,) * budget.rounds),
            cost=True,
            rate=False,
            goal=Goal(below=1),
        ),
        *compared(taps),
        *worked({SPENT_ON_MOVE: on_moves, SPENT_ON_TAP: on_taps}),
    ]


async def _taps(
    pickers: Sequence[Picker], budget: Budget, pid: int
) -> tuple[dict[str, list[float]], list[float]]:
    """Taps in each picker, one after the other, and five quick ones in each.

    Returns:
        How long each waited for what is wanted, and the processor time of the bot for a tap, in each round.
    """
    taken: dict[str, list[float]] = {what: [] for what in WANTED}
    works = []
    for number in range(budget.rounds):
        before = spent(pid)
        for picker in pickers:
            acknowledged, shown = await picker.once(SQUARES[number % 2])
            taken[ACKNOWLEDGED].append(acknowledged)
            taken[NEW_KEYS].append(shown)
        works.append((spent(pid) - before) / len(pickers))
        for picker in pickers:
            taken[FIVE_TAPS].append(await picker.quickly())
    return taken, works


async def _burst(discord: Discord, matches: Sequence[_Match]) -> tuple[float, float]:
    began = asyncio.get_running_loop().time()
    shown = [match.shown() for match in matches]
    sent = [await match.move() for match in matches]
    await discord.until(lambda: all(each.acked is not None for each in sent), "acknowledgements")
    waits = [each.acked - each.sent for each in sent if each.acked is not None]
    await discord.until(
        lambda: all(
            each.settled and match.shown() > before
            for each, match, before in zip(sent, matches, shown, strict=True)
        ),
        "boards",
    )
    return quantiles(waits, n=100)[98], asyncio.get_running_loop().time() - began
