"""What all games share: values, counts of legal sequences, refusals, and how games are found."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import rules
from bench.perft import perft_of_integers
from rules import GAMES
from rules.breakthrough import BreakthroughPosition
from rules.core import (
    AmbiguousMove,
    BadNotation,
    BadOption,
    Diagram,
    Grid,
    IllegalMove,
    Kind,
    Legality,
    Piece,
    RulesError,
    Seat,
    Spelling,
    perft,
    sq,
)
from rules.klopodavka import KlopodavkaPosition
from tests.rules.breakthrough import oracle
from tests.rules.catalogues import package
from tests.rules.conformance import split
from tests.rules.klopodavka.reference import Reference, reference
from tests.rules.lgame.oracle import START, State, classes, turns
from tests.toy.notches import GAME, Notch

# Diagrams, outcomes, phrases, the defaults of a position, perft, and a game's own helpers.


def test_a_diagram_tells_what_stands_where() -> None:
    man = Piece(Kind.MAN, (sq("a1"),), Seat.S1)
    tile = Piece(Kind.TILE, (sq("b1"), sq("b2")), Seat.S2)
    diagram = Diagram(Grid(3, 3), (man, tile))
    assert diagram.at(sq("a1")) is man
    assert diagram.at(sq("b2")) is tile
    assert diagram.at(sq("c3")) is None
    assert diagram.out == frozenset()
    assert hash(diagram) == hash(Diagram(Grid(3, 3), (man, tile)))
    with pytest.raises(FrozenInstanceError):
        diagram.pieces = ()  # type: ignore[misc]


def test_perft_counts_sequences() -> None:
    # Two people on a strip of four: a1 and d1 leave the other two cells, b1 and c1 one.
    start = GAME.start(GAME.choose({"players": "2", "board": "4x1", "cuts": "1"}))
    assert [perft(start, depth) for depth in range(4)] == [1, 4, 6, 4]
    assert split(start, 2) == {Notch(sq("a1")): 2, Notch(sq("b1")): 1, Notch(sq("c1")): 1, Notch(sq("d1")): 2}
    assert sum(split(start, 3).values()) == perft(start, 3)


def test_a_game_over_counts_nothing() -> None:
    over = GAME.start(GAME.choose({"players": "3"})).retire(Seat.S1).retire(Seat.S2)
    assert over.outcome
    assert perft(over, 0) == 1
    assert perft(over, 1) == perft(over, 2) == 0
    assert split(over, 1) == {}


# Counts of legal sequences: each game's vectors, and its plain second version.


SHALLOW = 20_000
"""Sequences that are counted in the fast tests."""


def _vectors() -> Iterator[Any]:
    for key, game in GAMES.items():
        for line in files(package(game)).joinpath("vectors", "perft.txt").read_text("ascii").splitlines():
            if line and not line.startswith("#"):
                yield pytest.param(key, *line.rsplit(": ", 2), id=f"{key}-{line[:40]}")


VECTORS = list(_vectors())
every_vector = pytest.mark.parametrize(("key", "options", "text", "counts"), VECTORS)


def position_of(key: str, options: str, text: str) -> Any:
    game = GAMES[key]
    here = game.notation.parse_position(
        text, game.choose(dict(word.split(":", 1) for word in options.split()))
    )
    assert game.notation.format_position(here) == text
    return here


def check(here: Any, counts: str, low: int, high: int) -> None:
    for depth, count in enumerate(map(int, counts.split()), 1):
        if low < count <= high and perft(here, depth) != count:
            lines = [f"{move}: {found}" for move, found in split(here, depth).items()]
            pytest.fail("\n".join([f"not {count} at depth {depth}, by first move:", *lines]))


@every_vector
def test_vector(key: str, options: str, text: str, counts: str) -> None:
    here = position_of(key, options, text)
    check(here, counts, 0, SHALLOW)
    if isinstance(here, BreakthroughPosition):
        own, foe, mover = here.state
        for depth, count in enumerate(map(int, counts.split()), 1):
            assert perft_of_integers(mover, own, foe, depth) == count
    if isinstance(here, KlopodavkaPosition):
        for depth, count in enumerate(map(int, counts.split()), 1):
            assert count > 300 or count_plainly(reference(here), depth) == count


@pytest.mark.slow
@every_vector
def test_whole_vector(key: str, options: str, text: str, counts: str) -> None:
    check(position_of(key, options, text), counts, SHALLOW, 700_000)


def count_plainly(state: Reference, depth: int) -> int:
    """Count sequences of Klopodavka with its second version."""
    if depth == 1:
        return len(state.legal())
    total = 0
    for action in state.legal():
        after = copy.copy(state)
        after.bugs, after.walls, after.out = dict(state.bugs), dict(state.walls), set(state.out)
        after.act(action)
        total += count_plainly(after, depth - 1)
    return total


def test_breakthrough_is_counted_plainly_on_every_small_board() -> None:
    game = GAMES["breakthrough"]
    for width, ranks in ((f, r) for f in range(2, 8) for r in range(4, 8)):
        start = game.start(game.choose({"board": f"{width}x{ranks}"}))
        plain = oracle.start_board(width, ranks)
        assert [perft(start, depth) for depth in (1, 2, 3)] == [
            oracle.perft(plain, depth) for depth in (1, 2, 3)
        ]


def test_the_l_game_is_counted_by_sets() -> None:
    class_of = classes()

    @cache
    def count(state: State, depth: int) -> int:
        after = turns(state)
        if depth == 1:
            return len(after)
        return sum(count(class_of[state[1], shape, neutrals], depth - 1) for shape, neutrals in after)

    assert [count(class_of[START], depth) for depth in (1, 2, 3)] == [65, 7956, 628797]


# Refusals carry a reason and fields, and form one small tree.


def test_a_refusal_carries_its_reason_and_fields() -> None:
    for kind in (BadOption, BadNotation, IllegalMove):
        error = kind(Legality.NO_SUCH_STEP, step="b2")
        assert isinstance(error, RulesError)
        assert (error.reason, error.fields) == (Legality.NO_SUCH_STEP, {"step": "b2"})
        assert str(error) == "core.illegal.no-such-step(step=b2)"
        assert error.args == (Legality.NO_SUCH_STEP, {"step": "b2"})
    # A field may have any name.
    assert RulesError(Spelling.EMPTY, reason="x", self="y").fields == {"reason": "x", "self": "y"}
    ambiguous = AmbiguousMove(Legality.SEVERAL_FIT, [sq("a1"), sq("b2")], text="b2", count=2)
    assert ambiguous.candidates == (sq("a1"), sq("b2"))
    assert ambiguous.fields == {"text": "b2", "count": 2}


# GAMES: every folder of the rules that defines a game, found by being there.


def test_every_folder_but_the_core_is_a_game() -> None:
    home = Path(rules.__file__).parent
    folders = {path.parent.name for path in home.glob("*/__init__.py")}
    assert set(GAMES) == folders - {"core"}


def test_games_are_known_by_their_keys() -> None:
    for key, game in GAMES.items():
        assert game.key == key
        assert key.isascii()
        assert key.islower()
        assert game.rules_version >= 1
