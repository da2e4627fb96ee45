"""A request that comes twice is done once; a request under another's name is refused. On every store."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from play.errors import NoSuchMatch, ReusedOperation, Stale
from play.facts import Asked, Fact, Moved, Started
from play.match import Ask
from play.ports import Operation, Store
from rules.core import Seat
from storage.ports import FullStore
from tests.support.matches import lobby, running
from tests.support.storing import got, put

ASK = Operation("update:17", "draw k7q2ab discord:481516234210815162")


def asked(plies: int = 3) -> Fact:
    return Asked(running(plies=plies), Ask.DRAW, Seat.S2)


async def test_an_operation_is_done_once(store: Store) -> None:
    await put(store, running(), 0)
    first = await store.matches.commit(asked(), 1, operation=ASK)
    assert first == replace(asked(), match=replace(running(), revision=2))
    assert await store.matches.commit(asked(), 1, operation=ASK) == first
    assert (await got(store, "k7q2ab")).revision == 2


async def test_the_fact_comes_back_with_the_match_as_it_is_now(store: Store) -> None:
    await put(store, running(), 0)
    await store.matches.commit(asked(), 1, operation=ASK)
    now = await put(store, running(plies=9), 2)
    for expected in (1, 2, 3, 77):
        again = await store.matches.commit(asked(plies=5), expected, operation=ASK)
        assert again == replace(asked(), match=now)
    loaded = await store.matches.load("k7q2ab", ASK)
    assert loaded.match == now
    assert loaded.done == replace(asked(), match=now)


async def test_an_operation_that_was_not_done_is_not_known(store: Store) -> None:
    await put(store, running(), 0)
    assert (await store.matches.load("k7q2ab", ASK)).done is None
    with pytest.raises(Stale):
        await store.matches.commit(asked(), 7, operation=ASK)
    assert (await store.matches.load("k7q2ab", ASK)).done is None
    with pytest.raises(NoSuchMatch):
        await store.matches.load("zzzzz9", ASK)


async def test_another_payload_under_the_same_id_is_refused(store: Store) -> None:
    await put(store, running(), 0)
    await store.matches.commit(asked(), 1, operation=ASK)
    other = replace(ASK, payload="resign k7q2ab discord:481516234210815162")
    for attempt in (
        store.matches.load("k7q2ab", other),
        store.matches.commit(asked(), 1, operation=other),
        store.matches.commit(asked(), 2, operation=other),
    ):
        with pytest.raises(ReusedOperation):
            await attempt
    assert (await got(store, "k7q2ab")).revision == 2


async def test_a_new_match_is_made_once(store: Store) -> None:
    made = [await store.matches.commit(Started(lobby()), 0, operation=ASK) for _ in range(3)]
    assert made[0] == made[1] == made[2]
    assert made[0].match.revision == 1


async def test_of_many_deliveries_at_once_one_is_done_and_all_hear_of_it(store: FullStore) -> None:
    await put(store, running(), 0)
    facts = await asyncio.gather(*(store.matches.commit(asked(), 1, operation=ASK) for _ in range(30)))
    assert set(facts) == {replace(asked(), match=replace(running(), revision=2))}
    assert await store.outgoing().backlog() == 2


async def test_operations_of_two_matches_are_apart(store: Store) -> None:
    for match_id in ("aaaaaa", "bbbbbb"):
        fact = await store.matches.commit(Started(lobby(match_id)), 0, operation=ASK)
        assert fact.match.id == match_id
    again = await store.matches.commit(Started(lobby("aaaaaa")), 1, operation=replace(ASK, id="x"))
    assert again.match.revision == 2


@pytest.mark.parametrize("name", ["", " ", "a b", "a\n", "ї", "x" * 101, "a\x00"])
async def test_what_is_no_operation_s_id(store: Store, name: str) -> None:
    await put(store, running(), 0)
    with pytest.raises(ValueError, match="no operation id"):
        await store.matches.commit(asked(), 1, operation=Operation(name, ""))
    with pytest.raises(ValueError, match="no operation id"):
        await store.matches.load("k7q2ab", Operation(name, ""))
    assert (await got(store, "k7q2ab")).revision == 1


@pytest.mark.parametrize("name", ["x" * 100, "interaction:1181516234210815999", "{17}:*", "!~"])
async def test_ids_of_every_sort(store: Store, name: str) -> None:
    operation = Operation(name, "ї" * 3000)
    fact = await store.matches.commit(Started(running()), 0, operation=operation)
    assert (await store.matches.load("k7q2ab", operation)).done == fact


async def test_what_a_move_did_is_told_again_whole(store: Store) -> None:
    match = running(plies=5)
    moved = Moved(match, Seat.S1, match.log[3:], True, (Seat.S3,))  # type: ignore[arg-type]
    first = await store.matches.commit(moved, 0, operation=ASK)
    assert (await store.matches.load("k7q2ab", ASK)).done == first


async def test_a_request_is_bound_to_the_match_it_first_meant(store: FullStore) -> None:
    assert await store.matches.bind(ASK, "aaaaaa") == "aaaaaa"
    assert await store.matches.bind(ASK, "bbbbbb") == "aaaaaa"
    assert await store.matches.bind(replace(ASK, id="update:18"), "bbbbbb") == "bbbbbb"
    with pytest.raises(ReusedOperation):
        await store.matches.bind(replace(ASK, payload="something else"), "aaaaaa")
