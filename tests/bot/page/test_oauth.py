"""An Activity whose requests Discord's proxy does not sign: Discord tells for an authorization code who reads."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from aiohttp import web

from bot.chat.page_links import launched
from bot.platforms.discord.proofs import APPLICATION as DISCORD
from play.people import Account
from tests.bot.page.sdks import HOSTS
from tests.bot.page.test_identity import APPLICATION, KEY, proxy_headers
from tests.support.pages import PageHouse, page_house
from tests.support.servers import free_port

SECRET: Final = "client-secret"
CODE: Final = str(HOSTS["discord"]["authorize"][1]["data"]["code"])


@asynccontextmanager
async def discord_api() -> AsyncIterator[tuple[str, list[Any]]]:
    """Discord's OAuth, which knows one code; its URL, and what it was asked."""
    asked: list[Any] = []

    async def token(request: web.Request) -> web.Response:
        form = dict(await request.post())
        asked.append(form)
        if form.get("code") != CODE or form.get("client_secret") != SECRET or len(asked) > 1:
            return web.json_response({"error": "invalid_grant"}, status=400)
        return web.json_response(
            {"access_token": "an-access-token", "token_type": "Bearer", "scope": "identify"}
        )

    async def me(request: web.Request) -> web.Response:
        asked.append(request.headers["Authorization"])
        return web.json_response({"id": "7", "username": "ann", "global_name": "Ann A.", "locale": "uk"})

    app = web.Application()
    app.router.add_post("/oauth2/token", token)
    app.router.add_get("/users/@me", me)
    runner = web.AppRunner(app)
    await runner.setup()
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield f"http://127.0.0.1:{port}", asked
    finally:
        await runner.cleanup()


async def _begun(house: PageHouse, code: str = "", **headers: str) -> tuple[int, Any]:
    asked = {"proof": {"kind": "discord", "proof": code}}
    async with house.client.post(f"{house.url}/w", json=asked, headers=headers) as answer:
        return answer.status, await answer.json() if answer.status == 200 else None


async def test_without_signed_headers_discord_is_asked_who_reads() -> None:
    async with (
        discord_api() as (api, asked),
        page_house(discord_api=api, discord_client_secret=SECRET) as house,
    ):
        notes = house.desk.store.notes
        assert await _begun(house, CODE) == (403, None), "no application is known"
        await notes.write(DISCORD, f"{APPLICATION} {bytes(KEY.verify_key).hex()}")
        assert await _begun(house) == (401, None), "a code is needed"
        assert asked == []
        match = await house.desk.duel()
        await launched(notes, Account("discord", "7"), match.id)
        status, begun = await _begun(house, CODE)
        assert status == 200
        assert begun["frames"][0]["hello"]["name"] == "Ann A."
        assert begun["frames"][0]["hello"]["language"] == "uk"
        assert begun["code"] == match.id
        form = {
            "client_id": APPLICATION,
            "client_secret": SECRET,
            "grant_type": "authorization_code",
            "code": CODE,
        }
        assert asked == [form, "Bearer an-access-token"]
        assert (await _begun(house, CODE))[0] == 403, "a code is used once"
        assert (await _begun(house, "another"))[0] == 403


async def test_signed_headers_are_never_passed_over() -> None:
    async with (
        discord_api() as (api, asked),
        page_house(discord_api=api, discord_client_secret=SECRET) as house,
    ):
        await house.desk.store.notes.write(DISCORD, f"{APPLICATION} {bytes(KEY.verify_key).hex()}")
        good = proxy_headers(at=house.desk.now)
        forged = {**good, "X-Signature-Timestamp": "1"}
        assert (await _begun(house, CODE, **forged))[0] == 403
        assert (await _begun(house, **good))[0] == 200
        assert asked == []


async def test_without_a_secret_discord_is_not_asked() -> None:
    async with discord_api() as (api, asked), page_house(discord_api=api) as house:
        await house.desk.store.notes.write(DISCORD, f"{APPLICATION} {bytes(KEY.verify_key).hex()}")
        for code in ("", CODE):
            assert (await _begun(house, code))[0] == 403
        assert asked == []


async def test_discord_does_not_answer() -> None:
    api = f"http://127.0.0.1:{free_port()}"
    async with page_house(discord_api=api, discord_client_secret=SECRET) as house:
        await house.desk.store.notes.write(DISCORD, f"{APPLICATION} {bytes(KEY.verify_key).hex()}")
        assert (await _begun(house, CODE))[0] == 503
