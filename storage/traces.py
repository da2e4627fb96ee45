"""Traces of a person: what names their account in the store beside matches, settings and ratings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec

from play.people import Account

_TELLING: Final = 5  # digits from which on a number alone tells an account
_encode: Final = msgspec.msgpack.Encoder().encode


@dataclass(frozen=True, slots=True)
class Trace:
    """A stored text that names a person, by the name it is stored under; empty where only that name does."""

    name: str
    text: str = ""


def names_in_text(account: Account) -> Callable[[str], bool]:
    """Return a test whether a text names an account: by a long number alone, else by the platform and the id after it."""
    forms = "|".join(re.escape(form) for form in {account.uid, json.dumps(account.uid)[1:-1]})
    if account.uid.isdigit() and len(account.uid) >= _TELLING:
        pattern = re.compile(rf"(?<!\w)(?:{forms})(?!\w)")
    else:
        pattern = re.compile(rf"(?<!\w){re.escape(account.platform)}\W{{1,6}}(?:account/)?(?:{forms})(?!\w)")
    return lambda text: pattern.search(text) is not None


def names_in_fact(account: Account) -> Callable[[bytes], bool]:
    """Return a test whether a packed fact names an account."""
    parts = (_encode(account.platform), _encode(account.uid))
    return lambda packed: all(part in packed for part in parts)
