"""Sends open pages what changes: matches by revision, and the lobbies of people."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain, repeat
from typing import Final

from bot.chat.page_links import shown_on_page
from bot.chat.registry import OFFERINGS, Offering
from bot.chat.services import Services
from bot.platforms.page.open_page import Composed, OpenPage, rating_changes
from play.errors import NoSuchMatch, PlayError, Unavailable
from play.match import Match
from play.people import Account
from rules.core import RulesError

_POLL: Final = 0.25
"""Seconds until commits of other processes are looked for; those of this one wake the loop."""

_LOBBIES: Final = 0.5
"""Seconds between looks at the marks of all people in lobbies, however often something is committed."""

_BESIDE: Final = 5.0
"""Seconds between looks at what is beside the matches there."""

_AT_ONCE: Final = 16  # lobbies that are refreshed at once

_log: Final = logging.getLogger(__name__)


class Hub:
    """The open pages by match, and the lobbies by person."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store, self._table = services.store, services.table
        self._pages: dict[str, set[OpenPage]] = {}
        self._some = asyncio.Event()  # there are pages
        self._crowds = set[
            str
        ]()  # matches whose pages have come or left, or whose readers have changed seats
        self._lobbies: dict[Account, set[OpenPage]] = {}
        # Of people whose lobbies are as they were then: of their matches, and of each of the `OFFERINGS`.
        self._marks: dict[Account, tuple[object, ...]] = {}

    def join(self, page: OpenPage) -> None:
        """Send a page the changes of its match, or of its lobby, from now on."""
        self._some.set()
        if page.code:
            pages = self._pages.setdefault(page.code, set())
            pages.add(page)
            page.watched_by(_watching(pages))
            self._crowds.add(page.code)
        else:
            self._lobbies.setdefault(page.reader.who[0], set()).add(page)
            self._marks.pop(page.reader.who[0], None)  # something may have changed while it was composed

    def leave(self, page: OpenPage) -> None:
        """Send it nothing any more."""
        if not page.code:
            lobbies = self._lobbies.get(page.reader.who[0], set())
            lobbies.discard(page)
            if not lobbies:
                self._lobbies.pop(page.reader.who[0], None)
                self._marks.pop(page.reader.who[0], None)
            return
        pages = self._pages.get(page.code, set())
        pages.discard(page)
        if not pages:
            self._pages.pop(page.code, None)
        self._crowds.add(page.code)

    def recount(self, code: str) -> None:
        """Have the pages of a match told anew how many watch: a reader of one has sat down, or is up."""
        self._crowds.add(code)

    def _count(self) -> None:
        for code in self._crowds:
            pages = self._pages.get(code, set())
            watching = _watching(pages)
            for page in pages:
                page.watched_by(watching)
        self._crowds.clear()

    async def run(self) -> None:
        """Send changes until cancelled. Boards do not wait for lobbies, of which there may be many."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._run_boards())
            tasks.create_task(self._run_lobbies())

    async def _run_boards(self) -> None:
        waiter = self._store.commits()
        while True:
            await self._wait_for_pages()
            await waiter.wait_for(_POLL)
            waiter.clear()
            try:
                await self.look()
                self._count()
            except Unavailable:
                await asyncio.sleep(_POLL)

    async def _run_lobbies(self) -> None:
        waiter, clock, due = self._store.commits(), asyncio.get_running_loop().time, 0.0
        while True:
            await self._wait_for_pages()
            await waiter.wait_for(_POLL)
            waiter.clear()
            whole = clock() >= due
            with suppress(Unavailable):
                await self.look_at_lobbies(whole=whole)
                due = clock() + _BESIDE if whole else due
            await asyncio.sleep(_LOBBIES)

    async def _wait_for_pages(self) -> None:
        if not (self._pages or self._lobbies or self._crowds):
            self._some.clear()
        await self._some.wait()

    async def look_at_lobbies(self, *, whole: bool = False) -> None:
        """Send the lobbies what has changed in their people's matches: one trip for all, and more only for those who have changes.

        With `whole` likewise beside the matches: one or two trips more for each feature that offers something there.
        """
        if not self._lobbies:
            return
        people = tuple(self._lobbies)
        matches = await self._store.matches.marks(people)
        beside = [await each.marks(self._services, people) for each in OFFERINGS] if whole else ()
        changed = dict[Account, tuple[object, ...]]()
        stale = dict[Account, Sequence[Offering]]()
        for number, each in enumerate(people):
            known = self._marks.get(each, ())
            marks = matches[number], *([column[number] for column in beside] or known[1:])
            if marks != known:
                pairs = zip(OFFERINGS, marks[1:], chain(known[1:], repeat(-1)), strict=False)
                changed[each], stale[each] = marks, [offering for offering, new, old in pairs if new != old]
        slots = asyncio.Semaphore(_AT_ONCE)

        async def refresh(page: OpenPage) -> None:
            async with slots:
                try:
                    await page.refresh(stale[page.reader.who[0]])
                except (PlayError, RulesError) as error:
                    if isinstance(error, Unavailable):
                        raise
                    _log.exception("a lobby cannot be shown")

        self._marks |= changed  # who joins from here on is refreshed again
        try:
            await asyncio.gather(*(refresh(page) for each in changed for page in self._lobbies.get(each, ())))
        except Unavailable:
            for each in changed:
                self._marks.pop(each, None)
            raise

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
        composed: dict[object, Composed] = {}
        changes = await rating_changes(self._table, match)
        self.recount(match.id)
        for page in pages:
            page.changes = changes
            key = page.key()
            try:
                if key is not None and key not in composed:
                    composed[key] = page.compose(match)
                page.show(match, composed.get(key))
            except (PlayError, RulesError):
                page.shown = match.revision
                _log.exception("match %s cannot be shown", match.id)
            await asyncio.sleep(0)  # a press of someone else comes between


def _watching(pages: Iterable[OpenPage]) -> int:
    return sum(not page.seated for page in pages)
