"""The engine that looks the L-game up in its solution."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from engine.core import SILENT, Budget, Engine, EngineKind, GameValue, Proof, SearchListener, SearchResult
from engine.lgame.solver import INDEX, MASKS, PAIR, PAIRS, Solution, solution
from rules.core import Seat, squashed
from rules.lgame import LPosition, Move

_CORNERS: Final = 0b1001_0000_0000_1001
_ROOM: Final = 14.0
"""Replies of the opponent that are neither many nor few, at a glance."""


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
            return Proof(GameValue.DRAW)
        return Proof(GameValue.WIN if self.plies % 2 else GameValue.LOSS, self.plies)


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
        """Return the turns as they look to a player who sees so many plies ahead."""
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
    own = position.cells(position.to_move)
    other = position.cells(Seat.S1 if position.to_move else Seat.S2)
    return INDEX[own], INDEX[other], PAIR[position.neutrals]


@cache  # at most 48 * 66 * 28 moves
def made_move(place: int, before: int, pair: int) -> Move:
    """Return the move of the L to a place and of the neutrals from some cells to a pair."""
    after = PAIRS[pair.bit_length() - 1]
    return Move(MASKS[place], before & ~after, after & ~before)


def pairs_in(pairs: int) -> Iterator[int]:
    """Yield the single pairs of a set, the lowest bit first."""
    while pairs:
        low = pairs & -pairs
        yield low
        pairs ^= low


def _known(solved: Solution, position: LPosition) -> Iterator[KnownMove]:
    own, other, pair = names(position)
    for place, pairs in solved.turns(own, other, pair):
        for after in pairs_in(pairs):
            left = solved.after(other, place, after)
            replies = solved.safe_replies(other, place, after) if left is None else 0
            plies = None if left is None else left + 1
            yield KnownMove(made_move(place, position.neutrals, after), plies, replies)


def _line(solved: Solution, position: LPosition, known: KnownMove) -> tuple[Move, ...]:
    """Return best play by both to the end; of a draw the turn and a reply."""
    line = [known.move]
    here = position.play(known.move)
    while here.outcome is None and (len(line) < 2 or known.plies is not None):
        place, pairs = solved.best(*names(here))[0]
        line.append(made_move(place, here.neutrals, pairs & -pairs))
        here = here.play(line[-1])
    return tuple(line)


def _looks(solved: Solution, position: LPosition, move: Move) -> float:
    """Return how a turn looks at a glance: good if it leaves few replies and keeps out of the corners."""
    after = position.play(move)
    turns = sum(pairs.bit_count() for _, pairs in solved.turns(*names(after)))
    corner = 0.1 if move.cells & _CORNERS else 0.0
    return squashed((_ROOM * 6 - turns) / (_ROOM * 24)) - corner
