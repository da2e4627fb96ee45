"""What every store keeps, the real one and the double."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from play.errors import NoSuchMatch, Stale
from play.match import Chair, Match
from play.people import Account, Address
from play.ports import Store
from storage.redis.lists import OVER_KEPT
from tests.support.matches import (
    ANIA,
    BOB,
    CAROL,
    CELLAR,
    HALL,
    OPENED,
    called_off,
    ids,
    lobby,
    over,
    running,
)
from tests.support.storing import got, language, put, set_language


def named(matches: object) -> list[str]:
    assert isinstance(matches, (list, tuple))
    return [match.id for match in matches]


@pytest.mark.parametrize("match", [lobby(), running(), over(), called_off()], ids=lambda match: match.phase)
async def test_what_was_committed_is_loaded(store: Store, match: Match) -> None:
    committed = await put(store, match, 0)
    assert committed == replace(match, revision=1)
    assert await got(store, match.id) == committed


@pytest.mark.parametrize(
    "match_id", ["no-one", "", "../../", "k7q2a", "k7q2ab\n", "ABCDEF", "ааа222", "a" * 10_000]
)
async def test_no_such_match(store: Store, match_id: str) -> None:
    with pytest.raises(NoSuchMatch) as refusal:
        await got(store, match_id)
    assert refusal.value.fields == {"code": match_id[:12]}


async def test_revisions_are_read_alone(store: Store) -> None:
    first, second = await put(store, lobby(), 0), await put(store, replace(running(), id="k7q2zz"), 0)
    await put(store, second, 1)
    revisions = await store.matches.revisions([second.id, "zzzzzz", first.id])
    assert list(revisions) == [2, 0, 1]
    assert list(await store.matches.revisions([])) == []


async def test_no_match_to_change(store: Store) -> None:
    with pytest.raises(NoSuchMatch):
        await put(store, lobby(), 4)
    with pytest.raises(NoSuchMatch):
        await got(store, lobby().id)


@pytest.mark.parametrize(
    "match",
    [
        replace(lobby(), id="{17}:x"),
        replace(lobby(), opened=OPENED.replace(tzinfo=None)),
        replace(lobby(), host=replace(ANIA, name="\ud800")),
    ],
    ids=["id", "zone", "surrogate"],
)
async def test_what_cannot_be_stored_is_refused(store: Store, match: Match) -> None:
    with pytest.raises(ValueError, match=r"no match id|without a zone|surrogates"):
        await put(store, match, 0)
    assert not await store.matches.at(HALL)


@pytest.mark.parametrize("expected", [0, 1, 3, 2**40])
async def test_a_stale_commit_changes_nothing_and_shows_the_match(store: Store, expected: int) -> None:
    await put(store, running(), 0)
    now = await put(store, replace(running(plies=4), revision=1), 1)
    with pytest.raises(Stale) as refusal:
        await put(store, replace(running(plies=9), addresses=(Address("x", "y"),)), expected)
    assert refusal.value.match == now
    assert await got(store, now.id) == now
    assert not await store.matches.at(Address("x", "y"))


async def test_of_a_hundred_at_once_one_wins(store: Store) -> None:
    begun = await put(store, running(), 0)
    tries = [replace(begun, log=begun.log * (number + 2)) for number in range(100)]
    answers = await asyncio.gather(*(put(store, each, 1) for each in tries), return_exceptions=True)
    (winner,) = [answer for answer in answers if isinstance(answer, Match)]
    losers = [answer for answer in answers if isinstance(answer, Stale)]
    assert len(losers) == 99
    assert {loser.match.revision for loser in losers} == {2}
    assert all(loser.match == winner for loser in losers)
    assert await got(store, begun.id) == winner


async def test_equal_commits_are_told_apart(store: Store) -> None:
    """Two requests that would write the same: one of them did it, the other one came too late."""
    begun = await put(store, running(), 0)
    answers = await asyncio.gather(*(put(store, begun, 1) for _ in range(20)), return_exceptions=True)
    assert sum(isinstance(answer, Match) for answer in answers) == 1
    assert sum(isinstance(answer, Stale) for answer in answers) == 19


async def test_many_matches_at_once_do_not_mix(store: Store) -> None:
    async def play(match_id: str) -> None:
        match = await put(store, running(match_id, 0), 0)
        for plies in range(1, 6):
            match = await put(store, replace(running(match_id, plies), revision=match.revision), plies)

    await asyncio.gather(*map(play, ids(40)))
    for match_id in ids(40):
        assert await got(store, match_id) == replace(running(match_id, 5), revision=6)


async def test_lists_have_the_latest_change_first(store: Store) -> None:
    one, two, three = ids(3)
    for match in (running(one), over(two), running(three)):
        await put(store, match, 0)
    assert named(await store.matches.at(HALL)) == [three, two, one]
    await put(store, running(one, 5), 1)
    assert named(await store.matches.at(HALL)) == [one, three, two]
    assert named(await store.matches.at(CELLAR)) == [one, three]
    assert named(await store.matches.of(BOB.account)) == [one, three, two]
    assert named(await store.matches.of(CAROL.account)) == [two]
    assert (await store.matches.at(HALL))[0] == replace(running(one, 5), revision=2)


async def test_a_stranger_s_lists_are_empty(store: Store) -> None:
    await put(store, running(), 0)
    assert not await store.matches.at(Address("discord", "elsewhere"))
    assert not await store.matches.of(Account("discord", "77123"))  # Bob's number, on another platform


async def test_an_expected_player_and_the_host_are_concerned(store: Store) -> None:
    await put(store, replace(lobby(), host=CAROL), 0)
    for player in (ANIA, BOB, CAROL):
        assert named(await store.matches.of(player.account)) == ["k7q2ab"]


async def test_who_left_is_not_concerned_any_more(store: Store) -> None:
    await put(store, lobby(), 0)
    await put(store, replace(lobby(), chairs=(Chair(ANIA), Chair(), Chair()), addresses=(CELLAR,)), 1)
    assert not await store.matches.of(BOB.account)
    assert not await store.matches.at(HALL)
    assert named(await store.matches.at(CELLAR)) == ["k7q2ab"]
    await put(store, lobby(), 2)
    assert named(await store.matches.of(BOB.account)) == named(await store.matches.at(HALL)) == ["k7q2ab"]


async def test_matches_that_are_over_are_shown_up_to_a_number(store: Store) -> None:
    finished = ids(OVER_KEPT + 10)
    for number, match_id in enumerate(finished):
        await put(store, over(match_id) if number % 2 else called_off(match_id), 0)
    await put(store, running("alive1"), 0)
    await put(store, lobby("alive2"), 0)
    last = finished[: -OVER_KEPT - 1 : -1]
    assert named(await store.matches.at(HALL)) == ["alive2", "alive1", *last]
    assert named(await store.matches.of(ANIA.account)) == ["alive2", "alive1", *last]
    assert named(await store.matches.at(HALL, over=False)) == ["alive2", "alive1"]
    await got(store, finished[0])  # it is still there, only on no list


async def test_live_matches_are_shown_however_many(store: Store) -> None:
    for match_id in ids(60):
        await put(store, running(match_id), 0)
    assert named(await store.matches.at(HALL)) == ids(60)[::-1]
    assert named(await store.matches.at(HALL, most=5)) == ids(60)[:-6:-1]
    assert named(await store.matches.at(HALL, over=False, most=5)) == ids(60)[:-6:-1]
    assert await store.matches.live_at(HALL) == 60


async def test_a_place_named_twice_shows_a_match_once(store: Store) -> None:
    await put(store, replace(running(), addresses=(HALL, HALL)), 0)
    assert named(await store.matches.at(HALL)) == ["k7q2ab"]


async def test_names_that_look_like_keys_stay_apart(store: Store) -> None:
    tricky = [
        Address("a:b", "c"),
        Address("a", "b:c"),
        Address("a", "b:c:live"),
        Address("{a}", "*"),
        Address("", ""),
    ]
    for match_id, address in zip(ids(len(tricky)), tricky, strict=True):
        await put(store, replace(running(match_id), addresses=(address,)), 0)
        await set_language(store, address, match_id)
    for match_id, address in zip(ids(len(tricky)), tricky, strict=True):
        assert named(await store.matches.at(address)) == [match_id]
        assert await language(store, address) == match_id
