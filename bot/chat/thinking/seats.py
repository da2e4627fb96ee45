"""Engines at the table: they follow facts, think, and answer by ordinary requests.

Each request names the revision it was made for, so that a late one, after a takeback or the end, is refused as a
person's would be. Nothing is remembered here that a restart could lose: waiting matches are found in the store.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Final

from bot.chat.periodic import periodically
from bot.chat.thinking.jobs import Busy, Job, Reply, Variation, job_for
from bot.chat.thinking.thinker import SearchFailed, Thinker
from engine import levels_of
from engine.wire import EngineClient, EngineTimeout, ProtocolViolation
from play.actions.agreeing import Answer, asked_seats
from play.actions.playing import MakeMove
from play.errors import PlayError, Stale, Unavailable
from play.events.event import AnyFact, Changed
from play.match import PLATFORM, STRONGEST, WEAKEST, Ask, Match, Phase, Ply, accounts, is_engine, kind_of
from play.people import Account, Player
from play.ports import Operation
from play.replay import Course
from play.request import Request
from play.table import Table
from rules import GAMES
from rules.core import RulesError, Seat
from storage.ports import FullStore

LEASE: Final = timedelta(seconds=9)  # how long a process holds a turn unless it renews the lease
RENEW: Final = 3.0  # seconds between renewals of a lease, and between checks of another process's lease
SWEEP: Final = 20.0  # seconds between sweeps for waiting matches
LONGEST: Final = 5.0  # the most seconds that an engine thinks about one turn
LOSING: Final = -0.35  # the value at or below which an engine accepts a draw
EVEN: Final = 0.05  # the value within which it accepts one later in the game
A_WHILE: Final = 24  # plies after which a game is late
NOTED: Final = timedelta(days=30)  # how long it is noted that the players know of an engine that stands in

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _EngineDuty:
    seat: Seat
    account: Account
    ask: Ask | None = None


def _since_own_turn(course: Course, seat: Seat) -> tuple[str, ...]:
    """Return the notation of the plies that others made since the last turn of a seat."""
    made = zip(reversed(course.positions[:-1]), reversed(course.moves), strict=True)
    others = takewhile(lambda each: each[0].to_move != seat, made)
    return tuple(course.game.notation.format(move) for _, move in others if move is not None)[::-1]


def _duty_in(match: Match, course: Course) -> _EngineDuty | None:
    if match.phase is not Phase.PLAYING:
        return None
    if match.offer:
        for seat in asked_seats(match, course, match.offer):
            account = _engine_at(match, seat)
            if account and seat not in match.offer.agreed:
                return _EngineDuty(seat, account, match.offer.ask)
    if match.paused is not None:
        return None
    seat = course.position.to_move
    account = _engine_at(match, seat)
    return _EngineDuty(seat, account) if account and seat in course.live else None


def _engine_at(match: Match, seat: Seat) -> Account | None:
    player = match.chairs[seat].player
    return player.account if player and is_engine(player.account) else None


class Seats:
    """Plays for the engines at the table. Several processes may share one store."""

    def __init__(
        self,
        table: Table,
        store: FullStore,
        thinker: Thinker,
        now: Callable[[], datetime],
        *,
        programs: Mapping[str, EngineProgram] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._table = table
        self._store = store
        self._thinker = thinker
        self._now = now
        self._programs = programs or {}
        self._sleep = sleep
        self._busy: dict[str, asyncio.Task[None]] = {}

    async def __call__(self, fact: AnyFact) -> Iterable[AnyFact]:
        """Take a fact; return no further facts."""
        if not isinstance(fact, Changed):
            self.look(fact.match)
        return ()

    def look(self, match: Match) -> bool:
        """Serve a match that waits for an engine, unless it is served already; return whether it waits."""
        try:
            waits = _duty_in(match, self._table.course(match)) is not None
        except PlayError:  # it cannot be replayed; `klop verify` reports it
            return False
        if waits and match.id not in self._busy:
            task = asyncio.create_task(self._serve(match.id), name=f"engine at {match.id}")
            self._busy[match.id] = task
            task.add_done_callback(lambda _: self._busy.pop(match.id, None))
        return waits

    async def run(self) -> None:
        """Sweep now and periodically until cancelled."""
        await periodically(self.sweep, SWEEP, self._sleep, "looking for matches that wait for an engine")

    async def sweep(self) -> int:
        """Serve every match in the store that waits for an engine; return how many do."""
        engines = (*accounts(), *(Account(PLATFORM, name) for name in self._programs))
        return sum(map(self.look, await self._store.matches.live_of(engines)))

    async def settled(self, seconds: float) -> bool:
        """Wait at most so long until no match is served; return whether any was."""
        tasks = [*self._busy.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)
        return bool(tasks)

    async def close(self) -> None:
        """Stop serving; other processes take over."""
        tasks = [*self._busy.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for program in self._programs.values():
            await program.close()

    async def _serve(self, match_id: str) -> None:
        broken = 0
        while True:
            try:
                match = await self._table.get(match_id)
                owed = _duty_in(match, self._table.course(match))
                if owed is None:
                    return
                lease = f"engine:{match.id}:{match.revision}"
                held = await self._store.notes.hold(lease, keep=LEASE)
                if held is None:
                    await self._sleep(RENEW)  # another process serves it
                    continue
                async with self._leased(lease, held):
                    await self._act(match, owed)
            except Stale:
                continue  # the match has changed: look again
            except Busy:
                return  # the next sweep serves it
            except Unavailable:
                await self._sleep(1.0)
            except (PlayError, RulesError, SearchFailed):
                _log.exception("an engine cannot go on in %s", match_id)
                broken += 1
                if broken > 2:
                    return

    @asynccontextmanager
    async def _leased(self, lease: str, held: str) -> AsyncIterator[None]:
        async def renew() -> None:
            while True:
                await self._sleep(RENEW)
                with suppress(Unavailable):
                    await self._store.notes.write(lease, held, keep=LEASE)

        renewing = asyncio.create_task(renew())
        try:
            yield
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)
            with suppress(Unavailable):
                await self._store.notes.write(lease, None)

    async def _act(self, match: Match, owed: _EngineDuty) -> None:
        operation = Operation(f"engine:{match.id}:{match.revision}", owed.ask.value if owed.ask else "turn")
        course = self._table.course(match)
        if owed.ask:
            yes = await self._agrees(match, course, owed)
            await self._table.act(match.id, Answer(owed.ask, yes), self._request(match, owed, operation))
            return
        kind = kind_of(owed.account) or ""
        job = self._job(match, course, owed, kind)
        guest = bool(kind) and not kind.isdigit()
        found = await self._guest_turn(kind, job) if guest else None
        reply = found or await self._thinker.turn(job, match.id)
        note, stands_in = f"stands-in:{match.id}:{owed.seat.number}", None
        if guest and found is None:
            (known,) = await self._store.notes.read(note)
            stands_in = None if known else str(job.level)
        move = MakeMove(" ".join(reply.lines[0].turn), stands_in)
        await self._table.act(match.id, move, self._request(match, owed, operation))
        if guest:  # afterwards: it is announced twice rather than not at all
            await self._store.notes.write(note, "told" if found is None else None, keep=NOTED)

    def _request(self, match: Match, owed: _EngineDuty, operation: Operation) -> Request:
        return Request(Player(owed.account, ""), self._now(), match.revision, operation)

    async def _guest_turn(self, kind: str, job: Job) -> Reply | None:
        if (program := self._programs.get(kind)) is None:
            return None
        try:
            return await program.turn(job)
        except SearchFailed as failed:
            _log.warning("the engine %s failed, another one plays: %s", kind, failed)
            return None

    def _job(self, match: Match, course: Course, owed: _EngineDuty, kind: str) -> Job:
        level = int(kind) if kind.isdigit() and WEAKEST <= int(kind) <= STRONGEST else STRONGEST
        seconds = levels_of(match.game, course.options)[level].care.seconds or LONGEST
        text = f"{match.id} {len(match.log)} {owed.seat.number}".encode()
        seed, seconds = int.from_bytes(hashlib.blake2b(text, digest_size=4).digest()), min(LONGEST, seconds)
        position = course.position
        last = _since_own_turn(course, owed.seat)
        return job_for(
            course.game, course.options, position, level=level, seconds=seconds, seed=seed, last=last
        )

    async def _agrees(self, match: Match, course: Course, owed: _EngineDuty) -> bool:
        """Return whether an engine agrees: always to takebacks and pauses, to a draw where it can hope for little."""
        if owed.ask is not Ask.DRAW:
            return True
        job = job_for(course.game, course.options, course.position, level=STRONGEST, seconds=1.0)
        reply = await self._thinker.turn(job, match.id)
        value = reply.lines[0].value
        if course.position.to_move not in course.side_of(owed.seat):
            value = -value
        played = sum(isinstance(entry, Ply) for entry in match.log)
        return value <= LOSING or (abs(value) <= EVEN and played >= A_WHILE)


class EngineProgram:
    """An external engine that the operator has configured."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self._name = name
        self._client = EngineClient(command)

    async def turn(self, job: Job) -> Reply:
        """Return its turn, or raise SearchFailed. A program without an answer, or with an illegal one, has been killed."""
        game = GAMES[job.game]
        options = dict(job.options)
        position = game.notation.parse_position(job.position, game.choose(options))
        try:
            turn = await self._client.turn(game, options, position, seconds=job.seconds, seed=job.seed)
        except (EngineTimeout, ProtocolViolation) as failed:
            raise SearchFailed(str(failed)) from failed
        return Reply(self._name, "outside", 0, (Variation(turn, 0.0, None, turn, 0),))

    async def close(self) -> None:
        """End the program."""
        await self._client.close()
