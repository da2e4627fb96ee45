"""Messages as Discord takes them: words, pictures, keys, escaped names, and old boards."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from discord.http import handle_message_parameters
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES
from bot.chat.i18n import words as words_for
from bot.chat.presenting import picking
from bot.chat.presenting.boards import show
from bot.chat.presenting.selection import Selection, follow
from bot.chat.view import Button, View
from bot.features.help_pages import rules_card
from bot.platforms.discord import rendering
from bot.platforms.discord.rendering import (
    Select,
    arranged,
    escaped,
    fenced,
    keys_of,
    render,
    rows,
)
from play.match import Match
from play.people import Account
from rules import GAMES
from tests.bot.chat.presenting.test_facts import played
from tests.bot.features.puzzles.solving import puzzle_views
from tests.bot.world import World
from tests.platforms.discord.harness import DiscordHarness, begun, latest, public
from tests.platforms.discord.limits import problems
from tests.rules.cases import cases

# However many things there are to press, all of them can be pressed.


MESSAGES = "/channels/1/messages"


def button(number: int, verb: Verb = Verb.STEP) -> Button:
    return Button(f"button {number}", CallbackData(verb, "aaaaaa", 1, f"a{number}"))


@pytest.mark.parametrize("choices", [0, 1, 5, 6, 14, 15, 20, 24, 25])
@pytest.mark.parametrize("controls", [0, 3, 7, 10])
async def test_everything_that_is_offered_can_be_pressed(choices: int, controls: int) -> None:
    offered = tuple(map(button, range(choices)))
    under = tuple(button(number, Verb.DRAW) for number in range(controls))
    view = View(lines=("x",), after=("Which one?",), buttons=offered, controls=under)
    wanted = {each.data.pack() for each in (*offered, *under)}
    found = set()
    for row in arranged(view):
        found |= {value for _, value in row.entries} if isinstance(row, Select) else {key.id for key in row}
    assert found == wanted
    made = rows(render(view))
    components = made.to_components() if made else []
    payload = {
        "content": "x",
        "components": components,
        "allowed_mentions": {},
        "nonce": "n",
        "enforce_nonce": True,
    }
    assert problems("POST", MESSAGES, payload) == []


def test_the_validator_bites() -> None:
    good = {"content": "x", "allowed_mentions": {}, "nonce": "n", "enforce_nonce": True}
    pressed = {"type": 2, "style": 2, "label": "x", "custom_id": "a"}
    assert problems("POST", MESSAGES, good) == []
    spoilt: tuple[dict[str, Any], ...] = (
        {"content": "x" * 2001},
        {"content": ""},
        {"nonce": "n" * 26},
        {"enforce_nonce": False},
        {"allowed_mentions": {"parse": ["everyone"]}},
        {"flags": 1 << 20},
        {"components": [{"type": 1, "components": [pressed] * 2}]},
        {"components": [{"type": 1, "components": []}]},
        {"components": [{"type": 1, "components": [{**pressed, "label": "x" * 81}]}]},
        {"components": [{"type": 1, "components": [{**pressed, "custom_id": "x" * 101}]}]},
        {"components": [{"type": 1, "components": [{**pressed, "custom_id": str(n)}]} for n in range(6)]},
        {"embeds": [{"description": "x" * 4097}]},
        {"embeds": [{"description": "x" * 4000}, {"description": "x" * 4000}]},
        {"attachments": [{"id": 0, "filename": "a.png", "description": "x" * 1025}]},
        {"poll": {}},
    )
    for bad in spoilt:
        assert problems("POST", MESSAGES, {**good, **bad}), bad


# Discord takes the message of any board in any language: words, pictures, keys.


PLIES = 60
LOOKS = 20  # at each set-up of a game, at different times of a match


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
@pytest.mark.parametrize("key", GAMES)
async def test_random_positions_in_every_language(key: str) -> None:
    chance = random.Random(key)
    for case in cases(GAMES[key]):
        for _ in range(LOOKS):
            world = World()
            chosen, plies, seed = dict(case.chosen), chance.randrange(PLIES), chance.randrange(10**6)
            match = await played(world, key, chosen, plies, seed)
            for language in LANGUAGES:
                _look_at(world, match, language, chance)


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


def test_every_puzzle_and_picks() -> None:
    for view in puzzle_views("uk", random.Random("uk")):
        assert said(view, painted=True, language="uk") == []
        offered = [each for each in view.buttons if each.data.fits]
        left_out = {each.data.pack() for each in offered} - _pressable(view)
        assert left_out <= {each.data.pack() for each in offered if each.shortcut}, view.lines


def _pressable(view: View) -> set[str]:
    """What can be pressed under a view: nothing that is offered is left out."""
    found: set[str] = set()
    for row in arranged(view):
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
            view = rules_card(
                game, dict(case.chosen) and game.describe(game.choose(dict(case.chosen))), words
            )
            assert said(view, painted=False, language=language) == []


# What people type shows as they typed it, and does nothing.


LIVELY = st.text(alphabet="*_~`|<>@#-+.[]()\\!&:/ htps0123456789abc\n\u202e\u200b", max_size=60)


@given(LIVELY)
def test_nothing_in_it_does_anything(text: str) -> None:
    shown = escaped(text)
    bare = re.sub(r"\\[^0-9A-Za-z\s]", "x", shown)  # what the backslash has made harmless
    assert not re.search(r"[*_~`|<@\[\]\\]", bare)
    assert "http://" not in bare.lower()
    assert "https://" not in bare.lower()
    assert not re.search(r"^\s*(#{1,3}\s|-#\s|[-+]\s|>\s|>>>|[0-9]+[.)]\s)", bare, re.MULTILINE)
    assert "\u202e" not in shown


@pytest.mark.parametrize("text", ["L c1-c3 n b2", "Прорив · #k7q2mz", "Аня — 3 × 4", "ok?", "a.b"])
def test_what_needs_no_escape_has_none(text: str) -> None:
    assert escaped(text) == text


def test_a_fence_cannot_be_left() -> None:
    assert fenced("a ``` b").count("```") == 2


# Old boards stay, shrink or are deleted, as the admins of a server choose.


@pytest.mark.parametrize("chosen", ["keep", "shrink", "delete"])
async def test_an_old_board_becomes_what_was_chosen(home: DiscordHarness, chosen: str) -> None:
    ann = home.person("ann")
    home.guild.admins.add(ann.user.id)
    await ann.types("config", **{"old-boards": chosen})
    ann, _ = await begun(home)
    board, before = latest(ann), len(public(ann))
    whole = board.files["board.png"]
    await ann.types("move", move="a2-a3")
    if chosen == "delete":
        assert len(public(ann)) == before
        assert board.id not in home.games.messages
        return
    assert len(public(ann)) == before + 1
    assert not board.pressed()
    assert (board.files["board.png"] == whole) is (chosen == "keep")
    assert latest(ann).files["board.png"] == whole


async def test_an_orphan_loses_its_buttons_once_it_is_pressed(home: DiscordHarness) -> None:
    """A process ended after it sent a board, and before it stored that."""
    ann, bob = await begun(home)
    stored = home.store.outgoing()
    (match,) = home.matches.values()
    before = await stored.shown(match.id, match.addresses[0])
    await ann.types("move", move="a2-a3")
    orphan = latest(ann)
    await stored.set_shown(match.id, match.addresses[0], before)
    await bob.types("move", move="b4-b3")
    assert orphan.pressed()
    await bob.presses(orphan, "Move")
    assert bob.private()[-1].content
    assert not orphan.pressed()
    assert latest(ann).pressed()
