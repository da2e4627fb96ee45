"""Telegram's menu of commands, which the bot sets where it differs."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Final

from telegram import (
    Bot,
    BotCommand,
    BotCommandScope,
    BotCommandScopeAllChatAdministrators,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
)

from bot.commands import REGISTRY
from bot.desk.command_spec import Access
from bot.i18n import FALLBACK, LANGUAGES
from bot.i18n import words as words_for
from bot.on_telegram.markup import cut

_log: Final = logging.getLogger(__name__)

LONGEST: Final = 256  # most characters of a description

SCOPES: Final[Sequence[tuple[BotCommandScope, bool]]] = (
    (BotCommandScopeAllPrivateChats(), True),
    (BotCommandScopeAllGroupChats(), False),
    (BotCommandScopeAllChatAdministrators(), True),
)
"""Where commands are offered, and whether with those for administrators."""


def menu(language: str, *, admin: bool) -> tuple[BotCommand, ...]:
    """Return the commands with their descriptions."""
    words = words_for(language)
    return tuple(
        BotCommand(spec.name, cut(words(f"bot.slash.{spec.name}.what"), LONGEST))
        for spec in REGISTRY.specs.values()
        if admin or spec.access is not Access.ADMINS
    )


def spoken() -> Iterator[tuple[str, str | None]]:
    """Yield each language and its code for Telegram; the fallback, for all other languages, has none."""
    yield FALLBACK, None
    for language in LANGUAGES:
        yield language, language


async def offer(bot: Bot) -> int:
    """Set the menu in all scopes and languages; return the number of those that differed."""
    changed = 0
    for scope, admin in SCOPES:
        for language, code in spoken():
            wanted = menu(language, admin=admin)
            if await bot.get_my_commands(scope=scope, language_code=code) != wanted:
                await bot.set_my_commands(wanted, scope=scope, language_code=code)
                changed += 1
    _log.info("commands were set in %s places and languages", changed)
    return changed
