from __future__ import annotations

from pathlib import Path

import pytest

from bench.klopodavka_builds import interval, main
from engine.klopodavka.native_engine import core_module


@pytest.mark.skipif(core_module() is None, reason="the native core was not built here")
def test_a_checkout_plays_against_another(capsys: pytest.CaptureFixture[str]) -> None:
    root = Path(__file__).parents[2]
    assert main([str(root), "--board", "5x5", "--seconds", "0.001", "--games", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert " of 2, " in lines[-1]


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-3)
    assert interval(10, 10)[1] == pytest.approx(1.0)
