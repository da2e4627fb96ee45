"""The puzzle of the day at places: the schedule, and one card a place and day, edited when a person has finished."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Final

from bot.chat.i18n import words_of
from bot.chat.registry import POSTS_CHOSEN, Registry
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Courier, Gone, NoMessage
from bot.chat.sending.scheduled import Schedule, ScheduledPosts, Send
from bot.chat.services import Services
from bot.chat.thinking import Busy, NoAnswer, Thinker
from bot.chat.view import View, theme_of
from bot.features.puzzles.attempts import DailyResults
from bot.features.puzzles.cards import PlaceDay, PuzzleCard, place_card
from bot.features.puzzles.library import Library, Posed
from bot.features.puzzles.solving import solution_of
from play.people import Address
from play.settings import Settings
from rules.core import AnyGame
from storage.ports import FullStore

registry: Final = Registry()

KEPT: Final = timedelta(days=4)
"""How long a message is remembered: longer than people are counted who solve its puzzle."""

_DAY: Final = timedelta(days=1)
_LOOK: Final = 15.0  # seconds between looks at the schedule
_MONDAY: Final = 0
_SUNDAY: Final = 6


@dataclass(frozen=True, slots=True)
class PostedPuzzle:
    """A card: its place and day, its message, and the solution of the day before in it."""

    place: Address
    day: date
    ref: str
    solution: str = ""


def schedule_of(store: FullStore) -> Schedule:
    """Return when places get their puzzle of the day."""
    return Schedule(
        store, "daily", lambda now: (now.puzzle.at, now.puzzle.zone) if now.puzzle is not None else None
    )


class DailyPlaces:
    """The cards of places."""

    def __init__(self, store: FullStore) -> None:
        self._notes, self._timelines = store.notes, store.timelines

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


def _changed(platform: str) -> str:
    return f"daily-solved:{platform}"


def _card(place: Address, day: date) -> str:
    return f"daily-message:{place}:{day}"


@POSTS_CHOSEN
async def reschedule(store: FullStore, place: Address, chosen: Settings, at: datetime) -> None:
    """Plan the next daily puzzle of a place anew."""
    await schedule_of(store).plan(place, chosen, at)


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

    @property
    def _posts(self) -> ScheduledPosts:
        return ScheduledPosts(schedule_of(self.store), self.delivery, self.couriers)

    async def tick(self) -> None:
        """Serve every place whose time has come."""
        await self._posts.tick(self._made)
        old = [posted for platform in self.couriers for posted in await self._places.outdated(platform)]
        await self._posts.each((posted.place, self._update(posted)) for posted in old)

    async def _update(self, posted: PostedPuzzle) -> None:
        place = posted.place
        results = DailyResults(self.store)
        posed = await Library(self.store).known_of_day(posted.day)
        if posed is not None and posed.game in self.games and not await self.delivery.is_dead(place):
            finished = await results.table(place, posted.day)
            view = await self._view(posed, await self.store.settings.get(place), posted)

            async def edit(courier: Courier) -> None:
                with suppress(NoMessage, Gone):  # it was deleted, or the bot was removed
                    await courier.edit(posted.ref, view)

            if not await self._posts.send(place, edit):
                return
            if await results.table(place, posted.day) != finished:
                return
        await self._places.updated(posted)

    async def _made(self, place: Address, chosen: Settings, day: date) -> Send | None:
        posed = await Library(self.store).of_day(day, tuple(self.games))
        if posed is None:
            return None
        puzzle = PostedPuzzle(place, day, "", await self._yesterday(place, day))
        view, nonce = await self._view(posed, chosen, puzzle), schedule_of(self.store).nonce(place, day)

        async def post(courier: Courier) -> None:
            ref = await courier.post(place, view, ping=(), nonce=nonce)
            await self._places.posted(replace(puzzle, ref=ref))

        return post

    async def _view(self, posed: Posed, chosen: Settings, puzzle: PostedPuzzle) -> View:
        words = words_of(chosen, self.language)
        here = await place_day(self.store, puzzle.place, puzzle.day, puzzle.solution)
        card = PuzzleCard(self.games[posed.game], posed, words)
        return replace(place_card(card, here), theme=theme_of(chosen))

    async def _yesterday(self, place: Address, day: date) -> str:
        thinker, before = self.thinker, day - _DAY
        if thinker is None or not await schedule_of(self.store).is_done(place, before):
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
