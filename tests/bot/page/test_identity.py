"""Who a platform vouches for: what it signed for this bot, lately, and once."""

from __future__ import annotations

import hmac
import json
import random
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from nacl.signing import SigningKey

from bot.platforms.discord.proofs import HEADERS as DISCORD_HEADERS
from bot.platforms.discord.proofs import by_proxy
from bot.platforms.integration import FRESH, Identity, NotProved, used_once
from bot.platforms.telegram.proofs import by_public_key, by_token
from play.people import Account
from tests.support.desk import NOON, Desk

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
