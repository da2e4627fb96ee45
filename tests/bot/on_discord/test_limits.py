"""Discord takes the message of any board in any language: words, pictures, keys."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
from discord.http import handle_message_parameters

from bot.chat.i18n import LANGUAGES
from bot.chat.i18n import words as words_for
from bot.chat.presenting import picking
from bot.chat.presenting.boards import show
from bot.chat.presenting.selection import Selection, follow
from bot.chat.view import View
from bot.features.rules_cards import rules
from bot.platforms.discord import rendering
from bot.platforms.discord.rendering import PeopleSelect, Select, arranged, keys_of, render
from play.match import Match, Phase
from play.people import Account
from rules import GAMES
from tests.bot.presenter.playing import played
from tests.bot.puzzles.solving import puzzle_views
from tests.bot.world import World
from tests.platforms.discord.limits import problems
from tests.rules.cases import cases

SHARES = 10
"""The positions are looked at in so many parts, side by side."""

POSITIONS = 10_000
PLIES = 40
"""Of one match, whose positions are all looked at."""

PNG = b"\x89PNG"
A_USER = Account("discord", "9" * 19)


def said(view: View, *, painted: bool, language: str) -> list[str]:
    """What Discord would have against a view as a message."""
    ping = (A_USER,) if view.ping else ()
    shown = render(view, PNG if painted else None, ping=ping, more=keys_of(view, words_for(language)))
    made = rendering.fresh(shown)
    with handle_message_parameters(**made, nonce="n") as parameters:
        payload = parameters.payload
        files = []
        if payload is None:
            payload = json.loads((parameters.multipart or [{}])[0]["value"])
            files = [(each.filename, each.fp.read()) for each in parameters.files or ()]
    return problems("POST", "/channels/1/messages", payload, files)


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
async def test_ten_thousand_positions_in_every_language(share: int) -> None:
    chance = random.Random(share)
    every = [case for game in GAMES.values() for case in cases(game)]
    looked_at = 0
    while looked_at < POSITIONS // SHARES:
        case = chance.choice(every)
        world = World()
        match = await played(world, case.game.key, dict(case.chosen), PLIES, chance.randrange(10**6))
        course = world.table.course(match)
        for ply in range(len(course.moves) + 1):
            earlier = _at(match, ply)
            looked_at += 1
            for language in LANGUAGES:
                _look_at(world, earlier, language, chance)


def _at(match: Match, plies: int) -> Match:
    """A match as it was after so many plies."""
    if plies == len(match.log):
        return match
    return replace(match, log=match.log[:plies], phase=Phase.PLAYING, result=None)


def _look_at(world: World, match: Match, language: str, chance: random.Random) -> None:
    """The board that all see, painted and as text, and one step after the other of a move at random."""
    game, course, words = world.table.games[match.game], world.table.course(match), words_for(language)
    presentation = world.present(match, words)
    board = show(presentation, ping=True)
    assert said(board, painted=chance.random() < 0.5, language=language) == []
    selection = Selection()
    for _ in range(4):
        if course.position.outcome or chance.random() < 0.7:
            return
        partial = follow(game, course.position, selection)
        view = picking.choose(presentation, partial, confirms=True)
        assert said(view, painted=True, language=language) == []
        if not partial.steps:
            return
        selection = partial.selection.step(chance.choice(partial.steps).token)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_puzzle_and_picks(language: str) -> None:
    for view in puzzle_views(language, random.Random(language)):
        assert said(view, painted=True, language=language) == []
        offered = {each.data.pack() for each in view.buttons if each.data.fits}
        assert offered <= _pressable(view), view.lines


def _pressable(view: View) -> set[str]:
    """What can be pressed under a view: nothing that is offered is left out."""
    found: set[str] = set()
    for row in arranged(view):
        assert not isinstance(row, PeopleSelect)
        found |= {data for _, data in row.entries} if isinstance(row, Select) else {key.id for key in row}
    return found


@pytest.mark.parametrize("length", [2000, 2001, 4000, 4096, 4097, 6001, 30_000])
def test_text_of_any_length_fits(length: int) -> None:
    words = "word " * (length // 5) + "x" * (length % 5)
    view = View(lines=(words,))
    assert said(view, painted=False, language="en") == []
    shown = render(view)
    assert shown.files or "\n".join((shown.content, *shown.embeds)).split() == words.split()


@pytest.mark.parametrize("language", LANGUAGES)
def test_long_cards_lose_no_word(language: str) -> None:
    words = words_for(language)
    for game in GAMES.values():
        for case in cases(game)[:8]:
            view = rules(game, dict(case.chosen) and game.describe(game.choose(dict(case.chosen))), words)
            assert said(view, painted=False, language=language) == []
