"""The board page in a headless Chromium: how soon the first board is there on a phone network, and how soon a tap shows.

The page runs as its own process on a Redis of its own. The network is emulated by the browser: each answer takes `LATENCY`
longer, and all of them share `RATE`. `scripts/browser` installs a browser where there is none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any, Final

from playwright.async_api import BrowserContext, Page

from bench.measure import Budget, Row, Series
from bench.page import ServedPage, served_page, wanted
from tests.support.browser import Watched, browser, found
from tests.support.servers import redis_server

LATENCY: Final = 100.0  # ms until an answer begins
RATE: Final = 2_000_000 / 8  # bytes a second, each way

COLD, WARM = 0.5, 0.3  # seconds wanted until the first board is drawn
REQUESTS, TRIPS = 5, 3  # most of them until then: html, script, style, the match, and a WebSocket
DRAWN: Final = 0.05  # seconds wanted from a tap to its picture, of 95 of 100

TAPS: Final = 40  # in a round

_GAMES: Final = {"breakthrough": {}, "klopodavka": {"board": "26x30"}}

_FIRST: Final = """new MutationObserver((_, watcher) => {
  if (!document.querySelector(".board [data-state=choice]")) return;
  watcher.disconnect();
  requestAnimationFrame(() => setTimeout(() => (window.drawn = performance.now())));
}).observe(document, { subtree: true, childList: true, attributes: true });"""
"""Notes when the first frame with a board on it was drawn."""

_TAP: Final = """() => void (window.tap = new Promise((done) => {
  let tapped = 0;
  const board = document.querySelector(".board");
  addEventListener("pointerdown", (event) => (tapped = event.timeStamp), { once: true, capture: true });
  new MutationObserver((_, watcher) => {
    if (!tapped) return;
    watcher.disconnect();
    requestAnimationFrame(() => setTimeout(() => done((performance.now() - tapped) / 1000)));
  }).observe(board, { subtree: true, attributes: true });
}))"""
"""Notes the seconds from the next tap to the end of the frame in which the board differs."""

_ASKED: Final = """() => performance.getEntries()
  .filter((each) => ["navigation", "resource"].includes(each.entryType) && each.startTime < window.drawn)
  .map((each) => [each.startTime, each.responseStart])"""


def rows(budget: Budget) -> Sequence[Row]:
    """Each figure beside what is wanted.

    Raises:
        OSError: there is no browser.
    """
    if found() is None:
        raise OSError("no browser: scripts/browser installs one")
    return asyncio.run(_rows(budget))


async def _rows(budget: Budget) -> list[Row]:
    with TemporaryDirectory() as folder, redis_server(Path(folder) / "redis") as socket:
        async with served_page(Path(folder), socket) as page, browser(page.url) as watched:
            loads = [await _loaded(page, watched) for _ in range(budget.matches)]
            taps = {game: await _taps(page, watched, game, budget.matches) for game in _GAMES}
    asked = loads[0][2]
    cold = Series("the page", tuple(cold for cold, _, _ in loads))
    warm = Series("the page", tuple(warm for _, warm, _ in loads))
    requests = f"{len(asked)} requests ({REQUESTS} at most) in {_trips(asked)} round trips ({TRIPS} at most)"
    return [
        replace(wanted(f"first board on a 2 Mbit/s line, cold: {requests}", cold, COLD), unit="load"),
        replace(wanted("first board on a 2 Mbit/s line, warm", warm, WARM), unit="load"),
        *(
            replace(
                wanted(f"tap to the picture, 95 of 100: {game}", Series("the page", tuple(taken)), DRAWN),
                unit="tap",
            )
            for game, taken in taps.items()
        ),
    ]


def _trips(asked: Sequence[tuple[float, float]]) -> int:
    """Return the longest chain of requests each of which began when the answer before had."""
    depths: list[tuple[float, int]] = []
    for began, answered in sorted(asked):
        depth = 1 + max((depth for end, depth in depths if end <= began), default=0)
        depths.append((answered, depth))
    return max(depth for _, depth in depths)


async def _loaded(served: ServedPage, watched: Watched) -> tuple[float, float, list[tuple[float, float]]]:
    code = await served.match()
    context = await _of_ann(served, watched, code)
    cold, asked = await _first_board(context, f"{served.url}/m/{code}")
    warm, _ = await _first_board(context, f"{served.url}/m/{code}")
    await context.close()
    return cold, warm, asked


async def _of_ann(served: ServedPage, watched: Watched, code: str) -> BrowserContext:
    ann, _, _ = await served.keys(code)
    context = await watched.context(viewport={"width": 390, "height": 844}, has_touch=True)
    served.address += 1
    await context.set_extra_http_headers(
        {"X-Forwarded-For": f"10.9.{served.address >> 8}.{served.address & 255}"}
    )
    await context.add_init_script(f"localStorage.setItem('klop.session', '{ann['bearer']}');{_FIRST}")
    return context


async def _first_board(context: BrowserContext, address: str) -> tuple[float, list[tuple[float, float]]]:
    page = await context.new_page()
    client = await context.new_cdp_session(page)
    await client.send("Network.enable")
    limits = {"offline": False, "latency": LATENCY, "downloadThroughput": RATE, "uploadThroughput": RATE}
    await client.send("Network.emulateNetworkConditions", limits)
    await page.goto(address, wait_until="commit")
    await page.wait_for_function("() => window.drawn")
    drawn, asked = await page.evaluate("window.drawn"), await page.evaluate(_ASKED)
    await page.close()
    return drawn / 1000, [tuple(each) for each in asked]


async def _taps(served: ServedPage, watched: Watched, game: str, rounds: int) -> list[float]:
    code = await served.match(game, _GAMES[game])
    context = await _of_ann(served, watched, code)
    page = await context.new_page()
    await page.goto(f"{served.url}/m/{code}")
    await page.wait_for_function("() => window.drawn")
    taken = [quantiles([await _tapped(page) for _ in range(TAPS)], n=20)[-1] for _ in range(rounds)]
    await context.close()
    return taken


async def _tapped(page: Page) -> float:
    square = page.locator(".board [data-state=choice]").first
    box: Any = await square.bounding_box()
    await page.evaluate(_TAP)
    await page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    taken = float(await page.evaluate("window.tap"))
    await asyncio.sleep(0.1)  # what the server says of it
    await page.locator(".board [tabindex='0']").press("Escape")
    return taken
