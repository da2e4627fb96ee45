"""The words of a command apart: bare ones, and options with their values, which may go on after a blank."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from play.clocktext import goes_on

CLOCK: Final = "clock"
"""The word before the colon that a clock follows: `clock:3d`."""

REMINDERS: Final = frozenset({"reminders", "remind", "нагадування", "напоминания"})
"""The words before the colon that percentages follow: `reminders:50,10`."""

QUIET: Final = frozenset({"quiet", "тиша", "тишина"})
"""The words before the colon that hours follow: `quiet:23-8`."""

_CLOCKS: Final = frozenset({"clock", "годинник", "контроль", "часы"})

_OPEN: Final = '"“”„‟«»'
_CLOSE: Final = '"“”‟«»'
_QUOTED: Final = f"[{_OPEN}]([^{_OPEN}]*)[{_CLOSE}]"
_TOKEN: Final = re.compile(rf"([^\W\d_]{{1,20}})[:=](?:{_QUOTED}|(\S+))|{_QUOTED}|(\S+)")
_KEY: Final = re.compile(r"([^\W\d_]{1,20}):\Z")

_SHARE: Final = re.compile(r"[0-9,%]+\Z", re.ASCII)
_DASHED: Final = re.compile(r"[-–—][0-9:.]*\Z", re.ASCII)
_DASHES: Final = ("-", "–", "—")
_LISTS: Final = frozenset({"bases", "games", "engine", "bot", "рушій", "бот", "движок"})


@dataclass(frozen=True, slots=True)
class Words:
    """What was typed after a command.

    Attributes:
        bare: The bare words, in order; quotes keep blanks together.
        options: The `key:value` pairs; keys in lower case.
        twice: Keys that came more than once.
    """

    bare: tuple[str, ...]
    options: Mapping[str, str]
    twice: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Token:
    """A word as it was typed; `key` is empty where it is a bare one."""

    key: str
    text: str
    quoted: bool


def apart(typed: str) -> Words:
    """The words of what was typed after a command.

    Quotes may be straight, curly or angle ones. A value goes on over blanks as long as what follows can only belong to
    it: `clock:3d 12h soft`, `reminders:50, 10`, `quiet: 23 - 8`.
    """
    tokens = [_token(found) for found in _TOKEN.finditer(typed)]
    bare: list[str] = []
    options: dict[str, str] = {}
    twice: list[str] = []
    at = 0
    while at < len(tokens):
        token, at = tokens[at], at + 1
        key, text, quoted = token.key, token.text, token.quoted
        if not key and not quoted and (named := _KEY.match(text)) and at < len(tokens) and not tokens[at].key:
            key, text, quoted, at = named[1], tokens[at].text, tokens[at].quoted, at + 1
        if not key:
            bare += [text] if text else []
            continue
        key = CLOCK if key.lower() in _CLOCKS else key.lower()
        more = _following(key, text, [each.text for each in _bare_ones(tokens[at:])])
        text = " ".join([text, *(each.text for each in tokens[at : at + more])])
        at += more
        if key in options:
            twice.append(key)
        options[key] = text if quoted else text.rstrip(",") or text
    return Words(tuple(bare), options, tuple(twice))


def _token(found: re.Match[str]) -> _Token:
    key, quoted_value, value, quoted, bare = found.groups()
    if key:
        return _Token(key, value if quoted_value is None else quoted_value, quoted_value is not None)
    return _Token("", bare if quoted is None else quoted, quoted is not None)


def _bare_ones(tokens: Sequence[_Token]) -> Sequence[_Token]:
    """The tokens up to the first that is quoted or a pair."""
    for at, token in enumerate(tokens):
        if token.key or token.quoted or _KEY.match(token.text):
            return tokens[:at]
    return tokens


def _following(key: str, text: str, words: Sequence[str]) -> int:
    """How many of the next words go on with a value."""
    if key == CLOCK:
        return goes_on(text, words)
    for count, word in enumerate(words):
        before = words[count - 1] if count else text
        if not (
            (key in REMINDERS and _SHARE.match(word))
            or (key in QUIET and (before[-1:] in _DASHES or _DASHED.match(word)))
            or (key in _LISTS and (before[-1:] == "," or word[0] == ","))
        ):
            return count
    return len(words)
