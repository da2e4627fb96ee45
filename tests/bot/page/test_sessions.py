"""Bearers, spectators' keys and one-time links: what proves who reads a page, and what does not."""

from __future__ import annotations

import random
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import timedelta

import pytest

from bot.chat.page_links import LINK_KEPT, make_link
from bot.platforms.page.sessions import SESSION, NotASession, Session, Sessions
from tests.support.desk import ANN, NOON, Desk

SESSIONS = Sessions(b"k" * 32)
SEED = 16
TRIES = 1000


def _session(code: str = "") -> Session:
    return Session(ANN, "link", NOON + SESSION, code, "uk")


def test_a_bearer_proves_the_session_that_it_was_made_of() -> None:
    assert SESSIONS.read(SESSIONS.bearer(_session("k7q2ab")), NOON) == _session("k7q2ab")


def test_a_bearer_ends_with_its_session() -> None:
    bearer = SESSIONS.bearer(_session())
    assert SESSIONS.read(bearer, NOON + SESSION - timedelta(seconds=1)).player == ANN
    with pytest.raises(NotASession):
        SESSIONS.read(bearer, NOON + SESSION)
    with pytest.raises(NotASession):  # the clock was set back since
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
        with pytest.raises(NotASession):
            SESSIONS.read(changed, NOON)


def test_no_bearer_of_another_store_is_accepted() -> None:
    luck = random.Random(SEED)
    for _ in range(TRIES):
        with pytest.raises(NotASession):
            SESSIONS.read(Sessions(luck.randbytes(32)).bearer(_session()), NOON)


def test_no_claims_of_others_fit_a_signature() -> None:
    claims, _, signature = SESSIONS.bearer(_session()).partition(".")
    said = urlsafe_b64decode(claims + "=" * (-len(claims) % 4))
    forged = urlsafe_b64encode(said.replace(b"ann", b"bob")).rstrip(b"=").decode()
    with pytest.raises(NotASession):
        SESSIONS.read(f"{forged}.{signature}", NOON)
    with pytest.raises(NotASession):
        SESSIONS.read(f"{claims}.{SESSIONS.watch_key('k7q2ab')}", NOON)


async def test_all_processes_of_a_store_accept_the_same_bearers() -> None:
    notes = Desk().store.notes
    one, other = await Sessions.of(notes), await Sessions.of(notes)
    assert other.read(one.bearer(_session()), NOON) == _session()
    with pytest.raises(NotASession):
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
    with pytest.raises(NotASession):
        await sessions.by_link(desk.store.notes, used, NOON)
    late = await token()
    desk.now += LINK_KEPT
    with pytest.raises(NotASession):
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
