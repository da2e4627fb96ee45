"""Lines of play: each turn by itself, and what cannot be played together at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import pytest

from bot.chat.i18n import words
from bot.chat.presenting.naming import turns_in, variation_text
from bot.chat.thinking.jobs import Variation
from bot.features.analysis.values import brief_value, compared_values, value_text
from rules import GAMES

Value: TypeAlias = tuple[float, int | None]


@pytest.mark.parametrize(
    ("game", "chosen", "plies", "turns"),
    [
        ("breakthrough", {}, "a2-a3 a7-a6 b2-b3", ["a2-a3", "a7-a6", "b2-b3"]),
        ("klopodavka", {}, "b2 c3 d4 i9 h8 g7 e5", ["b2 c3 d4", "i9 h8 g7", "e5"]),
        ("klopodavka", {"actions": "1"}, "b2 i9", ["b2", "i9"]),
        ("klopodavka", {}, "b2 c3 z9 d4", ["b2 c3 z9 d4"]),
        ("breakthrough", {"board": "5x5"}, "d2-c3 a4-b3 c3xb4 d4-c3 b4xa5 e4 e3", ["d2-c3", "a4-b3", "c3xb4", "d4-c3", "b4xa5", "e4 e3"]),
        ("breakthrough", {}, "", []),
    ],
)  # fmt: skip
def test_the_turns_of_a_line(game: str, chosen: dict[str, str], plies: str, turns: Sequence[str]) -> None:
    rules = GAMES[game]
    found = turns_in(rules, rules.start(rules.choose(chosen)), plies.split())
    assert [" ".join(turn) for turn in found] == turns


def test_a_line_is_cut_and_says_so() -> None:
    game = GAMES["breakthrough"]
    start, plies = game.start(game.choose({})), ("a2-a3", "a7-a6", "b2-b3")
    assert variation_text(game, start, plies, 2) == "a2-a3 / a7-a6 …"
    assert variation_text(game, start, plies, 3) == "a2-a3 / a7-a6 / b2-b3"
    assert variation_text(game, start, plies, 1, skip=1) == "a7-a6 …"


@pytest.mark.parametrize(
    ("game", "value", "plies", "said"),
    [
        ("breakthrough", 0.5, None, "Estimate: chances about 75%."),
        ("lgame", 0.0, 4, "Proved: a draw with best play by both."),
        ("lgame", 1.0, 9, "Proved: a win within 9 moves, counting both sides."),
        ("klopodavka", 1.0, 9, "Proved: a win within 9 actions, counting both sides."),
        ("breakthrough", -1.0, 2, "Proved: lost within 2 moves, counting both sides."),
        ("breakthrough", 1.0, 1, "Proved: this wins at once."),
    ],
)
def test_a_value_is_a_proof_or_an_estimate(game: str, value: float, plies: int | None, said: str) -> None:
    rules = GAMES[game]
    start = rules.start(rules.choose({}))
    assert value_text(Variation((), value, plies, (), 1), start, words("en", strict=True)) == said


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("chances about 74%", "26%")),
        ("uk", ("шанси приблизно 74%", "26%")),
        ("ru", ("шансы примерно 74%", "26%")),
    ],
)
def test_of_two_chances_the_second_is_the_figure_alone(language: str, said: tuple[str, str]) -> None:
    rules = GAMES["breakthrough"]
    start, spoken = rules.start(rules.choose({})), words(language, strict=True)
    first: Value = (0.48, None)
    second: Value = (-0.48, None)
    assert compared_values(first, second, start, spoken) == said
    won: Value = (1.0, 3)
    lost: Value = (-1.0, 2)
    for one, other in ((won, second), (first, lost), (won, lost)):
        apart = brief_value(*one, start, spoken), brief_value(*other, start, spoken)
        assert compared_values(one, other, start, spoken) == apart


@pytest.mark.parametrize(
    ("language", "both"), [("en", "counting both sides"), ("uk", "рахуючи"), ("ru", "считая")]
)
@pytest.mark.parametrize("count", [1, 2, 5, 11, 21, 31])
def test_every_plural_form_says_that_both_sides_count(language: str, both: str, count: int) -> None:
    spoken = words(language, strict=True)
    for what in ("judged.win", "judged.loss", "puzzle.win", "puzzle.save"):
        for unit in ("moves", "actions"):
            turn = {"turn": "-"} if what.startswith("puzzle") else {}
            said = spoken.count(f"bot.{what}.{unit}", count, **turn)
            assert both in said, said
            assert str(count) in said, said
