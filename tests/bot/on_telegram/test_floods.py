"""Many requests of one person: commands beyond the quota are dropped with one notice, moves never."""

from __future__ import annotations

from bot.chat.quotas import COMMANDS, COMPLETIONS
from bot.platforms.telegram.places import account
from play.actions.seating import Join
from play.match import Match
from play.opening import Challenge
from play.people import Address, Player
from play.request import Request
from tests.platforms.telegram.crowd import EPOCH
from tests.platforms.telegram.harness import HALL, TelegramHarness
from tests.platforms.telegram.server import Human, keys, words

NOTICE = f"More than {COMMANDS.limit} commands a minute"


async def fifty(f: TelegramHarness, ann: Human, bob: Human) -> list[Match]:
    """Fifty matches where Ann has the first move."""
    hall = Address("telegram", str(HALL))
    people = [Player(account(who.id), name) for who, name in ((ann, "Ann"), (bob, "Bob"))]
    begun = []
    for _ in range(50):
        opened = await f.table.open(
            Challenge(hall, "breakthrough", {"board": "4x5"}, opponents=people[1:]), Request(people[0], f.now)
        )
        fact = await f.table.act(opened.match.id, Join(), Request(people[1], f.now))
        begun.append(fact.match)
    return begun


async def test_fifty_moves_after_a_flood_are_all_played(f: TelegramHarness) -> None:
    ann, bob, hall = f.three()
    matches = await fifty(f, ann, bob)
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
    asked = [f.api.ask_inline(ann, "") for _ in range(COMPLETIONS.limit + 10)]
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
