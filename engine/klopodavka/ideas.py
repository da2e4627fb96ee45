"""What is behind a turn, for hints that do not tell the turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from engine.core import GameValue, Idea, Proof, SearchResult
from engine.klopodavka.features import Feature, Row, rows
from engine.klopodavka.state import State
from rules.core import SEATS, Ending, Mark, Phrase, Sign
from rules.klopodavka import KlopodavkaPosition, Move
from rules.klopodavka.reach import carriers
from rules.klopodavka.reasons import Finish

_REPLIES: Final = frozenset(
    {"win", "shut-off", "most-bases", "out", "base", "branch", "fence", "cut", "hem", "crush"}
)
"""What is worth a word to the other side."""

_ENDINGS: Final[Mapping[Ending, str]] = {Finish.FENCE: "shut-off", Finish.MOST_BASES: "most-bases"}
"""What is said of a turn that wins; of any other ending, that it wins."""

KEYS: Final = {"klopodavka.reply.{}": (_REPLIES,), "klopodavka.idea.{}": ((*_ENDINGS.values(), "win"),)}
"""The keys that this module puts together, by their template: the members of each hole."""

_FEW: Final = 3
"""The least change in cells or bugs that is worth a word."""


def idea(position: KlopodavkaPosition, result: SearchResult[Move]) -> Idea | None:
    """Return what the turn does best; None if that has no name."""
    before = State.of(position)
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


def _ideas(before: State, after: State, crushed: int, proof: Proof | None) -> Iterator[Phrase]:
    """Yield what can be said of a turn, the weightiest first."""
    seat = before.seat
    if after.end and any(winner == seat for winner in after.end.winners):
        yield Phrase(f"klopodavka.idea.{_ENDINGS.get(after.end.reason, 'win')}")
    for enemy in before.field.enemies[seat]:
        if after.gone >> enemy & 1 and not before.gone >> enemy & 1:
            yield Phrase("klopodavka.idea.out", {"seat": SEATS[enemy]})
    if not after.end:
        yield from _while_it_goes_on(before, after, crushed, proof)


def _while_it_goes_on(before: State, after: State, crushed: int, proof: Proof | None) -> Iterator[Phrase]:
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


def _for_itself(before: State, after: State, mine: Row, ours: Row) -> Iterator[Phrase]:
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


def _in_a_turn(state: State, seat: int) -> int:
    """Return the cells that a seat can act on in one whole turn, with walls that it links on the way."""
    on, cells = state.field.ruleset, 0
    start, carry = _chain(state, seat)
    for _ in range(on.actions):
        cells |= on.board.touched(start | cells, carry) & state.open_to(seat)
    return cells


def _firm(state: State, seat: int) -> int:
    """Return how many cells a seat can act on whatever bugs the enemies crush in one turn each."""
    start, carry = _chain(state, seat)
    hit = 0
    for enemy in state.field.enemies[seat]:
        if not state.gone >> enemy & 1:
            hit |= _in_a_turn(state, enemy)
    return (state.field.ruleset.board.touched(start & ~hit, carry & ~hit) & state.open_to(seat)).bit_count()


def _chain(state: State, seat: int) -> tuple[int, int]:
    """Return the bugs from which a seat's chain starts, and the cells that carry it on."""
    on, occupancy = state.field.ruleset, state.occupancy
    start = occupancy.bugs[seat]
    if on.anchored:
        start &= on.homes[seat]
    return start, carriers(on, occupancy, seat) & ~start


def _outlasts(before: State, now: list[Row | None]) -> bool:
    """Return whether the one enemy can make no more actions than the seat has in reserve; the enemy acts next."""
    ours, enemies = now[before.seat], [now[at] for at in before.field.enemies[before.seat]]
    if ours is None or len(enemies) > 1 or before.field.counted:
        return False
    (enemy,) = enemies
    return enemy is not None and ours[Feature.RESERVE] >= max(1, enemy[Feature.CAPACITY])


def _branches(before: State, after: State) -> Iterator[Phrase]:
    """Yield the most bugs of an enemy that are no longer linked with their home, if any."""
    cut, enemy = max(
        ((_unlinked(after, at) & ~_unlinked(before, at)).bit_count(), at)
        for at in before.field.enemies[before.seat]
    )
    if cut > 0:
        yield Phrase("klopodavka.idea.branch", {"seat": SEATS[enemy], "count": cut})


def _unlinked(state: State, seat: int) -> int:
    return state.occupancy.bugs[seat] & ~state.touches[seat]


def _against(before: State, was: list[Row | None], now: list[Row | None]) -> Iterator[Phrase]:
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
