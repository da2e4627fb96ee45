"""Requests that come twice, and two requests at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from play.actions.agreeing import Answer, AskPause, AskTakeback, OfferDraw, Resume, Undo
from play.actions.leaving import Claim, Leave, Resign, Substitute
from play.actions.planning import MakePlan
from play.actions.playing import MakeMove
from play.actions.renaming import Watch
from play.actions.seating import Join, Start
from play.errors import PlayError, Refused, Stale
from play.events.event import AnyFact
from play.facts import Challenged, Fact, Moved, Started
from play.match import Ask, Match, Phase
from play.opening import Challenge, Lobby, rematch
from play.people import Player
from play.ports import Loaded, Operation, derived
from play.request import CLOCKWORK, Action, Request
from play.table import Table
from play.time.firing import fire
from rules.core import RulesError
from tests.play.test_machine import run
from tests.support.desk import ANN, BOB, CEM, DAN, EVE, HALL, NOON, ROOM, Desk
from tests.support.memory import MemoryStore
from tests.support.memory.store import MemoryMatches

# Two requests at the same moment: one wins, the other is decided again or refused.


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


async def test_two_moves_by_people_who_said_what_they_saw() -> None:
    desk = slowly()
    match = await desk.duel()
    facts, refused = await both(
        *(desk.act(match, ANN, MakeMove(text), seen=match.revision) for text in ("a2-a3", "b2-b3", "c2-c3"))
    )
    assert len(facts) == 1
    assert all(isinstance(refusal, Stale) and refusal.match == facts[0].match for refusal in refused)


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
        async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
            return await desk.store.matches.load(match_id, operation)

        async def commit(self, fact: Fact, expected: int, **rest: Any) -> Fact:
            raise Stale((await desk.store.matches.load(fact.match.id)).match)

    store = MemoryStore()
    store.matches = Busy(store.clock, store.timers, store.outbox)
    table = Table(store, desk.games, desk.chance)
    await desk.refuses(table.act(match.id, MakeMove("a2-a3"), Request(ANN, desk.at)), Refused.STALE)


# Requests that are delivered more than once are done once.


MINUTE = timedelta(minutes=1)
CHANGES: dict[str, Callable[[str], Action[Any]]] = {
    "move": MakeMove,
    "undo": lambda _: Undo(),
    "takeback": lambda _: AskTakeback(),
    "draw": lambda _: OfferDraw(),
    "pause": lambda _: AskPause(),
    "resume": lambda _: Resume(),
    "no": lambda _: Answer(Ask.DRAW, False),
    "yes": lambda _: Answer(Ask.TAKEBACK, True),
    "resign": lambda _: Resign(),
    "substitute": lambda _: Substitute(),
    "claim": lambda _: Claim(),
    "plan": lambda _: MakePlan("if a7-a6 then b2-b3; if b7-b6 then a2-a3"),
    "join": lambda _: Join(),
    "leave": lambda _: Leave(),
    "start": lambda _: Start(),
    "watch": lambda _: Watch(HALL),
}
KINDS = [*CHANGES, "rematch", "challenge"]
"""Every kind of request that has an operation."""


@dataclass(frozen=True)
class Sent:
    """One request as it was sent."""

    number: int
    kind: str
    match: int
    who: Player | None
    text: str
    seen: int | None

    def settled(self, desk: Desk, ids: Sequence[str]) -> Sent:
        """The request as it is sent, and sent again: with a sender and a text.

        None stands for the player on turn, a number for one of the moves there are then.
        """
        match = desk.stored()[ids[self.match]]
        position, player = desk.table.position(match), ANN
        if match.phase is Phase.PLAYING:
            player = match.chairs[position.to_move].player or ANN
        moves, text = position.legal_moves(), self.text
        if text.isdigit() and moves:
            text = desk.games[match.game].notation.format(moves[int(text) % len(moves)])
        return replace(self, who=self.who or player, text=text)

    def to(self, desk: Desk, ids: Sequence[str]) -> Coroutine[Any, Any, Any]:
        assert self.who
        operation = Operation(f"update:{self.number}", f"{self.kind} {self.text}")
        request = Request(self.who, NOON + self.number * MINUTE, self.seen, operation)
        if self.kind == "challenge":
            return desk.table.open(
                Challenge(ROOM, "lgame", side="random", clock="1d"), replace(request, seen=None)
            )
        if self.kind == "rematch":
            return rematch(desk.table, ids[self.match], replace(request, seen=None))
        if self.kind == "watch":
            request = Request(CLOCKWORK, NOON, operation=operation)
        return desk.table.act(ids[self.match], CHANGES[self.kind](self.text), request)


TEXTS = [*map(str, range(9)), "a2-a3", "b2-b3", "a7-a6", "b7-b6"]
TEXTS += ["a1", "a1 a2", "c1 c2", "e1", "e1 e2", "i1 i2", "g1 g2"]
sent = st.lists(
    st.tuples(
        st.sampled_from([*["move"] * 12, *KINDS]),
        st.integers(0, 2),
        st.sampled_from([*[None] * 6, ANN, BOB, CEM, DAN, EVE]),
        st.sampled_from(TEXTS),
        st.sampled_from([None, None, None, 2, 3, 4]),
        st.integers(1, 5),
    ),
    min_size=1,
    max_size=14,
)


async def furnish(desk: Desk) -> tuple[str, ...]:
    """Three matches: of two, of three, and a lobby."""
    two = await desk.duel(clock="2d+1h/3d soft")
    three = await desk.party(ANN, BOB, CEM, board="9x5", clock="1d")
    lobby = (await desk.open(DAN, Lobby(ROOM, "notches"))).match
    return two.id, three.id, lobby.id


def room() -> tuple[Desk, tuple[str, ...]]:
    """A desk with them."""
    desk = Desk()
    return desk, run(furnish(desk))


def delivered(desk: Desk, ids: Sequence[str], request: Sent) -> Any:
    try:
        return run(request.to(desk, ids))
    except (PlayError, RulesError):
        return None


def check_repeats(wishes: list[tuple[Any, ...]], data: st.DataObject) -> None:
    requests = [Sent(number, *wish[:-1]) for number, wish in enumerate(wishes)]
    deliveries = [request for request, wish in zip(requests, wishes, strict=True) for _ in range(wish[-1])]
    deliveries = data.draw(st.permutations(deliveries), label="order")
    (again, ids), (once, _) = room(), room()
    done: dict[int, Any] = {}
    sent: dict[int, Sent] = {}
    for wish in deliveries:
        request = sent.setdefault(wish.number, wish.settled(once, ids))
        fact = delivered(again, ids, request)
        if request.number in done:
            before = done[request.number]
            assert type(fact) is type(before), "the same answer"
            assert fact == replace(before, match=again.stored()[before.match.id])
            continue
        expected = delivered(once, ids, request)
        assert fact == expected
        if fact is not None:
            done[request.number] = fact
        assert again.stored() == once.stored()
    assert again.stored() == once.stored()
    assert again.store.timers._timers == once.store.timers._timers
    assert told(again) == told(once)


def told(desk: Desk) -> list[AnyFact]:
    """What is on its way to the people."""
    return [sent.fact for sent in desk.store.outbox.streams.waiting.values()]


@given(wishes=sent, data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_delivered_again_and_out_of_order(wishes: list[tuple[Any, ...]], data: st.DataObject) -> None:
    check_repeats(wishes, data)


async def test_a_code_that_is_taken(desk: Desk) -> None:
    operation = Operation("update:7", "/challenge")
    other = await desk.duel()
    taken = replace(other, id=derived("update:7", 0))
    await desk.store.matches.commit(Challenged(taken), 0)
    for _ in range(3):
        made = await desk.open(ANN, Challenge(ROOM, "lgame"), operation=operation)
        assert made.match.id == derived("update:7", 1)
    assert len(desk.stored()) == 3


async def test_two_workers_with_one_timer() -> None:
    desk = slowly()
    match = await desk.duel(clock="1d")
    desk.now += timedelta(days=1)
    facts = await asyncio.gather(
        *(fire(desk.table, match.id, "flag", desk.table.now(desk.now)) for _ in range(3))
    )
    assert sum(fact is not None for fact in facts) >= 1
    assert (await desk.table.get(match.id)).revision == match.revision + 1


async def test_a_match_that_is_known_is_not_fetched_and_an_old_one_does_no_harm(desk: Desk) -> None:
    match = await desk.duel()
    ours = match.id
    operation = Operation("update:1", "/move a2-a3")

    def known(who: Player, text: str, match: Match, operation: Operation | None = None) -> Awaitable[Moved]:
        request = Request(who, desk.at, operation=operation)
        return desk.table.act(ours, MakeMove(text), request, known=match)

    first = await known(ANN, "a2-a3", match, operation)
    again = await known(ANN, "a2-a3", match, operation)
    late = await known(ANN, "a2-a3", first.match, operation)
    assert first == again == late
    # Bob's turn has come since: the match that was known says otherwise.
    assert len((await known(BOB, "a7-a6", match)).match.log) == 2
    await desk.refuses(known(BOB, "b7-b6", first.match), Refused.NOT_YOUR_TURN)
    assert (await known(ANN, "b2-b3", await desk.duel())).match.id == ours
