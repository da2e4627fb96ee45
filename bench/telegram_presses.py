"""How soon people on Telegram are answered: a tap in each of ten groups, one after the other, and five quick taps of one person.

The bot runs as its own process with its embedded server, and speaks to a Bot API on this machine, which is in this process. Of
each round the figure is the longest wait for an acknowledgement and for new keys, and the time from the first of five taps until
the keys show the last; beside them stands what is wanted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.measure import Budget, Goal, Row, Series
from tests.platforms.telegram.process import running
from tests.platforms.telegram.server import BotApi, Json, Room, keys, words

GROUPS: Final = 10
QUIET: Final = 2.2  # seconds after which a chat takes two edits at once again
BETWEEN: Final = 0.1  # seconds between taps, so that the limit of all requests holds up none
WANTED: Final = {"acknowledged": 0.05, "new keys": 0.2, "five taps": 1.5}
GAME: Final = "breakthrough 4x5"


class _Match:
    """A match in a group of its own, in which Ann is on turn."""

    def __init__(self, api: BotApi, number: int) -> None:
        self._api = api
        self.ann, self.bob = (api.human(f"{name}{number}") for name in ("Ann", "Bob"))
        self.room: Room = api.group(-1_000 - number, f"Group {number}", self.ann, self.bob)

    @property
    def board(self) -> Json:
        return next(m for m in reversed(self._api.shown(self.room)) if "#" in words(m))

    async def begin(self) -> None:
        """A challenge, accepted; and the keys of the squares for Ann."""
        self._api.say(self.ann, self.room, f"/challenge {self.bob.user} {GAME}")
        await self._api.until(lambda: bool(self._api.shown(self.room)))
        data = next(key["callback_data"] for key in keys(self.board) if "callback_data" in key)
        self._api.press(self.bob, self.board, data)
        await self._api.until(lambda: "Turn: Ann" in words(self.board))
        move = next(data for key in keys(self.board) if (data := key["callback_data"]).startswith("1mo:"))
        self._api.press(self.ann, self.board, move)
        await self._api.until(
            lambda: any(key["callback_data"].startswith("1sp:") for key in keys(self.board))
        )

    def tap(self, square: str) -> str:
        """Send a tap that picks a square first; return its query."""
        step = next(data for key in keys(self.board) if (data := key["callback_data"]).startswith("1sp:"))
        code, seen = step.split(":")[1:3]
        return self._api.press(self.ann, self.board, f"1sp:{code}:{seen}:{square}")

    def picked(self, square: str) -> bool:
        """Whether the keys go on from a square."""
        return any(f":{square}/" in key["callback_data"] for key in keys(self.board))


def rows(budget: Budget) -> Sequence[Row]:
    """The taps."""
    return asyncio.run(_rows(budget))


async def _rows(budget: Budget) -> Sequence[Row]:
    taken: dict[str, list[float]] = {name: [] for name in WANTED}
    api = BotApi()
    with TemporaryDirectory() as directory:
        async with api.serving(), running(api, Path(directory) / "data", KLOP_LOG="error"):
            matches = [_Match(api, number) for number in range(GROUPS)]
            for match in matches:
                await match.begin()
            for number in range(budget.rounds):
                await asyncio.sleep(QUIET)
                acknowledged, shown = await _apart(api, matches, "ab"[number % 2] + "2")
                await asyncio.sleep(QUIET)
                taken["acknowledged"].append(acknowledged)
                taken["new keys"].append(shown)
                taken["five taps"].append(await _quickly(api, matches[0]))
    return [
        Row(
            name,
            "round",
            Series(name, tuple(taken[name])),
            Series("wanted", (WANTED[name],) * budget.rounds),
            cost=True,
            rate=False,
            goal=Goal(below=1),
        )
        for name in WANTED
    ]


async def _apart(api: BotApi, matches: Sequence[_Match], square: str) -> tuple[float, float]:
    """A tap in each match, one after the other; the longest wait for an acknowledgement, and for new keys."""
    acknowledged, shown = 0.0, 0.0
    clock = asyncio.get_running_loop().time
    for match in matches:
        began = clock()
        query = match.tap(square)
        await api.until(lambda query=query: query in api.answered)  # type: ignore[misc]
        acknowledged = max(acknowledged, clock() - began)
        await api.until(lambda match=match: match.picked(square))  # type: ignore[misc]
        shown = max(shown, clock() - began)
        await asyncio.sleep(BETWEEN)
    return acknowledged, shown


async def _quickly(api: BotApi, match: _Match) -> float:
    """Five taps, one after the other; how long until the keys show the last."""
    began = asyncio.get_running_loop().time()
    for square in ("a2", "b2", "a2", "b2", "c2"):
        match.tap(square)
        await asyncio.sleep(0.05)
    await api.until(lambda: match.picked("c2"))
    return asyncio.get_running_loop().time() - began
