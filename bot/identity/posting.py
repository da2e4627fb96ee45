"""Posts questions about links to the accounts that are asked, and the answers to those that ask, on their platforms."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import Final

from bot.i18n import pick
from bot.i18n import words as words_for
from bot.identity import cards
from bot.identity.questions import LinkQuestion, LinkQuestions, counts
from bot.periodic import periodically
from bot.sender.backoff import Sleep
from bot.sender.delivery import Delivery
from bot.sender.ports import Courier, CourierError
from bot.sender.routing import label
from bot.sender.turns import Urgency
from play.people import Account, Player
from storage.ports import FullStore

LOOK: Final = 2.0
"""Seconds between looks for questions."""

_log: Final = logging.getLogger(__name__)


class LinkPoster:
    """Posts each question and answer once, privately. A question that does not get through is shown by `/link` all the same."""

    def __init__(
        self,
        store: FullStore,
        delivery: Delivery,
        couriers: Iterable[Courier],
        language: str,
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._store = store
        self._delivery = delivery
        self._couriers = {courier.platform: courier for courier in couriers}
        self._language = language
        self._sleep = sleep
        self._questions = LinkQuestions(store)

    async def run(self) -> None:
        """Post questions until cancelled."""
        await periodically(self.tick, LOOK, self._sleep, "questions about links")

    async def tick(self) -> None:
        """Post the questions that are not posted yet.

        Raises:
            Unavailable: the store cannot be read.
        """
        for platform, courier in self._couriers.items():
            for account in await self._questions.to_post(platform):
                try:
                    await self._post(courier, account)
                except CourierError as failed:
                    _log.info("a question about a link did not reach %s: %r", label(account), failed)

    async def _post(self, courier: Courier, account: Account) -> None:
        question = await self._questions.open(account)
        answer = None if question else await self._questions.answer_for(account)
        chosen = await self._store.settings.get(account)
        words = words_for(pick(chosen.language, self._language))
        if question:
            view, key = (
                cards.to_first(question, await counts(self._store, question), words),
                f"link:{question.key}",
            )
        elif answer:
            view, key = cards.answered(*answer, words), f"said:{_key(answer[0], account)}"
        else:
            return
        await self._delivery.turn(courier, account, Urgency.CARD)
        await courier.post(account, view, ping=(), nonce=key)


def _key(first: Player, second: Account) -> str:
    return LinkQuestion(first, Player(second, ""), first).key
