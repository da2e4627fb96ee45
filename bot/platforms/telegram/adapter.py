"""Connect to Telegram, and receive updates by polling or a webhook.

`getUpdates` with an offset confirms all updates before it, so the offset moves on only once they are in the inbox; the webhook
acknowledges an update then too. One that cannot be read is acknowledged as well, since it would come again. An update is kept
in the inbox as it came, without the parts that are not read.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode, urlsplit

from aiohttp import web
from telegram import Bot
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError

from bot.chat import metrics
from bot.chat.callback_data import BadCallbackData, CallbackData
from bot.chat.i18n import words as words_for
from bot.chat.metrics import ACKNOWLEDGE
from bot.chat.page_links import page_secret
from bot.chat.periodic import Sleep, delay
from bot.chat.presenting.facts import LETTER
from bot.chat.quotas import COMMANDS, COMPLETIONS, Quota
from bot.chat.receiving import Entrance, Gate, Receiver
from bot.chat.receiving.lanes import lane
from bot.chat.sending.queue import Turns
from bot.features.commands import REGISTRY
from bot.platforms.listening import PostLimits, PostListener
from bot.platforms.platform import CannotConnect, PlatformServices
from bot.platforms.telegram import publishing
from bot.platforms.telegram.courier import TelegramCourier
from bot.platforms.telegram.integration import TelegramSettings, webhook_secret
from bot.platforms.telegram.known_users import KnownUsers
from bot.platforms.telegram.places import PLATFORM
from bot.platforms.telegram.presses import PressReplies
from bot.platforms.telegram.rendering import PageKeys, Renderer
from bot.platforms.telegram.replies import Replies, ShortReplies
from bot.platforms.telegram.request import AiohttpRequest, silence
from bot.platforms.telegram.sending import Messenger, RateLimiter
from bot.platforms.telegram.updates import UpdateHandler
from play.errors import TakesNoWrites, Unavailable
from storage.ports import Update

_log: Final = logging.getLogger(__name__)

Raw: TypeAlias = dict[str, Any]

KINDS: Final = (
    "message", "edited_message", "callback_query", "inline_query", "chosen_inline_result", "my_chat_member",
    "chat_member",
)  # fmt: skip
"""The kinds of updates that are asked for."""

_NUMBERS: Final = 2**63

_READ_OF_PRESSED: Final = (
    "message_id", "date", "chat", "from", "message_thread_id", "is_topic_message", "photo", "text", "entities",
    "reply_to_message",
)  # fmt: skip


def stored(raw: Raw) -> Update:
    """Return an update for the inbox.

    Raises:
        LookupError, TypeError, ValueError: it has no number, or it is not known whose it is, as its chat or its person is no
            object, or has no plain id.
    """
    if not isinstance(number := raw["update_id"], int) or not 0 <= number < _NUMBERS:
        raise ValueError("a number that is none")
    if len(raw) > 2 and not _held(raw):
        raise ValueError("of no kind that was asked for")
    body = json.dumps(lean(raw), ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass")
    chat, person = chat_of(raw), person_of(raw)
    if not (chat + person).isascii():
        raise ValueError("an id that is none")
    return Update(str(number), lane(chat, person, _part(raw, "callback_query").get("data")), person, body)


def lean(raw: Raw) -> Raw:
    """Return an update without the parts that are not read: with every press comes the whole message.

    The library makes an object of each key: for a press under 64 keys that takes five times as long.
    """
    query = raw.get("callback_query")
    if isinstance(query, dict) and isinstance(message := query.get("message"), dict):
        kept = {key: message[key] for key in _READ_OF_PRESSED if key in message}
        if isinstance(photo := kept.get("photo"), list):
            kept["photo"] = photo[:1]  # in one size, to know that it is one
        return {**raw, "callback_query": {**query, "message": _without_keys(kept)}}
    for kind in ("message", "edited_message"):
        if isinstance(message := raw.get(kind), dict):
            return {**raw, kind: _without_keys(message)}
    return raw


def _without_keys(message: Raw) -> Raw:
    letter = str(message.get("text")).startswith(LETTER)  # its key says to whom a reply to it goes
    found = {key: held for key, held in message.items() if key != "reply_markup" or letter}
    if isinstance(reply := found.get("reply_to_message"), dict):
        found["reply_to_message"] = _without_keys(reply)
    return found


def chat_of(raw: Mapping[str, Any]) -> str:
    """Return what an update is ordered by: its chat, its inline message or its person."""
    held = _held(raw)
    if named := held.get("inline_message_id"):
        return f"inline:{named}"
    chat = _part(held, "chat") or _part(_part(held, "message"), "chat") or _part(held, "from")
    return str(chat.get("id", ""))


def person_of(raw: Mapping[str, Any]) -> str:
    """Return who caused an update: a user, or the chat in whose name a message was written; empty if that is not said."""
    held = _held(raw)
    who = _part(held, "sender_chat") or _part(held, "from")
    return str(who.get("id", ""))


def _part(held: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = held.get(name) or {}
    if not isinstance(part, dict):
        raise TypeError(f"{name} is no object")
    return part


def _held(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    return next((held for kind in KINDS if isinstance(held := raw.get(kind), dict)), {})


def cost_of(update: Update) -> Quota | None:
    """Return the quota that an update counts for. What is said in a group counts for none."""
    raw = json.loads(update.body)
    if "inline_query" in raw:
        return COMPLETIONS
    if "chosen_inline_result" in raw:
        return COMMANDS
    if query := raw.get("callback_query"):
        try:
            return REGISTRY.counts_for(CallbackData.unpack(query.get("data") or ""))
        except BadCallbackData:
            return COMMANDS  # an inline card, a key that does nothing, an old one
    message = raw.get("message") or raw.get("edited_message")
    return _of_message(message) if message else None


def _of_message(message: dict[str, Any]) -> Quota | None:
    private = message["chat"]["type"] == "private"
    said = message.get("text") or message.get("caption") or ""
    if said.startswith("/") or (private and said):
        return REGISTRY.counts_for(said)
    return COMMANDS if private and "document" in message else None


PATIENCE: Final = 50  # seconds that Telegram waits for an update before it answers that there is none

_GRACE: Final = 10  # seconds that the answer may take beyond that
_BATCH: Final = 100

Accept: TypeAlias = Callable[[Sequence[Update]], Awaitable[None]]
"""Accepts updates into the inbox; raises `Unavailable` if the store does not answer."""


GetUpdates: TypeAlias = Callable[[int | None, int], Awaitable[list[Raw]]]
"""Returns the updates from an offset on, waiting at most so many seconds for one; earlier ones are confirmed."""


class Polling:
    """Asks for updates and accepts them."""

    def __init__(self, ask: GetUpdates, accept: Accept, *, sleep: Sleep = asyncio.sleep) -> None:
        self._ask = ask
        self._accept = accept
        self._sleep = sleep
        self._offset: int | None = None  # the first update that is not in the inbox
        self._answered: float | None = None  # by the loop's clock: when Telegram last answered

    def silence(self) -> float:
        """Return the seconds since Telegram last answered; infinite before the first time."""
        return math.inf if self._answered is None else asyncio.get_running_loop().time() - self._answered

    async def run(self) -> None:
        """Poll until cancelled, or until Telegram rejects the token. It has answered another request just before."""
        tries, self._answered = 0, asyncio.get_running_loop().time()
        try:
            while True:
                try:
                    found = await self._ask(self._offset, PATIENCE)
                    self._answered = asyncio.get_running_loop().time()
                    if found:
                        await self._accept([update for raw in found if (update := _readable(raw))])
                        self._offset = found[-1]["update_id"] + 1
                    tries = 0
                except InvalidToken:
                    raise
                except (TelegramError, Unavailable) as error:
                    tries += 1
                    await self._sleep(_pause(error, tries))
        finally:
            await self._leave()

    async def _leave(self) -> None:
        """Confirm what was accepted, so that the next process does not get it."""
        if self._offset is not None:
            with suppress(TelegramError, TimeoutError, asyncio.CancelledError):
                async with asyncio.timeout(3):
                    await self._ask(self._offset, 0)


def _readable(raw: Raw | bytes) -> Update | None:
    """Return an update for the inbox; None for one that cannot be read, which would come again."""
    try:
        return stored(json.loads(raw) if isinstance(raw, bytes) else raw)
    except (LookupError, TypeError, ValueError, RecursionError, AttributeError) as error:
        metrics.UNREADABLE.add(PLATFORM)
        _log.warning("an update cannot be read: %s", error)
        return None


def _pause(error: TelegramError | Unavailable, tries: int) -> float:
    if isinstance(error, RetryAfter):
        return silence(error)
    if isinstance(error, Conflict):
        _log.warning("another program asks for this bot's updates, or it has a webhook: %s", error)
    else:
        _log.log(logging.INFO if tries < 3 else logging.WARNING, "no updates: %s", error)
    return delay(tries)


CONNECTIONS: Final = 40  # updates that Telegram brings at the same time

_SECRET: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the header's name


class Webhook(PostListener):
    """Listens for updates; a request without the secret is rejected."""

    def __init__(self, accept: Accept, secret: str, path: str, limits: PostLimits | None = None) -> None:
        super().__init__(path, limits)
        self._accept = accept
        self._secret = secret.encode()
        self._turn = asyncio.Lock()  # one after the other: Telegram brings several at the same time

    async def receive(self, request: web.Request) -> web.Response:
        given = request.headers.get(_SECRET, "").encode(errors="replace")
        if not hmac.compare_digest(given, self._secret):
            return web.Response(status=HTTPStatus.UNAUTHORIZED)
        try:
            body = await self.body(request)
        except web.HTTPRequestEntityTooLarge:
            body = b""
        try:
            if (update := _readable(body)) is not None:
                async with self._turn:
                    await self._accept([update])
        except Unavailable:  # Telegram brings it again
            return web.Response(status=HTTPStatus.SERVICE_UNAVAILABLE)
        return web.Response()


_POOL: Final = 64  # connections; a busy minute of many chats
_ANSWER: Final = 20.0  # seconds until what is asked of Telegram is taken for lost


class TelegramAdapter:
    """Telegram as a platform; connects when it runs."""

    name = PLATFORM

    def __init__(self, services: PlatformServices) -> None:
        self._config = config = services.config.of(TelegramSettings)
        token = config.telegram_token
        if token is None:
            raise ValueError("there is no token for Telegram")
        self._waiting = AiohttpRequest(2)
        base = config.telegram_api.rstrip("/")
        self._bot = Bot(
            token.get_secret_value(),
            base_url=f"{base}/bot",
            base_file_url=f"{base}/file/bot",
            request=AiohttpRequest(_POOL, _ANSWER),
            get_updates_request=self._waiting,
        )
        self._ready = asyncio.Event()
        self._listening = asyncio.Event()  # the webhook
        self._receiving: asyncio.Task[None] | None = None
        known_users = KnownUsers(services.store.notes)
        self._turns = Turns(services.store.bucket())
        self._services = services
        self._page = PageKeys(config.page_url, config.telegram_app) if config.page_url else None
        self._messenger = messenger = Messenger(
            self._bot, Renderer(services.pictures, self._page), RateLimiter(self._turns), services.store
        )
        self._short_replies = ShortReplies(services.store.timelines, messenger, services.now)
        presses = PressReplies(services, Replies(services, messenger, self._short_replies))
        handler = UpdateHandler(services, presses, known_users)
        entrance = Entrance(Gate(PLATFORM, services.store.bucket(), services.now), cost_of, handler.refuse)
        self._receiver = Receiver(
            services.store.inbox(PLATFORM),
            handler.handle,
            entrance,
            passing=(TelegramError,),
            waits=handler.waits,
        )
        self._polling = Polling(self._get_updates, self._accept)
        self.courier = TelegramCourier(services, messenger, known_users, self._ready)

    def silence(self) -> Mapping[str, float]:
        if not self._config.takes_telegram:
            return {"login": 0.0 if self._ready.is_set() else math.inf}
        if self._config.telegram_webhook_url:
            return {"webhook": 0.0 if self._listening.is_set() else math.inf}
        return {"poll": self._polling.silence()}

    async def run(self) -> None:
        try:
            await _retried(self._bot.initialize, "Telegram does not answer")
            self._ready.set()
            async with asyncio.TaskGroup() as tasks:
                offering = _retried(self._offer_page, "the page was not offered")
                tasks.create_task(offering, name="menu button of Telegram")
                if not self._config.takes_telegram:
                    await asyncio.Event().wait()
                offering = _retried(lambda: publishing.offer(self._bot), "commands were not set")
                tasks.create_task(offering, name="commands of Telegram")
                tasks.create_task(self._receiver.run(), name="requests on Telegram")
                self._receiving = tasks.create_task(self._receive(), name="updates of Telegram")
                tasks.create_task(self._short_replies.run(), name="short replies on Telegram")
        except (InvalidToken, BaseExceptionGroup) as failed:
            if isinstance(failed, BaseExceptionGroup) and not failed.subgroup(InvalidToken):
                raise
            raise CannotConnect("Telegram", "TELEGRAM_TOKEN") from None  # the library's words quote the token
        finally:
            self._ready.clear()  # the courier waits for the next run
            self._listening.clear()
            self._messenger.close()
            await self._bot.shutdown()

    async def finish(self) -> None:
        if self._receiving is not None:
            self._receiving.cancel()
            await asyncio.gather(self._receiving, return_exceptions=True)
            await self._receiver.finish()

    async def _offer_page(self) -> None:
        services = self._services
        if self._page is not None:
            self._page.secret = await page_secret(services.store.notes)
        if not self._config.takes_telegram:
            return
        words = words_for(services.language)
        await publishing.offer_page(self._bot, services.store.notes, self._config.page_url, words)

    async def _receive(self) -> None:
        url = self._config.telegram_webhook_url
        if url is None:
            # An earlier webhook would still get the updates; those that wait for it are kept.
            await _retried(self._bot.delete_webhook, "updates cannot be asked for yet")
            await self._polling.run()
            return
        secret = webhook_secret(self._bot.token)
        webhook = Webhook(self._accept, secret, urlsplit(url).path)
        register = partial(
            self._bot.set_webhook,
            url,
            allowed_updates=KINDS,
            secret_token=secret,
            max_connections=CONNECTIONS,
        )
        registering = _retried(register, "Telegram was not told where to bring updates")
        async with asyncio.TaskGroup() as tasks:
            serving = webhook.serve(self._config.telegram_webhook_address, self._listening.set)
            tasks.create_task(serving, name="webhook of Telegram")
            tasks.create_task(registering, name="webhook's address")

    async def _get_updates(self, offset: int | None, wait: int) -> list[Raw]:
        # Its connections are used for nothing else, since it waits for long.
        said = {"timeout": wait, "limit": _BATCH, "allowed_updates": json.dumps(KINDS)}
        if offset is not None:
            said["offset"] = offset
        url = f"{self._bot.base_url}/getUpdates?{urlencode(said)}"
        found: Any = await self._waiting.post(url, read_timeout=wait + _GRACE)
        return list(found)

    async def _accept(self, updates: Sequence[Update]) -> None:
        with ACKNOWLEDGE.timed(PLATFORM):
            try:
                await self._receiver.accept(updates)
            except TakesNoWrites:
                await self._receiver.handle_unstored(updates)


async def _retried(request: Callable[[], Awaitable[object]], problem: str) -> None:
    tries = 0
    while True:
        try:
            await request()
        except InvalidToken:
            raise
        except (TelegramError, Unavailable) as error:
            tries += 1
            _log.warning("%s: %s", problem, error)
            await asyncio.sleep(delay(tries))
        else:
            return
