"""Frames in which hosts open the page: what they hold, and where its requests go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from aiohttp import ClientError, ClientSession, ClientWebSocketResponse
from playwright.async_api import BrowserContext, Route, WebSocketRoute
from playwright.async_api import Error as PlaywrightError

HOST: Final = """<!doctype html><title>host</title>
<iframe id="app" style="width:380px;height:780px;border:0" allow="clipboard-write" src="{src}"></iframe>
<script>heard = []; addEventListener("message", (event) => heard.push([event.origin, event.data]));</script>"""


async def proxied(
    context: BrowserContext,
    origin: str,
    to: str,
    headers: Callable[[], dict[str, str]] = dict,
    heard: Callable[[bytes], None] = lambda _: None,
) -> list[str]:
    """Have requests of an origin, WebSockets too, answered by the page's server.

    The bodies of the answers are given to `heard`. Return the addresses of the WebSockets, as they are opened.
    """
    bridges, opened = set[asyncio.Task[None]](), list[str]()

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

    def bridged(page: WebSocketRoute) -> None:
        asked: asyncio.Queue[str | None] = asyncio.Queue()
        page.on_message(lambda text: asked.put_nowait(str(text)))
        page.on_close(lambda *_: asked.put_nowait(None))
        url = f"{to}/{page.url.split('/', 3)[3]}"
        opened.append(page.url)
        bridges.add(task := asyncio.create_task(_bridge(page, url, headers(), asked)))
        task.add_done_callback(bridges.discard)

    await context.route(f"{origin}/**", proxy)
    await context.route_web_socket(f"{origin.replace('https', 'wss', 1)}/**", bridged)
    return opened


async def _bridge(
    page: WebSocketRoute, url: str, headers: dict[str, str], asked: asyncio.Queue[str | None]
) -> None:
    """Pass frames on both ways, until either end closes."""

    async def up(server: ClientWebSocketResponse) -> None:
        while (text := await asked.get()) is not None:
            await server.send_str(text)
        await server.close()

    with suppress(ClientError, PlaywrightError):  # the server, or the browser, has ended
        async with ClientSession() as client, client.ws_connect(url, headers=headers) as server:
            sending = asyncio.create_task(up(server))
            async for message in server:
                page.send(message.data)
            sending.cancel()
        await page.close()
