"""HTML for Telegram: names and typed text escaped, cut to Telegram's limits."""

from __future__ import annotations

from html import escape
from typing import Final

from bot.presenter.captions import length
from play.people import visible

_CUT: Final = "…"


def clean(line: str) -> str:
    """Return a line without direction marks and control characters."""
    return visible(line)


def html(text: str) -> str:
    """Return text with its markup escaped."""
    return escape(text, quote=False)


def mention(user: str, name: str) -> str:
    """Return a name that mentions a user, also one without a user name."""
    return f'<a href="tg://user?id={int(user)}">{html(name)}</a>'


def link(url: str, name: str) -> str:
    """Return a link."""
    return f'<a href="{escape(url)}">{html(name)}</a>'


def cut(text: str, limit: int) -> str:
    """Return a text of at most so many UTF-16 units, with a sign at the end if it was longer."""
    if length(text) <= limit:
        return text
    kept, room = [], limit - length(_CUT)
    for character in text:
        room -= length(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept).rstrip() + _CUT


def pages(lines: list[str], limit: int) -> list[str]:
    """Return lines as texts of at most so many UTF-16 units; only a line that fits into none is divided."""
    texts: list[str] = []
    now = ""
    for line in lines:
        rest = line
        while length(rest) > limit:
            head = cut(rest, limit)
            texts += [now, head] if now else [head]
            now, rest = "", rest[len(head) - len(_CUT) :].lstrip()
        joined = f"{now}\n{rest}" if now else rest
        if length(joined) > limit:
            texts.append(now)
            joined = rest
        now = joined
    return [text for text in [*texts, now] if text.strip()]
