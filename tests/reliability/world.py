"""One simulated world: seeded people, chats, clocks and faults around real bots, on virtual time.

A `Plan` says what befalls it; `Laws` says what holds all the same. Its people type lines, which a platform delivers to bots: each
with the receiver, the desk, the sender and the clockwork of a real one, on a store that they share. A seed repeats a world exactly:

    python -m tests.reliability.test_world PLAN SEED
"""

from __future__ import annotations

import asyncio
import inspect
import json
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial, wraps
from hashlib import blake2b
from types import FrameType, SimpleNamespace
from typing import Any, Final, ParamSpec, cast

from bot.app.roles import make_sender
from bot.chat.clockwork import DOWN, Clockwork
from bot.chat.i18n import words
from bot.chat.periodic import StoreClock, periodically
from bot.chat.pictures import Pictures
from bot.chat.receiving import Receiver
from bot.chat.sending.attention import CALLS_AFTER
from bot.chat.sending.composer import Chosen, Composer
from bot.chat.sending.ports import Pace, Recipient, RetryAfter, Transient
from bot.chat.sending.routing import Announcement, is_beside, label
from bot.chat.view import Message, View
from bot.chat.visitor import Visitor
from bot.features.events.announcing import EventComposer
from play.actions.playing import MakeMove
from play.errors import PlayError, Stale, Unavailable
from play.events.event import AnyFact, subject_of
from play.facts import Fact, Flagged, Later, Moved, Planned, TakenBack, TimeIsUp, Undone
from play.match import Match, Phase
from play.people import Account, Address, Player
from play.ports import ALPHABET, CODE_LENGTH, Operation
from play.replay import begun, extended
from play.request import Request
from play.settings import Settings
from play.table import Table
from play.time.vacation import BUDGET
from rules import GAMES
from storage.ports import Update
from tests.support.matches import check_match, check_times
from tests.support.memory import MemoryStore
from tests.support.memory.store import MemoryMatches
from tests.support.services import services
from tests.support.waiting import now, play

P = ParamSpec("P")
HOUR: Final = 3600.0
PLATFORM: Final = "toy"
PEOPLE: Final = 40
PLACES: Final = 12
BOTS: Final = 2
LOOK: Final = 50.0  # seconds between looks of the clockwork, and so between heartbeats
IDLE: Final = 900.0  # seconds between looks into a stream in which nothing has happened
ANSWERED: Final = 12 * HOUR  # seconds in which what was accepted is answered, whatever happens to the bots
NEW: Final = 0.1  # of the calls of a sort that has not failed yet as often as it is to, so many fail
WHOLE: Final = 10  # of so many commits one is checked by replaying everything
UNREACHED: Final = words("en")(Unavailable().reason)
WRITES: Final = frozenset(
    {"commit", "accept", "change", "write", "set_shown", "beat", "add_outage", "bind", "settle"}
)

CHOICES: Final = (
    ("lgame", ""), ("lgame", "variant:scoring"), ("breakthrough", "board:5x6"), ("breakthrough", "board:4x5"),
    ("klopodavka", "board:8x8"), ("klopodavka", "board:8x8 players:3"),
)  # fmt: skip
ACTS: Final = (
    "undo", "takeback", "draw", "pause", "resume", "claim", "plan {} if a2-a3 then a5-a4", "pause {} no", "board",
    "vacation 1d", "vacation end", "takeback {} yes",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plan:
    """What befalls a world. Shares are those of calls; means are seconds between, and 0 is never."""

    matches: int = 12
    days: float = 4
    clocks: Sequence[str] = ("", "clock:1d", "clock:6h+1h/1d", "clock:1d clock:soft")
    paces: Sequence[float] = (0.2, 1, 6)  # hours that a person thinks, on the whole
    trouble: float = 0.0  # calls of the store that fail, before they are carried out; and as many after it
    each: int = 0  # times that each sort of call fails besides, before it is carried out and after it
    latency: float = 0.01  # seconds that a call takes at most
    lost: float = 0.0  # messages that do not get through, and as many whose reply is lost
    refused: float = 0.0  # messages for which the platform asks to wait
    twice: float = 0.1  # requests that the platform delivers again, within a minute
    kills: float = 0.0  # calls before which the bot is killed, and as many after; another takes its place
    rests: float = 0.0  # of all bots
    stops: float = 0.0  # of the store, for as long as one of `away`
    fills: float = 0.0  # of the store, which then takes no writes, for as long as one of `away`
    jumps: float = 0.0  # of the store's clock, by one of `steps`
    away: Sequence[float] = (5.0, 30.0, 300.0)
    steps: Sequence[float] = (-24 * HOUR, -HOUR, HOUR, 24 * HOUR)
    races: float = 0.0  # moves that are made at two bots at once, each another one
    flood: int = 0  # lines that one person types at once, every hour
    within: float = 0.0  # seconds in which everyone else is answered; 0: as soon as the faults allow
    calls: float = LOOK  # seconds between looks at the calls that are due
    late: float = (
        0.0  # seconds after these in which whom a match waits for is called; 0: as soon as the faults allow
    )


class Broken(AssertionError):
    """Something did not hold that must."""


def hold(holds: object, what: str) -> None:
    if not holds:
        raise Broken(what)


def judged(law: Callable[P, None]) -> Callable[P, None]:
    """Have a law that is broken end the world, wherever in a bot it is looked at."""

    @wraps(law)
    def looked(*given: P.args, **named: P.kwargs) -> None:
        try:
            law(*given, **named)
        except Exception as wrong:
            given[0].broken.append(wrong)  # type: ignore[attr-defined]
            raise

    return looked


class Killed(BaseException):
    """The process has gone: nothing of it goes on."""


class Laws:
    """Looks at all that happens, and knows what bots cannot know."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.digest = blake2b(digest_size=16)
        self.counts: Counter[str] = Counter()
        self.broken: list[Exception] = []
        self.waits: list[float] = []
        self.down: list[tuple[datetime, datetime]] = []
        self._done: set[tuple[str, str]] = set()  # by match and operation
        # By match: since when its clock runs, by the match and really.
        self._began: dict[str, tuple[datetime | None, datetime]] = {}
        self._announced: dict[str, set[int]] = {}
        self._told: dict[tuple[str, str], list[int]] = {}
        self._nonces: set[str] = set()
        self._turns: dict[str, tuple[int, Account, datetime]] = {}  # by match: since when it waits for whom
        self._called: set[tuple[str, str, int, Account]] = set()  # by place, match and turn
        self._acted: dict[tuple[str, str], datetime] = {}  # by place and person

    def note(self, *said: object) -> None:
        self.digest.update(f"{now()} {said}\n".encode())

    @judged
    def committed(
        self, before: Match | None, fact: Fact, operation: Operation | None, *, announced: bool
    ) -> None:
        match = fact.match
        self.note(type(fact).__name__, match)
        self.counts["commits"] += 1
        self.counts[type(fact).__name__] += 1
        hold(match.revision == (before.revision if before else 0) + 1, "revisions count up")
        if operation is not None:
            hold((match.id, operation.id) not in self._done, "nothing is done twice")
            self._done.add((match.id, operation.id))
        if before is not None:
            hold(before.live or before.addresses != match.addresses, "what is over stays")
            if not isinstance(fact, Undone | TakenBack):
                hold(match.log[: len(before.log)] == before.log, "a log only grows")
        if announced:
            self._announced.setdefault(match.id, set()).add(match.revision)
        else:
            hold(isinstance(fact, Later | Planned), "all else is announced")
        if isinstance(fact, Flagged | TimeIsUp):
            hold(before, "what is flagged was there")
            self._flagged(before)  # type: ignore[arg-type]
        self._turn(fact)
        since = match.times.since if match.times else None
        if since is not None and self._began.get(match.id, (None,))[0] != since:
            self._began[match.id] = since, now() - (self._world.now() - since)
        self._sound(match, whole=self.counts["commits"] % WHOLE == 0 or not match.live)

    def _turn(self, fact: Fact) -> None:
        """A turn begins, or goes on after its player has done something; the one before did not wait long for a call."""
        match = fact.match
        if match.paused:
            self._turns.pop(match.id, None)
        chair = match.chairs[self._world.table.course(match).position.to_move]
        goes_on = isinstance(fact, Moved) and not fact.handed_on and match.live
        if isinstance(fact, Later | Planned) or goes_on or is_beside(fact):
            return
        self._waited(match.id)
        if match.phase is Phase.PLAYING and not match.paused and chair.player:
            self._turns[match.id] = match.revision, chair.player.account, now()

    def _waited(self, match_id: str) -> None:
        if match_id not in self._turns:
            return
        revision, who, since = self._turns.pop(match_id)
        place, plan = self._world.store.matches.stored[match_id].addresses[0], self._world.plan
        if (label(place), match_id, revision, who) in self._called:
            return
        self.counts["turns without a call"] += 1
        idle = now() - max(since, self._acted.get((place.place, who.uid), since))
        most = CALLS_AFTER + timedelta(seconds=plan.calls + plan.late)
        hold(not plan.late or idle <= most, f"{who} was not called in {match_id}: {idle}")

    def acted(self, who: str, place: str) -> None:
        """A person types something."""
        self._acted[place, who] = now()

    def _call(self, to: Recipient, match_id: str, nonce: str, ping: Sequence[Account]) -> None:
        if ":turn:" not in nonce or match_id not in self._turns:
            return
        revision, who, _ = self._turns[match_id]
        if who in ping and int(nonce.split(":")[1][1:]) >= revision:
            self.counts["calls"] += 1
            hold((label(to), match_id, revision, who) not in self._called, f"{who} is called once in a turn")
            self._called.add((label(to), match_id, revision, who))

    def _flagged(self, before: Match) -> None:
        """The time of the seat on turn was up in this world, whose clock is not the bots'; outages do not count."""
        times, clock = before.times, before.clock
        if times is None or clock is None or times.since is None:
            raise Broken("flagged without a clock")
        began = self._began[before.id][1]
        spans = [min(end, now()) - max(start, began) for start, end in self.down if end - start > DOWN]
        rest = sum((max(timedelta(), span) for span in spans), timedelta())
        hold(
            now() - began - rest >= times.left[times.seat] - timedelta(seconds=1), "no seat is flagged early"
        )
        player = before.chairs[times.seat].player
        if clock.vacation and player and not times.up:
            spent = self._world.store.settings._settings.get(player.account, Settings()).vacation
            hold(spent is not None and spent.spent == BUDGET, "the vacation goes first")

    def _sound(self, match: Match, *, whole: bool) -> None:
        game, table = GAMES[match.game], self._world.table
        if whole:
            looked = SimpleNamespace(table=table, now=self._world.now())
            check_match(looked, match)  # type: ignore[arg-type]
            check_times(looked, match)  # type: ignore[arg-type]
            course = extended(begun(game, game.choose(dict(match.options))), match.log)
            hold(course.log == match.log, "it replays")
        course = table.course(match)
        hold(course.log == match.log, "positions are those of the log")
        hold((match.phase is Phase.OVER) == (match.result is not None), "what is over has a result")
        running = match.phase is Phase.PLAYING and match.clock is not None and not match.paused
        hold(
            (match.times is not None and match.times.since is not None) == running,
            "a clock runs while it should",
        )
        if running and match.times:
            hold(match.times.seat == course.position.to_move, "the clock is that of the seat on turn")

    @judged
    def shown(
        self, to: Recipient, told: Sequence[str], nonce: str | None, ping: Sequence[Account] = ()
    ) -> None:
        """A message came through."""
        self.note(label(to), told, nonce)
        if nonce is not None and nonce in self._nonces:
            self.counts["messages sent again"] += 1
            return
        self._nonces.update([nonce] if nonce else ())
        self.counts["messages"] += 1
        match_id, *revisions = told
        plan = self._world.plan
        if nonce is not None:
            self._call(to, match_id, nonce, ping)
        seen, new = self._told.setdefault((label(to), match_id), []), list(map(int, revisions))
        hold(not (seen and new) or max(new) >= max(seen), "in order")
        calls = ping and seen and set(new) == {max(seen)}  # of a board that changed in place; see `_call`
        if nonce is not None and not (
            calls or plan.kills or plan.rests or plan.lost
        ):  # else with what came meanwhile
            hold(set(new).isdisjoint(seen), "no message tells anything twice")
        seen += new

    @judged
    def answered(self, asked: Asked, messages: Sequence[Message]) -> None:
        """A person has an answer; a move that is not refused has been made."""
        self.counts["answers"] += 1
        self.note(asked.update.id, [message.view.lines for message in messages])
        code, refused = asked.moves, any(message.refused for message in messages)
        if code and not refused:
            hold((code, f"{PLATFORM}:{asked.update.id}") in self._done, "nothing acknowledged is lost")
        if not asked.flood:
            wait = (now() - asked.at).total_seconds()
            within = self._world.plan.within
            hold(
                not within or wait <= within,
                f"no one waits for another: {wait:.1f} s for {asked.update.body!r}",
            )
            self.waits.append(wait)

    def finish(self) -> None:
        """All that was announced has been shown, and every match at its place; all who are waited for are called."""
        for match_id in list(self._turns):
            self._waited(match_id)
        for match_id, revisions in self._announced.items():
            shown = {one for (_, match), seen in self._told.items() if match == match_id for one in seen}
            hold(revisions <= shown, f"{match_id}: unannounced {revisions - shown}")
            match = self._world.store.matches.stored[match_id]
            for place in match.addresses[:1]:
                hold(self._told.get((label(place), match_id)), "every match is shown")


# What bots stand on: a store that fails, and a platform that loses messages.


class Store(MemoryStore):
    def __init__(self, world: World) -> None:
        super().__init__(world.now)
        self.matches = _Matches(world, self)


class _Matches(MemoryMatches):
    def __init__(self, world: World, store: Store) -> None:
        super().__init__(store.clock, store.timers, store.outbox)
        self._world = world

    async def commit(self, fact: Fact, expected: int, **more: Any) -> Fact:
        before = self.stored.get(fact.match.id)
        committed = await super().commit(fact, expected, **more)
        if self.stored[fact.match.id] is not before:
            self._world.laws.committed(before, committed, more.get("operation"), announced=more["announce"])
        return committed


class Line:
    """A store, or a part of one, every call of which passes `around` with its name."""

    def __init__(self, held: Any, around: Callable[[str], Any]) -> None:
        self._held, self._around = held, around

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._held, name)
        if inspect.iscoroutinefunction(found):
            return partial(self._call, name, found)
        if inspect.isroutine(found):
            return lambda *given, **named: self._part(found(*given, **named))
        return self._part(found)

    def _part(self, found: Any) -> Any:
        of_a_store = type(found).__module__.startswith(("tests.support.memory", "tests.reliability"))
        return Line(found, self._around) if of_a_store else found

    async def _call(self, name: str, found: Callable[..., Any], *given: Any, **named: Any) -> Any:
        async with self._around(name):
            return await (found(IDLE) if name == "wait" else found(*given, **named))


class Chats:
    """A platform that knows nonces, as one bot reaches it."""

    platform = PLATFORM
    closes = True
    pace = Pace()

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
        await self._pass(to, view, nonce, ping)
        return f"{label(to)} {nonce}"

    async def edit(self, ref: str, view: View) -> None:
        place = ref.partition(" ")[0].partition(":")[2]
        await self._pass(
            Account(PLATFORM, place[1:]) if place[:1] == "@" else Address(PLATFORM, place), view, None
        )

    async def reads(self, where: Address, who: Account) -> bool:
        return True

    def buried(self, to: Recipient, ref: str) -> bool:
        return False

    async def close(self, ref: str, view: View | None) -> None:
        await asyncio.sleep(self._bot.world.luck.random())

    async def _pass(self, to: Recipient, view: View, nonce: str | None, ping: Sequence[Account] = ()) -> None:
        world = self._bot.world
        await asyncio.sleep(world.luck.random())
        self._bot.check()
        luck, plan = world.luck.random(), world.plan
        if luck < plan.refused:
            raise RetryAfter(5.0)
        if luck < plan.refused + plan.lost:
            raise Transient
        world.laws.shown(to, view.lines[-1].split(), nonce, ping)
        if luck < plan.refused + 2 * plan.lost:
            raise Transient


class Noting(Composer):
    """The real words, with a line that says which revisions they tell of."""

    async def compose(
        self, told: Sequence[AnyFact], to: Recipient, chosen: Chosen, also: Sequence[str] = ()
    ) -> Announcement:
        made = await super().compose(told, to, chosen, also)
        line = " ".join([made.match_id, *(str(subject_of(fact).revision) for fact in told)])
        board = made.board  # beside the message that tells, so it tells nothing
        if board is not None:
            board = replace(board, lines=(*board.lines, made.match_id))
        return replace(made, view=replace(made.view, lines=(*made.view.lines, line)), board=board)


class Drawn:
    """Chance from a seed."""

    def __init__(self, luck: random.Random) -> None:
        self._luck = luck

    def code(self) -> str:
        return "".join(self._luck.choices(ALPHABET, k=CODE_LENGTH))

    def shuffled(self, count: int) -> Sequence[int]:
        return self._luck.sample(range(count), count)


def player(name: str) -> Player:
    return Player(Account(PLATFORM, name), name)


class Bot:
    """One process: all of it that is no platform and no server."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.dead = False
        self.store = cast(Any, Line(world.store, self._around))
        clock = StoreClock(world.now)
        self.table = Table(self.store, GAMES, Drawn(world.luck))
        made = services(self.table, self.store, clock, pictures=PICTURES)
        vars(made)["composer"] = Noting(self.table, "en", events=EventComposer(self.table, "en"))
        self._desk = made.desk
        self._readers = [world.store.inbox(PLATFORM), world.store.outgoing()]
        self.receiver = Receiver(Line(self._readers[0], self._around), self._handle)
        self.store.outgoing = lambda: Line(self._readers[1], self._around)  # its sender is the one that reads
        self._sender = make_sender(made, [Chats(self)])
        self._attention = made.attention
        self._clockwork = Clockwork(self.table, self.store, clock=clock, look=LOOK)
        self.up = asyncio.Event()
        self._running = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while not self.up.is_set():  # no request is served before the first beat
            with suppress(Unavailable):
                await self._clockwork.beat()
                self.up.set()
                self.world.up.set()
        calls = periodically(self._attention.call, self.world.plan.calls, asyncio.sleep, "calls")
        await asyncio.gather(self._clockwork.run(), self._sender.run(), self.receiver.run(), calls)

    async def _handle(self, update: Update, last: bool) -> None:
        asked = self.world.asked[update.id]
        who, line = json.loads(update.body)
        place = Address(PLATFORM, update.chat)
        visitor = Visitor(player(who), place, find=player, request=update.id, retried=not last)
        messages = await self._desk.answer(visitor, line)
        self.check()
        self.world.answer(asked, messages)

    def check(self) -> None:
        if self.dead:
            raise Killed

    @asynccontextmanager
    async def _around(self, name: str) -> AsyncIterator[None]:
        world, plan = self.world, self.world.plan
        self.check()
        if name in ("wait", "close"):
            yield
            return
        await asyncio.sleep(world.luck.random() * plan.latency)
        self._met(plan)
        sort = sort_of(name) if plan.each else ""
        if world.away or (world.full and name in WRITES) or world.fails("before", sort):
            world.laws.counts["calls that failed"] += 1
            raise Unavailable
        yield
        self._met(plan)
        if name != "read" and world.fails("after", sort):  # on Redis what was read is read again
            raise Unavailable

    def _met(self, plan: Plan) -> None:
        if self.up.is_set() and self.world.luck.random() < plan.kills:
            self.dead = True
            self.world.spawn(self.world.replace(self))
        self.check()

    async def end(self) -> None:
        """End as by SIGKILL: whatever it does next does not happen, and its leases end with it."""
        self.dead = True
        self._running.cancel()
        (outcome,) = await asyncio.gather(self._running, return_exceptions=True)
        if isinstance(outcome, Broken):
            raise outcome
        for reader in self._readers:
            await reader.close()  # type: ignore[attr-defined]
            reader._streams.wakeup.wake()  # type: ignore[attr-defined]


def sort_of(name: str) -> str:
    """Return a function of the store, and the function of the bot that calls it."""
    frame: FrameType | None = sys._getframe()
    while frame and frame.f_globals["__name__"].partition(".")[0] not in ("bot", "play"):
        frame = frame.f_back
    return f"{name} < {frame.f_code.co_qualname}" if frame else name


PICTURES: Final = Pictures()


@dataclass(slots=True)
class Asked:
    """A line that a platform has from a person."""

    update: Update
    at: datetime
    answer: asyncio.Future[Sequence[Message]]
    moves: str = ""  # the match in which it is to be a move
    flood: bool = False


class World:
    """A store, its bots, and the people who use them."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self.plan, self.luck, self._seed = plan, random.Random(seed), seed
        # The store's clock may be set back, and no match is older than the world.
        self.skew = timedelta(days=30)
        self.away = self.full = False
        self.up = asyncio.Event()
        self.asked: dict[str, Asked] = {}
        self.failed: Counter[tuple[str, str]] = Counter()
        self.laws = Laws(self)
        self.store = Store(self)
        self.table = Table(self.store, GAMES, Drawn(self.luck))
        self.bots: list[Bot] = []
        self._going: set[asyncio.Task[Any]] = set()

    def now(self) -> datetime:
        """The time by the store's clock."""
        return now() + self.skew

    def spawn(self, going: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(going)
        self._going.add(task)
        task.add_done_callback(self._going.discard)
        return task

    async def say(
        self, who: str, place: str, line: str, *, moves: str = "", flood: bool = False
    ) -> Sequence[Message]:
        """Type a line, and return the answer. The platform delivers it until a bot has accepted it, and at times again."""
        if self.laws.broken:
            raise self.laws.broken[0]
        self.laws.counts["lines"] += 1
        self.laws.acted(who, place)
        update = Update(f"{self.laws.counts['lines']}", place, who, json.dumps([who, line]).encode())
        asked = Asked(update, now(), asyncio.get_running_loop().create_future(), moves, flood)
        self.asked[update.id] = asked
        await self._deliver(update)
        if self.luck.random() < self.plan.twice:
            self.spawn(self._again(update))
        try:
            return await asyncio.wait_for(asyncio.shield(asked.answer), ANSWERED)
        except TimeoutError:
            raise next(iter(self.laws.broken), Broken(f"accepted and not answered: {line}")) from None

    async def _deliver(self, update: Update) -> None:
        while True:
            await self.up.wait()
            try:
                bot = self.luck.choice([bot for bot in self.bots if bot.up.is_set()])
                return await bot.receiver.accept([update])
            except (Unavailable, Killed, IndexError):  # none is up
                await asyncio.sleep(self.luck.uniform(1, 10))

    async def _again(self, update: Update) -> None:
        await asyncio.sleep(self.luck.uniform(0, 60))
        await self._deliver(update)

    def answer(self, asked: Asked, messages: Sequence[Message]) -> None:
        if not asked.answer.done():
            self.laws.answered(asked, messages)
            asked.answer.set_result(messages)

    # Faults.

    def fails(self, when: str, sort: str) -> bool:
        """Whether a call fails now, `before` it is carried out or `after`."""
        new = self.failed[when, sort] < self.plan.each
        if self.luck.random() >= self.plan.trouble + NEW * new:
            return False
        self.failed[when, sort] += 1
        return True

    async def _every(self, mean: float, fault: Callable[[], Coroutine[Any, Any, None]]) -> None:
        while mean:
            await asyncio.sleep(self.luck.expovariate(1 / mean))
            await fault()

    async def replace(self, bot: Bot) -> None:
        """Start a bot in place of one that was killed."""
        self.laws.counts["kills"] += 1
        bot.up.clear()
        await bot.end()
        if bot in self.bots:
            self.bots[self.bots.index(bot)] = Bot(self)
            if not any(each.up.is_set() for each in self.bots):
                self.up.clear()

    async def _rest(self) -> None:
        began = now()
        await self.stop()
        await asyncio.sleep(self.luck.choice(self.plan.away))
        self._down("rests", began)
        self.start()

    async def _stop(self) -> None:
        began, self.away = now(), True
        await asyncio.sleep(self.luck.choice(self.plan.away))
        self.away = False
        self._down("stops", began)

    async def _fill(self) -> None:
        began, self.full = now(), True
        await asyncio.sleep(self.luck.choice(self.plan.away))
        self.full = False
        self._down("fills", began)

    def _down(self, what: str, began: datetime) -> None:
        self.laws.counts[what] += 1
        self.laws.down.append((began, now()))

    async def _jump(self) -> None:
        self.laws.counts["jumps"] += 1
        self.skew += timedelta(seconds=self.luck.choice(self.plan.steps))

    async def _flood(self) -> None:
        for _ in range(self.plan.flood):
            self.spawn(
                self.say("flooder", "hall0", self.luck.choice(("/board", "/games", "/help")), flood=True)
            )

    def start(self) -> None:
        self.bots = [Bot(self) for _ in range(BOTS)]

    async def stop(self) -> None:
        self.up.clear()
        await asyncio.gather(*(bot.end() for bot in self.bots))
        self.bots = []

    async def live(self) -> Mapping[str, Any]:
        """Let everything happen; return it in figures."""
        plan, until = self.plan, now() + timedelta(days=self.plan.days)
        asyncio.get_running_loop().set_exception_handler(self._unhandled)
        self.start()
        faults = [
            self.spawn(self._every(mean, fault))
            for mean, fault in (
                (plan.rests, self._rest), (plan.stops, self._stop), (plan.fills, self._fill),
                (plan.jumps, self._jump), (HOUR * bool(plan.flood), self._flood),
            )
        ]  # fmt: skip
        async with asyncio.TaskGroup() as group:
            for number in range(plan.matches):
                group.create_task(Pair(number, self._seed, self).live(until))
        for fault in faults:
            fault.cancel()
        outcomes = await asyncio.gather(*faults, return_exceptions=True)
        hold(not [one for one in outcomes if isinstance(one, Exception)], f"{outcomes}")
        self.away = self.full = False
        if not self.bots:
            self.start()
        for _ in range(600):
            await asyncio.sleep(60)
            if not await self.store.outgoing().backlog() and not await self.store.inbox(PLATFORM).backlog():
                break
        if self.laws.broken:
            raise self.laws.broken[0]
        hold(not await self.store.outgoing().backlog(), "everything is announced")
        hold(all(asked.answer.done() for asked in self.asked.values()), "everything accepted is answered")
        await self.stop()
        self.laws.finish()
        hold(not await self.store.aside.all(), "nothing is set aside")
        over = sum(match.phase is Phase.OVER for match in self.store.matches.stored.values())
        counts = {**self.laws.counts, "matches": len(self.store.matches.stored), "over": over}
        counts["sorts of calls that failed"] = len({sort for _, sort in self.failed})
        return {**dict(sorted(counts.items())), "digest": self.laws.digest.hexdigest()}

    def _unhandled(self, loop: asyncio.AbstractEventLoop, about: dict[str, Any]) -> None:
        if not isinstance(about.get("exception"), Killed):
            loop.default_exception_handler(about)


class Pair:
    """The people of one match, from the challenge until its end, or the world's: they move, offer, ask, go away and come back."""

    def __init__(self, number: int, seed: int, world: World) -> None:
        self._world, self._plan = world, world.plan
        self._luck = random.Random(f"{seed}/{number}")
        self._people = [f"p{person}" for person in self._luck.sample(range(PEOPLE), 3)]
        self._place = f"hall{self._luck.randrange(PLACES)}"
        self._pace = self._luck.choice(self._plan.paces) * HOUR
        self._clock = self._plan.clocks[number % len(self._plan.clocks)]
        self._code = ""

    async def _say(self, who: str, line: str, *, moves: str = "") -> Sequence[Message]:
        while True:
            messages = await self._world.say(who, self._place, line, moves=moves)
            if not any(UNREACHED in "\n".join(message.view.lines) for message in messages):
                return messages
            await asyncio.sleep(self._luck.uniform(10, 60))

    async def live(self, until: datetime) -> None:
        luck, stored = self._luck, self._world.store.matches.stored
        await asyncio.sleep(luck.uniform(0, self._plan.days * 12 * HOUR))
        game, options = luck.choice(CHOICES)
        host, *others = self._people[: 3 if "players:3" in options else 2]
        for who in (host, *others):
            await self._say(who, "/settings warnings:off")
        known, lobby = set(stored), luck.random() < 0.3
        wanted = "/new" if lobby else f"/challenge {' '.join(others)}"
        await self._say(host, f"{wanted} {game} {options} {self._clock}")
        mine = [match for code, match in stored.items() if code not in known and match.host.name == host]
        if not mine:
            return
        self._code = mine[0].id
        for other in others:
            await asyncio.sleep(luck.expovariate(1 / HOUR))
            await self._say(other, f"/{'join' if lobby else 'accept'} #{self._code}")
        if lobby:
            await self._say(host, f"/start #{self._code}")
        while now() < until:
            pause = luck.expovariate(1 / self._pace) if luck.random() < 0.98 else 100 * HOUR
            await asyncio.sleep(min(pause, (until - now()).total_seconds()))
            if not (match := stored[self._code]).live:
                return
            await self._act(match)

    async def _act(self, match: Match) -> None:
        luck = self._luck
        seated = [chair.player.name for chair in match.chairs if chair.player] or self._people
        who, what = luck.choice(seated), luck.random()
        if match.offer and what < 0.5:
            ask = match.offer.ask.value
            await self._say(who, f"/{ask} #{self._code} {luck.choice(('yes', 'no'))}")
        elif what < 0.85:
            await self._move(match)
        elif what < 0.995:
            name, _, words = luck.choice(ACTS).partition(" {} ")
            code = "" if name.startswith("vacation") else f"#{self._code} "
            await self._say(who, f"/{name} {code}{words}")
        else:
            await self._say(who, f"/resign #{self._code} yes")

    async def _move(self, match: Match) -> None:
        position = self._world.table.position(match)
        who = match.chairs[position.to_move].player if match.phase is Phase.PLAYING else None
        if who is None or position.outcome:
            return
        texts = [
            GAMES[match.game].notation.format(self._luck.choice(position.legal_moves())) for _ in range(2)
        ]
        if self._luck.random() < self._plan.races:
            await self._race(match, who, texts)
        else:
            await self._say(who.name, f"/move #{self._code} {texts[0]}", moves=self._code)

    async def _race(self, match: Match, who: Player, texts: Sequence[str]) -> None:

        async def one(bot: Bot, text: str) -> Match | None:
            try:
                request = Request(who, self._world.now(), seen=match.revision)
                return (await bot.table.act(self._code, MakeMove(text), request)).match
            except Stale as stale:
                lost.append(stale.match)
            except PlayError:  # paused or over, meanwhile
                lost.append(match)
            return None

        lost: list[Match] = []
        bots = [bot for bot in self._world.bots if bot.up.is_set()]
        if len(bots) == len(texts):
            won = [each for each in await asyncio.gather(*map(one, bots, texts)) if each]
            self._world.laws.counts["races"] += 1
            hold(len(won) < len(bots), "both won")
            goes_on = self._world.store.matches.stored[self._code].revision > match.revision
            hold(goes_on or match.paused, "no one won, and nothing came before")
            hold(not won or lost[0].log == won[0].log, "who lost is shown the board that came of it")


def lived(plan: Plan, seed: int) -> Mapping[str, Any]:
    """Return what happened in a world.

    Raises:
        Broken: a law did not hold.
    """

    async def living() -> Mapping[str, Any]:
        return await World(plan, seed).live()

    return play(living())
