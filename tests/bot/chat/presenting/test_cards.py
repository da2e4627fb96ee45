"""Cards and controls: what can be read and pressed at any time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting import boards
from bot.chat.presenting.forecast import cautions
from bot.chat.presenting.naming import chosen_text, game_title
from bot.chat.view import Person, View
from bot.features.help_pages import rules_card
from play.actions.agreeing import OfferDraw
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.match import Match
from play.people import Player
from play.request import Request
from play.time.clock import Now
from rules import GAMES
from rules.core import AnyGame, BadOption, OneOf
from tests.bot.world import ANN, BOB, EVE, World

# What can be read at any time: rules of everything, help, lists, matches in every phase.


def choices(game: AnyGame) -> Iterator[Mapping[str, str]]:
    """Nothing, every preset, and every word of every option that can be had alone."""
    yield {}
    for name in game.schema.presets:
        yield {"preset": name}
    for option in game.schema.options:
        for word in option.offered if isinstance(option, OneOf) else (option.default,):
            try:
                game.choose({option.key: word})
            except BadOption:
                continue
            yield {option.key: word}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", GAMES)
def test_rules_of_everything(key: str, language: str) -> None:
    game, spoken = GAMES[key], words(language, strict=True)
    plain = rules_card(game, {}, spoken).lines
    offered = [line for line in plain if line.startswith("· ")]
    typed = [f"{option.key}:" for option in game.schema.options]
    assert all(any(line.startswith(f"· {text}") for line in offered) for text in typed)
    assert {f"· {name}" for name in game.schema.presets} <= {line.split(" — ")[0] for line in offered}
    heads: dict[str, Mapping[str, str]] = {}
    for chosen in choices(game):
        described = game.describe(game.choose(chosen))
        head = game_title(game, described, spoken)
        assert ("(" in head) == bool(described)
        assert all(chosen_text(game, option, text, spoken) in head for option, text in described.items())
        assert heads.setdefault(head, described) == described, "two that differ have one title"
        lines = rules_card(game, described, spoken).lines
        assert all(line.isprintable() for line in lines)
        assert not any(line == after == "" for line, after in itertools.pairwise(lines))
        assert game.key not in lines[0]
        if described:
            assert not any(line.startswith("· ") for line in lines)
            assert all(text in lines[0] for text in (words(language)(f"{key}.name"), "("))
        else:
            assert lines == plain


# Controls under a board: what makes sense in the match as it is, each of them a claim that the desk can
# follow.


def seen(world: World, match: Match, language: str = "en") -> View:
    presentation = world.present(match, words(language, strict=True))
    return boards.show(replace(presentation, now=Now(world.now)))


def verbs(view: View) -> list[Verb]:
    return [control.data.verb for control in view.controls]


async def menu(world: World, who: Player, match: Match) -> list[Verb]:
    """What the menu offers."""
    [view] = await pressed(world, who, CallbackData(Verb.MORE, match.id, match.revision))
    return [each.data.verb for each in view.buttons]


async def test_the_menu_offers_what_would_not_be_refused() -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "5x5"})
    asked = [Verb.RESIGN, Verb.WHAT_IF, Verb.MUTE, Verb.FLIP, Verb.TEXT, Verb.BOARD]
    always = [Verb.VOTE, *asked]
    assert await menu(world, ANN, match) == [Verb.DRAW, *always]
    match = (await world.table.act(match.id, MakeMove("a2-a3"), Request(ANN, world.now))).match
    assert await menu(world, ANN, match) == [Verb.UNDO, Verb.DRAW, *always]
    assert await menu(world, BOB, match) == [Verb.DRAW, *always]
    match = (await world.table.act(match.id, MakeMove("b4-b3"), Request(BOB, world.now))).match
    match = (await world.table.act(match.id, MakeMove("c2-c3"), Request(ANN, world.now))).match
    assert await menu(world, BOB, match) == [Verb.TAKEBACK, Verb.DRAW, *always]
    match = (await world.table.act(match.id, OfferDraw(), Request(ANN, world.now))).match
    assert await menu(world, BOB, match) == asked
    assert await menu(world, EVE, match) == [Verb.WHAT_IF, Verb.FLIP, Verb.TEXT, Verb.BOARD]
    await world.table.act(match.id, Resign(), Request(BOB, world.now))
    [board] = await pressed(world, ANN, CallbackData(Verb.MORE, match.id, match.revision))
    assert board.diagram
    assert verbs(board) == [Verb.FLIP, Verb.TEXT, Verb.BOARD]


async def pressed(world: World, who: Player, data: CallbackData, *, confirms: bool = True) -> Sequence[View]:
    visitor = replace(world.visitor(who), buttons=confirms)
    said = await world.desk.press(visitor, data)
    assert all(isinstance(message.to, Person) and message.to.account == who.account for message in said)
    return [message.view for message in said]


# How uneven a game is, between equals, as `bench/balance.py` measured it.

_UNEVEN = {
    "en": "the first player scores 58 of 100 points. Fairer: two games, swapping colours.",
    "uk": "той, хто ходить першим, набирає 58 зі 100 очок. Справедливіше зіграти двічі й помінятися кольорами.",
    "ru": "тот, кто ходит первым, набирает 58 из 100 очков. Справедливее сыграть дважды и поменяться цветами.",
}


def measured(monkeypatch: pytest.MonkeyPatch, kinds: Mapping[str, Sequence[Sequence[int]]]) -> None:
    """Have these shares of sides been measured, in thousandths, with the ends of their interval."""
    figures = {kind: {"6": {"games": 900, "shares": shares}} for kind, shares in kinds.items()}
    monkeypatch.setattr("engine.measured_balance", lambda _: figures)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_uneven_game_says_so(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    measured(monkeypatch, {"": [[583, 540, 610], [417, 390, 460]]})
    (line,) = cautions(GAMES["breakthrough"], {}, words(language, strict=True))
    assert line.endswith(_UNEVEN[language])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_a_game_that_is_even_or_not_measured_says_nothing(
    game: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of 58 of 100 with 52 at least it is not certain that the game is uneven.
    measured(monkeypatch, {"": [[580, 520, 640], [420, 360, 480]]})
    said = words(language, strict=True)
    assert not list(cautions(GAMES[game], {}, said))
    measured(monkeypatch, {})
    assert not list(cautions(GAMES[game], {}, said))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_switch_that_makes_a_game_even_is_named(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    uneven = [[341, 300, 390], [659, 610, 700]]
    measured(monkeypatch, {"": uneven, "first:1": [[510, 470, 550], [490, 450, 530]]})
    (line,) = cautions(GAMES["klopodavka"], {}, words(language, strict=True))
    assert "66" in line
    assert line.endswith("first:1.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_more_than_two_players_each_share_is_said(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    measured(monkeypatch, {"players:3": [[454, 420, 490], [300, 260, 340], [246, 210, 280]]})
    (line,) = cautions(GAMES["klopodavka"], {"players": "3"}, words(language, strict=True))
    assert [number for number in ("45", "30", "25") if number in line] == ["45", "30", "25"]
