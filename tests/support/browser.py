"""A headless browser, driven by Playwright: pages of one origin, whose requests, complaints and errors are kept."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""What `scripts/browser` looks for too."""

PHONE: Final[dict[str, Any]] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
DESKTOP: Final[dict[str, Any]] = {"viewport": {"width": 1280, "height": 800}}

PATIENCE: Final = 60_000.0  # ms that anything may take on a busy machine

expect.set_options(timeout=PATIENCE)


def found() -> str | None:
    """Return the browser, if there is one."""
    return os.environ.get("KLOP_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


def executable() -> str:
    """Return the browser; without one, the test is skipped, or fails where a browser is needed."""
    path = found()
    if path is None and "KLOP_TESTS_NEED_BROWSER" in os.environ:
        pytest.fail("no browser: scripts/browser installs one")
    if path is None:
        pytest.skip("no browser: scripts/browser installs one")
    return path


class Watched:
    """A browser's pages, and what they did that they must not."""

    def __init__(self, browser: Browser, origin: str) -> None:
        self._browser = browser
        self._origin = origin
        self.strayed: list[str] = []
        self.complaints: list[str] = []
        self.requests: list[str] = []

    async def context(self, **how: Any) -> BrowserContext:
        """Return a new browser profile."""
        context = await self._browser.new_context(**{**DESKTOP, **how})
        context.set_default_timeout(PATIENCE)
        return context

    async def page(self, address: str, context: BrowserContext | None = None, **how: Any) -> Page:
        """Open an address; everything that the page asks for is noted."""
        page = await (context or await self.context(**how)).new_page()
        page.on("request", lambda request: self._asked(request.url))
        page.on("websocket", lambda socket: self._asked(socket.url.replace("ws://", "http://", 1)))
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        await page.goto(address)
        return page

    def _asked(self, url: str) -> None:
        self.requests.append(url)
        if not url.startswith((self._origin, "blob:", "data:")):
            self.strayed.append(url)

    def clean(self) -> None:
        """Check that no request left the origin, and that the browser found no fault: no error, no breach of the policy."""
        assert self.strayed == []
        assert self.complaints == []


@contextlib.asynccontextmanager
async def browser(origin: str) -> AsyncIterator[Watched]:
    """Start a browser for pages of one origin."""
    path = executable()
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(
            executable_path=path,
            args=[
                "--no-sandbox",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ],
        )
        try:
            yield Watched(started, origin)
        finally:
            await started.close()
