"""How a move is made and seen on the board, in a real browser: drawn at once, taken back, sliding, zoomed, heard."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

import pytest
from playwright.async_api import BrowserContext, FloatRect, Locator, Page, WebSocketRoute, expect

from play.people import Player
from rules import GAMES
from tests.support.browser import DESKTOP, PHONE, PageHouse, Watched, browser, page_house
from tests.support.desk import ANN

pytestmark = pytest.mark.slow

COUNTS: Final = """
slid = 0; sounds = 0;
const animate = Element.prototype.animate;
Element.prototype.animate = function (...how) { slid++; return animate.apply(this, how); };
const tone = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () { sounds++; return tone.call(this); };
"""
"""Counts what slides, and the tones."""


async def _context(house: PageHouse, watched: Watched, player: Player, **how: Any) -> BrowserContext:
    context = await watched.context(**how)
    await context.add_init_script(f"localStorage.setItem('klop.session', '{await house.bearer(player)}')")
    await context.add_init_script(COUNTS)
    return context


async def _open(house: PageHouse, watched: Watched, code: str, player: Player, **how: Any) -> Page:
    context = await _context(house, watched, player, **how)
    page = await watched.page(f"{house.url}/m/{code}", context)
    await expect(page.locator(".chairs li").first).to_be_visible()
    return page


def _square(page: Page, name: str) -> Locator:
    return page.locator(f'.board [aria-label^="{name},"]')


async def _inside(page: Page, name: str) -> None:
    """Wait until a square can be seen without a scroll: the board is drawn first, then moved."""
    await page.wait_for_function(
        """(square) => {
          const [it, room] = [square, square.closest(".scroller")].map((each) => each.getBoundingClientRect());
          return it.left >= room.left && it.right <= room.right && it.top >= room.top && it.bottom <= room.bottom;
        }""",
        arg=await _square(page, name).element_handle(),
    )


async def _zoomed(
    house: PageHouse, watched: Watched, code: str, name: str
) -> tuple[Page, Locator, FloatRect]:
    """Open a large board on a phone; return the page, what the board scrolls in, and where a square is."""
    page = await _open(house, watched, code, ANN, **PHONE)
    scroller = page.locator(".scroller")
    await expect(scroller).to_have_class("scroller zoomed")
    box = await _square(page, name).bounding_box()
    assert box is not None
    return page, scroller, box


async def test_a_turn_of_three_actions_on_a_large_board_is_three_taps_and_play() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel(game="klopodavka", board="20x20")
        page, scroller, box = await _zoomed(house, watched, match.id, "b2")
        assert box["width"] >= 34
        for name in ("b2", "c3", "d4"):
            await _inside(page, name)
            await _square(page, name).tap()
            await expect(_square(page, name)).to_have_attribute(
                "aria-label", f"{name}, bug, Ann; would come here"
            )
        await expect(scroller).to_have_class("scroller zoomed")
        assert await page.locator(".pips .left").count() == 0
        await page.get_by_role("button", name="Play", exact=True).tap()
        await expect(page.locator("body")).to_have_attribute("data-turns", "3")
        assert [each.text for each in (await house.desk.table.get(match.id)).log] == ["b2", "c3", "d4"]  # type: ignore[union-attr]
        await expect(scroller).to_have_class("scroller")
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390
        watched.clean()


async def test_a_double_tap_shows_the_whole_board_and_a_tap_magnifies_it() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel(game="klopodavka", board="26x30")
        page, scroller, box = await _zoomed(house, watched, match.id, "d5")
        for _ in range(2):
            await page.touchscreen.tap(box["x"] + 5, box["y"] + 5)
        await expect(scroller).to_have_class("scroller")
        await _square(page, "t20").tap()
        await expect(scroller).to_have_class("scroller zoomed")
        await _inside(page, "t20")
        await expect(page.locator('.board [data-state="picked"]')).to_have_count(0)
        watched.clean()


async def test_the_names_of_files_and_ranks_stay_while_a_large_board_is_moved() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel(game="klopodavka", board="20x20")
        page, scroller, square = await _zoomed(house, watched, match.id, "c3")
        box = await scroller.bounding_box()
        assert box is not None
        rim = 14.0
        inside = box["height"] - rim
        ranks: FloatRect = {"x": box["x"], "y": box["y"], "width": rim, "height": inside}
        files: FloatRect = {
            "x": box["x"] + rim,
            "y": box["y"] + inside,
            "width": box["width"] - rim,
            "height": rim,
        }
        for strip, x, y in ((ranks, 50, 0), (files, 0, -50)):
            drawn = await page.screenshot(clip=strip)
            await scroller.evaluate("(box, [x, y]) => box.scrollBy(x, y)", [x, y])
            assert await page.screenshot(clip=strip) == drawn
        moved = await _square(page, "c3").bounding_box()
        assert moved is not None
        assert (moved["x"], moved["y"]) == (square["x"] - 50, square["y"] + 50)
        watched.clean()


@pytest.mark.parametrize(
    ("motion", "slides", "refused"),
    [("no-preference", 2, True), ("reduce", 0, True), ("no-preference", 1, False)],
    ids=["refused", "refused, no motion", "slow line"],
)
async def test_a_move_is_drawn_at_once_and_then_stays_or_goes_back(
    motion: str, slides: int, refused: bool
) -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel()
        context = await _context(house, watched, ANN, **PHONE, reduced_motion=motion)
        asked, ends = asyncio.Queue[str](), list[tuple[WebSocketRoute, WebSocketRoute]]()
        await context.clock.install(time=0)

        def between(page: WebSocketRoute) -> None:
            server = page.connect_to_server()
            ends.append((page, server))

            def sent(text: str | bytes) -> None:
                if json.loads(text)["do"] == "play":
                    asked.put_nowait(str(text))
                else:
                    server.send(text)

            page.on_message(sent)

        await context.route_web_socket("**/w?line=*", between)
        page = await watched.page(f"{house.url}/m/{match.id}", context)
        await expect(_square(page, "d2")).to_have_attribute("data-state", "choice")
        await page.clock.pause_at(60_000)
        place = await page.locator(".board").bounding_box()
        drawn = """(names) => {
          const square = (name) => document.querySelector(`.board [aria-label^="${name},"]`);
          for (const name of names) square(name).click();
          return [square("d3").ariaLabel, document.querySelector(".board [data-at='51']").ariaLabel, slid];
        }"""
        label, left, slid = await page.evaluate(drawn, ["d2", "d3"])
        assert label.startswith("d3, man, Ann (White)"), "in the same frame as the tap"
        assert "man" not in left
        assert slid == min(slides, 1)
        move = await asked.get()
        await page.clock.run_for(4_500)
        await expect(page.locator(".prompt")).to_have_text("Sending…")
        await expect(page.locator("body")).not_to_have_class("lost")
        to_page, to_server = ends[-1]
        if refused:
            why = {"lines": ["The match is paused."], "refused": True}
            to_page.send(json.dumps({"re": json.loads(move)["op"], "cards": [why]}))
            await expect(page.locator("[role=alert]").last).to_have_text("The match is paused.")
            left, come = "d2, man, Ann (White); can be chosen", "d3, empty"
        else:
            to_server.send(move)
            await expect(page.locator("body")).to_have_attribute("data-turns", "1")
            left, come = "d2, moved away", "d3, man, Ann (White); just came"
        await expect(_square(page, "d2")).to_have_attribute("aria-label", left)
        await expect(_square(page, "d3")).to_have_attribute("aria-label", come)
        await expect(page.get_by_text("Sending…")).to_have_count(0)
        assert await page.evaluate("slid") == slides
        assert await page.locator(".board").bounding_box() == place
        await expect(page.locator(".board svg use")).to_have_count(64)  # nothing is left over
        assert len((await house.desk.table.get(match.id)).log) == (not refused)
        watched.clean(gave_up=True)


async def test_the_other_player_s_move_slides_and_is_heard_where_sounds_are_on() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.play(await house.desk.duel(), "d2-d3")
        page = await _open(house, watched, match.id, ANN)
        match = await house.desk.play(match, "a7-a6")
        await expect(_square(page, "a6")).to_have_attribute("aria-label", "a6, man, Bob (Black); just came")
        assert await page.evaluate("[slid, sounds]") == [1, 0]
        await page.get_by_role("button", name="Menu").click()
        await page.get_by_role("button", name="Turn sounds on").click()
        assert await page.evaluate("sounds") == 1, "what it is like"
        await _square(page, "d3").drag_to(_square(page, "d4"))
        await expect(page.locator("body")).to_have_attribute("data-turns", "3")
        assert await page.evaluate("[slid, sounds]") == [1, 2], "what was dragged is there already"
        await page.reload()
        await page.get_by_role("button", name="Menu").click()
        await expect(page.get_by_role("button", name="Turn sounds off")).to_be_visible()
        watched.clean()


async def _middle(square: Locator) -> tuple[float, float]:
    box = await square.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize(("motion", "slides"), [("no-preference", 1), ("reduce", 0)])
async def test_a_dragged_man_follows_the_mouse_and_slides_back_from_where_it_cannot_go(
    motion: str, slides: int
) -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel()
        page = await _open(house, watched, match.id, ANN, **DESKTOP, reduced_motion=motion)
        lifted, faded = page.locator(".board > svg > g > use"), page.locator('.board use[href$=".faded"]')
        over = page.locator(".board .over")
        await page.mouse.move(*await _middle(_square(page, "d2")))
        await page.mouse.down()
        for name, target in (("d3", True), ("e5", False)):
            at = await _middle(_square(page, name))
            await page.mouse.move(*at, steps=3)
            assert await _middle(lifted) == pytest.approx(at, abs=1)
            assert await faded.count() == 1
            assert [await each.get_attribute("data-at") for each in await over.all()] == ["43"] * target
        await page.mouse.up()
        assert await page.evaluate("slid") == slides
        await expect(lifted).to_have_count(0)
        assert await faded.count() == 0
        await expect(_square(page, "d2")).to_have_attribute("data-state", "picked")
        await _square(page, "d2").drag_to(_square(page, "d3"))
        await expect(page.locator("body")).to_have_attribute("data-turns", "1")
        assert await page.evaluate("slid") == slides, "what was dragged is there already"
        assert (await house.desk.table.get(match.id)).log[0].text == "d2-d3"  # type: ignore[union-attr]
        watched.clean()


async def test_a_finger_drags_a_man_on_a_large_board_and_moves_the_board_elsewhere() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel(board="26x26")
        page, scroller, _ = await _zoomed(house, watched, match.id, "d2")
        touch = await page.context.new_cdp_session(page)

        async def drag(*way: tuple[float, float]) -> None:
            kinds = ["touchStart", *["touchMove"] * (len(way) - 1)]
            for kind, (x, y) in zip(kinds, way, strict=True):
                await touch.send(
                    "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]}
                )
            await touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

        x, y = await _middle(_square(page, "e5"))
        assert await scroller.evaluate("(box) => box.scrollLeft") == 0
        await drag((x, y), (x - 30, y), (x - 60, y), (x - 90, y))
        await page.wait_for_function("() => document.querySelector('.scroller').scrollLeft > 40")
        still = "() => { const was = window.was; window.was = document.querySelector('.scroller').scrollLeft; return was === window.was; }"
        await page.wait_for_function(still)
        await expect(page.locator('.board [data-state="picked"]')).to_have_count(0)
        (x, y), to = await _middle(_square(page, "e2")), await _middle(_square(page, "e3"))
        await drag((x, y), (x, y - 12), to)
        await expect(page.locator("body")).to_have_attribute("data-turns", "1")
        assert (await house.desk.table.get(match.id)).log[0].text == "e2-e3"  # type: ignore[union-attr]
        watched.clean()


async def test_an_l_slides_when_it_is_put_down_here_or_elsewhere() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel(game="lgame")
        page = await _open(house, watched, match.id, ANN, **PHONE)
        await expect(page.locator(".board .reach").first).to_be_visible()
        await _square(page, "a1").tap()
        await _square(page, "b3").tap()
        assert await page.evaluate("slid") == 0
        await page.get_by_role("button", name="b3-b1-a1").tap()
        assert await page.evaluate("slid") == 1
        await page.get_by_role("button", name="Leave the neutrals").tap()
        await expect(page.locator("body")).to_have_attribute("data-turns", "1")
        assert await page.evaluate("slid") == 1, "it is there already"
        position = house.desk.table.course(await house.desk.table.get(match.id)).position
        notation = GAMES["lgame"].notation
        moves = [notation.format(move) for move in position.legal_moves()]
        await house.desk.play(
            await house.desk.table.get(match.id),
            next(move for move in moves if "n" not in move),
        )
        await expect(page.locator("body")).to_have_attribute("data-turns", "2")
        assert await page.evaluate("slid") == 2
        await expect(page.locator(".board > svg > g > use")).to_have_count(0)
        watched.clean()


async def test_an_l_follows_the_taps() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel(game="lgame")
        page = await _open(house, watched, match.id, ANN, **PHONE)
        faded = page.locator('.board use[href$=".faded"]')
        await expect(page.locator(".board .reach").first).to_be_visible()
        await expect(faded).to_have_count(0)
        await _square(page, "a1").tap()
        await expect(faded).to_have_count(4)
        await _square(page, "b3").tap()
        await page.get_by_role("button", name="b3-b1-a1").tap()
        await expect(faded).to_have_count(0)
        await expect(page.locator(".board .drawn")).to_have_count(4)
        await page.get_by_role("button", name="Step back").tap()
        await expect(page.locator(".board .drawn")).to_have_count(0)
        watched.clean()
