"""Who reads a page: what platforms sign, authorization codes, bearers and links."""

from __future__ import annotations

import hmac
import json
import random
import re
from base64 import b64decode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode

import pytest
from aiohttp import ClientSession, web
from nacl.signing import SigningKey

from bot.chat.page_links import LINK_KEPT, launched, make_link
from bot.platforms.discord.proofs import APPLICATION as DISCORD
from bot.platforms.discord.proofs import HEADERS as DISCORD_HEADERS
from bot.platforms.discord.proofs import by_proxy
from bot.platforms.integration import FRESH, Identity, NotProved, used_once
from bot.platforms.page.sessions import SESSION, Session, Sessions
from bot.platforms.telegram.proofs import by_public_key, by_token
from play.people import Account
from tests.bot.platforms.page.sdks import HOSTS, RECORDED
from tests.platforms.discord.process import evening
from tests.support.browser import PageHouse, page_house
from tests.support.desk import ANN, NOON, Desk
from tests.support.servers import free_port

# Who a platform vouches for: what it signed for this bot, lately, and once.


TOKEN = "5768337691:AAH5YkoiEuPk8-FZa32hStHTqXiLPtAEhx8"
SAMPLE = (
    "query_id=AAHdF6IQAAAAAN0XohDhrOrc&user=%7B%22id%22%3A279058397%2C%22first_name%22%3A%22Vladislav%22%2C"
    "%22last_name%22%3A%22Kibenko%22%2C%22username%22%3A%22vdkfrost%22%2C%22language_code%22%3A%22ru%22%2C"
    "%22is_premium%22%3Atrue%7D&auth_date=1662771648"
    "&hash=c501b71e775f74ce10e377dea85a7ea24ecd640b223ea86dfe453e0eaed2e2b2"
)
"""Published at https://docs.telegram-mini-apps.com/packages/tma-js-init-data/validating with the token above."""

KEY = SigningKey(b"t" * 32)
APPLICATION = "1095000000000000001"
BOT = 5768337691
TRIES = 1000
SEED = 16


def init_data(
    token: str = TOKEN, at: datetime = NOON, key: SigningKey = KEY, bot: int = BOT, **more: str
) -> str:
    user = json.dumps({"id": 7, "first_name": "Ann", "language_code": "uk"})
    fields = {"user": user, "auth_date": str(int(at.timestamp())), "chat_type": "group", **more}
    lines = "\n".join(f"{name}={fields[name]}" for name in sorted(fields)).encode()
    signed = key.sign(f"{bot}:WebAppData\n".encode() + lines).signature
    fields["signature"] = urlsafe_b64encode(signed).rstrip(b"=").decode()
    lines = "\n".join(f"{name}={fields[name]}" for name in sorted(fields)).encode()
    secret = hmac.digest(b"WebAppData", token.encode(), sha256)
    return urlencode({**fields, "hash": hmac.digest(secret, lines, sha256).hex()}, quote_via=quote)


def proxy_headers(key: SigningKey = KEY, at: datetime = NOON, **more: Any) -> dict[str, str]:
    created = int(at.timestamp())
    payload = {
        "application_id": APPLICATION, "user_id": "7", "is_developer": False, "created_at": created,
        "expires_at": created + 300, **more,
    }  # fmt: skip
    payload |= {name: str(payload[name]) for name in ("application_id", "user_id")}
    said = json.dumps(payload).encode()
    values = b64encode(key.sign(said).signature), str(payload["created_at"]).encode(), b64encode(said)
    return dict(zip(DISCORD_HEADERS, (value.decode() for value in values), strict=True))


def _proxied(headers: Mapping[str, str], at: datetime = NOON) -> Account:
    return by_proxy(headers, APPLICATION, bytes(KEY.verify_key), at).player.account


def test_the_published_sample_is_accepted() -> None:
    signed_at = datetime.fromtimestamp(1662771648, NOON.tzinfo)
    found = by_token(SAMPLE, TOKEN, signed_at)
    assert (found.player.account, found.player.name) == (
        Account("telegram", "279058397"),
        "Vladislav Kibenko",
    )
    assert found.locale == "ru"


def test_what_telegram_signed_is_accepted_with_the_token_and_without() -> None:
    data = init_data(start_param="k7q2ab")
    for found in (by_token(data, TOKEN, NOON), by_public_key(data, BOT, NOON, bytes(KEY.verify_key))):
        assert found.player.account == Account("telegram", "7")
        assert (found.player.name, found.locale, found.start) == ("Ann", "uk", "k7q2ab")


def test_what_discord_signed_is_accepted_in_either_spelling() -> None:
    headers = proxy_headers()
    assert _proxied(headers) == Account("discord", "7")
    said = json.dumps(json.loads(b64decode(headers[DISCORD_HEADERS[2]]))).encode()
    assert _proxied({**headers, DISCORD_HEADERS[0]: KEY.sign(said).signature.hex()}) == Account(
        "discord", "7"
    )


def test_no_change_of_init_data_is_accepted_that_says_anything_else() -> None:
    luck, data = random.Random(SEED), init_data()
    checks: list[Callable[[str], Identity]] = [
        lambda text: by_token(text, TOKEN, NOON),
        lambda text: by_public_key(text, BOT, NOON, bytes(KEY.verify_key)),
    ]
    refused = 0
    for _ in range(TRIES):
        at = luck.randrange(len(data))
        letter = luck.choice("abcdefghijklmnopqrstuvwxyz0123456789%&=")
        changed = data[:at] + letter + data[at + luck.randrange(2) :]
        for check in checks:
            try:
                assert check(changed) == check(data)
            except NotProved:
                refused += 1
    assert refused > TRIES


def test_no_changed_headers_are_accepted() -> None:
    luck, headers = random.Random(SEED), proxy_headers()
    for _ in range(TRIES):
        name = luck.choice(DISCORD_HEADERS)
        value = headers[name]
        at = luck.randrange(len(value.rstrip("=")) - 1)
        letter = luck.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        changed = value[:at] + letter + value[at + 1 :]
        if changed == value:
            continue
        with pytest.raises(NotProved):
            _proxied({**headers, name: changed})


def test_nothing_stale_or_from_the_future_is_accepted() -> None:
    luck = random.Random(SEED)
    for _ in range(TRIES):
        old = NOON - FRESH - timedelta(seconds=luck.randrange(10**7))
        for at in (old, NOON + timedelta(seconds=61 + luck.randrange(10**6))):
            with pytest.raises(NotProved):
                by_token(init_data(at=at), TOKEN, NOON)
            with pytest.raises(NotProved):
                _proxied(proxy_headers(at=at, expires_at=int(NOON.timestamp()) + 300))
        over = NOON - timedelta(seconds=300 + luck.randrange(3000))
        with pytest.raises(NotProved):
            _proxied(proxy_headers(at=over))


def test_nothing_for_another_bot_or_by_another_key_is_accepted() -> None:
    luck = random.Random(SEED)
    for _ in range(TRIES):
        other, bot = SigningKey(luck.randbytes(32)), luck.randrange(1, 10**10)
        with pytest.raises(NotProved):
            by_token(init_data(token=f"{bot}:{luck.randbytes(16).hex()}"), TOKEN, NOON)
        with pytest.raises(NotProved):
            by_public_key(init_data(key=other), BOT, NOON, bytes(KEY.verify_key))
        with pytest.raises(NotProved):
            by_public_key(init_data(bot=bot), BOT, NOON, bytes(KEY.verify_key))
        with pytest.raises(NotProved):
            _proxied(proxy_headers(key=other))
        with pytest.raises(NotProved):
            _proxied(proxy_headers(application_id=str(bot)))


async def test_no_proof_is_accepted_twice() -> None:
    notes = Desk().store.notes
    proofs = [by_token(init_data(query_id=str(number)), TOKEN, NOON) for number in range(TRIES)]
    for proof in proofs:
        await used_once(notes, proof)
    for proof in proofs:
        with pytest.raises(NotProved):
            await used_once(notes, proof)


@pytest.mark.parametrize(
    "data",
    ["", "hash=", "user=1", "a=1&a=2", "%", "user={}&auth_date=x&hash=00", "&" * 5000, "user=%ff&hash=é"],
)
def test_what_is_noinit_data(data: str) -> None:
    with pytest.raises(NotProved):
        by_token(data, TOKEN, NOON)
    with pytest.raises(NotProved):
        by_public_key(data, BOT, NOON)


@pytest.mark.parametrize("user_id", ["", "x", "٣", "-1"])
def test_what_is_no_user_of_discord(user_id: str) -> None:
    with pytest.raises(NotProved):
        _proxied(proxy_headers(user_id=user_id))


# An Activity whose requests Discord's proxy does not sign: Discord tells for an authorization code who
# reads.


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
    return await house.asked(headers, proof={"kind": "discord", "proof": code})


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


# Bearers, spectators' keys and one-time links: what proves who reads a page, and what does not.


SESSIONS = Sessions(b"k" * 32)


def _session(code: str = "") -> Session:
    return Session(ANN, "link", NOON + SESSION, code, "uk")


def test_a_bearer_proves_the_session_that_it_was_made_of() -> None:
    assert SESSIONS.read(SESSIONS.bearer(_session("k7q2ab")), NOON) == _session("k7q2ab")


def test_a_bearer_ends_with_its_session() -> None:
    bearer = SESSIONS.bearer(_session())
    assert SESSIONS.read(bearer, NOON + SESSION - timedelta(seconds=1)).player == ANN
    with pytest.raises(NotProved):
        SESSIONS.read(bearer, NOON + SESSION)
    with pytest.raises(NotProved):  # the clock was set back since
        SESSIONS.read(bearer, NOON - timedelta(days=1))


def test_no_changed_bearer_is_accepted() -> None:
    luck, bearer = random.Random(SEED), SESSIONS.bearer(_session())
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ é"
    for _ in range(TRIES):
        at, kind = luck.randrange(len(bearer)), luck.randrange(3)
        letter = luck.choice(alphabet)
        changed = bearer[:at] + (letter if kind else "") + bearer[at + (kind < 2) :]
        if changed == bearer:
            continue
        with pytest.raises(NotProved):
            SESSIONS.read(changed, NOON)


def test_no_claims_of_others_fit_a_signature() -> None:
    claims, _, signature = SESSIONS.bearer(_session()).partition(".")
    said = urlsafe_b64decode(claims + "=" * (-len(claims) % 4))
    forged = urlsafe_b64encode(said.replace(b"ann", b"bob")).rstrip(b"=").decode()
    with pytest.raises(NotProved):
        SESSIONS.read(f"{forged}.{signature}", NOON)
    with pytest.raises(NotProved):
        SESSIONS.read(f"{claims}.{SESSIONS.watch_key('k7q2ab')}", NOON)


async def test_all_processes_of_a_store_accept_the_same_bearers() -> None:
    notes = Desk().store.notes
    one, other = await Sessions.of(notes), await Sessions.of(notes)
    assert other.read(one.bearer(_session()), NOON) == _session()
    with pytest.raises(NotProved):
        (await Sessions.of(Desk().store.notes)).read(one.bearer(_session()), NOON)


async def test_a_link_opens_once_and_not_for_long() -> None:
    desk = Desk()
    sessions = await Sessions.of(desk.store.notes)

    async def token() -> str:
        link = await make_link(desk.store.notes, "https://page.test/", ANN, "k7q2ab", "uk")
        assert link.startswith("https://page.test/m/k7q2ab#link=")
        return link.partition("#link=")[2]

    used = await token()
    assert (await sessions.by_link(desk.store.notes, used, NOON)) == _session("k7q2ab")
    with pytest.raises(NotProved):
        await sessions.by_link(desk.store.notes, used, NOON)
    late = await token()
    desk.now += LINK_KEPT
    with pytest.raises(NotProved):
        await sessions.by_link(desk.store.notes, late, desk.now)


def test_a_key_watches_its_own_match_only() -> None:
    key = SESSIONS.watch_key("k7q2ab")
    assert len(urlsafe_b64decode(key + "==")) * 8 == 128
    assert SESSIONS.may_watch("k7q2ab", key)
    assert not SESSIONS.may_watch("k7q2ac", key)
    assert not SESSIONS.may_watch("k7q2ab", Sessions(b"other").watch_key("k7q2ab"))
    luck = random.Random(SEED)
    for _ in range(TRIES):
        wrong = luck.randbytes(16)
        assert not SESSIONS.may_watch("k7q2ab", urlsafe_b64encode(wrong).rstrip(b"=").decode())


# The page as a Discord Activity: opened by a button of the bot, by those whom Discord's proxy vouches for.


ENTRY = {"id": "900", "type": 4, "name": "launch", "description": "", "handler": 2, "contexts": [0, 1, 2]}
DISCORD_KEY = SigningKey(b"d" * 32)


@pytest.mark.slow
async def test_a_button_opens_the_match_as_an_activity(tmp_path: Path) -> None:
    listen = f"127.0.0.1:{free_port()}"
    settings = {"KLOP_PAGE_URL": f"http://{listen}", "KLOP_PAGE_LISTEN": listen}
    async with evening(tmp_path / "data") as here, ClientSession() as client:
        here.discord.commands = [dict(ENTRY)]
        here.discord.verify_key = bytes(DISCORD_KEY.verify_key).hex()
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

            signed = datetime.now(UTC)

            async def begin(**how: int) -> tuple[int, dict[str, Any]]:
                given = {"application_id": here.discord.bot.id, "user_id": ann.user.id, **how}
                headers = proxy_headers(DISCORD_KEY, signed, **given)
                async with client.post(
                    f"http://{listen}/w", json={"proof": {"kind": "discord"}}, headers=headers
                ) as answer:
                    return answer.status, await answer.json() if answer.status == 200 else {}

            status, begun = await begin()
            assert status == 200
            assert re.fullmatch("[a-z0-9]{6}", begun["code"])
            assert begun["frames"][0]["hello"]["name"] == "Ann"
            assert (await begin())[0] == 403, "a proof is used once"
            assert (await begin(application_id=5))[0] == 403
            status, again = await begin(flags=2)
            assert (status, again["code"]) == (200, ""), "an opening is remembered for one session"
            assert any("pick" in frame.get("view", {}) for frame in begun["frames"])


# The imitated hosts speak as the official SDKs expect.


def test_the_sdks_understand_the_imitated_hosts() -> None:
    assert RECORDED["hosts"] == HOSTS, "record anew what the SDKs make of them"
    discord, telegram = HOSTS["discord"], HOSTS["telegram"]
    understood = RECORDED["understood"]
    assert understood["ready"] is True
    assert understood["authorize"] == discord["authorize"][1]["data"]
    assert understood["refused"]["error"] == discord["refused"][1]["data"]
    for name, event in telegram.items():
        assert understood[name] == event["eventData"]
