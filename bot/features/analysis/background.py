"""Analysis in the background: finished matches that a feature wants analysed while people wait for no engine.

They stand in a timeline, so that a bot that starts again goes on with them; of several bots one has the lease of each. What engines
have no time for within an hour is dropped.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Final, TypeAlias

from bot.chat.periodic import Barrier
from bot.chat.services import Services
from bot.chat.thinking import Busy, NoAnswer, Thinker
from bot.chat.thinking.jobs import JobClass
from bot.features.analysis.commands import judged_turns
from bot.features.analysis.judging import Judged
from play.errors import Unavailable
from play.match import Match
from storage.ports import FullStore

Use: TypeAlias = Callable[[Match, str, tuple[Judged, ...]], Awaitable[bool]]
"""Makes something of the judged turns of a match and what was noted beside it; returns whether no further try is needed."""

LOOK: Final = 10.0
"""Seconds between looks at a timeline."""

GIVEN_UP: Final = timedelta(hours=1)
"""How long a match that has been noted is still analysed in the background."""

_MOST: Final = 200  # matches of a timeline that wait
_AT_WORK: Final = timedelta(minutes=3)
_log: Final = logging.getLogger(__name__)


async def note(store: FullStore, timeline: str, match: Match, beside: str, at: datetime) -> None:
    """Note in a timeline that a match is to be analysed, and something `beside` it; once, however often it is noted."""
    await store.timelines.add(timeline, f"{match.id} {beside}", at, most=_MOST)


async def analyse(services: Services, timeline: str, use: Use) -> None:
    """Have what waits in a timeline analysed and used, one after the other; the rest stays for the next look."""
    timelines, since = services.store.timelines, services.now() - GIVEN_UP
    if (thinker := services.thinker) is None:
        return
    for text in (waiting := await timelines.read(timeline, since=since)):
        done = True
        with Barrier(Unavailable) as barrier:  # what is wrong with one match must not stop the others
            done = await _used(services, thinker, f"{timeline}:{text}:at-work", text, use)
        if barrier.error is not None:
            _log.error("nothing of %s came of %s", timeline, text, exc_info=barrier.error)
        if done:
            await timelines.remove(timeline, text)
    if waiting:
        await timelines.cut(timeline, until=since)


async def _used(services: Services, thinker: Thinker, lease: str, text: str, use: Use) -> bool:
    """Return whether no further try is needed."""
    code, _, beside = text.partition(" ")
    store = services.store
    people_wait = any(each.queued for each in thinker.queued().values())
    if people_wait or await store.notes.hold(lease, keep=_AT_WORK) is None:
        return False
    match = await services.table.get(code)
    search = partial(thinker.search, person=code, job_class=JobClass.ANALYSIS)
    judge = partial(judged_turns, thinker, store, match, services.table.course(match), search)
    done = False
    try:
        done = await use(match, beside, await thinker.shared((match.id, match.revision), judge))
    except (Busy, NoAnswer):
        _log.info("no analysis of %s yet", code)
    if not done:
        await store.notes.write(lease, None)
    return done
