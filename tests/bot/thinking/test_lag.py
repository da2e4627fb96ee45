"""One person who asks for a thousand analyses does not slow others."""

from __future__ import annotations

import asyncio

from bot.chat.thinking import Busy, Thinker
from bot.chat.thinking.jobs import EACH, job_for
from rules import GAMES
from tests.bot.thinking.helpers import Inline

GAME = GAMES["breakthrough"]
OPTIONS = GAME.choose({"board": "5x5"})


async def test_a_thousand_questions_of_one_person_do_not_slow_others() -> None:
    solver = Inline()
    solver.hold = asyncio.Event()
    thinker = Thinker(solver)
    job = job_for(GAME, OPTIONS, GAME.start(OPTIONS))
    greedy = [asyncio.create_task(thinker.advice(job, "greedy", "hall")) for _ in range(1000)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    refused = [task for task in greedy if task.done() and isinstance(task.exception(), Busy)]
    assert len(refused) == 1000 - EACH
    turn = asyncio.create_task(thinker.turn(job_for(GAME, OPTIONS, GAME.start(OPTIONS), level=3), "a match"))
    another = job_for(GAME, OPTIONS, GAME.start(OPTIONS), seed=2)
    other = asyncio.create_task(thinker.advice(another, "modest", "room"))
    await asyncio.sleep(0)
    assert [each.level for each in solver.asked] == [None, 3]  # the match did not wait
    solver.hold.set()
    assert all(reply.lines for reply in await asyncio.gather(turn, other))
    await asyncio.gather(*greedy, return_exceptions=True)
