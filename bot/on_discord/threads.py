"""A thread for each match, in channels that are set so. While the match is under way it is kept open.

Discord archives a thread after a week without activity. Keys in an archived thread never reach the bot on the web and on phones,
and its messages cannot be edited. Activity is a new message, taking the thread out of the archive, or changing how long it may
be silent: the last needs no permission of the bot that opened the thread, and no one is notified.
"""

from __future__ import annotations

import asyncio
import logging
import re
from datetime import timedelta
from functools import partial
from typing import Final

import aiohttp
import discord

from bot.on_discord.markup import cut, plain
from bot.on_discord.places import PLATFORM, place
from bot.on_discord.widgets import BaseClient
from bot.periodic import periodically
from bot.platform import Services
from bot.presenter.naming import Naming
from bot.sender.ports import Courier, CourierError
from bot.view import View
from play.errors import PlayError, Unavailable
from play.match import Match
from play.people import Address

KEPT_FOR: Final = timedelta(days=6)
"""After the last message, or after it was last kept open, a thread is kept open anew."""

LOOK: Final = 3600.0  # seconds between looks for such threads

NAME: Final = 100  # most characters of a thread's name

_WEEK: Final = 10080  # minutes after which an idle thread is archived; there is nothing longer
_DAYS: Final = 4320  # another such time
_OPEN: Final = f"{PLATFORM}:threads"  # the timeline of open threads, by when they are kept open next
_CODE: Final = re.compile(
    r".*#([a-z0-9]{6})(?:\s|$)", re.DOTALL
)  # the last: a player's name may hold another

_log: Final = logging.getLogger(__name__)


class Threads:
    """Finds the channel that a match is shown in, the place itself or the match's thread there, and keeps threads open."""

    def __init__(self, client: BaseClient, services: Services) -> None:
        self._client = client
        self._services = services
        self._store = services.store

    async def run(self, courier: Courier) -> None:
        """Keep threads open until cancelled."""
        await periodically(partial(self.keep_open, courier), LOOK, asyncio.sleep, "open threads on Discord")

    async def channel(self, to: Address, view: View) -> int:
        """Return the channel for a view at a place; open a thread if need be."""
        channel = int(to.place)
        if view.code is None or not (await self._store.settings.get(to)).threads:
            return channel
        note = _note(to, view.code)
        (known,) = await self._store.notes.read(note)
        if known is None and not view.controls:  # the match is not being played
            return channel
        thread = int(known) if known is not None else await self._open(to, view.code)
        if known is None:
            await self._store.notes.write(note, str(thread))
        if thread != channel:
            await self._keep(f"{to.place}:{view.code}:{thread}")
        return thread

    async def leave(self, to: Address, code: str) -> View:
        """Show a match in the channel itself from now on; return what is said of that."""
        await self._store.notes.write(_note(to, code), to.place)
        words = await self._services.words_at(to)
        return View(lines=(words("bot.discord.thread-lost", code=code),), language=words.language)

    async def keep_open(self, courier: Courier) -> None:
        """Keep the threads of matches under way open that were silent for days. Where that cannot be, say so in the channel.

        Raises:
            Unavailable: the store does not answer.
        """
        for text in await self._store.timelines.read(_OPEN, until=self._services.now()):
            channel, code, thread = text.split(":")
            to = place(int(channel))
            (shown_in,) = await self._store.notes.read(_note(to, code))
            try:
                if shown_in == thread and await self._under_way(code):
                    await self._count_anew(int(thread))
                    await self._keep(text)
                    continue
            except (discord.Forbidden, discord.NotFound):
                await self._say_lost(courier, to, code)
            except (discord.HTTPException, aiohttp.ClientError, OSError) as failed:
                _log.warning("the thread of match %s could not be kept open: %s", code, failed)
                continue
            await self._store.timelines.remove(_OPEN, text)

    async def _keep(self, text: str) -> None:
        """Note that a thread was active just now."""
        await self._store.timelines.add(_OPEN, text, self._services.now() + KEPT_FOR)

    async def _under_way(self, code: str) -> bool:
        match = await self._match(code)
        return match is not None and match.live

    async def _match(self, code: str) -> Match | None:
        """Return a match; None where it is not there any more, or damaged."""
        try:
            return (await self._store.matches.load(code)).match
        except Unavailable:
            raise
        except PlayError:
            return None

    async def _count_anew(self, thread: int) -> None:
        """Have Discord count a thread's week from now on, in which an equal value would change nothing."""
        edit = self._client.http.edit_channel
        await edit(thread, archived=False, auto_archive_duration=_DAYS)
        await edit(thread, auto_archive_duration=_WEEK)

    async def _say_lost(self, courier: Courier, to: Address, code: str) -> None:
        said = await self.leave(to, code)
        try:
            await courier.post(to, said, ping=(), nonce=f"thread:{code}")
        except CourierError as failed:  # who uses the bot there is told what it lacks
            _log.warning("the lost thread of match %s could not be told: %r", code, failed)

    async def _open(self, to: Address, code: str) -> int:
        """Open a thread named by the players and the game; return the channel if that is not allowed."""
        channel, match = int(to.place), await self._match(code)
        if match is None:
            return channel
        words = await self._services.words_at(to)
        game = f" · {words(f'{match.game}.name')} · #{code}"
        players = Naming(self._services.table.games[match.game], match, words).opponents
        name = cut(plain(players), NAME - len(game)) + game
        try:
            made = await self._client.http.start_thread_without_message(
                channel, name=name, auto_archive_duration=_WEEK, type=discord.ChannelType.public_thread.value
            )
        except (discord.Forbidden, discord.NotFound):
            return channel
        return int(made["id"])


def _note(to: Address, code: str) -> str:
    return f"{PLATFORM}:thread:{to.place}:{code}"


def match_of(channel: object, bot: discord.ClientUser | None) -> tuple[int, str] | None:
    """Return the channel and the match of a thread that the bot opened; None for any other channel."""
    if not isinstance(channel, discord.Thread) or bot is None or channel.owner_id != bot.id:
        return None
    found = _CODE.match(channel.name)
    return (channel.parent_id, found[1]) if found else None
