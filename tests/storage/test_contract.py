"""What every store keeps of matches, events, operations and ratings, the real one and the double."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from play.errors import NoSuchMatch, ReusedOperation, Stale
from play.events.entries import Began, Bound, Ended, Entered, EventClosed, ExitReason, GameEnd, Left, Paired
from play.events.event import Changed, Event, EventSetup, NoSuchEvent
from play.facts import Asked, Fact, Started
from play.match import Ask, Chair, Match
from play.people import Account, Address, Player
from play.ports import Operation, Store, Timer
from play.ratings.model import NEWCOMER, Rating, RatingChange
from play.time.clock import Clock
from rules.core import Seat
from storage.ports import FullStore
from storage.records import codec
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
from tests.support.stores import got, language, put, set_language

# What every store keeps, the real one and the double.


def named(matches: object) -> list[str]:
    assert isinstance(matches, (list, tuple))
    return [match.id for match in matches]


@pytest.mark.parametrize("match", [lobby(), running(), over(), called_off()], ids=lambda match: match.phase)
async def test_what_was_committed_is_loaded(store: Store, match: Match) -> None:
    committed = await put(store, match, 0)
    assert committed == replace(match, revision=1)
    assert await got(store, match.id) == committed


@pytest.mark.parametrize("match_id", ["no-one", "", "k7q2ab\n", "ABCDEF", "ааа222", "a" * 10_000])
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


@pytest.mark.parametrize("expected", [0, 2**40])
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


# What every store keeps of events, the real one and the double.


AT = datetime(2026, 3, 2, 12, 0, 0, 123456, tzinfo=UTC)
SETUP = EventSetup(
    "cup",
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


async def test_an_event_that_was_committed_is_loaded(store: FullStore) -> None:
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
    mark, none = await store.events.marks((BOB.account, Account("room", "zoe")))
    assert mark
    assert none == 0
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
async def test_an_event_that_cannot_be_stored_is_refused(store: FullStore, announce: bool) -> None:
    naive = event().logged(EventClosed(at=AT.replace(tzinfo=None)))
    with pytest.raises(ValueError, match="zone"):
        await store.events.commit(Changed(naive, 0), 0, announce=announce)
    with pytest.raises(NoSuchEvent):
        await store.events.load(naive.id)


def test_a_log_that_does_not_replay_is_found() -> None:
    stray = event().logged(Bound(0, "k7q2ab", at=AT))  # of a game that there is not
    with pytest.raises(LookupError):
        codec.read(codec.write(stray), 1)


# A request that comes twice is done once; a request under another's name is refused. On every store.


ASK = Operation("update:17", "draw k7q2ab discord:481516234210815162")


def asked(plies: int = 3) -> Fact:
    return Asked(running(plies=plies), Ask.DRAW, Seat.S2)


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


@pytest.mark.parametrize("name", ["", "a b", "a\n", "ї", "x" * 101])
async def test_what_is_no_operation_s_id(store: Store, name: str) -> None:
    await put(store, running(), 0)
    with pytest.raises(ValueError, match="no operation id"):
        await store.matches.commit(asked(), 1, operation=Operation(name, ""))
    with pytest.raises(ValueError, match="no operation id"):
        await store.matches.load("k7q2ab", Operation(name, ""))
    assert (await got(store, "k7q2ab")).revision == 1


@pytest.mark.parametrize("name", ["x" * 100, "{17}:*!~"])
async def test_ids_of_every_sort(store: Store, name: str) -> None:
    operation = Operation(name, "ї" * 3000)
    fact = await store.matches.commit(Started(running()), 0, operation=operation)
    assert (await store.matches.load("k7q2ab", operation)).done == fact


async def test_a_mark_of_a_person_changes_with_each_change_of_a_match_of_theirs(store: FullStore) -> None:
    players = [player.account for player in running().players()]
    whose = (*players, Account("console", "stranger"))
    assert list(await store.matches.marks(whose)) == [0] * len(whose)
    marks, match = [await store.matches.marks(whose)], running()
    for fact in (Started(match), asked(), Asked(over(match.id), Ask.DRAW, Seat.S2)):
        await store.matches.commit(fact, len(marks) - 1)
        marks.append(await store.matches.marks(whose))
        assert all(new != old for new, old in zip(marks[-1][:-1], marks[-2][:-1], strict=True))
        assert marks[-1][-1] == 0
    assert await store.matches.marks(whose) == marks[-1], "nothing has changed since"
    assert list(await store.matches.marks(())) == []


async def test_a_request_is_bound_to_the_match_it_first_meant(store: FullStore) -> None:
    assert await store.matches.bind(ASK, "aaaaaa") == "aaaaaa"
    assert await store.matches.bind(ASK, "bbbbbb") == "aaaaaa"
    assert await store.matches.bind(replace(ASK, id="update:18"), "bbbbbb") == "bbbbbb"
    with pytest.raises(ReusedOperation):
        await store.matches.bind(replace(ASK, payload="something else"), "aaaaaa")


# Ratings, on every store: a match counts once, and no change is lost.


ANN, BEN, CAT = ANIA.account, BOB.account, CAROL.account


def one_more(before: Sequence[Rating | None]) -> Sequence[RatingChange]:
    """Everybody plays once more, and plays better by a point each time."""
    old = [rating or NEWCOMER for rating in before]
    return [RatingChange(each, Rating(each.skill + 1, each.doubt / 2, each.played + 1)) for each in old]


async def test_a_match_counts_once(store: FullStore) -> None:
    assert list(await store.ratings.get("lgame")) == []
    assert await store.ratings.counted("lgame", "k7q2ab") is None
    first = await store.ratings.count("lgame", "k7q2ab", [ANN, None], one_more)
    after = Rating(NEWCOMER.skill + 1, NEWCOMER.doubt / 2, 1)
    assert list(first) == [RatingChange(NEWCOMER, after), None]
    again = await store.ratings.count("lgame", "k7q2ab", [ANN, None], one_more)
    assert list(again) == list(first)
    assert list(await store.ratings.counted("lgame", "k7q2ab") or ()) == list(first)
    assert list(await store.ratings.get("lgame", ANN, BEN)) == [after, None]
    assert list(await store.ratings.get("breakthrough", ANN)) == [None]


async def test_matches_that_end_at_once_all_count(store: FullStore) -> None:
    names = [f"mat{number:03d}" for number in range(30)]
    pairs: list[list[Account | None]] = [[ANN, BEN], [BEN, CAT], [CAT, ANN]]
    await asyncio.gather(
        *(store.ratings.count("lgame", name, pairs[at % 3], one_more) for at, name in enumerate(names * 2))
    )
    assert [rating and rating.played for rating in await store.ratings.get("lgame", ANN, BEN, CAT)] == [
        20
    ] * 3


async def test_strange_names_do_not_mix(store: FullStore) -> None:
    whose = [Account("a:b", "c"), Account("a", "b:c"), Account("{x}", "%3A")]
    await store.ratings.count("lgame", "k7q2ab", whose[:1], one_more)
    assert [rating is None for rating in await store.ratings.get("lgame", *whose)] == [False, True, True]


async def played(store: FullStore) -> dict[str, list[Rating | int | None]]:
    """How many matches of each game Ann and Ben have played."""
    games = ("lgame", "notches", "breakthrough")
    found = {game: await store.ratings.get(game, ANN, BEN) for game in games}
    return {game: [rating and rating.played for rating in ratings] for game, ratings in found.items()}


async def test_of_two_accounts_the_rating_from_more_matches_is_kept(store: FullStore) -> None:
    for number in range(3):
        await store.ratings.count("lgame", f"mat00{number}", [ANN], one_more)
        await store.ratings.count("notches", f"mat00{number}", [BEN], one_more)
    await store.ratings.count("lgame", "mat009", [BEN], one_more)
    await store.ratings.count("breakthrough", "mat009", [BEN], one_more)
    await store.ratings.merge(BEN, ANN)
    await store.ratings.merge(BEN, ANN)
    assert await played(store) == {"lgame": [3, 1], "notches": [3, 3], "breakthrough": [1, 1]}
    await store.ratings.count("notches", "mat010", [ANN], one_more)
    await store.ratings.part(BEN, ANN)
    await store.ratings.part(BEN, ANN)
    assert await played(store) == {"lgame": [3, 1], "notches": [4, 3], "breakthrough": [None, 1]}


async def test_who_is_forgotten_has_none(store: FullStore) -> None:
    await store.ratings.count("lgame", "k7q2ab", [ANN, BEN], one_more)
    await store.ratings.count("notches", "k7q2ac", [BEN, ANN], one_more)
    await store.forget(BEN)
    for game in ("lgame", "notches"):
        held = await store.ratings.get(game, ANN, BEN)
        assert held[0] is not None
        assert held[1] is None
    kept = await store.ratings.counted("lgame", "k7q2ab")
    assert kept is not None  # it does not say whose it was
    assert list(await store.ratings.count("lgame", "k7q2ab", [ANN, BEN], one_more)) == list(kept)
    assert list(await store.ratings.get("lgame", BEN)) == [None]
