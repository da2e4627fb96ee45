"""The L-game again, slowly and from the rules' words: coordinates and sets, nothing shared with `rules.lgame`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

from rules.core import Seat, Square
from rules.lgame import GAME, LPosition, Move
from rules.lgame.board import GRID, PLACEMENTS, mask_of, squares

Cell = tuple[int, int]
Shape = frozenset[Cell]
State = tuple[Shape, Shape, Shape]
"""The L of the player to move, the other L, the two neutrals."""

Turning = tuple[bool, bool, bool]
"""Whether files and ranks change places; then, whether the files run backwards, and whether the ranks do."""

BOARD: Shape = frozenset((x, y) for x in range(4) for y in range(4))
VERTICAL: Turning = (False, True, False)
HORIZONTAL: Turning = (False, False, True)
RISING: Turning = (True, False, False)
FALLING: Turning = (True, True, True)
CENTRE: Turning = (False, True, True)
AXES = (VERTICAL, HORIZONTAL, RISING, FALLING)
ALL: tuple[Turning, ...] = tuple((a, b, c) for a, b, c in product((False, True), repeat=3))


def cells(text: str) -> Shape:
    """`b1 c1` as coordinates."""
    return frozenset(("abcd".index(word[0]), int(word[1]) - 1) for word in text.split())


def turned(shape: Shape, turning: Turning) -> Shape:
    swap, back, down = turning
    ways = [(y, x) if swap else (x, y) for x, y in shape]
    return frozenset((3 - x if back else x, 3 - y if down else y) for x, y in ways)


def _shapes() -> frozenset[Shape]:
    one = cells("a1 a2 a3 b1")
    found = set()
    for turning in ALL:
        for dx in range(-3, 4):
            for dy in range(-3, 4):
                moved = frozenset((x + dx, y + dy) for x, y in turned(one, turning))
                if moved <= BOARD:
                    found.add(moved)
    return frozenset(found)


SHAPES = _shapes()
START: State = (cells("b1 b2 b3 c1"), cells("b4 c4 c3 c2"), cells("a4 d1"))


def arrangements() -> Iterator[State]:
    """Every way to put both L's and the neutrals on the board."""
    for own in SHAPES:
        for other in SHAPES:
            if not own & other:
                for neutrals in combinations(BOARD - own - other, 2):
                    yield own, other, frozenset(neutrals)


def turns(state: State, lifts: int = 1) -> set[tuple[Shape, Shape]]:
    """Where the mover's L and the neutrals can be after a turn."""
    own, other, neutrals = state
    found = set()
    for shape in SHAPES:
        if shape == own or shape & (other | neutrals):
            continue
        for count in range(lifts + 1):
            for lifted in combinations(neutrals, count):
                stay = neutrals - set(lifted)
                for put in combinations(BOARD - shape - other - stay, count):
                    found.add((shape, stay | set(put)))
    return found


@cache
def classes() -> dict[State, State]:
    """For every arrangement, one that stands for it and its rotations and mirror images."""
    shape_to = {(shape, t): turned(shape, t) for shape in SHAPES for t in ALL}
    pair_to = {(p, t): turned(p, t) for p in map(frozenset, combinations(BOARD, 2)) for t in ALL}
    found: dict[State, State] = {}
    for state in arrangements():
        if state not in found:
            for t in ALL:
                found[shape_to[state[0], t], shape_to[state[1], t], pair_to[state[2], t]] = state
    return found


# What the tests of the L-game have in common.


NOTATION = GAME.notation
VARIANTS = ("classic", "sudden-death", "scoring", "symmetry", "half-turn", "puzzle")


def start(preset: str = "classic", **chosen: str) -> LPosition:
    return GAME.start(GAME.choose({"preset": preset, **chosen}))


def at(text: str, preset: str = "classic", **chosen: str) -> LPosition:
    return NOTATION.parse_position(text, GAME.choose({"preset": preset, **chosen}))


def play(position: LPosition, *typed: str) -> LPosition:
    for text in typed:
        (move,) = NOTATION.parse(text, position)
        position = position.play(move)
    return position


def shape(mask: int) -> Shape:
    return frozenset((square.file, square.rank) for square in squares(mask))


def state(position: LPosition) -> State:
    other = Seat.S1 if position.to_move else Seat.S2
    return shape(position.cells(position.to_move)), shape(position.cells(other)), shape(position.neutrals)


def position_of(state: State, like: LPosition) -> LPosition:
    """The oracle's state, player 1 to move, under the options of another position."""
    own, other, neutrals = (mask_of(Square(*cell) for cell in cells) for cells in state)
    return LPosition(like.options, Seat.S1, own, other, neutrals, like.scores)


def mv(text: str) -> Move:
    """A move from its canonical text, legal somewhere or not."""
    lying, *shifts = text.removeprefix("L ").split(" n ")
    (placement,) = (p for p in PLACEMENTS if str(p) == lying)
    starts, ends = ([GRID.find(shift.split("-")[at]) for shift in shifts] for at in (0, 1))
    return Move(placement.mask, mask_of(starts), mask_of(ends))
