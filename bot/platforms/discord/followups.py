"""Where the bot writes: followups where it is no member, threads of matches; and what Discord's errors mean to the sender.

Where the bot is no member, it can only answer interactions, each for a quarter of an hour: the sender's messages become followups
of the last one, which is stored, as another process may send. After that time the next press brings a new answer.

Discord archives a thread after a week without activity; then its keys do not reach the bot on the web and on phones. To change
how long it may be silent is activity that needs no permission and notifies no one.

The library itself waits after a rate limit, and tries again after a server error. While a message is delivered, `ErrorTracing`
raises both at once, so that the sender decides, and other processes learn of it.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any, Final, TypeVar

import aiohttp
import discord

from bot.chat.fair_queue import Recent
from bot.chat.metrics import LIMITED, PLATFORM_REQUESTS
from bot.chat.periodic import Sleep, periodically
from bot.chat.presenting.naming import Naming
from bot.chat.sending.ports import Blocked, Courier, CourierError, Gone, NoMessage, RetryAfter, Transient
from bot.chat.services import Services
from bot.chat.view import View
from bot.platforms.discord.rendering import PLATFORM, BaseClient, cut, place, plain
from play.errors import PlayError, Unavailable
from play.match import Match
from play.people import Address, clean
from play.ports import NoteStore

LASTS: Final = timedelta(minutes=14)
"""For how long an interaction takes followups; Discord's limit is a minute more."""
MOST: Final = 5  # most followups of an interaction where the bot is no member

_KEPT: Final = 4096
_SETTLING: Final = 10.0  # seconds that a followup waits for the response; a process that ended gives none
_LOOK: Final = 0.1  # seconds between looks whether there is a response
_KNOWN_WITHIN: Final = timedelta(seconds=4)  # the age at which Discord knows the response to an interaction
_AGAIN: Final = 0.3  # seconds until a call is tried again that came before that response
_TRIES: Final = 15  # of such a call at most, also where this clock is behind Discord's

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class OpenInteraction:
    """An interaction that takes followups."""

    interaction: str
    token: str = field(repr=False)  # allows whoever has it to follow
    # The message with the pressed button, which is edited as the response; empty for a command.
    pressed: str = ""

    def pack(self) -> str:
        """Return it as text."""
        return " ".join((self.interaction, self.token, self.pressed))

    @classmethod
    def unpack(cls, text: str | None) -> OpenInteraction | None:
        """Return what was packed; None for nothing."""
        return cls(*text.split(" ")) if text else None


class Followups:
    """The open interactions, by place, and those that messages followed."""

    def __init__(self, notes: NoteStore, sleep: Sleep = asyncio.sleep) -> None:
        self._notes = notes
        self._sleep = sleep
        self._member = Recent[str, None](_KEPT)  # places where no interaction is needed

    def guest(self, interaction: discord.Interaction[Any]) -> bool:
        """Whether the bot is no member where an interaction came from."""
        if interaction.guild_id is not None:
            return not interaction.is_guild_integration()
        return bool(interaction.context.private_channel)

    async def open(self, place: str, interaction: discord.Interaction[Any]) -> OpenInteraction:
        """Take followups for an interaction from now on, if the store answers."""
        message = interaction.message
        pressed = str(message.id) if message is not None and not message.flags.ephemeral else ""
        opened = OpenInteraction(str(interaction.id), interaction.token, pressed)
        self._member.pop(place, None)
        with suppress(Unavailable):
            await self._notes.write(_note("open", place), opened.pack(), keep=LASTS)
        if pressed:
            await self.followed(pressed, opened)
        return opened

    async def settle(self, opened: OpenInteraction) -> None:
        """Let followups be sent: the response is there."""
        with suppress(Unavailable):
            await self._notes.write(_note("settled", opened.interaction), "1", keep=LASTS)

    async def of(self, place: str) -> OpenInteraction | None:
        """Return the last interaction at a place that still takes a followup, once it has its response, and count one."""
        if place in self._member:
            return None
        (held,) = await self._notes.read(_note("open", place))
        opened = OpenInteraction.unpack(held)
        if opened is None:
            return None
        with suppress(TimeoutError):
            async with asyncio.timeout(_SETTLING):
                while (await self._notes.read(_note("settled", opened.interaction)))[0] is None:
                    await self._sleep(_LOOK)
        for number in range(MOST):
            if await self._notes.write_once(_note("sent", f"{opened.interaction}:{number}"), "", keep=LASTS):
                return opened
        return None

    def wrote_as_member(self, place: str, *, is_member: bool) -> None:
        """Note whether a message could be written at a place without an interaction."""
        if is_member:
            self._member[place] = None
        else:
            self._member.pop(place, None)

    async def followed(self, message: str, opened: OpenInteraction) -> None:
        """Remember the interaction that a message followed, if the store answers: only by it the message can be edited."""
        with suppress(Unavailable):  # the message is out, and must not be sent again
            await self._notes.write(_note("followed", message), opened.pack(), keep=LASTS)

    async def acknowledged(self, interaction: int, call: Callable[[], Awaitable[V]]) -> V:
        """Return what a call by an interaction's token returns, tried again while Discord may not know the token yet.

        An interaction is stored before it is acknowledged, so the process that handles it may be faster.
        """
        for _ in range(_TRIES - 1):
            try:
                return await call()
            except discord.NotFound:
                age = discord.utils.utcnow() - discord.utils.snowflake_time(interaction)
                if age > _KNOWN_WITHIN:
                    raise
            await self._sleep(_AGAIN)
        return await call()

    async def wrote(self, message: str) -> OpenInteraction | None:
        """Return the interaction that a message followed, while the message can be edited by it."""
        return OpenInteraction.unpack((await self._notes.read(_note("followed", message)))[0])


def _note(what: str, of: str) -> str:
    return f"{PLATFORM}:followup:{what}:{of}"


KEPT_FOR: Final = timedelta(days=6)
"""After the last message, or after it was last kept open, a thread is kept open anew."""

LOOK: Final = 3600.0  # seconds between looks for such threads

NAME: Final = 100  # most characters of a thread's name

_WEEK: Final = 10080  # minutes after which an idle thread is archived; there is nothing longer
_DAYS: Final = 4320  # another such time
_OPEN: Final = f"{PLATFORM}:threads"  # the timeline of open threads, by when they are kept open next
_CODE: Final = re.compile(r".*#([a-z0-9]{6})(?:\s|$)", re.DOTALL)  # the last: a name may hold another

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
        note = _thread_note(to, view.code)
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
        await self._store.notes.write(_thread_note(to, code), to.place)
        words = await self._services.words_at(to)
        return View(lines=(words("bot.discord.thread-lost", code=code),), language=words.language)

    async def keep_open(self, courier: Courier) -> None:
        """Keep the threads of matches under way open that were silent for days. Where that cannot be, say so in the channel."""
        for text in await self._store.timelines.read(_OPEN, until=self._services.now()):
            channel, code, thread = text.split(":")
            to = place(int(channel))
            (shown_in,) = await self._store.notes.read(_thread_note(to, code))
            try:
                match = await self._match(code) if shown_in == thread else None
                if match is not None and match.live:
                    await self._count_anew(int(thread))
                    await self._keep(text)
                    continue
            except (discord.Forbidden, discord.NotFound):
                try:
                    await courier.post(to, await self.leave(to, code), ping=(), nonce=f"thread:{code}")
                except CourierError as failed:  # who uses the bot there is told what it lacks
                    _log.warning("the lost thread of match %s could not be told: %r", code, failed)
            except (discord.HTTPException, aiohttp.ClientError, OSError) as failed:
                _log.warning("the thread of match %s could not be kept open: %s", code, failed)
                continue
            await self._store.timelines.remove(_OPEN, text)

    async def _keep(self, text: str) -> None:
        await self._store.timelines.add(_OPEN, text, self._services.now() + KEPT_FOR)

    async def _match(self, code: str) -> Match | None:
        try:
            return (await self._store.matches.load(code)).match
        except Unavailable:
            raise
        except PlayError:
            return None

    async def _count_anew(self, thread: int) -> None:
        """Have Discord count a thread's week from now on; an equal value would change nothing."""
        edit = self._client.http.edit_channel
        await edit(thread, archived=False, auto_archive_duration=_DAYS)
        await edit(thread, auto_archive_duration=_WEEK)

    async def _open(self, to: Address, code: str) -> int:
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


def _thread_note(to: Address, code: str) -> str:
    return f"{PLATFORM}:thread:{to.place}:{code}"


def _thread_here(interaction: discord.Interaction[Any]) -> tuple[int, str] | None:
    """The channel and the match of a thread that the bot opened; None for any other channel."""
    channel, bot = interaction.channel, interaction.client.user
    if not isinstance(channel, discord.Thread) or bot is None or channel.owner_id != bot.id:
        return None
    found = _CODE.match(channel.name)
    return (channel.parent_id, found[1]) if found else None


def here(interaction: discord.Interaction[Any]) -> int:
    """Return the channel of an interaction; of one in a match's thread, the thread's channel."""
    thread = _thread_here(interaction)
    return thread[0] if thread else interaction.channel_id or 0


def match_here(interaction: discord.Interaction[Any]) -> str | None:
    """Return the match whose thread an interaction came from."""
    thread = _thread_here(interaction)
    return thread[1] if thread else None


def place_name(interaction: discord.Interaction[Any]) -> str | None:
    """Return what people call the place of an interaction; None for a conversation of two."""
    channel = interaction.channel
    if channel is None or isinstance(channel, discord.DMChannel):
        return None
    if isinstance(channel, discord.GroupChannel):
        return clean(channel.name or ", ".join(each.display_name for each in channel.recipients)) or None
    above = channel.parent if isinstance(channel, discord.Thread) and match_here(interaction) else None
    return channel_name(above or channel)


def channel_name(channel: discord.abc.GuildChannel | discord.Thread) -> str:
    """Return a channel's name with that of its server, if that is known."""
    return clean(" · ".join(filter(None, (f"#{channel.name}", channel.guild.name))))


MISSING_PERMISSIONS: Final = 50013  # the code for a missing permission; Discord does not say which

UNKNOWN_MEMBER: Final = 10007  # of a server
UNKNOWN_USER: Final = 10013
_TOO_FAST: Final = 429
_STUMBLED: Final = 500
_SCOPES: Final = ("user", "global", "shared")
_VERSION: Final = re.compile(r"^/api(/v\d+)?")
_WITH_TOKEN: Final = ("webhooks", "interactions")  # an id and a token come after these words
_LONG: Final = 60.0  # seconds to wait where Discord does not say


class ThreadArchived(Transient):
    """The thread has to be taken out of the archive first."""


_BY_CODE: Final[Mapping[int, type[CourierError]]] = {
    10008: NoMessage,  # unknown
    30046: NoMessage,  # too many edits of a message older than an hour
    50005: NoMessage,  # another author's
    50007: Blocked,  # a person who takes no messages
    50033: Blocked,  # no such person
    50278: Blocked,  # no server in common with that person
    50083: ThreadArchived,
    160005: Gone,  # a locked thread
    160006: Gone,  # as many open threads as a server may have
}
_BY_STATUS: Final[Mapping[int, type[CourierError]]] = {401: Transient, 403: Gone, 404: Gone}

_delivering: ContextVar[bool] = ContextVar("carrying", default=False)


@contextmanager
def delivering() -> Iterator[None]:
    """Raise errors as `CourierError` while a message is delivered; see `meaning`."""
    token = _delivering.set(True)
    try:
        yield
    except discord.RateLimited as late:
        raise RetryAfter(late.retry_after) from None
    except discord.HTTPException as refused:
        raise meaning(refused) from refused
    except (TimeoutError, aiohttp.ClientError, OSError) as broken:
        raise Transient from broken
    finally:
        _delivering.reset(token)


def meaning(refused: discord.HTTPException) -> CourierError | discord.HTTPException:
    """Return what an error means to the sender; the error itself if the request was wrong."""
    if refused.status == _TOO_FAST and refused.code not in _BY_CODE:
        return RetryAfter(_LONG, everywhere=True)
    by_status = Transient if refused.status >= _STUMBLED else _BY_STATUS.get(refused.status)
    kind = _BY_CODE.get(refused.code, by_status)
    return kind() if kind else refused


class ErrorTracing(aiohttp.TraceConfig):
    """Raises errors before the library handles them, and counts requests."""

    def __init__(self) -> None:
        super().__init__()
        self.on_request_end.append(_answered)
        self.on_request_exception.append(_broken)


async def _broken(
    _session: aiohttp.ClientSession, _context: SimpleNamespace, failed: aiohttp.TraceRequestExceptionParams
) -> None:
    PLATFORM_REQUESTS.add(PLATFORM, route(failed.method, failed.url.path), "0")


async def _answered(
    _session: aiohttp.ClientSession, _context: SimpleNamespace, ended: aiohttp.TraceRequestEndParams
) -> None:
    status, headers = ended.response.status, ended.response.headers
    PLATFORM_REQUESTS.add(PLATFORM, route(ended.method, ended.url.path), str(status))
    if status == _TOO_FAST:
        scope = headers.get("X-RateLimit-Scope", "global")
        LIMITED.add(PLATFORM, scope if scope in _SCOPES else "other", by=_seconds(headers.get("Retry-After")))
    if not _delivering.get():
        return
    if status == _TOO_FAST:
        # An answer without this header comes from the proxy before Discord: the limit is for all requests.
        proxied = "Via" not in headers
        everywhere = (
            proxied or headers.get("X-RateLimit-Scope") == "global" or "X-RateLimit-Global" in headers
        )
        raise RetryAfter(_seconds(headers.get("Retry-After")), everywhere=everywhere)
    if status >= _STUMBLED:
        raise Transient


def route(method: str, path: str) -> str:
    """Return a request without its ids and tokens: `POST /channels/{id}/messages`."""
    words = _VERSION.sub("", path).split("/")
    for number, word in enumerate(words):
        if word.isdigit():
            words[number] = "{id}"
        elif words[max(0, number - 2)] in _WITH_TOKEN and words[number - 1] == "{id}":
            words[number] = "{token}"
    return f"{method} {'/'.join(words)}"


def _seconds(text: str | None) -> float:
    try:
        return max(0.0, float(text or ""))
    except ValueError:
        return _LONG
