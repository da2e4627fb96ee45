"""Links to the board page: one that opens a session for one person, once."""

from __future__ import annotations

import json
import secrets
from datetime import timedelta
from typing import Final

from play.people import Player
from play.ports import NoteStore

LINK_KEPT: Final = timedelta(minutes=10)
"""How long a link can be opened."""

_TOKEN: Final = 16  # bytes


async def make_link(notes: NoteStore, url: str, player: Player, code: str, locale: str) -> str:
    """Return the address that opens the page for a person; it can be opened once, and not after `LINK_KEPT`.

    Raises:
        Unavailable: the store does not answer.
    """
    token = secrets.token_urlsafe(_TOKEN)
    account = player.account
    held = json.dumps([account.platform, account.uid, player.name, code, locale])
    await notes.write(_note(token), held, keep=LINK_KEPT)
    return f"{url.rstrip('/')}/{f'm/{code}' if code else ''}#link={token}"


async def take_link(notes: NoteStore, token: str) -> str | None:
    """Return what is stored of a link, and delete it; None: it is used or lapsed."""
    return await notes.take(_note(token)) if len(token) <= 2 * _TOKEN and token.isascii() else None


def _note(token: str) -> str:
    return f"page:link:{token}"
