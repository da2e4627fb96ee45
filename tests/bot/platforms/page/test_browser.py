"""The page in a real browser: by keyboard alone, by touch and by mouse, on phones and desktops, for everyone."""

from __future__ import annotations

import asyncio
import gzip
import os
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Locator, Page, Route, expect

from bot.chat.i18n import LANGUAGES
from bot.chat.i18n import words as words_for
from bot.chat.thinking import Thinker
from bot.chat.thinking.jobs import JobQueue
from bot.features.analysis import commands
from bot.platforms.page.shell import shell, static_files
from play.actions.agreeing import OfferDraw
from play.actions.leaving import Resign
from play.match import Phase
from play.people import Player
from play.replay import Replay
from play.request import Request
from play.settings import Settings
from render import rows
from rules import GAMES
from rules.core import AnyGame, Position
from tests.bot.chat.thinking.workers import Inline
from tests.bot.features.analysis.test_progress import Slow
from tests.support.browser import DESKTOP, PHONE, PageHouse, Watched, browser, narrowing, page_house, steps_to
from tests.support.desk import ANN, BOB, CEM, SHUTTLE
from tests.support.desk import GAMES as DESK
from tests.support.desk import player as seated
from tests.support.stores import set_settings

pytestmark = pytest.mark.slow

SEEN: Final = Path(__file__).parent / "seen"
"""What a screen reader is given, by language; written anew where KLOP_GOLDEN is set."""

SEED: Final = 16
PLAYED: Final = {**DESK, **GAMES}


async def _open(
    house: PageHouse, watched: Watched, code: str, player: Player | None = None, **how: Any
) -> Page:
    """Open a match as a player whose session is kept, or as a spectator."""
    if player is None:
        return await watched.page(f"{house.url}/m/{code}?k={await house.key(code)}", **how)
    page = await _open_as(house, watched, code, player, **how)
    await expect(page.locator(".chairs li").first).to_be_visible()
    await page.wait_for_selector(".sheet", state="attached")  # what comes after the first board is there
    return page


async def _open_as(house: PageHouse, watched: Watched, code: str, player: Player, **how: Any) -> Page:
    context = await watched.context(**how)
    bearer = await house.bearer(player)
    await context.add_init_script(f"localStorage.setItem('klop.session', '{bearer}')")
    return await watched.page(f"{house.url}/m/{code}", context)


def _square(page: Page, name: str) -> Any:
    return page.locator(f'.board [aria-label^="{name},"]')


async def _choose(page: Page, label: str, *, keyboard: bool = False) -> None:
    """Choose something in the menu of the action bar."""
    opener = page.get_by_role("button", name="Menu")
    item = page.locator(".menu").get_by_role("button", name=label)
    if keyboard:
        await _press(page, "Menu")
        await expect(item).to_be_visible()
        while not await item.evaluate("item => item === document.activeElement"):
            await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
    else:
        await opener.click()
        await item.click()
    await expect(opener).to_have_attribute("aria-expanded", "false")


async def _walk(page: Page, at: int, files: int) -> None:
    """Move over the board by arrows to a square, and pick it."""
    here = int(await page.evaluate("document.activeElement.dataset.at ?? -1"))
    while here < 0:
        await page.keyboard.press("Tab")
        here = int(await page.evaluate("document.activeElement.dataset.at ?? -1"))
    across, down = at % files - here % files, at // files - here // files
    for _ in range(abs(across)):
        await page.keyboard.press("ArrowRight" if across > 0 else "ArrowLeft")
    for _ in range(abs(down)):
        await page.keyboard.press("ArrowDown" if down > 0 else "ArrowUp")
    await page.keyboard.press("Enter")


async def _press(page: Page, label: str) -> None:
    """Press a button that is reached by Tab, once it is there."""
    await expect(page.get_by_role("button", name=label, exact=True).first).to_be_visible()
    for _ in range(60):
        await page.keyboard.press("Tab")
        if (
            await page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.textContent")
            == label
        ):
            await page.keyboard.press("Enter")
            return
    raise AssertionError(f"Tab does not reach {label}")


async def _play(page: Page, game: AnyGame, position: Position[Any], wanted: str) -> None:
    """Play a ply with the keyboard, the way that the steps lead; the second player sees the board turned."""
    flipped = position.to_move == 1
    files = len(rows(game.draw(position).grid, flipped=flipped)[0])
    for step in steps_to(game, position, wanted, flipped=flipped):
        if not step.squares or step.picks == "nothing":
            await _press(page, step.label or step.path)
        for at in step.squares:
            # The first squares of a shape may tell already which one is meant.
            if len(step.squares) == 1 or await _state(page, at) != "picked":
                await _walk(page, at, files)


async def _state(page: Page, at: int) -> str:
    return str(await page.locator(f'.board [data-at="{at}"]').get_attribute("data-state"))


@pytest.mark.parametrize(
    ("game", "chosen"),
    [
        ("breakthrough", {"board": "4x5"}),
        ("lgame", {}),
        ("klopodavka", {"board": "6x6"}),
        ("notches", {"players": "2"}),  # a game that the page has never heard of
    ],
)
async def test_a_whole_match_by_keyboard_alone(game: str, chosen: Any) -> None:
    luck = random.Random(SEED)
    async with page_house(clock=None) as house, browser(house.url) as watched:
        for player in (ANN, BOB):
            await house.desk.store.settings.change(player.account, lambda now: replace(now, warnings=False))
        match = await house.desk.duel(game=game, **chosen)
        pages = {0: await _open(house, watched, match.id, ANN), 1: await _open(house, watched, match.id, BOB)}
        for _ in range(60):
            match = await house.desk.table.get(match.id)
            if match.phase is Phase.OVER:
                break
            position, turns = Replay(PLAYED).positions(match).position, len(match.log)
            page = pages[position.to_move]
            await expect(page.locator(".prompt")).to_be_visible()
            wanted = PLAYED[game].notation.format(narrowing(position, luck))
            await _play(page, PLAYED[game], position, wanted)
            if position.turn_length > 1 or position.plies_left > 1:
                await _press(page, "Play")
            await expect(page.locator("body")).to_have_attribute("data-turns", str(turns + 1))
        else:
            await house.desk.table.act(match.id, Resign(), Request(ANN, house.desk.at))
        for page in pages.values():
            await expect(page.locator(".status")).to_contain_text(re.compile("won|lost|draw"))
        watched.clean()


async def test_there_is_one_tab_stop_on_the_board_and_the_focus_stays_on_its_square() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel()
        page = await _open(house, watched, match.id, ANN)
        assert await page.locator('.board [tabindex="0"]').count() == 1
        await _square(page, "d2").focus()
        for letter, part in (("m", "d2"), ("l", "begins"), ("o", "Ann"), ("p", "8×8")):
            await page.keyboard.press(letter)
            await expect(page.locator("[aria-live=polite]").last).to_contain_text(part)
        await page.keyboard.press("Enter")
        await page.keyboard.press("ArrowUp")
        await page.keyboard.press("Enter")
        await expect(page.locator("body")).to_have_attribute("data-turns", "1")
        await house.desk.play(match, "a7-a6")
        await expect(page.locator("body")).to_have_attribute("data-turns", "2")
        label = str(await page.evaluate("document.activeElement.ariaLabel"))
        assert label.startswith("d3, man, Ann")
        assert await page.locator('.board [tabindex="0"]').count() == 1
        await page.keyboard.press("t")
        await page.keyboard.type("d3-d4")
        await page.keyboard.press("Enter")
        await expect(page.locator("body")).to_have_attribute("data-turns", "3")
        watched.clean()


async def test_letters_can_be_turned_off() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel()
        page = await _open(house, watched, match.id, ANN)
        await _square(page, "d2").focus()
        await page.keyboard.press("?")
        await page.get_by_role("button", name="Turn letter keys off").click()
        await page.get_by_role("button", name="Close").click()
        await _square(page, "d2").focus()
        await page.keyboard.press("?")
        await expect(page.locator(".card")).to_have_count(0)


async def test_a_man_is_dragged_and_a_pick_taken_back_and_another_tab_follows() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel()
        page = await _open(house, watched, match.id, ANN)
        tab = await watched.page(page.url, page.context)
        await _choose(tab, "Flip")
        await _square(tab, "a2").click()
        await expect(_square(tab, "a2")).to_have_attribute("aria-selected", "true")
        await _square(page, "d2").click()
        await page.get_by_role("button", name="Step back").click()
        await expect(page.locator('.board [data-state="picked"]')).to_have_count(0)
        await _square(page, "d2").drag_to(_square(page, "e3"))
        await expect(page.locator("body")).to_have_attribute("data-turns", "1")
        assert (await house.desk.table.get(match.id)).log[0].text == "d2-e3"  # type: ignore[union-attr]
        await expect(_square(tab, "e3")).to_have_attribute("aria-label", "e3, man, Ann (White); just came")
        await expect(tab.locator(".board [aria-selected=true]")).to_have_count(0)
        first = [each.locator('.board [data-at="0"]') for each in (page, tab)]
        assert [await each.get_attribute("aria-label") for each in first] == [
            "a8, man, Bob (Black); goal, Ann",
            "h1, man, Ann (White); goal, Bob",
        ]
        watched.clean()


async def test_a_turn_is_gathered_with_free_undo() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel(game="klopodavka")
        page = await _open(house, watched, match.id, ANN, **PHONE)
        for name in ("b2", "c3", "d4"):
            await _square(page, name).tap()
            await expect(_square(page, name)).to_have_attribute("aria-label", re.compile("bug, Ann"))
        await page.get_by_role("button", name="Step back").click()
        await _square(page, "b1").tap()
        await expect(_square(page, "b1")).to_have_attribute("aria-label", re.compile("bug, Ann"))
        assert (await house.desk.table.get(match.id)).log == ()
        await page.get_by_role("button", name="Play", exact=True).click()
        await expect(page.locator("body")).to_have_attribute("data-turns", "3")
        assert [each.text for each in (await house.desk.table.get(match.id)).log] == ["b2", "c3", "b1"]  # type: ignore[union-attr]
        watched.clean()


async def test_a_turn_is_played_by_its_last_action_for_those_who_confirm_nothing() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        await set_settings(house.desk.store, ANN.account, Settings(confirm=False))
        match = await house.desk.duel(game="klopodavka")
        page = await _open(house, watched, match.id, ANN)
        for name in ("b2", "c3"):
            await _square(page, name).click()
            await expect(_square(page, name)).to_have_attribute("aria-label", re.compile("bug, Ann"))
        await expect(page.get_by_role("button", name="Play", exact=True)).to_have_count(0)
        await _square(page, "d4").click()
        await expect(page.locator("body")).to_have_attribute("data-turns", "3")
        watched.clean()


async def test_what_two_cells_leave_of_a_shape_has_buttons() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel(game="lgame")
        page = await _open(house, watched, match.id, ANN)
        for name in ("a1", "b3"):
            await _square(page, name).click()
        await page.get_by_role("button", name="b3-b1-a1").click()
        await page.get_by_role("button", name="Leave the neutrals").click()
        await expect(page.locator("body")).to_have_attribute("data-turns", "1")
        assert (await house.desk.table.get(match.id)).log[0].text == "L b3-b1-a1"  # type: ignore[union-attr]
        watched.clean()


async def test_squares_tapped_before_the_server_has_answered_are_picked_in_order() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel(game="klopodavka")
        page = await _open(house, watched, match.id, ANN)
        squares = [await _square(page, name).element_handle() for name in ("b2", "c3", "a9", "d4", "e5")]
        await page.evaluate("squares => squares.forEach((square) => square.click())", squares)
        await expect(page.locator(".prompt")).to_contain_text("b2 c3 d4")
        watched.clean()


@pytest.mark.parametrize("how", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_a_match_is_replayed_by_mouse_touch_and_keyboard(how: dict[str, Any]) -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.play(await house.desk.duel(), "a2-a3", "a7-a6", "a3-a4", "b7-b6")
        page = await _open(house, watched, match.id, ANN, **how)
        said, banner = page.locator("[aria-live=polite]"), page.get_by_role("button", name="Back to the game")
        slider = page.get_by_role("slider", name="Moves")

        async def press(name: str) -> None:
            button = page.get_by_role("button", name=name, exact=True)
            await (button.tap() if how is PHONE else button.click())

        await expect(page.locator(".chairs .score")).to_have_text(["16 men", "16 men"])
        await press("Back one move")
        await expect(page.locator(".chairs .score")).to_have_count(0)
        await expect(said).to_contain_text("Move 3 of 4. Ann (White): a man goes from a3 to a4")
        await expect(_square(page, "a4")).to_have_attribute("aria-label", "a4, man, Ann (White); just came")
        await page.keyboard.press("ArrowLeft")
        await expect(banner).to_contain_text("Move 2 of 4")
        await expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^Move 2 of 4\. Bob"))
        await slider.focus()
        await page.keyboard.press("Home")
        await expect(banner).to_contain_text("Start of the game. Ann – Bob")
        await expect(_square(page, "a2")).to_have_attribute("aria-label", "a2, man, Ann (White)")
        box = await slider.bounding_box()
        assert box is not None
        await page.mouse.click(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
        await expect(banner).to_contain_text("Move 1 of 4")
        await expect(page.locator(".log [aria-current]")).to_have_text("a2-a3")
        if how is PHONE:
            bar = await page.locator(".bar").bounding_box()
            assert bar is not None
            await _inside(page, ".board", ".log", ".track", ".steps", high=bar["y"])
        await press("a7-a6")
        await expect(banner).to_contain_text("Move 2 of 4")
        await _none_wrong(page)
        await press("Show move by move")
        await expect(banner).to_be_hidden()  # it goes on to the end
        await expect(_square(page, "b6")).to_have_attribute("aria-label", "b6, man, Bob (Black); just came")
        await press("Start of the game")
        await expect(_square(page, "b7")).to_have_attribute("aria-label", "b7, man, Bob (Black)")
        await banner.click()
        await expect(banner).to_be_hidden()
        await expect(page.get_by_role("button", name="Back to here")).to_be_hidden()
        await press("Start of the game")
        await press("a2-a3")
        await _none_wrong(page)
        await press("Back to here")
        await expect(banner).to_be_hidden()
        await expect(page.locator(".dock")).to_contain_text("Ann asks to go back to turn 2 (a7-a6).")
        watched.clean()


async def test_the_end_of_a_match_is_told_once_and_leads_on() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        desk = house.desk
        moves = ("a2-a3", "a7-a6", "b2-b3", "b7-b6", "c2-c3", "c7-c6", "d2-d3")
        match = await desk.play(await desk.duel(), *moves)
        page = await _open(house, watched, match.id, ANN, **PHONE)
        end = page.locator(".ended .bar")
        watcher = await _open(house, watched, match.id, **DESKTOP)
        await _square(page, "h2").tap()  # devices buzz only after a tap
        await _square(watcher, "h2").click()
        match = (await desk.act(match, BOB, Resign())).match
        await expect(end.locator("p")).to_have_text(["You won", "By resignation."])
        await expect(page.locator("[aria-live=polite]")).to_contain_text("Ann won.")
        await expect(end.get_by_role("button")).to_have_text(
            ["", "Rematch", "Analyse", "Story", "Swap colours", "Another opponent"]
        )
        square, bar = await _square(page, "a1").bounding_box(), await end.bounding_box()
        assert square and bar  # noqa: PT018
        assert square["y"] + square["height"] < bar["y"], "the board stays visible"
        await expect(page.locator(".sheet")).to_be_hidden()
        await _none_wrong(page)
        await expect(watcher.locator(".ended .picks button")).to_have_count(0)
        await page.get_by_role("button", name="Show move by move").tap()
        await expect(page.get_by_role("button", name="Pause")).to_be_visible()
        await page.get_by_role("button", name="Back to the game").tap()
        await end.get_by_role("button", name="Analyse").tap()
        await expect(page.locator(".card")).to_be_visible()
        watched.clean()


async def test_a_page_without_websockets_plays_by_polls() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel()
        context = await watched.context()
        bearer = await house.bearer(ANN)
        await context.add_init_script(
            f"localStorage.setItem('klop.session', '{bearer}'); delete window.WebSocket; self.WebSocket = undefined"
        )
        lost: list[str] = []

        async def lose(route: Route) -> None:  # what is sent first
            first = route.request.method == "POST" and "play" in (route.request.post_data or "") and not lost
            lost.extend([route.request.url] if first else [])
            await (route.abort() if first else route.continue_())

        await context.route("**/w?line=*", lose)
        page = await watched.page(f"{house.url}/m/{match.id}", context)
        await _square(page, "d2").click()
        await _square(page, "d3").click()
        await expect(page.locator("body")).to_have_attribute("data-turns", "1")
        assert lost
        await house.desk.play(match, "a7-a6")
        await expect(page.locator("body")).to_have_attribute("data-turns", "2")
        assert "ERR_FAILED" in watched.complaints.pop()  # the browser names what was lost
        watched.clean()


LOOKS: Final = [
    pytest.param(how, {option: value}, id=f"{name}, {option} {value}")
    for name, how, option, value in (
        ("phone", PHONE, "color_scheme", "light"),
        ("phone", PHONE, "color_scheme", "dark"),
        ("phone", PHONE, "forced_colors", "active"),
        ("desktop", DESKTOP, "color_scheme", "light"),
        ("desktop", DESKTOP, "color_scheme", "dark"),
        ("desktop", DESKTOP, "contrast", "more"),
    )
]
"""Screens, and the colours that people have them in."""


@pytest.mark.parametrize(("how", "colours"), LOOKS)
async def test_nothing_is_in_the_way_of_anybody(how: dict[str, Any], colours: dict[str, Any]) -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel()
        for game in GAMES:
            match = await house.desk.duel(game=game)
            page = await _open(house, watched, match.id, ANN, **colours, **how)
            await page.locator("summary", has_text="My notes").click()
            await page.get_by_role("button", name="Menu").click()
            await expect(page.get_by_role("button", name="Resign")).to_be_visible()
            await _none_wrong(page)
            await page.get_by_role("button", name="Resign").click()
            await expect(page.locator(".card")).to_be_visible()
            await _none_wrong(page)
            await _choose(page, "What if…")
            await expect(page.locator("h1")).to_have_text("What if…")
            await _none_wrong(page)
            await page.close()
        await house.desk.table.act(match.id, Resign(), Request(BOB, house.desk.at))
        page = await _open(house, watched, match.id, ANN, **colours, **how)
        await _choose(page, "Keyboard")
        await _none_wrong(page)
        await page.get_by_role("link", name="My games").click()
        await page.locator("[data-key=puzzle]").click()
        await expect(page.locator(".board")).to_be_visible()
        await _none_wrong(page)
        lost = await watched.page(f"{house.url}/m/{match.id}", await watched.context(**colours, **how))
        await expect(lost.get_by_role("alert")).to_have_text(words_for("en")("bot.page.expired"))
        await _none_wrong(lost)
        stranger = await _open_as(house, watched, match.id, CEM, **colours, **how)
        await expect(stranger.get_by_role("alert")).to_have_text(words_for("en")("bot.page.missing"))
        watched.clean()


@pytest.mark.parametrize("how", [PHONE, {**DESKTOP, "color_scheme": "dark"}], ids=["phone", "dark desktop"])
@pytest.mark.parametrize(
    ("game", "moves"),
    [("breakthrough", ["a2-a3", "a7-a6"]), ("lgame", SHUTTLE[:2]), ("klopodavka", ["b2 c3 d4", "i9 h8 g7"])],
)
async def test_hints_and_analyses_are_shown_on_the_board(
    game: str, moves: list[str], how: dict[str, Any]
) -> None:
    thinker = Thinker(Inline(), JobQueue(1))
    async with page_house(clock=None, thinker=thinker) as house, browser(house.url) as watched:
        match = await house.desk.play(await house.desk.duel(game=game), *moves)
        page = await _open(house, watched, match.id, ANN, **how)
        grid = page.get_by_role("grid")
        await _choose(page, "Hint")
        await expect(page.get_by_role("button", name="Show the move")).to_be_visible()
        await _none_wrong(page)
        await page.locator(".picks").get_by_role("button", name="Show the move").click()
        await expect(page.get_by_role("button", name="Show the move")).to_have_count(0)
        await expect(grid).to_be_visible()
        await _none_wrong(page)
        await page.get_by_role("button", name="Close").click()
        await expect(page.locator(".code")).to_contain_text(f"#{match.id}")
        await house.desk.table.act(match.id, Resign(), Request(BOB, house.desk.at))
        await page.get_by_role("button", name="Analyse").click()
        await expect(page.locator(".said").get_by_text("How the match went")).to_be_visible()
        for label in ("From the start", "Next", "Overview"):
            await page.get_by_role("button", name=label).click()
            await expect(page.get_by_role("button", name=label)).to_have_count(0)
            await expect(grid).to_be_visible()
            await _none_wrong(page)
        watched.clean()


async def test_a_bar_shows_how_far_an_analysis_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "EVERY", 0.01)
    go_on = asyncio.Event()
    thinker = Thinker(Slow(until=go_on.is_set), JobQueue(1))
    async with page_house(clock=None, thinker=thinker) as house, browser(house.url) as watched:
        match = await house.desk.play(await house.desk.duel(game="breakthrough"), "a2-a3", "a7-a6", "a3-a4")
        await house.desk.table.act(match.id, Resign(), Request(BOB, house.desk.at))
        page = await _open(house, watched, match.id, ANN, **PHONE)
        await page.get_by_role("button", name="Analyse").click()
        await expect(page.locator("header .state")).to_contain_text("▓")
        await _none_wrong(page)
        go_on.set()
        await expect(page.get_by_role("button", name="From the start")).to_be_visible()
        await expect(page.locator("header .state")).to_have_text("")
        watched.clean()


async def test_a_match_that_is_over_is_told_to_all_and_played_on() -> None:
    thinker = Thinker(Inline(), JobQueue(1))
    async with page_house(clock=None, thinker=thinker) as house, browser(house.url) as watched:
        moves = ("a2-a3", "a7-a6", "b2-b3", "b7-b6", "c2-c3", "c7-c6", "d2-d3", "d7-d6")
        match = await house.desk.play(await house.desk.duel(), *moves)
        await house.desk.table.act(match.id, Resign(), Request(BOB, house.desk.at))
        spectator = await _open(house, watched, match.id, **DESKTOP)
        await expect(spectator.locator(".ended .bar")).to_contain_text("Ann won.")
        await expect(spectator.get_by_role("button", name="Story")).to_have_count(0)
        dark = {**PHONE, "color_scheme": "dark"}
        page = await _open(house, watched, match.id, ANN, **dark)
        await page.get_by_role("button", name="Story").tap()
        beats = page.get_by_role("listitem").and_(page.locator(".story li"))
        await expect(beats.first).to_have_text(re.compile(r"^1\. Turn "))
        await expect(page.locator(".story svg")).to_have_count(await beats.count())
        assert await page.locator(".story").evaluate("e => e === document.activeElement"), (
            "it is read at once"
        )
        await _none_wrong(page)
        told = await beats.all_inner_texts()
        await spectator.reload()
        await spectator.get_by_role("button", name="Story").click()
        await expect(spectator.locator(".story li")).to_have_text(told)
        await expect(spectator.locator(".card button")).to_have_count(0)
        await _none_wrong(spectator)
        await page.get_by_role("button", name="Close").tap()
        await page.get_by_role("button", name="Back one move").tap()
        await page.get_by_role("button", name="Play from here").tap()
        await expect(page.locator(".card")).to_contain_text("From turn 8, Bob to move")
        await _none_wrong(page)
        await page.get_by_role("button", name="Both sides myself").tap()
        await expect(page.locator(".said")).to_contain_text(f"Begins from turn 8 of #{match.id}.")
        await expect(_square(page, "d3")).to_have_attribute("aria-label", re.compile("man, Ann"))
        await spectator.get_by_role("button", name="Close").click()
        await spectator.get_by_role("button", name="Back one move").click()
        await expect(spectator.get_by_role("button", name="Play from here")).to_have_count(0)
        watched.clean()


async def test_answers_lines_and_notes_are_reached_and_left_by_keyboard() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.play(await house.desk.duel(), "a2-a3", "a7-a6")
        page = await _open(house, watched, match.id, ANN)
        on_board = page.locator(".board :focus")
        await _square(page, "d2").focus()
        await _choose(page, "Resign", keyboard=True)
        await expect(page.locator(".card :focus")).to_have_text("Yes, resign")
        await page.keyboard.press("Escape")
        await expect(page.locator(".card")).to_have_count(0)
        await expect(on_board).to_have_attribute("data-at", "51")
        await page.keyboard.press("w")
        await expect(page.locator("h1")).to_have_text("What if…")
        for name in ("Enter", "ArrowUp", "Enter"):
            await page.keyboard.press(name)
        await expect(page.locator(".said")).to_contain_text("d2-d3")
        for _ in range(2):
            await page.keyboard.press("Escape")
            await expect(page.locator(".said")).not_to_contain_text("d2-d3")
        await expect(page.locator(".code")).to_contain_text(f"#{match.id}")
        await page.keyboard.press("n")
        await expect(page.get_by_label("My notes")).to_be_focused()
        await page.keyboard.type("watch b5")
        await expect(page.locator(".state")).to_have_text("Saved")
        await page.keyboard.press("Escape")
        await expect(on_board).to_have_count(1)
        await page.keyboard.press("t")
        await page.keyboard.type("a1-h8")
        await page.keyboard.press("Enter")
        await expect(page.locator(".card.refused")).to_be_visible()
        await expect(page.get_by_label("Your move")).to_have_value("a1-h8")
        await expect(page.get_by_label("Your move")).to_be_focused()
        watched.clean()


async def _none_wrong(page: Page) -> None:
    found = await Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


async def test_a_line_a_puzzle_and_a_note_by_touch() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.play(await house.desk.duel(), "a2-a3", "a7-a6")
        page = await _open(house, watched, match.id, ANN, **PHONE)
        await _choose(page, "My notes")
        await page.get_by_label("My notes").fill("watch b5")
        await expect(page.locator(".state")).to_have_text("Saved")
        await page.get_by_role("button", name="Back one move").click()
        await _choose(page, "What if…")
        for names in (("b7", "b6"), ("b2", "b3")):
            for name in names:
                await _square(page, name).tap()
            await expect(page.locator(".said")).to_contain_text("-".join(names))
        await page.get_by_role("button", name="Step back").click()
        await expect(page.locator(".said")).not_to_contain_text("b2-b3")
        await _choose(page, "Type a move")
        await page.get_by_label("Your move").fill("c2-c3")
        await page.keyboard.press("Enter")
        await expect(page.locator(".said")).to_contain_text("b7-b6 / c2-c3")
        await page.get_by_role("button", name="Close").click()
        await expect(page.locator(".code")).to_contain_text(f"#{match.id}")
        await expect(_square(page, "b7")).to_have_attribute("aria-label", "b7, man, Bob (Black)")
        await page.reload()
        await page.locator("summary", has_text="My notes").click()
        await expect(page.get_by_label("My notes")).to_have_value("watch b5")
        await page.get_by_role("link", name="My games").click()
        await page.locator("[data-key='puzzle 1']").click()
        shown = "[...document.querySelectorAll('.board [data-at]')].map((each) => each.ariaLabel).join()"
        first = await page.evaluate(shown)
        await page.get_by_role("button", name="Another puzzle").click()
        await page.wait_for_function(f"(first) => {shown} !== first", arg=first)
        await page.get_by_role("button", name="Close").click()
        await expect(page.locator("h1")).to_have_text("My games")
        assert (await house.desk.table.get(match.id)) == match
        watched.clean()


async def _inside(page: Page, *selectors: str, high: float = 0) -> None:
    """Check that what is first seen of the page, or so many pixels of it, has these parts in whole."""
    high = high or await page.evaluate("innerHeight")
    for selector in selectors:
        for part in await page.locator(selector).all():
            box = await part.bounding_box()
            assert box is not None, selector
            assert box["y"] >= 0, selector
            assert box["y"] + box["height"] <= high, selector


@pytest.mark.parametrize("size", [(390, 844), (320, 640), (844, 390), (820, 1180), (1440, 900)], ids=str)
async def test_board_bars_and_action_bar_are_all_on_the_first_screen(size: tuple[int, int]) -> None:
    width, height = size
    many = [ANN, BOB, CEM, *(seated(f"A player whose name is long {number}") for number in range(7))]
    async with page_house(clock=None) as house, browser(house.url) as watched:
        matches = [await house.desk.duel(game=game) for game in GAMES]
        matches.append(await house.desk.party(*many, game="klopodavka", clock="3d"))
        for match in matches:
            page = await _open(house, watched, match.id, ANN, viewport={"width": width, "height": height})
            await _inside(page, "header", ".board", ".bar")
            bar = await page.locator(".bar").bounding_box()
            assert bar is not None
            await _inside(page, ".chairs", *([".board"] if height > 500 else []), high=bar["y"])
            if match is matches[-1]:
                await expect(page.locator(".chairs .clock:visible")).to_have_count(len(many))
            assert await page.evaluate("document.scrollingElement.scrollWidth") <= width
            await page.locator(".board [data-state=choice]").first.click()
            await expect(page.get_by_role("button", name="Step back")).to_be_visible()
            assert await page.locator(".bar").bounding_box() == bar, "the bar does not jump"
            await page.close()


async def test_an_offer_is_swiped_away_and_answered_from_the_menu() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel()
        page = await _open(house, watched, match.id, ANN, **PHONE)
        await expect(page.locator(".sheet")).to_be_hidden()
        await house.desk.table.act(match.id, OfferDraw(), Request(BOB, house.desk.at))
        agree = page.locator(".sheet").get_by_role("button", name="Agree")
        await expect(agree).to_be_visible()
        await _inside(page, ".sheet")
        grip = await page.locator(".grip").bounding_box()
        assert grip is not None
        await page.mouse.move(grip["x"] + 150, grip["y"] + 8)
        await page.mouse.down()
        await page.mouse.move(grip["x"] + 150, grip["y"] + 90)
        await page.mouse.up()
        await expect(page.locator(".sheet")).to_be_hidden()
        await _choose(page, "Agree")
        await expect(page.locator(".status")).to_contain_text("draw")
        watched.clean()


@pytest.mark.parametrize(("large", "high"), [(False, 640), (True, 640)], ids=["", "200 % text"])
async def test_at_320_pixels_nothing_runs_out_of_the_page(large: bool, high: int) -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        for game in GAMES:
            match = await house.desk.party(ANN, seated("שירה כהן (2), " * 4), game=game)
            page = await _open(house, watched, match.id, ANN, viewport={"width": 320, "height": high})
            boxes = [
                await page.locator(f".chairs:has(.name:text('שירה')) {part}").bounding_box()
                for part in ("svg", ".name")
            ]
            assert boxes[0]["x"] < boxes[1]["x"], "a name that is read from the right stays beside its piece"  # type: ignore[index]
            if large:
                await page.evaluate("document.documentElement.style.fontSize = '200%'")
            await _choose(page, "Resign")
            await expect(page.locator(".card")).to_be_visible()
            assert await page.evaluate("document.scrollingElement.scrollWidth") <= 320


@pytest.mark.parametrize(
    ("game", "chosen", "moves"),
    [
        ("breakthrough", {"board": "4x5"}, ["a2-a3", "b4-b3"]),
        ("lgame", {}, SHUTTLE[:2]),
        ("klopodavka", {"board": "6x6"}, ["b2 c3 d4", "e5 d4 c4"]),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_a_screen_reader_is_given(language: str, game: str, chosen: Any, moves: list[str]) -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        store = house.desk.store
        await store.settings.change(ANN.account, lambda now: replace(now, language=language))
        match = await house.desk.play(await house.desk.duel(game=game, **chosen), *moves)
        page = await _open(house, watched, match.id, ANN)
        await page.locator('.board [tabindex="0"]').focus()
        await _as_before(page, f"{game}-{language}")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_a_screen_reader_is_given_in_the_lobby_and_at_the_end(language: str) -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        desk = house.desk
        await desk.store.settings.change(ANN.account, lambda now: replace(now, language=language))
        await desk.duel(clock="3d")
        await desk.play(await desk.duel(game="klopodavka"), "b2 c3 d4")
        await desk.invited(BOB, ANN)
        await desk.invited(ANN, CEM)
        over = await desk.play(await desk.duel(game="lgame"), *SHUTTLE[:2])
        await desk.act(over, BOB, Resign())
        page = await _open(house, watched, over.id, ANN)
        await _as_before(page.locator(".bar"), f"end-{language}")
        await page.goto(house.url)
        await expect(page.locator("section.finished li")).to_have_count(1)
        await _as_before(page, f"lobby-{language}")
        await page.locator(".begin").click()
        await _as_before(page.get_by_role("dialog"), f"new-{language}")


async def _as_before(seen: Page | Locator, name: str) -> None:
    """Compare what a screen reader is given with what is kept."""
    part = seen.locator("body") if isinstance(seen, Page) else seen
    given, path = await part.aria_snapshot() + "\n", SEEN / f"{name}.yaml"
    if "KLOP_GOLDEN" in os.environ:
        path.write_text(given, "utf-8")
    assert given == path.read_text("utf-8")


async def test_a_page_of_an_earlier_version_from_the_cache_loads_itself_anew() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel()
        context = await watched.context()
        served = 0

        async def cached(route: Route) -> None:
            nonlocal served
            served += 1
            html = (await (await route.fetch()).text()).replace("/s/", "/s/old" if served == 1 else "/s/")
            await route.fulfill(body=html, content_type="text/html")

        await context.route("**/m/**", cached)
        page = await watched.page(f"{house.url}/m/{match.id}?k={await house.key(match.id)}", context)
        await expect(page.locator(".chairs li").first).to_be_visible()
        assert served == 2


async def test_a_page_that_lost_its_server_goes_on_where_it_was() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel()
        page = await _open(house, watched, match.id, ANN)
        await _choose(page, "Flip")
        await expect(page.locator('.board [data-at="0"]')).to_have_attribute("aria-label", re.compile("^h1,"))
        await _square(page, "d2").click()
        async with page.expect_event("websocket"):  # it connects again
            for socket in tuple(house.server.connections.sockets):
                await socket.close(code=1012)
        await expect(page.locator('.board [data-at="0"]')).to_have_attribute("aria-label", re.compile("^h1,"))
        await expect(_square(page, "d2")).to_have_attribute("aria-selected", "true")
        await _square(page, "d3").click()
        await expect(page.locator("body")).to_have_attribute("data-turns", "1")
        await expect(_square(page, "d3")).to_have_attribute("aria-label", re.compile("just came"))


async def test_the_first_board_takes_three_requests_of_few_bytes() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel()
        await _open(house, watched, match.id, ANN)
        paths = [each.removeprefix(house.url).split("?")[0].split("/")[-1] for each in watched.requests]
        assert sorted(paths[:4]) == sorted([match.id, "page.js", "page.css", "w"]), "the board is there"
        assert sorted(paths[4:]) == ["panels.css", "panels.js", "w"]
        watched.clean()
    _, served = static_files()
    sizes = {name: len(gzip.compress(file)) for name, (_, file) in served.items()}
    html = len(gzip.compress(shell(words_for("uk")).encode()))
    assert html + sizes["page.js"] + sizes["page.css"] <= 26_000
    assert sizes["panels.js"] + sizes["panels.css"] <= 12_500


async def test_what_comes_after_the_first_board_is_asked_for_again_if_it_fails() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel()
        context, asked = await watched.context(), asyncio.Event()

        async def lost(route: Route) -> None:
            asked.set()
            await route.abort()

        await context.route("**/panels.js", lost)
        key = await house.key(match.id)
        page = await watched.page(f"{house.url}/m/{match.id}?k={key}", context)
        await asked.wait()
        await context.unroute("**/panels.js", lost)
        await _choose(page, "Keyboard")
        await expect(page.locator(".sheet .card")).to_be_visible()
