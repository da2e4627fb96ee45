"""The fair queue: order of each owner, turns between owners, and nothing that starves."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from bot.chat.fair_queue import OVERTAKING, FairLine, FairQueue, LastTurns

URGENCIES = range(3)
_ITEMS = st.tuples(st.sampled_from(URGENCIES), st.sampled_from("abcde"))


@given(st.lists(st.one_of(_ITEMS, st.none()), max_size=200))
def test_each_item_comes_once_and_within_a_bound(steps: list[tuple[int, str] | None]) -> None:
    """None takes an item; the bound counts what waited longer, whatever comes later."""
    queue, pops = FairQueue[int](URGENCIES, LastTurns()), 0
    waiting: dict[int, tuple[int, str, int]] = {}  # urgency, owner, and the pop before which each comes
    taken = defaultdict[tuple[int, str], list[int]](list)
    for number, step in enumerate([*steps, *[None] * len(steps)]):
        if step is not None:
            urgency, owner = step
            ahead = sum(other == urgency for other, *_ in waiting.values())
            queue.put(number, urgency, owner)
            latest = pops + (OVERTAKING + 1) ** (urgency + 1) * (ahead + 1)
            waiting[number] = (urgency, owner, latest)
        elif queue:
            pops += 1
            item = queue.pop()
            urgency, owner, latest = waiting.pop(item)
            assert pops <= latest
            taken[urgency, owner].append(item)
    assert not queue
    assert not waiting
    assert all(items == sorted(items) for items in taken.values())


def test_many_items_of_one_owner_hold_up_those_of_others_by_a_turn() -> None:
    line = FairLine[str](LastTurns())
    for item in ("a1", "a2", "a3", "a4", "b1", "a5", "c1"):
        line.put(item, item[0])
    assert [line.pop() for _ in range(4)] == ["a1", "b1", "c1", "a2"]


def test_the_owner_whose_last_turn_was_the_longest_ago_is_next() -> None:
    line = FairLine[str](LastTurns())
    for item in ("a1", "b1"):
        line.put(item, item[0])
        line.pop()
    for item in ("c1", "b2", "a2"):
        line.put(item, item[0])
    assert [line.pop() for _ in range(3)] == ["a2", "c1", "b2"]


def test_the_more_urgent_go_first_and_what_is_dropped_has_no_turn() -> None:
    queue = FairQueue[str](URGENCIES, LastTurns())
    for item in ("2 film", "1 card", "0 press", "1 gone"):
        queue.put(item, int(item[0]))
    queue.drop("1 gone")
    assert [queue.pop() for _ in range(3)] == ["0 press", "1 card", "2 film"]
