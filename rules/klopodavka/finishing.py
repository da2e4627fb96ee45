"""Turns that are decided: each way to finish them wins."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from rules.klopodavka.moves import Move
from rules.klopodavka.options import Variant
from rules.klopodavka.position import KlopodavkaPosition
from rules.klopodavka.reach import reach

MOST: Final = 400
"""Positions after which a search gives up: the turn is then taken for undecided."""


@lru_cache(maxsize=256)
def finish(position: KlopodavkaPosition) -> tuple[Move, ...]:
    """Return actions that finish the turn, where all that could be played instead wins within it, too; else nothing."""
    if position.outcome or not (_all_blocked(position) or _always_wins(position, set())):
        return ()
    moves: list[Move] = []
    while not position.outcome:
        moves.append(_puts_first(position)[0])
        position = position.play(moves[-1])
    return tuple(moves)


def _all_blocked(position: KlopodavkaPosition) -> bool:
    """Whether only the seat to move can act, and will be the only one whatever it does.

    An action takes cells from an enemy's reach or leaves it as it is. What an ally reaches, and how bases count, changes.
    """
    ruleset, occupancy, mover = position.ruleset, position.occupancy, position.seat
    others = [seat for seat in range(len(ruleset.homes)) if seat != mover and not position.gone >> seat & 1]
    return ruleset.options.variant is not Variant.BASES and not any(
        ruleset.side[seat] == ruleset.side[mover] or reach(ruleset, occupancy, seat) for seat in others
    )


def _always_wins(position: KlopodavkaPosition, known: set[KlopodavkaPosition]) -> bool:
    """Whether all ways to finish the turn win; `known` holds the positions that were looked at."""
    for move in _puts_first(position):
        after = position.play(move)
        if after in known:
            continue
        known.add(after)
        if after.outcome:
            wins = position.to_move in after.outcome.winners
        else:
            wins = after.seat == position.seat and _always_wins(after, known)
        if not wins or len(known) > MOST:
            return False
    return True


def _puts_first(position: KlopodavkaPosition) -> list[Move]:
    """The legal actions, those first that leave the enemies' reach as it is: they show soonest that a turn is open."""
    return sorted(position.legal_moves(), key=lambda move: move.crush)
