"""The platform: connects, asks for updates or is brought them, and carries what the sender says."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import urlsplit

from telegram import Bot
from telegram.error import InvalidToken, TelegramError
from telegram.request import HTTPXRequest

from bot.on_telegram import menu
from bot.on_telegram.chat_queues import KINDS, ChatQueues
from bot.on_telegram.courier import TelegramCourier
from bot.on_telegram.inline import InlineCards
from bot.on_telegram.known_users import KnownUsers
from bot.on_telegram.membership import Membership
from bot.on_telegram.migrations import ChatMigrations
from bot.on_telegram.places import PLATFORM
from bot.on_telegram.polling import Polling, asks
from bot.on_telegram.rate_limit import RateLimiter
from bot.on_telegram.rendering import Renderer
from bot.on_telegram.replies import Replies
from bot.on_telegram.sending import Messenger
from bot.on_telegram.updates import UpdateHandler
from bot.on_telegram.webhook import CONNECTIONS, Webhook
from bot.platform import CannotConnect, ConnectFailure, Services
from bot.sender.backoff import delay
from bot.sender.ports import Courier

_log: Final = logging.getLogger(__name__)

_POOL: Final = 64  # connections; a busy minute of many chats
_ANSWER: Final = 20.0  # seconds until what is asked of Telegram is taken for lost


class TelegramAdapter:
    """Everything that Telegram needs, put together.

    Args:
        services: The shared services.
    """

    name = PLATFORM

    def __init__(self, services: Services) -> None:
        self._services = services
        token = services.settings.telegram_token
        if token is None:
            raise ValueError("there is no token for Telegram")
        self._waiting = HTTPXRequest(connection_pool_size=2)
        base = services.settings.telegram_api.rstrip("/")
        self._bot = Bot(
            token.get_secret_value(),
            base_url=f"{base}/bot",
            base_file_url=f"{base}/file/bot",
            request=HTTPXRequest(connection_pool_size=_POOL, read_timeout=_ANSWER, pool_timeout=_ANSWER),
            get_updates_request=self._waiting,
        )
        self._ready = asyncio.Event()
        moves, people = ChatMigrations(services.store), KnownUsers(services.store)
        self._rate_limiter = turns = RateLimiter(services.store.bucket(), services.store.now)
        post = Messenger(self._bot, Renderer(services.pictures), turns, moves)
        answers = Replies(services, self._bot, post, turns)
        members, cards = (
            Membership(services, answers, people, moves),
            InlineCards(services, self._bot, answers, people),
        )
        self._queues = ChatQueues(
            UpdateHandler(
                services, self._bot, answers=answers, people=people, moves=moves, members=members, cards=cards
            ).hear
        )
        self._courier = TelegramCourier(
            services, self._bot, post=post, people=people, turns=turns, ready=self._ready
        )

    @property
    def courier(self) -> Courier:
        """Carries views there."""
        return self._courier

    async def run(self) -> None:
        """Connect, serve, and close when cancelled.

        Raises:
            CannotConnect: Telegram does not know the token.
            OSError: it cannot listen for updates where it should.
        """
        try:
            await self._connect()
            self._ready.set()
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._offer_commands(), name="commands of Telegram")
                tasks.create_task(self._hear(), name="updates of Telegram")
        except InvalidToken:
            raise _refused() from None  # the library's words quote the token
        except BaseExceptionGroup as group:
            if group.subgroup(InvalidToken):
                raise _refused() from None
            raise
        finally:
            await self._queues.close()
            await self._bot.shutdown()

    async def _connect(self) -> None:
        await _insisted(self._bot.initialize, "Telegram does not answer")

    async def _offer_commands(self) -> None:
        await _insisted(lambda: menu.offer(self._bot), "commands were not set")

    async def _hear(self) -> None:
        settings = self._services.settings
        url, secret = settings.telegram_webhook_url, settings.telegram_webhook_secret
        if url is None or secret is None:
            # A webhook of earlier days would get them; what waits to be brought there is kept.
            await _insisted(self._bot.delete_webhook, "updates cannot be asked for yet")
            await Polling(asks(self._waiting, self._bot.base_url), self._queues).run()
            return
        word = secret.get_secret_value()
        host, _, port = settings.telegram_webhook_listen.rpartition(":")
        webhook = Webhook(self._queues, word, urlsplit(url).path)

        async def tell() -> None:
            await _insisted(
                lambda: self._bot.set_webhook(
                    url, allowed_updates=KINDS, secret_token=word, max_connections=CONNECTIONS
                ),
                "Telegram was not told where to bring updates",
            )

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(webhook.serve(host.strip("[]"), int(port)), name="webhook of Telegram")
            tasks.create_task(tell(), name="webhook's address")


def _refused() -> CannotConnect:
    return CannotConnect(ConnectFailure.REFUSED, name="Telegram", setting="TELEGRAM_TOKEN")


async def _insisted(request: Callable[[], Awaitable[object]], trouble: str) -> None:
    """Ask until it was done.

    Raises:
        InvalidToken: Telegram does not know the bot.
    """
    tries = 0
    while True:
        try:
            await request()
        except InvalidToken:
            raise
        except TelegramError as error:
            tries += 1
            _log.warning("%s: %s", trouble, error)
            await asyncio.sleep(delay(tries))
        else:
            return
