"""What every engine promises: each one that this machine has, over kinds of every game; budgets and levels."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module, resources
from typing import Any

import pytest

import tests.toy.notches
from engine import engine_for, engines_of, levels_of, proof_of_start, specialist_of, weaker_levels
from engine.core import (
    EVERY,
    Budget,
    BudgetExhausted,
    Engine,
    EngineKind,
    GameValue,
    Meter,
    SearchListener,
    SearchResult,
    read_solved,
)
from engine.generic import GenericEngine
from engine.levels import choose_turn
from engine.native import ENGINE
from rules import GAMES
from rules.core import SEATS, AnyGame, Position
from tests.engine.breakthrough import kinds as breakthrough
from tests.engine.klopodavka import test_engine as klopodavka

# What every engine promises: each one that this machine has, and the generic one, over kinds of every game.


TOY = tests.toy.notches.GAME
ALL = {TOY.key: TOY, **GAMES}

Kind = tuple[str, tuple[tuple[str, str], ...]]
"""A game, and options."""


def kind(key: str, text: str) -> Kind:
    return key, tuple((word.split(":")[0], word.split(":")[1]) for word in text.split())


PRESETS = [
    (key, (("preset", preset),))
    for key, game in ALL.items()
    for preset in game.schema.presets
    if (key, preset) != (TOY.key, "wide")
]
KINDS = [
    *PRESETS,
    *(kind("breakthrough", f"board:{board}") for board in (*breakthrough.SMALL, *breakthrough.LARGE)),
    *(kind("klopodavka", text) for text in klopodavka.KINDS),
    kind(TOY.key, "players:4 board:6x4 cuts:1 variant:first"),
]
LARGE = 150
"""Cells of a board on which plain Python is asked less."""

every_kind = pytest.mark.parametrize(
    ("key", "chosen"),
    KINDS,
    ids=lambda part: part if isinstance(part, str) else " ".join(map(":".join, part)),
)


def engines(game: AnyGame, position: Position[Any]) -> list[Engine[Any, Any]]:
    """The special engines that fit, and the generic one where it is all there is or the options are a preset."""
    found: list[Engine[Any, Any]] = [engine for engine in engines_of(game.key) if engine.fits(position)]
    return found or [engine_for(game, position.options, position)]  # type: ignore[attr-defined]


def generic(game: AnyGame, options: Any) -> GenericEngine[Any, Any]:
    return GenericEngine(game.sides(options), game.evaluate)


def random_game(game: AnyGame, options: Any, *, leaving: float = 0.02) -> list[Position[Any]]:
    """The positions of a random game that go on; now and then a seat leaves."""
    chance = random.Random(game.key)
    here: Position[Any] = game.start(options)
    line: list[Position[Any]] = []
    while here.outcome is None and len(line) < 200:
        line.append(here)
        if game.seats(options) > 2 and chance.random() < leaving:
            here = here.retire(chance.choice(SEATS[: game.seats(options)]))
        else:
            here = here.play(chance.choice(list(here.legal_moves())))
    return line


def assert_sound(position: Position[Any], result: SearchResult[Any]) -> Position[Any]:
    """A turn is whole, its line is legal, and its value says what its proof says; return what the turn leads to."""
    here = after = position
    assert result.line[: len(result.turn)] == result.turn
    for at, ply in enumerate(result.line):
        assert here.outcome is None
        if at < len(result.turn):
            assert here.to_move == position.to_move
        assert ply in here.legal_moves()
        here = here.play(ply)
        if at == len(result.turn) - 1:
            after = here
    assert after.outcome or after.to_move != position.to_move or len(result.turn) == position.plies_left
    if result.proof:
        assert result.value == result.proof.result
    else:
        assert -1 < result.value < 1
    return after


@every_kind
def test_turns_are_whole_legal_and_repeat_themselves_within_any_budget(
    key: str, chosen: tuple[tuple[str, str], ...]
) -> None:
    game = ALL[key]
    options = game.choose(dict(chosen))
    line = random_game(game, options)
    large = len(game.draw(line[0]).grid) > LARGE
    for here in line[:: max(1, len(line) // (2 if large else 3))]:
        found = engines(game, here)
        if (key, chosen) in PRESETS and not large:
            found.append(generic(game, options))
        for engine in found:
            for budget in (Budget(nodes=1), Budget(nodes=90), Budget(depth=1, nodes=400)):
                result = engine.think(here, budget, seed=7)
                assert_sound(here, result)
                if budget.nodes == 90:  # what it remembers changes nothing
                    assert engine.think(here, budget, seed=7) == result
                # Tables are looked up whole, and the generic engine counts plies.
                if engine.kind is not EngineKind.TABLES:
                    assert budget.nodes is None or result.nodes <= budget.nodes
                if engine.kind is not EngineKind.GENERIC:
                    assert budget.depth is None or result.depth <= budget.depth


@pytest.mark.parametrize(("key", "chosen"), PRESETS)
def test_ranked_turns_are_different_and_in_order(key: str, chosen: tuple[tuple[str, str], ...]) -> None:
    game = ALL[key]
    options = game.choose(dict(chosen))
    for here in random_game(game, options)[3:20:8]:
        for engine in (*engines(game, here), generic(game, options)):
            results = engine.ranked(here, Budget(nodes=300, depth=2), most=4, seed=1)
            assert 1 <= len(results) <= 4
            assert len({assert_sound(here, result) for result in results}) == len(results)
            # Chance decides between what is nearly as good; a tree search trusts the turns that it knows best.
            values = [result.value for result in results]
            if key != "klopodavka" and engine.kind is not EngineKind.GENERIC:
                assert all(first >= second - 0.02 for first, second in itertools.pairwise(values))


@pytest.mark.parametrize(("key", "chosen"), PRESETS)
def test_every_level_plays_a_legal_turn(key: str, chosen: tuple[tuple[str, str], ...]) -> None:
    game = ALL[key]
    options = game.choose(dict(chosen))
    here = random_game(game, options)[2]
    for number, each in levels_of(key, options).items():
        if number <= 3:
            assert_sound(here, choose_turn(game, engine_for(game, options, here), here, each, seed=number))


def everything(clock: Any) -> Iterator[tuple[Engine[Any, Any], AnyGame, Position[Any]]]:
    """Each engine made anew with a clock, and a start that it takes long to search."""
    for key, game in ALL.items():
        options = game.choose({"preset": "scoring"} if key == "lgame" else {})
        start = game.start(options)
        if specialist := specialist_of(key):
            for engine in specialist.build(clock):
                if engine.fits(start):
                    yield engine, game, start
        yield GenericEngine(game.sides(options), game.evaluate, clock), game, start


class Impatient(SearchListener):
    """Stops a search when it has asked so often, and keeps what it was told."""

    def __init__(self, patience: int = 0) -> None:
        self.patience = patience
        self.told: list[SearchResult[Any]] = []

    def better(self, result: SearchResult[Any]) -> None:
        self.told.append(result)

    def stopped(self) -> bool:
        self.patience -= 1
        return self.patience < 0


def test_a_listener_stops_a_search_at_once() -> None:
    for engine, _, start in everything(lambda: 0.0):
        result = engine.think(start, Budget(nodes=10**9), listener=Impatient())
        assert result.nodes < 10**7, engine.name
        assert_sound(start, result)


def test_time_is_taken_from_the_clock_that_was_given() -> None:
    ticks = itertools.count()
    for engine, _, start in everything(lambda: next(ticks) / 10):
        result = engine.think(start, Budget(seconds=2.0))
        assert 0 < result.nodes < 200_000, engine.name
        assert_sound(start, result)


def test_a_game_that_is_over_is_refused() -> None:
    for engine, game, start in everything(lambda: 0.0):
        chance, here = random.Random(1), start
        while here.outcome is None:
            here = here.play(chance.choice(list(here.legal_moves())))
        with pytest.raises(ValueError, match="nothing to play"):
            engine.think(here, Budget(nodes=10))
        assert game.key in ALL


def test_answers_do_not_depend_on_what_was_asked_before() -> None:
    for engine, game, start in everything(lambda: 0.0):
        line = random_game(game, start.options)[::9][:3]  # type: ignore[attr-defined]
        wanted = [engine.think(here, Budget(nodes=400), seed=1) for here in line]
        engine.forget()
        for here, result in [*zip(line, wanted, strict=True)][::-1]:
            assert engine.think(here, Budget(nodes=400), seed=1) == result, engine.name


def names(built: Sequence[Engine[Any, Any]]) -> list[EngineKind]:
    return [engine.kind for engine in built]


@pytest.mark.parametrize("key", ["breakthrough", "klopodavka"])
def test_the_strongest_comes_first_and_plain_python_can_be_forced(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    specialist = specialist_of(key)
    assert specialist is not None
    build = specialist.build
    assert names(build(lambda: 0.0)) in ([EngineKind.NATIVE, EngineKind.PYTHON], [EngineKind.PYTHON])
    monkeypatch.setenv("KLOP_ENGINE", "python")
    assert names(build(lambda: 0.0)) == [EngineKind.PYTHON]


@pytest.mark.parametrize("key", ["breakthrough", "lgame"])
def test_a_solved_start_is_one_of_the_game_and_is_found(key: str) -> None:
    starts = read_solved((ENGINE / key / "solved.txt").read_text("utf-8"))
    assert len(starts) > 20
    game = GAMES[key]
    for start in starts:
        options = game.choose(dict(start.options))
        assert proof_of_start(game, options) == start.proof, start
        assert (start.proof.plies == 0) is (start.proof.result is GameValue.DRAW)
    assert len({start.options for start in starts}) == len(starts)


@pytest.mark.parametrize(("key", "levels"), [("lgame", []), ("breakthrough", [8]), ("klopodavka", [8])])
def test_only_time_makes_a_level_weaker_without_a_native_core(
    key: str, levels: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.engines_of", _without_core)
    assert [*weaker_levels(key)] == levels
    figures = levels_of(key, GAMES[key].choose({}))
    assert all(figures[level].care.nodes is None for level in levels)


def _without_core(game: str) -> Sequence[Engine[Any, Any]]:
    return [each for each in engines_of(game) if each.kind is not EngineKind.NATIVE]


def test_where_no_special_engine_fits_there_is_another() -> None:
    for key, chosen, found in (
        ("lgame", {}, EngineKind.TABLES),
        ("lgame", {"variant": "scoring"}, EngineKind.PYTHON),
        (TOY.key, {}, EngineKind.GENERIC),
    ):
        options = ALL[key].choose(chosen)
        assert engine_for(ALL[key], options, ALL[key].start(options)).kind is found
    assert engines_of(TOY.key) == ()


@pytest.mark.parametrize("key", sorted(filter(specialist_of, GAMES)))
def test_every_idea_has_words_with_its_fields(key: str) -> None:
    game = GAMES[key]
    specialist = specialist_of(key)
    assert specialist is not None
    package = import_module(type(specialist).__module__.rpartition(".ideas")[0] or f"engine.{key}")
    catalogue = resources.files(package).joinpath("texts", "en.po").read_text(encoding="utf-8")
    told, silent = Counter[str](), 0
    for preset in game.schema.presets:
        options = game.choose({"preset": preset})
        for here in random_game(game, options):
            if here.plies_left < here.turn_length:
                continue
            result = engines(game, here)[0].think(here, Budget(nodes=60, depth=2))
            found = specialist.idea(here, result)
            if found is None:
                silent += 1
                continue
            words = re.search(rf'msgid "{re.escape(found.phrase.key)}"\n(.*?)(\n\n|\Z)', catalogue, re.DOTALL)
            assert words is not None, found.phrase.key
            assert set(re.findall(r"\{(\w+)\}", words[1])) == set(found.phrase.fields)
            told[found.phrase.key] += 1
    assert len(told) >= 5
    assert silent < told.total() / 4


# What a search may use.


class Hand:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def count(meter: Meter, nodes: int) -> None:
    for _ in range(nodes):
        meter.tick()


def test_a_budget_has_a_limit() -> None:
    with pytest.raises(ValueError, match="without a limit"):
        Budget()
    for wrong in ({"seconds": 0.0}, {"nodes": 0}, {"depth": -1}):
        with pytest.raises(ValueError, match="nothing"):
            Budget(**wrong)


def test_nodes_are_counted_to_the_last() -> None:
    meter = Meter(Budget(nodes=3))
    for _ in range(3):
        meter.tick()
    assert meter.nodes_left == 0
    with pytest.raises(BudgetExhausted):
        meter.tick()
    assert meter.nodes == 3


def test_time_is_looked_at_now_and_then() -> None:
    clock = Hand()
    meter = Meter(Budget(seconds=2.0), clock)
    clock.now += 1.5
    count(meter, EVERY)
    assert meter.left == 0.5
    clock.now += 0.5
    with pytest.raises(BudgetExhausted):
        count(meter, EVERY)
