"""Connect to Telegram, and receive updates by polling or a webhook."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from telegram import Bot
from telegram.error import InvalidToken, TelegramError

from bot.desk.page_links import page_secret
from bot.i18n import words as words_for
from bot.metrics import ACKNOWLEDGE
from bot.on_telegram import menu, page_menu
from bot.on_telegram.costs import cost_of
from bot.on_telegram.courier import TelegramCourier
from bot.on_telegram.key_menus import KeyMenus
from bot.on_telegram.known_users import KnownUsers
from bot.on_telegram.migrations import ChatMigrations
from bot.on_telegram.page_keys import PageKeys
from bot.on_telegram.places import PLATFORM
from bot.on_telegram.polling import Polling, get_updates
from bot.on_telegram.presses import PressReplies
from bot.on_telegram.rate_limit import RateLimiter
from bot.on_telegram.raw_updates import KINDS
from bot.on_telegram.redraws import Redraws
from bot.on_telegram.rendering import Renderer
from bot.on_telegram.replies import Replies
from bot.on_telegram.request import AiohttpRequest
from bot.on_telegram.sending import Messenger
from bot.on_telegram.short_replies import ShortReplies
from bot.on_telegram.updates import UpdateHandler
from bot.on_telegram.webhook import CONNECTIONS, Webhook
from bot.platform import CannotConnect, Services
from bot.receiver import Entrance, Gate, Receiver
from bot.sender.backoff import delay
from bot.sender.ports import Courier
from bot.sender.turns import Turns
from play.errors import TakesNoWrites, Unavailable
from storage.inbox import Update

_log: Final = logging.getLogger(__name__)

_POOL: Final = 64  # connections; a busy minute of many chats
_ANSWER: Final = 20.0  # seconds until what is asked of Telegram is taken for lost


class TelegramAdapter:
    """Telegram as a platform; connects when it runs."""

    name = PLATFORM

    def __init__(self, services: Services) -> None:
        self._config = config = services.config
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
        migrations, known_users = ChatMigrations(services.store.notes), KnownUsers(services.store.notes)
        self._turns = Turns(services.store.bucket())
        rate_limiter = RateLimiter(self._turns)
        self._services = services
        self._page = PageKeys(config.page_url, config.telegram_app) if config.page_url else None
        messenger = Messenger(
            self._bot, Renderer(services.pictures, self._page), rate_limiter, migrations, services.store
        )
        self._short_replies = ShortReplies(services.store.timelines, messenger, services.now)
        replies = Replies(services, messenger, self._short_replies)
        self._menus = KeyMenus()
        self._redraws = Redraws(rate_limiter, self._menus)
        presses = PressReplies(services, replies, self._redraws, self._menus)
        handler = UpdateHandler(services, self._bot, presses, known_users, migrations)
        gate = Gate(PLATFORM, services.store.bucket(), services.now)
        entrance = Entrance(gate, cost_of, handler.refuse)
        self._receiver = Receiver(
            services.store.inbox(PLATFORM), handler.handle, entrance, passing=(TelegramError,)
        )
        self._polling = Polling(get_updates(self._waiting, self._bot.base_url), self._accept)
        self._courier = TelegramCourier(services, messenger, known_users, self._redraws, self._ready)

    @property
    def courier(self) -> Courier:
        """Delivers the sender's messages."""
        return self._courier

    def silence(self) -> Mapping[str, float]:
        """See `Platform.silence`."""
        if not self._config.takes_telegram:
            return {"login": 0.0 if self._ready.is_set() else math.inf}
        if self._config.telegram_webhook_url:
            return {"webhook": 0.0 if self._listening.is_set() else math.inf}
        return {"poll": self._polling.silence()}

    async def run(self) -> None:
        """See `Platform.run`."""
        try:
            await _retried(self._bot.initialize, "Telegram does not answer")
            self._ready.set()
            async with asyncio.TaskGroup() as tasks:
                offering = _retried(self._offer_page, "the page was not offered")
                tasks.create_task(offering, name="menu button of Telegram")
                if not self._config.takes_telegram:
                    await asyncio.Event().wait()
                offering = _retried(lambda: menu.offer(self._bot), "commands were not set")
                tasks.create_task(offering, name="commands of Telegram")
                tasks.create_task(self._receiver.run(), name="requests on Telegram")
                self._receiving = tasks.create_task(self._receive(), name="updates of Telegram")
                tasks.create_task(self._short_replies.run(), name="short replies on Telegram")
        except InvalidToken:
            raise _rejected() from None  # the library's words quote the token
        except BaseExceptionGroup as group:
            if group.subgroup(InvalidToken):
                raise _rejected() from None
            raise
        finally:
            self._ready.clear()  # the courier waits for the next run
            self._listening.clear()
            self._menus.close()
            self._redraws.close()
            await self._bot.shutdown()

    async def finish(self) -> None:
        """See `Platform.finish`."""
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
        await page_menu.offer(self._bot, services.store.notes, self._config.page_url, words)

    async def _receive(self) -> None:
        url, secret = self._config.telegram_webhook_url, self._config.telegram_webhook_secret
        if url is None or secret is None:
            # An earlier webhook would still get the updates; those that wait for it are kept.
            await _retried(self._bot.delete_webhook, "updates cannot be asked for yet")
            await self._polling.run()
            return
        token = secret.get_secret_value()
        webhook = Webhook(self._accept, token, urlsplit(url).path)

        async def register() -> None:
            await _retried(
                lambda: self._bot.set_webhook(
                    url, allowed_updates=KINDS, secret_token=token, max_connections=CONNECTIONS
                ),
                "Telegram was not told where to bring updates",
            )

        async with asyncio.TaskGroup() as tasks:
            serving = webhook.serve(self._config.telegram_webhook_address, self._listening.set)
            tasks.create_task(serving, name="webhook of Telegram")
            tasks.create_task(register(), name="webhook's address")

    async def _accept(self, updates: Sequence[Update]) -> None:
        """Store updates, after which Telegram may forget them; see `Receiver.accept`."""
        with ACKNOWLEDGE.timed(PLATFORM):
            try:
                await self._receiver.accept(updates)
            except TakesNoWrites:
                await self._receiver.handle_unstored(updates)


def _rejected() -> CannotConnect:
    return CannotConnect("Telegram", "TELEGRAM_TOKEN")


async def _retried(request: Callable[[], Awaitable[object]], problem: str) -> None:
    """Make a request until it succeeds, or Telegram rejects the token."""
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
