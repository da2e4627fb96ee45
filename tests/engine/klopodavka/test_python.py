from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from bench.solving import ForcedWins
from engine.core import SILENT, Budget, GameValue, Meter, SearchResult
from engine.klopodavka import SPECIALIST
from engine.klopodavka.engine import KlopodavkaEngine, NativeEngine, PythonEngine, core_module
from engine.klopodavka.engine import played as moves_of
from engine.klopodavka.evaluation import weights
from engine.klopodavka.state import SearchState
from engine.klopodavka.tree import BEAM, KILLERS, BeamWidths, TurnTree, every_turn
from rules.core import SEATS
from rules.klopodavka import GAME, KlopodavkaPosition, Move
from tests.engine.klopodavka.kinds import nearly_over, wins
from tests.rules.klopodavka.making import played, position, start


def after(here: KlopodavkaPosition, result: SearchResult[Move]) -> KlopodavkaPosition:
    """The position after a whole turn."""
    seat, owed = here.seat, here.plies_left
    for at, move in enumerate(result.turn):
        assert here.seat == seat
        assert here.outcome is None
        assert at < owed
        here = here.play(move)
    assert here.outcome is not None or here.seat != seat or len(result.turn) == owed
    return here


def engines(shape: BeamWidths) -> list[KlopodavkaEngine]:
    """The engines that there are: without a compiler there is one."""
    module = core_module()
    return [PythonEngine(shape=shape), *([NativeEngine(module, shape=shape)] if module else [])]


@pytest.mark.parametrize("kind", ["board:8x8", "players:4 board:8x8 actions:2", "teams:2v2 board:7x7"])
def test_several_turns_are_different_and_the_best_comes_first(kind: str) -> None:
    here = start(kind)
    results = PythonEngine().ranked(here, Budget(nodes=3_000), most=4)
    assert len({after(here, result) for result in results}) == len(results) == 4
    values = [result.value for result in results]
    assert values == sorted(values, reverse=True)


def test_a_turn_that_wins_at_once_is_found_and_proved() -> None:
    # The last live bug of the second player stands within reach.
    here = position("4b/5/5/5/a4 1 3 -", board="5x5")
    result = PythonEngine().think(played(here, "b2 c3 d4", "d5 c4 e4"), Budget(nodes=20_000))
    assert result.turn
    close = position("5/3b1/2a2/5/5 1 1 -", board="5x5")
    won = PythonEngine().think(close, Budget(nodes=200))
    assert [str(move) for move in won.turn] == ["xd4"]
    assert won.proof is not None
    assert (won.proof.result, won.proof.plies, won.value) == (GameValue.WIN, 1, 1.0)


def test_a_node_is_tried_first_with_what_answers_its_siblings() -> None:
    here = start("board:6x6 actions:2")
    budget = Budget(nodes=4_000)
    tree = TurnTree(
        SearchState.of(here), weights(here.ruleset), Meter(budget, time.monotonic), BeamWidths(8, 8)
    )
    tree.grow()
    nodes = [tree.root]
    for node in nodes:
        nodes += node.children
    tried = [node for node in nodes if node.children and not node.width]
    assert tried
    for node in tried:
        assert len(node.children) <= KILLERS
        best = (max if node.ours else min)(child.value for child in node.children)
        assert node.value == (max if node.ours else min)(best, node.first)


@pytest.mark.parametrize("kind", ["board:3x3 actions:1", "board:3x3 actions:2", "board:4x3 actions:2"])
def test_what_is_proved_is_true(kind: str) -> None:
    engine, proofs = PythonEngine(), 0
    for here in nearly_over(kind, 10):
        for result in engine.ranked(here, Budget(nodes=1_500), most=3):
            if result.proof:
                proofs += 1
                won = wins(after(here, result)) == here.seat
                assert result.proof.result is (GameValue.WIN if won else GameValue.LOSS), here
    assert proofs > 20


@pytest.mark.parametrize(
    ("kind", "positions"),
    [
        ("board:4x3 actions:2", ()),
        ("variant:bases board:4x4 actions:2", ()),
        (
            "board:6x4 actions:3",  # the loser can have the last turn be longer than in the line
            (
                "BBBbAA/aABBBA/aaBbAA/abaBbb 1 3 -",
                "BBBbAA/aABBBA/aaBAAA/abaBbb 1 2 -",
                "BBAa1b/aBBAAa/BBBAbb/Ba1aB1 1 1 -",
                "b1abAA/AaBAAA/abABA1/BBBa1a 1 1 -",
            ),
        ),
    ],
)
def test_what_is_proved_comes_within_the_actions_told(kind: str, positions: Sequence[str]) -> None:
    lengths: set[int] = set()
    options = start(kind).options
    given = (GAME.notation.parse_position(text, options) for text in positions)
    for here in (*given, *nearly_over(kind, 6)):
        provers = [ForcedWins(GAME, seat) for seat in SEATS[:2]]
        for engine in engines(BEAM):
            for result in engine.ranked(here, Budget(nodes=2_000), most=3):
                if result.proof and result.proof.result:
                    winner = here.seat if result.proof.result is GameValue.WIN else 1 - here.seat
                    left = result.proof.plies - len(result.turn)
                    assert provers[winner].within(after(here, result), left), (engine.name, here, result)
                    lengths.add(result.proof.plies)
    assert len(lengths) > 3


def test_a_position_is_not_lost_because_the_turns_looked_at_are() -> None:
    """A root of one turn; a budget that ends before it is made broader."""
    for engine in engines(BeamWidths(root=1, reply=16)):
        losses = 0
        for here in nearly_over("board:4x3 actions:2", 10):
            for nodes in (15, 30, 60):
                result = engine.think(here, Budget(nodes=nodes))
                if result.proof and result.proof.result is GameValue.LOSS:
                    losses += 1
                    assert wins(here) != here.seat, (engine.name, here)
        assert losses > 0


def test_a_refuted_turn_is_not_played_while_another_is_open() -> None:
    """A root of one turn, which is refuted before it is made broader: another one is played, and nothing is claimed."""
    for engine in engines(BeamWidths(root=1, reply=16)):
        spared = 0
        for here in nearly_over("board:4x3 actions:2", 10):
            all_turns = {frozenset(moves_of(here, cells)) for cells in every_turn(SearchState.of(here))}
            for nodes in (15, 30, 60):
                budget = Budget(nodes=nodes)
                found = engine.search(here, budget, 1, SILENT)
                if found.sure or not all(each.sure and each.value < 0 for each in found.branches):
                    continue
                refuted = {frozenset(moves_of(here, each.cells)) for each in found.branches}
                for result in (engine.think(here, budget), *engine.ranked(here, budget, most=2)[:1]):
                    assert (frozenset(result.turn) in refuted) is (all_turns == refuted), (engine.name, here)
                    assert result.proof is None or all_turns == refuted
                    after(here, result)
                    spared += all_turns != refuted
        assert spared > 0, engine.name


@pytest.mark.parametrize(
    "kind",
    [
        "board:10x10",
        "board:15x15",
        "board:16x16 actions:6",
        "board:16x16 topology:torus",
        "board:16x16 variant:hq",
        "players:4 board:8x8",
        "players:4 board:20x20",
        "players:6 board:12x12",
        "players:10 board:16x16",
        "teams:2v2 board:20x20",
    ],
)
def test_at_the_start_everybody_has_about_the_same_chances(kind: str) -> None:
    here = start(kind)
    sides = len(here.ruleset.sides)
    for engine in SPECIALIST.build(time.monotonic):
        for nodes in (200, 1000):  # however deep it looks
            result = engine.think(here, Budget(nodes=nodes))
            chances = (1 + result.value) / 2
            assert 0.6 / sides < chances < 1.7 / sides, (engine.name, nodes, chances)
