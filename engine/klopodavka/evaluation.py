"""Evaluation: features, numbers for each seat that is in the game, and their worth; and what is behind a turn, for hints.

The native core computes the same features; tests compare both. `weights.json` says for both what each is worth.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from engine.core import GameValue, Idea, Proof, SearchResult
from engine.klopodavka.state import SearchState
from rules.core import SEATS, Ending, Mark, Phrase, Sign
from rules.klopodavka import KlopodavkaPosition, Move
from rules.klopodavka.options import Finish, Variant
from rules.klopodavka.position import bases_held
from rules.klopodavka.reach import Ruleset, carriers


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


Row: TypeAlias = tuple[int, ...]  # a number for each feature; of a logarithm, the number before it is taken

LOGARITHMS: Final = frozenset(
    {Feature.FREEDOM, Feature.FIRM, Feature.FIRMER, Feature.SPARE, Feature.ROOM, Feature.WIDE}
)


def rows(state: SearchState) -> list[Row | None]:
    """Return the features of each seat; None for seats that are out."""
    on, gone = state.field.ruleset, state.gone
    spread, bugs, stones = on.board.spread, state.occupancy.bugs, state.occupancy.stones
    nothing = [0] * len(state.touches)
    free, reach, turn, ever = nothing, nothing[:], nothing[:], nothing[:]
    for seat, touched in enumerate(state.touches):
        if gone >> seat & 1:
            continue
        barred = stones
        for ally in on.allies[seat]:
            barred |= bugs[ally]
        may = on.soft & ~barred
        far = now = touched & may
        for _ in range(on.actions - 1):
            far |= spread(far) & may
        free[seat] = may
        reach[seat] = now
        turn[seat] = far
        ever[seat] = state.ever[seat]
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


def _row(state: SearchState, seat: int, mine: tuple[int, int, int], theirs: tuple[int, int, int]) -> Row:
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


WON: Final = 1000.0
"""The value of a win on the board; one that is only counted out is worth less, and so is one further off."""
COUNTED_OUT: Final = 500.0
DECIDED: Final = COUNTED_OUT / 2  # values beyond this are ends, not guesses

FILE: Final = Path(__file__).with_name("weights.json")
"""A table for each kind of game; the native core is given those that its game needs."""

Table: TypeAlias = Mapping[str, Mapping[str, Sequence[float]]]
"""For each feature, `moving` and `waiting`: its worth on an empty board and on a full one."""

LEARNED: Final = 100
"""Cells of the board on which two players played the games that the weights were learned from."""

_LOGARITHM: Final = tuple(math.log1p(count) for count in range(1024))


@dataclass(frozen=True, slots=True)
class FeatureWeights:
    """What each feature is worth on an empty board and on a full one; in between in proportion.

    A side with value a beside another with value b wins about 1 / (1 + exp(b - a)) of its games.
    """

    # For the seat to move, by feature: on an empty board, and what is added on a full one.
    moving: tuple[tuple[float, float], ...]
    waiting: tuple[tuple[float, float], ...]  # the same for all others

    @classmethod
    def of(cls, table: Table) -> FeatureWeights:
        """Weights as the file has them for one kind of game."""
        found: dict[str, list[tuple[float, float]]] = {"moving": [], "waiting": []}
        for feature in Feature:
            for whose, pairs in found.items():
                empty, full = table[feature.name.lower()][whose]
                pairs.append((float(empty), float(full) - float(empty)))
        return cls(tuple(found["moving"]), tuple(found["waiting"]))

    @property
    def even(self) -> FeatureWeights:
        """The mean of both, without the worth of having the move, which was learned on one size of board."""
        pairs = zip(self.moving, self.waiting, strict=True)
        mean = tuple(((one[0] + two[0]) / 2, (one[1] + two[1]) / 2) for one, two in pairs)
        return FeatureWeights(mean, mean)

    def flat(self) -> list[float]:
        """Return all numbers in one row for the native core: moving, then waiting."""
        return [number for pairs in (self.moving, self.waiting) for pair in pairs for number in pair]


def kinds(on: Ruleset) -> tuple[str, ...]:
    """Return the kinds of game whose weights suit, the nearest first: variant with many sides, variant, any."""
    variant = on.options.variant.value
    named = (variant, Variant.STANDARD.value)
    return (f"{variant}-many", *named) if len(on.sides) > 2 else named


def weights(on: Ruleset) -> FeatureWeights:
    """Return the weights of this package for a kind of game."""
    known = _all()
    return next(known[kind] for kind in kinds(on) if kind in known)


@cache
def _all() -> dict[str, FeatureWeights]:
    return {
        kind: FeatureWeights.of(table) for kind, table in json.loads(FILE.read_text(encoding="utf-8")).items()
    }


def measure(feature: int, number: int, cells: int) -> float:
    """Return the number of a feature as its weight takes it, on a board of so many cells.

    What a seat could ever do grows with the board, and would outweigh all else on a large one: it counts by its share of a
    board as large as the one that the weights were learned on.
    """
    if feature == Feature.CAPACITY:
        return number * (LEARNED / cells)
    if feature == Feature.ROOM:
        return math.log1p(number * (LEARNED / cells))
    return _LOGARITHM[number] if feature in LOGARITHMS else number


def _worth(row: Row, pairs: tuple[tuple[float, float], ...], full: float, cells: int) -> float:
    total = 0.0
    for feature, number in enumerate(row):
        if number:
            empty, more = pairs[feature]
            total += (empty + more * full) * measure(feature, number, cells)
    return total


def evaluate(state: SearchState, side: int, by: FeatureWeights) -> float:
    """Return what a state is worth to a side: about the logarithm of its chances to win against those to lose."""
    on = state.field.ruleset
    if state.end:
        if state.end.drawn:
            return 0.0
        return WON if any(on.side[seat] == side for seat in state.end.winners) else -WON
    found = rows(state)
    if (winner := counted_out(state, found)) is not None:
        return COUNTED_OUT if winner == side else -COUNTED_OUT
    cells = state.field.cells
    full = (state.occupancy.live | state.occupancy.stones).bit_count() / cells
    worths: list[float | None] = [None] * len(on.sides)
    for seat, row in enumerate(found):
        if row is not None:
            mine = on.side[seat]
            worths[mine] = (worths[mine] or 0.0) + _worth(
                row, by.moving if seat == state.seat else by.waiting, full, cells
            )
    mine_, others = worths[side], [one for at, one in enumerate(worths) if at != side and one is not None]
    if mine_ is None:
        return -WON
    if len(others) == 1:
        return mine_ - others[0]
    most = max(others)
    return mine_ - most - math.log(sum(math.exp(one - most) for one in others))


def counted_out(state: SearchState, found: list[Row | None]) -> int | None:
    """Return the side of two players that wins by counting actions alone; None where none does.

    No enemy's action ever adds to what a seat could reach, so `CAPACITY` is the most it can still make. No enemy can take
    the actions of `RESERVE` from it.
    """
    on = state.field.ruleset
    if len(on.homes) != 2 or state.field.counted or on.fenced:
        return None
    for seat in (0, 1):
        mine, theirs = found[seat], found[1 - seat]
        if mine is None or theirs is None:
            return None
        if mine[Feature.RESERVE] and outlasts(
            mine[Feature.RESERVE], theirs[Feature.CAPACITY], on.actions, state.left, first=seat == state.seat
        ):
            return on.side[seat]
    return None


def outlasts(reserve: int, capacity: int, actions: int, left: int, *, first: bool) -> bool:
    """Return whether a seat with `reserve` certain actions outlasts one that can make at most `capacity`.

    A turn has `actions`; the seat to move, the `first` one or the other, owes `left`.
    """
    # Its turns before the one in which the other seat acts for the last time, and one action after it.
    if first:
        return reserve > (left + (-(-capacity // actions) - 1) * actions if capacity else 0)
    return reserve > max(0, -(-(capacity - left) // actions)) * actions


_REPLIES: Final = frozenset(
    {"win", "shut-off", "most-bases", "out", "base", "branch", "fence", "cut", "hem", "crush"}
)
"""What is worth a word to the other side."""

_ENDINGS: Final[Mapping[Ending, str]] = {Finish.FENCE: "shut-off", Finish.MOST_BASES: "most-bases"}
"""What is said of a turn that wins; of any other ending, that it wins."""

KEYS: Final = {"klopodavka.reply.{}": (_REPLIES,), "klopodavka.idea.{}": ((*_ENDINGS.values(), "win"),)}

_FEW: Final = 3  # the least change in cells or bugs that is worth a word


def idea(position: KlopodavkaPosition, result: SearchResult[Move]) -> Idea | None:
    """Return what the turn does best; None if that has no name."""
    before = SearchState.of(position)
    after, crushed = before, 0
    for move in result.turn:
        bit = position.ruleset.board.bits[move.square]
        crushed |= bit & after.occupancy.live
        after = after.act(bit)
    marks = tuple(Mark(Sign.CRUSHED, move.square) for move in result.turn if move.crush)
    phrase = next(_ideas(before, after, crushed, result.proof), None)
    if phrase is None:
        return None
    key = phrase.key.rpartition(".")[2]
    reply = Phrase(f"klopodavka.reply.{key}", phrase.fields) if key in _REPLIES else None
    return Idea(phrase, marks, reply)


def _ideas(before: SearchState, after: SearchState, crushed: int, proof: Proof | None) -> Iterator[Phrase]:
    seat = before.seat
    if after.end and any(winner == seat for winner in after.end.winners):
        yield Phrase(f"klopodavka.idea.{_ENDINGS.get(after.end.reason, 'win')}")
    for enemy in before.field.enemies[seat]:
        if after.gone >> enemy & 1 and not before.gone >> enemy & 1:
            yield Phrase("klopodavka.idea.out", {"seat": SEATS[enemy]})
    if not after.end:
        yield from _while_it_goes_on(before, after, crushed, proof)


def _while_it_goes_on(
    before: SearchState, after: SearchState, crushed: int, proof: Proof | None
) -> Iterator[Phrase]:
    was, now = rows(before), rows(after)
    mine, ours = was[before.seat], now[before.seat]
    if mine is None or ours is None:
        return
    if proof and proof.result is GameValue.WIN and _outlasts(before, now):
        yield Phrase("klopodavka.idea.outlast", {"count": ours[Feature.RESERVE]})
    if ours[Feature.HELD] > mine[Feature.HELD]:
        yield Phrase("klopodavka.idea.base", {"bases": ours[Feature.HELD]})
    if before.field.ruleset.anchored:
        yield from _branches(before, after)
    yield from _against(before, was, now)
    yield from _for_itself(before, after, mine, ours)
    if crushed:
        yield Phrase("klopodavka.idea.crush", {"count": crushed.bit_count()})
    if ours[Feature.MOBILITY] >= mine[Feature.MOBILITY]:
        yield Phrase("klopodavka.idea.reach", {"count": ours[Feature.MOBILITY]})


def _for_itself(before: SearchState, after: SearchState, mine: Row, ours: Row) -> Iterator[Phrase]:
    if ours[Feature.LOOSE] < mine[Feature.LOOSE]:
        count = mine[Feature.LOOSE] - ours[Feature.LOOSE]
        yield Phrase("klopodavka.idea.link", {"count": count})
    if ours[Feature.RESERVE] >= mine[Feature.RESERVE] + _FEW:
        yield Phrase("klopodavka.idea.reserve", {"count": ours[Feature.RESERVE]})
    seat = before.seat
    more = _in_a_turn(after, seat).bit_count() - _in_a_turn(before, seat).bit_count()
    if more >= _FEW and after.occupancy.walls[seat] != before.occupancy.walls[seat]:
        yield Phrase("klopodavka.idea.break", {"count": more})
    if _firm(before, seat) < _FEW <= _firm(after, seat):
        yield Phrase("klopodavka.idea.secure")


def _in_a_turn(state: SearchState, seat: int) -> int:
    on, cells = state.field.ruleset, 0
    start, carry = _chain(state, seat)
    for _ in range(on.actions):
        cells |= on.board.touched(start | cells, carry) & state.open_to(seat)
    return cells


def _firm(state: SearchState, seat: int) -> int:
    start, carry = _chain(state, seat)
    hit = 0
    for enemy in state.field.enemies[seat]:
        if not state.gone >> enemy & 1:
            hit |= _in_a_turn(state, enemy)
    return (state.field.ruleset.board.touched(start & ~hit, carry & ~hit) & state.open_to(seat)).bit_count()


def _chain(state: SearchState, seat: int) -> tuple[int, int]:
    """Return the bugs from which a seat's chain starts, and the cells that carry it on."""
    on, occupancy = state.field.ruleset, state.occupancy
    start = occupancy.bugs[seat]
    if on.anchored:
        start &= on.homes[seat]
    return start, carriers(on, occupancy, seat) & ~start


def _outlasts(before: SearchState, now: list[Row | None]) -> bool:
    ours, enemies = now[before.seat], [now[at] for at in before.field.enemies[before.seat]]
    if ours is None or len(enemies) > 1 or before.field.counted:
        return False
    (enemy,) = enemies
    return enemy is not None and ours[Feature.RESERVE] >= max(1, enemy[Feature.CAPACITY])


def _branches(before: SearchState, after: SearchState) -> Iterator[Phrase]:
    cut, enemy = max(
        ((_unlinked(after, at) & ~_unlinked(before, at)).bit_count(), at)
        for at in before.field.enemies[before.seat]
    )
    if cut > 0:
        yield Phrase("klopodavka.idea.branch", {"seat": SEATS[enemy], "count": cut})


def _unlinked(state: SearchState, seat: int) -> int:
    return state.occupancy.bugs[seat] & ~state.touches[seat]


def _against(before: SearchState, was: list[Row | None], now: list[Row | None]) -> Iterator[Phrase]:
    both = [
        (enemy, old, new)
        for enemy in before.field.enemies[before.seat]
        if (old := was[enemy]) and (new := now[enemy])
    ]
    if not both:
        return
    fenced, enemy = max((old[Feature.CAPACITY] - new[Feature.CAPACITY], at) for at, old, new in both)
    crushed = max(old[Feature.LIVE] - new[Feature.LIVE] for _, old, new in both)
    if fenced >= crushed + _FEW:
        yield Phrase("klopodavka.idea.fence", {"seat": SEATS[enemy], "count": fenced})
    loosened, enemy = max((new[Feature.LOOSE] - old[Feature.LOOSE], at) for at, old, new in both)
    if loosened > 0:
        yield Phrase("klopodavka.idea.cut", {"seat": SEATS[enemy], "count": loosened})
    hemmed, enemy = max((old[Feature.MOBILITY] - new[Feature.MOBILITY], at) for at, old, new in both)
    if hemmed >= 2 * _FEW:
        yield Phrase("klopodavka.idea.hem", {"seat": SEATS[enemy], "count": hemmed})
