"""Round robin: every player meets every other; Berger tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from play.events.games import Game, P

MOST_PLAYERS: Final = 10
"""Players of a round robin: nine games are enough for one event."""

_FEW: Final = 5
"""Up to so many players meet twice, once with each first move, where the game takes two."""


def cycles(players: int) -> int:
    """Return how often each pair of a two-player game meets: twice among few players, else once."""
    return 2 if players <= _FEW else 1


def berger(players: Sequence[P], cycles: int = 1) -> tuple[tuple[Game[P], ...], ...]:
    """Return the rounds of a round robin, by the Berger tables (FIDE Handbook C.05, annex 1).

    With an odd number of players one of them is free in each round. No player moves first more than once oftener than
    second in a single cycle; in a double one, each pair plays both ways.

    Args:
        players: In the order of their numbers.
        cycles: How often each pair meets; in every second cycle the first move changes sides.
    """
    single = tuple(_rounds(players))
    swapped = tuple(tuple(Game(game.second, game.first) for game in games) for games in single)
    return tuple(games for cycle in range(cycles) for games in (swapped if cycle % 2 else single))


def _rounds(players: Sequence[P]) -> Iterator[tuple[Game[P], ...]]:
    count = len(players)
    last = (
        count + count % 2 - 1
    )  # index of the player, or of the free place, that stays while the others turn
    for turn in range(last):
        # Each round turns the others by half a table, which alternates the first move of everybody.
        top = turn * ((last + 1) // 2) % last if last > 1 else 0
        pairs = [(top, last) if turn % 2 == 0 else (last, top)]
        pairs += [((top + step) % last, (top - step) % last) for step in range(1, (last + 1) // 2)]
        yield tuple(Game(players[a], players[b]) for a, b in pairs if max(a, b) < count)
