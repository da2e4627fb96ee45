"""What follows from facts about events and their matches, and what events say of a person in /profile.

The games of leagues that are open when their season's date comes are decided by an engine's proof, else as draws. A league with such
games is noted in a timeline, so that a bot that starts again goes on with it; of several bots one has the lease. Where no bot decides
them within a day, the league itself counts them as draws.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from typing import Final

from bot.chat.registry import PROFILED, Registry
from bot.chat.services import Services
from bot.chat.thinking import Busy, NoAnswer, Thinker
from bot.chat.thinking.jobs import JobClass, job_for
from bot.features.events.forms import FORMS
from play.errors import PlayError, Unavailable
from play.events.entries import EventGame
from play.events.event import AnyFact, Changed, NoSuchEvent, StaleEvent
from play.events.events import Events
from play.events.forms.league import AdjudicateGame, undecided
from play.events.matches import report, serve
from play.match import Phase
from play.request import CLOCKWORK, Request
from play.table import Table
from rules.core import RulesError
from storage.ports import FullStore

registry: Final = Registry()
registry.hooks.append(lambda services: partial(follow, services.table, services.store))
registry.hooks.append(lambda services: Adjudicator(services.table, services.store, services.thinker))

for _form in FORMS.values():
    PROFILED(_form.profile)


async def follow(table: Table, store: FullStore, fact: AnyFact) -> Iterable[AnyFact]:
    """Open the matches that an event wants, and report one that is over."""
    if not isinstance(fact, Changed) and (fact.match.event is None or fact.match.live):
        return ()
    events, request = Events(table, store), Request(CLOCKWORK, await store.now())
    try:
        if isinstance(fact, Changed):
            await serve(events, fact, request)
            if follows := FORMS[fact.event.setup.form].follows:
                await follows(store, fact)
        else:
            await report(events, fact.match, request)
    except StaleEvent as busy:
        raise Unavailable from busy
    return ()


_SECONDS: Final = 20.0  # how long an engine searches for a proof of one game
_LOOK: Final = 20.0  # seconds between looks at what is to be decided
_LEASE: Final = timedelta(seconds=90)
_NOTED: Final = "adjudication"
_log: Final = logging.getLogger(__name__)


class Adjudicator:
    """Notes leagues with games to be decided, and decides them."""

    def __init__(self, table: Table, store: FullStore, thinker: Thinker | None) -> None:
        self._events = Events(table, store)
        self._store = store
        self._thinker = thinker

    async def __call__(self, fact: AnyFact) -> Iterable[AnyFact]:
        """Note a league whose season's date has come with games open; return no further facts."""
        if isinstance(fact, Changed) and fact.event.setup.form == "league" and undecided(fact.event):
            await self._store.timelines.add(_NOTED, fact.event.id, await self._store.now())
        return ()

    async def sweep(self) -> None:
        """Decide what is noted."""
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
                await self._events.act(event_id, AdjudicateGame(game.number, places), request)
        return True

    async def _places(self, event_id: str, game: EventGame) -> tuple[int, ...] | None:
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
        if self._thinker is None:
            return drawn
        job = job_for(course.game, course.options, course.position, seconds=_SECONDS)
        try:
            best = (await self._thinker.search(job, event_id, JobClass.SYSTEM)).lines[0]
        except NoAnswer:
            return drawn
        if best.plies is None or not best.value:
            return drawn
        mover = int(course.position.to_move)
        winner = mover if best.value > 0 else 1 - mover
        return tuple(int(seat != winner) for seat in range(len(drawn)))


@registry.periodically("open games of leagues", _LOOK)
async def _decide(services: Services, *_: object) -> None:
    await Adjudicator(services.table, services.store, services.thinker).sweep()
