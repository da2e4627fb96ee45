"""What a page has beside the match: lines that are tried, notes, puzzles."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from typing import Any

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.pictures import Pictures
from bot.chat.visitor import Visitor
from play.actions.leaving import Resign
from play.opening import Challenge
from play.request import Request
from tests.support.desk import ANN, BOB, ROOM
from tests.support.pages import PageClient, page_house, told
from tests.support.services import services


async def _on(page: PageClient, do: str, text: str, on: str) -> dict[str, Any]:
    return await page.ask(do, text, on=on)


def _cell(card: dict[str, Any], square: str) -> str:
    board = card["board"]
    return told(board)[square]


async def test_a_line_is_tried_from_any_position_and_the_match_stays_as_it_is() -> None:
    async with page_house() as house:
        match = await house.desk.play(await house.desk.duel(), "a2-a3", "a7-a6")
        async with house.page(match.id, ANN) as ann:
            await ann.answer("view")
            assert ann.view["tries"]
            (card,) = (await ann.ask("try", "~1~"))["cards"]
            assert _cell(card, "a7") == "man, Bob (Black)", "after the first move"
            assert "back" not in card
            picked = await ann.ask("pick", "b7", on=card["on"])
            assert picked["pick"]["at"] == "b7"
            (card,) = (await ann.ask("play", "b7/b6", on=card["on"]))["cards"]
            assert _cell(card, "b6") == "man, Bob (Black); just came"
            assert "b7-b6" in card["lines"]
            (card,) = (await ann.ask("type", "c2-c3", on=card["on"]))["cards"]
            assert _cell(card, "c3") == "man, Ann (White); just came"
            (wrong,) = (await ann.ask("type", "c3-c8", on=card["on"]))["cards"]
            assert wrong["refused"]
            assert wrong["lines"][0].startswith("The man on c3 is")
            (back,) = (await ann.ask("try", card["back"]))["cards"]
            assert _cell(back, "b6") == "man, Bob (Black); just came"
            for bad in ("~", "~x~", "~1~h2-h9", "~1~;;a1-a8", "~99999999999999~"):
                assert len((await ann.ask("try", bad))["cards"]) <= 1
        assert (await house.desk.table.get(match.id)) == match


async def test_a_line_ends_where_the_game_does() -> None:
    async with page_house() as house:
        match = await house.desk.duel(board="4x5")
        moves = "b2-b3 d4-d3 b3xa4 c4-c3 a4xb5"
        async with house.page(match.id) as cid:
            (card,) = (await cid.ask("try", f"~0~{moves.replace(' ', ';')}"))["cards"]
        assert "pick" not in card
        assert "Victory: Ann" in " ".join(card["lines"])


@pytest.mark.parametrize("rated", [True, False])
async def test_who_plays_may_try_moves_where_hints_are_allowed(rated: bool) -> None:
    async with page_house() as house:
        challenge = Challenge(ROOM, "breakthrough", opponents=[BOB], rated=rated)
        match = await house.desk.begun((await house.desk.open(ANN, challenge)).match)
        if not rated:
            await house.desk.store.settings.change(ROOM, lambda now: replace(now, hints=False))
        async with house.page(match.id, ANN) as ann, house.page(match.id) as cid:
            await ann.answer("view")
            await cid.answer("view")
            assert not ann.view.get("tries")
            assert (await ann.ask("try", "~0~"))["cards"] == []
            assert (await ann.ask("play", "a2/a3", on="~0~"))["cards"] == []
            assert cid.view["tries"], "they have no part in it"


async def test_notes_are_private_kept_exported_and_forgotten() -> None:
    async with page_house() as house:
        match, text = await house.desk.duel(), "Watch b5 — тихо"
        async with house.page(match.id, ANN) as ann:
            assert (await ann.answer("hello"))["hello"]["note"] == ""
            await ann.ask("note", text)
        async with house.page(match.id, ANN) as ann:
            assert (await ann.answer("hello"))["hello"]["note"] == text
        async with house.page(match.id, BOB) as bob, house.page(match.id) as cid:
            assert (await bob.answer("hello"))["hello"]["note"] == ""
            assert "note" not in (await cid.answer("hello"))["hello"]
            assert (await cid.ask("note", "x"))["cards"] == []
        store = house.desk.store
        served = services(house.desk.table, store, lambda: house.desk.now, pictures=Pictures())
        visitor = Visitor(ANN, ROOM, find=lambda _: None)
        exported = [trace.text for trace in await store.traces(ANN.account)]
        assert text in exported, "what is exported"
        (question,) = await served.desk.answer(visitor, "/forgetme")
        await served.desk.press(visitor, question.view.buttons[0].data)
        assert text not in [trace.text for trace in await store.traces(ANN.account)]
        async with house.page(match.id, ANN) as ann:
            assert "note" not in (await ann.answer("hello", "over")).get("hello", {})


@pytest.mark.parametrize("which", ["/puzzle", "/daily"])
async def test_a_puzzle_is_solved_on_the_board(which: str) -> None:
    async with page_house() as house, house.page("", ANN) as ann:
        home = (await ann.answer("cards"))["cards"][-1]
        assert which in [button["data"] for button in home["buttons"]]
        (card,) = (await ann.ask("press", which))["cards"]
        assert card["board"]["legend"]
        assert which not in " ".join(card["lines"]), "a turn is typed into the field of the page"
        node, at = card["pick"]["node"], ""
        while node:
            path, after = node["steps"][0][0], node["steps"][0][4]
            at = f"{at}/{path}" if at and not at.endswith(";") else f"{at}{path}"
            if after is None:
                break
            node = (await ann.ask("pick", at, on=card["on"]))["pick"]["node"]
        (answer,) = (await ann.ask("play", at, on=card["on"]))["cards"]
        assert answer["lines"] != card["lines"]
        (refused,) = (await ann.ask("type", "nonsense", on=card["on"]))["cards"]
        assert refused["refused"]


async def test_a_match_is_taken_along_as_a_film_and_as_text() -> None:
    async with page_house() as house:
        match = await house.desk.play(await house.desk.duel(), "a2-a3", "a7-a6")
        match = (await house.desk.table.act(match.id, Resign(), Request(BOB, house.desk.at))).match
        async with house.page(match.id, ANN) as ann:
            await ann.answer("view")
            replay = next(each for each in ann.view["buttons"] if each["label"] == "Replay")
            (card,) = (await ann.ask("press", replay["data"]))["cards"]
            ((name, film),) = card["files"]
            assert name == f"breakthrough-{match.id}.gif"
            assert b64decode(film).startswith(b"GIF8")
            export = CallbackData(Verb.EXPORT, match.id, match.revision).pack()
            (card,) = (await ann.ask("press", export))["cards"]
            ((name, text),) = card["files"]
            assert name.endswith(".txt")
            assert "a2-a3" in b64decode(text).decode()
