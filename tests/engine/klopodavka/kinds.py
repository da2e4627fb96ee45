"""Kinds of the game to try everything on, and positions that arise in them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Final

from rules.core import SEATS
from rules.klopodavka import KlopodavkaPosition
from tests.rules.klopodavka.making import start

KINDS: Final = (
    "board:5x5",
    "board:6x4 actions:1",
    "board:8x8",
    "players:3 board:6x6",
    "players:4 board:8x8 actions:2",
    "players:10 board:12x12",
    "variant:bases board:6x6",
    "variant:bases players:3 board:6x6 actions:2",
    "variant:hq board:8x10",
    "variant:hq board:8x10 fence:off",
    "variant:hq teams:2v2 board:12x12",
    "teams:2v2 board:7x7",
    "teams:2v2v2 board:9x9 actions:4",
    "topology:cylinder board:6x5",
    "topology:torus board:6x6",
    "base:immune board:5x6",
    "reach:base board:6x6",
    "reach:base base:immune teams:2v2 board:8x8",
    "first:1 board:5x5",
    "board:3x3 actions:2",
)
"""Small boards, so that games are short."""


def games(kind: str, count: int, *, leaving: float = 0.02) -> Iterator[KlopodavkaPosition]:
    """Every position of some random games, each with its own share of crushing; now and then a seat leaves."""
    for seed in range(count):
        chance = random.Random(f"{kind} {seed}")
        fierce = chance.random()
        here = start(kind)
        while here.outcome is None:
            yield here
            if here.options.players > 2 and chance.random() < leaving:
                here = here.retire(chance.choice(SEATS[: here.options.players]))
                continue
            legal = here.legal_moves()
            crushes = [move for move in legal if move.crush]
            here = here.play(chance.choice(crushes if crushes and chance.random() < fierce else legal))
        yield here


@cache
def wins(here: KlopodavkaPosition) -> int:
    """The seat that wins, by trying everything."""
    if here.outcome:
        return here.outcome.winners[0]
    mine = here.seat
    return mine if any(wins(here.play(move)) == mine for move in here.legal_moves()) else 1 - mine


def nearly_over(kind: str, count: int) -> Iterator[KlopodavkaPosition]:
    """Positions of random games that go on, with at most eight cells that can still be played on."""
    for here in games(kind, count):
        if not here.outcome and len(here.options.board) - here.occupancy.stones.bit_count() <= 8:
            yield here
