"""What Discord lets a bot send: its published figures, and every way in which a request goes beyond them.

The figures are those of Discord's own description of its API (version 10), and of the pages it publishes beside it, for
what the description does not say: the sum of an embed's parts, rows of buttons, what a command counts in all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from tests.platforms.discord.answer_limits import callback
from tests.platforms.discord.checks import Form, Found, flag, number, one_of, snowflake, text
from tests.platforms.discord.command_limits import commands
from tests.platforms.discord.message_limits import EDIT, FOLLOW_UP, NEW

FILE_SIZE: Final = 10 * 1024 * 1024


def problems(method: str, path: str, payload: Any, files: Sequence[tuple[str, bytes]] = ()) -> list[str]:
    """Everything about a request that Discord would refuse; nothing, if it would take it.

    Args:
        method: Of the request.
        path: After the version, with the ids in it.
        payload: The JSON; None where there is none.
        files: The names and contents of uploads, in their order.
    """
    for known, pattern, check in _ROUTES:
        if known == method and pattern.fullmatch(path):
            return [*check(payload, "body"), *_files(payload, files)]
    return [f"no such route: {method} {path}"]


_THREAD: Final = Form(
    {
        "name": text(100, 1),
        "auto_archive_duration": one_of(60, 1440, 4320, 10080),
        "type": one_of(11),
        "rate_limit_per_user": number(0, 21600),
        "invitable": flag,
    },
    ("name",),
)
_THREAD_EDIT: Final = Form({"archived": flag, "locked": flag, "name": text(100, 1)})


def _nothing(value: Any, at: str) -> Found:
    if value:
        yield f"{at}: nothing is expected"


def _files(payload: Any, files: Sequence[tuple[str, bytes]]) -> Found:
    """Uploads are named in the message that they come with, and described."""
    if not files:
        return
    if sum(len(content) for _, content in files) > FILE_SIZE:
        yield "files: too large"
    inner = payload.get("data", payload) if isinstance(payload, dict) else {}
    named = {str(each.get("id")): each for each in inner.get("attachments") or ()}
    for index, (name, content) in enumerate(files):
        held = named.get(str(index))
        if held is None or held.get("filename") != name:
            yield f"files[{index}]: the message does not name it"
        elif name.endswith((".png", ".gif", ".webp")) and not held.get("description"):
            yield f"files[{index}]: a picture without words for those who cannot see it"
        if not content:
            yield f"files[{index}]: empty"


_I: Final = "[0-9]{1,20}"
_T: Final = "[A-Za-z0-9_.%-]+"
_ROUTES: Final = tuple(
    (method, re.compile(pattern), check)
    for method, pattern, check in (
        ("GET", "/gateway/bot", _nothing),
        ("GET", "/users/@me", _nothing),
        ("GET", f"/users/{_I}", _nothing),
        ("GET", "/oauth2/applications/@me", _nothing),
        ("GET", f"/applications/{_I}/commands", _nothing),
        ("PUT", f"/applications/{_I}/commands", commands),
        ("POST", "/users/@me/channels", Form({"recipient_id": snowflake}, ("recipient_id",))),
        ("GET", f"/channels/{_I}", _nothing),
        ("PATCH", f"/channels/{_I}", _THREAD_EDIT),
        ("POST", f"/channels/{_I}/messages", NEW),
        ("PATCH", f"/channels/{_I}/messages/{_I}", EDIT),
        ("POST", f"/channels/{_I}/threads", _THREAD),
        ("POST", f"/channels/{_I}/messages/{_I}/threads", _THREAD),
        ("POST", f"/interactions/{_I}/{_T}/callback", callback),
        ("POST", f"/webhooks/{_I}/{_T}", FOLLOW_UP),
        ("PATCH", f"/webhooks/{_I}/{_T}/messages/(@original|{_I})", EDIT),
        ("DELETE", f"/webhooks/{_I}/{_T}/messages/(@original|{_I})", _nothing),
    )
)
