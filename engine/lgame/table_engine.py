"""The engine that looks the L-game up in its solution: the winner and the plies to the end from every arrangement.

Retrograde analysis computes many arrangements at a time. With both L's given, the 120 ways to put two neutrals on the
board are the bits of one integer, and one step backwards for all of them is a few operations: going back over a neutral's
move takes a set of pairs to all pairs that share a cell with one of them. The 18368 arrangements are 656 such integers.

Distances count plies to the end when the winner hurries and the loser holds out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from typing import Final

from engine.core import SILENT, Budget, Engine, EngineKind, GameValue, Proof, SearchListener, SearchResult
from rules.core import squashed
from rules.lgame import LPosition, Move
from rules.lgame.board import FULL, PLACEMENTS
from rules.lgame.options import Options

MASKS: Final = tuple(p.mask for p in PLACEMENTS)
COUNT: Final = len(MASKS)
INDEX: Final = {mask: at for at, mask in enumerate(MASKS)}
CLEAR: Final = tuple(tuple(at for at in range(COUNT) if not MASKS[at] & mask) for mask in MASKS)
"""For each L, those that touch it nowhere."""

PAIRS: Final = tuple(1 << low | 1 << high for high in range(16) for low in range(high))
"""The two cells of neutrals that each bit of a set of pairs stands for."""
PAIR: Final = {pair: 1 << at for at, pair in enumerate(PAIRS)}
STAR: Final = {1 << cell: sum(bit for pair, bit in PAIR.items() if pair >> cell & 1) for cell in range(16)}
"""The pairs that have a cell."""


@lru_cache(maxsize=512)  # 328 ways for two L's to lie
def _stars(taken: int) -> tuple[int, tuple[int, ...]]:
    """Return the pairs that fit beside two L's, and of these those with each free cell."""
    free = [1 << cell for cell in range(16) if (FULL ^ taken) >> cell & 1]
    room = sum(PAIR[low | high] for low, high in combinations(free, 2))
    return room, tuple([STAR[cell] & room for cell in free])


class Solution:
    """Every arrangement of one variant that has no points.

    Arrangements are named by the L of the seat to move, the other L (indexes of `MASKS`), and a bit of `PAIR`.
    """

    __slots__ = ("_images", "_lost", "_lots", "_won", "layers", "room")

    def __init__(self, options: Options) -> None:
        self._lots: Final = options.lifts > 1
        self._images: Final = frozenset(
            INDEX[mover] * COUNT + INDEX[image]
            for mover, images in options.images.items()
            for image in images
        )
        # By the key of two L's, the first times `COUNT` and the second: see `_stars`.
        self.room: Final = {
            own * COUNT + other: _stars(MASKS[own] | MASKS[other])
            for own in range(COUNT)
            for other in CLEAR[own]
        }
        self._won: Final = dict.fromkeys(self.room, 0)
        self._lost: Final = dict.fromkeys(self.room, 0)
        self.layers: Final[list[dict[int, int]]] = []
        self._solve()

    def _solve(self) -> None:
        escapes = {key: room for key, (room, _) in self.room.items()}
        lost = self._losing(escapes, set(range(COUNT)))
        self.layers.append(lost)
        for key in self._images & escapes.keys():
            del escapes[key]
        # Making an image ends the game: it is as good as coming to an arrangement without a move.
        arrived = dict(lost)
        arrived |= {key: self.room[key][0] for key in self._images & self.room.keys()}
        while arrived:
            won = self._winning(arrived)
            self.layers.append(won)
            others = set()
            for key in won:
                if key not in self._images:
                    room, _ = self.room[key]
                    escapes[key] = self.around(key, room & ~self._won[key])
                    others.add(key // COUNT)
            arrived = self._losing(escapes, others)
            self.layers.append(arrived)
            arrived = {key: sets for key, sets in arrived.items() if key not in self._images}
        while not self.layers[-1]:
            self.layers.pop()

    def around(self, key: int, pairs: int) -> int:
        """Return the pairs from which a turn, with these L's lying, can lead to one of some pairs."""
        room, stars = self.room[key]
        if not pairs:
            return 0
        if self._lots:
            return room
        found = 0
        for star in stars:
            if pairs & star:
                found |= star
        return found

    def _winning(self, arrived: dict[int, int]) -> dict[int, int]:
        before: dict[int, list[tuple[int, int]]] = {}
        for key, pairs in arrived.items():
            before.setdefault(key // COUNT, []).append((key % COUNT, self.around(key, pairs)))
        won, found = self._won, {}
        for other, ways in before.items():
            for key, reached in reached_from(other, ways):
                fresh = reached & self.room[key][0] & ~won[key]
                if fresh:
                    won[key] |= fresh
                    found[key] = fresh
        return found

    def _losing(self, escapes: dict[int, int], others: set[int]) -> dict[int, int]:
        lost, found = self._lost, {}
        for other in others:
            start = other * COUNT
            ways = [(own, escapes[start + own]) for own in CLEAR[other] if start + own in escapes]
            for key, safe in reached_from(other, ways):
                fresh = self.room[key][0] & ~(safe | lost[key] | self._won[key])
                if fresh:
                    lost[key] |= fresh
                    found[key] = fresh
        return found

    def distance(self, own: int, other: int, pair: int) -> int | None:
        """Return the plies to the end: even where the seat to move loses, odd where it wins, None in a draw."""
        key = own * COUNT + other
        if not (self._won[key] | self._lost[key]) & pair:
            return None
        for plies, layer in enumerate(self.layers):
            if layer.get(key, 0) & pair:
                return plies
        raise AssertionError(key)

    def turns(self, own: int, other: int, pair: int) -> Iterator[tuple[int, int]]:
        """Yield where a turn may lead: the new place of the L that moves, and the pairs that the neutrals can form."""
        neutrals = PAIRS[pair.bit_length() - 1]
        for place in CLEAR[other]:
            if place != own and not MASKS[place] & neutrals:
                yield place, self.around(other * COUNT + place, pair)

    def best(self, own: int, other: int, pair: int) -> list[tuple[int, int]]:
        """Return all turns that keep the value and the distance, as `turns` has them."""
        plies = self.distance(own, other, pair)
        start = other * COUNT
        images = self._images
        layer = self.layers[plies - 1] if plies else {}
        found = []
        for place, pairs in self.turns(own, other, pair):
            key = start + place
            if key in images:
                kept = pairs if plies == 1 else 0
            else:
                kept = pairs & (~self._won[key] if plies is None else layer.get(key, 0))
            if kept:
                found.append((place, kept))
        return found

    def after(self, other: int, place: int, pair: int) -> int | None:
        """Return the plies to the end after a turn that puts the mover's L on a place: even where the mover wins."""
        if other * COUNT + place in self._images:
            return 0
        return self.distance(other, place, pair)


def reached_from(other: int, ways: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield for each arrangement with one L given the pairs from which a turn can take one of some ways.

    A way is where the moving L may come to lie, with the pairs from which that can be.
    """
    once = twice = 0
    for _, pairs in ways:
        twice |= once & pairs
        once |= pairs
    by = dict(ways)
    for own in CLEAR[other]:
        # An L must move: the way that ends where it lies is not open to it.
        yield own * COUNT + other, twice | once & ~by.get(own, 0)


solution: Final = lru_cache(maxsize=8)(Solution)

CORNERS: Final = 0b1001_0000_0000_1001
_ROOM: Final = 14.0  # replies of the opponent that are neither many nor few, at a glance


@dataclass(frozen=True, slots=True)
class KnownMove:
    """A turn and what is known of it."""

    move: Move
    plies: int | None  # to the end, this one included: odd where it wins, even where it loses; None in a draw
    replies: int  # of a drawn turn, how many of the opponent's turns do not lose; else 0

    @property
    def rank(self) -> tuple[int, int]:
        """The sorting key that puts the best turn first."""
        if self.plies is None:
            return (1, self.replies)
        return (0, self.plies) if self.plies % 2 else (2, -self.plies)

    @property
    def proof(self) -> Proof:
        """What is certain after the turn."""
        if self.plies is None:
            return Proof(GameValue.DRAW, exact=True)
        return Proof(GameValue.WIN if self.plies % 2 else GameValue.LOSS, self.plies, exact=True)


def known_results(
    known: list[KnownMove], line_of: Callable[[KnownMove], tuple[Move, ...]], most: int, engine: str
) -> list[SearchResult[Move]]:
    """Return the best of all legal turns as exact results; turns of equal rank keep their order.

    `line_of` returns the expected play after a turn.
    """
    results = []
    for each in sorted(known, key=lambda each: each.rank)[:most]:
        line, proof = line_of(each), each.proof
        results.append(
            SearchResult((each.move,), float(proof.result), proof, line, len(line), len(known), 0, engine)
        )
    return results


class LTables(Engine[LPosition, Move]):
    """Classic, sudden death and symmetry, exactly, in no time.

    A budget of `depth` plies hides what lies beyond them; a guess takes its place. The weaker levels use that.
    """

    name = "ltables"
    kind = EngineKind.TABLES

    def fits(self, position: LPosition) -> bool:
        return not position.options.goal

    def ranked(
        self,
        position: LPosition,
        budget: Budget,
        *,
        most: int,
        seed: int = 0,
        listener: SearchListener = SILENT,
    ) -> Sequence[SearchResult[Move]]:
        """Return the best turns: quick wins, then draws that leave few safe replies, then long defences."""
        self.check(position)
        solved = solution(position.options)
        known = list(_known(solved, position))
        random.Random(seed).shuffle(known)  # noqa: S311 - a game, no secret
        if budget.depth is not None:
            return self._short_sighted(solved, position, known, budget.depth)[:most]
        results = known_results(known, lambda each: _line(solved, position, each), most, self.name)
        listener.better(results[0])
        return results

    def _short_sighted(
        self, solved: Solution, position: LPosition, known: Sequence[KnownMove], depth: int
    ) -> list[SearchResult[Move]]:
        results = []
        for each in known:
            proof = each.proof if each.plies is not None and each.plies <= depth else None
            value = float(proof.result) if proof else _looks(solved, position, each.move)
            line = (each.move,)
            results.append(SearchResult(line, value, proof, line, depth, len(known), 0, self.name))
        results.sort(key=_sooner)
        return results


def _sooner(result: SearchResult[Move]) -> tuple[float, int]:
    plies = result.proof.plies if result.proof else 0
    return (-result.value, plies if result.value > 0 else -plies)


def names(position: LPosition) -> tuple[int, int, int]:
    """Return an arrangement as the solver names it."""
    own, other = position.both
    return INDEX[own], INDEX[other], PAIR[position.neutrals]


@cache  # at most 48 * 66 * 28 moves
def made_move(place: int, before: int, pair: int) -> Move:
    """Return the move of the L to a place and of the neutrals from some cells to a pair."""
    after = PAIRS[pair.bit_length() - 1]
    return Move(MASKS[place], before & ~after, after & ~before)


def pairs_in(pairs: int) -> Iterator[int]:
    """Yield the single pairs of a set, the lowest bit first."""
    while pairs:
        yield pairs & -pairs
        pairs &= pairs - 1


def _known(solved: Solution, position: LPosition) -> Iterator[KnownMove]:
    own, other, pair = names(position)
    for place, pairs in solved.turns(own, other, pair):
        for after in pairs_in(pairs):
            left = solved.after(other, place, after)
            drawn = solved.best(other, place, after) if left is None else ()
            replies = sum(pairs.bit_count() for _, pairs in drawn)
            plies = None if left is None else left + 1
            yield KnownMove(made_move(place, position.neutrals, after), plies, replies)


def _line(solved: Solution, position: LPosition, known: KnownMove) -> tuple[Move, ...]:
    line = [known.move]
    here = position.play(known.move)
    while here.outcome is None and (len(line) < 2 or known.plies is not None):
        place, pairs = solved.best(*names(here))[0]
        line.append(made_move(place, here.neutrals, pairs & -pairs))
        here = here.play(line[-1])
    return tuple(line)


def _looks(solved: Solution, position: LPosition, move: Move) -> float:
    after = position.play(move)
    turns = sum(pairs.bit_count() for _, pairs in solved.turns(*names(after)))
    corner = 0.1 if move.cells & CORNERS else 0.0
    return squashed((_ROOM * 6 - turns) / (_ROOM * 24)) - corner
