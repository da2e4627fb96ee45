"""How soon people on Discord are answered: fifty matches, with a move in each at the same moment.

The bot runs as its own process with its embedded server, and speaks to a Discord on this machine, which is in this process and
takes its own time. Of each burst the figure is how long the slowest but one of a hundred waited for the first answer; beside it
stands what is wanted of it. Discord itself gives up after three seconds.
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
from rules import GAMES
from tests.platforms.discord.people import Person
from tests.platforms.discord.process import BotProcess
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild, Interaction, Message

MATCHES: Final = 50
WANTED: Final = 0.5
"""Seconds in which 99 of 100 are to be answered."""

GAME: Final = "breakthrough"
_COMMAND: Final = 2


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
        """A challenge, accepted."""
        ann, bob = self.people
        discord = ann.discord
        await ann.types("challenge", person=bob.user, game=GAME)
        card = await discord.until(self._card, "a card")
        await bob.presses(card, "Accept")
        await discord.until(ann.pinged, "a board")

    def _card(self) -> Message | None:
        """What everybody sees, with buttons."""
        return next(
            (each for each in self.channel.messages.values() if each.components and not each.only), None
        )

    async def move(self) -> Interaction:
        """Send the move of the player to move; return the interaction."""
        move = self._chance.choice(self.position.legal_moves())
        mover = self.people[self.position.to_move]
        self.position = self.position.play(move)
        option = {"name": "move", "type": 3, "value": GAMES[GAME].notation.format(move)}
        data = {"id": "1", "name": "move", "type": 1, "options": [option]}
        sent: Interaction = await mover.sends(_COMMAND, data)
        return sent


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
            async with BotProcess(discord, Path(directory) / "data", {"KLOP_LOG": "error"}):
                await asyncio.gather(*(match.begin() for match in matches))
                acknowledged, told = [], []
                for _ in range(budget.rounds):
                    slowest, until_told = await _burst(discord, matches)
                    acknowledged.append(slowest)
                    told.append(until_told)
    wanted = Series("wanted", (WANTED,) * budget.rounds)
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
            Series("Discord's patience", (3.0,) * budget.rounds),
            cost=True,
            rate=False,
        ),
    ]


async def _burst(discord: Discord, matches: Sequence[_Match]) -> tuple[float, float]:
    """Everybody moves at once: how long the slowest but one of a hundred waited, and until all was shown."""
    began = asyncio.get_running_loop().time()
    shown = [len(match.channel.messages) for match in matches]
    sent = [await match.move() for match in matches]
    await discord.until(lambda: all(each.acked is not None for each in sent), "acknowledgements")
    waits = [each.acked - each.sent for each in sent if each.acked is not None]
    await discord.until(
        lambda: all(
            each.settled and len(match.channel.messages) > before
            for each, match, before in zip(sent, matches, shown, strict=True)
        ),
        "boards",
    )
    return quantiles(waits, n=100)[98], asyncio.get_running_loop().time() - began
