"""What must hold is looked at after each commit, by one who knows what the bot cannot; the store fails at times."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from bot.chat.sending.ports import Recipient
from bot.chat.sending.routing import label
from play.errors import Unavailable
from play.facts import Fact, Flagged, Later, Planned, TakenBack, TimeIsUp, Undone
from play.match import Match, Phase
from play.ports import ALPHABET, CODE_LENGTH, Loaded, Operation
from play.replay import begun, extended
from play.settings import Settings
from play.table import Table
from play.time.vacation import BUDGET
from rules import GAMES
from storage.ports import DueTimer
from tests.support.matches import check_match, check_times
from tests.support.memory import MemoryStore
from tests.support.memory.store import MemoryMatches, MemoryTimers
from tests.support.memory.streams import MemoryOutgoing
from tests.support.waiting import VirtualLoop

if TYPE_CHECKING:
    pass  # MERGED


# What must hold, and when it is.


HOUR: Final = 3600.0
TROUBLE: Final = 0.01
"""How many calls of the store fail, before or after they are carried out; and how many messages."""


def now() -> datetime:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop.moment()


class Broken(AssertionError):
    """Something did not hold that must."""


def hold(holds: bool, what: str) -> None:
    if not holds:
        raise Broken(what)


# What holds is looked at after each commit, by one who knows what the bot cannot.


WHOLE_CHECKS: Final = 10
"""Of so many commits one is checked by replaying everything."""


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
        hold(match.revision == (before.revision if before else 0) + 1, "revisions count up")
        if before is not None:
            hold(before.live or before.addresses != match.addresses, "what is over stays")
            if not isinstance(fact, Undone | TakenBack):
                hold(match.log[: len(before.log)] == before.log, "a log only grows")
        if announced:
            self.announced.setdefault(match.id, []).append(match.revision)
        else:
            hold(isinstance(fact, Later | Planned), "everybody is told")
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
        hold(now() - times.since - rest >= times.left[times.seat], "no seat is flagged early")
        player = before.chairs[times.seat].player
        if clock.vacation and player and not times.up:
            spent = self.store.settings._settings.get(player.account, Settings()).vacation
            hold(spent is not None and spent.spent == BUDGET, "the vacation goes first")

    def _sound(self, match: Match, *, whole: bool) -> None:
        game = GAMES[match.game]
        if whole:
            desk = _Desk(self.tables[0], now())
            check_match(desk, match)  # type: ignore[arg-type]
            check_times(desk, match)  # type: ignore[arg-type]
            hold(
                extended(begun(game, game.choose(dict(match.options))), match.log).log == match.log,
                "it replays",
            )
        course = self.tables[0].course(match)
        hold(course.log == match.log, "positions are those of the log")
        hold((match.phase is Phase.OVER) == (match.result is not None), "what is over has a result")
        running = match.phase is Phase.PLAYING and match.clock is not None and not match.paused
        hold(
            (match.times is not None and match.times.since is not None) == running,
            "a clock runs while it should",
        )
        if running and match.times:
            hold(match.times.seat == course.position.to_move, "the clock is that of the seat on turn")

    def shown(self, to: Recipient, told: Sequence[str], nonce: str | None) -> None:
        """A message came through."""
        self.note(label(to), told, nonce)
        if nonce is not None and nonce in self.nonces:
            self.counts["messages sent again"] += 1
            return
        if nonce is not None:
            self.nonces.add(nonce)
        self.counts["messages"] += 1
        match_id, *revisions = told
        seen = self.told.setdefault((label(to), match_id), [])
        new = [int(revision) for revision in revisions]
        hold(not (seen and new) or max(new) >= max(seen), "in order")
        seen += new

    def finish(self) -> None:
        """All that was announced has been told wherever it should."""
        for match_id, revisions in self.announced.items():
            match = self.store.matches.stored[match_id]
            public = {revision for key in self.told if key[1] == match_id for revision in self.told[key]}
            hold(set(revisions) <= public, f"{match_id}: untold {set(revisions) - public}")
            for address in match.addresses[:1]:
                seen = self.told.get((label(address), match_id), [])
                hold(bool(seen), "every match is shown")


class _Desk:
    """What the checks of the table's tests look at."""

    def __init__(self, table: Table, at: datetime) -> None:
        self.table, self.now = table, at


# A store that fails at times, and chance from a seed.


IDLE: Final = 3600.0
"""Seconds between polls of a sender without a wake-up."""


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
        self.luck, self.watch = luck, watch
        self.soonest: datetime | None = None
        self.timers = _Timers(self)
        self.matches = _Matches(self)

    def stumble(self) -> None:
        if self.luck.random() < TROUBLE:
            self.watch.counts["calls that failed"] += 1
            raise Unavailable

    def outgoing(self) -> MemoryOutgoing:
        return Patient(self.outbox, self.settings)


class _Matches(MemoryMatches):
    def __init__(self, store: Store) -> None:
        super().__init__(store.clock, store.timers, store.outbox)
        self._store = store

    async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
        await asyncio.sleep(self._store.luck.random() * 0.01)  # others have their turn
        self._store.stumble()
        return await super().load(match_id, operation)

    async def commit(self, fact: Fact, expected: int, **more: Any) -> Fact:
        await asyncio.sleep(self._store.luck.random() * 0.01)
        self._store.stumble()
        before = self.stored.get(fact.match.id)
        committed = await super().commit(fact, expected, **more)
        if self.stored[fact.match.id] is not before:
            self._store.soonest = min(
                [timer.at for timer in more["timers"]] + [self._store.soonest or committed.match.expires]
            )
            self._store.watch.committed(before, committed, announced=more["announce"])
        self._store.stumble()
        return committed


class _Timers(MemoryTimers):
    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store

    async def due(self, at: datetime, lease: datetime, limit: int) -> Sequence[DueTimer]:
        self._store.stumble()
        if self._store.soonest is None or at < self._store.soonest:
            return ()
        found = await super().due(at, lease, limit)
        self._store.soonest = min(
            (when for kept in self._timers.values() for when in kept.values()), default=None
        )
        return found

    async def hasten(self, name: str, at: datetime, every: timedelta) -> None:
        await super().hasten(name, at, every)
        self._store.soonest = at


class Patient(MemoryOutgoing):
    """A sender's view that does not look again and again where nothing has happened."""

    async def wait(self, seconds: float) -> None:
        await super().wait(IDLE)
