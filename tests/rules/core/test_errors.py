"""Refusals carry a reason and fields, and form one small tree."""

from __future__ import annotations

import pytest

from rules.core import (
    AmbiguousMove,
    BadNotation,
    BadOption,
    IllegalMove,
    Legality,
    RulesError,
    Spelling,
    sq,
)


@pytest.mark.parametrize("kind", [BadOption, BadNotation, IllegalMove])
def test_a_refusal_carries_its_reason_and_fields(kind: type[RulesError]) -> None:
    error = kind(Legality.NO_SUCH_STEP, step="b2")
    assert isinstance(error, RulesError)
    assert error.reason is Legality.NO_SUCH_STEP
    assert error.fields == {"step": "b2"}
    assert str(error) == "core.illegal.no-such-step(step=b2)"
    assert error.args == (Legality.NO_SUCH_STEP, {"step": "b2"})


def test_a_field_may_have_any_name() -> None:
    assert RulesError(Spelling.EMPTY, reason="x", self="y").fields == {"reason": "x", "self": "y"}


def test_an_ambiguity_carries_its_candidates() -> None:
    error = AmbiguousMove(Legality.SEVERAL_FIT, [sq("a1"), sq("b2")], text="b2", count=2)
    assert error.candidates == (sq("a1"), sq("b2"))
    assert error.fields == {"text": "b2", "count": 2}
    assert isinstance(error, RulesError)
