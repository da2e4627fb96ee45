"""Quotas: how much one person may ask of the bot, and how much one place holds. `docs/quotas.md` lists them for players.

A rate is declared where a command or a button is registered (`cost=`), or in `bot.chat.context` for an action in a match. Its
tokens lie in buckets that all processes share. A count is compared with what is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Final

from rules.core import Reason
from storage.ports import Bucket, Limit


class OverQuota(Reason):
    """Why a request is one too many; the comment names the fields that come with it."""

    COMMANDS = "bot.quota.commands"  # limit, wait
    PICTURES = "bot.quota.pictures"  # limit, wait
    ANIMATIONS = "bot.quota.animations"  # limit, wait
    SEARCHES = "bot.quota.searches"  # limit, wait
    IMPORTS = "bot.quota.imports"  # limit, wait
    DRAW_OFFERS = "bot.quota.draw-offers"  # limit, wait
    WATCHES = "bot.quota.watches"  # limit, wait
    CUPS = "bot.quota.cups"  # limit, wait
    MATCHES = "bot.quota.matches"  # limit
    INVITATIONS = "bot.quota.invitations"  # limit
    PLACE = "bot.quota.place"  # limit
    SEEKS = "bot.quota.seeks"  # limit
    TELLS = "bot.quota.tells"  # limit, wait
    REPORTS = "bot.quota.reports"  # limit, wait


@dataclass(frozen=True, slots=True)
class Quota:
    """So many requests in a time, for each person.

    Attributes:
        limit: How many; all of them may come at once.
        reason: What a person is told beyond that; None where there is no place to say it.
    """

    name: str
    limit: int
    window: timedelta
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Count:
    """So many at the same time, for each person or place."""

    limit: int
    reason: OverQuota


_MINUTE: Final = timedelta(minutes=1)

COMMANDS: Final = Quota("commands", 60, _MINUTE, OverQuota.COMMANDS)
"""Commands and presses; see `bot.chat.receiving.lanes`."""

FREE: Final = None
"""The cost of what is never dropped: moves and their steps, resignations, answers to what others ask."""

COMPLETIONS: Final = Quota("completions", 120, _MINUTE, None)
"""Inline queries and completions: one comes with almost every key that is typed."""

PICTURES: Final = Quota("pictures", 30, _MINUTE, OverQuota.PICTURES)
ANIMATIONS: Final = Quota("animations", 6, _MINUTE, OverQuota.ANIMATIONS)
SEARCHES: Final = Quota("searches", 20, _MINUTE, OverQuota.SEARCHES)
IMPORTS: Final = Quota("imports", 20, timedelta(hours=1), OverQuota.IMPORTS)
DRAW_OFFERS: Final = Quota("draw-offers", 3, timedelta(minutes=10), OverQuota.DRAW_OFFERS)
"""In one match."""

WATCHES: Final = Quota("watches", 3, timedelta(days=1), OverQuota.WATCHES)
"""Places where one match is shown besides: fewer than it can have, so that one person cannot take all of them."""

CUPS: Final = Quota("cups", 5, timedelta(days=1), OverQuota.CUPS)
"""Cups, ladders and leagues that are opened."""

TELLS: Final = Quota("tells", 20, timedelta(minutes=10), OverQuota.TELLS)
"""Messages to other seats of one match."""

REPORTS: Final = Quota("reports", 3, timedelta(hours=1), OverQuota.REPORTS)

MATCHES: Final = Count(100, OverQuota.MATCHES)
"""Matches that a person plays."""

INVITATIONS: Final = Count(20, OverQuota.INVITATIONS)
"""Open invitations of a person."""

PLACE: Final = Count(500, OverQuota.PLACE)
"""Matches and invitations at a place, unless its admins allow fewer."""

SEEKS: Final = Count(5, OverQuota.SEEKS)
"""Open seeks of a person, and standing challenges."""


async def take(bucket: Bucket, rate: Quota, whose: str, at: datetime, once: str = "") -> timedelta:
    """Take one of a rate; return zero, or the whole seconds until there is one again.

    `whose` names the person, and what else has a bucket of its own; `once` is the platform's id of a request that it may deliver again:
    what comes twice takes one.
    """
    seconds = rate.window.total_seconds()
    limit = Limit(f"quota:{rate.name}:{whose}", rate.limit / seconds, rate.limit)
    if once:
        request = Limit(f"quota:{rate.name}:once:{once}", 1 / seconds, 1)
        if await bucket.take_all((limit, request), at) or await bucket.take(request, at):
            return timedelta()
    return timedelta(seconds=ceil(await bucket.take(limit, at)))
