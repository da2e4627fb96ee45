"""What is said of a step before it is told."""

from __future__ import annotations

import pytest

from engine.breakthrough.ideas import idea
from engine.core import GameValue, Proof, SearchResult
from rules.breakthrough import GAME, BreakthroughPosition, Move
from tests.rules.breakthrough.making import position


def result(here: BreakthroughPosition, text: str, *, won: bool = False) -> SearchResult[Move]:
    """A step that was thought of."""
    (move,) = GAME.notation.parse(text, here)
    return SearchResult(
        (move,), 1.0 if won else 0.0, Proof(GameValue.WIN, 9) if won else None, (move,), 1, 1, 0, "test"
    )


@pytest.mark.parametrize(
    ("text", "step", "key", "marked"),
    [
        ("8/3w4/8/8/8/8/b7/8 w", "d7-d8", "arrive", "d7"),
        ("8/8/8/8/4b3/3w4/8/8 w", "d3xe4", "last", "e4"),
        ("8/8/1w6/8/b7/8/b7/1w6 w", "b1xa2", "stop", "a2"),
        ("8/8/3w4/8/8/4b3/8/w7 w", "d6-d7", "gap", "d6"),
        ("7b/1b6/8/8/8/2b5/1w6/8 w", "b2xc3", "bar", "c3"),
        ("1b6/b7/8/8/4b3/3w4/8/1w6 w", "d3xe4", "free", "e4"),
        ("1b6/b7/8/3b4/4b3/3w4/8/1w6 w", "d3xe4", "trade", "e4"),
        ("8/bb6/8/8/4b3/3w4/8/2w5 w", "c1-c2", "save", "d3"),
        ("bb6/8/8/3w4/4w3/8/8/w7 w", "d5-d6", "outpost", "d5"),
        ("bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w", "d2-d3", "home", "a1 b1 c1 d1 e1 f1 g1 h1"),
        ("8/b7/8/8/8/8/1w6/8 w", "b2-b3", "together", ""),
    ],
)
def test_a_step_has_a_name_and_men_it_is_about(text: str, step: str, key: str, marked: str) -> None:
    here = position(text)
    found = idea(here, result(here, step))
    assert found is not None
    assert found.phrase.key == f"breakthrough.idea.{key}"
    assert " ".join(str(mark.square) for mark in found.marks) == marked


def test_a_forced_way_and_a_race() -> None:
    here = position("8/8/6b1/1w6/8/8/8/8 w")
    assert idea(here, result(here, "b5-b6", won=True)).phrase.key == "breakthrough.idea.run"
    here = position("bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w")
    assert idea(here, result(here, "d2-d3", won=True)).phrase.key == "breakthrough.idea.force"


@pytest.mark.parametrize(
    ("text", "step", "key", "marked", "replied"),
    [
        ("8/8/8/8/4w3/8/b7/8 w", "e4-e5", "stuck", "a2", True),
        ("8/8/3b4/2w5/8/8/b7/8 w", "c5-c6", "few", "d6", True),
        ("8/b7/3b4/2w5/8/8/b7/8 w", "c5xd6", "take", "d6", True),
        ("bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w", "d2-d3", "wait", "", False),
    ],
)
def test_in_misere_a_step_is_about_the_harmless_steps_that_are_left(
    text: str, step: str, key: str, marked: str, replied: bool
) -> None:
    here = position(text, variant="misere")
    found = idea(here, result(here, step))
    assert found.phrase.key == f"breakthrough.idea.misere-{key}"
    assert " ".join(str(mark.square) for mark in found.marks) == marked
    assert (found.reply is not None) is replied
    won = idea(here, result(here, step, won=True))
    assert won.reply is not None
    assert won.reply.key == f"breakthrough.reply.misere-{'stuck' if key == 'stuck' else 'force'}"
    if key == "few":
        after = here.play(*GAME.notation.parse(step, here))
        left = [move for move in after.legal_moves() if not after.play(move).outcome]
        assert found.phrase.fields == {"count": len(left)}
