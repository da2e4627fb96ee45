"""The benches run from end to end. How fast anything was is nothing for a test."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType

import pytest

from bench.__main__ import BENCHES, main
from bench.measure import Budget, Goal, Row, Series
from tests.support.browser import executable


def planted(monkeypatch: pytest.MonkeyPatch, name: str, rows: Sequence[Row] | Exception) -> None:
    def measure(_: Budget) -> Sequence[Row]:
        if isinstance(rows, Exception):
            raise rows
        return rows

    module = ModuleType(f"bench.{name}")
    module.rows = measure  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, f"bench.{name}", module)


def test_a_missed_goal_is_said_and_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = Row("walk", "nodes", Series("ours", (1.0,)), Series("theirs", (1.0,)), goal=Goal(at_least=2))
    planted(monkeypatch, "perft", [row])
    assert main(["perft"]) == 0
    assert "goal >= 2: 1 MISSED" in capsys.readouterr().out


def test_a_bench_that_fails_does_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planted(monkeypatch, "perft", ValueError("other nodes"))
    planted(monkeypatch, "replay", [])
    assert main(["perft", "replay"]) == 1
    shown = capsys.readouterr()
    assert "perft: FAILED" in shown.out
    assert "replay (" in shown.out
    assert "other nodes" in shown.err


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["speed"])
    assert left.value.code == 2
    assert "no such bench: speed" in capsys.readouterr().err


# OpenSpiel and the libraries for chess boards are not among what tests have.
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in BENCHES if name not in {"breakthrough_openspiel", "pictures"}]
)
def test_a_bench_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name == "page_loading":
        executable()
    assert main(["--quick", name]) == 0
    shown = capsys.readouterr().out
    assert f"\n{name} (" in shown
    assert "10%..90%" in shown
