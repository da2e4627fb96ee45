"""Refusals carry a reason and fields, and form one small tree."""

from __future__ import annotations

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


def test_a_refusal_carries_its_reason_and_fields() -> None:
    for kind in (BadOption, BadNotation, IllegalMove):
        error = kind(Legality.NO_SUCH_STEP, step="b2")
        assert isinstance(error, RulesError)
        assert (error.reason, error.fields) == (Legality.NO_SUCH_STEP, {"step": "b2"})
        assert str(error) == "core.illegal.no-such-step(step=b2)"
        assert error.args == (Legality.NO_SUCH_STEP, {"step": "b2"})
    # A field may have any name.
    assert RulesError(Spelling.EMPTY, reason="x", self="y").fields == {"reason": "x", "self": "y"}
    ambiguous = AmbiguousMove(Legality.SEVERAL_FIT, [sq("a1"), sq("b2")], text="b2", count=2)
    assert ambiguous.candidates == (sq("a1"), sq("b2"))
    assert ambiguous.fields == {"text": "b2", "count": 2}
