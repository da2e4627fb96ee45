"""A person's private notes about matches: one for each match, the same in the chat and on the page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from play.people import Account, visible
from play.ports import NoteStore

LONGEST: Final = 500  # characters of a note
MOST: Final = 200  # notes of a person
_KEPT: Final = timedelta(days=3650)  # matches are kept until they are removed


async def noted(notes: NoteStore, who: Sequence[Account], code: str) -> str:
    """Return what a person noted about a match, under any of their accounts."""
    return next(filter(None, await notes.read(*(_name(account, code) for account in who))), "")


async def note(notes: NoteStore, who: Sequence[Account], code: str, text: str) -> str | None:
    """Note something about a match in place of what was noted; an empty text deletes it.

    Where there is no room for it, return the match with the person's oldest note.
    """
    first, *others = who
    index, said = f"page-notes:{first}", visible(text, "\n").strip()[:LONGEST]
    (listed,) = await notes.read(index)
    codes = [each for each in (listed or "").split() if each != code]
    if said and len(codes) >= MOST:
        return codes[0]
    await notes.write(index, " ".join((*codes, code) if said else codes) or None, keep=_KEPT)
    await notes.write(_name(first, code), said or None, keep=_KEPT)
    for account in others:
        await notes.write(_name(account, code), None)
    return None


def _name(account: Account, code: str) -> str:
    return f"page-note:{account}:{code}"  # as they were called when only the page had them
