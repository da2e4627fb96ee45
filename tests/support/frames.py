"""Frames in which hosts open the page: what they hold, and where its requests go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from aiohttp import ClientError, ClientSession
from playwright.async_api import BrowserContext, Route

HOST: Final = """<!doctype html><title>host</title>
<iframe id="app" style="width:380px;height:780px;border:0" allow="clipboard-write" src="{src}"></iframe>
<script>heard = []; addEventListener("message", (event) => heard.push([event.origin, event.data]));</script>"""


async def proxied(
    context: BrowserContext,
    origin: str,
    to: str,
    headers: Callable[[], dict[str, str]] = dict,
    heard: Callable[[bytes], None] = lambda _: None,
) -> None:
    """Have requests of an origin answered by the page's server; no WebSockets, so that the page polls.

    The bodies of the answers are given to `heard`.
    """

    async def proxy(route: Route) -> None:
        asked = route.request
        url = to + asked.url.removeprefix(origin)
        try:
            async with (
                ClientSession() as client,
                client.request(asked.method, url, data=asked.post_data, headers=headers()) as answer,
            ):
                kept = {"content-type", "content-security-policy"}
                passed = {name: value for name, value in answer.headers.items() if name.lower() in kept}
                body = await answer.read()
        except ClientError:
            await route.abort()  # the server has ended
            return
        heard(body)
        await route.fulfill(status=answer.status, body=body, headers=passed)

    await context.route(f"{origin}/**", proxy)
