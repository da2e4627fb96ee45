"""The features of the evaluation: numbers for each seat that is in the game.

The native core computes the same numbers; tests compare both. `weights.json` says what each is worth.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, TypeAlias

from engine.klopodavka.state import State
from rules.klopodavka.endings import bases_held
from rules.klopodavka.reach import carriers


class Feature(IntEnum):
    """The features by their place in a row. Seats that are out are no enemies."""

    MOBILITY = 0  # cells it can act on
    FREEDOM = 1  # the same, as a logarithm: the last few cells are worth more
    TURN = 2  # cells it could come to in one whole turn
    LIVE = 3  # its live bugs
    HIT = 4  # those that some enemy can crush with one action
    HIT_SOON = 5  # those that some enemy could reach in one whole turn
    CRUSHES = 6  # bugs that it can crush with one action
    SAFE = 7  # its live bugs to which no enemy could ever come
    CAPACITY = 8  # the most actions it could ever make
    RESERVE = 9  # the actions that no enemy can take from it
    FIRM = 10  # cells it could still act on without the bugs that are hit, as a logarithm
    FIRMER = 11  # the same without those that are hit soon
    LINKED = 12  # its walls that are linked
    LOOSE = 13  # its walls that are not
    SPARE = 14  # its reserve, as a logarithm
    CLEAR = 15  # cells it can act on to which no enemy can come in one turn
    SUPPORTS = 16  # live bugs that touch its walls, and so may link them
    FIRM_SUPPORTS = 17  # those of them that no enemy can crush with one action
    ROOM = 18  # its capacity, as a logarithm
    WIDE = 19  # cells it could come to in one whole turn, as a logarithm
    HELD = 20  # bases that it holds, where they count


Row: TypeAlias = tuple[int, ...]
"""A number for each feature; of a logarithm, the number before it is taken."""

LOGARITHMS: Final = frozenset(
    {Feature.FREEDOM, Feature.FIRM, Feature.FIRMER, Feature.SPARE, Feature.ROOM, Feature.WIDE}
)


def rows(state: State) -> list[Row | None]:
    """Return the features of each seat; None for seats that are out."""
    on, gone = state.field.ruleset, state.gone
    spread, bugs, stones = on.board.spread, state.occupancy.bugs, state.occupancy.stones
    free, reach, turn, ever = [], [], [], []
    for seat, touched in enumerate(state.touches):
        if gone >> seat & 1:
            free.append(0)
            reach.append(0)
            turn.append(0)
            ever.append(0)
            continue
        barred = stones
        for ally in on.allies[seat]:
            barred |= bugs[ally]
        may = on.soft & ~barred
        far = now = touched & may
        for _ in range(on.actions - 1):
            far |= spread(far) & may
        free.append(may)
        reach.append(now)
        turn.append(far)
        ever.append(state.ever[seat])
    held = bases_held(on, state.occupancy, gone) if state.field.counted else None
    found: list[Row | None] = []
    for seat, enemies in enumerate(state.field.enemies):
        if gone >> seat & 1:
            found.append(None)
            continue
        near = soon = threat = 0
        for enemy in enemies:
            near |= reach[enemy]
            soon |= turn[enemy]
            threat |= ever[enemy]
        row = _row(state, seat, (free[seat], reach[seat], turn[seat]), (near, soon, threat))
        found.append((*row, held[seat] if held else 0))
    return found


def _row(state: State, seat: int, mine: tuple[int, int, int], theirs: tuple[int, int, int]) -> Row:
    """Return the features of a seat but the last, from where it and its enemies can act and reach."""
    free, reach, turn = mine
    near, soon, threat = theirs
    on, occupancy = state.field.ruleset, state.occupancy
    within, walls = on.board.touched, occupancy.walls[seat]
    own = start = occupancy.bugs[seat]
    if on.anchored:
        start &= on.homes[seat]
    carry = carriers(on, occupancy, seat) & ~start
    hit, hit_soon = own & near, own & soon
    firm = within(start & ~hit, carry & ~hit) & free if hit else reach
    firmer = within(start & ~hit_soon, carry & ~hit_soon) & free if hit_soon != hit else firm
    reserve = 0
    if begin := start & ~threat:
        # Enemies never reach walls, and cannot reach anything else in here.
        reserve = (within(begin, (free | carry) & ~threat & ~begin) & free & ~threat).bit_count()
    linked = (state.touches[seat] & walls).bit_count()
    mobility = reach.bit_count()
    wide = turn.bit_count()
    capacity = (state.ever[seat] & free).bit_count()
    supports = own & on.board.spread(walls) if walls else 0
    return (
        mobility,
        mobility,
        wide,
        own.bit_count(),
        hit.bit_count(),
        hit_soon.bit_count(),
        (reach & occupancy.live).bit_count(),
        (own & ~threat).bit_count(),
        capacity,
        reserve,
        firm.bit_count(),
        firmer.bit_count(),
        linked,
        walls.bit_count() - linked,
        reserve,
        (reach & ~soon).bit_count(),
        supports.bit_count(),
        (supports & ~hit).bit_count(),
        capacity,
        wide,
    )
