"""A person's private notes about matches: one for each match, the same in the chat and on the page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from play.people import Account, visible
from play.ports import NoteStore

LONGEST: Final = 500
"""Characters of a note."""
MOST: Final = 200
"""Notes of a person."""
KEPT: Final = timedelta(days=3650)
"""How long a note is kept after it was last written; matches are kept until they are removed."""


async def noted(notes: NoteStore, who: Sequence[Account], code: str) -> str:
    """Return what a person noted about a match, under any of their accounts."""
    return next(filter(None, await notes.read(*(_name(account, code) for account in who))), "")


async def note(notes: NoteStore, who: Sequence[Account], code: str, text: str) -> bool:
    """Note something about a match in place of what was noted, and return whether there was room; an empty text deletes it."""
    first, *others = who
    lines = (visible(line).rstrip() for line in text.strip().splitlines())
    said = "\n".join(lines)[:LONGEST]
    (listed,) = await notes.read(_list(first))
    codes = [each for each in (listed or "").split() if each != code]
    if said and len(codes) >= MOST:  # some may have been deleted under another account
        held = await notes.read(*(_name(first, each) for each in codes))
        codes = [each for each, kept in zip(codes, held, strict=True) if kept]
        if len(codes) >= MOST:
            return False
    codes += [code] if said else []
    await notes.write(_list(first), " ".join(codes) or None, keep=KEPT)
    await notes.write(_name(first, code), said or None, keep=KEPT)
    for account in others:
        await notes.write(_name(account, code), None)
    return True


def _name(account: Account, code: str) -> str:
    return f"page-note:{account}:{code}"  # as they were called when only the page had them


def _list(account: Account) -> str:
    return f"page-notes:{account}"
