"""Decide the games of leagues that were open when their season's date came: by an engine's proof, else as draws.

A league with such games is noted in a timeline, so that a bot that starts again goes on with it; of several bots one has
the lease. Where no bot decides them within a day, the league itself counts them as draws.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from datetime import timedelta
from typing import Final

from bot.periodic import periodically
from bot.thinking import Busy, NoAnswer, Thinker
from bot.thinking.jobs import JobClass, job_for
from play.errors import PlayError, Unavailable
from play.events.errors import NoSuchEvent
from play.events.event import Form
from play.events.events import Events
from play.events.facts import AnyFact, Changed
from play.events.league import undecided
from play.events.league_actions import Adjudicate
from play.events.state import Game
from play.match import Phase
from play.replay import Course
from play.request import CLOCKWORK, Request
from play.table import Table
from rules.core import RulesError
from storage.ports import FullStore

SECONDS: Final = 20.0
"""How long an engine searches for a proof of one game."""

LOOK: Final = 20.0
"""Seconds between looks at what is to be decided."""

_LEASE: Final = timedelta(seconds=90)
_NOTED: Final = "adjudication"

_log: Final = logging.getLogger(__name__)


class Adjudicator:
    """Notes leagues with games to be decided, and decides them."""

    def __init__(
        self,
        table: Table,
        store: FullStore,
        thinker: Thinker | None,
        *,
        seconds: float = SECONDS,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._events = Events(table, store)
        self._store = store
        self._thinker = thinker
        self._seconds = seconds
        self._sleep = sleep

    async def __call__(self, fact: AnyFact) -> Iterable[AnyFact]:
        """Note a league whose season's date has come with games open; return no further facts.

        Raises:
            Unavailable: the store does not answer; the fact comes again.
        """
        if isinstance(fact, Changed) and fact.event.setup.form is Form.LEAGUE and undecided(fact.event):
            await self._store.timelines.add(_NOTED, fact.event.id, await self._store.now())
        return ()

    async def run(self) -> None:
        """Decide what is noted, now and periodically, until cancelled."""
        await periodically(self.sweep, LOOK, self._sleep, "deciding the games of leagues")

    async def sweep(self) -> None:
        """Decide what is noted.

        Raises:
            Unavailable: the store does not answer.
        """
        for event_id in await self._store.timelines.read(_NOTED):
            try:
                if await self._decided(event_id):
                    await self._store.timelines.remove(_NOTED, event_id)
            except Busy:
                return  # the next look goes on
            except Unavailable:
                raise
            except Exception:  # noqa: BLE001 - one broken league must not stop the others
                _log.exception("the open games of %s cannot be decided", event_id)

    async def _decided(self, event_id: str) -> bool:
        """Decide the open games of a league; return whether none is left."""
        try:
            games = undecided(await self._events.get(event_id))
        except NoSuchEvent:
            return True
        for game in games:
            if await self._store.notes.hold(f"adjudication:{event_id}:{game.number}", keep=_LEASE) is None:
                return False  # another process is at it
            places = await self._places(event_id, game)
            request = Request(CLOCKWORK, await self._store.now())
            if places is not None:
                await self._events.act(event_id, Adjudicate(game.number, places), request)
        return True

    async def _places(self, event_id: str, game: Game) -> tuple[int, ...] | None:
        """Return the places of a game's players, all 0 where nothing is proved; None: its match is over and will say."""
        drawn = (0,) * len(game.entrants)
        try:
            match = await self._events.table.get(game.match or "")
            course = self._events.table.course(match)
        except Unavailable:
            raise
        except (PlayError, RulesError):
            return drawn  # it cannot be replayed: nothing is proved
        if match.phase is not Phase.PLAYING:
            return None
        winner = await self._winner(event_id, course)
        return drawn if winner is None else tuple(int(seat != winner) for seat in range(len(drawn)))

    async def _winner(self, event_id: str, course: Course) -> int | None:
        """Return the seat that an engine proves to win a match; None: nothing, or a draw, is proved."""
        if self._thinker is None:
            return None
        job = job_for(course.game, course.options, course.position, seconds=self._seconds)
        try:
            reply = await self._thinker.search(job, event_id, JobClass.SYSTEM)
        except NoAnswer:
            return None
        best = reply.lines[0]
        if best.plies is None or not best.value:
            return None
        mover = int(course.position.to_move)
        return mover if best.value > 0 else 1 - mover
