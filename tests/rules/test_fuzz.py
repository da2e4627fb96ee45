"""Any typed text, in any language, is a legal move or a refusal with words, and changes nothing."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules import GAMES
from rules.core import AnyGame, RulesError
from tests.rules.cases import Case, cases
from tests.rules.catalogues import LANGUAGES, assert_refusal
from tests.rules.conformance import assert_playable, check_candidates
from tests.rules.lines import Line, play_out
from tests.rules.noise import ALPHABETS, line

every_game = pytest.mark.parametrize("key", GAMES)


def type_in(game: AnyGame, position: Any, text: str) -> None:
    """Read a text as a move: it is one, or there are words for why not."""
    try:
        plies = game.notation.parse(text, position)
    except RulesError as refused:
        assert_refusal(game, refused)
        check_candidates(position, refused)
    else:
        assert_playable(position, plies)


def fuzz(key: str, language: str, lines: int, positions: int) -> None:
    """Type so many lines, spread over positions of the game's cases."""
    game = GAMES[key]
    chance = random.Random(f"{key}/{language}/{lines}")
    tried: list[Case] = chance.choices(cases(game), k=positions)
    for case in tried:
        played = play_out(case, chance.randrange(100))
        at = chance.randrange(len(played.positions))
        position = played.positions[at]
        before = game.notation.format_position(position)
        near = [game.notation.format(move) for move in [*position.legal_moves()[:9], *played.moves[:9]]]
        for _ in range(lines // positions):
            type_in(game, position, line(language, chance, near))
        assert game.notation.format_position(position) == before


@every_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_typed_lines(key: str, language: str) -> None:
    fuzz(key, language, lines=600, positions=12)


@pytest.mark.slow
@every_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_many_typed_lines(key: str, language: str) -> None:
    fuzz(key, language, lines=7000, positions=70)


@every_game
def test_anything_at_all(key: str) -> None:
    game = GAMES[key]
    played: Line = play_out(Case(game, ()), 3)
    letters = "".join(ALPHABETS.values())

    @settings(max_examples=150, deadline=None, derandomize=True, database=None)
    @given(
        text=st.text(max_size=60) | st.text(st.sampled_from(f"{letters}0123456789 -,x\0"), max_size=40),
        at=st.integers(0, len(played.positions) - 1),
    )
    def check(text: str, at: int) -> None:
        position = played.positions[at]
        before = game.notation.format_position(position)
        type_in(game, position, text)
        assert game.notation.format_position(position) == before

    check()


@every_game
def test_a_long_line_is_refused_in_one_short_sentence(key: str) -> None:
    game = GAMES[key]
    start = game.start(game.choose({}))
    for letter in ("a", "ф", "1", " ", "\0", "\u202e", "😀"):
        with pytest.raises(RulesError) as refused:
            game.notation.parse(letter * 10_000, start)
        assert len(str(refused.value)) < 200
