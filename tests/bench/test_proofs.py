"""What engines claim is checked: a few claims of each, and one that is false is found."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from bench import proofs
from engine import engines_of
from engine.core import Budget, EngineKind, GameValue, Proof, SearchResult
from engine.generic import GenericEngine
from rules.core import Seat


@pytest.mark.parametrize(
    "name",
    [
        *("breakthrough-native", "breakthrough-misere", "klopodavka-native"),
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("breakthrough-python", "klopodavka-python")
        ),
        *(pytest.param(f"{game}-generic", marks=pytest.mark.slow) for game in ("breakthrough", "klopodavka")),
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("lgame-points", "lgame-generic", "lgame-tables")
        ),
    ],
)
def test_first_claims_are_true(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    game, kind = name.split("-")
    if kind == "native" and all(each.kind is not EngineKind.NATIVE for each in engines_of(game)):
        pytest.skip("the native core was not built here")
    assert proofs.main(["--quick", name]) == 0
    assert f"{name}: 6 claims" in capsys.readouterr().out


class Boastful(GenericEngine):  # type: ignore[type-arg]
    """Claims a loss wherever it is asked."""

    def think(self, position, budget: Budget, **_) -> SearchResult:  # type: ignore[no-untyped-def, type-arg]
        found = super().think(position, budget)
        return SearchResult(found.turn, -1.0, Proof(GameValue.LOSS, 2), found.line, 1, 1, 0, self.name)


def test_a_false_claim_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    honest = proofs.CONTENDERS["lgame-generic"]
    boasting = proofs.Contender(
        honest.game,
        honest.kinds,
        lambda position, _: Boastful(((Seat.S1,), (Seat.S2,)), lambda *_: 0.0),
        honest.judge,
    )
    monkeypatch.setattr(proofs, "CONTENDERS", {"boastful": boasting})
    assert proofs.main(["--quick", "boastful"]) == 1
    shown = capsys.readouterr().out
    assert "  false: game " in shown
    assert "0 false" not in shown


def test_a_run_goes_on_where_the_last_one_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    progress = tmp_path / "progress.json"
    some = ["lgame-generic", "--nodes", "1000", "--progress", str(progress)]
    assert proofs.main([*some, "--claims", "2"]) == 0
    assert proofs.main([*some, "--claims", "5"]) == 0
    counts = json.loads(progress.read_text())["lgame-generic"]
    at_once = proofs.Progress()
    proofs.judged("lgame-generic", 5, [1000], math.inf, at_once)
    assert at_once.found["lgame-generic"] == counts
    assert "lgame-generic: 5 claims" in capsys.readouterr().out
