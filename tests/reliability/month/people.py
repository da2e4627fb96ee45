"""People who move, offer, ask, go away and come back, and say everything again until they are answered."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from play.actions.agreeing import Answer, AskPause, AskTakeback, OfferDraw, Resume, Undo
from play.actions.leaving import Claim, Resign, Substitute
from play.actions.planning import MakePlan
from play.actions.playing import MakeMove
from play.actions.renaming import Watch
from play.actions.seating import Join
from play.errors import PlayError, Unavailable
from play.match import Ask, Match, Phase
from play.opening import Challenge
from play.people import Account, Address, Player
from play.ports import Operation
from play.request import Request
from play.table import Table
from play.time.vacation import end_vacation, take_vacation
from rules import GAMES
from rules.core import RulesError, Seat
from tests.reliability.month.bots import Bots
from tests.reliability.month.knowing import HOUR, now
from tests.reliability.month.watching import Watch as Watcher

MONTH: Final = timedelta(days=30)
PEOPLE: Final = 60
PLACES: Final = 20

CHOICES: Final[Sequence[tuple[str, dict[str, str]]]] = (
    ("lgame", {}),
    ("lgame", {"variant": "scoring"}),
    ("breakthrough", {"board": "5x6"}),
    ("breakthrough", {"board": "4x5"}),
    ("klopodavka", {"board": "8x8"}),
    ("klopodavka", {"board": "8x8", "players": "3"}),
)
CLOCKS: Final = (None, "1d", "3d", "2d+12h/3d", "1d soft", "12h vacation", "10d+1d vacation")


class Pair:
    """The people of one match, from the challenge until its end, or the month's."""

    def __init__(self, number: int, seed: int, watch: Watcher, bots: Bots) -> None:
        self._luck = random.Random(f"{seed}/{number}")
        self._number, self._count = number, 0
        self._watch, self._bots = watch, bots
        self._people = [
            Player(Account("toy", f"p{person}"), f"p{person}")
            for person in self._luck.sample(range(PEOPLE), 4)
        ]
        self._place = Address("toy", f"hall{self._luck.randrange(PLACES)}")
        self._pace = (
            self._luck.choice((0.5, 3.0, 12.0, 40.0)) * HOUR
        )  # how long a person thinks, on the whole

    async def live(self, until: datetime) -> None:
        luck = self._luck
        await asyncio.sleep(luck.uniform(0, MONTH.total_seconds() * 0.7))
        key, chosen = luck.choice(CHOICES)
        host, *others = self._people[: GAMES[key].seats(GAMES[key].choose(chosen))]
        fact = await self._ask(
            lambda table, rest: table.open(
                Challenge(self._place, key, chosen, opponents=others, clock=self._luck_clock()),
                Request(host, **rest),
            )
        )
        if fact is None:
            return
        code = fact.match.id
        for other in others:
            await asyncio.sleep(luck.expovariate(1 / (2 * HOUR)))
            await self._ask(partial(_accept, code, other))
        while now() < until:
            await asyncio.sleep(luck.expovariate(1 / self._pace) if luck.random() < 0.98 else 200 * HOUR)
            match = self._watch.store.matches.stored[code]
            if not match.live:
                return
            await self._act(match)

    def _luck_clock(self) -> str | None:
        return CLOCKS[self._number % len(CLOCKS)]

    async def _act(self, match: Match) -> None:
        luck, code = self._luck, match.id
        seated = [chair.player for chair in match.chairs if chair.player] or self._people
        who = luck.choice(seated)
        what = luck.random()
        if match.offer and what < 0.5:
            ask, yes = match.offer.ask, luck.random() < 0.5
            await self._ask(lambda table, rest: table.act(code, Answer(ask, yes), Request(who, **rest)))
        elif what < 0.85:
            await self._move(match)
        elif what < 0.995:
            name = luck.choice(_OTHERS)
            await self._ask(lambda table, rest: _ACTS[name](table, code, who, rest))
        else:
            await self._ask(lambda table, rest: table.act(code, Resign(), Request(who, **rest)))

    async def _move(self, match: Match) -> None:
        if match.phase is not Phase.PLAYING:
            return
        position = self._watch.tables[0].position(match)
        player = match.chairs[position.to_move].player
        if player is None or position.outcome:
            return
        text = GAMES[match.game].notation.format(self._luck.choice(position.legal_moves()))
        await self._ask(lambda table, rest: table.act(match.id, MakeMove(text), Request(player, **rest)))

    async def _ask(self, request: Callable[[Table, dict[str, Any]], Awaitable[Any]]) -> Any:
        """Ask one of the bots until there is an answer; sometimes once more, as platforms do."""
        self._count += 1
        operation = Operation(f"{self._number}.{self._count}", "")
        times = 1 + (self._luck.random() < 0.1)
        answer = None
        while times:
            await self._bots.up.wait()
            try:
                answer = await request(
                    self._luck.choice(self._watch.tables), {"at": now(), "operation": operation}
                )
                times -= 1
            except Unavailable:
                await asyncio.sleep(self._luck.uniform(1, 60))
            except (PlayError, RulesError) as refusal:
                self._watch.counts["refusals"] += 1
                self._watch.note(self._number, str(refusal.reason))
                times -= 1
        self._watch.counts["requests"] += 1
        return answer


def _accept(code: str, who: Player, table: Table, rest: dict[str, Any]) -> Awaitable[Any]:
    return table.act(code, Join(), Request(who, **rest))


def _away(table: Table, code: str, who: Player, rest: dict[str, Any]) -> Awaitable[Any]:
    return take_vacation(table, Request(who, **rest), timedelta(days=1))


def _back(table: Table, code: str, who: Player, rest: dict[str, Any]) -> Awaitable[Any]:
    return end_vacation(table, Request(who, **rest))


_ACTS: Final[dict[str, Callable[[Table, str, Player, dict[str, Any]], Awaitable[Any]]]] = {
    "undo": lambda table, code, who, rest: table.act(code, Undo(), Request(who, **rest)),
    "takeback": lambda table, code, who, rest: table.act(code, AskTakeback(), Request(who, **rest)),
    "draw": lambda table, code, who, rest: table.act(code, OfferDraw(), Request(who, **rest)),
    "pause": lambda table, code, who, rest: table.act(code, AskPause(), Request(who, **rest)),
    "resume": lambda table, code, who, rest: table.act(code, Resume(), Request(who, **rest)),
    "claim": lambda table, code, who, rest: table.act(code, Claim(), Request(who, **rest)),
    "plan": lambda table, code, who, rest: table.act(
        code, MakePlan("if a2-a3 then a5-a4"), Request(who, **rest)
    ),
    "no pause": lambda table, code, who, rest: table.act(
        code, Answer(Ask.PAUSE, False), Request(who, **rest)
    ),
    "watch": lambda table, code, who, rest: table.act(
        code, Watch(Address("toy", "gallery")), Request(who, **rest)
    ),
    "away": _away,
    "back": _back,
    "substitute": lambda table, code, who, rest: table.act(
        code, Substitute(Seat.S1), Request(Player(Account("toy", "spare"), "spare"), **rest)
    ),
}
_OTHERS: Final = tuple(_ACTS)
