"""The engine for the L-game with points: searched at first, solved near its end.

Retrograde analysis finds the winner and the plies to the end when each seat lacks few points. What a seat lacks never
grows, so all arrangements in which the seats lack a and b points depend only on those in which one seat lacks less. One
such pair is solved as `table_engine` solves a variant, backwards and for all pairs of neutrals at once; but a turn that
scores leads to another pair, and one that blocks to the start of another.

Arrangements are named as in `table_engine`. One in which the seat to move is blocked does not occur: the pieces go back.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, TypeAlias

from engine.core import SILENT, Budget, Clock, Engine, EngineKind, Meter, SearchListener, SearchResult
from engine.generic import GenericEngine
from engine.lgame.table_engine import (
    CLEAR,
    COUNT,
    INDEX,
    MASKS,
    PAIR,
    KnownMove,
    known_results,
    names,
    reached_from,
    solution,
)
from rules.core import Seat, squashed
from rules.lgame import GAME, LPosition, Move, Options
from rules.lgame.board import fitting
from rules.lgame.options import BLOCK_POINTS, Variant

_LEAD: Final = 4.0  # points that are half a win, when the goal is far
_ROOM: Final = 4  # with so few ways to lie, an L is in danger of being blocked


def evaluate(position: LPosition, seat: Seat, /) -> float:
    """The lead, what each can score in its next turn (the one to move for sure), and how near each is to a block."""
    other = Seat.S1 if seat else Seat.S2
    painted, neutrals = position.options.painted, position.neutrals
    own, foe = position.cells(seat), position.cells(other)
    mine, theirs = fitting(foe | neutrals), fitting(own | neutrals)
    ahead = float(position.scores[seat] - position.scores[other])
    first = position.to_move == seat
    ahead += (1.0 if first else 0.5) * _most(mine, own, painted)
    ahead -= (0.5 if first else 1.0) * _most(theirs, foe, painted)
    ahead += _danger(theirs, not first) - _danger(mine, first)
    goal = position.options.goal
    near = max(position.scores) / goal
    return squashed(ahead * (1.0 + 2.0 * near) / _LEAD)


def _most(places: tuple[int, ...], own: int, painted: int) -> int:
    return max(((cells & painted).bit_count() for cells in places if cells != own), default=0)


def _danger(places: tuple[int, ...], to_move: bool) -> float:
    left = len(places) - 1
    if left >= _ROOM:
        return 0.0
    return (0.3 if to_move else 1.0) * BLOCK_POINTS * (_ROOM - left) / (2 * _ROOM)


Lack: TypeAlias = tuple[int, int]  # how many points each seat lacks
Layer: TypeAlias = tuple[dict[int, int], ...]
"""Sets of pairs by key; one mapping for each number of painted cells that the L of the seat not to move covers."""

_GAINS: Final = 4
_RULES: Final = solution(Options())
_PAIRS: Final = {key: room for key, (room, _) in _RULES.room.items()}
_BLOCKED: Final = _RULES.layers[0]
_BEGIN: Final = GAME.start(Options(Variant.SCORING))


def lack(position: LPosition) -> Lack:
    """Return how many points each seat lacks."""
    goal = position.options.goal
    return goal - position.scores[0], goal - position.scores[1]


class _Tablebase:
    __slots__ = ("layers", "lost", "won")

    def __init__(self) -> None:
        self.won: Final = dict.fromkeys(_PAIRS, 0)
        self.lost: Final = dict.fromkeys(_PAIRS, 0)
        self.layers: Final[list[Layer]] = [_layer()]

    def at(self, plies: int, gain: int) -> dict[int, int]:
        return self.layers[plies][gain] if plies < len(self.layers) else {}


def _layer() -> Layer:
    return tuple({} for _ in range(_GAINS))


class _Transitions:
    __slots__ = ("after", "gain", "keys", "known", "reset")

    def __init__(self, gain: int, after: _Tablebase | None, reset: int | None, keys: tuple[int, ...]) -> None:
        self.gain: Final = gain  # the points
        self.after: Final = after  # the table that follows; None: they win at once
        # Plies to the end after a turn that blocks too; 0 where that wins at once, None in a draw.
        self.reset: Final = reset
        self.keys: Final = keys  # the arrangements that they lead to
        self.known: Final = dict.fromkeys(keys, 0)  # what of these is known to be won for the opponent

    def decided(self, plies: int) -> Iterator[tuple[int, int]]:
        if self.after is None:
            if not plies:
                yield from ((key, _PAIRS[key]) for key in self.keys)
            return
        layer = self.after.at(plies, self.gain)
        if self.reset != plies:
            yield from layer.items()
            return
        for key in self.keys:
            pairs = layer.get(key, 0) | _BLOCKED.get(key, 0)
            if pairs:
                yield key, pairs

    def longest(self) -> int:
        layers = len(self.after.layers) if self.after and self.gain else 0
        return max(layers, (self.reset or 0) + 1)


class PointsSolution:
    """The solution of the game for points with some painted cells, as far as it has been computed."""

    def __init__(self, painted: int) -> None:
        self._gains: Final = tuple((mask & painted).bit_count() for mask in MASKS)
        self._keys: Final = tuple(
            tuple(key for key in _PAIRS if self._gains[key % COUNT] == gain) for gain in range(_GAINS)
        )
        self._tables: Final[dict[tuple[int, Lack], _Tablebase]] = {}

    def missing(self, lacking: Lack) -> list[Lack]:
        """Return what has to be solved, in this order, before the distance of a position is known."""
        pairs = [(a, b) for a in range(1, lacking[0] + 1) for b in range(1, lacking[1] + 1)]
        return sorted((pair for pair in pairs if (0, pair) not in self._tables), key=sum)

    def distance(self, position: LPosition) -> int | None:
        """Return the plies to the end: even where the seat to move loses, odd where it wins, None in a draw.

        The position goes on, and nothing is `missing` for it.
        """
        own, other, pair = names(position)
        return self._asked(position.to_move, lack(position), own * COUNT + other, pair)

    def solve(self, lacking: Lack) -> None:
        """Solve one pair; all smaller ones have been solved."""
        tables = _Tablebase(), _Tablebase()
        for seat in (0, 1):
            self._tables[seat, lacking] = tables[seat]
        ways = [self._ways(seat, lacking) for seat in (0, 1)]
        safe: list[dict[int, int]] = [
            {key: _PAIRS[key] for way in ways[seat] if way.after for key in way.keys} for seat in (0, 1)
        ]
        last = max(way.longest() for each in ways for way in each)
        plies = 1
        while plies <= last + 1:
            for seat in (0, 1):
                if plies % 2:
                    found = self._won(tables[seat], ways[seat], plies)
                else:
                    found = self._lost(tables[seat], ways[seat], safe[seat], plies)
                tables[seat].layers.append(found)
                if any(found):
                    last = max(last, plies)
            plies += 1
        for table in tables:
            while not any(table.layers[-1]):
                table.layers.pop()

    def _ways(self, seat: int, lacking: Lack) -> list[_Transitions]:
        ways = []
        for gain in range(_GAINS):
            left, blocked = _less(lacking, seat, gain), _less(lacking, seat, gain + BLOCK_POINTS)
            after = self._tables[1 - seat, left] if left[seat] > 0 else None
            reset: int | None = 0
            if blocked[seat] > 0:
                own, other = (_BEGIN.first, _BEGIN.second) if seat else (_BEGIN.second, _BEGIN.first)
                key = INDEX[own] * COUNT + INDEX[other]
                reset = self._asked(1 - seat, blocked, key, PAIR[_BEGIN.neutrals])
            ways.append(_Transitions(gain, after, reset, self._keys[gain]))
        return ways

    def _won(self, table: _Tablebase, ways: list[_Transitions], plies: int) -> Layer:
        before: dict[int, list[tuple[int, int]]] = {}
        for way in ways:
            for key, pairs in way.decided(plies - 1):
                before.setdefault(key // COUNT, []).append((key % COUNT, _RULES.around(key, pairs)))
        found = _layer()
        for other, reaching in before.items():
            for key, reached in reached_from(other, reaching):
                fresh = reached & _PAIRS[key] & ~(table.won[key] | _BLOCKED.get(key, 0))
                if fresh:
                    table.won[key] |= fresh
                    found[self._gains[other]][key] = fresh
        return found

    def _lost(self, table: _Tablebase, ways: list[_Transitions], safe: dict[int, int], plies: int) -> Layer:
        """What is lost since all turns lead to something won for the opponent, and was not known to be lost.

        `safe` says for each arrangement that a turn leads to, from where one that is not won for the opponent is reached.
        """
        others = set()
        for way in ways:
            for key, pairs in way.decided(plies - 1):
                way.known[key] |= pairs
                safe[key] = _RULES.around(key, _PAIRS[key] & ~way.known[key])
                others.add(key // COUNT)
        found = _layer()
        for other in others:
            start = other * COUNT
            reaching = [(own, safe[start + own]) for own in CLEAR[other] if start + own in safe]
            for key, kept in reached_from(other, reaching):
                fresh = _PAIRS[key] & ~(kept | table.lost[key] | table.won[key] | _BLOCKED.get(key, 0))
                if fresh:
                    table.lost[key] |= fresh
                    found[self._gains[other]][key] = fresh
        return found

    def _asked(self, seat: int, lacking: Lack, key: int, pair: int) -> int | None:
        table = self._tables[seat, lacking]
        if not (table.won[key] | table.lost[key]) & pair:
            return None
        gain = self._gains[key % COUNT]
        return next(plies for plies, layer in enumerate(table.layers) if layer[gain].get(key, 0) & pair)


def _less(lacking: Lack, seat: int, points: int) -> Lack:
    first, second = lacking
    return (first, second - points) if seat else (first - points, second)


points_solution: Final = lru_cache(maxsize=1)(PointsSolution)  # a hundred pairs take some 55 MB


MOST: Final = 100  # the most pairs of lacking points that are solved, at some 0.6 MB and 17 ms each
_NODES: Final = 2800  # nodes that solving one pair counts for: a search makes so many in that time
_SHARE: Final = 0.5  # the part of the time that solving may take; the search has the rest
_LINE: Final = 4  # plies of the expected play that are told


class LPoints(Engine[LPosition, Move]):
    """The game for points.

    Where the seats lack few points, and the budget pays for it, it solves the game and answers exactly. With a limit of
    depth it always searches.
    """

    name = "lpoints"
    kind = EngineKind.PYTHON

    def __init__(self, clock: Clock) -> None:
        self._clock: Final = clock
        self._search: Final[GenericEngine[LPosition, Move]] = GenericEngine(
            ((Seat.S1,), (Seat.S2,)), evaluate, clock, name=self.name, kind=self.kind
        )

    def fits(self, position: LPosition) -> bool:
        return bool(position.options.goal)

    def ranked(
        self,
        position: LPosition,
        budget: Budget,
        *,
        most: int,
        seed: int = 0,
        listener: SearchListener = SILENT,
    ) -> Sequence[SearchResult[Move]]:
        self.check(position)
        began = self._clock()
        solution = points_solution(position.options.painted)
        if self._solved(solution, position, budget, listener):
            known = list(_known(solution, position))
            random.Random(seed).shuffle(known)  # noqa: S311 - a game, no secret
            results = known_results(known, lambda each: _line(solution, position, each), most, self.name)
            listener.better(results[0])
            return results
        if budget.seconds is not None:
            spent = self._clock() - began
            budget = replace(budget, seconds=max(budget.seconds - spent, budget.seconds / 10))
        return self._search.ranked(position, budget, most=most, seed=seed, listener=listener)

    def forget(self) -> None:
        points_solution.cache_clear()

    def _solved(
        self, solution: PointsSolution, position: LPosition, budget: Budget, listener: SearchListener
    ) -> bool:
        """Solve all that can follow, if the budget pays for it; return whether it is solved.

        A budget of nodes pays for all of it, solved before or not, so that the same budget has the same answer.
        """
        first, second = lack(position)
        if budget.depth is not None or first * second > MOST:
            return False
        if budget.nodes is not None and first * second * _NODES > budget.nodes:
            return False
        share = None if budget.seconds is None else budget.seconds * _SHARE
        meter = Meter(replace(budget, seconds=share), self._clock, listener)
        for lacking in solution.missing((first, second)):
            if meter.stopped():
                return False
            solution.solve(lacking)
        return True


def _known(solution: PointsSolution, position: LPosition) -> Iterator[KnownMove]:
    for move in position.legal_moves():
        after = position.play(move)
        left = 0 if after.outcome else solution.distance(after)
        yield KnownMove(move, None if left is None else left + 1, 0)


def _line(solution: PointsSolution, position: LPosition, known: KnownMove) -> tuple[Move, ...]:
    line = [known.move]
    here = position.play(known.move)
    while here.outcome is None and len(line) < _LINE:
        plies = solution.distance(here)
        line.append(next(each.move for each in _known(solution, here) if each.plies == plies))
        here = here.play(line[-1])
    return tuple(line)
