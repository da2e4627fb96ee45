"""Both engines of Klopodavka: their reach, numbers and ends, and what they say of turns."""

from __future__ import annotations

import itertools
import json
import random
import time
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

import pytest

from bench.solving import ForcedWins
from engine.core import SILENT, Budget, GameValue, Meter, SearchListener, SearchResult
from engine.klopodavka import SPECIALIST
from engine.klopodavka.engine import KlopodavkaEngine, NativeEngine, PythonEngine, core_module, joined
from engine.klopodavka.engine import played as moves_of
from engine.klopodavka.evaluation import (
    COUNTED_OUT,
    FILE,
    WON,
    Feature,
    FeatureWeights,
    counted_out,
    evaluate,
    outlasts,
    rows,
    weights,
)
from engine.klopodavka.state import SearchState
from engine.klopodavka.tree import BEAM, KILLERS, BeamWidths, TurnTree, every_turn
from rules.core import SEATS, Sign
from rules.klopodavka import GAME, KlopodavkaPosition, Move
from rules.klopodavka.position import bases_held
from rules.klopodavka.reach import could_ever, reach
from tests.rules.klopodavka.reference import played, position, start

# Kinds of the game to try everything on, and positions that arise in them.


KINDS: Final = (
    "board:5x5",
    "board:6x4 actions:1",
    "board:8x8",
    "players:3 board:6x6",
    "players:4 board:8x8 actions:2",
    "players:10 board:12x12",
    "variant:bases board:6x6",
    "variant:bases players:3 board:6x6 actions:2",
    "variant:hq board:8x10",
    "variant:hq board:8x10 fence:off",
    "variant:hq teams:2v2 board:12x12",
    "teams:2v2 board:7x7",
    "teams:2v2v2 board:9x9 actions:4",
    "topology:cylinder board:6x5",
    "topology:torus board:6x6",
    "base:immune board:5x6",
    "reach:base board:6x6",
    "reach:base base:immune teams:2v2 board:8x8",
    "first:1 board:5x5",
    "board:3x3 actions:2",
)
"""Small boards, so that games are short."""


def games(kind: str, count: int, *, leaving: float = 0.02) -> Iterator[KlopodavkaPosition]:
    """Every position of some random games, each with its own share of crushing; now and then a seat leaves."""
    for seed in range(count):
        chance = random.Random(f"{kind} {seed}")
        fierce = chance.random()
        here = start(kind)
        while here.outcome is None:
            yield here
            if here.options.players > 2 and chance.random() < leaving:
                here = here.retire(chance.choice(SEATS[: here.options.players]))
                continue
            legal = here.legal_moves()
            crushes = [move for move in legal if move.crush]
            here = here.play(chance.choice(crushes if crushes and chance.random() < fierce else legal))
        yield here


@cache
def wins(here: KlopodavkaPosition) -> int:
    if here.outcome:
        return here.outcome.winners[0]
    mine = here.seat
    return mine if any(wins(here.play(move)) == mine for move in here.legal_moves()) else 1 - mine


def nearly_over(kind: str, count: int) -> Iterator[KlopodavkaPosition]:
    """Positions of random games that go on, with at most eight cells that can still be played on."""
    for here in games(kind, count):
        if not here.outcome and len(here.options.board) - here.occupancy.stones.bit_count() <= 8:
            yield here


def after(here: KlopodavkaPosition, result: SearchResult[Move]) -> KlopodavkaPosition:
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


def test_a_turn_that_wins_at_once_is_found_and_proved() -> None:
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


# The native core beside plain Python and the rules: the same reach, the same numbers, the same ends.


MODULE = core_module()
LARGE = ("board:20x30 actions:4", "board:26x30 players:10 topology:torus", "board:15x15 players:5")

needs_native = pytest.mark.skipif(MODULE is None, reason="the native core was not built here")


@pytest.fixture(name="engine")
def native_engine() -> NativeEngine:
    assert MODULE is not None
    return NativeEngine(MODULE)


@needs_native
@pytest.mark.parametrize("kind", [*KINDS, *LARGE])
def test_it_goes_on_as_the_rules_do(engine: NativeEngine, kind: str) -> None:
    for seed in range(2):
        chance = random.Random(f"{kind} {seed}")
        fierce = chance.random()
        here = start(kind)
        core = engine.at(here)
        side = here.ruleset.side
        for _ in range(150):
            if here.outcome:
                break
            legal = here.legal_moves()
            crushes = [move for move in legal if move.crush]
            move: Move = chance.choice(crushes if crushes and chance.random() < fierce else legal)
            here = here.play(move)
            core.act(here.ruleset.board.bits[move.square].bit_length() - 1)
            seat, left, gone, end = core.standing()
            assert (seat, left, gone) == (here.seat, here.plies_left, here.gone)
            if here.outcome is None:
                assert end == 0
            else:
                assert end == (1 + side[here.outcome.winners[0]] if here.outcome.winners else -1)
            assert joined(core.reached()) == here.reached


@needs_native
@pytest.mark.parametrize("kind", [*KINDS, *LARGE])
def test_it_sees_the_numbers_that_python_sees(engine: NativeEngine, kind: str) -> None:
    for here in itertools.islice(games(kind, 1), 0, 150, 3):
        state, core = SearchState.of(here), engine.at(here)
        far = [(joined(touches), joined(ever)) for touches, ever in core.far()]
        assert far == list(zip(state.touches, state.ever, strict=True))
        assert core.rows() == [list(row or ()) for row in rows(state)]
        if here.outcome is None:
            for side in range(len(here.ruleset.sides)):
                assert core.worth(side) == pytest.approx(
                    evaluate(state, side, weights(here.ruleset)), abs=1e-9
                )


@needs_native
@pytest.mark.parametrize("kind", [*KINDS, *LARGE])
def test_its_turns_are_legal_and_python_finds_the_same(engine: NativeEngine, kind: str) -> None:
    plain = PythonEngine()
    for here in itertools.islice(games(kind, 1), 1, 80, 19):
        if here.outcome is None:
            for nodes in (1, 50, 400):
                assert_same(engine, plain, here, nodes)
                after(here, engine.think(here, Budget(nodes=nodes)))


@needs_native
@pytest.mark.parametrize("kind", ["board:6x6", "board:6x6 players:3 actions:2"])
def test_what_is_visited_often_becomes_broader_as_in_python(engine: NativeEngine, kind: str) -> None:
    assert MODULE is not None
    shape = BeamWidths(root=4, reply=1)
    narrow, plain = NativeEngine(MODULE, shape=shape), PythonEngine(shape=shape)
    whole = (here for here in games(kind, 1) if here.plies_left == here.turn_length)
    for here in itertools.islice(whole, 2, 5, 2):
        for most in (1, 3):
            assert_same(narrow, plain, here, 4_000, most)
        few, many = (narrow.search(here, Budget(nodes=nodes), 1, SearchListener()) for nodes in (300, 4_000))
        assert len(few.branches) < len(many.branches)


def assert_same(
    engine: NativeEngine, plain: PythonEngine, here: KlopodavkaPosition, nodes: int, most: int = 1
) -> None:
    """Both find the same turns with the same values, in the same order of worth."""
    mine = engine.search(here, Budget(nodes=nodes), most, SearchListener())
    theirs = plain.search(here, Budget(nodes=nodes), most, SearchListener())
    assert mine.nodes == theirs.nodes <= nodes
    assert {branch.cells for branch in mine.branches} == {branch.cells for branch in theirs.branches}
    best = [branch.value for branch in theirs.branches]
    assert [branch.value for branch in mine.branches] == pytest.approx(best, abs=1e-6)
    assert [branch.sure for branch in mine.branches] == [branch.sure for branch in theirs.branches]


@needs_native
def test_an_error_of_the_listener_comes_through(engine: NativeEngine) -> None:
    class Broken(SearchListener):
        __slots__ = ()

        def stopped(self) -> bool:
            raise RuntimeError("gone")

    with pytest.raises(RuntimeError, match="gone"):
        engine.think(start("board:20x30"), Budget(nodes=10**12), listener=Broken())


@needs_native
def test_what_is_no_position_is_refused(engine: NativeEngine) -> None:
    core = engine.at(start("board:5x5"))
    with pytest.raises(ValueError, match="not reached"):
        core.act(28)
    with pytest.raises(ValueError, match="no position"):
        core.set([[1]], [[0]], 0, 1, 0)
    with pytest.raises(ValueError, match="off the board"):
        core.set([[1, 1, 1], [1]], [[], []], 0, 1, 0)
    assert MODULE is not None
    with pytest.raises(ValueError, match="no such kind"):
        MODULE.Core(5, 5, 3, 2, (False,) * 5, [[1]], [31], [0.0])


@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_say_what_the_rules_say(kind: str) -> None:
    for here in games(kind, 2):
        ruleset, occupancy = here.ruleset, here.occupancy
        for seat, row in enumerate(rows(SearchState.of(here))):
            if here.gone >> seat & 1:
                assert row is None
                continue
            assert row is not None
            cells = reach(ruleset, occupancy, seat)
            assert row[Feature.MOBILITY] == row[Feature.FREEDOM] == cells.bit_count()
            assert row[Feature.CRUSHES] == (cells & occupancy.live).bit_count()
            assert row[Feature.LIVE] == occupancy.bugs[seat].bit_count()
            assert row[Feature.LINKED] + row[Feature.LOOSE] == occupancy.walls[seat].bit_count()
            enemies = [
                e
                for e in range(len(ruleset.side))
                if ruleset.side[e] != ruleset.side[seat] and not here.gone >> e & 1
            ]
            threat = near = 0
            for enemy in enemies:
                threat |= could_ever(ruleset, occupancy, enemy)
                near |= reach(ruleset, occupancy, enemy)
            assert row[Feature.SAFE] == (occupancy.bugs[seat] & ~threat).bit_count()
            assert row[Feature.HIT] == (occupancy.bugs[seat] & near).bit_count()
            assert row[Feature.HIT] <= row[Feature.HIT_SOON] <= row[Feature.LIVE]
            assert row[Feature.MOBILITY] <= row[Feature.TURN]
            assert row[Feature.FIRMER] <= row[Feature.FIRM] <= row[Feature.MOBILITY]
            assert row[Feature.RESERVE] == row[Feature.SPARE] <= row[Feature.CAPACITY]
            held = bases_held(ruleset, occupancy, here.gone)[seat] if here.scores else 0
            assert row[Feature.HELD] == held


def test_each_kind_of_game_has_the_weights_that_suit_it_best() -> None:
    tables = json.loads(FILE.read_text(encoding="utf-8"))
    wanted = {
        "board:8x8": "standard",
        "players:3 board:8x8": "standard-many",
        "variant:bases board:8x8": "standard",
        "variant:bases players:3 board:8x8": "bases-many",
        "variant:hq board:8x10": "standard",
    }
    for kind, name in wanted.items():
        assert weights(start(kind).ruleset) == FeatureWeights.of(tables[name]), kind
    assert set(tables) == {*wanted.values()}


@pytest.mark.parametrize("kind", KINDS)
def test_what_one_side_wins_the_other_loses(kind: str) -> None:
    for here in games(kind, 1):
        state = SearchState.of(here)
        values = [evaluate(state, side, weights(here.ruleset)) for side in range(len(here.ruleset.sides))]
        if len(values) == 2:
            assert values[0] == pytest.approx(-values[1])
        elif here.outcome is None:
            assert min(values) < 0
        if here.outcome:
            for side, value in enumerate(values):
                won = any(here.ruleset.side[seat] == side for seat in here.outcome.winners)
                assert value == (0 if here.outcome.drawn else WON if won else -WON)


def slow_outlasts(reserve: int, capacity: int, actions: int, left: int, *, mine: bool) -> bool:
    """The same by playing it out, one action at a time."""
    last_mine = False
    while True:
        if mine:
            if not reserve:
                return last_mine and not capacity
            reserve -= 1
        else:
            if not capacity:
                return bool(reserve) or last_mine
            capacity -= 1
        last_mine = mine
        left -= 1
        if not left:
            mine, left = not mine, actions


@pytest.mark.parametrize("actions", [1, 2, 3, 4])
def test_counting_out_is_what_playing_on_comes_to(actions: int) -> None:
    for reserve in range(1, 15):
        for capacity in range(15):
            for left in range(1, actions + 1):
                for first in (True, False):
                    if not first and not capacity:
                        continue  # who is to move can act, or would be out already
                    expected = slow_outlasts(reserve, capacity, actions, left, mine=first)
                    assert outlasts(reserve, capacity, actions, left, first=first) == expected


@pytest.mark.parametrize(
    "kind",
    ["board:3x3 actions:1", "board:3x3 actions:2", "board:4x3 actions:2", "board:4x3 reach:base actions:2"],
)
def test_who_is_counted_out_has_lost(kind: str) -> None:
    found = 0
    for here in nearly_over(kind, 80):
        state = SearchState.of(here)
        winner = counted_out(state, rows(state))
        if winner is not None:
            found += 1
            assert wins(here) == winner, here
            assert evaluate(state, winner, weights(here.ruleset)) == COUNTED_OUT
    assert found


def same(here: KlopodavkaPosition, state: SearchState) -> None:
    fresh = SearchState.of(here)
    assert state.occupancy == here.occupancy
    assert (state.seat, state.left, state.gone) == (here.seat, here.plies_left, here.gone)
    assert state.end == here.outcome
    assert state.reached == here.reached
    assert state.touches == fresh.touches
    assert state.ever == fresh.ever


@pytest.mark.parametrize("kind", KINDS)
def test_a_state_goes_on_as_the_position_does(kind: str) -> None:
    for seed in range(4):
        chance = random.Random(f"{kind} {seed}")
        here, state = start(kind), SearchState.of(start(kind))
        while here.outcome is None:
            same(here, state)
            move: Move = chance.choice(here.legal_moves())
            here = here.play(move)
            state = state.act(here.ruleset.board.bits[move.square])
        same(here, state)


def result(here: KlopodavkaPosition, text: str) -> SearchResult[Move]:
    turn = GAME.notation.parse(text, here)
    return SearchResult(tuple(turn), 0.0, None, tuple(turn), 1, 1, 0, "test")


@pytest.mark.parametrize(
    ("here", "turn", "key"),
    [
        (position("5/3b1/2a2/5/5 1 1 -", board="5x5"), "xd4", "win"),
        (start(), "b2 c3 d4", "reach"),
        (played(start(), "b2 c3 d4", "i9 h8 g7", "e5 f6 e6"), "xf6 xe5 xd4", "hem"),
    ],
)
def test_a_turn_has_a_name(here: KlopodavkaPosition, turn: str, key: str) -> None:
    found = SPECIALIST.idea(here, result(here, turn))
    assert found is not None
    assert found.phrase.key == f"klopodavka.idea.{key}"
    crushed = [move.square for move in result(here, turn).turn if move.crush]
    assert [(mark.sign, mark.square) for mark in found.marks] == [
        (Sign.CRUSHED, square) for square in crushed
    ]
