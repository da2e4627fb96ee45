"""The puzzle of the day at places: the schedule, and one card a place and day, edited when a person has finished."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final

from bot.chat.i18n import words_of
from bot.chat.periodic import Barrier
from bot.chat.registry import DAILY_PUZZLE_CHOSEN, Registry
from bot.chat.sending.delivery import SENDING, Delivery
from bot.chat.sending.ports import Courier, Gone, NoMessage
from bot.chat.sending.queue import Urgency
from bot.chat.sending.routing import label
from bot.chat.services import Services
from bot.chat.thinking import Busy, NoAnswer, Thinker
from bot.chat.view import View, theme_of
from bot.features.puzzles.attempts import DailyResults
from bot.features.puzzles.cards import PlaceDay, PuzzleCard, place_card
from bot.features.puzzles.library import Library, Posed
from bot.features.puzzles.solving import solution_of
from play.errors import Unavailable
from play.people import Address
from play.settings import DailyPuzzle, Settings
from play.time.week import zone_of
from rules.core import AnyGame
from storage.ports import FullStore

registry: Final = Registry()

KEPT: Final = timedelta(days=4)
"""How long a message is remembered: longer than people are counted who solve its puzzle."""

AT_WORK: Final = timedelta(seconds=2 * SENDING)  # how long one bot of several may take to post one puzzle
_DONE_KEPT: Final = timedelta(days=3)
_DAY: Final = timedelta(days=1)
_LOOK: Final = 15.0  # seconds between looks at the schedule
_AT_ONCE: Final = 8  # places that are served at once
_MONDAY: Final = 0
_SUNDAY: Final = 6
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PostedPuzzle:
    """A card: its place and day, its message, and the solution of the day before in it."""

    place: Address
    day: date
    ref: str
    solution: str = ""


class DailyPlaces:
    """Places with a daily puzzle, by the time of their next one: when to look; their settings decide. And their cards."""

    def __init__(self, store: FullStore) -> None:
        self._notes, self._timelines = store.notes, store.timelines

    async def plan(self, place: Address, chosen: Settings, at: datetime) -> None:
        """Store when a place gets its next puzzle, if any."""
        if chosen.puzzle is None:
            await self._timelines.remove(_planned(place.platform), place.place)
        else:
            await self._timelines.add(_planned(place.platform), place.place, after(chosen.puzzle, at))

    async def due(self, platform: str, at: datetime) -> Sequence[Address]:
        """Return the places of a platform whose time has come, or is later than that of any next puzzle: the clock was set back."""
        name = _planned(platform)
        due = [*await self._timelines.read(name, until=at)]
        due += await self._timelines.read(name, since=at + 2 * _DAY)
        return [Address(platform, place) for place in due]

    async def begin(self, place: Address, day: date) -> bool:
        """Claim the posting of a day's puzzle for a while; return whether it is due and no other bot has it."""
        if await self.is_done(place, day):
            return False
        mine = await self._notes.hold(f"{_done(place, day)}:at-work", keep=AT_WORK)
        return mine is not None and not await self.is_done(place, day)

    async def done(self, place: Address, day: date) -> None:
        """Remember that the puzzle of a day has been posted."""
        await self._notes.write(_done(place, day), "", keep=_DONE_KEPT)

    async def is_done(self, place: Address, day: date) -> bool:
        """Whether the puzzle of a day has been posted."""
        return (await self._notes.read(_done(place, day)))[0] is not None

    async def posted(self, puzzle: PostedPuzzle) -> None:
        """Remember a card."""
        text = json.dumps([puzzle.ref, puzzle.solution], ensure_ascii=False)
        await self._notes.write(_card(puzzle.place, puzzle.day), text, keep=KEPT)

    async def card(self, place: Address, day: date) -> PostedPuzzle | None:
        """Return the card of a place and day, if there is one."""
        try:
            ref, solution = json.loads((await self._notes.read(_card(place, day)))[0] or "")
            return PostedPuzzle(place, day, ref, solution)
        except (TypeError, ValueError):
            return None

    async def changed(self, place: Address, day: date, at: datetime) -> None:
        """Have the card of a place and day edited, if there is one: a person has finished."""
        if await self.card(place, day) is not None:
            await self._timelines.add(_changed(place.platform), f"{day} {place.place}", at)

    async def outdated(self, platform: str) -> Sequence[PostedPuzzle]:
        """Return the cards of a platform that are to be edited."""
        found = []
        for text in await self._timelines.read(_changed(platform)):
            day, _, where = text.partition(" ")
            puzzle = await self.card(Address(platform, where), date.fromisoformat(day))
            if puzzle is None:
                await self._timelines.remove(_changed(platform), text)
            else:
                found.append(puzzle)
        return found

    async def updated(self, puzzle: PostedPuzzle) -> None:
        """Note that a card says who has finished."""
        await self._timelines.remove(_changed(puzzle.place.platform), f"{puzzle.day} {puzzle.place.place}")


def _planned(platform: str) -> str:
    return f"daily:{platform}"


def _changed(platform: str) -> str:
    return f"daily-solved:{platform}"


def _done(place: Address, day: date) -> str:
    return f"daily:{place}:{day}"


def _card(place: Address, day: date) -> str:
    return f"daily-message:{place}:{day}"


def moment_of(puzzle: DailyPuzzle, day: date) -> datetime:
    """Return when a day's puzzle is due, in UTC."""
    return datetime.combine(day, puzzle.at, tzinfo=zone_of(puzzle.zone)).astimezone(UTC)


def after(puzzle: DailyPuzzle, at: datetime) -> datetime:
    """Return when the next puzzle is due after a moment, in UTC."""
    day = at.astimezone(zone_of(puzzle.zone)).date()
    today = moment_of(puzzle, day)
    return today if today > at else moment_of(puzzle, day + _DAY)


@DAILY_PUZZLE_CHOSEN
async def reschedule(store: FullStore, place: Address, chosen: Settings, at: datetime) -> None:
    """Plan the next daily puzzle of a place anew."""
    await DailyPlaces(store).plan(place, chosen, at)


@dataclass(frozen=True, slots=True)
class DailyPoster:
    """Posts daily puzzles at the places of its platforms. Any number of posters may share one store.

    Yesterday's solution is posted along where there is a thinker. A card is edited when a person has finished, and calls no one.
    """

    store: FullStore
    games: Mapping[str, AnyGame]
    delivery: Delivery
    couriers: Mapping[str, Courier]  # by platform
    language: str
    thinker: Thinker | None = None

    @property
    def _places(self) -> DailyPlaces:
        return DailyPlaces(self.store)

    async def tick(self) -> None:
        """Serve every place whose time has come."""
        at = await self.store.now()
        places = asyncio.Semaphore(_AT_ONCE)

        async def each(place: Address, work: Awaitable[None]) -> None:
            async with places:
                with Barrier() as barrier:  # what is wrong with one place must not stop the others
                    await work
            if isinstance(barrier.error, Unavailable):
                _log.info("no puzzle of the day for %s yet: the store does not answer", label(place))
            elif barrier.error is not None:
                _log.error(
                    "the puzzle of the day cannot be shown at %s", label(place), exc_info=barrier.error
                )

        due = [place for platform in self.couriers for place in await self._places.due(platform, at)]
        await asyncio.gather(*(each(place, self._serve(place, at)) for place in due))
        old = [posted for platform in self.couriers for posted in await self._places.outdated(platform)]
        await asyncio.gather(*(each(posted.place, self._update(posted)) for posted in old))

    async def _update(self, posted: PostedPuzzle) -> None:
        place, courier = posted.place, self.couriers[posted.place.platform]
        results = DailyResults(self.store)
        posed = await Library(self.store).known_of_day(posted.day)
        if posed is not None and posed.game in self.games and not await self.delivery.is_dead(place):
            finished = await results.table(place, posted.day)
            view = await self._view(posed, await self.store.settings.get(place), posted)

            async def edit() -> None:
                with suppress(NoMessage, Gone):  # it was deleted, or the bot was removed
                    await courier.edit(posted.ref, view)

            if not await self.delivery.sent(courier, place, Urgency.CARD, edit):
                return
            if await results.table(place, posted.day) != finished:
                return
        await self._places.updated(posted)

    async def _serve(self, place: Address, at: datetime) -> None:
        chosen = await self.store.settings.get(place)
        if chosen.puzzle is not None:
            day = at.astimezone(zone_of(chosen.place_zone)).date()
            # A day on which no bot ran is over; and the hour may have been changed meanwhile.
            if moment_of(chosen.puzzle, day) <= at and not await self._places.is_done(place, day):
                if not (await self._places.begin(place, day) and await self._posted(place, chosen, day)):
                    return
                await self._places.done(place, day)
        await self._places.plan(place, await self.store.settings.get(place), at)

    async def _posted(self, place: Address, chosen: Settings, day: date) -> bool:
        courier = self.couriers[place.platform]
        if await self.delivery.is_dead(place):
            return True
        posed = await Library(self.store).of_day(day, tuple(self.games))
        if posed is None:
            return True
        puzzle = PostedPuzzle(place, day, "", await self._yesterday(place, day))
        view = await self._view(posed, chosen, puzzle)

        async def post() -> None:
            ref = await courier.post(place, view, ping=(), nonce=nonce(place, day))
            await self._places.posted(replace(puzzle, ref=ref))

        return await self.delivery.sent(courier, place, Urgency.CARD, post)

    async def _view(self, posed: Posed, chosen: Settings, puzzle: PostedPuzzle) -> View:
        words = words_of(chosen, self.language)
        here = await place_day(self.store, puzzle.place, puzzle.day, puzzle.solution)
        card = PuzzleCard(self.games[posed.game], posed, words)
        return replace(place_card(card, here), theme=theme_of(chosen))

    async def _yesterday(self, place: Address, day: date) -> str:
        thinker, before = self.thinker, day - _DAY
        if thinker is None or not await self._places.is_done(place, before):
            return ""
        posed = await Library(self.store).known_of_day(before)
        if posed is None or posed.game not in self.games:
            return ""
        game = self.games[posed.game]
        with suppress(Busy, NoAnswer):
            _, moves = await solution_of(
                game, posed, posed.start(game), lambda job: thinker.advice(job, "puzzles", place)
            )
            return moves
        return ""


@registry.periodically("puzzles of the day", _LOOK)
async def _post(services: Services, delivery: Delivery, couriers: Mapping[str, Courier]) -> None:
    store, games = services.store, services.table.games
    await DailyPoster(store, games, delivery, couriers, services.language, services.thinker).tick()


async def place_day(store: FullStore, place: Address, day: date, solution: str = "") -> PlaceDay:
    """Return what a place's card says on a day."""
    results, before = DailyResults(store), day - _DAY
    weekday = day.weekday()
    return PlaceDay(
        day,
        await results.table(place, day),
        await results.streak(place, day),
        await results.week(place, day) if weekday == _SUNDAY else (),
        await results.table(place, before),
        await results.week(place, before) if weekday == _MONDAY else (),
        solution,
    )


def nonce(place: Address, day: date) -> str:
    """Return the id of a posting, the same at each try; at most 25 characters."""
    digest = hashlib.blake2b(label(place).encode(), digest_size=5).hexdigest()
    return f"daily:{day:%y%m%d}:{digest}"
