"""Plain text as Discord's markup: what people typed shows as they typed it, and calls nobody."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from play.people import visible

_ANYWHERE: Final = re.compile(r"([\\*_~`|<@\[\]])")
_AT_START: Final = re.compile(r"^(\s*)(#{1,3}(?=\s)|[-+>](?=\s|>)|-#(?=\s)|>>>)", re.MULTILINE)
_NUMBERED: Final = re.compile(r"^(\s*[0-9]+)([.)])(?=\s)", re.MULTILINE)
_LINK: Final = re.compile(r"(https?|steam|discord)(:)(?=//)", re.IGNORECASE)


def plain(text: str) -> str:
    """Text without what cannot be seen and could turn the rest around: direction marks, controls, odd line ends."""
    return visible(text, "\n")


def escaped(text: str) -> str:
    """Text that is shown as it is: no emphasis, no mention, no link, no heading, no list, no quotation."""
    text = _ANYWHERE.sub(r"\\\1", plain(text))
    text = _AT_START.sub(lambda found: f"{found[1]}\\{found[2]}", text)
    text = _NUMBERED.sub(r"\1\\\2", text)
    return _LINK.sub(r"\1\\\2", text)


def paragraphs(lines: Iterable[str]) -> str:
    """Paragraphs, escaped, one under the other."""
    return "\n".join(map(escaped, lines))


def fenced(text: str) -> str:
    """Text in letters of one width, as it is."""
    return f"```\n{plain(text).replace('`', 'ˋ')}\n```"


def linked(text: str, links: Iterable[tuple[str, str]]) -> str:
    """Escaped text in which the codes of matches lead to where these are shown."""
    for code, url in links:
        text = text.replace(f"#{code}", f"[#{code}](<{url}>)", 1)
    return text


def mention(user_id: str) -> str:
    """A person, called by name; only a number is one."""
    return f"<@{int(user_id)}>"


def remaining(moment: datetime) -> str:
    """A moment as the time until it, in the reader's own language, counting by itself."""
    return f"<t:{int(moment.timestamp())}:R>"


def cut(text: str, most: int) -> str:
    """Text of at most so many characters; where some are left out, it ends with a sign of that."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
