"""Lanes: each chat in order, no one delayed by the many requests of another, and no wait for answers."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict

from hypothesis import given
from hypothesis import strategies as st

from bot.chat.receiving import Handling, Lanes, Rest
from bot.chat.receiving.lanes import AT_ONCE, IN_ORDER, MANY_AT_ONCE, SHOWN_AT_ONCE


class Handler:
    """Remembers the order in which requests were begun; those named wait until they are let go."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.going: dict[str, int] = defaultdict(int)
        self.most = 0

    def put(self, lanes: Lanes, person: str, chat: str, name: str, *, waits: bool = False) -> Handling:
        if waits:
            self.gates[name] = asyncio.Event()

        async def handle() -> None:
            self.begun.append(name)
            self.going[chat] += 1
            self.most = max(self.most, self.going[chat])
            await asyncio.sleep(0)
            if name in self.gates:
                await self.gates[name].wait()
            self.going[chat] -= 1

        request = Handling(person, chat, handle)
        lanes.put(request)
        return request


async def test_many_requests_of_one_person_delay_those_of_others_by_a_few() -> None:
    lanes, handler = Lanes(), Handler()
    for number in range(100):
        handler.put(lanes, "ann", "hall", f"a{number}")
    for number in range(3):
        handler.put(lanes, "bob", "hall", f"b{number}")
    await lanes.settled()
    assert handler.begun[:9] == ["a0", "a1", "a2", "a3", "a4", "a5", "b0", "b1", "b2"]  # a0 had begun
    assert len(handler.begun) == 103


async def test_one_chat_does_not_wait_for_another() -> None:
    lanes, handler = Lanes(), Handler()
    handler.put(lanes, "ann", "hall", "slow", waits=True)
    handler.put(lanes, "bob", "hall", "b0")
    last = handler.put(lanes, "ann", "cellar", "a1")
    await last.done
    assert handler.begun == ["slow", "a1"]
    handler.gates["slow"].set()
    await lanes.settled()
    assert handler.begun[2:] == ["b0"]


async def test_one_person_takes_few_lanes() -> None:
    lanes, handler = Lanes(), Handler()
    for number in range(AT_ONCE + 3):
        handler.put(lanes, "ann", f"hall {number}", f"a{number}", waits=True)
    await handler.put(lanes, "bob", "cellar", "b0").done
    assert handler.begun == [*(f"a{number}" for number in range(AT_ONCE)), "b0"]
    for gate in handler.gates.values():
        gate.set()
    await lanes.settled()
    assert len(handler.begun) == AT_ONCE + 4


async def test_all_people_with_many_requests_take_few_lanes() -> None:
    lanes, handler = Lanes(), Handler()
    for person in range(3 * MANY_AT_ONCE):
        for number in range(3 * IN_ORDER):
            handler.put(lanes, f"p{person}", f"chat {person}", f"{person}:{number}", waits=True)
    for each in range(3 * MANY_AT_ONCE):  # which began before there were many
        handler.gates[f"{each}:0"].set()
    for _ in range(5):
        await asyncio.sleep(0)
    under_way = sum(handler.going.values())
    assert under_way == MANY_AT_ONCE
    handler.put(lanes, "bob", "cellar", "bob", waits=True)
    for name in [name for name in handler.begun if name.endswith(":1")]:
        handler.gates[name].set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert "bob" in handler.begun
    assert sum(handler.going.values()) == 2  # bob's, and one of theirs
    for gate in handler.gates.values():
        gate.set()
    await lanes.settled()
    assert len(handler.begun) == 9 * MANY_AT_ONCE * IN_ORDER + 1


async def test_an_answer_that_takes_long_holds_nothing_up() -> None:
    lanes, shown, gate = Lanes(), [], asyncio.Event()

    async def show() -> None:
        await gate.wait()
        shown.append("first")

    async def handle() -> Rest:
        return show()

    first = Handling("ann", "hall", handle)
    lanes.put(first)
    second = Handler().put(lanes, "ann", "hall", "second")
    await second.done
    assert not first.done.done()
    gate.set()
    await first.done
    assert shown == ["first"]


async def test_a_person_with_many_answers_to_be_shown_waits_and_no_one_else_does() -> None:
    lanes, gate, handler = Lanes(), asyncio.Event(), Handler()

    async def show() -> None:
        await gate.wait()

    async def handle() -> Rest:
        handler.begun.append("ann")
        return show()

    for _ in range(SHOWN_AT_ONCE + 10):
        lanes.put(Handling("ann", "hall", handle))
    bobs = [handler.put(lanes, "bob", "hall", "bob") for _ in range(30)]
    await bobs[-1].done
    assert handler.begun.count("ann") == SHOWN_AT_ONCE
    gate.set()
    await lanes.settled()
    assert handler.begun.count("ann") == SHOWN_AT_ONCE + 10


async def test_requests_that_come_while_others_are_handled_keep_their_order() -> None:
    lanes, handler = Lanes(), Handler()
    numbers = iter(range(100))
    for _ in range(2 * IN_ORDER):
        handler.put(lanes, "ann", "hall", f"a{next(numbers):02}")
    await handler.put(lanes, "bob", "hall", "b0").done  # after five of hers
    handler.begun.remove("b0")
    later = [handler.put(lanes, "ann", "hall", f"a{next(numbers):02}") for _ in range(IN_ORDER)]
    await later[-1].done
    assert handler.begun == sorted(handler.begun)


async def test_a_request_that_fails_stops_no_other() -> None:
    async def broken() -> None:
        raise ValueError("a bug")

    async def hangs() -> None:
        await asyncio.Event().wait()

    lanes, handler = Lanes(longest=0.01), Handler()
    for handle in (broken, hangs):
        lanes.put(Handling("ann", "hall", handle))
    await handler.put(lanes, "ann", "hall", "next").done
    assert handler.begun == ["next"]


async def test_what_is_not_done_when_lanes_close_stays_undone() -> None:
    lanes, handler = Lanes(), Handler()
    going = handler.put(lanes, "ann", "hall", "going", waits=True)
    waiting = handler.put(lanes, "bob", "hall", "waiting")
    await asyncio.sleep(0)
    await lanes.close()
    assert not going.done.done()
    assert waiting.done.cancelled()


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), max_size=60), st.integers(1, 4))
async def test_requests_keep_their_order(asked: list[tuple[str, str]], most: int) -> None:
    """Those of a person in a chat always; those of a chat among people who do not ask much."""
    lanes, handler = Lanes(most=most), Handler()
    for number, (person, chat) in enumerate(asked):
        handler.put(lanes, person, chat, f"{person}{chat}{number:02}")
    await lanes.settled()
    assert len(handler.begun) == len(asked)
    assert handler.most <= 1
    for chat in "xyz":
        there = [name for name in handler.begun if name[1] == chat]
        for person in "abcd":
            mine = [name for name in there if name[0] == person]
            assert mine == sorted(mine)
        if max(Counter(name[0] for name in there).values(), default=0) <= IN_ORDER:
            assert there == sorted(there, key=lambda name: name[2:])
