"""The page in a real browser on a line that swallows everything, and on its first load, when there is nothing to show yet."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from playwright.async_api import Route, WebSocketRoute, expect

from bot.chat.i18n import words as words_for
from tests.support.browser import PHONE, browser, page_house
from tests.support.desk import ANN

pytestmark = pytest.mark.slow


class SwallowingProxy:
    """Passes everything on, until the line dies: then nothing comes through, and nothing is closed."""

    def __init__(self) -> None:
        self.alive = asyncio.Event()
        self.alive.set()

    async def http(self, route: Route) -> None:
        """Pass a request on once the line is alive."""
        await self.alive.wait()
        await route.continue_()

    def socket(self, page: WebSocketRoute) -> None:
        """Pass on the frames of a WebSocket."""
        server = page.connect_to_server()
        page.on_message(lambda frame: server.send(frame) if self.alive.is_set() else None)
        server.on_message(lambda frame: page.send(frame) if self.alive.is_set() else None)


@pytest.mark.parametrize("acting", [True, False], ids=["a move is made", "nothing is done"])
async def test_a_line_that_swallows_everything_is_noticed_and_left(acting: bool) -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match, proxy = await house.desk.duel(), SwallowingProxy()
        context = await watched.context()
        bearer = await house.bearer(ANN)
        await context.add_init_script(f"localStorage.setItem('klop.session', '{bearer}')")
        await context.route("**/w", proxy.http)
        await context.route_web_socket("**/w?**", proxy.socket)
        await context.clock.install()
        page = await watched.page(f"{house.url}/m/{match.id}", context)
        await expect(page.locator('.board [data-state="choice"]').first).to_be_visible()
        await page.clock.run_for(60_000)
        await expect(page.locator("body")).not_to_have_class("lost")
        proxy.alive.clear()
        if acting:
            await page.locator('.board [aria-label^="d2,"]').click()
            await page.locator('.board [aria-label^="d3,"]').click()
        await page.clock.run_for(5_000 if acting else 10_000)
        await expect(page.locator("body")).to_have_class("lost")
        await expect(page.locator(".state")).to_have_text(words_for("en")("bot.page.reconnecting"))
        if not acting:
            await house.desk.play(match, "a2-a3")
        async with page.expect_event("websocket"):
            proxy.alive.set()
        await expect(page.locator("body")).to_have_attribute("data-turns", "1")
        await expect(page.locator("body")).not_to_have_class("lost")
        assert len((await house.desk.table.get(match.id)).log) == 1, "it was carried out once"
        watched.clean(gave_up=True)


@pytest.mark.parametrize(
    ("answer", "where", "said"),
    [
        ({"status": 429, "headers": {"Retry-After": "1"}}, "", "crowd"),
        ({"status": 503, "headers": {"Retry-After": "1"}}, "", "down"),
        ({"status": 403}, "/?frame_id=f&instance_id=i", "unproven"),
        ("abort", "", "offline"),
        ("silence", "", "wait"),
    ],
)
async def test_a_first_load_that_meets_trouble_says_what_is_wrong_and_then_opens(
    answer: Any, where: str, said: str
) -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match, trouble, over = await house.desk.duel(), True, asyncio.Event()
        context = await watched.context(**PHONE, locale="uk-UA")
        if not where:
            bearer = await house.bearer(ANN)
            await context.add_init_script(f"localStorage.setItem('klop.session', '{bearer}')")

        async def troubled(route: Route) -> None:
            if not trouble:
                await route.continue_()
            elif answer == "abort":
                await route.abort()
            elif answer == "silence":
                await over.wait()
                await route.continue_()
            else:
                await route.fulfill(**answer)

        await context.route("**/w", troubled)
        page = await watched.page(f"{house.url}{where or f'/m/{match.id}'}", context)
        await expect(page.locator("#trouble")).to_have_text(
            words_for("uk")(f"bot.page.{said}"), timeout=2_000
        )
        trouble = False
        over.set()
        if not where:
            await expect(page.locator('.board [data-state="choice"]').first).to_be_visible()
            await expect(page.locator("#trouble")).to_have_count(0)
