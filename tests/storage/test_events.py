"""What every store keeps of events, the real one and the double."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from play.errors import ReusedOperation
from play.events.entries import Began, Bound, Ended, Entered, EventClosed, ExitReason, GameEnd, Left, Paired
from play.events.event import Changed, Event, EventSetup, Form, NoSuchEvent, StaleEvent
from play.people import Account, Player
from play.ports import Operation, Timer
from play.time.clock import Clock
from storage.ports import FullStore
from storage.records import codec
from tests.support.matches import ANIA, BOB, CELLAR, HALL, running
from tests.support.storing import put

AT = datetime(2026, 3, 2, 12, 0, 0, 123456, tzinfo=UTC)
SETUP = EventSetup(
    Form.CUP,
    "lgame",
    (("variant", "scoring"),),
    Clock(timedelta(days=10), timedelta(hours=36)),
    rated=True,
    settings=(("most", "8"),),
)
JOIN = Operation("update:7", "join")


def event(event_id: str = "ek7q2ab") -> Event:
    return Event(event_id, SETUP, ANIA, (HALL,), AT)


def entered(before: Event, who: Player) -> Event:
    return before.logged(Entered(who, who.account, at=AT))


async def test_what_was_committed_is_loaded(store: FullStore) -> None:
    whole = entered(entered(event(), ANIA), BOB).logged(
        Began((1, 0), at=AT),
        Paired(1, ((0, 1), (1, 0)), (), at=AT),
        Bound(0, "k7q2ab", at=AT),
        Ended(0, (0, 1), GameEnd.ABSENT, (1,), at=AT + timedelta(microseconds=1)),
        Left(1, ExitReason.ABSENT, at=AT),
        EventClosed(stopped=True, at=AT),
    )
    committed = await store.events.commit(Changed(whole, 0, opened=True), 0)
    assert committed == Changed(replace(whole, revision=1), 0, opened=True)
    assert (await store.events.load(whole.id)).event == committed.event
    assert [event_id async for event_id in store.events.ids()] == [whole.id]


@pytest.mark.parametrize("event_id", ["", "k7q2ab", "xk7q2ab", "ek7q2a\n", "e" * 99])
async def test_no_such_event(store: FullStore, event_id: str) -> None:
    with pytest.raises(NoSuchEvent):
        await store.events.load(event_id)


async def test_of_two_changes_of_one_revision_the_second_is_stale(store: FullStore) -> None:
    first = (await store.events.commit(Changed(event(), 0), 0)).event
    now = (await store.events.commit(Changed(entered(first, ANIA), 0), 1)).event
    with pytest.raises(StaleEvent) as stale:
        await store.events.commit(Changed(entered(first, BOB), 0), 1)
    assert stale.value.event == now
    assert (await store.events.load(now.id)).event == now


async def test_an_operation_is_done_once(store: FullStore) -> None:
    first = (await store.events.commit(Changed(event(), 0), 0)).event
    done = await store.events.commit(Changed(entered(first, ANIA), 0), 1, operation=JOIN)
    now = (await store.events.commit(Changed(entered(done.event, BOB), 1), 2)).event
    again = await store.events.commit(Changed(entered(now, ANIA), 2), 3, operation=JOIN)
    assert again == replace(done, event=now)
    assert (await store.events.load(now.id, JOIN)).done == again
    with pytest.raises(ReusedOperation):
        await store.events.load(now.id, replace(JOIN, payload="leave"))


async def test_lists_of_events_are_apart_from_those_of_matches(store: FullStore) -> None:
    match = await put(store, running(), 0)
    live = (await store.events.commit(Changed(entered(event(), BOB), 0), 0)).event
    closed = event("ezzzzz9").logged(EventClosed(at=AT))
    over = (await store.events.commit(Changed(closed, 0), 0)).event
    assert await store.matches.at(HALL) == [match]
    assert list(await store.events.at(HALL)) == [over, live]
    assert list(await store.events.of(BOB.account)) == [live]
    assert list(await store.events.at(CELLAR)) == list(await store.events.of(Account("room", "zoe"))) == []


async def test_a_timer_and_the_fact_come_with_the_commit(store: FullStore) -> None:
    timer = Timer("event", AT)
    fact = await store.events.commit(Changed(event(), 0), 0, timers=[timer])
    (due,) = await store.timers.due(AT, AT + timedelta(minutes=1), 10)
    assert (due.match_id, due.timer) == (fact.event.id, timer)
    assert [sent.fact for sent in await store.outgoing().read(10)] == [fact]
    after = await store.events.commit(Changed(fact.event, 0), 1, announce=False)
    assert await store.timers.due(AT + timedelta(hours=1), AT + timedelta(hours=2), 10) == ()
    assert after.event.revision == 2


@pytest.mark.parametrize("announce", [True, False])
async def test_what_cannot_be_stored_is_refused(store: FullStore, announce: bool) -> None:
    naive = event().logged(EventClosed(at=AT.replace(tzinfo=None)))
    with pytest.raises(ValueError, match="zone"):
        await store.events.commit(Changed(naive, 0), 0, announce=announce)
    with pytest.raises(NoSuchEvent):
        await store.events.load(naive.id)


def test_a_log_that_does_not_replay_is_found() -> None:
    stray = event().logged(Bound(0, "k7q2ab", at=AT))  # of a game that there is not
    with pytest.raises(LookupError):
        codec.read(codec.write(stray), 1)
