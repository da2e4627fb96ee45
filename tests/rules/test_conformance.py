"""Every game, preset and variant keeps the contract of rules/core. A new game is tried by being there."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import rules.core
from rules import GAMES
from rules.core import AnyGame
from tests.rules.cases import Case, cases, pairwise, unreachable
from tests.rules.catalogues import package
from tests.rules.conformance import CHECKS
from tests.rules.lines import Line, play_out

CASES = [case for game in GAMES.values() for case in cases(game)]
GAME_IDS = list(GAMES)


@pytest.fixture(scope="module", params=CASES, ids=str)
def line(request: pytest.FixtureRequest) -> Line:
    """One random game of each case."""
    return play_out(request.param, 1)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_contract(line: Line, check: Callable[[Line], None]) -> None:
    check(line)


def test_positions_print_as_what_makes_them(line: Line) -> None:
    names: dict[str, Any] = dict(vars(rules.core))
    home = package(line.game)
    for module in pkgutil.iter_modules(home.__path__, f"{home.__name__}."):
        names |= vars(importlib.import_module(module.name))
    for at in line.looks():
        assert eval(repr(line.positions[at]), names) == line.positions[at]


@cache
def many(key: str) -> tuple[Case, ...]:
    """The cases of the deep run, worked out only for it."""
    return cases(GAMES[key]) + pairwise(GAMES[key])


@pytest.mark.slow
@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("part", range(4))
def test_contract_over_more_games(key: str, part: int) -> None:
    for case in many(key)[part::4]:
        played = play_out(case, part, thorough=True)
        for check in CHECKS:
            check(played)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAME_IDS)
def test_every_value_that_is_offered_can_be_had(game: AnyGame) -> None:
    assert unreachable(game) == []
