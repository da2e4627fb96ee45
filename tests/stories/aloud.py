"""What people hear who see no picture: texts, alt texts and labels, as a screen reader reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from play.match import Match, Phase, Ply
from play.replay import Course, Replay
from rules import GAMES
from rules.core import sq

_NAMES: Final = re.compile(r"[^\W\d_]{2,}|[a-z][1-9]|\d+×\d+|#[a-z2-9]{6}")
"""What makes a label understood without its signs: a word, a cell, a size, the code of a match."""

_RUN: Final = re.compile(r"\b([a-z]+[0-9]+)(?:–([a-z]+[0-9]+))?\b")
_CELL: Final = re.compile(r"[a-z]+[0-9]+")
_TIME: Final = re.compile(r"\b\d+ (?:days?|hours?)|<t:\d+:R>")


class Reading(Protocol):
    """An evening in which messages can be read without their pictures."""

    def matches(self) -> Iterable[Match]:
        """Every match, the last one to change last."""

    def announced(self) -> str:
        """The last message with a board in the parlour: its text and alt texts."""

    async def in_words(self, name: str) -> str:
        """What a person is told who asks for the board in words."""


def mute(labels: Iterable[str]) -> set[str]:
    """The labels that say nothing when they are read aloud."""
    return {label for label in labels if not _NAMES.search(label)}


async def told_all(evening: Reading) -> int:
    """Check that the player on turn is told all that the picture shows; return how many plies there were before."""
    match = list(evening.matches())[-1]
    if match.phase is not Phase.PLAYING:
        return 0
    heard, course = evening.announced(), Replay(GAMES).positions(match)
    player = match.chairs[course.position.to_move].player
    assert player
    assert player.name in heard, heard
    assert _TIME.search(heard), heard
    plies = [entry for entry in match.log if isinstance(entry, Ply)]
    names = [chair.player.name if chair.player else "" for chair in match.chairs]
    assert not plies or _names_move(heard, names[plies[-1].seat], plies[-1].text), (plies[-1], heard)
    told = await evening.in_words(player.name)
    assert _standing(told, names) >= set(_stands(match, course, names)), told
    return len(plies)


def _names_move(heard: str, name: str, move: str) -> bool:
    """Whether a message says what a person played, in notation or in words with all its cells; or what was taken back."""
    before = heard.partition("Board: ")[0]
    if "takes back: " in before:
        return True
    said = re.findall(rf"{name}[^:\n]*: ([^.\n]*)", before)
    return any(set(_CELL.findall(move)) <= set(_CELL.findall(each)) for each in said)


def _stands(match: Match, course: Course, names: list[str]) -> Iterator[tuple[str, str]]:
    """Each piece's owner and cell."""
    for piece in GAMES[match.game].draw(course.position).pieces:
        owner = "" if piece.owner is None else names[piece.owner]
        yield from ((owner, str(cell)) for cell in piece.cells)


def _standing(told: str, names: list[str]) -> set[tuple[str, str]]:
    """Whose pieces stand where, by a position in words."""
    lines = told.splitlines()
    board = next(at for at, line in enumerate(lines) if line.startswith("Board: "))
    return {
        (next((name for name in names if line.startswith(name)), ""), cell)
        for line in lines[board:]
        for run in _RUN.finditer(line)
        for cell in _cells(run[1], run[2] or run[1])
    }


def _cells(first: str, last: str) -> Iterator[str]:
    low, high = sq(first), sq(last)
    for file in range(low.file, high.file + 1):
        for rank in range(low.rank, high.rank + 1):
            yield str(type(low)(file, rank))
