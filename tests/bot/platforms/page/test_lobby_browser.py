"""The lobby in a real browser: cards that follow what happens elsewhere, and new games by few taps."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect

from play.actions.leaving import Resign
from play.match import Phase
from play.people import Player
from tests.bot.platforms.page.test_browser import LOOKS, _none_wrong, _square
from tests.support.browser import PHONE, PageHouse, Watched, browser, page_house
from tests.support.desk import ANN, BOB, CEM

pytestmark = pytest.mark.slow


async def _lobby(house: PageHouse, watched: Watched, player: Player, address: str = "/", **how: Any) -> Page:
    context = await watched.context(**how)
    await context.add_init_script(f"localStorage.setItem('klop.session', '{await house.bearer(player)}')")
    return await watched.page(house.url + address, context)


async def test_a_move_elsewhere_appears_in_an_open_lobby_and_the_keyboard_stays() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        desk = house.desk
        match, other = await desk.duel(clock="3d"), await desk.duel()
        page = await _lobby(house, watched, BOB)
        waiting, turn = page.locator("section.waiting li"), page.locator("section.turn li")
        await expect(waiting).to_have_count(2)
        await expect(page).to_have_title("Klop")
        await page.get_by_role("link", name="Breakthrough").last.focus()
        focused = await page.evaluate("document.activeElement.dataset.key")
        kept = await page.evaluate(
            "document.activeElement.isConnected && (window.kept = document.activeElement)"
        )
        assert kept is not None
        moved, still = (match, other) if focused == other.id else (other, match)
        await desk.play(moved, "a2-a3")
        await expect(turn).to_have_count(1)
        await expect(page).to_have_title("(1) Klop")
        await expect(page.locator("[aria-live]")).to_contain_text("Your turn")
        assert await page.evaluate("document.activeElement === window.kept"), "its card was not drawn anew"
        await desk.play(still, "a2-a3")
        await expect(turn).to_have_count(2)
        await expect(page).to_have_title("(2) Klop")
        assert await page.evaluate("document.activeElement.dataset.key") == focused, "it moved with its card"
        await page.keyboard.press("Enter")
        await expect(page.locator("h1")).to_contain_text(" – ")
        assert page.url.endswith(f"/m/{focused}")
        await page.go_back()
        await expect(turn).to_have_count(2)
        watched.clean()


async def test_a_new_game_takes_two_taps_and_comes_back_as_a_card() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        page = await _lobby(house, watched, ANN, **PHONE)
        await expect(page.get_by_text("No matches yet")).to_be_visible()
        await page.get_by_role("button", name="New game").tap()
        await page.get_by_role("button", name="Breakthrough – computer, level 2").tap()
        await expect(_square(page, "a2")).to_be_visible()
        (match,) = await house.desk.store.matches.of(ANN.account)
        assert match.phase is Phase.PLAYING
        await page.go_back()
        await expect(page.get_by_role("link", name="Breakthrough")).to_be_visible()
        await expect(page.get_by_text("No matches yet")).to_be_hidden()
        await page.locator("[data-key=puzzle]").tap()
        await expect(page.locator(".board")).to_be_visible()
        await page.get_by_role("button", name="Close").tap()
        await expect(page.get_by_role("button", name="New game")).to_be_visible()
        watched.clean()


async def test_a_friend_takes_the_seat_by_the_link() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        page = await _lobby(house, watched, ANN)
        await page.get_by_role("button", name="New game").click()
        await page.get_by_role("radio", name="A friend, by link").check()
        await page.get_by_role("radio", name="L-game").check()
        await page.get_by_label("Clock").select_option("1d")
        await page.get_by_role("button", name="Play", exact=True).click()
        await expect(page.get_by_text("Send this link to a friend.")).to_be_visible()
        link = await page.locator("code").inner_text()
        await page.reload()
        await expect(page.locator("code")).to_have_text(link)
        await _none_wrong(page)
        known = await _lobby(house, watched, CEM, link.removeprefix(house.url))
        await expect(known.get_by_role("button", name="Join")).to_be_visible()
        theirs = await watched.page(link.removesuffix("&guest"), **PHONE)
        await expect(theirs.get_by_text("To play, join here:")).to_be_visible()
        await _none_wrong(theirs)
        for path in ("privacy", "nowhere"):
            await known.goto(f"{house.url}/{path}")
            await _none_wrong(known)
        assert "404" in watched.complaints.pop()  # the browser names what is not there
        await theirs.get_by_role("link", name="Join as a guest").tap()
        await theirs.get_by_role("button", name="Join").tap()
        await expect(theirs.locator(".board")).to_be_visible()
        await theirs.reload()
        await expect(theirs.locator("summary")).to_be_visible()
        await expect(page.locator(".board")).to_be_visible()
        await expect(page.locator("code")).to_be_hidden()
        watched.clean()


@pytest.mark.parametrize(("how", "colours"), LOOKS)
async def test_nothing_in_the_lobby_is_in_the_way_of_anybody(
    how: dict[str, Any], colours: dict[str, Any]
) -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        desk = house.desk
        await desk.duel(clock="3d")
        await desk.act(await desk.duel(), BOB, Resign())
        unwanted, wanted = await desk.invited(CEM, ANN, rated=True), await desk.invited(BOB, ANN)
        page = await _lobby(house, watched, ANN, **colours, **how)
        await expect(page.locator("section.invitation li")).to_have_count(2)
        await _none_wrong(page)
        await page.get_by_role("button", name="Decline").first.click()
        await expect(page.locator("section.invitation li")).to_have_count(1)
        await page.get_by_role("button", name="New game").click()
        await expect(page.get_by_role("dialog")).to_be_visible()
        await _none_wrong(page)
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_be_hidden()
        await page.get_by_role("button", name="Accept").click()
        await expect(page.locator(".board")).to_be_visible()
        phases = {(await desk.table.get(each.id)).phase for each in (unwanted, wanted)}
        assert Phase.PLAYING in phases
        watched.clean()
