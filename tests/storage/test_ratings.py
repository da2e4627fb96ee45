"""Ratings, on every store: a match counts once, and no change is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from play.people import Account
from play.ratings.model import NEWCOMER, Rating, RatingChange
from storage.ports import FullStore
from tests.support.matches import ANIA, BOB, CAROL

ANN, BEN, CAT = ANIA.account, BOB.account, CAROL.account


def one_more(before: Sequence[Rating | None]) -> Sequence[RatingChange]:
    """Everybody plays once more, and plays better by a point each time."""
    old = [rating or NEWCOMER for rating in before]
    return [RatingChange(each, Rating(each.skill + 1, each.doubt / 2, each.played + 1)) for each in old]


async def test_there_is_no_rating_at_first(store: FullStore) -> None:
    assert list(await store.ratings.get("lgame")) == []
    assert list(await store.ratings.get("lgame", ANN, BEN)) == [None, None]
    assert await store.ratings.counted("lgame", "k7q2ab") is None


async def test_a_match_counts_once(store: FullStore) -> None:
    first = await store.ratings.count("lgame", "k7q2ab", [ANN, None], one_more)
    after = Rating(NEWCOMER.skill + 1, NEWCOMER.doubt / 2, 1)
    assert list(first) == [RatingChange(NEWCOMER, after), None]
    again = await store.ratings.count("lgame", "k7q2ab", [ANN, None], one_more)
    assert list(again) == list(first)
    assert list(await store.ratings.counted("lgame", "k7q2ab") or ()) == list(first)
    assert list(await store.ratings.get("lgame", ANN, BEN)) == [after, None]
    assert list(await store.ratings.get("breakthrough", ANN)) == [None]


async def test_of_many_at_once_one_counts(store: FullStore) -> None:
    told = await asyncio.gather(
        *(store.ratings.count("lgame", "k7q2ab", [ANN, BEN], one_more) for _ in range(30))
    )
    assert all(list(each) == list(told[0]) for each in told)
    assert [rating and rating.played for rating in await store.ratings.get("lgame", ANN, BEN)] == [1, 1]


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


async def test_of_two_accounts_the_rating_from_more_matches_is_kept(store: FullStore) -> None:
    for number in range(3):
        await store.ratings.count("lgame", f"mat00{number}", [ANN], one_more)
        await store.ratings.count("notches", f"mat00{number}", [BEN], one_more)
    await store.ratings.count("lgame", "mat009", [BEN], one_more)
    await store.ratings.count("breakthrough", "mat009", [BEN], one_more)
    await store.ratings.merge(BEN, ANN)
    await store.ratings.merge(BEN, ANN)
    played = {
        game: [rating and rating.played for rating in await store.ratings.get(game, ANN, BEN)]
        for game in ("lgame", "notches", "breakthrough")
    }
    assert played == {"lgame": [3, 1], "notches": [3, 3], "breakthrough": [1, 1]}
    await store.ratings.count("notches", "mat010", [ANN], one_more)
    await store.ratings.part(BEN, ANN)
    await store.ratings.part(BEN, ANN)
    played = {
        game: [rating and rating.played for rating in await store.ratings.get(game, ANN, BEN)]
        for game in ("lgame", "notches", "breakthrough")
    }
    assert played == {"lgame": [3, 1], "notches": [4, 3], "breakthrough": [None, 1]}


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
