"""Two bots that run or rest together, and people who move, offer, ask, go away and come back."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from bot.chat.clockwork import Clockwork
from bot.chat.sending import Sender
from bot.chat.sending.composer import Chosen, Composer, NextTurnNotices
from bot.chat.sending.ports import Pace, Recipient, Transient
from bot.chat.sending.routing import Announcement, label
from bot.chat.view import View
from bot.features.events.announcing import EventComposer
from play.actions.agreeing import Answer, AskPause, AskTakeback, OfferDraw, Resume, Undo
from play.actions.leaving import Claim, Resign, Substitute
from play.actions.planning import MakePlan
from play.actions.playing import MakeMove
from play.actions.renaming import Watch as MonthWatch
from play.actions.seating import Join
from play.errors import PlayError, Unavailable
from play.events.event import AnyFact, subject_of
from play.match import Ask, Match, Phase
from play.opening import Challenge
from play.people import Account, Address, Player
from play.ports import Operation
from play.request import Request
from play.table import Table
from play.time.vacation import end_vacation, take_vacation
from rules import GAMES
from rules.core import RulesError, Seat
from tests.reliability.month.watching import HOUR, TROUBLE, Broken, Store, Watch, now
from tests.reliability.month.watching import Watch as Watcher

# Two bots that run or rest together, and the chats they write to.


LOOK: Final = 300.0
"""Seconds between looks of the clockwork; the heartbeat goes on in between."""

BEAT: Final = 50.0


class Chats:
    """A platform that remembers nonces, and loses a message at times, before or after it came through."""

    platform = "toy"
    pace = Pace()

    def __init__(self, luck: random.Random, watch: Watch) -> None:
        self._luck, self._watch = luck, watch

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
        await self._pass(to, view, nonce)
        return f"{label(to)} {nonce}"

    async def edit(self, ref: str, view: View) -> None:
        platform, _, place = ref.partition(" ")[0].partition(":")
        to: Recipient = Account(platform, place[1:]) if place.startswith("@") else Address(platform, place)
        await self._pass(to, view, None)

    async def reads(self, where: Address, who: Account) -> bool:
        return True

    def buried(self, to: Recipient, ref: str) -> bool:
        return False

    async def close(self, ref: str, view: View | None) -> None:
        await asyncio.sleep(self._luck.random())

    async def _pass(self, to: Recipient, view: View, nonce: str | None) -> None:
        await asyncio.sleep(self._luck.random())
        luck = self._luck.random()
        if luck < TROUBLE:
            raise Transient
        self._watch.shown(to, view.lines[-1].split(), nonce)
        if luck < 2 * TROUBLE:
            raise Transient


class Noting(Composer):
    """The real words, with a line that says which revisions they tell of."""

    async def compose(
        self, told: Sequence[AnyFact], to: Recipient, chosen: Chosen, also: Sequence[str] = ()
    ) -> Announcement:
        announcement = await super().compose(told, to, chosen, also)
        line = " ".join([announcement.match_id, *(str(subject_of(fact).revision) for fact in told)])
        board = announcement.board  # beside the message that tells, so it tells nothing
        if board is not None:
            board = replace(board, lines=(*board.lines, announcement.match_id))
        view = replace(announcement.view, lines=(*announcement.view.lines, line))
        return replace(announcement, view=view, board=board)


class Bots:
    """Two bots on one store, that run or are down together."""

    def __init__(self, luck: random.Random, watch: Watch, store: Store) -> None:
        self._luck, self._watch, self._store = luck, watch, store
        self._running: list[asyncio.Task[None]] = []
        self.up = asyncio.Event()

    def start(self) -> None:
        for table in self._watch.tables:
            sender = Sender(
                self._store.outgoing(),
                self._store.bucket(),
                Noting(table, "en", events=EventComposer(table, "en")),
                [Chats(self._luck, self._watch)],
                now=self._store.now,
                also=[NextTurnNotices(table, self._store)],
            )
            clockwork = Clockwork(table, self._store, look=LOOK)
            self._running += [asyncio.create_task(self._run(clockwork)), asyncio.create_task(sender.run())]

    async def _run(self, clockwork: Clockwork) -> None:
        while True:  # no request is served before the first beat
            with suppress(Unavailable):
                await clockwork.beat()
                break
        self.up.set()
        await asyncio.gather(clockwork.run(), self._beat())

    async def _beat(self) -> None:
        """What the clockwork would do if it looked more often."""
        while True:
            await asyncio.sleep(BEAT)
            await self._store.uptime.beat(now())

    async def stop(self) -> None:
        self.up.clear()
        for task in self._running:
            task.cancel()
        done = await asyncio.gather(*self._running, return_exceptions=True)
        for outcome in done:
            if isinstance(outcome, Broken):
                raise outcome
        self._running.clear()

    async def live(self, until: datetime) -> None:
        """Run, with rests of minutes or hours."""
        self.start()
        while now() < until:
            await asyncio.sleep(self._luck.expovariate(1 / (60 * HOUR)))
            await self.stop()
            began = now()
            await asyncio.sleep(self._luck.choice((20.0, 300.0, HOUR, 5 * HOUR)))
            self._watch.down.append((began, now()))
            self._watch.counts["rests"] += 1
            self.start()


# People who move, offer, ask, go away and come back, and say everything again until they are answered.


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
        code, MonthWatch(Address("toy", "gallery")), Request(who, **rest)
    ),
    "away": _away,
    "back": _back,
    "substitute": lambda table, code, who, rest: table.act(
        code, Substitute(Seat.S1), Request(Player(Account("toy", "spare"), "spare"), **rest)
    ),
}
_OTHERS: Final = tuple(_ACTS)
