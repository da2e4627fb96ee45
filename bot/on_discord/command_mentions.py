"""Commands in private answers, as the reader's client has them: mentions to click, with localised names beside."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from bot.commands import REGISTRY
from bot.i18n import words as words_for
from bot.on_discord.registration import LOCALES

_COMMAND: Final = re.compile(rf"(?<![\w/:.<\\-])/({'|'.join(REGISTRY.specs)})(?![\w/-])")
_BEFORE: Final = ("\n", " · ")
_ENTRY: Final = " —"
"""What stands before and after a command that a list is about."""


def mentioning(ids: Mapping[str, str], locale: str) -> Callable[[str], str]:
    """Return what writes the commands in a text for a reader whose client has this locale.

    Discord shows the name in a mention as it is written, and only the default one can be clicked. So the localised name
    stands beside it where a list is about the command, and in place of it where the command's id is not known.
    """
    language = LOCALES.get(locale)

    def written(found: re.Match[str]) -> str:
        name = found[1]
        local = words_for(language)(f"bot.slash.{name}.name") if language else name
        if name not in ids:
            return f"/{local}"
        mention = f"</{name}:{int(ids[name])}>"
        begins = found.string[: found.start()].endswith(_BEFORE) or not found.start()
        listed = begins and found.string.startswith(_ENTRY, found.end())
        return f"{mention} (/{local})" if listed and local != name else mention

    return partial(_COMMAND.sub, written)
