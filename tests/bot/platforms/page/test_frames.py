"""The page in frames of Telegram and Discord: imitated hosts, and a whole match of each game."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest
from playwright.async_api import FrameLocator, Locator, Page, Route, expect

from bot.chat.page_links import launched
from bot.platforms.discord.proofs import APPLICATION as DISCORD
from play.people import Account, Player
from play.replay import begun
from render import rows
from rules import GAMES
from rules.core import AnyGame, Position
from tests.bot.platforms.page.sdks import HOSTS, sent
from tests.bot.platforms.page.test_identity import (
    APPLICATION,
    DISCORD_KEY,
    ENTRY,
    KEY,
    SECRET,
    TOKEN,
    discord_api,
    init_data,
    proxy_headers,
)
from tests.platforms.discord.process import evening
from tests.platforms.telegram.server import TOKEN as SERVER_TOKEN
from tests.platforms.telegram.server import BotApi, words
from tests.support.browser import (
    HOST,
    PATIENCE,
    PHONE,
    Watched,
    browser,
    narrowing,
    page_house,
    proxied,
    steps_to,
)
from tests.support.servers import free_port

# The page inside Telegram and Discord: hosts that are imitated by frames which speak their protocols.


pytestmark = pytest.mark.slow

PLAYERS: Final = (Player(Account("telegram", "7"), "Ann"), Player(Account("discord", "7"), "Dan"))


GREETING: Final = (
    *("iframe_ready", "web_app_ready", "web_app_expand", "web_app_setup_swipe_behavior"),
    *("web_app_request_safe_area", "web_app_request_content_safe_area"),
)

RIMS: Final = """() => {
  const [head, bar] = ["header", ".bar"].map((part) => document.querySelector(part).getBoundingClientRect());
  return [head.top, innerHeight - bar.bottom];
}"""
"""How far the page stays from the upper and the lower end of the screen."""


async def test_a_mini_app_of_telegram() -> None:
    async with page_house(clock=None, TELEGRAM_TOKEN=TOKEN) as house, browser(house.url) as watched:
        match = await house.desk.begun(await house.desk.invited(*PLAYERS))
        data = quote(init_data(at=house.desk.now, start_param=match.id), safe="")
        theme = quote(json.dumps({"bg_color": "#17212b"}), safe="")
        origin = "https://page.test"
        src = f"{origin}/#tgWebAppData={data}&amp;tgWebAppVersion=8.0&amp;tgWebAppThemeParams={theme}"
        page, app, opened = await _framed(
            watched, "https://web.telegram.org/k/", HOST.format(src=src), origin, house.url, **PHONE
        )
        await expect(app.locator(".code")).to_contain_text(match.id)
        await expect(app.locator(":root")).to_have_attribute("data-theme", "dark")
        heard = await page.evaluate("heard.map(([origin, said]) => [origin, JSON.parse(said)])")
        assert {sender for sender, _ in heard} == {origin}
        events = {said["eventType"]: said["eventData"] for _, said in heard}
        for name in GREETING:
            assert events[name] == sent(name).get("eventData")
        (frame,) = [each for each in page.frames if each.url.startswith(origin)]
        assert "tgWebAppData" not in frame.url, "the proof does not stay in the address"
        for said in HOSTS["telegram"].values():
            await page.evaluate(
                "(said) => document.querySelector('#app').contentWindow.postMessage(JSON.stringify(said), '*')",
                said,
            )
        await expect(app.locator(":root")).to_have_attribute("data-theme", "light")
        assert await frame.evaluate(RIMS) == [47 + 46, 34]
        await frame.evaluate("document.body.style.paddingBottom = '200px'; scrollTo(0, 150)")
        assert await frame.evaluate("document.elementFromPoint(30, 80).tagName") == "BODY", "not under a bar"
        await app.locator('.board [aria-label^="d2,"]').tap()
        await app.locator('.board [aria-label^="d3,"]').tap()
        await expect(app.locator("body")).to_have_attribute("data-turns", "1")
        assert sent("web_app_trigger_haptic_feedback") in [
            json.loads(said) for _, said in await page.evaluate("heard")
        ]
        assert opened, "a WebSocket"
        assert not watched.complaints


async def _framed(
    watched: Watched,
    address: str,
    body: str,
    origin: str,
    to: str,
    *,
    headers: Callable[[], dict[str, str]] = dict,
    heard: Callable[[bytes], None] = lambda _: None,
    **how: Any,
) -> tuple[Page, FrameLocator, list[str]]:
    """Open a host that shows the page of an origin in a frame.

    Return the host's page, the frame, and the addresses of its WebSockets as they are opened.
    """

    async def host(route: Route) -> None:
        await route.fulfill(body=body, content_type="text/html")

    context = await watched.context(**how)
    await context.route(f"{'/'.join(address.split('/')[:3])}/**", host)
    opened = await proxied(context, origin, to, headers, heard)
    page = await watched.page(address, context)
    return page, page.frame_locator("#app"), opened


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
        where = f"instance_id=i-1&amp;frame_id=f-1&amp;platform=desktop&amp;custom_id={match.id}-{key}"
        body = HOST.format(src=f"{origin}/?{where}") + answering
        page, app, _ = await _framed(watched, "https://discord.com/channels/1/2", body, origin, house.url)
        await expect(app.locator(".code")).to_contain_text(match.id)
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
        page, app, opened = await _framed(
            watched,
            "https://discord.com/channels/1/2",
            HOST.format(src=f"{origin}/?instance_id=i-1&amp;frame_id=f-1&amp;platform=desktop"),
            origin,
            house.url,
            headers=lambda: proxy_headers(at=desk.now),
        )
        await expect(app.locator(".code")).to_contain_text(match.id)
        ((sender, said),) = await page.evaluate("heard")
        assert sender == origin
        opcode, shake = sent("handshake")
        assert said == [opcode, {name: value for name, value in shake.items() if name != "sdk_version"}]
        await expect(app.locator(":root")).to_have_attribute("data-theme", "dark")
        (frame,) = [each for each in page.frames if each.url.startswith(origin)]
        rims = {
            "top": "48px",
            "bottom": "21px",
        }  # as the client for phones has them, from its first change of layout on
        await frame.evaluate(
            """(rims) => Object.entries(rims).forEach(([side, px]) =>
            document.documentElement.style.setProperty(`--discord-safe-area-inset-${side}`, px))""",
            rims,
        )
        assert await frame.evaluate(RIMS) == [48, 21]
        await app.locator('.board [aria-label^="d7,"]').click()
        await app.locator('.board [aria-label^="d6,"]').click()
        await expect(app.locator("body")).to_have_attribute("data-turns", "2")
        assert opened, "a WebSocket"
        assert len((await desk.table.get(match.id)).log) == 2


# A whole match of each game on the page: Ann in a frame of Discord, Bob in one of Telegram, Cid watching,
# and both chats.
#
# The bot is a process of its own, connected to a Discord and to a Telegram on this machine.


SEED: Final = 16
LONGEST: Final = 80  # plies of a match


async def _make(
    app: FrameLocator, game: AnyGame, position: Position[Any], wanted: str, press: Callable[[Locator], Any]
) -> None:
    """Make a ply by taps, or clicks."""
    names = [str(square) for row in rows(game.draw(position).grid, flipped=False) for square in row]
    for step in steps_to(game, position, wanted):
        if not step.squares or step.picks == "nothing":
            await press(app.get_by_role("button", name=step.label or step.path, exact=True))
        for at in step.squares:
            square = app.locator(f'.board [aria-label^="{names[at]},"]')
            if len(step.squares) == 1 or await square.get_attribute("data-state") != "picked":
                await press(square)


@pytest.mark.parametrize(("key", "options"), [("breakthrough", "4x5"), ("lgame", ""), ("klopodavka", "6x6")])
async def test_a_match_on_both_hosts_and_in_both_chats(key: str, options: str, tmp_path: Path) -> None:
    listen = f"127.0.0.1:{free_port()}"
    url, api, luck = f"http://{listen}", BotApi(), random.Random(SEED)
    settings = {"KLOP_PAGE_URL": url, "KLOP_PAGE_LISTEN": listen}
    async with evening(tmp_path / "data") as here, api.serving(), browser(url) as watched:
        here.discord.commands = [dict(ENTRY)]
        here.discord.verify_key = bytes(DISCORD_KEY.verify_key).hex()
        ann, bob = here.person("ann"), api.human("Bob", language="en")
        group = api.group(-100700, "Games", bob)
        settings |= {"TELEGRAM_TOKEN": SERVER_TOKEN, "KLOP_TELEGRAM_API": api.url}

        async def told(part: str) -> None:
            """Wait until both chats tell something."""
            await here.latest(part)
            await api.until(
                lambda: any(part in words(message) for message in api.shown(group)), PATIENCE / 1000
            )

        async def says(text: str) -> None:
            api.say(bob, group, text)
            await api.until(lambda: not api.waiting)

        async with here.bot(**settings):
            await says("/settings warnings:off")
            await ann.types("settings", warnings="off")
            await ann.types("challenge", game=key, **({"options": options} if options else {}))
            card = await here.latest("#")
            found = re.search(r"#([a-z0-9]{6})", card.words)
            assert found is not None
            code = found[1]
            await says(f"/join {code}")
            board = await here.latest("Turn: Ann")
            await ann.presses(board, "More…")
            opened = await ann.presses(await here.latest("Turn", ann), "Board in the browser")
            await here.discord.until(lambda: opened.settled, "an answer")

            signs, proofs = {"application_id": here.discord.bot.id, "user_id": ann.user.id}, count()
            origin, views = f"https://{here.discord.bot.id}.discordsays.com", list[bytes]()
            _, hers, by_her = await _framed(
                watched,
                "https://discord.com/",
                HOST.format(src=f"{origin}/?instance_id=i-1&amp;frame_id=f-1&amp;platform=desktop"),
                origin,
                url,
                headers=lambda: proxy_headers(DISCORD_KEY, datetime.now(UTC), flags=next(proofs), **signs),
                heard=lambda body: views.extend(re.findall(rb'"share":"(http[^"]+)"', body)),
            )
            user = json.dumps({"id": bob.id, "first_name": "Bob", "language_code": "en"})
            data = quote(init_data(SERVER_TOKEN, datetime.now(UTC), start_param=code, user=user), safe="")
            body = HOST.format(src=f"https://page.test/#tgWebAppData={data}&amp;tgWebAppVersion=8.0")
            _, his, by_him = await _framed(
                watched, "https://web.telegram.org/", body, "https://page.test", url, **PHONE
            )
            for app in (hers, his):
                await expect(app.locator(".code")).to_contain_text(code)
            cid = await watched.page(views[0].decode())
            await expect(cid.locator(".chairs li").first).to_be_visible()

            game = GAMES[key]
            chosen = {"board": options} if options else {}
            course = begun(game, game.choose(chosen))
            for plies in range(LONGEST):
                if course.result is not None:
                    break
                position = course.position
                best = narrowing(position, luck)
                app, press = ((hers, Locator.click), (his, Locator.tap))[position.to_move]
                await expect(app.locator(".prompt")).to_be_visible()
                await _make(app, game, position, game.notation.format(best), press)
                if position.turn_length > 1 or position.plies_left > 1:
                    await press(app.get_by_role("button", name="Play", exact=True))
                for page in (hers, his, cid):
                    await expect(page.locator("body")).to_have_attribute("data-turns", str(plies + 1))
                if plies == 0:
                    await told(game.notation.format(best))
                course = course.played(best, datetime.now(UTC))
            assert course.result is not None
            for page in (hers, his, cid):
                await expect(page.locator(".status")).to_contain_text(re.compile("won|lost|[Dd]raw"))
            assert by_her and by_him, "both play through a WebSocket"  # noqa: PT018
            await told("won" if course.result.winners else "A draw")
        assert not api.invalid, api.invalid
        strayed = {"https://discord.com/", "https://web.telegram.org/"}
        ours = (origin, "https://page.test/", "wss:")
        assert [each for each in watched.strayed if each not in strayed and not each.startswith(ours)] == []
