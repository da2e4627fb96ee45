"""The figures of balance that are shipped, and that what is usually played is fair by them."""

from __future__ import annotations

import pytest

from engine import Balance, balance_of, measured_balance
from rules import GAMES


@pytest.mark.parametrize("key", GAMES)
def test_figures_are_of_kinds_that_can_be_played_and_add_up(key: str) -> None:
    game = GAMES[key]
    assert measured_balance(key)
    for kind, levels in measured_balance(key).items():
        options = game.choose(dict(word.split(":") for word in kind.split()))
        assert " ".join(f"{name}:{text}" for name, text in game.describe(options).items()) == kind
        for figures in levels.values():
            shares = [share for share, *_ in figures["shares"]]
            assert len(shares) == len(game.sides(options))
            assert sum(shares) == pytest.approx(1000, abs=3)
            assert all(low <= share <= high for share, low, high in figures["shares"])


@pytest.mark.parametrize("key", GAMES)
def test_what_is_usually_played_is_fair(key: str) -> None:
    game = GAMES[key]
    for preset in ({}, {"preset": "classic"}):
        options = game.choose(game.with_usual(preset))
        balance = balance_of(game, options)
        assert balance is not None
        assert balance.games >= 200
        assert not balance.unfair


def test_what_is_fair_and_what_is_certainly_not() -> None:
    assert Balance(900, ((0.52, 0.48, 0.56), (0.48, 0.44, 0.52))).fair
    near = Balance(900, ((0.58, 0.52, 0.64), (0.42, 0.36, 0.48)))
    assert not near.fair
    assert not near.unfair
    assert Balance(900, ((0.40, 0.36, 0.44), (0.60, 0.56, 0.64))).unfair
    assert Balance(900, ((0.42, 0.38, 0.46), (0.33, 0.29, 0.37), (0.25, 0.21, 0.29))).unfair


def test_of_several_levels_the_one_with_the_most_games_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (
        {"games": games, "shares": [[share] * 3, [1000 - share] * 3]}
        for games, share in ((90, 700), (900, 500))
    )
    monkeypatch.setattr("engine.measured_balance", lambda _: {"": {"6": many, "8": few}})
    game = GAMES["breakthrough"]
    assert balance_of(game, game.choose({})) == Balance(900, ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)))
    assert balance_of(game, game.choose({"board": "5x5"})) is None
