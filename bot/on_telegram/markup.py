"""Text for Telegram: HTML in which nothing that people are called or type is markup, cut to what fits."""

from __future__ import annotations

from html import escape
from typing import Final

from bot.presenter.captions import length
from play.people import visible

_CUT: Final = "…"


def clean(line: str) -> str:
    """A line without what could turn the text around it or break it."""
    return visible(line)


def html(text: str) -> str:
    """Text in which nothing is markup."""
    return escape(text, quote=False)


def mention(user: str, name: str) -> str:
    """A name that calls somebody, whether they have a name to call them by or not."""
    return f'<a href="tg://user?id={int(user)}">{html(name)}</a>'


def link(url: str, name: str) -> str:
    """Words that lead somewhere."""
    return f'<a href="{escape(url)}">{html(name)}</a>'


def cut(text: str, limit: int) -> str:
    """The beginning of a text, with a sign where it goes on."""
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
    """Lines put together to texts of at most so many characters each, none torn apart that fits into one."""
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
