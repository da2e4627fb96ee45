"""Two requests at the same moment: one wins, the other is decided again or refused."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join, Withdraw
from play.errors import PlayError, Refused, Stale
from play.facts import CalledOff, Fact, Joined, Moved, Started
from play.match import Phase
from play.opening import Lobby, rematch
from play.ports import Loaded, Operation
from play.request import Request
from play.table import Table
from tests.support.desk import ANN, BOB, CEM, DAN, ROOM, S1, S2, S3, Desk
from tests.support.memory import MemoryStore
from tests.support.memory.matches import MemoryMatches


class Slow(MemoryMatches):
    """Matches where all other tasks get their turn between the loading and the commit."""

    async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
        loaded = await super().load(match_id, operation)
        await asyncio.sleep(0)
        return loaded

    async def commit(self, fact: Fact, expected: int, **rest: Any) -> Fact:
        await asyncio.sleep(0)
        return await super().commit(fact, expected, **rest)


def slowly() -> Desk:
    desk = Desk()
    desk.store = MemoryStore()
    desk.store.matches = Slow(desk.store.clock, desk.store.timers, desk.store.outbox)
    desk.table = Table(desk.store, desk.games, desk.chance)
    return desk


async def both(*asked: Coroutine[Any, Any, Any]) -> tuple[list[Any], list[PlayError]]:
    """What of several requests at once came through, and what was refused."""
    done = await asyncio.gather(*asked, return_exceptions=True)
    refused = [outcome for outcome in done if isinstance(outcome, PlayError)]
    facts = [outcome for outcome in done if not isinstance(outcome, BaseException)]
    assert len(facts) + len(refused) == len(asked)
    return facts, refused


async def test_two_moves_on_one_turn() -> None:
    desk = slowly()
    match = await desk.duel()
    facts, refused = await both(
        desk.act(match, ANN, MakeMove("a2-a3")), desk.act(match, ANN, MakeMove("b2-b3"))
    )
    assert [type(fact) for fact in facts] == [Moved]
    assert [refusal.reason for refusal in refused] == [Refused.NOT_YOUR_TURN]
    assert refused[0].fields == {"seat": S2}
    stored = await desk.table.get(match.id)
    assert stored == facts[0].match
    assert len(stored.log) == 1


async def test_two_moves_by_people_who_said_what_they_saw() -> None:
    desk = slowly()
    match = await desk.duel()
    facts, refused = await both(
        *(desk.act(match, ANN, MakeMove(text), seen=match.revision) for text in ("a2-a3", "b2-b3", "c2-c3"))
    )
    assert len(facts) == 1
    assert all(isinstance(refusal, Stale) and refusal.match == facts[0].match for refusal in refused)


async def test_two_tables_on_one_store() -> None:
    desk = slowly()
    match = await desk.duel()
    other = Table(desk.store, desk.games, desk.chance)
    assert other.position(match).to_move is S1
    facts, refused = await both(
        desk.act(match, ANN, MakeMove("a2-a3")), other.act(match.id, MakeMove("b2-b3"), Request(ANN, desk.at))
    )
    assert len(facts) == len(refused) == 1
    assert desk.table.position(facts[0].match) == other.position(facts[0].match)
    for table, who, text in ((other, BOB, "a7-a6"), (desk.table, ANN, "h2-h3"), (other, BOB, "h7-h6")):
        fact = await table.act(match.id, MakeMove(text), Request(who, desk.at))
        assert len(table.course(fact.match).log) == len(fact.match.log)


async def test_actions_of_one_turn_both_count() -> None:
    desk = slowly()
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    facts, refused = await both(desk.act(match, ANN, MakeMove("a1")), desk.act(match, ANN, MakeMove("a2")))
    assert (len(facts), refused) == (2, [])
    assert sorted(fact.match.revision - match.revision for fact in facts) == [1, 2]


async def test_two_who_take_the_last_chair() -> None:
    desk = slowly()
    match = await desk.invited(ANN, game="lgame")
    facts, refused = await both(desk.act(match, BOB, Join()), desk.act(match, CEM, Join()))
    assert [type(fact) for fact in facts] == [Started]
    assert [refusal.reason for refusal in refused] == [Refused.ALREADY_STARTED]


async def test_a_lobby_that_all_enter_at_once() -> None:
    desk = slowly()
    match = (await desk.open(ANN, Lobby(ROOM, "notches", {"players": "4"}))).match
    facts, refused = await both(*(desk.act(match, who, Join()) for who in (BOB, CEM, DAN)))
    assert refused == []
    assert {type(fact) for fact in facts} == {Joined}
    assert {fact.seat for fact in facts} == {S2, S3, 3}


async def test_withdrawn_while_it_is_accepted() -> None:
    desk = slowly()
    match = await desk.invited(ANN, BOB, game="lgame")
    facts, refused = await both(desk.act(match, ANN, Withdraw()), desk.act(match, BOB, Join()))
    assert [type(fact) for fact in facts] == [CalledOff]
    assert [refusal.reason for refusal in refused] == [Refused.CALLED_OFF]


async def test_both_resign_at_once() -> None:
    desk = slowly()
    match = await desk.duel()
    facts, refused = await both(desk.act(match, ANN, Resign()), desk.act(match, BOB, Resign()))
    assert len(facts) == 1
    assert [refusal.reason for refusal in refused] == [Refused.OVER]


async def test_both_want_a_rematch_at_once() -> None:
    desk = slowly()
    match = await desk.duel()
    await desk.act(match, ANN, Resign())
    facts, refused = await both(
        rematch(desk.table, match.id, Request(ANN, desk.at)),
        rematch(desk.table, match.id, Request(BOB, desk.at)),
    )
    assert refused == []
    assert len({fact.match.id for fact in facts}) == 1
    assert (await desk.table.get(facts[0].match.id)).phase is Phase.PLAYING


async def test_a_request_that_is_always_overtaken_is_stale() -> None:
    desk = Desk()
    match = await desk.duel()

    class Busy(MemoryMatches):
        """Another commit is always first."""

        async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
            return await desk.store.matches.load(match_id, operation)

        async def commit(self, fact: Fact, expected: int, **rest: Any) -> Fact:
            raise Stale((await desk.store.matches.load(fact.match.id)).match)

    store = MemoryStore()
    store.matches = Busy(store.clock, store.timers, store.outbox)
    table = Table(store, desk.games, desk.chance)
    await desk.refuses(table.act(match.id, MakeMove("a2-a3"), Request(ANN, desk.at)), Refused.STALE)
