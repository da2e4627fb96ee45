"""The page as a Discord Activity: opened by a button of the bot, by those whom Discord's proxy vouches for."""

from __future__ import annotations

import json
import re
import time
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from nacl.signing import SigningKey

from bot.platforms.discord.proofs import HEADERS as DISCORD_HEADERS
from tests.platforms.discord.evening import evening
from tests.support.servers import free_port

ENTRY = {"id": "900", "type": 4, "name": "launch", "description": "", "handler": 2, "contexts": [0, 1, 2]}
KEY = SigningKey(b"d" * 32)


def _headers(application: int, user: int, number: int) -> dict[str, str]:
    """Return what the proxy adds to a request."""
    now = int(time.time()) - number
    payload = {
        "application_id": str(application),
        "user_id": str(user),
        "created_at": now,
        "expires_at": now + 300,
    }
    said = json.dumps(payload).encode()
    values = b64encode(KEY.sign(said).signature).decode(), str(now), b64encode(said).decode()
    return dict(zip(DISCORD_HEADERS, values, strict=True))


@pytest.mark.slow
async def test_a_button_opens_the_match_as_an_activity(tmp_path: Path) -> None:
    listen = f"127.0.0.1:{free_port()}"
    settings = {"KLOP_PAGE_URL": f"http://{listen}", "KLOP_PAGE_LISTEN": listen}
    async with evening(tmp_path / "data") as here, ClientSession() as client:
        here.discord.commands = [dict(ENTRY)]
        here.discord.verify_key = bytes(KEY.verify_key).hex()
        ann, bob = here.person("ann"), here.person("bob")
        async with here.bot(**settings):
            await ann.types("challenge", person=bob.user, game="lgame")
            await bob.presses(await here.latest("challenges"), "Accept")
            board = await here.latest("Turn: Ann")
            await ann.presses(board, "More…")
            menu = await here.latest("Turn", ann)
            opened = await ann.presses(menu, "Board in the browser")
            await here.discord.until(lambda: opened.settled, "an answer")
            assert opened.ack == 12
            await ann.types("board", how="link")
            links = await here.latest("Your board", ann)
            assert f"<http://{listen}/m/" in links.words, "it can be followed"
            assert f"<https://discord.com/activities/{here.discord.bot.id}?custom_id=" in links.words

            async def begin(**how: int) -> tuple[int, dict[str, Any]]:
                headers = _headers(
                    **{"application": here.discord.bot.id, "user": ann.user.id, "number": 0, **how}
                )
                async with client.post(
                    f"http://{listen}/w", json={"proof": {"kind": "discord"}}, headers=headers
                ) as answer:
                    return answer.status, await answer.json() if answer.status == 200 else {}

            status, begun = await begin()
            assert status == 200
            assert re.fullmatch("[a-z0-9]{6}", begun["code"])
            assert begun["frames"][0]["hello"]["name"] == "Ann"
            assert (await begin())[0] == 403, "a proof is used once"
            assert (await begin(application=5, number=1))[0] == 403
            status, again = await begin(number=2)
            assert (status, again["code"]) == (200, ""), "an opening is remembered for one session"
            async with client.ws_connect(f"http://{listen}/w") as page:
                await page.send_str(json.dumps({"code": begun["code"], "bearer": begun["bearer"]}))
                frames = [json.loads((await page.receive()).data) for _ in range(2)]
            assert any("pick" in frame.get("view", {}) for frame in frames)
