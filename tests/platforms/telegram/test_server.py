"""The server that stands in for Telegram: what it must not do to the tests beside it."""

from __future__ import annotations

import asyncio
import gc
import warnings

from tests.platforms.telegram.server import TOKEN, BotApi

PART = b'--b\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\n\r\n'


async def test_a_client_that_goes_away_within_a_file_leaves_nothing_open() -> None:
    """What stays open would be noticed whenever it is collected: in some other test, and not always."""
    api = BotApi()
    async with api.serving():
        host, port = api.url.removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        head = (
            f"POST /bot{TOKEN}/sendPhoto HTTP/1.1\r\nHost: {host}\r\nContent-Length: 90000\r\n"
            "Content-Type: multipart/form-data; boundary=b\r\n\r\n"
        )
        writer.write(head.encode() + PART + b"x" * 20_000)
        await writer.drain()
        for _ in range(100):
            await asyncio.sleep(0)
        writer.close()
        await writer.wait_closed()
    with warnings.catch_warnings(record=True) as noticed:
        warnings.simplefilter("always")
        gc.collect()
    assert [str(each.message) for each in noticed] == []
