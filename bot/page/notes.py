"""What a player notes about a match for themselves, on the page: one note each, deleted with the account's other traces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from play.people import Account
from play.ports import NoteStore

LONGEST: Final = 1000
"""Characters of a note."""


async def noted(notes: NoteStore, who: Sequence[Account], code: str) -> str:
    """Return what a person noted about a match, under any of their accounts."""
    return next(filter(None, await notes.read(*(_name(account, code) for account in who))), "")


async def note(notes: NoteStore, who: Sequence[Account], code: str, text: str) -> None:
    """Note something about a match in place of what was noted; an empty text deletes it. It is kept for a year."""
    first, *others = (_name(account, code) for account in who)
    await notes.write(first, text.strip()[:LONGEST] or None)
    for name in others:
        await notes.write(name, None)


def _name(account: Account, code: str) -> str:
    return f"page-note:{account}:{code}"
