"""Turns of a rate limit: the more urgent first, and no one for ever behind them."""

from __future__ import annotations

import asyncio

import pytest

from bot.chat.sending.ports import Rate
from bot.chat.sending.queue import MOST_OVERTAKING, Turns, Urgency
from play.errors import Unavailable
from tests.bot.virtual import moment, play
from tests.support.memory.outgoing import MemoryBucket

ONE: Rate = Rate(each_second=1, burst=1)


def test_the_more_urgent_go_first_and_the_equally_urgent_in_order() -> None:
    assert _order("AABPAC") == "APBCAA"  # the first has its turn before the others come


def test_after_some_more_urgent_ones_a_less_urgent_one_has_its_turn() -> None:
    assert (
        _order("B" + "A" * 2 + "B" * 2 * MOST_OVERTAKING + "B")
        == "B" + ("B" * MOST_OVERTAKING + "A") * 2 + "B"
    )


def _order(kinds: str) -> str:
    named = {"P": Urgency.PRESS, "B": Urgency.BOARD, "C": Urgency.CARD, "A": Urgency.ANSWER}
    came: list[str] = []

    async def take(turns: Turns, kind: str) -> None:
        await turns.take({"hall": ONE}, named[kind])
        came.append(kind)

    async def evening() -> None:
        turns = Turns(MemoryBucket({}), moment)
        await take(turns, kinds[0])
        await asyncio.gather(*(take(turns, kind) for kind in kinds[1:]))

    play(evening())
    return "".join(came)


def test_many_requests_of_twenty_chats_hold_up_another_one_by_a_turn() -> None:
    """Each takes a turn a second of its own, and all of them all twenty of the platform."""
    chat, overall = Rate(each_second=1, burst=2), Rate(each_second=20, burst=5)

    async def evening() -> list[float]:
        turns, loop = Turns(MemoryBucket({}), moment), asyncio.get_running_loop()

        async def take(whose: str) -> None:
            await turns.take({f"chat of {whose}": chat, "all": overall}, Urgency.ANSWER, whose)

        await asyncio.gather(*(take(f"other{number}") for number in range(4)))
        waited, flood = [], []
        for number in range(12):
            await asyncio.sleep(4)  # in which the queue becomes empty
            flood = [asyncio.create_task(take(f"mob{number}")) for number in range(20) for _ in range(3)]
            await asyncio.sleep(number / 20)
            began = loop.time()
            await take(f"other{number % 4}")
            waited.append(loop.time() - began)
        await asyncio.gather(*flood)
        return waited

    assert max(play(evening())) < 3 / 20


def test_one_who_waits_no_more_takes_no_turn_and_holds_up_no_one() -> None:
    async def evening() -> float:
        turns = Turns(MemoryBucket({}), moment)
        await turns.take({"hall": ONE}, Urgency.PRESS)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await turns.take({"hall": ONE}, Urgency.PRESS)
        await turns.take({"hall": ONE}, Urgency.FILM)
        return asyncio.get_running_loop().time()

    assert play(evening()) == pytest.approx(1)


def test_a_store_that_does_not_answer_is_said_to_all_who_wait() -> None:
    class Broken(MemoryBucket):
        async def take(self, *_: object) -> float:
            await asyncio.sleep(1)
            raise Unavailable

    async def evening() -> list[BaseException | None]:
        turns = Turns(Broken({}), moment)
        both = (turns.take({"hall": ONE}, urgency) for urgency in (Urgency.PRESS, Urgency.FILM))
        return await asyncio.gather(*both, return_exceptions=True)

    assert [type(each) for each in play(evening())] == [Unavailable, Unavailable]
