"""The page inside Telegram and Discord: hosts that are imitated by frames which speak their protocols."""

from __future__ import annotations

import json
from typing import Final
from urllib.parse import quote

import pytest
from playwright.async_api import Route, expect

from bot.chat.page_links import launched
from bot.platforms.discord.proofs import APPLICATION as DISCORD
from play.people import Account, Player
from tests.bot.page.sdks import HOSTS, sent
from tests.bot.page.test_identity import APPLICATION, KEY, TOKEN, init_data, proxy_headers
from tests.bot.page.test_oauth import SECRET, discord_api
from tests.support.browser import PHONE, browser
from tests.support.frames import HOST, proxied
from tests.support.pages import page_house

pytestmark = pytest.mark.slow

PLAYERS: Final = (Player(Account("telegram", "7"), "Ann"), Player(Account("discord", "7"), "Dan"))


async def test_a_mini_app_of_telegram() -> None:
    async with page_house(clock=None, TELEGRAM_TOKEN=TOKEN) as house, browser(house.url) as watched:
        match = await house.desk.begun(await house.desk.invited(*PLAYERS))
        data = quote(init_data(at=house.desk.now, start_param=match.id), safe="")
        theme = quote(json.dumps({"bg_color": "#17212b"}), safe="")
        origin = "https://page.test"
        src = f"{origin}/#tgWebAppData={data}&amp;tgWebAppVersion=8.0&amp;tgWebAppThemeParams={theme}"

        async def host(route: Route) -> None:
            await route.fulfill(body=HOST.format(src=src), content_type="text/html")

        context = await watched.context(**PHONE)
        await context.route("https://web.telegram.org/**", host)
        opened = await proxied(context, origin, house.url)
        page = await watched.page("https://web.telegram.org/k/", context)
        app = page.frame_locator("#app")
        await expect(app.locator("h1")).to_contain_text(match.id)
        await expect(app.locator(":root")).to_have_attribute("data-theme", "dark")
        heard = await page.evaluate("heard.map(([origin, said]) => [origin, JSON.parse(said)])")
        assert {sender for sender, _ in heard} == {origin}
        events = {said["eventType"]: said["eventData"] for _, said in heard}
        for name in ("iframe_ready", "web_app_ready", "web_app_expand", "web_app_setup_swipe_behavior"):
            assert events[name] == sent(name).get("eventData")
        (frame,) = [each for each in page.frames if each.url.startswith(origin)]
        assert "tgWebAppData" not in frame.url, "the proof does not stay in the address"
        await page.evaluate(
            "(said) => document.querySelector('#app').contentWindow.postMessage(JSON.stringify(said), '*')",
            HOSTS["telegram"]["theme_changed"],
        )
        await expect(app.locator(":root")).to_have_attribute("data-theme", "light")
        await app.locator('.board [aria-label^="d2,"]').tap()
        await app.locator('.board [aria-label^="d3,"]').tap()
        await expect(app.locator("body")).to_have_attribute("data-turns", "1")
        assert sent("web_app_trigger_haptic_feedback") in [
            json.loads(said) for _, said in await page.evaluate("heard")
        ]
        assert opened, "a WebSocket"
        assert not watched.complaints


ANSWERING: Final = """<script>const hosts = HOSTS;
addEventListener("message", ({ data, source, origin }) => {
  if (data[0] === 0) source.postMessage(hosts.ready, origin);
  if (data[1].cmd !== "AUTHORIZE") return;
  const [opcode, said] = hosts.ANSWER;
  source.postMessage([opcode, { ...said, nonce: data[1].nonce }], origin);
});</script>"""


@pytest.mark.parametrize("answer", ["authorize", "refused"])
async def test_an_activity_whose_requests_are_not_signed(answer: str) -> None:
    async with (
        discord_api() as (api, _),
        page_house(
            clock=None, DISCORD_TOKEN="discord-token", discord_api=api, discord_client_secret=SECRET
        ) as house,
        browser(house.url) as watched,
    ):
        desk = house.desk
        match = await desk.play(await desk.begun(await desk.invited(*PLAYERS)), "a2-a3")
        await desk.store.notes.write(DISCORD, f"{APPLICATION} {bytes(KEY.verify_key).hex()}")
        key = await house.key(match.id)
        origin = f"https://{APPLICATION}.discordsays.com"
        answering = ANSWERING.replace("HOSTS", json.dumps(HOSTS["discord"])).replace("ANSWER", answer)

        async def host(route: Route) -> None:
            where = f"instance_id=i-1&amp;frame_id=f-1&amp;platform=desktop&amp;custom_id={match.id}-{key}"
            body = HOST.format(src=f"{origin}/?{where}") + answering
            await route.fulfill(body=body, content_type="text/html")

        context = await watched.context()
        await context.route("https://discord.com/**", host)
        await proxied(context, origin, house.url)
        page = await watched.page("https://discord.com/channels/1/2", context)
        app = page.frame_locator("#app")
        await expect(app.locator("h1")).to_contain_text(match.id)
        # Those who do not agree watch: the link has a spectator's key.
        await expect(app.locator('.board [data-state="choice"]')).to_have_count(
            8 if answer == "authorize" else 0
        )
        shake, asked = await page.evaluate("heard.map(([, said]) => said)")
        assert shake[0] == 0
        assert {**asked[1], "nonce": "string"} == sent("authorize")[1]
        assert asked[0] == sent("authorize")[0]


async def test_an_activity_of_discord() -> None:
    async with page_house(clock=None, DISCORD_TOKEN="discord-token") as house, browser(house.url) as watched:
        desk = house.desk
        match = await desk.play(await desk.begun(await desk.invited(*PLAYERS)), "a2-a3")
        await desk.store.notes.write(DISCORD, f"{APPLICATION} {bytes(KEY.verify_key).hex()}")
        await launched(desk.store.notes, PLAYERS[1].account, match.id)
        origin = f"https://{APPLICATION}.discordsays.com"

        async def host(route: Route) -> None:
            src = f"{origin}/?instance_id=i-1&amp;frame_id=f-1&amp;platform=desktop"
            await route.fulfill(body=HOST.format(src=src), content_type="text/html")

        context = await watched.context()
        await context.route("https://discord.com/**", host)
        opened = await proxied(context, origin, house.url, lambda: proxy_headers(at=desk.now))
        page = await watched.page("https://discord.com/channels/1/2", context)
        app = page.frame_locator("#app")
        await expect(app.locator("h1")).to_contain_text(match.id)
        ((sender, said),) = await page.evaluate("heard")
        assert sender == origin
        opcode, shake = sent("handshake")
        assert said == [opcode, {name: value for name, value in shake.items() if name != "sdk_version"}]
        await expect(app.locator(":root")).to_have_attribute("data-theme", "dark")
        await app.locator('.board [aria-label^="d7,"]').click()
        await app.locator('.board [aria-label^="d6,"]').click()
        await expect(app.locator("body")).to_have_attribute("data-turns", "2")
        assert opened, "a WebSocket"
        assert len((await desk.table.get(match.id)).log) == 2
