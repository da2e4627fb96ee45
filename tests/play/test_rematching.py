"""The same game once more."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from play.chance import derived
from play.errors import Refused
from play.facts import Challenged, Joined, Started
from play.match import Chair, Match
from play.people import Address
from play.rematching import next_seats
from rules.core import Seat
from tests.play.desk import ANN, BOB, CEM, EVE, HALL, HOUR, ROOM, S1, S2, S3, S4, Desk


async def finished(desk: Desk) -> Match:
    match = await desk.duel(board="6x6")
    return (await desk.table.resign(match.id, ANN, at=desk.at)).match


async def test_seats_are_swapped_and_everything_else_stays(desk: Desk) -> None:
    old = await finished(desk)
    at = desk.at
    fact = await desk.table.rematch(old.id, ANN, at=at, where=HALL)
    assert isinstance(fact, Challenged)
    match = fact.match
    assert match.chairs == (Chair(reserved=BOB), Chair(player=ANN))
    assert (match.game, match.options, match.rematch_of) == (old.game, old.options, old.id)
    assert (match.host, match.opened, match.expires) == (ANN, at, at + 24 * HOUR)
    assert match.addresses == (HALL, ROOM)
    assert match.id != old.id
    assert await desk.table.get(old.id) == old


async def test_the_other_side_accepts_by_asking(desk: Desk) -> None:
    old = await finished(desk)
    asked = await desk.table.rematch(old.id, BOB, at=desk.at)
    started = await desk.table.rematch(old.id, ANN, at=desk.at)
    assert isinstance(started, Started)
    assert started.match.id == asked.match.id
    assert [chair.player for chair in started.match.chairs] == [BOB, ANN]
    code = f"#{started.match.id}"
    for who in (ANN, BOB):  # one more is to be had when it is over
        await desk.refuses(desk.table.rematch(old.id, who, at=desk.at), Refused.REMATCH_BEGUN, code=code)


async def test_asking_twice_makes_no_second_one(desk: Desk) -> None:
    old = await finished(desk)
    await desk.table.rematch(old.id, BOB, at=desk.at)
    await desk.refuses(desk.table.rematch(old.id, BOB, at=desk.at), Refused.OWN_CHALLENGE)


async def test_both_ask_at_once(desk: Desk) -> None:
    old = await finished(desk)
    facts = await asyncio.gather(
        desk.table.rematch(old.id, BOB, at=desk.at), desk.table.rematch(old.id, ANN, at=desk.at)
    )
    assert {type(fact) for fact in facts} == {Challenged, Started}
    assert len({fact.match.id for fact in facts}) == 1


async def test_one_that_came_to_nothing_can_be_asked_for_again(desk: Desk) -> None:
    old = await finished(desk)
    first = await desk.table.rematch(old.id, BOB, at=desk.at)
    await desk.table.decline(first.match.id, ANN, at=desk.at)
    second = await desk.table.rematch(old.id, BOB, at=desk.at)
    assert isinstance(second, Challenged)
    assert second.match.id != first.match.id
    third = await desk.table.rematch(old.id, ANN, at=second.match.expires)
    assert isinstance(third, Challenged), "the second had run out of time"


async def test_more_attempts_than_derived_codes(desk: Desk) -> None:
    old = await finished(desk)
    ids = set()
    for _ in range(12):
        fact = await desk.table.rematch(old.id, BOB, at=desk.at)
        assert isinstance(fact, Challenged)
        ids.add(fact.match.id)
        await desk.table.withdraw(fact.match.id, BOB, at=desk.at)
    assert len(ids) == 12


async def test_a_derived_code_that_another_match_has(desk: Desk) -> None:
    old = await finished(desk)
    other = replace(await desk.duel(), id=derived(old.id, 0), revision=0)
    await desk.store.matches.commit(Challenged(other), 0)
    fact = await desk.table.rematch(old.id, BOB, at=desk.at)
    assert isinstance(fact, Challenged)
    assert fact.match.id == derived(old.id, 1)


async def test_shown_in_as_many_places_as_can_be(desk: Desk) -> None:
    match = await desk.duel()
    halls = [Address("console", f"hall{number}") for number in range(9)]
    for hall in halls:
        await desk.table.watch(match.id, hall)
    await desk.table.resign(match.id, ANN, at=desk.at)
    fact = await desk.table.rematch(match.id, ANN, at=desk.at, where=HALL)
    assert fact.match.addresses == (HALL, ROOM, *halls[:8])


async def test_rematch_after_rematch(desk: Desk) -> None:
    match = await finished(desk)
    first = match.chairs
    for swapped in (True, False):
        await desk.table.rematch(match.id, ANN, at=desk.at)
        match = (await desk.table.rematch(match.id, BOB, at=desk.at)).match
        assert (match.chairs == first) is not swapped
        match = (await desk.table.resign(match.id, BOB, at=desk.at)).match


async def test_of_three_everybody_moves_one_seat_on(desk: Desk) -> None:
    old = await desk.party(ANN, BOB, CEM)
    await desk.table.resign(old.id, ANN, at=desk.at)
    await desk.table.resign(old.id, BOB, at=desk.at)
    asked = await desk.table.rematch(old.id, BOB, at=desk.at)
    assert asked.match.chairs == (Chair(reserved=CEM), Chair(reserved=ANN), Chair(player=BOB))
    joined = await desk.table.rematch(old.id, ANN, at=desk.at)
    assert isinstance(joined, Joined)
    assert joined.seat is S2
    started = await desk.table.accept(asked.match.id, CEM, at=desk.at)
    assert isinstance(started, Started)


async def test_who_may_not_ask(desk: Desk) -> None:
    match = await desk.duel()
    await desk.refuses(desk.table.rematch(match.id, ANN, at=desk.at), Refused.NOT_OVER)
    await desk.refuses(desk.table.rematch(match.id, EVE, at=desk.at), Refused.NOT_SEATED)
    made = (await desk.table.challenge(ANN, ROOM, "lgame", {}, at=desk.at)).match
    await desk.refuses(desk.table.rematch(made.id, ANN, at=desk.at), Refused.NOT_OVER)
    await desk.table.withdraw(made.id, ANN, at=desk.at)
    await desk.refuses(desk.table.rematch(made.id, ANN, at=desk.at), Refused.CALLED_OFF)


@pytest.mark.parametrize(
    ("sides", "expected"),
    [
        (((S1,), (S2,)), [1, 0]),
        (((S1,), (S2,), (S3,)), [1, 2, 0]),
        (((S1, S3), (S2, S4)), [1, 2, 3, 0]),
        (((S1, S2), (S3, S4)), [2, 3, 0, 1]),
        (((S1, S4), (S2, S3)), [1, 0, 3, 2]),
        (((S1, S2), (S3,)), [0, 1, 2]),
        (((Seat(0), Seat(3)), (Seat(1), Seat(4)), (Seat(2), Seat(5))), [1, 2, 3, 4, 5, 0]),
    ],
)
def test_next_seats_keep_teams_together(sides: tuple[tuple[Seat, ...], ...], expected: list[int]) -> None:
    moved = next_seats(sides)
    assert [moved[Seat(index)] for index in range(len(moved))] == expected
    assert {frozenset(moved[s] for s in side) for side in sides} == set(map(frozenset, sides))


async def test_names_as_they_are_now(desk: Desk) -> None:
    old = await finished(desk)
    fact = await desk.table.rematch(old.id, replace(BOB, name="Robert"), at=desk.at)
    assert fact.match.host.name == "Robert"
    assert [chair.player and chair.player.name for chair in fact.match.chairs] == ["Robert", None]
