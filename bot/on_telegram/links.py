"""Links that lead to the bot, and what they carry: `https://t.me/klop_bot?start=join-k7q2mz`."""

from __future__ import annotations

import re
from typing import Final

_JOIN: Final = re.compile(r"join[-_]([a-z0-9]{6})\Z", re.ASCII)
HELLO: Final = "hello"
"""Carried by links that only open the conversation."""


def join_link(bot: str, code: str) -> str:
    """Joins a match, from anywhere."""
    return start_link(bot, f"join-{code}")


def start_link(bot: str, carried: str = HELLO) -> str:
    """Opens the conversation with the bot."""
    return f"https://t.me/{bot}?start={carried}"


def joined(carried: str) -> str | None:
    """The code of the match that a link joins; None for any other link."""
    found = _JOIN.match(carried)
    return found[1] if found else None
