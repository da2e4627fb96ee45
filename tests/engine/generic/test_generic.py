"""The generic engine plays every game in every variant, and one made for tests."""

from __future__ import annotations

import random
from typing import Any

import tests.toy.notches
from engine.core import Budget, GameValue
from engine.generic import GenericEngine
from rules import GAMES
from rules.core import AnyGame

TOY = tests.toy.notches.GAME


def generic(game: AnyGame, options: Any) -> GenericEngine[Any, Any]:
    return GenericEngine(game.sides(options), game.evaluate)


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


def test_a_ply_that_an_unfinished_depth_refuted_is_not_played() -> None:
    game = GAMES["breakthrough"]
    options = game.choose({"board": "4x4"})
    here = game.notation.parse_position("2bb/bbbb/wbw1/www1 w", options)
    # This budget ends after the ply that looked best, which loses in 3, and before the others.
    result = generic(game, options).think(here, Budget(nodes=150))
    assert str(result.turn[0])[:2] == "a1"
    assert result.proof is None
