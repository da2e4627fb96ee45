"""The L-game again, slowly and from the rules' words: coordinates and sets, nothing shared with `rules.lgame`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

Cell = tuple[int, int]
Shape = frozenset[Cell]
State = tuple[Shape, Shape, Shape]
"""The L of the player to move, the other L, the two neutrals."""

Turning = Callable[[Cell], Cell]

BOARD: Shape = frozenset((x, y) for x in range(4) for y in range(4))
VERTICAL: Turning = lambda c: (3 - c[0], c[1])
HORIZONTAL: Turning = lambda c: (c[0], 3 - c[1])
RISING: Turning = lambda c: (c[1], c[0])
FALLING: Turning = lambda c: (3 - c[1], 3 - c[0])
CENTRE: Turning = lambda c: (3 - c[0], 3 - c[1])
QUARTER: Turning = lambda c: (c[1], 3 - c[0])
BACK: Turning = lambda c: (3 - c[1], c[0])
AXES = (VERTICAL, HORIZONTAL, RISING, FALLING)
ALL = (*AXES, CENTRE, QUARTER, BACK, lambda c: c)


def cells(text: str) -> Shape:
    """`b1 c1` as coordinates."""
    return frozenset(("abcd".index(word[0]), int(word[1]) - 1) for word in text.split())


def turned(shape: Shape, turning: Turning) -> Shape:
    return frozenset(map(turning, shape))


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


@dataclass(frozen=True)
class Solution:
    """Arrangements up to symmetry: how many plies each lasts when the player to move wins or loses."""

    known: int
    won: dict[State, int]
    lost: dict[State, int]
    class_of: dict[State, State]


def solve(images: tuple[Turning, ...] = (), lifts: int = 1) -> Solution:
    """Retrograde analysis over classes of arrangements; an image of the other L in one of `images` wins at once."""
    class_of: dict[State, State] = {}
    shape_to = {(shape, t): turned(shape, t) for shape in SHAPES for t in ALL}
    pair_to = {(p, t): turned(p, t) for p in map(frozenset, combinations(BOARD, 2)) for t in ALL}
    for state in arrangements():
        if state not in class_of:
            for t in ALL:
                class_of[shape_to[state[0], t], shape_to[state[1], t], pair_to[state[2], t]] = state
    won: dict[State, int] = {}
    lost: dict[State, int] = {}
    waiting: dict[State, set[State]] = {}
    reached_from: dict[State, set[State]] = {}
    known = deque[State]()
    for state in set(class_of.values()):
        after = turns(state, lifts)
        if any(state[1] == shape_to[shape, t] for shape, _ in after for t in images):
            won[state] = 1
            known.append(state)
            continue
        waiting[state] = {class_of[state[1], shape, neutrals] for shape, neutrals in after}
        for following in waiting[state]:
            reached_from.setdefault(following, set()).add(state)
        if not after:
            lost[state] = 0
            known.appendleft(state)
    while known:  # by plies: what ends sooner is known first
        state = known.popleft()
        for earlier in reached_from.get(state, ()):
            if earlier in won or earlier in lost:
                continue
            if state in lost:
                won[earlier] = lost[state] + 1
                known.append(earlier)
            else:
                waiting[earlier].discard(state)
                if not waiting[earlier]:
                    lost[earlier] = won[state] + 1
                    known.append(earlier)
    return Solution(len(set(class_of.values())), won, lost, class_of)
