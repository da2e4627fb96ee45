"""Giving up, of two and of more."""

from __future__ import annotations

from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.errors import Refused
from play.facts import Departed, Flagged
from play.files.matchfile import Import
from play.match import Closing, Exit, Match, Phase, Result, engine
from play.opening import Challenge
from play.people import Player
from tests.support.desk import ANN, BOB, CEM, DAN, HOUR, ROOM, S2, S3, Desk


async def test_of_more_the_rest_play_on(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, DAN, board="9x9")
    match = await desk.play(match, "a1 a2", "e1")
    at = desk.at
    fact = await desk.act(match, BOB, Resign(), at=at)
    assert fact.match.phase is Phase.PLAYING
    assert fact.match.log[-1] == Exit(S2, Closing.RESIGNED, at)
    position = desk.table.position(fact.match)
    assert position.to_move is S3
    assert position.out == {S2}
    await desk.refused(match, BOB, Resign(), Refused.YOU_ARE_OUT)
    await desk.refused(match, BOB, MakeMove("e2"), Refused.YOU_ARE_OUT)
    await desk.play(match, "i1 i2", "a9 b9", "a3 a4", "i3")


async def test_the_last_one_left_wins_by_the_rules(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM)
    await desk.act(match, CEM, Resign())
    fact = await desk.act(match, ANN, Resign())
    assert fact.match.phase is Phase.OVER
    assert fact.match.result == Result((S2,), "notches.ending.last-left")


async def with_engines(desk: Desk, *others: Player) -> Match:
    """A match of Ann with two engines, and perhaps more people; it begins once those have accepted."""
    one = engine(4)
    opponents = (*others, one, engine(4, {one.account}))
    chosen = {"players": str(1 + len(opponents))}
    made = await desk.open(ANN, Challenge(ROOM, "notches", chosen, opponents=opponents, clock="3d"))
    return made.match


async def test_engines_do_not_go_on_alone(desk: Desk) -> None:
    match = await with_engines(desk, BOB)
    match = (await desk.act(match, BOB, Join())).match
    fact = await desk.act(match, ANN, Resign())
    assert fact.match.phase is Phase.PLAYING, "the others play on"
    left = await desk.gives(Departed, match, BOB, Resign())
    assert left.match.phase is Phase.OVER
    assert left.match.result == Result((), Closing.DESERTED.value)
    again = await desk.open(ANN, Import(await desk.export(match.id), ROOM))
    assert again.match.result == left.match.result


async def test_nor_when_the_last_one_is_out_of_time(desk: Desk) -> None:
    match = await with_engines(desk)
    *_, fact = await desk.wait(3 * 24 * HOUR)
    assert isinstance(fact, Flagged)
    assert fact.match.id == match.id
    assert fact.match.result == Result((), Closing.DESERTED.value)
