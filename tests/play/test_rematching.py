"""The same game once more."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from play.actions.leaving import Resign
from play.actions.renaming import Watch
from play.actions.seating import Decline, Join, Withdraw
from play.errors import Refused
from play.facts import Challenged, Joined, Started
from play.match import Chair, Match
from play.opening import next_seats, rematch
from play.people import Address
from play.ports import derived
from play.request import CLOCKWORK, Request
from rules.core import Seat
from tests.support.desk import ANN, BOB, CEM, EVE, HALL, HOUR, ROOM, S1, S2, S3, S4, Desk


async def finished(desk: Desk) -> Match:
    match = await desk.duel(board="6x6")
    return (await desk.act(match, ANN, Resign())).match


async def test_seats_are_swapped_and_everything_else_stays(desk: Desk) -> None:
    old = await finished(desk)
    at = desk.at
    fact = await rematch(desk.table, old.id, Request(ANN, at), where=HALL)
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
    asked = await rematch(desk.table, old.id, Request(BOB, desk.at))
    started = await rematch(desk.table, old.id, Request(ANN, desk.at))
    assert isinstance(started, Started)
    assert started.match.id == asked.match.id
    assert [chair.player for chair in started.match.chairs] == [BOB, ANN]
    code = f"#{started.match.id}"
    for who in (ANN, BOB):  # one more is to be had when it is over
        await desk.refuses(
            rematch(desk.table, old.id, Request(who, desk.at)), Refused.REMATCH_BEGUN, code=code
        )


async def test_both_ask_at_once(desk: Desk) -> None:
    old = await finished(desk)
    facts = await asyncio.gather(
        rematch(desk.table, old.id, Request(BOB, desk.at)), rematch(desk.table, old.id, Request(ANN, desk.at))
    )
    assert {type(fact) for fact in facts} == {Challenged, Started}
    assert len({fact.match.id for fact in facts}) == 1


async def test_one_that_came_to_nothing_can_be_asked_for_again(desk: Desk) -> None:
    old = await finished(desk)
    first = await rematch(desk.table, old.id, Request(BOB, desk.at))
    await desk.act(first.match, ANN, Decline())
    second = await rematch(desk.table, old.id, Request(BOB, desk.at))
    assert isinstance(second, Challenged)
    assert second.match.id != first.match.id
    third = await rematch(desk.table, old.id, Request(ANN, second.match.expires))
    assert isinstance(third, Challenged), "the second had run out of time"


async def test_more_attempts_than_derived_codes(desk: Desk) -> None:
    old = await finished(desk)
    ids = set()
    for _ in range(12):
        fact = await rematch(desk.table, old.id, Request(BOB, desk.at))
        assert isinstance(fact, Challenged)
        ids.add(fact.match.id)
        await desk.act(fact.match, BOB, Withdraw())
    assert len(ids) == 12


async def test_a_derived_code_that_another_match_has(desk: Desk) -> None:
    old = await finished(desk)
    other = replace(await desk.duel(), id=derived(old.id, 0), revision=0)
    await desk.store.matches.commit(Challenged(other), 0)
    fact = await rematch(desk.table, old.id, Request(BOB, desk.at))
    assert isinstance(fact, Challenged)
    assert fact.match.id == derived(old.id, 1)


async def test_shown_in_as_many_places_as_can_be(desk: Desk) -> None:
    match = await desk.duel()
    halls = [Address("console", f"hall{number}") for number in range(9)]
    for hall in halls:
        await desk.act(match, CLOCKWORK, Watch(hall))
    await desk.act(match, ANN, Resign())
    fact = await rematch(desk.table, match.id, Request(ANN, desk.at), where=HALL)
    assert fact.match.addresses == (HALL, ROOM, *halls[:8])


async def test_of_three_everybody_moves_one_seat_on(desk: Desk) -> None:
    old = await desk.party(ANN, BOB, CEM)
    await desk.act(old, ANN, Resign())
    await desk.act(old, BOB, Resign())
    asked = await rematch(desk.table, old.id, Request(BOB, desk.at))
    assert asked.match.chairs == (Chair(reserved=CEM), Chair(reserved=ANN), Chair(player=BOB))
    joined = await rematch(desk.table, old.id, Request(ANN, desk.at))
    assert isinstance(joined, Joined)
    assert joined.seat is S2
    await desk.gives(Started, asked.match, CEM, Join())


async def test_who_may_not_ask(desk: Desk) -> None:
    match = await desk.duel()
    await desk.refuses(rematch(desk.table, match.id, Request(ANN, desk.at)), Refused.NOT_OVER)
    await desk.refuses(rematch(desk.table, match.id, Request(EVE, desk.at)), Refused.NOT_SEATED)
    made = await desk.invited(ANN, game="lgame")
    await desk.refuses(rematch(desk.table, made.id, Request(ANN, desk.at)), Refused.NOT_OVER)
    await desk.act(made, ANN, Withdraw())
    await desk.refuses(rematch(desk.table, made.id, Request(ANN, desk.at)), Refused.CALLED_OFF)


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
    fact = await rematch(desk.table, old.id, Request(replace(BOB, name="Robert"), desk.at))
    assert fact.match.host.name == "Robert"
    assert [chair.player and chair.player.name for chair in fact.match.chairs] == ["Robert", None]
