"""The generic engine plays every game in every variant, and one made for tests."""

from __future__ import annotations

import random
from typing import Any

import pytest

import tests.toy.notches
from engine import engine_for, engines_of, levels_of
from engine.core import Budget, Engine, EngineKind, GameValue, SearchResult, choose_turn
from engine.generic import GenericEngine
from rules import GAMES
from rules.core import AnyGame, Position

TOY = tests.toy.notches.GAME
CASES = [
    pytest.param(game, preset, id=f"{game.key}-{preset}")
    for game in (*GAMES.values(), TOY)
    for preset in game.schema.presets
]


def generic(game: AnyGame, options: Any) -> GenericEngine[Any, Any]:
    return GenericEngine(game.sides(options), game.evaluate)


def somewhere(game: AnyGame, options: Any, plies: int, seed: int) -> Position[Any]:
    """A position that chance comes to."""
    chance = random.Random(seed)
    here: Position[Any] = game.start(options)
    last = here
    for _ in range(plies):
        if here.outcome:
            return last
        last, here = here, here.play(chance.choice(list(here.legal_moves())))
    return last if here.outcome else here


def assert_turn(position: Position[Any], result: SearchResult[Any]) -> None:
    """A thought's turn is a whole one, and its value says what its proof says."""
    here = position
    for ply in result.turn:
        assert here.outcome is None
        assert here.to_move == position.to_move
        here = here.play(ply)
    assert here.outcome or here.to_move != position.to_move or len(result.turn) == position.plies_left
    assert result.line[: len(result.turn)] == result.turn
    if result.proof:
        assert result.value == result.proof.result
    else:
        assert -1 < result.value < 1


@pytest.mark.parametrize(("game", "preset"), CASES)
def test_it_plays_a_whole_legal_turn_the_same_for_the_same_seed(game: AnyGame, preset: str) -> None:
    options = game.choose({"preset": preset})
    engine = generic(game, options)
    for plies in (0, 7):
        position = somewhere(game, options, plies, 1)
        result = engine.think(position, Budget(nodes=150), seed=5)
        assert_turn(position, result)
        again = generic(game, options).think(position, Budget(nodes=150), seed=5)
        assert again == result


@pytest.mark.parametrize(("game", "preset"), CASES)
def test_ranked_gives_several_turns_in_order(game: AnyGame, preset: str) -> None:
    options = game.choose({"preset": preset})
    position = somewhere(game, options, 3, 2)
    engine = engine_for(game, options, position)
    results = engine.ranked(position, Budget(nodes=200), most=4, seed=1)
    assert 1 <= len(results) <= 4
    for result in results:
        assert_turn(position, result)
    assert len({result.turn for result in results}) == len(results)


@pytest.mark.parametrize(("game", "preset"), CASES)
def test_every_level_plays_a_legal_turn(game: AnyGame, preset: str) -> None:
    options = game.choose({"preset": preset})
    position = somewhere(game, options, 2, 3)
    engine = generic(game, options)
    for number in (1, 3, 5):
        assert_turn(position, choose_turn(engine, position, levels_of(TOY.key, options)[number], seed=number))


def test_time_alone_ends_it_too() -> None:
    game = GAMES[min(GAMES)]
    options = game.choose({})
    ticks = iter(range(10**9))
    engine: Engine[Any, Any] = GenericEngine(game.sides(options), game.evaluate, lambda: next(ticks) / 10)
    assert_turn(game.start(options), engine.think(game.start(options), Budget(seconds=2.0)))


def test_there_is_nothing_to_think_about_once_it_is_over() -> None:
    options = TOY.choose({"preset": "duel"})
    here = TOY.start(options)
    while here.outcome is None:
        here = here.play(here.legal_moves()[0])
    with pytest.raises(ValueError, match="nothing"):
        generic(TOY, options).think(here, Budget(nodes=10))


def test_a_small_game_is_proved_to_its_end() -> None:
    options = TOY.choose({"preset": "duel"})
    position = TOY.start(options)
    ranked = generic(TOY, options).ranked(position, Budget(nodes=50_000), most=9)
    assert [each.value for each in ranked] == sorted((each.value for each in ranked), reverse=True)
    result = ranked[0]
    assert result.proof is not None
    assert result.proof.result is GameValue.WIN
    here, plies = position, 0
    engine = generic(TOY, options)
    while here.outcome is None:
        turn = engine.think(here, Budget(nodes=50_000)).turn
        for ply in turn:
            here, plies = here.play(ply), plies + 1
    assert here.outcome.winners == (position.to_move,)


def test_it_beats_chance() -> None:
    wins = 0
    for seed in range(6):
        chance = random.Random(seed)
        options = TOY.choose({"players": "2", "board": "5x3", "cuts": "2"})
        engine, here, mine = generic(TOY, options), TOY.start(options), seed % 2
        while here.outcome is None:
            if here.to_move == mine:
                for ply in engine.think(here, Budget(nodes=600), seed=seed).turn:
                    here = here.play(ply)
            else:
                here = here.play(chance.choice(list(here.legal_moves())))
        wins += mine in here.outcome.winners
    assert wins >= 5


def test_a_game_without_engines_of_its_own_has_the_generic_one() -> None:
    options = TOY.choose({})
    assert engines_of(TOY.key) == ()
    assert engine_for(TOY, options, TOY.start(options)).kind is EngineKind.GENERIC
