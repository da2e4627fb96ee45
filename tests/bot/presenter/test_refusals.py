"""Every refusal has words in every language: whatever raises it, with the fields it says it has."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest

from bot.callback_data import CallbackData, Verb
from bot.desk.error_handling import seen
from bot.i18n import LANGUAGES, words
from bot.i18n.check.needs import declared
from bot.presenter import refusals
from bot.presenter.naming import Naming
from play.actions.playing import MakeMove
from play.request import Request
from rules.core import AmbiguousMove, Reason, Seat, Sign, sq
from storage import Damage
from tests.bot.world import World

SAMPLES: dict[str, object] = {
    "seat": Seat.S2,
    "square": sq("c3"),
    "squares": (sq("c3"), sq("d4")),
    "known": ("one", "two"),
    "offered": ("one", "two"),
    "count": 3,
    "limit": 3,
    "low": 2,
    "high": 5,
    "value": 7,
    "line": 3,
    "entry": 3,
    "seats": 2,
    "seated": 1,
    "needed": 2,
    "team": 3,
    "teams": 2,
    "pid": 7,
}
"""A value for a field of that name; for others a word."""


def modules() -> Iterator[str]:
    for name in ("rules", "play", "storage", "bot.desk"):
        package = importlib.import_module(name)
        yield name
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            yield module.name


def reasons() -> dict[Reason, frozenset[str]]:
    """Every reason, with the fields that the comment beside it names."""
    found: dict[Reason, frozenset[str]] = {}
    for name in modules():
        module = importlib.import_module(name)
        text = inspect.getsource(module)
        fields = dict(declared(text, ast.parse(text)))
        for value in vars(module).values():
            if inspect.isclass(value) and issubclass(value, Reason) and value.__module__ == name:
                found |= {reason: fields.get(reason.value, frozenset()) for reason in value}
    return found


REASONS = reasons()


def test_there_are_many() -> None:
    assert len(REASONS) > 100


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reason", REASONS, ids=lambda reason: reason.value)
def test_every_refusal_has_words(reason: Reason, language: str) -> None:
    named = REASONS[reason] | {"code"} if isinstance(reason, Damage) else REASONS[reason]
    fields = {name: SAMPLES.get(name, "word") for name in named}
    said = words(language, strict=True)(reason, **seen(fields))
    assert said != reason.value
    assert said.isprintable()
    assert "{" not in said
    assert len(said) <= 400


def test_what_was_typed_is_shown_without_what_a_screen_would_not_show() -> None:
    assert seen({"text": "a\tb\u202ec", "seat": Seat.S1, "long": "x" * 900}) == {
        "text": "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c",
        "seat": Seat.S1,
        "long": "x" * 200 + "…",
    }


@pytest.mark.parametrize("game", ["lgame", "breakthrough", "klopodavka"])
async def test_examples_are_legal_and_different(game: str) -> None:
    world = World()
    match = await world.begin(game, {})
    position, rules = world.table.position(match), world.table.games[game]
    shown = refusals.examples(rules, position)
    assert len(set(shown)) == 3
    for text in shown:
        for move in rules.notation.parse(text, position):
            position.play(move)


async def test_no_examples_once_it_is_over() -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "5x5"})
    for text in ("d2-c3", "a4-b3", "c3xb4", "d4-c3", "b4xa5"):
        position = world.table.position(await world.table.get(match.id))
        player = match.chairs[position.to_move].player
        assert player is not None
        await world.table.act(match.id, MakeMove(text), Request(player, world.now))
    over = await world.table.get(match.id)
    assert over.result is not None
    view = refusals.in_match(
        words("en"), "No.", world.table.games["breakthrough"], world.table.position(over)
    )
    assert view.lines == ("No.",)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_candidates_are_shown_as_boards_while_they_are_few(language: str) -> None:
    world = World(language)
    match = await world.begin("lgame", {"variant": "sudden-death"})
    game, course = world.table.games["lgame"], world.table.course(match)
    moves = course.position.legal_moves()
    spoken = words(language, strict=True)
    for count, boards, buttons in ((2, True, 2), (6, True, 6), (7, False, 7), (40, False, 25)):
        error = AmbiguousMove(next(iter(REASONS)), moves[:count])
        view = refusals.candidates(world.present(match, spoken), error)
        assert len(view.buttons) == buttons
        assert all(bool(button.preview) == boards for button in view.buttons)
        assert len(view.lines) == 1 + (count > buttons)
        assert all(button.data.verb is Verb.MOVE for button in view.buttons)
        assert view.diagram
        assert view.strip
        assert view.alt
        labels = {mark.label: mark for mark in view.diagram.marks if mark.sign is Sign.CANDIDATE}
        assert list(labels) == [button.label.partition(".")[0] for button in view.buttons]
        for button, move in zip(view.buttons, moves, strict=False):
            assert button.label.endswith(f". {game.notation.format(move)}")
            assert tuple(game.notation.parse(button.data.argument, course.position)) == (move,)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_which_match(language: str) -> None:
    world = World(language)
    matches = [await world.begin("breakthrough", {}) for _ in range(3)]
    game, spoken = world.table.games["breakthrough"], words(language, strict=True)
    names = [Naming(game, match, spoken) for match in matches]
    actions = [CallbackData(Verb.MOVE, match.id, match.revision, "a2-a3") for match in matches]
    view = refusals.several(list(zip(names, actions, strict=True)), spoken)
    assert [button.data for button in view.buttons] == actions
    assert all(match.id in button.label for match, button in zip(matches, view.buttons, strict=True))
    assert len(view.lines) == 1
    unfit = CallbackData(Verb.MOVE, matches[0].id, 1, "ж")
    view = refusals.several([(names[0], unfit), (names[1], actions[1])], spoken)
    assert len(view.buttons) == 1
    assert all(match.id in view.lines[1] for match in matches[:2])


async def test_seats_are_called_by_name() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    names = Naming(world.table.games["breakthrough"], match, words("en", strict=True))
    assert names.named({"seat": Seat.S2, "square": sq("c3")}) == {"seat": "bob", "square": sq("c3")}
