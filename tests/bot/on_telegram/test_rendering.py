"""All views fit: random positions of all games in three languages, names of every sort, lists of any length."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES
from bot.chat.i18n import words as words_for
from bot.chat.presenting import picking
from bot.chat.presenting.boards import show
from bot.chat.presenting.captions import length
from bot.chat.presenting.selection import Selection, follow
from bot.chat.view import Button, View
from bot.platforms.telegram import publishing
from bot.platforms.telegram.rendering import (
    CAPTION,
    TEXT,
    Call,
    caption,
    cut,
    html,
    keyboard,
    mention,
    pages,
    plain,
    texts,
)
from play.actions.playing import MakeMove
from play.match import Chair, Match
from play.people import Account, Player
from play.people import visible as clean
from play.replay import Replay
from play.request import Request
from rules import GAMES
from tests.bot.puzzles.solving import puzzle_views
from tests.bot.world import SETTINGS, World
from tests.platforms.telegram.validity import Markup, check, units
from tests.platforms.telegram.validity import keyboard as check_keyboard

NAMES = ("<b>Ann</b> & <a href='x'>", "\u202e\u2066Бо́б\u200f\n\r", "𝕬𝖓𝖓" * 21, "_*`[ann](x)~|", "Ann")
RAGGED = st.text(max_size=60)


def sent(text: str, limit: int) -> Markup:
    """A text as Telegram reads it."""
    markup = Markup.read(text, "HTML")
    assert units(markup.text) <= limit
    assert markup.text.strip()
    return markup


def looked_at(view: View) -> None:
    """A view in every way in which it may be sent."""
    several = [Call(str(number), name) for number, name in enumerate((None, *NAMES)[:9], 17)]
    for calls in ([], [Call("17", None)], [Call("17", NAMES[0])], several):
        sent(caption(view, calls), CAPTION)
        for text in texts(view, calls):
            sent(text, TEXT)
    assert 0 < units(plain(view)) <= 200
    markup = keyboard(view)
    if markup:
        check_keyboard(markup.to_dict())


async def far(world: World, match: Match, luck: random.Random, plies: int) -> Match:
    for _ in range(plies):
        position = world.table.position(match)
        moves = position.legal_moves()
        if not moves or not match.live:
            break
        mover = match.chairs[position.to_move].player
        assert mover
        text = GAMES[match.game].notation.format(luck.choice(moves))
        match = (await world.table.act(match.id, MakeMove(text), Request(mover, world.now))).match
    return match


@pytest.mark.parametrize(("game", "chosen"), SETTINGS)
@pytest.mark.parametrize("language", LANGUAGES)
async def test_random_positions_and_picks(game: str, chosen: dict[str, str], language: str) -> None:
    luck = random.Random(f"{game}{sorted(chosen.items())}{language}")
    world, words = World(language), words_for(language)
    match = await world.begin(game, chosen)
    for _ in range(4):
        match = await far(world, match, luck, luck.randrange(1, 9))
        named = tuple(
            Chair(Player(Account("telegram", str(n)), NAMES[n % len(NAMES)]))
            for n in range(len(match.chairs))
        )
        shown, course = replace(match, chairs=named), Replay(GAMES).positions(match)
        presentation = world.present(shown, words)
        looked_at(show(presentation))
        if not match.live:
            break
        selection = Selection()
        for _ in range(4):
            partial = follow(GAMES[game], course.position, selection)
            view = picking.choose(presentation, partial, confirms=True)
            looked_at(view)
            onward = [
                step
                for step in partial.steps
                if CallbackData(Verb.STEP, match.id, 9, str(partial.selection.step(step.token))).fits
            ]
            if partial.whole or not onward:
                break
            selection = partial.selection.step(luck.choice(onward).token)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_puzzle_and_picks(language: str) -> None:
    for view in puzzle_views(language, random.Random(language)):
        looked_at(view)


@given(lines=st.lists(RAGGED, max_size=40), after=st.lists(RAGGED, max_size=5), alt=st.text(max_size=1100))
def test_words_of_any_kind(lines: list[str], after: list[str], alt: str) -> None:
    looked_at(View(lines=("#", *lines), after=tuple(after), position=alt))


@given(lines=st.lists(st.text(st.sampled_from("a <&>🌕\u202e\n"), max_size=5000), max_size=12))
def test_long_texts_become_several(lines: list[str]) -> None:
    for text in texts(View(lines=tuple(lines))):
        sent(text if text != "" else "…", TEXT)


@given(count=st.integers(0, 200), label=st.text(max_size=90))
def test_any_number_of_buttons(count: int, label: str) -> None:
    buttons = tuple(
        Button(f"{label}{n}", CallbackData(Verb.MOVE, "aaaaaa", 7, f"a{n}")) for n in range(count)
    )
    markup = keyboard(View(lines=("x",), buttons=buttons))
    if markup:
        check_keyboard(markup.to_dict())
    assert (markup is None) == (count == 0)


@given(text=st.text(), limit=st.integers(1, 50))
def test_cut(text: str, limit: int) -> None:
    assert length(cut(text, limit)) <= limit


@given(lines=st.lists(st.text(st.sampled_from("ab 🌕"), max_size=30), max_size=10), limit=st.integers(5, 40))
def test_pages_lose_no_letter(lines: list[str], limit: int) -> None:
    found = pages(lines, limit)
    assert all(length(text) <= limit for text in found)
    letters = "".join("".join(found).split()).replace("…", "")
    assert letters == "".join("".join(lines).split())


@given(name=st.text(max_size=80))
def test_a_name_is_a_name(name: str) -> None:
    markup = Markup.read(f"{html(clean(name))} {mention('5', clean(name) or 'x')}", "HTML")
    assert markup.text == f"{clean(name)} {clean(name) or 'x'}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("admin", [True, False])
def test_the_menu_is_one_that_telegram_takes(language: str, admin: bool) -> None:
    commands = [command.to_dict() for command in publishing.menu(language, admin=admin)]
    check("setMyCommands", {"commands": commands, "language_code": language}, {})
    assert len(commands) > 20
