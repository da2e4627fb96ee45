"""Views as Telegram takes them: all fit, of all games and puzzles, in any words; puzzles that are solved."""

from __future__ import annotations

import itertools
import random
import re
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
from bot.chat.thinking import Thinker
from bot.chat.view import Button, View
from bot.features.puzzles.library import Posed
from bot.platforms.telegram.rendering import CAPTION, TEXT, Call, caption, cut, keyboard, pages, plain, texts
from engine.core import Task
from play.actions.playing import MakeMove
from play.match import Chair, Match
from play.people import Account, Player
from play.replay import Replay
from play.request import Request
from rules import GAMES
from tests.bot.chat.thinking.workers import Inline
from tests.bot.features.puzzles.solving import at_start, best, posed_of, puzzle_views, steps_to
from tests.bot.world import SETTINGS, World
from tests.platforms.telegram.harness import HALL, TelegramHarness, keys, telegram_bot, words
from tests.platforms.telegram.server import Human, Json
from tests.platforms.telegram.validity import Markup, units
from tests.platforms.telegram.validity import keyboard as check_keyboard
from tests.support.services import edited

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


@pytest.mark.parametrize(
    ("game", "chosen", "language"),
    [(*setting, language) for setting, language in zip(SETTINGS, itertools.cycle(LANGUAGES), strict=False)],
)
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


def test_every_puzzle_and_picks() -> None:
    for view in puzzle_views("uk", random.Random("uk")):
        looked_at(view)


@given(
    lines=st.lists(RAGGED | st.text(st.sampled_from("a <&>🌕\u202e\n"), max_size=5000), max_size=40),
    after=st.lists(RAGGED, max_size=5),
    alt=st.text(max_size=1100),
)
def test_words_of_any_kind_and_length(lines: list[str], after: list[str], alt: str) -> None:
    looked_at(View(lines=("#", *lines), after=tuple(after), position=alt))


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


def test_a_caption_that_is_cut_fills_its_room_whatever_stands_below() -> None:
    cut_ones = [View(lines=("x" * TEXT,), after=after) for after in ((), ("Turn: Ann", "1 day", "Paused"))]
    assert len({units(caption(view)) for view in cut_ones}) == 1


# Puzzles on Telegram: solved and failed by pressing keys, each by themselves.


def offered(message: Json, verb: Verb, argument: str = "") -> str:
    """The key of that kind, with an argument that ends so."""
    found = [str(key.get("callback_data", "")) for key in keys(message)]
    return next(data for data in found if data.startswith(f"1{verb.value}:") and data.endswith(argument))


async def through(f: TelegramHarness, who: Human, posed: Posed, ply: str) -> None:
    """Press a ply on the board in a private chat, and the button that plays it."""
    for token in steps_to(posed, at_start(posed), ply):
        held = [str(key.get("callback_data", "")) for key in keys(f.api.last(who))]
        step = next(data for data in held if re.fullmatch(rf"1pp:.*[:/]{re.escape(token)}", data))
        assert await f.tap(who, f.api.last(who), step) is None
    board = f.api.last(who)
    assert await f.tap(who, board, offered(board, Verb.TRY)) is None


async def test_a_puzzle_is_solved_by_pressing_in_private() -> None:
    async with telegram_bot(thinker=Thinker(Inline()), pictures=True) as f:
        ann, posed = f.api.human("Ann"), posed_of("lgame", Task.SAVE)
        await f.say(ann, None, f"/puzzle #{posed.id}")
        question = f.api.last(ann)
        assert question["photo"]
        assert len(question["reply_markup"]["inline_keyboard"][0]) == 4  # the board is made of keys
        await through(f, ann, posed, best(posed, at_start(posed)).turn[0])
        assert len(f.api.shown(ann)) == 1  # all in one message
        assert "Solved" in words(f.api.last(ann))
        assert await f.press(ann, f.api.last(ann), "Another puzzle") is None
        assert len(f.api.shown(ann)) == 1


async def test_a_person_who_cannot_be_written_to_gets_a_link_and_solves_the_puzzle_for_the_group() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        bob = f.api.human("Bob", started=False)
        hall = f.api.group(HALL, "Hall", bob)
        posed = posed_of("lgame", Task.SAVE)
        await f.store.notes.write(f"puzzle-of-day:{f.now.date()}", posed.pack())
        await f.say(bob, hall, "/daily")
        public = f.api.last(hall)
        for _ in range(2):
            query = f.api.press(bob, public, offered(public, Verb.PUZZLE))
            await f.settled()
            assert f.api.answered[query]["url"].endswith(f"?start=puzzle-{posed.id}")
        await f.say(bob, None, f"/start puzzle-{posed.id}")
        await through(f, bob, posed, best(posed, at_start(posed)).turn[0])
        assert "Klop 325 · L 🟩 1/3 · 0:00" in words(f.api.last(bob))
        posts = len(f.api.shown(hall))
        await edited(f.services, f.telegram.courier)
        assert "Bob 🟩 1/3" in words(f.api.messages[HALL][public["message_id"]])
        assert len(f.api.shown(hall)) == posts  # one message, which is edited
