"""Every game, preset and variant keeps the contract of rules/core. A new game is tried by being there."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules import GAMES
from rules.core import (
    AnyGame,
    BadNotation,
    BadOption,
    Ending,
    Number,
    OneOf,
    Reason,
    RulesError,
    Seat,
    Size,
    Squares,
)
from tests.rules.cases import Case, cases, pairwise, unreachable
from tests.rules.catalogues import (
    LANGUAGES,
    assert_refusal,
    entries,
    enums,
    forms,
    package,
    placeholders,
)
from tests.rules.conformance import (
    CHECKS,
    assert_faults,
    assert_playable,
    assert_played_on,
    check_candidates,
    check_lesson,
)
from tests.rules.golden_games import PAGES, rewrite, typed_in
from tests.rules.lines import ALPHABETS, Line, play_out
from tests.rules.lines import line as noise_line

CASES = [case for game in GAMES.values() for case in cases(game)]
game = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))


@pytest.fixture(scope="module", params=CASES, ids=str)
def line(request: pytest.FixtureRequest) -> Line:
    return play_out(request.param, 1)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_contract(line: Line, check: Callable[[Line], None]) -> None:
    check(line)


@cache
def many(key: str) -> tuple[Case, ...]:
    """The cases of the deep run, worked out only for it."""
    return cases(GAMES[key]) + pairwise(GAMES[key])


@pytest.mark.slow
@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("part", range(4))
def test_contract_over_more_games(key: str, part: int) -> None:
    for case in many(key)[part::4]:
        played = play_out(case, part, thorough=True)
        for check in CHECKS:
            check(played)


@game
def test_every_value_that_is_offered_can_be_had(game: AnyGame) -> None:
    assert unreachable(game) == []


@game
def test_its_lesson_can_be_done(game: AnyGame) -> None:
    check_lesson(game)


# Any typed text, in any language, is a legal move or a refusal with words, and changes nothing.


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
            type_in(game, position, noise_line(language, chance, near))
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
def test_pieces_put_anywhere(key: str) -> None:
    game = GAMES[key]
    lines = [play_out(case, 5) for case in cases(game)[:8]]

    @settings(max_examples=200, deadline=None, derandomize=True, database=None)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        played = data.draw(st.sampled_from(lines))
        written = list(game.notation.format_position(data.draw(st.sampled_from(played.positions))))
        for _ in range(data.draw(st.integers(1, 4))):
            here = data.draw(st.integers(0, len(written) - 1))
            there = data.draw(st.integers(0, len(written) - 1))
            written[here] = written[there]
        try:
            position = game.notation.parse_position("".join(written), played.options)
        except BadNotation as refused:
            assert_faults(game, refused)
        else:
            assert_played_on(game, played.options, position, random.Random(1))

    check()


# Odds make a start unequal, and it is played, written and read like any other.


@pytest.mark.parametrize("case", CASES, ids=str)
def test_odds(case: Case) -> None:
    game, options = case.game, case.options
    start = game.start(options)
    wrong = ["", "0", "-1", "x", "127", "9" * 500, "a1,a1", "z99", "٣", "\0", "1,2"]
    for (key, give), seat in product(game.odds.items(), (Seat.S1, Seat.S2)):
        for typed in ["1", " 2 ", "4", "9", "d2,e2", "a2", *wrong]:
            try:
                made = give(start, seat, typed)
            except BadOption as refused:
                assert_refusal(game, refused)
                continue
            assert typed not in wrong
            assert made != start
            assert (made.outcome, made.to_move) == (None, start.to_move)
            assert made.plies_left == made.turn_length
            assert_played_on(game, options, made, random.Random(2))
        assert all(forms(entries(package(game), each)[f"{game.key}.odds.{key}"]) for each in LANGUAGES)


# Options of every game: described, read back, refused with a reason.


@pytest.mark.parametrize("case", CASES, ids=str)
def test_options_are_described_and_read_back(case: Case) -> None:
    game, options = case.game, case.options
    described = game.describe(options)
    assert game.choose(described) == options
    assert hash(game.choose(described)) == hash(options)
    assert game.describe(game.choose(described)) == described
    assert game.options(game.values(options)) == options
    assert set(game.values(options)) == {option.key for option in game.schema.options}
    for option in game.schema.options:
        assert described.get(option.key) != option.default
        value = game.values(options)[option.key]
        if option.write(value):
            assert option.read(option.write(value)) == value
    assert isinstance(game.ratable(options), bool)
    assert game.repetitions(options) == 0 or game.repetitions(options) >= 2
    assert game.start(options).outcome is None


@game
def test_the_schema_is_in_order(game: AnyGame) -> None:
    keys = [option.key for option in game.schema.options]
    assert len(set(keys)) == len(keys)
    assert "preset" not in keys
    assert "classic" in game.schema.presets
    for option in game.schema.options:
        assert option.key.isascii()
        assert option.key.isalpha()
        assert option.key.islower()
        assert option.default == option.write(option.read(option.default))
        if isinstance(option, OneOf):
            assert option.default in option.offered
            assert len(set(option.offered)) == len(option.offered) >= 2
    for preset in game.schema.presets.values():
        assert set(preset) <= set(keys)


@game
def test_what_is_not_offered_is_refused_with_words(game: AnyGame) -> None:
    wrong = [{"colour": "red"}, {"preset": "nonsense"}, {"\0": "1"}, {"x" * 5000: "1"}]
    for option in game.schema.options:
        texts = ["\0", "😀", "٣", "nonsense", "-1", "9" * 500, "1" * 10_000, "1e3", "a1,zz9", "0x0"]
        match option:
            case Number(low=low, high=high):
                texts += [str(low - 1), str(high + 1)]
            case Size(files=files, ranks=ranks):
                texts += [f"{files[0] - 1}x{ranks[0]}", f"{files[1] + 1}x{ranks[0]}"]
                texts += [f"{files[0]}x{ranks[0] - 1}", f"{files[0]}x{ranks[1] + 1}"]
            case Squares():
                texts += ["a1,a1", "z99"]
        if not isinstance(option, Squares):
            texts += ["", "  "]  # no squares is what squares are by default
        wrong += [{option.key: text} for text in texts]
    for chosen in wrong:
        with pytest.raises(BadOption) as refused:
            game.choose(chosen)
        assert_refusal(game, refused.value)


# All that a game can say has words in every language, and the languages agree about what they name.
"""Letters that a language does not have: the sign of a text in another one."""


@game
def test_reasons_are_keys_of_their_game(game: AnyGame) -> None:
    values = [member.value for enum in enums(package(game), Reason) for member in enum]
    assert len(set(values)) == len(values)
    assert all(value.startswith(f"{game.key}.") for value in values), values


@game
def test_a_game_names_its_endings(game: AnyGame) -> None:
    endings = [member for enum in enums(package(game), Ending) for member in enum]
    assert endings
    for language in LANGUAGES:
        for ending in endings:
            (text,) = forms(entries(package(game), language)[ending.value])
            assert not placeholders(text), "an ending names no player: who won is said beside it"


@game
def test_aliases_are_lower_case_words_of_one_game(game: AnyGame) -> None:
    for language in LANGUAGES:
        mine = _aliases(game, language)
        assert mine == [word.lower() for word in mine]
        assert all(mine)
        for other in GAMES.values():
            if other is not game:
                assert not set(mine) & set(_aliases(other, language))


def _aliases(game: AnyGame, language: str) -> list[str]:
    (text,) = forms(entries(package(game), language)[f"{game.key}.aliases"])
    return [word.strip() for word in text.split(",")]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_page_comes_out_the_same(path: Path) -> None:
    page = path.read_text("utf-8")
    assert rewrite(path.parts[-3], page) == page
    assert len(typed_in(page)) >= 3
