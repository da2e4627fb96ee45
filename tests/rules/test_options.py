"""Options of every game: described, read back, refused with a reason."""

from __future__ import annotations

import pytest

from rules import GAMES
from rules.core import AnyGame, BadOption, Number, OneOf, Size, Squares
from tests.rules.cases import Case, cases
from tests.rules.catalogues import assert_refusal

CASES = [case for game in GAMES.values() for case in cases(game)]
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))


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


@every_game
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


@every_game
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
