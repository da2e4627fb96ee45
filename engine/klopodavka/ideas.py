"""What is behind a turn, for hints that do not tell the turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from engine.core import GameValue, Idea, Proof, SearchResult
from engine.klopodavka.features import Feature, Row, rows
from engine.klopodavka.state import State
from rules.core import SEATS, Ending, Mark, Phrase, Sign
from rules.klopodavka import KlopodavkaPosition, Move
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
    if proof and proof.result is GameValue.WIN and ours[Feature.RESERVE]:
        yield Phrase("klopodavka.idea.outlast", {"count": ours[Feature.RESERVE]})
    if ours[Feature.HELD] > mine[Feature.HELD]:
        yield Phrase("klopodavka.idea.base", {"bases": ours[Feature.HELD]})
    if before.field.ruleset.anchored:
        yield from _branches(before, after)
    yield from _against(before, was, now)
    if ours[Feature.LOOSE] < mine[Feature.LOOSE]:
        count = mine[Feature.LOOSE] - ours[Feature.LOOSE]
        yield Phrase("klopodavka.idea.link", {"count": count})
    if ours[Feature.RESERVE] >= mine[Feature.RESERVE] + _FEW:
        yield Phrase("klopodavka.idea.reserve", {"count": ours[Feature.RESERVE]})
    if crushed and ours[Feature.TURN] >= mine[Feature.TURN] + _FEW:
        yield Phrase("klopodavka.idea.break", {"count": ours[Feature.TURN] - mine[Feature.TURN]})
    if mine[Feature.FIRMER] < _FEW <= ours[Feature.FIRMER]:
        yield Phrase("klopodavka.idea.secure")
    if crushed:
        yield Phrase("klopodavka.idea.crush", {"count": crushed.bit_count()})
    yield Phrase("klopodavka.idea.reach", {"count": ours[Feature.MOBILITY]})


def _branches(before: State, after: State) -> Iterator[Phrase]:
    """Yield the most bugs of an enemy that are no longer linked with their home, if any."""
    cut, enemy = max(
        (_unlinked(after, at) - _unlinked(before, at), at) for at in before.field.enemies[before.seat]
    )
    if cut > 0:
        yield Phrase("klopodavka.idea.branch", {"seat": SEATS[enemy], "count": cut})


def _unlinked(state: State, seat: int) -> int:
    return (state.occupancy.bugs[seat] & ~state.touches[seat]).bit_count()


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
