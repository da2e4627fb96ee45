"""What the Discord on this machine refuses."""

from __future__ import annotations

from typing import Any

import pytest

from tests.platforms.discord.limits import problems
from tests.platforms.discord.openapi import BODIES, ROUTES

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
