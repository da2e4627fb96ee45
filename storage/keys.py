"""How things are called inside Redis.

    klop:{17}:match:k7q2ab                    the record of a match
    klop:{17}:commit:k7q2ab:<token>           the receipt of one commit, for a minute
    klop:at:<platform>:<place>:live|over      matches shown at a place, scored by their last change
    klop:of:<platform>:<uid>:live|over        matches of a person, likewise
    klop:language:at|of:<platform>:<...>      a language chosen

All keys of one match share a hash tag (`{17}`), one of 64 fixed ones, so that one script may write them all on a
cluster too. Lists hold hints: what is true of a match stands in its record alone.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import quote
from zlib import crc32

from play.people import Account, Address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from play.match import Match
    from play.ports import Operation, Timer

PREFIX: Final = "klop"
TAGS: Final = 64

_ID: Final = re.compile(r"[a-z0-9]{6}", re.ASCII)
_OPERATION: Final = re.compile(r"[!-~]{1,100}", re.ASCII)
_TIMER: Final = re.compile(r"[a-z0-9-]{1,40}", re.ASCII)


def is_match_id(text: str) -> bool:
    """Whether a text can be a match's id at all."""
    return _ID.fullmatch(text) is not None


def match_key(match_id: str) -> str:
    """Where a match's record is.

    Raises:
        ValueError: that is no match's id.
    """
    if not is_match_id(match_id):
        raise ValueError(f"no match id: {match_id!r}")
    return f"{PREFIX}:{_tag(match_id)}:match:{match_id}"


def check_operation(operation: Operation) -> Operation:
    """The operation, if its id can be part of a key.

    Raises:
        ValueError: it is empty, too long, or not plain ASCII.
    """
    if not _OPERATION.fullmatch(operation.id):
        raise ValueError(f"no operation id: {operation.id!r}")
    return operation


def check_timer(timer: Timer) -> Timer:
    """The timer, if it can be stored.

    Raises:
        ValueError: its name is no short word, or its time is without a zone.
    """
    if not _TIMER.fullmatch(timer.name):
        raise ValueError(f"no timer's name: {timer.name!r}")
    if timer.at.tzinfo is None:
        raise ValueError(f"a time without a zone: {timer.at!r}")
    return timer


def receipt_key(match_id: str, token: str) -> str:
    """Where the receipt of a commit is."""
    return f"{PREFIX}:{_tag(match_id)}:commit:{match_id}:{token}"


@lru_cache(maxsize=4096)
def list_keys(whose: Account | Address) -> tuple[str, str]:
    """Where the lists of matches of a person, or at a place, are: the live ones, and those that are over."""
    base = f"{PREFIX}:{_whose(whose)}"
    return f"{base}:live", f"{base}:over"


def lists_of(match: Match) -> Iterator[str]:
    """Every list that a match belongs on, as the commit script wants them: a live one and its other by turns."""
    for address in dict.fromkeys(match.addresses):
        yield from list_keys(address)
    for account in match.people():
        yield from list_keys(account)


def language_key(whose: Account | Address) -> str:
    """Where a chosen language is."""
    return f"{PREFIX}:language:{_whose(whose)}"


def _tag(match_id: str) -> str:
    return f"{{{crc32(match_id.encode()) % TAGS}}}"


def _whose(whose: Account | Address) -> str:
    # Quoted, so that no name can hold a colon or a brace and pass for another key or choose its own slot.
    if isinstance(whose, Account):
        return f"of:{quote(whose.platform, safe='')}:{quote(whose.uid, safe='')}"
    return f"at:{quote(whose.platform, safe='')}:{quote(whose.place, safe='')}"
