"""Tables: golden ones for each tie-break, and what holds for any event."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from play.events.standings import (
    WIN,
    Bye,
    GameScore,
    PairingSystem,
    ScoredGame,
    StandingsRow,
    table,
)
from tests.play.events.random_swiss import played

SCORES = {
    "1-0": GameScore.FIRST,
    "0-1": GameScore.SECOND,
    "=": GameScore.DRAW,
    "*": GameScore.OPEN,
    "void": GameScore.VOID,
}
SCORES["0-0"] = GameScore.NEITHER


def games(text: str) -> list[ScoredGame[str]]:
    """Games as `A-B 1-0, B-C =`."""
    read = []
    for line in text.split(","):
        both, score = line.split()
        first, second = both.split("-")
        read.append(ScoredGame(first, second, SCORES[score]))
    return read


def text(rows: Sequence[StandingsRow[str]]) -> str:
    """A table as `1A4 2B3 2C3`: place, player, half points."""
    return " ".join(f"{row.place}{row.player}{row.points}" for row in rows)


GOLDEN = {
    "points": ("A-B 1-0, C-A =, B-C 1-0", (), PairingSystem.ROUND_ROBIN, "1A3 2B2 3C1"),
    # A and B have 4; B won their game.
    "direct encounter": (
        "A-B 0-1, A-C 1-0, A-D 1-0, B-C 0-1, B-D 1-0, C-D 0-1",
        *((), PairingSystem.ROUND_ROBIN, "1B4 2A4 3D2 4C2"),
    ),
    # A, B and C beat one another in a ring, and D has a draw from C alone: Sonneborn-Berger says nothing new between
    # A and B, whose place is shared.
    "a ring": (
        "A-B 1-0, B-C 1-0, C-A 1-0, A-D 1-0, B-D 1-0, C-D =",
        *((), PairingSystem.ROUND_ROBIN, "1A4 2B4 3C3 4D1"),
    ),
    # Everybody has 2 of 3, A and B each from one draw with the other and with all.
    "shared": ("A-B =, B-C =, C-A =", (), PairingSystem.ROUND_ROBIN, "1A2 1B2 1C2"),
    # A drew B; A beat the weaker C and lost to none, B beat the stronger D.
    "Sonneborn-Berger": (
        "A-B =, A-C 1-0, A-D 0-1, B-C 0-1, B-D 1-0, C-D 0-1",
        *((), PairingSystem.ROUND_ROBIN, "1D4 2B3 3A3 4C2"),
    ),
    # Not all of A, B and C have met. Without the weakest of their opponents, A and C have 4 from each other, B has 0.
    "Buchholz": (
        "A-C 1-0, A-E 1-0, B-D 1-0, B-E 1-0, C-F 1-0, C-G 1-0",
        (),
        PairingSystem.SWISS,
        "1A4 1C4 3B4 4E0 5D0 5F0 5G0",
    ),
    # A and D drew and have 3 from their better opponent; D won with the second move.
    "second move": ("A-C 1-0, B-D 0-1, B-C =, A-D =", (), PairingSystem.SWISS, "1D3 2A3 3B1 3C1"),
    # C's free round counts as one against an opponent with as many points as C.
    "byes": ("A-B 1-0", ("C",), PairingSystem.SWISS, "1A2 2C2 3B0"),
    "open and void": ("A-B *, B-C void, C-A 1-0", (), PairingSystem.ROUND_ROBIN, "1C2 2A0 2B0"),
    # Without their weakest opponents, A has 1 from C, and C has met no one else.
    "neither came": ("A-B 0-0, A-C =", (), PairingSystem.SWISS, "1A1 2C1 3B0"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_tables(name: str) -> None:
    played, byes, system, wanted = GOLDEN[name]
    found = games(played)
    players = sorted({player for game in found for player in game.players} | set(byes))
    assert text(table(players, found, map(Bye, byes), system)) == wanted


@settings(max_examples=40, deadline=None)
@given(
    st.integers(3, 24), st.integers(0, 2**32), st.sampled_from([0.0, 0.1]), st.randoms(use_true_random=False)
)
def test_a_table_is_the_same_for_results_in_any_order(
    players: int, seed: int, leaving: float, random: Random
) -> None:
    swiss = played(players, seed, leaving=leaving)
    for system in PairingSystem:
        rows = table(range(players), swiss.games, swiss.byes, system)
        assert sum(row.points for row in rows) == WIN * (len(swiss.games) + len(swiss.byes))
        assert [row.points for row in rows] == sorted((row.points for row in rows), reverse=True)
        games, people = swiss.games, list(range(players))
        random.shuffle(games)
        random.shuffle(people)
        again = table(people, games, swiss.byes, system)
        assert {row.player: row for row in again} == {row.player: row for row in rows}
