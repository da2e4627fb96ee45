"""The bot's services wired as `bot.roles` wires them, with a test's own store, time and pictures."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bot.commands import REGISTRY
from bot.config import Config
from bot.desk.context import Resources
from bot.desk.desk import Desk
from bot.pictures import Pictures
from bot.platform import Services
from bot.presenter.legal import Operator
from bot.seeking.seeks import Seeks
from bot.sender.composer import Composer
from bot.thinking import Thinker
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
    config = Config(**{"_env_file": None, **settings})
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
        composer=Composer(table, config.language, beside=Seeks(store).beside),
        now=clock,
        language=config.language,
        pictures=pictures,
        thinker=thinker,
    )
