"""The page in a process of its own: it has the store of the bot, and no token."""

from __future__ import annotations

import asyncio
import json
import re
from functools import partial
from pathlib import Path

import pytest
from aiohttp import ClientSession, ClientWebSocketResponse

from bot.platforms.telegram import proofs
from bot.platforms.telegram.proofs import BOT as TELEGRAM
from bot.platforms.telegram.proofs import by_public_key
from tests.bot.page.test_identity import BOT, KEY, init_data
from tests.bot.process import PATIENCE, Bot
from tests.reliability.bot_process import BotProcess
from tests.support.pages import page_house
from tests.support.servers import free_port, redis_server


async def _opened(client: ClientSession, url: str) -> None:
    """Return once the page is served."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                async with client.get(url) as answer:
                    assert answer.status == 200
                    return
            except OSError:
                await asyncio.sleep(0.05)


async def _view(page: ClientWebSocketResponse) -> dict[str, object]:
    async with asyncio.timeout(PATIENCE):
        while True:
            frame = json.loads((await page.receive()).data)
            if "view" in frame:
                return dict(frame["view"])


@pytest.mark.slow
async def test_a_move_on_the_page_is_announced_by_the_bot(tmp_path: Path) -> None:
    listen = f"127.0.0.1:{free_port()}"
    url = f"http://{listen}"
    with redis_server(tmp_path / "redis") as store:
        settings = {"REDIS_URL": f"unix://{store}", "KLOP_PAGE_URL": url, "KLOP_WORKERS": "0"}
        with Bot(tmp_path / "home" / "data", settings={**settings, "KLOP_PAGE_LISTEN": "off"}) as room:
            served = {**settings, "KLOP_PAGE_LISTEN": listen, "KLOP_ROLE": "page"}
            page = await BotProcess.start(tmp_path / "data", tmp_path / "page.log", served)
            try:
                await _played(room, url)
            finally:
                await page.end()
            room.say("ann: /move b2-b3")
            assert await asyncio.to_thread(room.until, "b2-b3")


async def _played(room: Bot, url: str) -> None:
    """Two moves of a match, the first on the page, the second in the room."""
    room.say("ann: /challenge @bob breakthrough side:first")
    room.say("bob: /accept")
    room.say("ann: /board link")
    line = (await asyncio.to_thread(room.until, "#link="))[-1]
    found = re.search(r"/m/([a-z0-9]{6})#link=(\S+)", line)
    assert found is not None
    code, token = found.groups()
    async with ClientSession() as client:
        await _opened(client, url)
        proof = {"kind": "link", "proof": token}
        async with client.post(f"{url}/w", json={"proof": proof}) as answer:
            bearer = (await answer.json())["bearer"]
        async with client.ws_connect(f"{url}/w") as connected:
            await connected.send_json({"code": code, "bearer": bearer})
            view = await _view(connected)
            asked = {"op": "the-first-move", "do": "play", "text": "a2/a3", "seen": view["r"]}
            await connected.send_json(asked)
            assert (await _view(connected))["turns"] == 1
            assert await asyncio.to_thread(room.until, "a2-a3")
            room.say("bob: /move a7-a6")
            while (await _view(connected))["turns"] != 2:
                continue


async def test_telegram_s_signature_is_enough_where_there_is_no_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proofs, "by_public_key", partial(by_public_key, key=bytes(KEY.verify_key)))
    async with page_house(role="page", REDIS_URL="redis://unused") as house:

        async def begun(**how: object) -> int:
            proof = init_data(at=house.desk.now, **how)  # type: ignore[arg-type]
            asked = {"proof": {"kind": "telegram", "proof": proof}}
            async with house.client.post(f"{house.url}/w", json=asked) as answer:
                return answer.status

        assert await begun() == 403, "no bot has said that it is there"
        await house.desk.store.notes.write(TELEGRAM, str(BOT))
        assert await begun() == 200
        assert await begun() == 403, "a proof is used once"
        assert await begun(bot=BOT + 1) == 403
        assert await begun(query_id="1", token="another") == 200, "the token is not needed"
        async with house.client.get(house.url) as answer:
            policy = answer.headers["Content-Security-Policy"]
        assert "frame-ancestors https://web.telegram.org" in policy
        assert "https://discord.com" in policy
