"""Positions and moves for the tests, made from what people would type."""

from __future__ import annotations

from rules.core import Seat
from rules.klopodavka import GAME
from rules.klopodavka.notation import position
from rules.klopodavka.options import Options
from rules.klopodavka.position import KlopodavkaPosition

__all__ = ["cells", "chosen", "played", "position", "start", "winners"]


def chosen(text: str) -> Options:
    """Options from `players:4 board:12x12`."""
    return GAME.choose(dict(word.split(":", 1) for word in text.split()))


def start(text: str = "") -> KlopodavkaPosition:
    return GAME.start(chosen(text))


def played(here: KlopodavkaPosition, *lines: str) -> KlopodavkaPosition:
    """The position after some lines, each a turn or a part of one."""
    for line in lines:
        for move in GAME.notation.parse(line, here):
            here = here.play(move)
    return here


def cells(here: KlopodavkaPosition) -> str:
    """The legal actions, spelled and in order: bugs to put, then bugs to crush."""
    return " ".join(map(str, here.legal_moves()))


def winners(here: KlopodavkaPosition) -> tuple[Seat, ...]:
    assert here.outcome is not None
    return here.outcome.winners
