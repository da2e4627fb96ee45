"""From log to positions, and the same game once more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Decline, Join, Withdraw
from play.errors import BadLog, BadRequest, Refused
from play.facts import Challenged, Joined, Started
from play.match import Chair, Closing, Entry, Exit, Match, Ply
from play.opening import next_seats, rematch
from play.ports import derived
from play.replay import Replay, begun, extended
from play.request import Request
from rules.core import AnyGame, Position, Seat
from tests.support.desk import (
    ANN,
    BOB,
    CEM,
    EVE,
    GAMES,
    HALL,
    HOUR,
    NOON,
    ROOM,
    S1,
    S2,
    S3,
    S4,
    Desk,
)
from tests.toy import notches
from tests.toy.notches.position import Notch, Notches

# From log to positions.


class Counting:
    """A game that counts the texts it has parsed."""

    def __init__(self, game: AnyGame) -> None:
        self.parsed = 0
        self.game = replace(game, notation=self)  # type: ignore[arg-type]
        self._inner = game.notation

    def parse(self, text: str, position: Position[Any]) -> tuple[Any, ...]:
        self.parsed += 1
        return self._inner.parse(text, position)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


async def three(desk: Desk) -> Match:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    return await desk.play(match, "a1 a2", "e1 e2", "i1")


async def test_the_last_turn(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    course = desk.table.course(match)
    assert (course.last_turn, course.before_turn) == ((), course.start)
    match = await desk.play(match, "a1 a2")
    course = desk.table.course(match)
    assert (len(course.last_turn), course.before_turn) == (2, course.start)
    match = await desk.play(match, "e1")
    course = desk.table.course(match)
    assert (len(course.last_turn), course.before_turn) == (1, course.positions[2])
    await desk.act(match, CEM, Resign())
    match = await desk.play(match, "e2")
    course = desk.table.course(match)
    assert course.before_turn == course.positions[2], "an exit does not divide a turn"
    assert [str(move.square) for move in course.last_turn] == ["e1", "e2"]


def test_the_next_turn_of_the_same_seat_is_another_turn() -> None:
    class Alone(Notches):
        """Everybody else only looks on."""

        __slots__ = ()

        def play(self, move: Notch) -> Alone:
            return replace(super().play(move), turn=self.turn)

    def start(o: notches.Options) -> Alone:
        return Alone(o, (frozenset(),) * o.players, S1, o.cuts)

    alone: AnyGame = replace(notches.GAME, start=start)
    course = begun(alone, alone.choose({"board": "9x5"}))
    log = tuple(Ply(S1, text, NOON) for text in ("a1", "a2", "a3", "a4", "a5"))
    course = extended(course, log)
    assert [str(move.square) for move in course.last_turn] == ["a5"]
    assert [str(move.square) for move in course.cut(4).last_turn] == ["a3", "a4"]


async def test_who_is_live(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="7x1", cuts="1")
    match = await desk.play(match, "a1", "d1", "f1", "b1")
    course = desk.table.course(match)
    assert (course.live, course.departed) == ((S1, S3), frozenset())
    match = await three(desk)
    course = desk.table.course((await desk.act(match, BOB, Resign())).match)
    assert course.live == (S1, S3)
    assert course.departed == {S2}


def spelled(entry: Entry, text: str) -> Ply:
    return Ply(entry.seat, text, entry.at)


BREAKS: list[tuple[str, Callable[[tuple[Entry, ...]], tuple[Entry, ...]], int]] = [
    ("a move that is no text", lambda log: (spelled(log[0], "???"), *log[1:]), 1),
    ("an illegal move", lambda log: (*log[:1], spelled(log[1], "a1"), *log[2:]), 2),
    ("the wrong seat", lambda log: (*log[:2], replace(log[2], seat=S3), *log[3:]), 3),
    ("two plies in one", lambda log: (spelled(log[0], "a1 a2"), *log[2:]), 1),
    ("one ply missing", lambda log: (*log[:1], *log[2:]), 2),
    ("an exit twice", lambda log: (*log, *[Exit(S2, Closing.RESIGNED, NOON)] * 2), 7),
    ("an exit of an absent seat", lambda log: (*log, Exit(Seat.S4, Closing.RESIGNED, NOON)), 6),
    (
        "an exit after the end",
        lambda log: (*log, *(Exit(seat, Closing.RESIGNED, NOON) for seat in (S1, S2, S3))),
        8,
    ),
]


@pytest.mark.parametrize(("what", "damage", "entry"), BREAKS, ids=[what for what, _, _ in BREAKS])
async def test_a_log_that_does_not_replay(
    desk: Desk, what: str, damage: Callable[[tuple[Entry, ...]], tuple[Entry, ...]], entry: int
) -> None:
    match = await three(desk)
    broken = replace(match, log=damage(match.log))
    broken = (await desk.store.matches.commit(Started(broken), match.revision)).match
    await desk.refused(match, ANN, MakeMove("i2"), Refused.BAD_LOG, code=match.id, entry=entry)
    with pytest.raises(BadLog) as caught:
        desk.table.position(broken)
    assert caught.value.entry == entry - 1


async def test_options_or_games_that_are_gone(desk: Desk) -> None:
    match = await desk.duel("lgame")
    with pytest.raises(BadLog):
        desk.table.position(replace(match, options=(("size", "9"),)))
    with pytest.raises(BadRequest) as caught:
        desk.table.position(replace(match, game="chess"))
    assert caught.value.reason is Refused.NO_SUCH_GAME


async def test_only_what_is_new_is_replayed(desk: Desk) -> None:
    counting = Counting(notches.GAME)
    counted = Desk({"notches": counting.game})
    match = await three(counted)
    counting.parsed = 0
    replay = Replay({"notches": counting.game})
    replay.positions(match)
    assert counting.parsed == 5
    replay.positions(match)
    assert counting.parsed == 5, "remembered"
    longer = await counted.play(match, "i2")
    counting.parsed = 0
    assert len(replay.positions(longer).positions) == 7
    assert counting.parsed == 1, "only the new ply"
    shorter = replace(match, log=match.log[:2], revision=longer.revision + 1)
    counting.parsed = 0
    assert replay.positions(shorter).log == match.log[:2]
    assert counting.parsed == 0, "taken back"
    assert replay.positions(replace(shorter, log=())).log == (), "although the revision is the same"
    replay.positions(match)
    counting.parsed = 0
    other = replace(shorter, log=(*match.log[:1], Ply(S1, "b2", NOON)), revision=longer.revision + 2)
    assert replay.positions(other).log == other.log
    assert counting.parsed == 1, "another way on"


async def test_a_request_replays_nothing_when_the_match_is_remembered() -> None:
    counting = Counting(notches.GAME)
    desk = Desk({"notches": counting.game})
    match = await three(desk)
    counting.parsed = 0
    fact = await desk.act(match, CEM, MakeMove("i2"))
    desk.table.position(fact.match)
    assert counting.parsed == 1, "the ply itself"


async def test_the_memory_is_bounded(desk: Desk) -> None:
    replay = Replay(GAMES, limit=20)
    matches = [await three(desk) for _ in range(10)]
    for match in matches:
        assert replay.positions(match).log == match.log
    assert len(replay._kept) == 3
    assert replay._size == sum(len(course.positions) for _, course in replay._kept.values()) <= 20
    replay.positions(matches[7])
    replay.positions(matches[0])
    assert matches[7].id in replay._kept, "the one used last stays"
    assert matches[8].id not in replay._kept
    tiny = Replay(GAMES, limit=1)
    assert tiny.positions(matches[0]).log == matches[0].log
    assert list(tiny._kept) == [matches[0].id]


# The same game once more.


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
