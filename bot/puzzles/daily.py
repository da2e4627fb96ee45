"""The daily puzzle of a place: its schedule, its solvers, and its posting once a day, also with several bots."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Final

from bot.desk.hooks import DAILY_PUZZLE_CHOSEN
from bot.i18n import Words, pick
from bot.i18n import words as words_for
from bot.pictures import theme_of
from bot.puzzles.cards import Card
from bot.puzzles.daily_messages import DailyMessages, PostedPuzzle
from bot.puzzles.library import Library, Posed, day_at, number_of
from bot.puzzles.ports import PuzzleStore
from bot.puzzles.solution import solution_of
from bot.sender.backoff import Sleep
from bot.sender.delivery import Delivery
from bot.sender.ports import Courier, CourierError, Gone, NoMessage, RetryAfter
from bot.sender.routing import label
from bot.sender.turns import Urgency
from bot.thinking import Busy, NoAnswer, Thinker
from bot.view import View
from play.errors import Unavailable
from play.people import Account, Address
from play.settings import DailyPuzzle, Settings
from play.time.reminders import zone_of
from rules.core import AnyGame
from storage.faults import fault

AT_WORK: Final = timedelta(minutes=3)
"""How long one bot of several may take to post one puzzle."""

_DONE_KEPT: Final = timedelta(days=3)
_DAY: Final = timedelta(days=1)

LOOK: Final = 15.0
"""Seconds between looks at the schedule."""

POSTING: Final = AT_WORK.total_seconds() / 2
"""Seconds that one posting may take, well before another bot may claim it."""

AT_ONCE: Final = 8
"""Places that are served at once."""

SOLVERS_KEPT: Final = timedelta(days=4)
"""How long solvers are counted: longer than it is known which puzzle was that of a day."""

MOST_SOLVERS: Final = 1000
"""Solvers counted for one puzzle at a place."""

_NOTES_AT_ONCE: Final = 20

_log: Final = logging.getLogger(__name__)


class DailySchedule:
    """Places with a daily puzzle, by the time of their next one: when to look; their settings decide."""

    def __init__(self, store: PuzzleStore) -> None:
        self._store = store

    async def plan(self, place: Address, chosen: Settings, at: datetime) -> None:
        """Store when a place gets its next puzzle, if any."""
        if chosen.puzzle is None:
            await self._store.timelines.remove(_timeline(place.platform), place.place)
        else:
            await self._store.timelines.add(_timeline(place.platform), place.place, after(chosen.puzzle, at))

    async def due(self, platform: str, at: datetime) -> Sequence[Address]:
        """Return the places of a platform whose time has come."""
        return [
            Address(platform, place)
            for place in await self._store.timelines.read(_timeline(platform), until=at)
        ]

    async def begin(self, place: Address, day: date) -> bool:
        """Claim the posting of a day's puzzle for a while; return whether it is due and no other bot has it."""
        if await self.is_done(place, day):
            return False
        mine = await self._store.notes.hold(f"{_posted_note(place, day)}:at-work", keep=AT_WORK)
        return mine is not None and not await self.is_done(place, day)

    async def done(self, place: Address, day: date) -> None:
        """Remember that the puzzle of a day has been posted."""
        await self._store.notes.write(_posted_note(place, day), "", keep=_DONE_KEPT)

    async def is_done(self, place: Address, day: date) -> bool:
        """Whether the puzzle of a day has been posted."""
        return (await self._store.notes.read(_posted_note(place, day)))[0] is not None


def moment_of(puzzle: DailyPuzzle, day: date) -> datetime:
    """Return when a day's puzzle is due, in UTC."""
    return datetime.combine(day, puzzle.at, tzinfo=zone_of(puzzle.zone)).astimezone(UTC)


def after(puzzle: DailyPuzzle, at: datetime) -> datetime:
    """Return when the next puzzle is due after a moment, in UTC."""
    day = at.astimezone(zone_of(puzzle.zone)).date()
    today = moment_of(puzzle, day)
    return today if today > at else moment_of(puzzle, day + _DAY)


def _timeline(platform: str) -> str:
    return f"daily:{platform}"


def _posted_note(place: Address, day: date) -> str:
    return f"daily:{place}:{day}"


@DAILY_PUZZLE_CHOSEN
async def reschedule(store: PuzzleStore, place: Address, chosen: Settings, at: datetime) -> None:
    """Plan the next daily puzzle of a place anew."""
    await DailySchedule(store).plan(place, chosen, at)


class Solvers:
    """The people who have solved a place's daily puzzle: a numbered note each, which holds a hash and no name."""

    def __init__(self, store: PuzzleStore) -> None:
        self._store = store

    async def add(self, place: Address, puzzle_id: str, who: Account) -> bool:
        """Count a person once, unless they were shown the solution; return whether they are counted anew."""
        mine = _sign(place, puzzle_id, who)
        if (await self._store.notes.read(_shown_note(mine)))[0] is not None:
            return False
        standing = list(await self._standing(place, puzzle_id))
        before = len(standing)
        while mine not in standing and len(standing) < MOST_SOLVERS:
            name = _solver_note(place, puzzle_id, len(standing))
            await self._store.notes.write_once(name, mine, keep=SOLVERS_KEPT)
            standing += [
                sign for sign in await self._store.notes.read(name) if sign
            ]  # perhaps another came first
        return len(standing) > before

    async def tell(self, place: Address, puzzle_id: str, who: Account) -> None:
        """Remember that a person was shown the solution."""
        await self._store.notes.write(_shown_note(_sign(place, puzzle_id, who)), "", keep=SOLVERS_KEPT)

    async def count(self, place: Address, puzzle_id: str) -> int:
        """Return the number of solvers."""
        return len(await self._standing(place, puzzle_id))

    async def _standing(self, place: Address, puzzle_id: str) -> Sequence[str]:
        """Return the notes up to the first missing one."""
        found: list[str] = []
        while len(found) < MOST_SOLVERS:
            numbers = range(len(found), len(found) + _NOTES_AT_ONCE)
            for sign in await self._store.notes.read(
                *(_solver_note(place, puzzle_id, number) for number in numbers)
            ):
                if sign is None:
                    return found
                found.append(sign)
        return found


def _solver_note(place: Address, puzzle_id: str, number: int) -> str:
    return f"solved:{place}:{puzzle_id}:{number}"


def _shown_note(sign: str) -> str:
    return f"solved-told:{sign}"


def _sign(place: Address, puzzle_id: str, who: Account) -> str:
    """Return the hash of a person at one puzzle of one place."""
    return f"{number_of(str(place), puzzle_id, str(who)):x}"


class DailyPoster:
    """Posts daily puzzles at the places of its couriers' platforms. Any number of posters may share one store.

    Yesterday's solution is posted along where there is a thinker.
    """

    def __init__(
        self,
        store: PuzzleStore,
        games: Mapping[str, AnyGame],
        delivery: Delivery,
        couriers: Iterable[Courier],
        language: str,
        *,
        thinker: Thinker | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._store = store
        self._games = games
        self._delivery = delivery
        self._couriers = {courier.platform: courier for courier in couriers}
        self._language = language
        self._thinker = thinker
        self._sleep = sleep
        self._schedule = DailySchedule(store)
        self._library = Library(store)
        self._solvers = Solvers(store)
        self._messages = DailyMessages(store)

    async def run(self) -> None:
        """Look at the schedule until cancelled."""
        while True:
            try:
                await self.tick()
            except Unavailable:
                _log.info("the schedule cannot be read now")
            await self._sleep(LOOK)

    async def tick(self) -> None:
        """Serve every place whose time has come.

        Raises:
            Unavailable: the store cannot be read.
        """
        at = await self._store.now()
        places = asyncio.Semaphore(AT_ONCE)

        async def each(place: Address, work: Awaitable[None]) -> None:
            async with places:
                try:
                    await work
                except Unavailable:
                    _log.info("no puzzle of the day for %s yet: the store does not answer", label(place))
                except Exception:  # noqa: BLE001 - what is wrong with one place must not stop the others
                    _log.exception("the puzzle of the day cannot be shown at %s", label(place))

        due = [place for platform in self._couriers for place in await self._schedule.due(platform, at)]
        await asyncio.gather(*(each(place, self._serve(place, at)) for place in due))
        old = [
            posted for platform in self._couriers for posted in await self._messages.outdated(platform, at)
        ]
        await asyncio.gather(*(each(posted.place, self._count(posted)) for posted in old))

    async def _count(self, posted: PostedPuzzle) -> None:
        """Have a posted puzzle say how many have solved it; at the next look, if that is not possible now."""
        place, courier = posted.place, self._couriers[posted.place.platform]
        posed = await self._library.known_of_day(place, posted.day)
        if posed is not None and posed.game in self._games and not await self._delivery.is_dead(place):
            solvers = await self._solvers.count(place, posed.id)
            chosen = await self._store.settings.get(place)
            try:
                await self._delivery.turn(courier, place, Urgency.CARD)
                await courier.edit(posted.ref, self._question(posed, chosen, posted.before, solvers))
            except (NoMessage, Gone):
                pass  # it was deleted, or the bot was removed
            except RetryAfter as late:
                return await self._delivery.hold(courier, place, late)
            except CourierError:
                return None
            if await self._solvers.count(place, posed.id) != solvers:
                return None
        return await self._messages.counted(posted)

    async def _serve(self, place: Address, at: datetime) -> None:
        """Post what is due at a place, and plan its next puzzle."""
        chosen = await self._store.settings.get(place)
        if chosen.puzzle is not None:
            day = day_at(chosen, at)
            # A day on which no bot ran is over; and the hour may have been changed meanwhile.
            if moment_of(chosen.puzzle, day) <= at and not await self._schedule.is_done(place, day):
                if not (await self._schedule.begin(place, day) and await self._posted(place, chosen, day)):
                    return
                await self._schedule.done(place, day)
        await self._schedule.plan(place, await self._store.settings.get(place), at)

    async def _posted(self, place: Address, chosen: Settings, day: date) -> bool:
        """Post a day's puzzle; return whether no further try is needed."""
        courier = self._couriers[place.platform]
        if await self._delivery.is_dead(place):
            return True
        games = chosen.games or tuple(self._games)
        posed = await self._library.of_day(place, day, games)
        if posed is None or posed.game not in self._games:
            return True
        before = await self._yesterday(place, day, words_for(pick(chosen.language, self._language)))
        view = self._question(posed, chosen, before)
        try:
            async with asyncio.timeout(POSTING):
                await self._delivery.turn(courier, place, Urgency.CARD)
                fault("before-daily")
                ref = await courier.post(place, view, ping=(), nonce=nonce(place, day))
                fault("after-daily")
                await self._messages.posted(PostedPuzzle(place, day, ref, before))
        except Gone:
            await self._delivery.give_up(place)
        except RetryAfter as late:
            await self._delivery.hold(courier, place, late)
            return False
        except (CourierError, TimeoutError) as failed:
            _log.info("no puzzle of the day for %s yet: %r", label(place), failed)
            return False
        return True

    def _question(self, posed: Posed, chosen: Settings, before: Sequence[str], solvers: int = 0) -> View:
        """Return a day's puzzle as its place sees it, after some lines about the day before."""
        card = Card(self._games[posed.game], posed, words_for(pick(chosen.language, self._language)))
        return replace(card.invitation(card.start, *before, solvers=solvers), theme=theme_of(chosen))

    async def _yesterday(self, place: Address, day: date, words: Words) -> tuple[str, ...]:
        """Return the solution of the puzzle posted the day before, if the engines have the time, and how many solved it."""
        thinker, before = self._thinker, day - timedelta(days=1)
        if thinker is None or not await self._schedule.is_done(place, before):
            return ()
        posed = await self._library.known_of_day(place, before)
        if posed is None or posed.game not in self._games:
            return ()
        lines, card = [], Card(self._games[posed.game], posed, words)
        with suppress(Busy, NoAnswer):
            _, moves = await solution_of(
                card.game, card.options, card.start, lambda job: thinker.advice(job, "puzzles", place)
            )
            lines.append(words("bot.puzzle.yesterday", moves=moves))
        if solvers := await self._solvers.count(place, posed.id):
            lines.append(words.count("bot.puzzle.solvers-yesterday", solvers))
        return tuple(lines)


def nonce(place: Address, day: date) -> str:
    """Return the id of a posting, the same at each try; at most 25 characters."""
    digest = hashlib.blake2b(label(place).encode(), digest_size=5).hexdigest()
    return f"daily:{day:%y%m%d}:{digest}"
