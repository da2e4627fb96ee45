"""The generic engine plays every game in every variant, and one made for tests."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import tests.toy.notches
from bench.solving import ForcedWins
from engine.core import Budget, GameValue, Meter
from engine.generic import GenericEngine, mcts
from rules import GAMES
from rules.core import AnyGame, Position

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


def test_a_ply_that_an_unfinished_depth_refuted_is_not_played() -> None:
    game = GAMES["breakthrough"]
    options = game.choose({"board": "4x4"})
    here = game.notation.parse_position("2bb/bbbb/wbw1/www1 w", options)
    # This budget ends after the ply that looked best, which loses in 3, and before the others.
    result = generic(game, options).think(here, Budget(nodes=150))
    assert str(result.turn[0])[:2] == "a1"
    assert result.proof is None


# With more than two sides the generic engine grows a tree of samples, with a value for each side.


SMALL = {"players": "3", "board": "5x3", "cuts": "1"}


def engine(game: AnyGame, chosen: Mapping[str, str], **more: Any) -> GenericEngine[Any, Any]:
    options = game.choose(chosen)
    return GenericEngine(game.sides(options), game.evaluate, **more)


def played_on(position: Position[Any], plies: tuple[Any, ...]) -> Position[Any]:
    for ply in plies:
        position = position.play(ply)
    return position


def winning(position: Position[Any]) -> list[Any]:
    ends = ((move, position.play(move).outcome) for move in position.legal_moves())
    return [move for move, end in ends if end and position.to_move in end.winners]


def sharp(chosen: Mapping[str, str], games: int) -> Iterator[Position[Any]]:
    for seed in range(games):
        chance = random.Random(seed)
        here: Position[Any] = TOY.start(TOY.choose(chosen))
        while here.outcome is None:
            yield here
            here = here.play(chance.choice(here.legal_moves()))


def test_it_takes_what_wins_at_once() -> None:
    player, met = engine(TOY, SMALL), 0
    for position in sharp(SMALL, 60):
        wins = winning(position)
        if not 0 < len(wins) < len(position.legal_moves()):
            continue
        met += 1
        result = player.think(position, Budget(nodes=60), seed=met)
        assert result.turn[0] in wins
        assert result.proof is not None
        assert (result.proof.result, result.proof.plies, result.value) == (GameValue.WIN, 1, 1.0)
    assert met >= 5


def test_it_leaves_no_win_at_once_where_that_can_be_helped() -> None:
    player, met = engine(TOY, SMALL), 0
    for position in sharp(SMALL, 15):
        if winning(position):
            continue
        losing = {move for move in position.legal_moves() if winning(position.play(move))}
        if not 0 < len(losing) < len(position.legal_moves()):
            continue
        met += 1
        assert player.think(position, Budget(nodes=250), seed=met).turn[0] not in losing
    assert met >= 5


def test_what_it_calls_won_is_won_against_any_play() -> None:
    player, proved = engine(TOY, SMALL), 0
    for position in itertools.islice(sharp(SMALL, 12), 0, None, 8):
        result = player.think(position, Budget(nodes=800), seed=1)
        if result.proof and result.proof.result is GameValue.WIN:
            proved += 1
            prover = ForcedWins(TOY, position.to_move)
            assert prover.within(played_on(position, result.turn), result.proof.plies - 1)
    assert proved >= 3


def test_it_holds_no_more_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts, "MAX_NODES", 200)
    options = TOY.choose({"board": "7x5"})
    sides = {seat: at for at, side in enumerate(TOY.sides(options)) for seat in side}
    tree: mcts.MonteCarloTree[Any, Any] = mcts.MonteCarloTree(
        TOY.start(options), sides, TOY.evaluate, Meter(Budget(nodes=1000)), random.Random(1)
    )
    tree.grow(None)
    assert len(tree._known) <= 200 + 35  # the last position to be opened may have that many plies


def test_a_depth_alone_bounds_the_walks_and_nothing_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts, "_WALKS", 20)
    options = TOY.choose({"board": "7x5"})
    sides = {seat: at for at, side in enumerate(TOY.sides(options)) for seat in side}
    for depth, spent in ((3, False), (None, True)):
        meter = Meter(Budget(nodes=1000))
        tree: mcts.MonteCarloTree[Any, Any] = mcts.MonteCarloTree(
            TOY.start(options), sides, TOY.evaluate, meter, random.Random(1)
        )
        tree.grow(depth)
        assert (meter.nodes >= 1000) is spent


def test_others_can_still_be_taken_to_stand_together() -> None:
    position = TOY.start(TOY.choose({}))
    result = engine(TOY, {}, paranoid=True).think(position, Budget(nodes=300))
    assert result != engine(TOY, {}).think(position, Budget(nodes=300))
    played_on(position, result.turn)
