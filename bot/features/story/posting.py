"""Stories that are told by themselves at places that want it, once a match is over.

What is to be told by itself is noted in a timeline for each platform, so that a bot that starts again goes on with it, and is
dropped where engines have no time for an hour. It is posted once: a note says so, and of several bots one has the lease.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Final

from bot.chat.i18n import words_of
from bot.chat.periodic import Barrier
from bot.chat.presenting.naming import Presentation
from bot.chat.quotas import Quota, take
from bot.chat.registry import MATCH_OVER, Registry
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Courier
from bot.chat.sending.queue import Urgency
from bot.chat.sending.routing import label
from bot.chat.services import Services
from bot.chat.thinking import Busy, NoAnswer, Thinker
from bot.chat.thinking.jobs import JobClass
from bot.chat.view import View, theme_of
from bot.features.analysis.commands import judged_turns
from bot.features.story import drawing, openings
from bot.features.story.beats import Beat
from play.errors import Unavailable
from play.facts import Fact, Imported, Watching
from play.people import Address
from play.table import Table
from storage.ports import FullStore

registry: Final = Registry()

BY_ITSELF: Final = Quota("stories", 12, timedelta(hours=1), None)
"""Stories that a place gets by itself."""

GIVEN_UP: Final = timedelta(hours=1)
"""How long after the end of a match its story is still told by itself."""

_MOST: Final = 200  # stories of a platform that wait
_LOOK: Final = 10.0  # seconds between looks at them
_AT_WORK: Final = timedelta(minutes=3)
_log: Final = logging.getLogger(__name__)


@MATCH_OVER
async def note(_table: Table, store: FullStore, fact: Fact) -> None:
    """Note the story of a match that is over for its places that want it.

    Raises:
        Unavailable: the fact comes again.
    """
    if isinstance(fact, Imported | Watching):
        return
    match, places = fact.match, fact.match.addresses
    if not match.log:
        return
    for place, chosen in zip(places, await store.settings.get_many(*places), strict=True):
        if not chosen.story or (await store.notes.read(_told(match.id, place)))[0] is not None:
            continue
        at = await store.now()
        if not await take(store.bucket(), BY_ITSELF, str(place), at, once=match.id):
            await store.timelines.add(_waiting(place.platform), f"{match.id} {place.place}", at, most=_MOST)


@dataclass(frozen=True, slots=True)
class Teller:
    """Posts stories at the places of its platforms. Any number of them may share one store."""

    services: Services
    delivery: Delivery
    couriers: Mapping[str, Courier]

    async def tick(self) -> None:
        """Tell what waits, one after the other; what engines have no time for stays for the next look."""
        timelines = self.services.store.timelines
        for platform in self.couriers:
            for text in (waiting := await timelines.read(name := _waiting(platform))):
                code, _, where = text.partition(" ")
                place = Address(platform, where)
                done = True
                with Barrier(Unavailable) as barrier:  # what is wrong with one match must not stop the others
                    done = await self._served(code, place)
                if barrier.error is not None:
                    _log.error("no story of %s at %s", code, label(place), exc_info=barrier.error)
                if done:
                    await timelines.remove(name, text)
            if waiting:
                await timelines.cut(name, until=self.services.now() - GIVEN_UP)

    async def _served(self, code: str, place: Address) -> bool:
        """Return whether no further try is needed."""
        thinker, store, lease = self.services.thinker, self.services.store, f"{_told(code, place)}:at-work"
        chosen = await store.settings.get(place)
        if thinker is None or not chosen.story or await self._is_told(code, place):
            return True
        busy = any(each.queued for each in thinker.queued().values())
        if busy or await store.notes.hold(lease, keep=_AT_WORK) is None:
            return False
        words, match = words_of(chosen, self.services.language), await self.services.table.get(code)
        if match.changed_at < self.services.now() - GIVEN_UP:
            return True
        try:
            presentation = self.services.present(match, words)
            told = await _judged_beats(thinker, store, presentation, str(place))
        except (Busy, NoAnswer):
            done = False
        else:
            view = drawing.story(replace(presentation, theme=theme_of(chosen)), told)
            done = not told or await self._posted(code, place, view)
        if not done:
            await store.notes.write(lease, None)
        return done

    async def _posted(self, code: str, place: Address, view: View) -> bool:
        # Meanwhile the lease may have ended, and another bot may have told it.
        if await self._is_told(code, place) or await self.delivery.is_dead(place):
            return True
        courier = self.couriers[place.platform]

        async def post() -> None:
            await courier.post(place, view, ping=(), nonce=_nonce(code, place))
            await self.services.store.notes.write(_told(code, place), "")

        return await self.delivery.sent(courier, place, Urgency.FILM, post)

    async def _is_told(self, code: str, place: Address) -> bool:
        return (await self.services.store.notes.read(_told(code, place)))[0] is not None


async def _judged_beats(
    thinker: Thinker, store: FullStore, presentation: Presentation, owner: str
) -> Sequence[Beat]:
    match, course = presentation.match, presentation.course
    ask = partial(thinker.search, person=owner, job_class=JobClass.ANALYSIS)
    turns = await thinker.shared(
        (match.id, match.revision), lambda: judged_turns(thinker, store, match, course, ask)
    )
    return await openings.story(store, match, course, turns)


def _waiting(platform: str) -> str:
    return f"stories:{platform}"


def _told(code: str, place: Address) -> str:
    return f"story:{code}:{place}"


def _nonce(code: str, place: Address) -> str:
    return f"story:{hashlib.blake2b(f'{code} {label(place)}'.encode(), digest_size=8).hexdigest()}"


@registry.periodically("stories of matches", _LOOK)
async def _tell(services: Services, delivery: Delivery, couriers: Mapping[str, Courier]) -> None:
    await Teller(services, delivery, couriers).tick()
