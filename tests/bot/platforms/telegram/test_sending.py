"""Sending: no chat waits for what is sent, and one person's many answers or requests delay no one else's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import words as words_in
from bot.chat.quotas import COMMANDS, COMPLETIONS
from bot.platforms.telegram.places import account
from bot.platforms.telegram.rendering import NOTHING
from bot.platforms.telegram.replies import HANDFUL
from bot.platforms.telegram.sending import CHAT
from play.actions.seating import Join
from play.errors import TakesNoWrites
from play.match import Match
from play.opening import Challenge
from play.people import Address, Player
from play.request import Request
from tests.platforms.telegram.crowd import EPOCH
from tests.platforms.telegram.harness import HALL, TelegramHarness, keys, telegram_bot, words
from tests.platforms.telegram.server import Fault, Human, broken, refused, too_fast
from tests.support.waiting import eventually


async def test_no_chat_waits_until_telegram_has_taken_an_answer(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    go = asyncio.Event()
    for method in (
        "_answerCallbackQuery",
        "_answerInlineQuery",
        "_sendChatAction",
        "_sendMessage",
        "_getFile",
    ):
        setattr(f.api, method, _after(go, getattr(f.api, method)))
    f.api.press(bob, f.board(hall), NOTHING)
    f.api.press(bob, f.board(hall), CallbackData(Verb.FLIP, f.matches[0].id, 0).pack())
    f.api.press(bob, f.board(hall), "an old key")
    f.api.ask_inline(bob, "lgame")
    f.api.say(bob, hall, "/games")
    f.api.give(bob, hall, "match.txt", b"no match", caption="/import")
    f.api.say(ann, hall, "/move a2-a3")
    await eventually(lambda: f.matches[0].log)
    go.set()
    await f.settled()


async def test_of_many_answers_to_one_person_a_handful_is_shown_and_the_rest_is_one_notice(
    f: TelegramHarness,
) -> None:
    ann, bob, hall = await f.begun()
    paced, go = f.telegram._turns._sleep, asyncio.Event()

    async def wait(seconds: float) -> None:
        await go.wait()
        await paced(seconds)

    f.telegram._turns._sleep = wait
    for _ in range(30):
        f.api.say(bob, None, "/games")
    f.api.say(ann, hall, "/move a2-a3")
    await f.api.until(lambda: not f.api.waiting)

    async def only_a_handful_waits() -> bool:
        return await f.telegram._receiver._inbox.backlog() <= HANDFUL + 1

    await eventually(only_a_handful_waits)
    go.set()
    await f.settled()
    seen = [words(message) for message in f.api.shown(bob)]
    assert seen.count("That was too much at once: I left some answers out.") == 1
    assert len(seen) <= CHAT.burst + HANDFUL + 1
    assert "Turn: Bob" in words(f.board(hall))


@pytest.mark.parametrize(
    ("method", "label", "fault"),
    [
        ("editMessageText", "Move", too_fast),
        ("editMessageText", "Move", broken),
        ("editMessageMedia", "Move", too_fast),
        ("editMessageCaption", "Move", broken),
        ("editMessageReplyMarkup", "More…", too_fast),
    ],
)
async def test_a_press_is_drawn_as_soon_as_telegram_takes_it(
    method: str, label: str, fault: Callable[..., Fault]
) -> None:
    async with telegram_bot(pictures=method in ("editMessageMedia", "editMessageCaption")) as f:
        ann, _bob, hall = await f.begun()
        board = f.board(hall)
        if method == "editMessageCaption":
            f.api.faults.append(
                refused("editMessageMedia", "Bad Request: not enough rights to send photos", 9)
            )
        late = too_fast(method, 30) if fault is too_fast else broken(method, times=3)
        f.api.faults.append(late)
        assert await f.press(ann, board, label) is None
        assert "Back" in [key["text"] for key in keys(board)]
        assert late.times == 0


async def test_an_answer_that_came_too_early_is_sent_again(f: TelegramHarness) -> None:
    _ann, bob, hall = await f.begun()
    await f.press(bob, f.board(hall), "More…")
    f.api.faults.append(too_fast("sendMessage", 2))
    await f.press(bob, f.board(hall), "Board in words")
    assert "8 men" in words(f.api.last(bob))


async def test_what_waits_for_its_turn_is_replaced_by_what_is_newer(f: TelegramHarness) -> None:
    ann, _bob, hall = await f.begun()
    board, edits, wait = f.board(hall), f.telegram._messenger.edits, asyncio.Event()
    before = len(f.api.history[hall.id])

    async def sleep(_seconds: float) -> None:
        await wait.wait()

    edits._sleep = sleep
    early = too_fast("editMessageText", 2)
    f.api.faults.append(early)
    for data in ("sp", "bo", "sp"):
        f.api.press(ann, board, f"1{data}:{f.matches[0].id}:{f.matches[0].revision}:")
    await eventually(lambda: early.times == 0 and len(f.api.answered) == 4)
    # The sender folds the board meanwhile: nothing older is shown in it afterwards.
    f.api.say(ann, hall, "/move a2-a3")
    await eventually(lambda: f.matches[0].log)
    await f.sender.drain()
    folded = words(board)
    assert keys(board) == []
    wait.set()
    await eventually(lambda: not edits._tasks)
    await f.settled()
    assert (words(board), keys(board)) == (folded, [])
    assert all("Which man" not in said for _, said in f.api.history[hall.id][before:])


def _after(go: asyncio.Event, method: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    async def waiting(*given: object) -> object:
        await go.wait()
        return await method(*given)

    return waiting


async def test_what_only_reads_is_answered_while_the_store_takes_no_writes(
    f: TelegramHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _, hall = await f.begun()

    async def full(*_: object, **_named: object) -> None:
        raise TakesNoWrites

    with monkeypatch.context() as patch:
        patch.setattr(f.telegram._receiver._inbox, "accept", full)
        patch.setattr(f.store.matches, "commit", full)
        await f.say(ann, None, f"/board #{f.matches[0].id}")
        assert "Turn: Ann" in words(f.api.last(ann))
        await f.say(ann, None, f"/move #{f.matches[0].id} a2-a3")
        assert words(f.api.last(ann)) == words_in("en")(TakesNoWrites().reason)
    assert not f.matches[0].log
    await f.say(ann, hall, "/move a2-a3")
    assert len(f.matches[0].log) == 1


# Many requests of one person: commands beyond the quota are dropped with one notice, moves never.


NOTICE = f"More than {COMMANDS.limit} commands a minute"


async def ten(f: TelegramHarness, ann: Human, bob: Human) -> list[Match]:
    """Ten matches where Ann has the first move."""
    hall = Address("telegram", str(HALL))
    people = [Player(account(who.id), name) for who, name in ((ann, "Ann"), (bob, "Bob"))]
    begun = []
    for _ in range(10):
        opened = await f.table.open(
            Challenge(hall, "breakthrough", {"board": "4x5"}, opponents=people[1:]), Request(people[0], f.now)
        )
        fact = await f.table.act(opened.match.id, Join(), Request(people[1], f.now))
        begun.append(fact.match)
    return begun


async def test_moves_after_a_flood_are_all_played(f: TelegramHarness) -> None:
    ann, bob, hall = f.three()
    matches = await ten(f, ann, bob)
    for _ in range(COMMANDS.limit + 40):
        f.api.say(ann, None, "/language")
    for match in matches:
        f.api.say(ann, hall, f"/move #{match.id} a2-a3")
    await f.settled()
    assert {len((await f.table.get(match.id)).log) for match in matches} == {1}
    answers = [words(each) for each in f.api.shown(ann)]
    assert sum(NOTICE in each for each in answers) == 1
    assert len(answers) <= COMMANDS.limit + 1
    before = len(answers)
    await f.say(bob, None, "/language")  # others are answered
    assert NOTICE not in words(f.api.last(bob))
    f.now += COMMANDS.window
    await f.say(ann, None, "/language")
    assert len(f.api.shown(ann)) == before + 1


async def test_moves_are_picked_by_keys_after_a_flood_of_presses(f: TelegramHarness) -> None:
    ann, _bob, hall = await f.begun()
    board = f.board(hall)
    (more,) = (key["callback_data"] for key in keys(board) if key["text"].startswith("More"))
    pressed = [f.api.press(ann, board, more) for _ in range(COMMANDS.limit + 20)]
    await f.settled()
    alerts = [f.api.alert(query) for query in pressed if query in f.api.answered]
    assert len(alerts) == COMMANDS.limit  # with the notice; the challenge was a command too
    assert sum(NOTICE in (alert or "") for alert in alerts) == 1
    assert await f.press(ann, f.board(hall), "Back") is None
    for _ in range(10):
        assert await f.press(ann, f.board(hall), "Move") is None  # a step of a move
        assert await f.press(ann, f.board(hall), lambda label: "Back" in label) is None


async def test_inline_queries_beyond_the_quota_are_dropped(f: TelegramHarness) -> None:
    ann = f.api.human("Ann")
    asked = [f.api.ask_inline(ann, "chess") for _ in range(COMPLETIONS.limit + 10)]
    await f.settled()
    assert sum(query in f.api.results for query in asked) == COMPLETIONS.limit
    await f.say(ann, None, "/language")
    assert NOTICE not in words(f.api.last(ann))


async def test_malformed_updates_do_not_stop_the_others(f: TelegramHarness) -> None:
    f.telegram._receiver._sleep = f._sleep
    ann = f.api.human("Ann")
    whole = {"message_id": 7, "date": EPOCH, "chat": f.api.group(HALL, "Hall", ann).json, "from": ann.json}
    for part in ("chat", "message_id", "date"):
        f.api.update(message={name: held for name, held in whole.items() if name != part} | {"text": "/help"})
    f.api.update(message={**whole, "chat": "x", "text": "/help"})
    f.api.update(message={**whole, "chat": {"id": HALL}, "text": "/help"})
    f.api.update(callback_query={"id": "q", "from": {"id": ann.id}, "chat_instance": "1", "data": "x"})
    await f.say(ann, None, "/language")
    assert len(f.api.shown(ann)) == 1
    aside = await f.store.aside.all()
    assert len(aside) == 5, "one is not even stored"
    assert {each.stream for each in aside} == {"in:telegram"}
    for each in aside:
        assert await f.store.aside.replay(each.id)
    await f.say(ann, None, "/language")
    assert len(await f.store.aside.all()) == len(aside)
