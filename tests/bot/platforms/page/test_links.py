"""How a chat leads to the page, how a friend comes to a seat, the page as a process of its own, and its pages on privacy and terms."""

from __future__ import annotations

import asyncio
import html
import json
import re
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import Request as Fetched
from urllib.request import urlopen

import pytest
from aiohttp import ClientSession, ClientWebSocketResponse

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES
from bot.chat.i18n import words as words_for
from bot.chat.pictures import Pictures
from bot.chat.presenting.cards import LEGAL, Operator
from bot.chat.visitor import Visitor
from bot.platforms.console.rendering import player_named
from bot.platforms.discord.proofs import APPLICATION as DISCORD
from bot.platforms.page import wire
from bot.platforms.page.open_page import OpenPage
from bot.platforms.page.sessions import SESSION, PageServices, Session, Sessions
from bot.platforms.platform import PlatformServices
from bot.platforms.telegram import proofs
from bot.platforms.telegram.proofs import BOT as TELEGRAM
from bot.platforms.telegram.proofs import by_public_key
from play.actions.leaving import Resign
from play.actions.seating import Join
from play.match import Match, Phase
from play.opening import Challenge
from play.people import Account, Player, private_place
from tests.bot.platforms.page.test_identity import APPLICATION, BOT, KEY, init_data, proxy_headers
from tests.bot.process import PATIENCE, Bot
from tests.platforms.telegram.harness import telegram_bot
from tests.platforms.telegram.server import Human
from tests.platforms.telegram.server import words as telegram_words
from tests.reliability.processes import BotProcess
from tests.support.browser import PageClient, PageHouse, page_house
from tests.support.desk import ANN, BOB, CEM, HALL, ROOM, Desk
from tests.support.servers import free_port, redis_server
from tests.support.services import services

# How a chat leads to the page: a link for one person, and nothing of it without a page.


def _services(desk: Desk, **settings: Any) -> PlatformServices:
    return services(desk.table, desk.store, lambda: desk.now, pictures=Pictures(), **settings)


def _visitor() -> Visitor:
    return Visitor(ANN, ROOM, find={"bob": BOB}.get, buttons=True)


async def test_a_link_is_secret_and_in_the_menu_of_a_match() -> None:
    desk = Desk()
    match = await desk.duel()
    served = _services(desk, page_url="https://page.test")
    (menu,) = await served.desk.press(_visitor(), CallbackData(Verb.MORE, match.id, match.revision))
    button = next(each for each in menu.view.buttons if each.data.verb is Verb.PAGE)
    (pressed,) = await served.desk.press(_visitor(), button.data)
    (typed,) = await served.desk.answer(_visitor(), "/board link")
    for message in (pressed, typed):
        assert message.secret
        assert re.search(rf"https://page\.test/m/{match.id}#link=\S{{22}}$", message.view.lines[0])


async def test_a_finished_match_is_passed_on_as_a_file_and_a_link_for_everyone() -> None:
    async with page_house() as house:
        match = await house.desk.duel()
        (said,) = await house.server._services.desk.answer(_visitor(), f"/share #{match.id}")
        assert not said.view.urls
        await house.desk.act(match, BOB, Resign())
        (said,) = await house.server._services.desk.answer(_visitor(), f"/share #{match.id}")
        ((name, text),) = said.view.files
        assert (name, f'[Match "{match.id}"]' in text) == (f"breakthrough-{match.id}.txt", True)
        assert said.view.lines[-1] == f"For everyone to see: {said.view.urls[0]}"
        shown = await (await house.get(said.view.urls[0])).text()
        assert f'property="og:image" content="{house.url}/i/{match.id}/' in shown


async def test_without_a_match_a_link_opens_the_list_of_matches() -> None:
    async with page_house() as house:
        (said,) = await house.server._services.desk.answer(_visitor(), "/board link")
        assert said.secret
        found = re.fullmatch(rf"Your matches: {house.url}/#link=(\S{{22}})", said.view.lines[0])
        assert found is not None
        begun = await house.begun(proof={"kind": "link", "proof": found[1]})
        assert begun["code"] == ""
        assert any("lobby" in frame for frame in begun["frames"])


async def test_without_a_page_nothing_of_it_is_offered() -> None:
    desk = Desk()
    match = await desk.duel()
    served = _services(desk)
    (menu,) = await served.desk.press(_visitor(), CallbackData(Verb.MORE, match.id, match.revision))
    assert not any(each.data.verb is Verb.PAGE for each in menu.view.buttons)
    (typed,) = await served.desk.answer(_visitor(), "/board link")
    assert typed.refused
    (pressed,) = await served.desk.press(_visitor(), CallbackData(Verb.PAGE, match.id, match.revision))
    assert pressed.refused


async def test_admins_turn_the_page_off_for_the_matches_of_their_chat() -> None:
    desk = Desk()
    match = await desk.duel()
    served = _services(desk, page_url="https://page.test")
    admin = Visitor(ANN, ROOM, find={"bob": BOB}.get, buttons=True, admin=True)
    (card,) = await served.desk.answer(admin, "/config")
    (button,) = [each for each in card.view.buttons if each.data.argument == "page:off"]
    (card,) = await served.desk.press(admin, button.data)
    assert any(each.data.argument == "page:on" for each in card.view.buttons)
    (menu,) = await served.desk.press(_visitor(), CallbackData(Verb.MORE, match.id, match.revision))
    assert not any(each.data.verb is Verb.PAGE for each in menu.view.buttons)
    elsewhere = Visitor(ANN, HALL, find={"bob": BOB}.get, buttons=True)
    for said in (
        await served.desk.answer(_visitor(), "/board link"),
        await served.desk.press(_visitor(), CallbackData(Verb.PAGE, match.id, match.revision)),
        await served.desk.answer(elsewhere, f"/board #{match.id} link"),
    ):
        (refusal,) = said
        assert refusal.refused
        assert "admins" in refusal.view.lines[0]
    there = (await desk.open(ANN, Challenge(HALL, "breakthrough", {}, opponents=[BOB]))).match
    (other,) = await served.desk.answer(elsewhere, f"/board #{there.id} link")
    assert other.secret, "the place where a match was made decides"


async def test_without_a_page_the_settings_have_none() -> None:
    desk = Desk()
    served = _services(desk)
    admin = Visitor(ANN, ROOM, find={"bob": BOB}.get, buttons=True, admin=True)
    (card,) = await served.desk.answer(admin, "/config")
    assert "browser" not in str(card.view)
    for line in ("/config page:off", "/config page"):
        (refusal,) = await served.desk.answer(admin, line)
        assert refusal.refused
    assert (await desk.store.settings.get(ROOM)).page


@pytest.mark.slow
def test_the_local_room_opens_in_a_browser(tmp_path: Path) -> None:
    with Bot(tmp_path / "home" / "data", "--page") as bot:
        line = bot.until("#link=")[-1]
        found = re.search(r"(http://127\.0\.0\.1:\d+)/#link=(\S+)", line)
        assert found is not None
        url, token = found.groups()
        proof = json.dumps({"proof": {"kind": "link", "proof": token}}).encode()
        with urlopen(Fetched(f"{url}/w", proof)) as answer:
            assert json.loads(answer.read())["bearer"]
        with urlopen(url) as answer:
            assert b"/page.js" in answer.read()
        bot.say("/quit")
        assert bot.process.wait(60) == 0


# A friend's link: it leads to where the reader is, and there to a seat.


DISCORD_ANN = Player(Account("discord", "5"), "Ann")
TELEGRAM_ANN = Player(Account("telegram", "5"), "Ann")


async def _known(house: PageHouse) -> None:
    """Have a bot on each platform say that it is there."""
    await house.desk.store.notes.write(proofs.NAME, "klop_bot")
    await house.desk.store.notes.write(DISCORD, f"{APPLICATION} {bytes(KEY.verify_key).hex()}")


async def _waits(house: PageHouse, host: Player = ANN) -> Match:
    return (await house.desk.open(host, Challenge(private_place(host.account), "breakthrough"))).match


async def _links(house: PageHouse, code: str) -> dict[str, str]:
    carried = f"{code}-{await house.key(code)}"
    return {
        "discord": f"https://discord.com/activities/{APPLICATION}?custom_id={carried}",
        "telegram": f"https://t.me/klop_bot?start=join-{code}",
        "console": f"{house.url}/m/{code}?k={await house.key(code)}&guest",
    }


@pytest.mark.parametrize("host", [ANN, DISCORD_ANN, TELEGRAM_ANN])
async def test_the_link_for_a_friend_is_of_the_platform_of_its_reader(house: PageHouse, host: Player) -> None:
    match = await _waits(house, host)
    if host is not ANN:
        page = await house.opened(match.id, host)
        assert page.view["invite"] == page.view["share"], "no bot has said that it is there"
    await _known(house)
    link = (await _links(house, match.id))[host.account.platform]
    page = await house.opened(match.id, host)
    assert page.view["invite"] == link
    assert "joins" not in page.view
    async with house.page("", host) as lobby:
        setup = {"game": "lgame", "opponent": "friend"}
        begun = await lobby.ask("new", setup=setup)
    assert begun["link"] == (await _links(house, begun["go"]))[host.account.platform]
    await house.desk.act(match, BOB, Join())
    await page.answer("view")
    assert "invite" not in page.view


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_stranger_is_told_how_to_come_to_a_free_seat(house: PageHouse, language: str) -> None:
    said = words_for(language, strict=True)
    match = await _waits(house)
    house.server._room = None

    async def stranger() -> PageClient:
        begun = await house.begun(code=match.id, key=await house.key(match.id), locale=language)
        socket = await house.open.enter_async_context(
            house.client.ws_connect(f"{house.url}/w?line={begun['line']}")
        )
        page = PageClient(socket, begun["frames"])
        await page.answer("view")
        return page

    page = await stranger()
    assert said("bot.page.join-from-chat") in page.view["lines"]
    await _known(house)
    page, links = await stranger(), await _links(house, match.id)
    assert said("bot.page.join-here") in page.view["lines"]
    assert page.view["joins"] == [
        {"label": said("bot.page.join-in", name=name), "url": links[name.casefold()]}
        for name in ("Discord", "Telegram")
    ]
    await house.desk.act(match, BOB, Join())
    await page.answer("view")
    assert "joins" not in page.view
    assert said("bot.page.join-here") not in page.view["lines"]


async def test_a_friend_in_an_activity_takes_the_seat(house: PageHouse) -> None:
    await _known(house)
    match = await _waits(house, DISCORD_ANN)
    link = (await house.opened(match.id, DISCORD_ANN)).view["invite"]
    code, _, key = link.partition("custom_id=")[2].partition("-")
    headers = proxy_headers(at=house.desk.now)
    begun = await house.begun(proof={"kind": "discord"}, code=code, key=key, headers=headers)
    await _sits_down(house, match, begun, Account("discord", "7"))


async def test_a_friend_in_the_room_takes_the_seat_as_a_guest(house: PageHouse) -> None:
    match = await _waits(house)
    link = (await house.opened(match.id, ANN)).view["invite"]
    assert (await house.get(link)).status == 200
    proof = {"kind": "guest", "proof": f"{match.id}-{await house.key(match.id)}"}
    for wrong in (f"{match.id}-x", f"k7q2ab-{await house.key(match.id)}", ""):
        assert await house.asked(proof={"kind": "guest", "proof": wrong}) == (403, None)
    begun = await house.begun(proof=proof)
    guest = (await house.server.shared()).sessions.read(begun["bearer"], house.desk.now).player
    assert guest == player_named(guest.name), "the room can name them"
    await _sits_down(house, match, begun, guest.account)
    assert await house.asked(proof=proof) == (403, None), "there is no seat any more"
    kept = await house.desk.invited(ANN, BOB)
    assert await house.asked(proof={**proof, "proof": f"{kept.id}-{await house.key(kept.id)}"}) == (403, None)
    page = await house.opened(kept.id, ANN)
    assert page.view["invite"] == page.view["share"], "no guest can take it"
    other = await _waits(house)
    house.server._room = house.server._shared = None
    assert await house.asked(proof={**proof, "proof": f"{other.id}-{await house.key(other.id)}"}) == (
        403,
        None,
    )


async def _sits_down(house: PageHouse, match: Match, begun: dict[str, Any], who: Account) -> None:
    """Press `Join` on a page that has begun."""
    async with house.client.ws_connect(f"{house.url}/w?line={begun['line']}") as socket:
        page = PageClient(socket, begun["frames"])
        await page.answer("view")
        assert "joins" not in page.view
        (join,) = page.view["buttons"]
        await page.ask("press", join["data"])
        assert page.view["board"]
    begun_match = await house.desk.table.get(match.id)
    assert begun_match.phase is Phase.PLAYING
    assert who in begun_match.people()


@pytest.mark.parametrize("late", [True, False])
async def test_who_comes_too_late_is_told_so(house: PageHouse, *, late: bool) -> None:
    match = await _waits(house)
    code = match.id
    bearer = await house.bearer(BOB)
    begun = await house.begun(code=code, key=await house.key(code), bearer=bearer)
    async with house.client.ws_connect(f"{house.url}/w?line={begun['line']}") as socket:
        bob = PageClient(socket, begun["frames"])
        await bob.answer("view")
        (join,) = bob.view["buttons"]
        if late:
            await house.desk.wait(timedelta(days=30))
        else:
            await house.desk.act(match, CEM, Join())
        (said,) = (await bob.ask("press", join["data"]))["cards"]
        assert said["refused"]
        assert said["lines"] == ["This invitation has run out." if late else "This match has already begun."]


async def test_a_friend_on_telegram_takes_the_seat_by_a_link_from_the_page() -> None:
    async with telegram_bot(page_url="https://page.test") as f:
        await f.api.until(lambda: any(call.method == "setChatMenuButton" for call in f.api.calls))
        ann, bob, cem = (f.api.human(name) for name in ("Ann", "Bob", "Cem"))
        player = Player(Account("telegram", str(ann.id)), "Ann")
        sessions = await Sessions.of(f.store.notes)
        frames = list[bytes]()
        page = OpenPage(PageServices(f.services, sessions, "https://page.test"), frames.append)
        bearer = sessions.bearer(Session(player, "telegram", f.now + SESSION))
        await page.connect(wire.PageConnect(bearer=bearer))

        async def link() -> str:
            setup = wire.PageSetup("breakthrough", opponent="friend")
            asked = wire.PageRequest(f"new-game-{len(f.store.matches.stored)}", "new", setup=setup)
            return (await page.handle(asked)).link

        async def follows(who: Human, link: str) -> str:
            bot, _, carried = link.partition("?start=")
            assert bot == f"https://t.me/{f.telegram._bot.username}"
            await f.say(who, None, f"/start {carried}")
            return "\n".join(map(telegram_words, f.api.shown(who)))

        first, second = await link(), await link()
        assert "your own challenge" in await follows(ann, first)
        assert "Ann" in await follows(bob, first)
        match = await f.table.get(first[-6:])
        assert match.phase is Phase.PLAYING
        assert [each.uid for each in match.people()] == [str(ann.id), str(bob.id)]
        assert "already begun" in await follows(cem, first)
        f.now += timedelta(days=30)
        assert "run out" in await follows(cem, second)


# The page in a process of its own: it has the store of the bot, and no token.


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
            begun = await answer.json()
        assert begun["code"] == code
        (view,) = [frame["view"] for frame in begun["frames"] if "view" in frame]
        async with client.ws_connect(f"{url}/w?line={begun['line']}") as connected:
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


# `/privacy` and `/terms` of the page, and the operator whom they and the chat's `/privacy` name.


NAME, MAIL = "Ann & <b>Bob</b>", "ann@example.org"


@pytest.mark.parametrize("name", LEGAL)
async def test_the_page_serves_the_text_in_three_languages(name: str) -> None:
    async with page_house(operator=NAME, contact=MAIL) as house:
        for language in LANGUAGES:
            headers = {"Accept-Language": f"{language},de;q=0.5"}
            async with house.client.get(f"{house.url}/{name}", headers=headers) as answer:
                assert (answer.status, answer.content_type) == (200, "text/html")
                assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
                said = await answer.text()
            async with house.client.get(f"{house.url}/{name}?lang={language}") as answer:
                assert await answer.text() == said
            assert f'<html lang="{language}">' in said
            assert "<b>" not in said
            assert f'<a href="mailto:{MAIL}">{MAIL}</a>' in said
            plain = [html.unescape(re.sub("<[^>]+>", "", each)) for each in re.findall("<p>(.*?)</p>", said)]
            told = LEGAL[name](words_for(language), Operator(NAME, MAIL))
            assert plain[:-1] == list(told.paragraphs)
            for other in {*LANGUAGES} - {language}:
                assert f'href="?lang={other}"' in said


@pytest.mark.parametrize(
    ("contact", "link"),
    [
        ("https://example.org/?a=1&b", "https://example.org/?a=1&amp;b"),
        ("ask ann@x or bob", None),
        (None, None),
    ],
)
async def test_a_contact_that_is_an_address_can_be_followed(contact: str | None, link: str | None) -> None:
    async with page_house(contact=contact) as house, house.client.get(f"{house.url}/terms") as answer:
        said = await answer.text()
        assert re.findall('<a href="([^?"][^"]*)"', said) == ([link] if link else [])
        assert ("the admins of the chat" in said) == (contact is None)


async def test_the_chat_names_the_operator_and_the_whole_text() -> None:
    async with page_house(operator=NAME, contact=MAIL) as house:
        [said] = await house.server._services.desk.answer(Visitor(ANN, ROOM, player_named), "/privacy")
        assert f"This bot is run by {NAME}." in said.view.lines
        assert f"Contact: {MAIL}" in said.view.lines
        assert said.view.urls == (f"{house.url}/privacy?lang=en",)
        assert said.view.urls[0] in said.view.lines[-1]
