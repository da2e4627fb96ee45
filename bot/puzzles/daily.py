"""Posting of the daily puzzle where a place has chosen an hour for it: once a day, also with several bots."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final

from bot.i18n import Words, pick
from bot.i18n import words as words_for
from bot.pictures import theme_of
from bot.presenter.variations import variation_text
from bot.puzzles.cards import ENOUGH, Card
from bot.puzzles.library import Library, Posed, day_at
from bot.puzzles.ports import PuzzleStore
from bot.puzzles.schedule import AT_WORK, DailySchedule, moment_of
from bot.puzzles.solution import to_the_end
from bot.puzzles.solvers import Solvers
from bot.sender.backoff import Sleep
from bot.sender.delivery import Delivery
from bot.sender.ports import Courier, CourierError, Gone, RetryAfter
from bot.sender.routing import label
from bot.thinking import Busy, Job, NoAnswer, Reply, Thinker
from bot.view import View
from play.errors import Unavailable
from play.people import Address
from play.settings import Settings
from rules.core import AnyGame
from storage.faults import fault

LOOK: Final = 15.0
"""Seconds between looks at the schedule."""

POSTING: Final = AT_WORK.total_seconds() / 2
"""Seconds that one posting may take; well before another bot takes it for dead."""

AT_ONCE: Final = 8
"""Places that are served side by side."""

SECONDS: Final = 1.5
"""How long yesterday's solution is thought about."""

_log: Final = logging.getLogger(__name__)


class DailyPoster:
    """Posts puzzles of the day. Any number of these may share one store.

    Args:
        store: Where the schedule is.
        games: Which there are.
        delivery: Knows when a place can bear one more message.
        couriers: For each platform that is served here. The places of others are theirs to serve.
        language: Of places that have chosen none.
        thinker: Finds yesterday's solution, where there are engines.
        sleep: Waits for some seconds.
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
            Unavailable: the store does not say which.
        """
        at = await self._store.now()
        places = asyncio.Semaphore(AT_ONCE)

        async def serve(place: Address) -> None:
            async with places:
                try:
                    await self._serve(place, at)
                except Unavailable:
                    _log.info("no puzzle of the day for %s yet: the store does not answer", label(place))
                except Exception:  # noqa: BLE001 - what is wrong with one place must not stop the others
                    _log.exception("the puzzle of the day cannot be posted at %s", label(place))

        due = [place for platform in self._couriers for place in await self._schedule.due(platform, at)]
        await asyncio.gather(*map(serve, due))

    async def _serve(self, place: Address, at: datetime) -> None:
        """Post what is due at a place, and write down when it wants the next one."""
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
        """Post a day's puzzle; whether that is over and done with, well or not."""
        courier = self._couriers[place.platform]
        if (await self._delivery.is_dead(place)) or (view := await self._view(place, chosen, day)) is None:
            return True
        try:
            async with asyncio.timeout(POSTING):
                await self._delivery.turn(courier, place)
                fault("before-daily")
                await courier.post(place, view, ping=(), nonce=nonce(place, day))
                fault("after-daily")
        except Gone:
            await self._delivery.give_up(place)
        except RetryAfter as late:
            await self._delivery.hold(courier, place, late)
            return False
        except (CourierError, TimeoutError) as failed:
            _log.info("no puzzle of the day for %s yet: %r", label(place), failed)
            return False
        return True

    async def _view(self, place: Address, chosen: Settings, day: date) -> View | None:
        """What is posted; None where there is no puzzle for such a place."""
        games = chosen.games or tuple(self._games)
        posed = await self._library.of_day(place, day, games)
        if posed is None or posed.game not in self._games:
            return None
        words = words_for(pick(chosen.language, self._language))
        game = self._games[posed.game]
        options = game.choose(dict(posed.puzzle.options))
        position = game.notation.parse_position(posed.puzzle.position, options)
        before = await self._yesterday(place, day, words)
        card = Card(game, options, posed, words)
        return replace(card.invitation(position, *before), theme=theme_of(chosen))

    async def _yesterday(self, place: Address, day: date, words: Words) -> tuple[str, ...]:
        """How the puzzle of the day before goes, if that can be found out now, and how many have solved it; if it was posted."""
        before = day - timedelta(days=1)
        if self._thinker is None or not await self._schedule.is_done(place, before):
            return ()
        posed = await self._library.known_of_day(place, before)
        if posed is None or posed.game not in self._games:
            return ()
        solution = await self._solution(place, posed, words)
        solvers = await self._solvers.count(place, posed.id)
        return (*solution, words.count("bot.puzzle.solvers-yesterday", solvers)) if solvers else solution

    async def _solution(self, place: Address, posed: Posed, words: Words) -> tuple[str, ...]:
        """How a puzzle goes, if the engines have the time."""
        game = self._games[posed.game]
        job = Job(posed.game, posed.puzzle.options, posed.puzzle.position, seconds=SECONDS)
        if (reply := await self._asked(job, place)) is None:
            return ()
        options = game.choose(dict(job.options))
        start, best = game.notation.parse_position(job.position, options), reply.lines[0]
        plies = await to_the_end(game, options, start, best, lambda job: self._asked(job, place))
        most = None if best.plies is not None and best.value > 0 else ENOUGH
        return (words("bot.puzzle.yesterday", moves=variation_text(game, start, plies, most)),)

    async def _asked(self, job: Job, place: Address) -> Reply | None:
        """What the engines say, if they have the time."""
        if self._thinker is None:
            return None
        try:
            return await self._thinker.advice(job, "puzzles", place)
        except (Busy, NoAnswer):
            return None


def nonce(place: Address, day: date) -> str:
    """The name under which a day's puzzle goes out at a place, the same at each try; at most 25 characters."""
    digest = hashlib.blake2b(label(place).encode(), digest_size=5).hexdigest()
    return f"daily:{day:%y%m%d}:{digest}"
