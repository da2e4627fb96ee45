"""Texts of a chat in a page's words: without the commands that they advise, since a page has buttons."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from bot.features.commands import REGISTRY

_COMMAND: Final = re.compile(r"(?<![\w/:.])/([a-z]+)\b", re.ASCII)
_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+")
_CLAUSE: Final = re.compile(r"\s*[:;,(—–]\s")  # what a sentence can be ended before


def without_commands(lines: Iterable[str]) -> list[str]:
    """Return lines without the sentences that name commands; a line that begins with one is cut before it.

    Lines of which nothing is left are left out; all lines are kept if otherwise none were left.
    """
    lines = list(lines)
    return [kept for line in lines if (kept := _cut(line)) or not line] or lines


def _cut(text: str) -> str:
    if not _named(text):
        return text
    return "\n".join(filter(None, map(_cut_line, text.split("\n"))))


def _cut_line(line: str) -> str:
    first, *rest = _SENTENCE.split(line)
    kept = [_before(first), *(sentence for sentence in rest if _named(sentence) is None)]
    return " ".join(filter(None, kept))


def _before(sentence: str) -> str:
    """Return a sentence up to the clause that names a command; nothing where that is the first one."""
    found = _named(sentence)
    if found is None:
        return sentence
    ends = [clause.start() for clause in _CLAUSE.finditer(sentence, 0, found.start())]
    return f"{sentence[: ends[-1]]}." if ends else ""


def _named(text: str) -> re.Match[str] | None:
    return next((each for each in _COMMAND.finditer(text) if each[1] in REGISTRY.handlers), None)
