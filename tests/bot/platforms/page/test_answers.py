"""Every request is answered by its name, in time: a page asks again what is not answered."""

from __future__ import annotations

import asyncio
from itertools import product
from typing import Final, get_args, get_type_hints

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.platforms.page import connections, open_page, wire
from play.actions.leaving import Resign
from play.errors import Unavailable
from play.opening import Challenge
from play.request import Request
from tests.support.browser import PageClient, PageHouse
from tests.support.desk import ANN, BOB, CEM, ROOM

KINDS: Final[tuple[str, ...]] = get_args(get_type_hints(wire.PageRequest)["do"])
TEXTS: Final = ("", "a2/a3", "a2-a3", "b2;", "dark", "1", "~0~", "~x", "nonsense", ";/+~~", "9" * 1000)


async def _answered(page: PageClient, do: str, text: str, on: str = "") -> None:
    answer = await page.ask(do, text, on=on)
    assert "re" in answer, (do, text, on, answer)
    assert "over" not in answer, (do, text, on, answer)


@pytest.mark.parametrize("who", ["ann", "stranger", "spectator", "home"])
@pytest.mark.parametrize("state", ["open", "playing", "over"])
async def test_every_kind_of_request_is_answered_by_its_name(
    house: PageHouse, monkeypatch: pytest.MonkeyPatch, who: str, state: str
) -> None:
    monkeypatch.setattr(connections, "ACTIONS_PER_PAGE", (1000, 10.0))
    monkeypatch.setattr(connections, "LOOKS_PER_PAGE", (1000, 10.0))
    desk = house.desk
    match = (await desk.open(ANN, Challenge(ROOM, "breakthrough", opponents=[BOB]))).match
    if state != "open":
        match = await desk.begun(match)
    if state == "over":
        match = (await desk.table.act(match.id, Resign(), Request(BOB, desk.at))).match
    code = "" if who == "home" else match.id
    bearer = await house.bearer(CEM if who == "stranger" else ANN, match.id)
    key = await house.key(match.id)
    begun = await house.begun(code=code, **({"key": key} if who == "spectator" else {"bearer": bearer}))
    async with house.client.ws_connect(f"{house.url}/w?line={begun['line']}") as socket:
        page = PageClient(socket, begun["frames"])
        button = CallbackData(Verb.MOVE, match.id, match.revision, "a2-a3").pack()
        for do, text, on in product(KINDS, (*TEXTS, button), ("", "~0~", button, "nonsense")):
            await _answered(page, do, text, on)


async def test_what_is_refused_is_answered_by_its_name(
    house: PageHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await house.desk.duel()
    async with house.page(match.id, ANN) as ann:
        await ann.answer("view")
        for _ in range(connections.ACTIONS_PER_PAGE[0]):
            await _answered(ann, "flip", "")
        assert (await ann.ask("flip"))["cards"][0]["refused"], "too fast"

        async def broken(*_: object) -> wire.PageReply:
            raise ValueError("a bug")

        monkeypatch.setattr(open_page.OpenPage, "_looked", broken)
        assert (await ann.ask("look", "0:0"))["cards"][0]["refused"]

        async def away(*_: object) -> wire.PageReply:
            raise Unavailable

        monkeypatch.setattr(open_page.OpenPage, "_looked", away)
        answer = await ann.ask("look", "0:0")
        assert answer["over"] == "busy"
        assert "re" in answer


async def test_a_silent_connection_shows_that_it_is_alive(
    house: PageHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BEAT", 0.01)
    match = await house.desk.duel()
    async with house.page(match.id, ANN) as ann:
        while await ann.answer() != {}:
            pass
    line = (await house.begun(code=match.id, bearer=await house.bearer(ANN)))["line"]
    frames = [{"watching": 0}]
    while frames != [{}]:
        frames = await (await house.get(f"/w?line={line}")).json()


async def test_an_answer_that_takes_long_shows_that_the_connection_is_alive(
    house: PageHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "WORKING", 0.01)
    match, done = await house.desk.duel(), asyncio.Event()
    looked = open_page.OpenPage._looked

    async def slow(page: open_page.OpenPage, asked: wire.PageRequest) -> wire.PageReply:
        await done.wait()
        return await looked(page, asked)

    monkeypatch.setattr(open_page.OpenPage, "_looked", slow)
    async with house.page(match.id, ANN) as ann:
        await ann.socket.send_json({"op": "a-slow-request", "do": "look", "text": "0:0"})
        for _ in range(3):
            while await ann.answer() != {}:
                pass
        done.set()
        assert (await ann.answer("reel"))["re"] == "a-slow-request"
