"""Each request delivered one to five times, in any order: the same state as when each comes once.

Twice: with the store of the tests, where every state on the way is compared, and with a real server, where the state of
the test's store is what there should be in the end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.asyncio import Redis

from play.errors import PlayError
from play.events.facts import subject_of
from play.ports import Timer
from play.table import Table
from rules.core import RulesError
from storage.client import by_socket
from storage.keys import TAGS, timers_key
from storage.maintenance.verify import records
from storage.redis.store import RedisStore
from storage.timestamps import from_micros
from tests.play.test_operations import Sent, check_repeats, delivered, furnish, room, sent, told
from tests.reliability.conftest import Figure, Scale
from tests.support.desk import ROOM, Desk
from tests.support.servers import redis_server

PATIENCE = 60.0
"""Seconds: a busy machine is not what is tried here."""


class Counted:
    """How much was tried."""

    def __init__(self) -> None:
        self.examples = self.requests = self.deliveries = self.done = 0

    def __str__(self) -> str:
        return (
            f"{self.examples} examples, {self.requests} requests delivered {self.deliveries} times,"
            f" {self.done} of them changed something"
        )


def test_delivered_again_and_out_of_order(scale: Scale, figure: Figure) -> None:
    counted = Counted()

    @given(wishes=sent, data=st.data())
    @settings(max_examples=scale(2000, 200), deadline=None, suppress_health_check=list(HealthCheck))
    def tried(wishes: list[tuple[Any, ...]], data: st.DataObject) -> None:
        counted.examples += 1
        counted.requests += len(wishes)
        counted.deliveries += sum(wish[-1] for wish in wishes)
        check_repeats(wishes, data)

    tried()
    figure(
        f"deliveries, in memory: {counted.examples} examples, {counted.requests} requests delivered"
        f" {counted.deliveries} times: the same state after each"
    )


def test_delivered_to_a_real_store(scale: Scale, figure: Figure, tmp_path: Path) -> None:
    counted = Counted()
    with redis_server(tmp_path / "data") as server, asyncio.Runner() as runner:
        client = by_socket(server)

        @given(wishes=sent, data=st.data())
        @settings(max_examples=scale(2000, 150), deadline=None, suppress_health_check=list(HealthCheck))
        def tried(wishes: list[tuple[Any, ...]], data: st.DataObject) -> None:
            counted.examples += 1
            runner.run(emptied(client))
            compare(wishes, data, RedisStore(client, PATIENCE), runner, counted)

        try:
            tried()
        finally:
            runner.run(client.aclose())
    figure(f"deliveries, to a real server: {counted}: the same state")


async def emptied(client: Redis) -> None:
    await client.flushall()


def compare(
    wishes: list[tuple[Any, ...]],
    data: st.DataObject,
    store: RedisStore,
    runner: asyncio.Runner,
    counted: Counted,
) -> None:
    """Deliver everything to a real store in one order, and each request once to the store of the tests."""
    requests = [Sent(number, *wish[:-1]) for number, wish in enumerate(wishes)]
    deliveries = [request for request, wish in zip(requests, wishes, strict=True) for _ in range(wish[-1])]
    deliveries = data.draw(st.permutations(deliveries), label="order")
    counted.requests += len(requests)
    counted.deliveries += len(deliveries)
    once, ids = room()
    again = Desk()
    again.table = Table(store, again.games, again.chance)
    assert runner.run(furnish(again)) == ids
    seen: set[int] = set()
    settled: dict[int, Sent] = {}
    for wish in deliveries:
        request = settled.setdefault(wish.number, wish.settled(once, ids))
        answer = runner.run(answered(request.to(again, ids)))
        if request.number not in seen:
            assert answer == delivered(once, ids, request)
        if answer is not None:
            counted.done += request.number not in seen
            seen.add(request.number)
    runner.run(check(store, once))


async def answered(asked: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await asked
    except (PlayError, RulesError):
        return None


async def check(store: RedisStore, once: Desk) -> None:
    """Hold everything that a store holds against what should be there."""
    matches = {match_id: (await store.matches.load(match_id)).match async for match_id, _ in records(store)}
    assert matches == once.stored()
    assert [match.id for match in await store.matches.at(ROOM)] == [
        match.id for match in await once.store.matches.at(ROOM)
    ]
    assert await timers(store) == {
        (match_id, timer) for match_id, kept in once.store.timers._timers.items() for timer in kept
    }
    facts, outgoing = [], store.outgoing()
    while some := await outgoing.read(100):
        facts += [one.fact for one in some]
    for match_id in matches:
        mine = [fact for fact in facts if subject_of(fact).id == match_id]
        assert mine == [fact for fact in told(once) if subject_of(fact).id == match_id]


async def timers(store: RedisStore) -> set[tuple[str, Timer]]:
    """Every timer, with the match whose it is."""
    found = set()
    for tag in range(TAGS):
        for member in await store.connection.command("ZRANGE", timers_key(tag), 0, -1):
            match_id, name, at = member.decode().split(":")
            found.add((match_id, Timer(name, from_micros(int(at)))))
    return found
