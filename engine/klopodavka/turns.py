"""Beam search for the most promising whole turns: sets of actions, since their order does not matter."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from engine.core import Meter
from engine.klopodavka.evaluation import FeatureWeights, evaluate
from engine.klopodavka.state import State, bits_of


class Turn(NamedTuple):
    """A whole turn."""

    value: float  # the evaluation of the state after it, for the seat that made it
    cells: int  # the cells it acts on
    after: State


def turns(
    state: State, by: FeatureWeights, *, width: int, most: int, meter: Meter
) -> tuple[list[Turn], bool]:
    """Return the best `most` turns of a beam search, the best first; and whether these are all there are.

    After each action only the best `width` sets are continued. A set of cells is made once, in one order.

    Raises:
        BudgetExhausted: the meter runs out.
    """
    side = state.field.ruleset.side[state.seat]
    beam = [Turn(0.0, 0, state)]
    done: list[Turn] = []
    whole = True
    for left in range(state.left, 0, -1):
        tried: set[int] = set()
        made: list[Turn] = []
        for _, cells, here in beam:
            for bit in bits_of(here.reached):
                if cells | bit in tried:
                    continue
                tried.add(cells | bit)
                meter.tick()
                after = here.act(bit)
                made.append(Turn(evaluate(after, side, by), cells | bit, after))
        made.sort(key=attrgetter("value"), reverse=True)
        if left == 1:
            done += made
        else:
            # A seat that cannot act is out, and its turn is over.
            over = [turn for turn in made if turn.after.end or turn.after.seat != state.seat]
            done += over
            beam = [turn for turn in made if not turn.after.end and turn.after.seat == state.seat]
            whole = whole and len(beam) <= width
            beam = beam[:width]
    done.sort(key=attrgetter("value"), reverse=True)
    return done[:most], whole and len(done) <= most


def made_of(state: State, cells: int, by: FeatureWeights, meter: Meter) -> Turn | None:
    """Return the turn that acts on some cells; None if no whole turn does.

    Raises:
        BudgetExhausted: the meter runs out.
    """
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
    return Turn(evaluate(after, state.field.ruleset.side[state.seat], by), cells, after)


def every_turn(state: State) -> Iterator[int]:
    """Yield the cells of all whole turns, each set once; lazily, and in no order of worth."""
    seen: set[int] = set()

    def walk(here: State, cells: int, left: int) -> Iterator[int]:
        if not left or here.end or here.seat != state.seat:
            yield cells
            return
        for bit in bits_of(here.reached):
            if cells | bit not in seen:
                seen.add(cells | bit)
                yield from walk(here.act(bit), cells | bit, left - 1)

    yield from walk(state, 0, state.left)


def in_order(state: State, cells: int) -> list[int]:
    """Return the cells of a turn, one bit each, in an order in which all are reached in time."""
    found = []
    while cells:
        ready = cells & state.reached
        if not ready:
            break
        bit = ready & -ready
        found.append(bit)
        cells ^= bit
        state = state.act(bit)
    return found
