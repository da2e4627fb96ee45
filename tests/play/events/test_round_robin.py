"""Berger tables: everybody meets everybody, with first moves in balance."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from play.events.standings import MOST_PLAYERS, berger, cycles

FIDE = {
    4: "1-4 2-3 / 4-3 1-2 / 2-4 3-1",
    6: "1-6 2-5 3-4 / 6-4 5-3 1-2 / 2-6 3-1 4-5 / 6-5 1-4 2-3 / 3-6 4-2 5-1",
    8: "1-8 2-7 3-6 4-5 / 8-5 6-4 7-3 1-2 / 2-8 3-1 4-7 5-6 / 8-6 7-5 1-4 2-3 / 3-8 4-2 5-1 6-7 / "
    "8-7 1-6 2-5 3-4 / 4-8 5-3 6-2 7-1",
    10: "1-10 2-9 3-8 4-7 5-6 / 10-6 7-5 8-4 9-3 1-2 / 2-10 3-1 4-9 5-8 6-7 / 10-7 8-6 9-5 1-4 2-3 / "
    "3-10 4-2 5-1 6-9 7-8 / 10-8 9-7 1-6 2-5 3-4 / 4-10 5-3 6-2 7-1 8-9 / 10-9 1-8 2-7 3-6 4-5 / "
    "5-10 6-4 7-3 8-2 9-1",
}
"""FIDE Handbook C.05, annex 1; an odd number of players has the next table without its last player."""


def text(players: int) -> str:
    table = berger(range(1, players + 1))
    return " / ".join(" ".join(f"{game.first}-{game.second}" for game in games) for games in table)


@pytest.mark.parametrize("players", FIDE)
def test_the_tables_are_those_of_fide(players: int) -> None:
    assert text(players) == FIDE[players]
    free = f"{players}"
    rest = [[p for p in games.split() if free not in p.split("-")] for games in FIDE[players].split(" / ")]
    assert text(players - 1) == " / ".join(map(" ".join, rest))


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("players", range(2, MOST_PLAYERS + 1))
def test_each_pair_meets_so_often_and_first_moves_are_in_balance(players: int, times: int) -> None:
    table = berger(range(players), times)
    games = [game for games in table for game in games]
    met = Counter(frozenset(game.players) for game in games)
    assert met == dict.fromkeys(map(frozenset, combinations(range(players), 2)), times)
    for games_of_round in table:
        busy = [player for game in games_of_round for player in game.players]
        assert len(set(busy)) == len(busy) == players - players % 2
    balance = Counter(game.first for game in games)
    balance.subtract(game.second for game in games)
    assert all(abs(value) <= times % 2 for value in balance.values())


def test_few_players_meet_twice() -> None:
    assert [cycles(players) for players in (3, 5, 6, 10)] == [2, 2, 1, 1]
