"""Figures that are looked up when they are asked for."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Final

from bot import metrics
from bot.admin.upkeep import damaged
from bot.health.checks import Checks, untold_for
from bot.thinking import Thinker
from play.errors import Unavailable
from rules import GAMES
from storage import RedisStore
from storage.maintenance.backup import last_backup
from storage.redis.figures import Figures, RedisFigures

_ELSEWHERE: Final = "elsewhere"  # the class of searches for workers on other machines
_STATES: Final = ("open", "playing", "paused")  # of matches that are not over


class Sampler:
    """Sets the gauges."""

    def __init__(self, store: RedisStore, checks: Checks, thinker: Thinker | None) -> None:
        self._store = store
        self._checks = checks
        self._thinker = thinker

    async def sample(self) -> None:
        """Set all gauges; where the store does not answer, its own keep what they were."""
        for platform, connection, seconds in self._checks.silences():
            metrics.GATEWAY.set(seconds, platform, connection)
        for kind, jobs in self._thinker.queued().items() if self._thinker else ():
            metrics.JOBS_WAITING.set(jobs.queued, kind)
            metrics.JOBS_TAKEN.set(jobs.taken, kind)
            metrics.JOBS_OLDEST.set(jobs.oldest, kind)
        if (figures := await self._checks.look()) is None:
            return
        _set(figures)
        with suppress(Unavailable):
            made = await last_backup(self._store)
            metrics.BACKUP_AGE.set((figures.at - made).total_seconds() if made else math.nan)
            metrics.FINDINGS.set(await damaged(self._store))
            live = await RedisFigures(self._store.connection).live()
            for game in GAMES:
                for state in _STATES:
                    metrics.MATCHES.set(live.get((game, state), 0), game, state)


def _set(figures: Figures) -> None:
    metrics.UNTOLD.set(figures.untold)
    metrics.UNTOLD_OLDEST.set(untold_for(figures))
    metrics.JOBS_WAITING.set(figures.jobs.queued, _ELSEWHERE)
    metrics.JOBS_TAKEN.set(figures.jobs.acquired, _ELSEWHERE)
    metrics.JOBS_OLDEST.set(figures.jobs.oldest, _ELSEWHERE)
