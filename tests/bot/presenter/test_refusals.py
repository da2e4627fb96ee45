"""Every refusal has words in every language, with the fields it says it has."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.error_handling import seen
from bot.chat.i18n import LANGUAGES, MissingWords, words
from bot.chat.i18n.check.needs import declared
from bot.chat.presenting import picking
from bot.chat.presenting.naming import Naming
from rules import GAMES
from rules.core import AmbiguousMove, Reason, Seat, Sign, sq
from storage import Damage
from tests.bot.world import World

SAMPLES: dict[str, object] = {
    "seat": Seat.S2,
    "square": sq("c3"),
    "squares": (sq("c3"), sq("d4")),
    "known": ("one", "two"),
    "offered": ("one", "two"),
    **dict.fromkeys(("count", "limit", "line", "entry", "team", "value", "high", "pid"), 3),
    **dict.fromkeys(("low", "seats", "needed", "teams"), 2),
    "seated": 1,
}
"""A value for a field of that name; for others a word."""


def modules() -> Iterator[str]:
    for name in ("rules", "play", "storage", "bot.chat"):
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_has_words(language: str) -> None:
    assert len(REASONS) > 100
    spoken, wrong = words(language, strict=True), {}
    for reason, named in REASONS.items():
        names = named | {"code"} if isinstance(reason, Damage) else named
        try:
            said = spoken(reason, **seen({name: SAMPLES.get(name, "word") for name in names}))
        except MissingWords as missing:
            said = f"{{{missing}}}"
        if said == reason.value or not said.isprintable() or "{" in said or len(said) > 400:
            wrong[reason.value] = said
    assert not wrong


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
    shown = picking.examples(rules, position)
    assert len(set(shown)) == 3
    for text in shown:
        for move in rules.notation.parse(text, position):
            position.play(move)


async def test_no_examples_once_it_is_over() -> None:
    game = GAMES["breakthrough"]
    position = game.start(game.choose({"board": "5x5"}))
    for text in ("d2-c3", "a4-b3", "c3xb4", "d4-c3", "b4xa5"):
        position = position.play(game.notation.parse(text, position)[0])
    assert position.outcome
    assert picking.refused_move(words("en"), "No.", game, position).lines == ("No.",)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_candidates_are_shown_as_boards_while_they_are_few(language: str) -> None:
    world = World(language)
    match = await world.begin("lgame", {"variant": "sudden-death"})
    game, course = world.table.games["lgame"], world.table.course(match)
    moves = course.position.legal_moves()
    spoken = words(language, strict=True)
    for count, boards, buttons in ((2, True, 2), (6, True, 6), (7, False, 7), (40, False, 25)):
        error = AmbiguousMove(next(iter(REASONS)), moves[:count])
        view = picking.candidates(world.present(match, spoken), error)
        assert len(view.buttons) == buttons
        assert all(bool(button.preview) == boards for button in view.buttons)
        assert all(button.preview.planned for button in view.buttons if button.preview)
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
    view = picking.several(list(zip(names, actions, strict=True)), spoken)
    assert [button.data for button in view.buttons] == actions
    assert all(match.id in button.label for match, button in zip(matches, view.buttons, strict=True))
    assert len(view.lines) == 1
    unfit = CallbackData(Verb.MOVE, matches[0].id, 1, "ж")
    view = picking.several([(names[0], unfit), (names[1], actions[1])], spoken)
    assert len(view.buttons) == 1
    assert all(match.id in view.lines[1] for match in matches[:2])
