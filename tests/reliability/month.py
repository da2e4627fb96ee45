"""A month in which many matches are played, on a time that jumps: `python -m tests.reliability.month <seed> <matches>`.

Two bots share a store that fails at times; now and then both are down for minutes or hours. People move, offer, ask, plan,
pause, go on vacation, forget their matches and come back, and say everything again until they are answered. After each
commit what must hold is checked, against what is known here and not in the bot: when it really was down, who really has
thought for how long, what really was shown. The last line is a digest of all that happened.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import blake2b
from typing import Any, Final

from bot.clockwork import Clockwork
from bot.sender import Sender
from bot.sender.heads_up import HeadsUps
from bot.sender.ports import Pace, To, Transient
from bot.sender.style import here
from bot.sender.voice import Saying, Voice
from bot.view import View
from play.chance import ALPHABET, CODE_LENGTH
from play.errors import PlayError, Unavailable
from play.facts import Fact, Flagged, Later, Planned, TakenBack, TimeIsUp, Undone
from play.match import Ask, Match, Phase
from play.people import Account, Address, Player
from play.ports import Due, Loaded, Operation
from play.replay import begun, extended
from play.settings import Settings
from play.table import Table
from play.vacation import BUDGET
from rules import GAMES
from rules.core import RulesError, Seat
from storage.memory import MemoryStore
from storage.memory_outgoing import MemoryOutgoing
from tests.bot.virtual import VirtualLoop, play
from tests.play.test_machine import check, check_times

MONTH: Final = timedelta(days=30)
HOUR: Final = 3600.0
PEOPLE: Final = 60
PLACES: Final = 20
TROUBLE: Final = 0.01
"""How many calls of the store fail, before or after they are carried out; and how many messages."""
LOOK: Final = 300.0
"""Seconds between looks of the clockwork; the heartbeat goes on in between."""
BEAT: Final = 50.0
IDLE: Final = 3600.0
"""Seconds between looks of a sender that nobody wakes."""
WHOLE_CHECKS: Final = 10
"""Of so many commits one is checked by replaying everything."""
CHOICES: Final[Sequence[tuple[str, dict[str, str]]]] = (
    ("lgame", {}),
    ("lgame", {"variant": "scoring"}),
    ("breakthrough", {"board": "5x6"}),
    ("breakthrough", {"board": "4x5"}),
    ("klopodavka", {"board": "8x8"}),
    ("klopodavka", {"board": "8x8", "players": "3"}),
)
CLOCKS: Final = (None, "1d", "3d", "2d+12h/3d", "1d soft", "12h vacation", "10d+1d vacation")


def now() -> datetime:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop.moment()


class Broken(AssertionError):
    """Something did not hold that must."""


class Drawn:
    """Chance from a seed."""

    def __init__(self, luck: random.Random) -> None:
        self._luck = luck

    def code(self) -> str:
        return "".join(self._luck.choices(ALPHABET, k=CODE_LENGTH))

    def shuffled(self, count: int) -> Sequence[int]:
        return self._luck.sample(range(count), count)


class Store(MemoryStore):
    """A store that fails at times, looks at every commit, and does not go through all timers where none can be due."""

    def __init__(self, luck: random.Random, watch: Watch) -> None:
        super().__init__(now)
        self._luck, self._watch = luck, watch
        self._soonest: datetime | None = None

    def _stumble(self) -> None:
        if self._luck.random() < TROUBLE:
            self._watch.counts["calls that failed"] += 1
            raise Unavailable

    async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
        await asyncio.sleep(self._luck.random() * 0.01)  # others have their turn
        self._stumble()
        return await super().load(match_id, operation)

    async def commit(self, fact: Fact, expected: int, **more: Any) -> Fact:
        await asyncio.sleep(self._luck.random() * 0.01)
        self._stumble()
        before = self._matches.get(fact.match.id)
        committed = await super().commit(fact, expected, **more)
        if self._matches[fact.match.id] is not before:
            self._soonest = min(
                [timer.at for timer in more["timers"]] + [self._soonest or committed.match.expires]
            )
            self._watch.committed(before, committed, announced=more["announce"])
        self._stumble()
        return committed

    def outgoing(self) -> MemoryOutgoing:
        return Patient(self._mail)

    async def due(self, at: datetime, lease: datetime, limit: int) -> Sequence[Due]:
        self._stumble()
        if self._soonest is None or at < self._soonest:
            return ()
        found = await super().due(at, lease, limit)
        self._soonest = min((when for kept in self._timers.values() for when in kept.values()), default=None)
        return found


class Patient(MemoryOutgoing):
    """A sender's view that does not look again and again where nothing has happened."""

    async def wait(self, seconds: float) -> None:
        await super().wait(IDLE)


class Watch:
    """Looks at everything that happens, and knows what the bot cannot know."""

    def __init__(self) -> None:
        self.store: Store
        self.tables: list[Table] = []
        self.now = now  # with `tables`, what the checks of the table's own tests ask for
        self.digest = blake2b(digest_size=16)
        self.counts: Counter[str] = Counter()
        self.down: list[tuple[datetime, datetime]] = []
        self.announced: dict[str, list[int]] = {}
        self.told: dict[tuple[str, str], list[int]] = {}
        self.nonces: set[str] = set()

    def note(self, *said: object) -> None:
        self.digest.update(f"{now()} {said}\n".encode())

    def committed(self, before: Match | None, fact: Fact, *, announced: bool) -> None:
        """One more commit: a new revision, that follows from the one before."""
        match = fact.match
        self.note(type(fact).__name__, match)
        self.counts["commits"] += 1
        self.counts[type(fact).__name__] += 1
        _hold(match.revision == (before.revision if before else 0) + 1, "revisions count up")
        if before is not None:
            _hold(before.live or before.addresses != match.addresses, "what is over stays")
            if not isinstance(fact, Undone | TakenBack):
                _hold(match.log[: len(before.log)] == before.log, "a log only grows")
        if announced:
            self.announced.setdefault(match.id, []).append(match.revision)
        else:
            _hold(isinstance(fact, Later | Planned), "everybody is told")
        if isinstance(fact, Flagged | TimeIsUp) and before is not None:
            self._flagged(before)
        self._sound(match, whole=self.counts["commits"] % WHOLE_CHECKS == 0 or not match.live)

    def _flagged(self, before: Match) -> None:
        """The time of the seat on turn was up, as is known here: of what it had, the bot's rest does not count."""
        times, clock = before.times, before.clock
        if times is None or clock is None or times.since is None:
            raise Broken("flagged without a clock")
        rest = sum(
            (max(timedelta(), min(end, now()) - max(start, times.since)) for start, end in self.down),
            timedelta(),
        )
        _hold(now() - times.since - rest >= times.left[times.seat], "nobody is flagged early")
        player = before.chairs[times.seat].player
        if clock.vacation and player and not times.up:
            spent = self.store._settings.get(player.account, Settings()).vacation
            _hold(spent is not None and spent.spent == BUDGET, "the vacation goes first")

    def _sound(self, match: Match, *, whole: bool) -> None:
        game = GAMES[match.game]
        if whole:
            desk = _Desk(self.tables[0], now())
            check(desk, match)  # type: ignore[arg-type]
            check_times(desk, match)  # type: ignore[arg-type]
            _hold(
                extended(begun(game, game.choose(dict(match.options))), match.log).log == match.log,
                "it replays",
            )
        course = self.tables[0].course(match)
        _hold(course.log == match.log, "positions are those of the log")
        _hold((match.phase is Phase.OVER) == (match.result is not None), "what is over has a result")
        running = match.phase is Phase.PLAYING and match.clock is not None and not match.paused
        _hold(
            (match.times is not None and match.times.since is not None) == running,
            "a clock runs while it should",
        )
        if running and match.times:
            _hold(match.times.seat == course.position.to_move, "the clock is that of whoever is on turn")

    def shown(self, to: To, told: Sequence[str], nonce: str | None) -> None:
        """A message came through."""
        self.note(here(to), told, nonce)
        if nonce is not None and nonce in self.nonces:
            self.counts["messages sent again"] += 1
            return
        if nonce is not None:
            self.nonces.add(nonce)
        self.counts["messages"] += 1
        match_id, *revisions = told
        seen = self.told.setdefault((here(to), match_id), [])
        new = [int(revision) for revision in revisions]
        _hold(not seen or max(new) >= max(seen), "in order")
        seen += new

    def finish(self) -> None:
        """All that was announced has been told wherever it should."""
        for match_id, revisions in self.announced.items():
            match = self.store._matches[match_id]
            public = {revision for key in self.told if key[1] == match_id for revision in self.told[key]}
            _hold(set(revisions) <= public, f"{match_id}: untold {set(revisions) - public}")
            for address in match.addresses[:1]:
                seen = self.told.get((here(address), match_id), [])
                _hold(bool(seen), "every match is shown")


class _Desk:
    """What the checks of the table's tests look at."""

    def __init__(self, table: Table, at: datetime) -> None:
        self.table, self.now = table, at


def _hold(holds: bool, what: str) -> None:
    if not holds:
        raise Broken(what)


class Chats:
    """A platform that remembers nonces, and loses a message at times, before or after it came through."""

    platform = "toy"
    pace = Pace()

    def __init__(self, luck: random.Random, watch: Watch) -> None:
        self._luck, self._watch = luck, watch

    async def post(self, to: To, view: View, *, ping: Account | None, nonce: str) -> str:
        await self._pass(to, view, nonce)
        return f"{here(to)} {nonce}"

    async def edit(self, ref: str, view: View) -> None:
        platform, _, place = ref.partition(" ")[0].partition(":")
        to: To = Account(platform, place[1:]) if place.startswith("@") else Address(platform, place)
        await self._pass(to, view, None)

    async def fold(self, ref: str) -> None:
        await asyncio.sleep(self._luck.random())

    async def _pass(self, to: To, view: View, nonce: str | None) -> None:
        await asyncio.sleep(self._luck.random())
        luck = self._luck.random()
        if luck < TROUBLE:
            raise Transient
        self._watch.shown(to, view.lines[-1].split(), nonce)
        if luck < 2 * TROUBLE:
            raise Transient


class Noting(Voice):
    """The real words, with a line that says which revisions they tell of."""

    async def saying(self, told: Sequence[Fact], to: To) -> Saying:
        saying = await super().saying(told, to)
        line = " ".join([saying.match_id, *(str(fact.match.revision) for fact in told)])
        return replace(saying, view=replace(saying.view, lines=(*saying.view.lines, line)))


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
                Noting(table, self._store, "en"),
                [Chats(self._luck, self._watch)],
                now=self._store.now,
                also=HeadsUps(table, self._store),
            )
            clockwork = Clockwork(table, self._store, look=LOOK)
            self._running += [asyncio.create_task(self._run(clockwork)), asyncio.create_task(sender.run())]

    async def _run(self, clockwork: Clockwork) -> None:
        while True:  # nobody is served before the first beat
            with suppress(Unavailable):
                await clockwork.beat()
                break
        self.up.set()
        await asyncio.gather(clockwork.run(), self._beat())

    async def _beat(self) -> None:
        """What the clockwork would do if it looked more often."""
        while True:
            await asyncio.sleep(BEAT)
            await self._store.beat(now())

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


class Pair:
    """The people of one match, from the challenge until its end, or the month's."""

    def __init__(self, number: int, seed: int, watch: Watch, bots: Bots) -> None:
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
        )  # how long somebody thinks, on the whole

    async def live(self, until: datetime) -> None:
        luck = self._luck
        await asyncio.sleep(luck.uniform(0, MONTH.total_seconds() * 0.7))
        key, chosen = luck.choice(CHOICES)
        host, *others = self._people[: GAMES[key].seats(GAMES[key].choose(chosen))]
        fact = await self._ask(
            lambda table, rest: table.challenge(
                host, self._place, key, chosen, opponents=others, clock=self._luck_clock(), **rest
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
            match = self._watch.store._matches[code]
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
            await self._ask(lambda table, rest: table.answer(code, who, ask, yes, **rest))
        elif what < 0.85:
            await self._move(match)
        elif what < 0.995:
            name = luck.choice(_OTHERS)
            await self._ask(lambda table, rest: _ACTS[name](table, code, who, rest))
        else:
            await self._ask(lambda table, rest: table.resign(code, who, **rest))

    async def _move(self, match: Match) -> None:
        if match.phase is not Phase.PLAYING:
            return
        position = self._watch.tables[0].position(match)
        player = match.chairs[position.to_move].player
        if player is None or position.outcome:
            return
        text = GAMES[match.game].notation.format(self._luck.choice(position.legal_moves()))
        await self._ask(lambda table, rest: table.move(match.id, player, text, **rest))

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
    return table.accept(code, who, **rest)


def _away(table: Table, code: str, who: Player, rest: dict[str, Any]) -> Awaitable[Any]:
    return table.take_vacation(who.account, timedelta(days=1), **rest)


def _back(table: Table, code: str, who: Player, rest: dict[str, Any]) -> Awaitable[Any]:
    return table.end_vacation(who.account, **rest)


_ACTS: Final[dict[str, Callable[[Table, str, Player, dict[str, Any]], Awaitable[Any]]]] = {
    "undo": lambda table, code, who, rest: table.undo(code, who, **rest),
    "takeback": lambda table, code, who, rest: table.ask_takeback(code, who, **rest),
    "draw": lambda table, code, who, rest: table.offer_draw(code, who, **rest),
    "pause": lambda table, code, who, rest: table.ask_pause(code, who, **rest),
    "resume": lambda table, code, who, rest: table.resume(code, who, **rest),
    "claim": lambda table, code, who, rest: table.claim(code, who, **rest),
    "plan": lambda table, code, who, rest: table.plan(code, who, "if a2-a3 then a5-a4", **rest),
    "no pause": lambda table, code, who, rest: table.answer(code, who, Ask.PAUSE, False, **rest),
    "watch": lambda table, code, who, rest: table.watch(
        code, Address("toy", "gallery"), operation=rest["operation"]
    ),
    "away": _away,
    "back": _back,
    "substitute": lambda table, code, who, rest: table.substitute(
        code, Player(Account("toy", "spare"), "spare"), Seat.S1, **rest
    ),
}
_OTHERS: Final = tuple(_ACTS)


async def month(seed: int, matches: int) -> dict[str, Any]:
    """Play a month; what happened, in figures.

    Raises:
        Broken: something did not hold.
    """
    luck, watch = random.Random(seed), Watch()
    watch.store = store = Store(luck, watch)
    watch.tables = [Table(store, GAMES, Drawn(luck)) for _ in range(2)]
    until = now() + MONTH
    bots = Bots(luck, watch, store)
    living = asyncio.create_task(bots.live(until))
    async with asyncio.TaskGroup() as group:
        for number in range(matches):
            group.create_task(Pair(number, seed, watch, bots).live(until))
    await living
    await bots.up.wait()
    await asyncio.sleep(2 * HOUR)  # what is still to be told is told
    for _ in range(600):
        await asyncio.sleep(0 if not store._mail.waiting else 60)
    _hold(not store._mail.waiting, "everything is told")
    await bots.stop()
    watch.finish()
    over = sum(match.phase is Phase.OVER for match in store._matches.values())
    return {
        "seed": seed,
        "matches": len(store._matches),
        "over": over,
        "counts": dict(sorted(watch.counts.items())),
        "digest": watch.digest.hexdigest(),
    }


if __name__ == "__main__":
    print(json.dumps(play(month(int(sys.argv[1]), int(sys.argv[2])))))  # noqa: T201
