"""Which pages show which match, and the loop that sends them its changes, by revision."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from bot.chat.page_links import shown_on_page
from bot.platforms.page import composing
from bot.platforms.page.open_page import OpenPage
from play.errors import NoSuchMatch, PlayError, Unavailable
from play.match import Match
from rules.core import RulesError
from storage.ports import FullStore

POLL: Final = 0.25
"""Seconds after which commits of other processes are looked for; those of this process wake the loop at once."""

_log: Final = logging.getLogger(__name__)


class Hub:
    """The open pages by match."""

    def __init__(self, store: FullStore, poll: float = POLL) -> None:
        self._store = store
        self._poll = poll
        self._pages: dict[str, set[OpenPage]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._pages.values()))

    def join(self, page: OpenPage) -> None:
        """Send a page the changes of its match from now on."""
        if page.code:
            self._pages.setdefault(page.code, set()).add(page)
            self._count(page.code)

    def leave(self, page: OpenPage) -> None:
        """Send it nothing any more."""
        pages = self._pages.get(page.code, set())
        pages.discard(page)
        if not pages:
            self._pages.pop(page.code, None)
        else:
            self._count(page.code)

    def _count(self, code: str) -> None:
        watching = sum(not page.seated for page in self._pages[code])
        for page in self._pages[code]:
            page.watched_by(watching)

    async def run(self) -> None:
        """Send changes until cancelled."""
        waiter = self._store.commits()
        while True:
            await waiter.wait_for(self._poll)
            waiter.clear()
            try:
                await self.look()
            except Unavailable:
                await asyncio.sleep(self._poll)

    async def look(self) -> None:
        """Send each match that has changed to its pages."""
        codes = tuple(self._pages)
        revisions = dict(zip(codes, await self._store.matches.revisions(codes), strict=True))
        changed = [code for code, revision in revisions.items() if self._behind(code, revision)]
        for match in await asyncio.gather(*map(self._load, changed)):
            if match is not None and await shown_on_page(self._store.settings, match):
                await self._show(match, self._behind(match.id, match.revision))
            elif match is not None:
                for page in self._pages.pop(match.id, ()):
                    page.end("off")

    def _behind(self, code: str, revision: int) -> Sequence[OpenPage]:
        return [page for page in self._pages.get(code, ()) if page.shown < revision]

    async def _load(self, code: str) -> Match | None:
        try:
            return (await self._store.matches.load(code)).match
        except NoSuchMatch:
            return None

    async def _show(self, match: Match, pages: Sequence[OpenPage]) -> None:
        composed: dict[object, composing.Composed] = {}
        for page in pages:
            key = page.key()
            try:
                if key is None:
                    await page.show(match)
                    continue
                if key not in composed:
                    composed[key] = composing.view(page.present(match), (), page.share(match.id))
                await page.show(match, composed[key])
            except (PlayError, RulesError):
                page.shown = match.revision
                _log.exception("match %s cannot be shown", match.id)
            await asyncio.sleep(0)  # a press of someone else comes between
