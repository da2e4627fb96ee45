from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bench import klopodavka_builds
from bench.klopodavka_builds import main
from bench.tally import Tally
from engine.klopodavka.engine import core_module

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(core_module() is None, reason="the native core was not built here")
def test_a_checkout_plays_against_another(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(ROOT), "--board", "5x5", "--seconds", "0.001", "--games", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert " of 2, " in lines[-1]
    assert "there" in lines[-1]


@pytest.mark.parametrize("share", [0, 1])
def test_a_match_ends_when_the_goal_is_refuted_at_any_number_of_games(
    share: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def play(builds: Sequence[Any], chosen: Any, seconds: float, number: int, tally: Tally) -> None:
        tally.games += 1
        tally.won += share

    monkeypatch.setattr(klopodavka_builds, "play", play)
    assert main([str(ROOT), "--games", "100"]) == 0
    games = len(capsys.readouterr().out.splitlines())
    low, high = Tally(games, share * games).bounds()
    assert not low <= 0.8 <= high
    low, high = Tally(games - 1, share * (games - 1)).bounds()
    assert low <= 0.8 <= high
