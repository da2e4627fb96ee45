"""`klop publish`: sets what the platforms show of the bot, where it differs."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from bot.config import Config
from bot.i18n import words as words_for
from bot.platform import CannotPublish


async def publish(config: Config, write: Callable[[str], None]) -> int:
    """Write what was set on each platform that has a token; return 0, or 1 if one refused, or there is none.

    Raises:
        CannotConnect: a platform rejects its token.
    """
    words = words_for(config.language)
    tokens = {"discord": config.discord_token, "telegram": config.telegram_token}
    status = 0 if any(tokens.values()) else 1
    if status:
        write(words("bot.publish.no-token"))
    for name in (name for name, token in tokens.items() if token is not None):
        module, platform = import_module(f"bot.on_{name}.publishing"), name.capitalize()
        try:
            changed = await module.publish(config)
        except CannotPublish as refused:
            write(words(refused.reason, **refused.fields))
            status = 1
            continue
        if changed:
            write(words("bot.publish.set", platform=platform, parts=words.list(list(changed))))
        else:
            write(words("bot.publish.same", platform=platform))
        write(words(module.BY_HAND))
    return status
