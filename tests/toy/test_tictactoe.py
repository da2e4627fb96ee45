"""The example of docs/adding-a-game.md passes the conformance suite."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.rules.cases import Case, cases
from tests.rules.conformance import CHECKS
from tests.rules.lines import Line, play_out
from tests.toy.tictactoe import GAME


@pytest.mark.parametrize("case", cases(GAME), ids=str)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_contract(case: Case, check: Callable[[Line], None]) -> None:
    check(play_out(case, 1, thorough=True))
