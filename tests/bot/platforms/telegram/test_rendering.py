"""Views as Telegram takes them: all fit; matches that are looked at; puzzles."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

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
from engine.core import Task
from play.actions.playing import MakeMove
from play.match import Chair, Match
from play.people import Account, Player
from play.people import visible as clean
from play.replay import Replay
from play.request import Request
from rules import GAMES
from tests.bot.chat.thinking.workers import Inline
from tests.bot.features.puzzles.solving import at_start, best, posed_of, puzzle_views, steps_to
from tests.bot.world import SETTINGS, World
from tests.platforms.telegram.harness import HALL, TelegramHarness, keys, telegram_bot, words
from tests.platforms.telegram.server import Human, Json
from tests.platforms.telegram.validity import Markup, check, units
from tests.platforms.telegram.validity import keyboard as check_keyboard
from tests.support.services import edited

# All views fit: random positions of all games in three languages, names of every sort, lists of any length.


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


# Looking at a match: from the other side, as a film, move by move.


async def alone(f: TelegramHarness, game: str = "lgame") -> Human:
    """Ann, in her private chat, against an engine that lets her begin."""
    ann: Human = f.api.human("Ann")
    await f.say(ann, None, f"/challenge engine:1 {game} side:first")
    return ann


async def test_a_board_is_turned_in_place_with_its_keys_and_stays_turned_while_a_move_is_picked() -> None:
    async with telegram_bot(pictures=True) as f:
        ann = await alone(f, "breakthrough 4x5")
        board = f.board(ann)
        shown, before = len(f.api.shown(ann)), dict(board)
        names = [key["callback_data"] for key in keys(board) if key["callback_data"].startswith("1sp:")]
        await f.press(ann, board, "More…")
        assert await f.press(ann, board, "Flip the board") is None
        assert len(f.api.shown(ann)) == shown
        assert board["png"] != before["png"]
        turned = [key["callback_data"] for key in keys(board) if key["callback_data"].startswith("1sp:")]
        assert turned == [":~".join(name.rsplit(":", 1)) for name in reversed(names)]
        # A tap leaves it as it is.
        await f.tap(ann, board, turned[0])
        picked = [key["callback_data"] for key in keys(board) if key["callback_data"].startswith("1sp:")]
        assert picked
        assert all(":~" in data for data in picked)
        assert len(f.api.shown(ann)) == shown


async def test_a_turned_board_is_turned_back() -> None:
    async with telegram_bot(pictures=True) as f:
        ann = await alone(f, "breakthrough 4x5")
        board = f.board(ann)
        first = board["png"], [key["callback_data"] for key in keys(board) if "sp:" in key["callback_data"]]
        await f.press(ann, board, "More…")
        for _ in range(2):
            await f.press(ann, board, "Flip the board")
        again = board["png"], [key["callback_data"] for key in keys(board) if "sp:" in key["callback_data"]]
        assert again == first


async def test_the_second_player_sees_the_board_from_their_side_in_private() -> None:
    async with telegram_bot(pictures=True) as f:
        ann, bob = f.api.human("Ann"), f.api.human("Bob")
        await f.say(ann, None, "/new breakthrough 4x5")
        (match,) = f.matches
        await f.say(bob, None, f"/start join-{match.id}")
        await f.say(ann, None, "/start")
        await f.say(ann, None, "/move a2-a3")
        for who, on_turn in ((ann, False), (bob, True)):
            board = f.board(who)
            picks = [key["callback_data"] for key in keys(board) if key["callback_data"].startswith("1sp:")]
            assert bool(picks) == on_turn
            assert all(":~" in data for data in picks)
            assert ("Make a move" in [key["text"] for key in keys(board)]) is False


async def test_a_film_has_a_caption_and_an_analysis_is_paged_in_one_message() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        ann, bob, hall = await f.begun("breakthrough 4x5")
        await f.say(ann, hall, "/move a2-a3")
        await f.say(bob, hall, "/move b4xa3")
        await f.say(bob, hall, "/resign")
        await f.press(bob, f.api.last(hall), lambda label: True)
        over, seen = f.board(hall), len(f.api.shown(ann))
        assert await f.press(ann, over, "Replay") is None
        (film,) = f.api.shown(ann)[seen:]
        assert "animation" in film
        assert "Ann" in words(film)
        assert await f.press(ann, over, "Analyse") is None
        page = f.api.last(ann)
        assert page is not film
        shown, before = len(f.api.shown(ann)), words(page)
        assert await f.press(ann, page, lambda label: True) is None
        assert len(f.api.shown(ann)) == shown
        assert words(page) != before


async def test_who_cannot_be_written_to_is_led_to_the_private_chat() -> None:
    async with telegram_bot() as f:
        ann, bob = f.api.human("Ann"), f.api.human("Bob")
        cem = f.api.human("Cem", started=False)
        hall = f.api.group(HALL, "Hall", ann, bob, cem)
        await f.begin(hall, ann, bob)
        board = f.board(hall)
        query = f.api.press(cem, board, CallbackData(Verb.FLIP, f.matches[0].id, 0).pack())
        await f.settled()
        assert f.api.answered[query]["url"].endswith(f"start=board-{f.matches[0].id}")


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


async def test_the_puzzle_of_the_day_is_solved_by_each_in_private() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        ann, bob, hall = f.three()
        await f.say(ann, None, "/help")  # the bot can write to her
        await f.say(bob, hall, "/daily")
        public = dict(f.api.last(hall))
        assert words(public).startswith("Klop 325 · ")
        assert "photo" not in public
        shown = len(f.api.shown(hall))
        assert await f.press(ann, public, "Solve") is None
        boards = len(f.api.shown(ann))
        assert await f.press(ann, public, "Solve") is None  # by mistake
        assert len(f.api.shown(ann)) == boards
        private = f.api.last(ann)
        assert offered(private, Verb.PICK)
        assert len(f.api.shown(hall)) == shown
        await f.tap(ann, private, offered(private, Verb.PICK))
        assert f.api.messages[HALL][public["message_id"]] == public  # the others do not see what she picks
        assert "First finish" in str(await f.press(ann, public, "Results"))


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


async def test_the_puzzle_of_the_day_spreads_into_chats_without_the_bot() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        ann, bob = f.api.human("Ann"), f.api.human("Bob")
        posed = posed_of("lgame", Task.SAVE)
        await f.store.notes.write(f"puzzle-of-day:{f.now.date()}", posed.pack())
        query = f.api.ask_inline(ann, "puzzle")
        await f.settled()
        (result,) = [each for each in f.api.results[query] if each["title"] == "Puzzle of the day"]
        sent = f.api.post_inline(ann, result)
        await f.settled()
        assert words(sent).startswith("Klop 325 · L-game")
        await f.press(bob, sent, "Solve")
        await through(f, bob, posed, best(posed, at_start(posed)).turn[0])
        await edited(f.services, f.telegram.courier)
        assert "Bob 🟩 1/3" in words(sent)
        assert {key["text"] for key in keys(sent)} == {"Solve", "Results"}


async def test_on_sunday_the_card_has_a_picture_of_the_week_which_is_edited() -> None:
    card: dict[str, Any] = {}
    async with telegram_bot(thinker=Thinker(Inline()), pictures=True) as f:
        ann = f.api.human("Ann")
        posed = posed_of("lgame", Task.SAVE)
        hall = f.api.group(HALL, "Hall", ann)
        for day in range(2):  # a Saturday and a Sunday
            f.now += timedelta(days=day)
            await f.store.notes.write(f"puzzle-of-day:{f.now.date()}", posed.pack())
            await f.say(ann, hall, "/daily")
            card = f.api.last(hall)
            assert ("photo" in card) is (day == 1)
            await f.press(ann, card, "Solve")
            await through(f, ann, posed, best(posed, at_start(posed)).turn[0])
            await edited(f.services, f.telegram.courier)
        shown = f.api.last(hall)
        assert shown["photo"]
        assert "Ann 🟩 1/3" in words(shown)
        assert "Solved here 2 days in a row." in words(shown)
