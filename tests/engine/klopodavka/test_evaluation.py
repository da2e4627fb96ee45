from __future__ import annotations

import json

import pytest

from engine.klopodavka.evaluation import (
    COUNTED_OUT,
    FILE,
    WON,
    Feature,
    FeatureWeights,
    counted_out,
    evaluate,
    outlasts,
    rows,
    weights,
)
from engine.klopodavka.state import SearchState
from rules.klopodavka.position import bases_held
from rules.klopodavka.reach import could_ever, reach
from tests.engine.klopodavka.kinds import KINDS, games, nearly_over, wins
from tests.rules.klopodavka.making import played, start


@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_say_what_the_rules_say(kind: str) -> None:
    for here in games(kind, 2):
        ruleset, occupancy = here.ruleset, here.occupancy
        for seat, row in enumerate(rows(SearchState.of(here))):
            if here.gone >> seat & 1:
                assert row is None
                continue
            assert row is not None
            cells = reach(ruleset, occupancy, seat)
            assert row[Feature.MOBILITY] == row[Feature.FREEDOM] == cells.bit_count()
            assert row[Feature.CRUSHES] == (cells & occupancy.live).bit_count()
            assert row[Feature.LIVE] == occupancy.bugs[seat].bit_count()
            assert row[Feature.LINKED] + row[Feature.LOOSE] == occupancy.walls[seat].bit_count()
            enemies = [
                e
                for e in range(len(ruleset.side))
                if ruleset.side[e] != ruleset.side[seat] and not here.gone >> e & 1
            ]
            threat = near = 0
            for enemy in enemies:
                threat |= could_ever(ruleset, occupancy, enemy)
                near |= reach(ruleset, occupancy, enemy)
            assert row[Feature.SAFE] == (occupancy.bugs[seat] & ~threat).bit_count()
            assert row[Feature.HIT] == (occupancy.bugs[seat] & near).bit_count()
            assert row[Feature.HIT] <= row[Feature.HIT_SOON] <= row[Feature.LIVE]
            assert row[Feature.MOBILITY] <= row[Feature.TURN]
            assert row[Feature.FIRMER] <= row[Feature.FIRM] <= row[Feature.MOBILITY]
            assert row[Feature.RESERVE] == row[Feature.SPARE] <= row[Feature.CAPACITY]
            held = bases_held(ruleset, occupancy, here.gone)[seat] if here.scores else 0
            assert row[Feature.HELD] == held


def test_what_is_cut_by_hitting_bugs_is_not_firm() -> None:
    here = played(start("board:10x10"), "b2 c3 d4", "i9 h8 g7", "e5 f6 d5", "xf6 e6 xe5")
    mine, theirs = rows(SearchState.of(here))
    assert mine is not None
    assert theirs is not None
    assert mine[Feature.HIT] == 2
    assert mine[Feature.FIRM] < mine[Feature.MOBILITY]
    assert theirs[Feature.LINKED] == 2
    assert theirs[Feature.LOOSE] == 0


def test_the_weights_are_those_of_the_features() -> None:
    tables = json.loads(FILE.read_text(encoding="utf-8"))
    for table in tables.values():
        assert len(FeatureWeights.of(table).flat()) == 4 * len(Feature)
    table = dict(tables["standard"])
    del table["mobility"]
    with pytest.raises(ValueError, match="weights"):
        FeatureWeights.of(table)


def test_each_kind_of_game_has_the_weights_that_suit_it_best() -> None:
    tables = json.loads(FILE.read_text(encoding="utf-8"))
    wanted = {
        "board:8x8": "standard",
        "players:3 board:8x8": "standard",
        "variant:bases board:8x8": "standard",
        "variant:bases players:3 board:8x8": "bases-many",
        "variant:hq board:8x10": "standard",
    }
    for kind, name in wanted.items():
        assert weights(start(kind).ruleset) == FeatureWeights.of(tables[name]), kind
    assert set(tables) == {*wanted.values()}


@pytest.mark.parametrize("kind", KINDS)
def test_what_one_side_wins_the_other_loses(kind: str) -> None:
    for here in games(kind, 1):
        state = SearchState.of(here)
        values = [evaluate(state, side, weights(here.ruleset)) for side in range(len(here.ruleset.sides))]
        if len(values) == 2:
            assert values[0] == pytest.approx(-values[1])
        elif here.outcome is None:
            assert min(values) < 0
        if here.outcome:
            for side, value in enumerate(values):
                won = any(here.ruleset.side[seat] == side for seat in here.outcome.winners)
                assert value == (0 if here.outcome.drawn else WON if won else -WON)


def slow_outlasts(reserve: int, capacity: int, actions: int, left: int, *, mine: bool) -> bool:
    """The same by playing it out, one action at a time."""
    last_mine = False
    while True:
        if mine:
            if not reserve:
                return last_mine and not capacity
            reserve -= 1
        else:
            if not capacity:
                return bool(reserve) or last_mine
            capacity -= 1
        last_mine = mine
        left -= 1
        if not left:
            mine, left = not mine, actions


@pytest.mark.parametrize("actions", [1, 2, 3, 4])
def test_counting_out_is_what_playing_on_comes_to(actions: int) -> None:
    for reserve in range(1, 15):
        for capacity in range(15):
            for left in range(1, actions + 1):
                for first in (True, False):
                    if not first and not capacity:
                        continue  # who is to move can act, or would be out already
                    expected = slow_outlasts(reserve, capacity, actions, left, mine=first)
                    assert outlasts(reserve, capacity, actions, left, first=first) == expected


@pytest.mark.parametrize(
    "kind",
    ["board:3x3 actions:1", "board:3x3 actions:2", "board:4x3 actions:2", "board:4x3 reach:base actions:2"],
)
def test_who_is_counted_out_has_lost(kind: str) -> None:
    found = 0
    for here in nearly_over(kind, 80):
        state = SearchState.of(here)
        winner = counted_out(state, rows(state))
        if winner is not None:
            found += 1
            assert wins(here) == winner, here
            assert evaluate(state, winner, weights(here.ruleset)) == COUNTED_OUT
    assert found
