"""Connect to Discord's gateway, or receive interactions and webhook events over HTTP, which Discord posts and signs.

An interaction that changes nothing (completions, a modal, an Activity or the list of moves that opens) is answered at once by the process that
received it. Any other is in the inbox before it is acknowledged, so any process may be killed at any moment.

"Preparing for Interactions", https://docs.discord.com/developers/interactions/overview; "Preparing for Events",
https://docs.discord.com/developers/events/webhook-events.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import aiohttp
import discord
from aiohttp import web
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from bot.chat import metrics
from bot.chat.i18n import words_of
from bot.chat.metrics import ACKNOWLEDGE
from bot.chat.periodic import delay
from bot.chat.presenting.cards import greeting
from bot.chat.receiving import Receiver, Rest
from bot.chat.receiving.lanes import lane
from bot.chat.sending.ports import CourierError
from bot.platforms.discord.channels import open_channels
from bot.platforms.discord.client import DiscordClient, Raw, set_up
from bot.platforms.discord.courier import DiscordCourier
from bot.platforms.discord.followups import Followups, Threads
from bot.platforms.discord.integration import DiscordSettings
from bot.platforms.discord.rendering import PLATFORM, REPORT, place
from bot.platforms.discord.responses import AT_ONCE, Question, Responder, acknowledge, acknowledgement
from bot.platforms.discord.slash_commands import SlashCommands
from bot.platforms.listening import PostLimits, PostListener
from bot.platforms.platform import CannotConnect, PlatformServices
from play.errors import Unavailable
from storage.ports import Update

FRESH: Final = timedelta(minutes=5)
"""How old, or how far ahead of our clock, a request may be: Discord gives an interaction up after three seconds."""

SIGNATURE: Final = "X-Signature-Ed25519"
TIMESTAMP: Final = "X-Signature-Timestamp"

ADDED: Final = "APPLICATION_AUTHORIZED"
"""The one webhook event that the bot uses: it was added to a server, or to an account."""

LIMITS: Final = PostLimits(largest=1 << 18, small=1 << 16, body_within=3.0)
"""Bounds of what strangers can have the bot read.

A press or command has 2 to 20 kB. The most that this bot's can have is some 200 kB: 6000 characters in the embeds of the pressed
message and 100 in each entry of its five menus, at the 6 bytes of an escaped letter, beside a modal's 4000 emoji at 12, or ten
members with 250 roles each. After three seconds Discord waits no longer.
"""

_SIGNATURE_BYTES: Final = 64
_PING: Final = 1  # an interaction's type
_EVENTS_PING: Final = 0  # a webhook's type

Response: TypeAlias = Mapping[str, Any]  # an interaction's response: its type and data

Take: TypeAlias = Callable[[Raw], Awaitable[Response | None]]
"""Takes an interaction or a webhook event; returns the response, or None if there is none, or it was sent by another request.

Raises `Unavailable` if the store does not answer.
"""


class Endpoint(PostListener):
    """Listens for interactions and webhook events; what Discord has not signed is rejected before it is read."""

    def __init__(
        self,
        take: Take,
        key: str,
        path: str,
        now: Callable[[], datetime],
        limits: PostLimits = LIMITS,
    ) -> None:
        super().__init__(path, limits)
        self._take = take
        self._key = VerifyKey(bytes.fromhex(key))
        self._now = now

    async def receive(self, request: web.Request) -> web.Response:
        signature = self._claimed(request.headers)
        if signature is None:  # a stranger's body is not read
            return web.Response(status=HTTPStatus.UNAUTHORIZED)
        body = await self.body(request)
        try:
            self._key.verify(request.headers[TIMESTAMP].encode() + body, signature)
        except BadSignatureError:
            return web.Response(status=HTTPStatus.UNAUTHORIZED)
        raw = _read(body)
        if raw is None:
            metrics.UNREADABLE.add(PLATFORM)
            return web.Response(status=HTTPStatus.BAD_REQUEST)
        try:
            return await self._respond(raw)
        except Unavailable:  # Discord brings an event again
            return web.Response(status=HTTPStatus.SERVICE_UNAVAILABLE)

    async def _respond(self, raw: Raw) -> web.Response:
        is_event = "event" in raw
        if raw["type"] == _PING and not is_event:
            return web.json_response({"type": _PING})
        response = None if raw["type"] == _EVENTS_PING else await self._take(raw)
        if response is not None:
            return web.json_response(response)
        # Without a body; its type is given all the same.
        status = HTTPStatus.NO_CONTENT if is_event or raw["type"] == _EVENTS_PING else HTTPStatus.ACCEPTED
        return web.Response(status=status, content_type="application/json")

    def _claimed(self, headers: Mapping[str, str]) -> bytes | None:
        try:
            at = datetime.fromtimestamp(int(headers.get(TIMESTAMP, "")), UTC)
            signature = bytes.fromhex(headers.get(SIGNATURE, ""))
        except (ValueError, OverflowError, OSError):
            return None
        return signature if len(signature) == _SIGNATURE_BYTES and abs(self._now() - at) <= FRESH else None


def _read(body: bytes) -> Raw | None:
    try:
        raw = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return raw if isinstance(raw, dict) and isinstance(raw.get("type"), int) else None


_log: Final = logging.getLogger(__name__)


ACCEPTED_WITHIN: Final = 2.0
"""Seconds in which an interaction is stored; then it is handled at once, while Discord still takes an answer."""

ACKNOWLEDGED_WITHIN: Final = 3.0  # seconds after which Discord shows an interaction as failed

MOST_OPEN: Final = 64  # interactions of one person that wait for their turn; more are refused

TAKING: Final = "interaction of Discord"  # the name of a task that takes one, or handles it at once


class Intake:
    """Takes interactions and webhook events, has them handled, and greets new servers.

    Attributes:
        receiver: Handles what is in the inbox.
    """

    def __init__(
        self,
        services: PlatformServices,
        client: DiscordClient,
        responder: Responder,
        courier: DiscordCourier,
    ) -> None:
        self._services = services
        self._client = client
        self._responder = responder
        self._courier = courier
        self.receiver = Receiver(
            services.store.inbox(PLATFORM), self._handle, passing=(discord.HTTPException,)
        )
        self._taking: set[asyncio.Task[None]] = set()  # tasks that take or handle interactions
        self._storing: Counter[str] = Counter()  # by person
        self._acknowledging: dict[str, asyncio.Future[bool]] = {}  # by update: whether Discord took it

    async def take(self, raw: Raw) -> Response | None:
        try:
            added = _added(raw["event"]) if "event" in raw else None
            interaction = None if "event" in raw else self._client.interaction(raw)
            update = None if interaction is None else _stored(interaction, raw)
        except (AttributeError, LookupError, TypeError, ValueError):  # nor could it be read if it came again
            _log.exception("an event of Discord cannot be read and is skipped; update Klop")
            return None
        if interaction is not None and update is not None and await self._asks(interaction):
            try:
                with ACKNOWLEDGE.timed(PLATFORM):
                    await self._accept(update)
            except Unavailable:
                self._begin(self._handle_now(interaction))
            return acknowledgement(interaction)
        if added is not None:
            await self.receiver.accept([added])
        return None

    def bring(self, raw: Raw) -> None:
        """Take an interaction that the gateway brings."""
        self._begin(self._take(self._client.interaction(raw), raw))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name=TAKING)
        self._taking.add(task)
        task.add_done_callback(self._taking.discard)

    async def _take(self, interaction: discord.Interaction[DiscordClient], raw: Raw) -> None:
        if not await self._asks(interaction):
            return
        update, acknowledged = _stored(interaction, raw), False
        acknowledging = asyncio.get_running_loop().create_future()
        answered = self._responder.leave_open(interaction, self._client.question(interaction))
        if answered is None:
            self._acknowledging[update.id] = acknowledging
        until = asyncio.get_running_loop().time() + AT_ONCE
        try:
            try:
                with ACKNOWLEDGE.timed(PLATFORM):
                    await self._accept(update)
                    if answered is not None:
                        left = until - asyncio.get_running_loop().time()
                        await asyncio.wait([answered], timeout=max(0, left))
                    if answered is None or self._responder.claim(interaction):
                        await acknowledge(interaction)
                acknowledged = True
            except Unavailable:
                self._acknowledging[update.id] = acknowledging  # if it is stored all the same, it is not done
                acknowledging.set_result(False)
                self._responder.claim(interaction)
                await acknowledge(interaction)
                await self._handle_now(interaction)
        except discord.NotFound as late:
            _log.warning("an interaction was acknowledged too late: %s", late)
        except (discord.HTTPException, aiohttp.ClientError, OSError) as failed:  # or only the reply is lost
            _log.warning("an interaction could not be acknowledged: %s", failed)
            acknowledged = True
        finally:
            if not acknowledging.done():
                acknowledging.set_result(acknowledged)
            self._acknowledging.pop(update.id, None)
            self._responder.claim(interaction)

    async def _handle_now(self, interaction: discord.Interaction[DiscordClient]) -> None:
        """Decide what the store does not take: what only reads is answered, all else is refused in words."""
        question = self._client.question(interaction)
        if question and (rest := await self._responder.decide(interaction, question, last=True)):
            await rest

    async def finish(self) -> None:
        """Return once all that was taken is stored, and what was begun is answered; the rest waits in the inbox."""
        await asyncio.gather(*self._taking, return_exceptions=True)
        await self.receiver.finish()

    async def _asks(self, interaction: discord.Interaction[DiscordClient]) -> bool:
        try:
            if await self._client.answered_at_once(interaction):
                return False
        except (discord.HTTPException, OSError) as failed:
            _log.warning("an interaction could not be answered: %s", failed)
            return False
        who = str(interaction.user.id)
        waiting = self._storing[who] + self.receiver.waiting(who)
        question = self._client.question(interaction)
        if question is None:
            return False  # Discord shows it as failed
        if waiting >= MOST_OPEN:
            _log.info("too many interactions of %s wait", who)
        elif not self._responder.dropped(interaction.user.id, question.cost, waiting):
            return not await self._shown(interaction, question)
        await self._responder.refuse(interaction)
        return False

    async def _shown(self, interaction: discord.Interaction[Any], question: Question) -> bool:
        try:
            return await self._responder.picks_at_once(interaction, question)
        except (discord.HTTPException, aiohttp.ClientError, OSError) as failed:  # or only the reply is lost
            _log.warning("what a move is picked from could not be shown: %s", failed)
            return True

    async def _accept(self, update: Update) -> None:
        self._storing[update.person] += 1
        try:
            async with asyncio.timeout(ACCEPTED_WITHIN):
                await self.receiver.accept([update])
        except TimeoutError:
            raise Unavailable from None
        finally:
            self._storing -= Counter([update.person])  # which keeps no count of nothing

    async def _handle(self, update: Update, last: bool) -> Rest:
        """Discord shows what was not acknowledged in time as failed, and people do it again: so it is not done."""
        raw = json.loads(update.body)
        if "token" not in raw:
            await self.greet(int(raw["id"]), int(raw["system_channel_id"] or 0))
            return None
        if (acknowledging := self._acknowledging.get(update.id)) is not None:
            await asyncio.wait([acknowledging], timeout=ACKNOWLEDGED_WITHIN)
            if acknowledging.done() and not acknowledging.result():
                return None
        interaction = self._client.interaction(raw)
        question = self._client.question(interaction)
        return await self._responder.decide(interaction, question, last=last) if question else None

    async def greet(self, guild_id: int, system_channel: int) -> None:
        """Greet a server once, in its channel for such messages or the first one where the bot may write."""
        try:
            guild = await self._client.fetch_guild(guild_id, with_counts=False)
            there = await open_channels(self._client, guild)
            channel = min(there, key=lambda each: (each.id != system_channel, each.position), default=None)
            note = f"{PLATFORM}:greeted:{guild_id}"
            if channel is None or not await self._services.store.notes.write_once(note, ""):
                return
            words = words_of(guild.preferred_locale.value, self._services.language)
            await self._courier.post(place(channel.id), greeting(words), ping=(), nonce=f"hello{guild_id}")
        except (discord.HTTPException, OSError, Unavailable, CourierError) as failed:
            _log.warning("a server could not be greeted: %r", failed)


def _added(event: Mapping[str, Any]) -> Update | None:
    guild = (event.get("data") or {}).get("guild")
    if event["type"] != ADDED or guild is None:
        return None
    body = json.dumps({name: guild.get(name) for name in ("id", "system_channel_id")}).encode()
    return Update(f"added:{guild['id']}:{event['timestamp']}", str(guild["id"]), "", body)


def _stored(interaction: discord.Interaction[Any], raw: Raw) -> Update:
    """Leave out what is not read: with every press comes the whole message."""
    message = raw.get("message")
    if message is not None:
        # What a player wrote is kept nowhere else: a report needs it.
        reports = str(raw["data"].get("custom_id")).startswith(REPORT)
        said = message.get("content", "") if reports else ""
        raw = {**raw, "message": {**message, "content": said, "embeds": [], "components": []}}
    person, body = str(interaction.user.id), json.dumps(raw).encode()
    ordered = lane(str(interaction.channel_id), person, (raw.get("data") or {}).get("custom_id"))
    return Update(str(interaction.id), ordered, person, body)


_FATAL: Final = frozenset({4004, 4010, 4011, 4012, 4013, 4014})
"""Close codes of the gateway that a new connection does not change: bad token, bad shards, bad intents."""

_LISTENING: Final = "listening to Discord"


class DiscordAdapter:
    """Discord as a platform; connects when it runs."""

    name = PLATFORM

    def __init__(self, services: PlatformServices) -> None:
        self._services = services
        self._config = config = services.config.of(DiscordSettings)
        set_up(config.discord_api)
        self.client = DiscordClient(services)
        over_http = config.discord_endpoint_url is not None
        if over_http:
            logging.getLogger(discord.client.__name__).addFilter(_unexpected)
        followups = Followups(services.store.notes)
        self._threads = Threads(self.client, services)
        self.courier = DiscordCourier(
            self.client,
            services.pictures,
            followups,
            self._threads,
            takes=config.takes_discord,
        )
        self._responder = responder = Responder(services, self.courier, followups)
        self._intake = Intake(services, self.client, responder, self.courier)
        commands = SlashCommands(services, responder, self.courier)
        self.client.serve(responder, commands, self._intake.greet, self._intake.bring)
        self._over_http = over_http
        self._listening = asyncio.Event()  # the endpoint
        self._endpoint: asyncio.Task[None] | None = None

    def silence(self) -> Mapping[str, float]:
        """See `Platform.silence`: of each shard."""
        if not self._config.takes_discord:
            return {"login": 0.0 if self.client.logged_in else math.inf}
        if self._over_http:
            return {"endpoint": 0.0 if self._listening.is_set() else math.inf}
        return self.client.silence()

    async def run(self) -> None:
        token = self._config.discord_token
        if token is None:
            raise _rejected()
        tries = 0
        with closing(self._responder):
            while True:
                try:
                    async with self.client.opened():
                        await self.client.login(token.get_secret_value())
                        await self._serve()
                except (discord.LoginFailure, discord.PrivilegedIntentsRequired):
                    raise _rejected() from None
                except discord.ConnectionClosed as closed:
                    if closed.code in _FATAL:
                        raise _rejected() from None
                    _log.warning("the gateway hung up: %s", closed.code)
                except (TimeoutError, discord.DiscordException, aiohttp.ClientError, OSError) as failed:
                    _log.warning("Discord cannot be reached: %s", failed)
                tries += 1
                await asyncio.sleep(delay(tries))

    async def finish(self) -> None:
        if self._endpoint is not None:
            self._endpoint.cancel()
            await asyncio.gather(self._endpoint, return_exceptions=True)
        await asyncio.gather(*(shard.disconnect() for shard in self.client.shards.values()))
        await self._intake.finish()

    async def _serve(self) -> None:
        config = self._config
        parts = {"threads of Discord": self._threads.run(self.courier)} if config.does("sender") else {}
        if config.takes_discord:
            parts["requests on Discord"] = self._intake.receiver.run()
            parts[_LISTENING] = self._listen() if self._over_http else self.client.connect()
        tasks = {name: asyncio.create_task(part, name=name) for name, part in parts.items()}
        self._endpoint = tasks.get(_LISTENING) if self._over_http else None
        try:
            left = set(tasks.values())
            while left:
                done, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    if not task.cancelled():  # as `finish` does with the endpoint
                        return task.result()
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)

    async def _listen(self) -> None:
        application = self.client.application
        assert application is not None, "logged in"  # noqa: S101
        path = urlsplit(self._config.discord_endpoint_url or "").path
        endpoint = Endpoint(self._intake.take, application.verify_key, path, self._services.now)
        try:
            await endpoint.serve(self._config.discord_endpoint_address, self._listening.set)
        finally:
            self._listening.clear()


def _unexpected(record: logging.LogRecord) -> bool:
    """Leave out the library's warning that interactions come to an endpoint in place of the gateway."""
    return "interaction endpoint URL" not in str(record.msg)


def _rejected() -> CannotConnect:
    return CannotConnect("Discord", "DISCORD_TOKEN")
