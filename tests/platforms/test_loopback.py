"""The platforms on this machine: what they refuse, and what they must not do to the tests beside them."""

from __future__ import annotations

import asyncio
import gc
import warnings
from typing import Any

import pytest

from tests.platforms.discord.limits import problems
from tests.platforms.discord.openapi import BODIES, ROUTES
from tests.platforms.telegram.server import TOKEN, BotApi

# The table made from Discord's description bites where the bot could go wrong; `problems` runs on every
# request of every test.


CALLBACK = "/interactions/1/token/callback"
WEBHOOK = "/webhooks/1/token"
CONVERSATIONS = "/users/@me/channels"


def test_the_table_has_every_route_that_the_bot_uses() -> None:
    assert tuple(BODIES) == ROUTES


def modal(**changed: Any) -> dict[str, Any]:
    text = {"type": 4, "custom_id": "text", "style": 2, **changed}
    parts = [{"type": 18, "label": "Move", "component": text}]
    return {"type": 9, "data": {"custom_id": "type:aaaaaa", "title": "Move", "components": parts}}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/guilds/1/roles", None),
        ("GET", "/channels/general", None),
        ("DELETE", f"{WEBHOOK}/messages/@original", {"content": "x"}),
        ("POST", CONVERSATIONS, {}),
        ("POST", CONVERSATIONS, {"recipient_id": "ann"}),
        ("PATCH", "/channels/1", {"archived": "no"}),
        ("POST", "/channels/1/threads", {"type": 11}),
        ("POST", "/channels/1/threads", {"name": "x" * 101}),
        ("POST", "/channels/1/threads", {"name": " ", "type": 11}),
        ("POST", "/channels/1/threads", {"name": "match", "auto_archive_duration": 61}),
        ("POST", CALLBACK, {"type": 3}),
        ("POST", CALLBACK, {"type": 8, "data": {"choices": [{"name": "x" * 101, "value": "x"}]}}),
        ("POST", CALLBACK, {"type": 8, "data": {"choices": [{"name": "x", "value": "x"}] * 26}}),
        ("POST", CALLBACK, modal(style=3)),
        ("POST", CALLBACK, modal(max_length=4001)),
        ("POST", CALLBACK, modal(required="yes")),
        ("POST", CALLBACK, {"type": 9, "data": {**modal()["data"], "title": "x" * 46}}),
        ("POST", WEBHOOK, {"content": "x"}),
        ("POST", WEBHOOK, {"content": "x" * 2001, "allowed_mentions": {}}),
    ],
)
def test_what_discord_refuses(method: str, path: str, body: Any) -> None:
    assert problems(method, path, body)


def test_uploads_are_named_and_described() -> None:
    message = {
        "allowed_mentions": {},
        "attachments": [{"id": 0, "filename": "board.png", "description": "x"}],
    }
    path, png = WEBHOOK, [("board.png", b"x")]
    assert problems("POST", path, message, png) == []
    assert problems("POST", path, message, [("other.png", b"x")])
    assert problems("POST", path, message, [("board.png", b"")])
    assert problems("POST", path, message, [("board.png", b"x" * (10 * 1024 * 1024 + 1))])
    assert problems("POST", path, {**message, "attachments": [{"id": 0, "filename": "board.png"}]}, png)


# The server that stands in for Telegram: what it must not do to the tests beside it.


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
