"""The real game and the plain second version, side by side."""

from __future__ import annotations

import random
from collections.abc import Iterator

from rules.core import SEATS
from rules.klopodavka import GAME, Move
from rules.klopodavka.position import KlopodavkaPosition
from rules.klopodavka.reach import reach
from tests.rules.klopodavka.making import chosen
from tests.rules.klopodavka.reference import Action, Reference


def reference(here: KlopodavkaPosition) -> Reference:
    """The plain version of a position that no seat has left."""
    listed = here.ruleset.board.listed
    return Reference(
        here.options,
        {(f, r): seat for seat, cells in enumerate(here.occupancy.bugs) for f, r in listed(cells)},
        {(f, r): seat for seat, cells in enumerate(here.occupancy.walls) for f, r in listed(cells)},
        int(here.to_move),
        here.plies_left,
        set(map(int, here.out)),
    )


def action(move: Move) -> Action:
    return (move.square.file, move.square.rank), move.crush


def assert_same(here: KlopodavkaPosition, plain: Reference) -> None:
    assert {action(move) for move in here.legal_moves()} == plain.legal(), here
    assert set(map(int, here.out)) == plain.out, here
    assert (int(here.to_move), here.plies_left) == (plain.seat, plain.left), here
    if here.outcome is None:
        assert plain.winners is None, here
        assert here.reached == reach(here.ruleset, here.occupancy, here.seat), here
    else:
        assert set(map(int, here.outcome.winners)) == plain.winners, here
        assert here.outcome.reason.value == f"klopodavka.ending.{plain.reason}", here


def assert_same_bases(here: KlopodavkaPosition, plain: Reference) -> None:
    if here.scores:
        assert here.scores == tuple(plain.bases(seat) for seat in plain.seats), here


def play_both(text: str, seed: int, leaving: float = 0.0) -> Iterator[KlopodavkaPosition]:
    """A random game of both to its end, compared at every action.

    Each game has its own liking for crushing: those that crush little fill the board, those that crush much are short.
    Now and then a seat leaves, if wanted.
    """
    chance = random.Random(f"{text}/{seed}/{leaving}")
    options = chosen(text)
    here, plain = GAME.start(options), Reference.start(options)
    fierce = chance.random()
    while True:
        assert_same(here, plain)
        if here.outcome or chance.random() < 0.05:
            assert_same_bases(here, plain)
        yield here
        if here.outcome:
            return
        if options.players > 2 and chance.random() < leaving:
            seat = chance.choice(SEATS[: options.players])
            here = here.retire(seat)
            plain.retire(int(seat))
            continue
        legal = here.legal_moves()
        crushes = [move for move in legal if move.crush]
        move = chance.choice(crushes if crushes and chance.random() < fierce else legal)
        here = here.play(move)
        plain.act(action(move))
