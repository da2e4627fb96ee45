"""Best-first search over whole turns: the principal variation is extended until another turn looks better.

With two sides the tree follows the order of play. With more, a turn of ours is answered by the one turn of any enemy that
hurts us most, and then we are to move again: among many enemies each is a danger, and what they do together seldom is.

The most promising whole turns are found by beam search, as sets of actions, since their order does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Final, NamedTuple

from engine.core import BudgetExhausted, Meter
from engine.klopodavka.evaluation import DECIDED, WON, FeatureWeights, evaluate
from engine.klopodavka.state import SearchState, bits_of


class _ScoredTurn(NamedTuple):
    value: float  # the evaluation of the state after it, for the seat that made it
    cells: int  # the cells it acts on
    after: SearchState


def _turns(
    state: SearchState, by: FeatureWeights, *, width: int, most: int, meter: Meter
) -> tuple[list[_ScoredTurn], bool]:
    """Return the best `most` turns of a beam search, the best first; and whether these are all there are.

    After each action only the best `width` sets are continued. A set of cells is made once, in one order.
    """
    side = state.field.ruleset.side[state.seat]
    beam = [_ScoredTurn(0.0, 0, state)]
    done: list[_ScoredTurn] = []
    whole = True
    for left in range(state.left, 0, -1):
        tried: set[int] = set()
        made: list[_ScoredTurn] = []
        for _, cells, here in beam:
            for bit in bits_of(here.reached):
                if cells | bit in tried:
                    continue
                tried.add(cells | bit)
                meter.tick()
                after = here.act(bit)
                made.append(_ScoredTurn(evaluate(after, side, by), cells | bit, after))
        made.sort(key=attrgetter("value"), reverse=True)
        if left == 1:
            done += made
        else:
            # A seat that cannot act is out, and its turn is over.
            done += [turn for turn in made if turn.after.end or turn.after.seat != state.seat]
            beam = [turn for turn in made if not turn.after.end and turn.after.seat == state.seat]
            whole = whole and len(beam) <= width
            beam = beam[:width]
    done.sort(key=attrgetter("value"), reverse=True)
    return done[:most], whole and len(done) <= most


def _turn_of(state: SearchState, cells: int, by: FeatureWeights, meter: Meter) -> _ScoredTurn | None:
    after, rest = state, cells
    while rest:
        ready = rest & after.reached
        if not ready or after.seat != state.seat:
            return None
        bit = ready & -ready
        rest ^= bit
        after = after.act(bit)
    if not after.end and after.seat == state.seat:
        return None
    meter.tick()
    return _ScoredTurn(evaluate(after, state.field.ruleset.side[state.seat], by), cells, after)


def every_turn(state: SearchState) -> Iterator[int]:
    """Yield the cells of all whole turns, each set once; lazily, and in no order of worth."""
    seen: set[int] = set()

    def walk(here: SearchState, cells: int, left: int) -> Iterator[int]:
        if not left or here.end or here.seat != state.seat:
            yield cells
            return
        for bit in bits_of(here.reached):
            if cells | bit not in seen:
                seen.add(cells | bit)
                yield from walk(here.act(bit), cells | bit, left - 1)

    yield from walk(state, 0, state.left)


def in_order(state: SearchState, cells: int) -> list[int]:
    """Return the cells of a turn, one bit each, in an order in which all are reached in time."""
    found = []
    while ready := cells & state.reached:
        bit = ready & -ready
        found.append(bit)
        cells ^= bit
        state = state.act(bit)
    return found


_DELAY: Final = 0.01  # what a win loses in value, and a loss gains, for each turn to it
_BOREDOM: Final = 0.1  # what a node loses in promise, times the logarithm of its visits


GROWTH: Final = 4  # how many times as broad a node becomes when it is looked at again
BROADEST: Final = 256  # the beam width from which on a node is not made broader
ROOT_PATIENCE: Final = 16  # visits of the root before it is made broader, each time `GROWTH` times as many
REPLY_PATIENCE: Final = 8  # the same below the root

KILLERS: Final = 12
"""Turns at most that are tried first, because each is the best after a sibling of the node."""


TEMPO_PATIENCE: Final = 8  # nodes after which half of what they say of the tempo is believed


@dataclass(frozen=True, slots=True)
class BeamWidths:
    """How broad a node of the tree is at first: sets of actions that are continued; it keeps half as many turns again.

    What is visited often becomes broader, so that most nodes go to the turns that decide.
    """

    root: int
    reply: int  # below the root


_merit: Final = attrgetter("value")

BEAM: Final = BeamWidths(root=48, reply=16)


class _TurnNode:
    __slots__ = (
        "cells",
        "children",
        "closed",
        "first",
        "ours",
        "state",
        "sure",
        "value",
        "visits",
        "whole",
        "width",
    )

    def __init__(self, state: SearchState, cells: int, value: float, *, ours: bool) -> None:
        self.state = state
        self.cells = cells  # the turn that led here
        self.value = value  # for our side, as far as is known
        self.first = value  # its evaluation
        self.ours = ours  # whether our side is to move
        self.children: list[_TurnNode] = []  # the turns from here; empty until it is expanded
        self.visits = 0  # how often the search came through
        self.closed = state.end is not None or abs(value) >= DECIDED  # whether searching below it is useless
        self.width = 0  # of the beam that found the children; 0 until then
        self.whole = False  # whether the children are all the turns there are
        self.sure = self.closed  # whether its value is proved

    def best(self) -> _TurnNode:
        return max(self.children, key=_merit) if self.ours else min(self.children, key=_merit)

    def update(self) -> None:
        best = self.best()
        self.value = best.value
        if not self.width:  # only killer turns are known: they can refute the evaluation, not improve on it
            self.value = max(best.value, self.first) if self.ours else min(best.value, self.first)
        if abs(self.value) > DECIDED:
            self.value -= _DELAY if self.value > 0 else -_DELAY
        won = best.closed and (best.value if self.ours else -best.value) > DECIDED
        spent = self.whole or self.width >= BROADEST
        self.closed = won or (spent and all(child.closed for child in self.children))
        self.sure = (won and best.sure) or (self.whole and all(child.sure for child in self.children))


class TurnTree:
    """The tree of one search."""

    def __init__(
        self,
        state: SearchState,
        by: FeatureWeights,
        meter: Meter,
        shape: BeamWidths,
        *,
        depth: int | None = None,
    ) -> None:
        on = state.field.ruleset
        self._by: Final = by
        self._meter: Final = meter
        self._shape = shape
        self._limit: Final = depth or 64
        self._side: Final = on.side[state.seat]
        self._seat: Final = state.seat
        self._many: Final = len(on.sides) > 2
        self._tempo = 0.0  # what it is worth to be to move, beyond the evaluation
        self._learned = 0  # from how many nodes
        self.root: Final = _TurnNode(state, 0, 0.0, ours=True)  # the node of the position
        self.depth = 1  # the longest line, in whole turns

    def grow(self, most: int = 1) -> None:
        """Grow until the meter runs out or the root is closed, and judge `most` turns of the root with equal care."""
        root = self.root
        root.children = [self._at_hand()]
        try:
            for width in (1, 4, 16):
                if width < self._shape.root:
                    self._open(width)
            self._open(self._shape.root)
            while self._limit > 1 and not root.closed:
                self._visit(most)
        except BudgetExhausted:
            pass

    def ranked(self, most: int = 1) -> list[_TurnNode]:
        """Return the turns of the root, the best first.

        Wins come first; then the most visited or, where all were judged with equal care, those of the highest value; then
        those never searched; losses come last.
        """
        judged = any(child.children or child.closed for child in self.root.children)

        def key(child: _TurnNode) -> tuple[int, bool, int, float]:
            decided = 0
            if child.closed and abs(child.value) > DECIDED:
                decided = 2 if child.value > 0 else -2
            looked = not judged or bool(child.children) or child.closed
            return decided, looked, child.visits if most == 1 and not decided else 0, child.value

        return sorted(self.root.children, key=key, reverse=True)

    def line(self, node: _TurnNode) -> list[int]:
        """Return the turns expected after a node; none with more than two sides, where the tree leaves some out."""
        found: list[int] = []
        while node.children and not self._many:
            node = node.best()
            found.append(node.cells)
        return found

    def _open(self, width: int) -> None:
        self.root.children = self._expanded(self.root, width)
        self.root.width = width
        self.root.update()

    def _at_hand(self) -> _TurnNode:
        state, cells = self.root.state, 0
        for _ in range(state.left):
            if state.end or state.seat != self._seat:
                break
            bit = state.reached & -state.reached
            cells |= bit
            state = state.act(bit)
        return _TurnNode(state, cells, 0.0, ours=False)

    def _visit(self, most: int) -> None:
        root = self.root
        path = [root]
        if most > 1 and not self._due(root):
            wanted = sorted(root.children, key=_merit, reverse=True)[:most]
            opened = [child for child in wanted if not child.closed]
            if chosen := min(opened, key=attrgetter("visits")) if opened else self._next(root):
                path.append(chosen)
        while (node := path[-1]).children and not self._due(node):
            if not (following := self._next(node)):
                break
            path.append(following)
        last = path[-1]
        tried = False  # killers alone: what costs a beam is a visit
        if len(path) > self._limit:
            last.closed = True
        else:
            tried = not last.children and last is not root and self._try_killers(last, path[-2])
            if not tried:
                fresh = not last.width
                self._widen(last)
                if fresh and not self._many:
                    self._learn_tempo(last)
            self.depth = max(self.depth, len(path))
        for node in reversed(path):
            node.visits += not tried
            if node.children:
                node.update()

    def _learn_tempo(self, node: _TurnNode) -> None:
        # Nodes with different sides to move are compared, and where the evaluation makes too much or too little of the move,
        # as it does by 1.0 on 14x14, the search would follow what it happens to have looked into.
        best = node.best().value
        if abs(best) > DECIDED or abs(node.first) > DECIDED:
            return
        gain = best - node.first if node.ours else node.first - best
        self._learned += 1
        # Half of it: the other half is corrected in the children, where the other side is to move.
        self._tempo += gain / (2 * (self._learned + TEMPO_PATIENCE))

    def _due(self, node: _TurnNode) -> bool:
        if node.whole or node.width >= BROADEST:
            return False
        if node is self.root:
            return node.visits * self._shape.root >= ROOT_PATIENCE * node.width
        return node.visits * self._shape.reply >= REPLY_PATIENCE * node.width

    def _try_killers(self, node: _TurnNode, parent: _TurnNode) -> bool:
        # Most nodes are refuted by what refutes their siblings, for a node a turn where a beam takes hundreds.
        if self._many:
            return False
        killers = dict.fromkeys(sibling.best().cells for sibling in parent.children if sibling.width)
        found: list[_TurnNode] = []
        for cells in killers:
            if len(found) < KILLERS and (turn := _turn_of(node.state, cells, self._by, self._meter)):
                found.append(self._child(node, turn))
        node.children = found
        return bool(found)

    def _widen(self, node: _TurnNode) -> None:
        width = node.width * GROWTH or self._shape.reply
        found = self._expanded(node, width)
        node.width = width
        known = {child.cells: child for child in node.children}
        children = [known.pop(child.cells, child) for child in found]
        node.children = [*children, *known.values()]

    def _next(self, node: _TurnNode) -> _TurnNode | None:
        sign = 1 if node.ours else -1
        opened = [child for child in node.children if not child.closed]
        return max(
            opened, key=lambda child: sign * child.value - _BOREDOM * math.log1p(child.visits), default=None
        )

    def _expanded(self, node: _TurnNode, width: int) -> list[_TurnNode]:
        state, most = node.state, width + width // 2
        if not self._many or node.ours:
            found, whole = _turns(state, self._by, width=width, most=most, meter=self._meter)
            node.whole = whole and (not self._many or node is self.root)
            return [self._child(node, turn) for turn in found]
        children: list[_TurnNode] = []
        for enemy in self._dangerous(state):
            found, _ = _turns(enemy, self._by, width=width, most=2, meter=self._meter)
            children += [self._child(node, turn) for turn in found]
        children.sort(key=_merit)
        return children[:most] or [self._child(node, _ScoredTurn(0.0, 0, state))]

    def _dangerous(self, state: SearchState) -> list[SearchState]:
        on = state.field.ruleset
        mine = on.board.spread(state.occupancy.bugs[self._seat])
        found = []
        for enemy in state.field.enemies[self._seat]:
            far = state.touches[enemy] & state.open_to(enemy)
            if state.gone >> enemy & 1 or not far:
                continue
            for _ in range(on.actions - 1):
                far = on.board.spread(far)
            if far & mine:
                found.append(state.turned(enemy, on.actions))
        return found

    def _child(self, node: _TurnNode, turn: _ScoredTurn) -> _TurnNode:
        after, side = turn.after, turn.after.field.ruleset.side
        if not self._many or after.end:
            value = turn.value if side[node.state.seat] == self._side else -turn.value
            made = _TurnNode(after, turn.cells, value, ours=side[after.seat] == self._side)
            made.sure = made.closed and (not self._many or node is self.root)
            if not made.closed:
                made.value += self._tempo if made.ours else -self._tempo
                made.first = made.value
            return made
        if node.ours:
            return _TurnNode(after, turn.cells, turn.value, ours=False)
        after = after.turned(self._seat, after.field.ruleset.actions)
        blocked = not after.reached or after.gone >> self._seat & 1
        made = _TurnNode(
            after, turn.cells, -WON if blocked else evaluate(after, self._side, self._by), ours=True
        )
        made.sure = False
        return made
