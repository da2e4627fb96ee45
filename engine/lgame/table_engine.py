"""The engine that knows the L-game: its answers are looked up."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from engine.core import SILENT, Budget, Engine, EngineKind, GameValue, Proof, SearchListener, SearchResult
from engine.lgame.solver import INDEX, MASKS, PAIR, PAIRS, Solution, solution
from rules.core import Seat, squashed
from rules.lgame import LPosition, Move

_CORNERS: Final = 0b1001_0000_0000_1001
_ROOM: Final = 14.0
"""Turns of the opponent that are neither many nor few, for somebody who does not look further."""


@dataclass(frozen=True, slots=True)
class KnownMove:
    """A turn, and what is known of it.

    Attributes:
        move: The turn.
        plies: To the end, counting this one: odd where it wins, even where it loses; None in a draw.
        replies: Where it draws, how many of the opponent's turns do not lose; else 0.
    """

    move: Move
    plies: int | None
    replies: int


class LTables(Engine[LPosition, Move]):
    """Classic, sudden death and symmetry, exactly. Time does not matter to it.

    A budget of `depth` plies makes it see only as far: what lies beyond is guessed at. The weaker levels use that.
    """

    name = "ltables"
    kind = EngineKind.TABLES

    def fits(self, position: LPosition) -> bool:
        """All but the game for points."""
        return not position.options.goal

    def think(
        self, position: LPosition, budget: Budget, *, seed: int = 0, listener: SearchListener = SILENT
    ) -> SearchResult[Move]:
        """A best turn: the quickest win, the longest defence, in a draw one that leaves the fewest safe replies."""
        return self.ranked(position, budget, most=1, seed=seed, listener=listener)[0]

    def ranked(
        self,
        position: LPosition,
        budget: Budget,
        *,
        most: int,
        seed: int = 0,
        listener: SearchListener = SILENT,
    ) -> Sequence[SearchResult[Move]]:
        """The best turns; see `Engine.ranked`. Among draws, those that leave fewer safe replies come first."""
        if position.outcome is not None or not self.fits(position):
            raise ValueError("nothing to think about")
        solved = solution(position.options)
        ways = list(_ways(solved, position))
        random.Random(seed).shuffle(ways)  # noqa: S311 - a game, no secret
        if budget.depth is not None:
            return self._short_sighted(solved, position, ways, budget.depth, most)
        ways.sort(key=rank)
        results = [self._known(solved, position, way, len(ways)) for way in ways[:most]]
        listener.better(results[0])
        return results

    def _known(self, solved: Solution, position: LPosition, way: KnownMove, nodes: int) -> SearchResult[Move]:
        proof = proof_of(way)
        line = _line(solved, position, way)
        return SearchResult((way.move,), float(proof.result), proof, line, len(line), nodes, 0, self.name)

    def _short_sighted(
        self, solved: Solution, position: LPosition, ways: Sequence[KnownMove], depth: int, most: int
    ) -> Sequence[SearchResult[Move]]:
        """The turns by what somebody sees who looks so many plies ahead."""
        results = []
        for way in ways:
            seen = way.plies is not None and way.plies <= depth
            proof = proof_of(way) if seen else None
            value = float(proof.result) if proof else _looks(solved, position, way.move)
            line = (way.move,)
            results.append(SearchResult(line, value, proof, line, depth, len(ways), 0, self.name))
        results.sort(key=_sooner)
        return results[:most]


def _sooner(result: SearchResult[Move]) -> tuple[float, int]:
    plies = result.proof.plies if result.proof else 0
    return (-result.value, plies if result.value > 0 else -plies)


def names(position: LPosition) -> tuple[int, int, int]:
    """An arrangement as the solver names it."""
    own = position.cells(position.to_move)
    other = position.cells(Seat.S1 if position.to_move else Seat.S2)
    return INDEX[own], INDEX[other], PAIR[position.neutrals]


def plies_to_end(position: LPosition) -> int | None:
    """Even where the seat to move loses, odd where it wins, None in a draw; for positions that go on."""
    return solution(position.options).distance(*names(position))


def best_moves(position: LPosition) -> list[Move]:
    """Every turn that keeps the value and the distance."""
    before, made = position.neutrals, _MADE
    moves = []
    for place, left in solution(position.options).best(*names(position)):
        pairs = left
        while pairs:
            pair = pairs & -pairs
            pairs ^= pair
            moves.append(made[place, before, pair])
    return moves


def _each(pairs: int) -> Iterator[int]:
    while pairs:
        low = pairs & -pairs
        yield low
        pairs ^= low


class _Made(dict[tuple[int, int, int], Move]):
    """Moves by where the L goes, and the neutrals before and after; at most 48 * 66 * 28 of them, each made once."""

    def __missing__(self, key: tuple[int, int, int]) -> Move:
        place, before, pair = key
        after = PAIRS[pair.bit_length() - 1]
        move = self[key] = Move(MASKS[place], before & ~after, after & ~before)
        return move


_MADE: Final = _Made()


def _move(place: int, before: int, pair: int) -> Move:
    return _MADE[place, before, pair]


def _ways(solved: Solution, position: LPosition) -> Iterator[KnownMove]:
    """Every legal turn."""
    own, other, pair = names(position)
    for place, pairs in solved.turns(own, other, pair):
        for after in _each(pairs):
            left = solved.after(other, place, after)
            replies = solved.safe_replies(other, place, after) if left is None else 0
            plies = None if left is None else left + 1
            yield KnownMove(_move(place, position.neutrals, after), plies, replies)


def rank(way: KnownMove) -> tuple[int, int]:
    """The best first."""
    if way.plies is None:
        return (1, way.replies)
    return (0, way.plies) if way.plies % 2 else (2, -way.plies)


def proof_of(way: KnownMove) -> Proof:
    """What is certain after a turn."""
    if way.plies is None:
        return Proof(GameValue.DRAW)
    return Proof(GameValue.WIN if way.plies % 2 else GameValue.LOSS, way.plies)


def _line(solved: Solution, position: LPosition, way: KnownMove) -> tuple[Move, ...]:
    """Best play by both to the end; in a draw the turn and an answer."""
    line = [way.move]
    here = position.play(way.move)
    while here.outcome is None and (len(line) < 2 or way.plies is not None):
        place, pairs = solved.best(*names(here))[0]
        line.append(_move(place, here.neutrals, pairs & -pairs))
        here = here.play(line[-1])
    return tuple(line)


def _looks(solved: Solution, position: LPosition, move: Move) -> float:
    """How a turn looks to somebody who does not look further: few turns left for the other, no corner for oneself."""
    after = position.play(move)
    turns = sum(pairs.bit_count() for _, pairs in solved.turns(*names(after)))
    corner = 0.1 if move.cells & _CORNERS else 0.0
    return squashed((_ROOM * 6 - turns) / (_ROOM * 24)) - corner
