"""The page's server: who sees which match, and presses that are those of a chat's buttons."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES
from bot.chat.i18n import words as words_for
from bot.chat.page_links import make_link
from bot.platforms.page import connections
from bot.platforms.page.connections import (
    ACTIONS_PER_PAGE,
    CONNECTS_PER_ACCOUNT,
    PER_ACCOUNT,
    PER_ADDRESS,
    WATCHING_PER_ADDRESS,
    Connections,
    client_address,
)
from bot.platforms.page.shell import TROUBLES, static_files
from bot.platforms.page.wire import MAX_FRAME
from play.actions.leaving import Resign
from play.errors import Unavailable
from play.opening import Challenge
from play.people import Account, Player, private_place
from play.request import Request
from tests.support.browser import PageClient, PageHouse, told
from tests.support.desk import ANN, BOB, CEM, ROOM


async def _seen(house: PageHouse, code: str, key: str = "", bearer: str = "") -> str:
    """Return why a page is refused; empty if it sees the match."""
    frames = (await house.begun(code=code, key=key, bearer=bearer))["frames"]
    return next(str(each.get("over", "")) for each in frames if each.keys() & {"view", "over"})


async def _watching(page: PageClient) -> int:
    return int((await page.answer("watching"))["watching"])


async def test_two_play_and_a_third_watches(house: PageHouse) -> None:
    match = await house.desk.duel()
    ann, bob, cid = pages = [await house.opened(match.id, who) for who in (ANN, BOB, None)]
    assert ["pick" in page.view for page in pages] == [True, False, False]
    assert not cid.view.get("buttons")
    await ann.ask("play", "a2/a3")
    for page in pages:
        while page.view.get("turns", 0) < 1:
            await page.answer("view")
        assert page.log == [{"seat": 0, "text": "a2-a3"}]
    assert "pick" in bob.view
    assert (await house.desk.table.get(match.id)).log[0].text == "a2-a3"  # type: ignore[union-attr]


async def test_what_changes_in_a_chat_is_seen_on_the_page(house: PageHouse) -> None:
    match = await house.desk.duel()
    cid = await house.opened(match.id)
    await house.desk.play(match, "a2-a3")
    await cid.answer("view")
    assert cid.log == [{"seat": 0, "text": "a2-a3"}]
    await house.desk.table.act(match.id, Resign(), Request(BOB, house.desk.at))
    await cid.answer("view")
    assert "Ann won" in " ".join(cid.view["after"])


async def test_a_repeated_request_is_done_once(house: PageHouse) -> None:
    match = await house.desk.duel()
    ann = await house.opened(match.id, ANN)
    seen = ann.view["r"]
    await ann.ask("play", "a2/a3", op="the-same-request", seen=seen)
    ann = await house.opened(match.id, ANN)
    await ann.ask("play", "a2/a3", op="the-same-request", seen=seen)
    after = await house.desk.table.get(match.id)
    assert len(after.log) == 1
    assert after.revision == match.revision + 1


async def test_a_press_on_an_old_board_changes_nothing_and_shows_the_new_one(house: PageHouse) -> None:
    match = await house.desk.duel()
    ann = await house.opened(match.id, ANN)
    old = ann.view["r"]
    await house.desk.play(match, "a2-a3", "a7-a6")
    answer = await ann.ask("play", "a2/a3", seen=old)
    while "cards" not in answer:
        answer = await ann.answer("cards")
    assert answer["cards"][0]["refused"]
    assert ann.view["turns"] == 2


async def test_a_spectator_presses_nothing(house: PageHouse) -> None:
    match = await house.desk.duel()
    cid = await house.opened(match.id)
    data = CallbackData(Verb.RESIGN, match.id, match.revision, "sure").pack()
    for do, text in (("press", data), ("play", "a2/a3"), ("type", "a2-a3")):
        assert (await cid.ask(do, text))["cards"] == []
    after = await house.desk.table.get(match.id)
    assert after == match


async def test_a_typed_move_is_read_as_in_a_chat(house: PageHouse) -> None:
    match = await house.desk.duel()
    ann = await house.opened(match.id, ANN)
    refused = await ann.ask("type", "nonsense")
    assert refused["cards"][0]["refused"]
    await ann.ask("type", "А2 — А3")
    assert len((await house.desk.table.get(match.id)).log) == 1


async def test_earlier_positions_are_shown_on_request(house: PageHouse) -> None:
    match = await house.desk.play(await house.desk.duel(), "a2-a3", "a7-a6")
    cid = await house.opened(match.id)
    reel = (await cid.ask("look", "0:2"))["reel"]
    assert [moment["at"] for moment in reel["moments"]] == [0, 1, 2]
    for at, moment in enumerate(reel["moments"]):
        squares = told({**reel, **moment})
        assert ("man" in squares["a3"]) is (at >= 1)
        assert ("man" in squares["a7"]) is (at < 2)


async def test_a_turn_of_several_plies_is_gathered_and_played_at_once(house: PageHouse) -> None:
    match = await house.desk.duel(game="klopodavka")
    ann = await house.opened(match.id, ANN)
    first = (await ann.ask("pick", "b2"))["pick"]
    assert first["at"] == "b2;"
    second = (await ann.ask("pick", "b2;c3"))["pick"]
    third = (await ann.ask("pick", second["at"] + "d4"))["pick"]
    assert "node" not in third
    assert (await house.desk.table.get(match.id)).log == ()
    await ann.ask("play", third["at"])
    assert [ply.text for ply in (await house.desk.table.get(match.id)).log] == ["b2", "c3", "d4"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("picked", "played", "kept", "told"),
    [
        ("b2;c3;", "b2", "c3;", False),  # what the chat played of it is no longer picked
        ("b2;c3;", "b2 c3", "", False),
        ("a2;b2;", "b2", "a2;", False),
        ("b2;c3;d4;", "b2 c3", "d4;", False),
        ("b2;c3;", "a2", "b2;c3;", False),
        ("b2;c3;d4;", "a2", "b2;c3;", True),  # of three actions, two are left
    ],
)
async def test_what_is_picked_stays_so_far_as_it_is_legal(
    house: PageHouse, picked: str, played: str, kept: str, told: bool
) -> None:
    match = await house.desk.duel(game="klopodavka")
    ann = await house.opened(match.id, ANN)
    seen = ann.view["r"]
    for ply in played.split():
        await house.desk.play(match, ply)
    answer = await ann.ask("pick", picked, seen=seen)
    assert answer.get("pick", {}).get("at", "") == kept
    assert bool(answer.get("cards")) is told


async def test_who_may_see_a_match(house: PageHouse) -> None:
    match, other = await house.desk.duel(), await house.desk.duel()
    key = await house.key(match.id)
    assert await _seen(house, match.id, key) == ""
    assert await _seen(house, other.id, key) == "session"
    assert await _seen(house, match.id) == "session"
    assert await _seen(house, match.id, key[:-1] + "A") in ("session", "")
    assert await _seen(house, match.id, bearer=await house.bearer(BOB)) == ""
    assert await _seen(house, match.id, bearer=await house.bearer(CEM)) == "match"
    assert await _seen(house, match.id, bearer=await house.bearer(CEM, match.id)) == ""
    assert await _seen(house, match.id, bearer="x" + await house.bearer(BOB)) == "session"
    assert await _seen(house, "nosuch", bearer=await house.bearer(BOB)) == "match"
    house.desk.now += timedelta(hours=1)
    bearer = await house.bearer(BOB)
    house.desk.now += timedelta(hours=12)
    assert await _seen(house, match.id, bearer=bearer) == "session"


async def test_a_chat_that_wants_no_page_has_none(house: PageHouse) -> None:
    match = await house.desk.duel()
    key, bearer = await house.key(match.id), await house.bearer(BOB)
    addresses = [f"{house.url}/m/{match.id}?k={key}", f"{house.url}/i/{match.id}/1.light.png?k={key}"]
    assert [(await house.get(address)).status for address in addresses] == [200, 200]
    settings = house.desk.store.settings
    ann, cid = await house.opened(match.id, ANN), await house.opened(match.id)
    await settings.change(ROOM, lambda now: replace(now, page=False))
    await house.desk.play(match, "a2-a3")
    for page in (ann, cid):
        assert (await page.answer("over"))["over"] == "off"
        assert not page.view.get("turns")
    assert (await ann.ask("look", "0:0"))["over"] == "closed"
    assert await _seen(house, match.id, bearer=bearer) == "off"
    assert await _seen(house, match.id, key) == "match"
    assert [(await house.get(address)).status for address in addresses] == [404, 404]
    await settings.change(ROOM, lambda now: replace(now, page=True))
    assert await _seen(house, match.id, key) == ""


async def test_a_link_of_the_bot_begins_a_session_once(house: PageHouse) -> None:
    match = await house.desk.duel()
    link = await make_link(house.desk.store.notes, house.url, ANN, match.id, "uk")
    proof = {"kind": "link", "proof": link.partition("#link=")[2]}
    begun = await house.begun(proof=proof)
    assert begun["code"] == match.id
    assert await _seen(house, match.id, bearer=begun["bearer"]) == ""
    assert await house.asked(proof=proof) == (403, None)


async def test_nothing_has_to_be_inflated_and_frames_are_small(house: PageHouse) -> None:
    match = await house.desk.duel(game="klopodavka", board="26x30")
    cid = await house.opened(match.id)
    assert not cid.socket.compress, "to inflate what a browser deflates takes 40 kB a connection"
    await house.desk.play(match, "b2 c3 d4")
    assert len(json.dumps(await cid.answer("view"))) < 6000, "the largest board there is"


async def test_a_page_without_websockets_polls(house: PageHouse) -> None:
    match = await house.desk.duel()
    begun = await house.begun(code=match.id, bearer=await house.bearer(ANN))
    line, frames = begun["line"], begun["frames"]
    view = next(frame["view"] for frame in frames if "view" in frame)
    asked = {"op": "poll-request", "do": "play", "text": "a2/a3", "seen": view["r"]}
    async with house.client.post(f"{house.url}/w?line={line}", json=asked) as answer:
        assert answer.status == 204
    while not any(frame.get("re") == "poll-request" for frame in frames):
        frames += await (await house.get(f"/w?line={line}")).json()
    assert [frame["log"] for frame in frames if frame.get("log")] == [[{"seat": 0, "text": "a2-a3"}]]
    assert (await house.get("/w?line=unknown")).status == 410


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "{",
        "[]",
        '{"op":"x"}',
        '{"op":"longenough","do":"burn"}',
        '{"op":"longenough","do":"pick","seen":-1}',
        "x" * (MAX_FRAME + 1),
    ],
    ids=range(7),
)
async def test_a_frame_that_no_page_sends_ends_the_connection(house: PageHouse, frame: str) -> None:
    match = await house.desk.duel()
    ann = await house.opened(match.id, ANN)
    await ann.socket.send_str(frame)
    while "over" not in (heard := await ann.answer("over")):
        pass
    assert heard["over"] == "closed"
    assert await _seen(house, match.id, bearer=await house.bearer(ANN)) == ""


async def test_presses_beyond_the_rate_are_refused(house: PageHouse) -> None:
    match = await house.desk.duel()
    ann = await house.opened(match.id, ANN)
    answers = [await ann.ask("type", "nonsense") for _ in range(ACTIONS_PER_PAGE[0] + 1)]
    (card,) = answers[-1]["cards"]
    assert card["refused"]
    assert "Too fast" in card["lines"][0]
    assert not any("Too fast" in str(answer) for answer in answers[:-1])


async def test_addresses_and_accounts_begin_so_many_sessions(house: PageHouse) -> None:
    statuses = []
    for _ in range(PER_ACCOUNT[0] + 1):
        link = await make_link(house.desk.store.notes, house.url, ANN, "", "en")
        proof = {"kind": "link", "proof": link.partition("#link=")[2]}
        statuses.append((await house.asked(proof=proof))[0])
    assert statuses == [*([200] * PER_ACCOUNT[0]), 429]
    for _ in range(PER_ADDRESS[0] - PER_ACCOUNT[0] - 1):
        assert (await house.get("/terms")).status == 200
    answers = [await house.get("/terms", **{"Accept-Language": "uk"}) for _ in range(3)]
    assert [answer.status for answer in answers] == [429] * 3
    assert [answer.headers["Retry-After"] for answer in answers] == ["1", "2", "3"], "one by one"
    assert "З вашої мережі" in await answers[0].text()


async def test_pages_behind_one_address_connect_at_once(house: PageHouse) -> None:
    """A school after a restart: those whom their session, or a spectator's key, lets in do not wait for one another."""
    match = await house.desk.duel()
    players = [Player(Account("console", f"pupil{number}"), "Pupil") for number in range(PER_ADDRESS[0] + 1)]
    bearers = [await house.bearer(player, match.id) for player in players]
    key = await house.key(match.id)
    for bearer in bearers:
        assert (await house.asked(code=match.id, bearer=bearer))[0] == 200
    for _ in range(WATCHING_PER_ADDRESS[0] - 1):
        house.server.connections.watching.take("127.0.0.1")
    assert [(await house.asked(code=match.id, key=key))[0] for _ in range(2)] == [200, 429]
    for _ in range(CONNECTS_PER_ACCOUNT[0] - 1):
        house.server.connections.connecting.take(f"{ANN.account} 127.0.0.1")
    bearer = await house.bearer(ANN)
    assert [(await house.asked(code=match.id, bearer=bearer))[0] for _ in range(2)] == [200, 429]
    refused = [(await house.asked(code=match.id))[0] for _ in range(PER_ADDRESS[0] + 1)]
    assert refused == [*([200] * PER_ADDRESS[0]), 429], "who proves nothing"


async def test_more_pages_than_can_connect_at_once_come_again_one_by_one(
    house: PageHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, freed = await house.desk.duel(), asyncio.Event()
    admitted, asked = Connections.admit, asyncio.Queue[None]()

    async def slow(*what: Any) -> None:
        asked.put_nowait(None)
        await freed.wait()
        await admitted(*what)

    monkeypatch.setattr(Connections, "admit", slow)
    monkeypatch.setattr(connections, "MOST_CONNECTING", 2)
    first: dict[str, Any] = {"code": match.id, "bearer": await house.bearer(ANN)}
    connecting = [asyncio.create_task(house.asked(**first)) for _ in range(2)]
    for _ in connecting:
        await asked.get()
    waits = []
    for _ in range(201):
        async with house.client.post(f"{house.url}/w", json=first) as answer:
            waits.append((answer.status, int(answer.headers["Retry-After"])))
    assert {status for status, _ in waits} == {503}
    assert [wait for _, wait in waits[::50]] == [1, 1, 2, 2, 3], "a hundred a second"
    freed.set()
    assert [status for status, _ in await asyncio.gather(*connecting)] == [200, 200]
    assert (await house.asked(**first))[0] == 200


async def test_where_the_store_cannot_be_reached_the_page_says_when_to_ask_again(
    house: PageHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await house.desk.duel()
    address = f"/m/{match.id}?k={await house.key(match.id)}"

    async def away(*_: object) -> None:
        raise Unavailable

    monkeypatch.setattr(house.desk.store.settings, "get_many", away)
    answer = await house.get(address)
    assert (answer.status, answer.headers["Retry-After"]) == (503, "2")
    assert "restarting" in await answer.text()


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_is_not_there_has_a_page_in_the_reader_s_language(house: PageHouse, language: str) -> None:
    match = await house.desk.duel()
    key = await house.key(match.id)
    await house.desk.store.settings.change(ROOM, lambda now: replace(now, page=False))
    words = words_for(language)
    for path in ("/nothing", "/m/toolongcode", f"/m/{match.id}?k={key}"):
        answer = await house.get(path, **{"Accept-Language": language})
        assert (answer.status, answer.content_type) == (404, "text/html")
        html = await answer.text()
        assert f'<html lang="{language}">' in html
        assert f"<h1>{words('bot.page.gone')}</h1>" in html
        assert f'<a href="/">{words("bot.page.to-games")}</a>' in html


async def test_the_page_has_words_for_what_may_go_wrong_before_the_first_answer(house: PageHouse) -> None:
    for language in LANGUAGES:
        html = await (await house.get("/", **{"Accept-Language": language})).text()
        for why in TROUBLES:
            assert f'data-{why}="{words_for(language)(f"bot.page.{why}")}"' in html


async def test_who_was_signed_in_once_may_still_watch(house: PageHouse) -> None:
    match = await house.desk.duel()
    key, old = await house.key(match.id), await house.bearer(ANN)
    house.desk.now += timedelta(hours=13)
    assert await _seen(house, match.id, key, old) == ""
    assert await _seen(house, match.id, key.swapcase(), old) == "session"


async def test_every_answer_has_the_policy_and_no_page_has_anything_inline(house: PageHouse) -> None:
    match = await house.desk.duel()
    folder, files = static_files()
    watched = f"/m/{match.id}?k={await house.key(match.id)}"
    for path in (watched, "/", "/nothing", f"/s/{folder}/page.css", "/w"):
        answer = await house.get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        if answer.content_type == "text/html":
            assert not re.search(r"<style|style=|<script(?![^>]*src=)", await answer.text())
    for name in files:
        assert "immutable" in (await house.get(f"/s/{folder}/{name}")).headers["Cache-Control"]
        answer = await house.get(f"/s/0000/{name}")
        if name.endswith(".js"):
            assert "location.reload" in await answer.text()
        else:
            assert answer.status == 404


async def test_a_page_that_connects_again_gets_what_is_new(house: PageHouse) -> None:
    match = await house.desk.duel()
    first = {"code": match.id, "bearer": await house.bearer(BOB)}

    async def connect(**more: Any) -> dict[str, Any]:
        frames = (await house.begun(**first, **more))["frames"]
        return {name: held for frame in frames for name, held in frame.items()}

    begun = await connect()
    assert next(iter(told(begun["view"]["board"]))) == "h1", "as the second player sees it"
    again = await connect(r=begun["view"]["r"])
    assert "hello" in again
    assert "view" not in again
    await house.desk.play(match, "a2-a3")
    newer = await connect(r=begun["view"]["r"], flip=True)
    assert newer["view"]["turns"] == 1
    assert next(iter(told(newer["view"]["board"]))) == "a8", "it stays turned"


async def test_a_match_is_readable_without_scripts_for_those_who_may_watch(house: PageHouse) -> None:
    match = await house.desk.duel()
    key = await house.key(match.id)
    html = await (await house.get(f"/m/{match.id}?k={key}")).text()
    assert "Ann" in html
    found = re.search(r'<img src="([^"]+)"', html)
    assert found is not None
    picture = found[1].replace("&amp;", "&")
    answer = await house.get(picture)
    assert answer.content_type == "image/png"
    assert (await house.get(picture, **{"If-None-Match": answer.headers["ETag"]})).status == 304
    assert (await house.get(picture.replace(key, "wrong"))).status == 404
    assert "Ann" not in await (await house.get(f"/m/{match.id}")).text()


async def test_a_rematch_leads_to_the_new_match(house: PageHouse) -> None:
    match = await house.desk.duel()
    await house.desk.table.act(match.id, Resign(), Request(BOB, house.desk.at))
    ann = await house.opened(match.id, ANN)
    data = next(
        each["data"] for each in ann.view["buttons"] if CallbackData.unpack(each["data"]).verb is Verb.REMATCH
    )
    answer = await ann.ask("press", data)
    assert (await house.desk.table.get(answer["go"])).rematch_of == match.id


async def test_spectators_are_counted(house: PageHouse) -> None:
    match = await house.desk.duel()
    async with house.page(match.id, ANN) as ann:
        assert await _watching(ann) == 0
        async with house.page(match.id) as cid:
            await cid.answer("view")
            assert await _watching(ann) == 1
        assert await _watching(ann) == 0


@pytest.mark.parametrize("hosted", [True, False])
async def test_who_sits_down_watches_no_more(house: PageHouse, *, hosted: bool) -> None:
    match = (await house.desk.open(ANN, Challenge(private_place(ANN.account), "breakthrough"))).match
    begun = await house.begun(code=match.id, key=await house.key(match.id), bearer=await house.bearer(BOB))
    async with house.client.ws_connect(f"{house.url}/w?line={begun['line']}") as socket:
        bob = PageClient(socket, begun["frames"])
        await bob.answer("view")
        pages = [bob, await house.opened(match.id, ANN)] if hosted else [bob]
        for page in pages:
            assert await _watching(page) == 1
        house.server.hub._count()  # those who came are counted
        await bob.ask("press", bob.view["buttons"][0]["data"])
        for page in pages:
            assert await _watching(page) == 0


@pytest.mark.parametrize(
    ("forwarded", "remote", "expected"),
    [
        ("", "8.8.8.8", "8.8.8.8"),
        ("9.9.9.9", "8.8.8.8", "8.8.8.8"),  # no proxy of ours: the client wrote it
        ("9.9.9.9, 8.8.4.4, 10.0.0.7", "127.0.0.1", "8.8.4.4"),
        ("nonsense, 192.168.1.5", "127.0.0.1", "192.168.1.5"),
        ("192.168.1.9, 192.168.1.5", "127.0.0.1", "192.168.1.5"),
        ("", "127.0.0.1", "127.0.0.1"),
    ],
)
def test_an_address_that_a_client_writes_itself_is_not_its_own(
    forwarded: str, remote: str, expected: str
) -> None:
    assert client_address(forwarded, remote) == expected
