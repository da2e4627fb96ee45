"""Short ways to put matches into a store and to get them out again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from play.facts import Started
from play.match import Match
from play.people import Account, Address
from play.ports import Store
from play.settings import Settings


async def put(store: Store, match: Match, expected: int, **more: Any) -> Match:
    """Commit a match; the match as committed."""
    return (await store.matches.commit(Started(match), expected, **more)).match


async def got(store: Store, match_id: str) -> Match:
    """A match as it is stored."""
    return (await store.matches.load(match_id)).match


async def language(store: Store, whose: Account | Address) -> str | None:
    """A language that was chosen."""
    return (await store.settings.get(whose)).language


async def set_settings(store: Store, whose: Account | Address, settings: Settings) -> None:
    """Choose these settings and no others."""
    await store.settings.change(whose, lambda _: settings)


async def set_language(store: Store, whose: Account | Address, chosen: str) -> None:
    """Choose one."""
    await store.settings.change(whose, lambda now: replace(now, language=chosen))
