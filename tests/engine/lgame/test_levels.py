"""The levels of each variant, from natural moves to perfect play."""

from __future__ import annotations

import random
from statistics import mean

import pytest

from engine import engine_for, levels_of
from engine.core import LEVELS, choose_turn
from rules.lgame import GAME, LPosition, Options
from rules.lgame.options import Variant
from tests.engine.lgame.solving import arrangements, plies_to_end

SOLVED = [Options(variant) for variant in Variant if variant is not Variant.SCORING]


def turn(position: LPosition, number: int, seed: int) -> LPosition:
    """The position after what a level plays."""
    options = position.options
    level = levels_of(GAME.key, options)[number]
    return position.play(choose_turn(engine_for(GAME, options, position), position, level, seed=seed).turn[0])


@pytest.mark.parametrize("variant", Variant)
def test_every_variant_has_eight_levels_of_its_own(variant: Variant) -> None:
    levels = levels_of(GAME.key, Options(variant))
    assert sorted(levels) == sorted(LEVELS)
    assert not any(levels[number] == LEVELS[number] for number in LEVELS)
    others = [levels_of(GAME.key, Options(other)) for other in Variant if other is not variant]
    assert levels not in others


def test_who_has_no_word_of_it_has_the_common_levels() -> None:
    assert levels_of("a game without a specialist", object()) == LEVELS


def some(options: Options, plies: int | None, count: int) -> list[LPosition]:
    found = [p for p in arrangements(options) if p.outcome is None and plies_to_end(p) == plies]
    return random.Random(5).sample(found, min(count, len(found)))


@pytest.mark.parametrize("options", SOLVED, ids=str)
def test_a_beginner_takes_most_of_what_is_to_be_had_at_once(options: Options) -> None:
    taken = [
        turn(position, 1, seed).outcome is not None for seed, position in enumerate(some(options, 1, 60))
    ]
    assert mean(taken) > 0.6


@pytest.mark.parametrize("options", SOLVED, ids=str)
def test_a_beginner_plays_natural_moves_and_makes_mistakes(options: Options) -> None:
    """It leaves the other one less room than chance would, and sometimes a win."""
    chance = random.Random(3)
    left, by_chance, given = [], [], 0
    for seed, position in enumerate(some(options, None, 60)):
        after = turn(position, 1, seed)
        left.append(len(after.legal_moves()))
        by_chance.append(len(position.play(chance.choice(position.legal_moves())).legal_moves()))
        given += not after.outcome and plies_to_end(after) is not None
    assert mean(left) < mean(by_chance)
    assert given > 10


@pytest.mark.parametrize("options", SOLVED, ids=str)
def test_the_strongest_loses_nothing_that_is_drawn(options: Options) -> None:
    for seed, position in enumerate(some(options, None, 60)):
        after = turn(position, 8, seed)
        assert after.outcome is None
        assert plies_to_end(after) is None or plies_to_end(after) % 2 == 0  # type: ignore[operator]
