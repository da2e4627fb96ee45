"""The bot's services wired as `bot.app.roles` wires them, with a test's own store, time and pictures."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bot.app.settings import Settings
from bot.chat.context import Resources
from bot.chat.desk import Desk
from bot.chat.pictures import Pictures
from bot.chat.presenting.cards import Operator
from bot.chat.sending.composer import Composer
from bot.chat.thinking import Thinker
from bot.features.commands import REGISTRY
from bot.features.events.announcing import EventComposer
from bot.features.seeking.pairing import Seeks
from bot.platforms.platform import Services
from play.table import Table
from storage.ports import FullStore


def services(
    table: Table,
    store: FullStore,
    clock: Callable[[], datetime],
    *,
    pictures: Pictures,
    thinker: Thinker | None = None,
    **settings: Any,
) -> Services:
    """Return services configured by these settings alone, by field or by the name in the environment."""
    config = Settings(**{"_env_file": None, **settings})
    resources = Resources(
        table,
        store,
        config.language,
        pictures=pictures,
        thinker=thinker,
        page=config.page_url,
        operator=Operator(config.operator, config.contact),
    )
    return Services(
        config=config,
        table=table,
        store=store,
        desk=Desk(REGISTRY, resources, clock),
        composer=Composer(
            table, config.language, events=EventComposer(table, config.language), beside=Seeks(store).beside
        ),
        now=clock,
        language=config.language,
        pictures=pictures,
        thinker=thinker,
    )
