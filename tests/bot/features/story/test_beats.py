"""Which turns a story is told by: of two sides by the values of an analysis, of many seats by the positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import pytest

from bot.chat.thinking.jobs import Variation
from bot.features.analysis.judging import Judged, Worth
from bot.features.story.beats import Beat, Kind, beats
from play.actions.leaving import Resign
from play.match import Closing, Match, Result
from play.replay import Course, turns_of
from tests.support.desk import ANN, BOB, CEM, S1, S2, S3, Desk

MOVES: Final = ("a2-a3", "a7-a6", "b2-b3", "b7-b6", "c2-c3", "c7-c6", "d2-d3", "d7-d6", "e2-e3", "e7-e6")
Value = float | tuple[int, int]
"""A guess, or what is proved and within how many plies."""


async def fought(
    *values: Value, winners: Sequence[Any] = (), reason: str = Closing.DRAW_AGREED.value
) -> tuple[Match, Course, tuple[Judged, ...]]:
    """A match with these values for player 1 before each turn and at the end, its course, and its analysis."""
    desk = Desk()
    match = await desk.play(await desk.duel("breakthrough"), *MOVES[: len(values) - 1])
    course = desk.table.course(match)
    turns = []
    for turn, before, after in zip(turns_of(course), values, values[1:], strict=False):
        sign = 1 if turn.seat == S1 else -1
        (best, plies), (left, rest) = _split(before), _split(after)
        line = Variation(("h2-h3",) if left * sign < best * sign else turn.plies, best * sign, plies, (), 1)
        turns.append(Judged(turn, line, None, Worth(left * sign, rest), None))
    return replace(match, result=Result(tuple(winners), reason)), course, tuple(turns)


def _split(value: Value) -> tuple[float, int | None]:
    return value if isinstance(value, tuple) else (value, None)


def told(story: Sequence[Beat]) -> list[tuple[int, Kind, bool]]:
    return [(beat.turn.number, beat.kind, beat.sure) for beat in story]


def only(story: Sequence[Beat], kind: Kind) -> Mapping[str, Any]:
    (beat,) = (beat for beat in story if beat.kind is kind)
    return {**beat.seats, **beat.fields}


async def test_a_match_is_told_by_its_departure_lead_swing_proof_and_end() -> None:
    values = (0.0, 0.1, 0.3, 0.3, 0.3, -0.3, -0.3, (-1, 4), (-1, 3), (-1, 2))
    match, course, turns = await fought(*values, winners=(S2,), reason="x")
    story = beats(match, course, turns, 2)
    assert told(story) == [
        (3, Kind.OPENING, True),
        (5, Kind.LEAD, False),
        (7, Kind.SWING, False),
        (8, Kind.WON, True),
        (9, Kind.FINISH, True),
    ]
    assert only(story, Kind.OPENING) == {"count": 2}
    assert only(story, Kind.LEAD) == {"leaders": (S2,), "former": (S1,)}
    assert only(story, Kind.WON) == {"names": (S2,), "count": 2}
    swing = only(story, Kind.SWING)
    assert (swing["before"], swing["after"]) == (turns[6].best, Worth(-1, 4))


async def test_what_is_lost_for_sure_comes_before_a_greater_loss_in_the_engine_s_opinion() -> None:
    match, course, turns = await fought(0.9, -0.9, -0.9, (0, 0), (1, 3), (1, 2), 0.9)
    assert (4, Kind.SWING, True) in told(beats(match, course, turns, 0))


async def test_a_proved_win_that_passes_to_the_other_side_is_sure() -> None:
    match, course, turns = await fought((1, 7), (1, 6), (1, 5), (-1, 6), (-1, 5), (-1, 4), -0.9, 0.2, 0.9)
    # the result was lost on that turn too, and no turn is told twice
    assert (3, Kind.SWING, True) in told(beats(match, course, turns, 0))
    lost = replace(turns[2], best=replace(turns[2].best, turn=turns[2].played.plies))
    story = beats(match, course, (*turns[:2], lost, *turns[3:]), 0)
    assert (3, Kind.LEAD, True) in told(story)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param(((1, 9), (1, 8), (1, 7), (1, 6), (1, 5), (0, 0), (0, 0)), (1, 3, True), id="proved"),
        pytest.param((0.0, 0.9, 0.9, 0.9, 0.7, -0.2, -0.2), (3, 1, None), id="one-turn-is-no-chance"),
        pytest.param((0.9, 0.9, 0.5, 0.9, 0.9, 0.2, 0.0), (1, 3, False), id="guessed-with-a-dip"),
        pytest.param((0.9, 0.9, 0.9, 0.5, 0.5, 0.2, 0.0), (1, 2, False), id="not-counted-once-it-fades"),
        pytest.param(((1, 9), (1, 8), (1, 7), 0.9, 0.9, 0.0, 0.0), (1, 3, False), id="not-proved-to-the-end"),
    ],
)
async def test_a_chance_is_missed_over_so_many_turns_of_its_side(
    values: Sequence[Value], expected: tuple[int, int, bool | None]
) -> None:
    match, course, turns = await fought(*values)
    missed = [beat for beat in beats(match, course, turns, 0) if beat.kind is Kind.MISSED]
    first, count, sure = expected
    if sure is None:
        assert not missed
        return
    (beat,) = missed
    assert (beat.turn.number, beat.fields["count"], beat.sure) == (first, count, sure)
    assert beat.fields["names"] == (S1,)


async def test_a_won_match_that_ends_without_a_winner_is_a_missed_chance_and_not_won() -> None:
    values = (0.0, (1, 9), (1, 8), (1, 7), (1, 6), (1, 5), (1, 4))
    match, course, turns = await fought(*values, reason=Closing.AGREED.value)
    kinds = {beat.kind for beat in beats(match, course, turns, 0)}
    assert Kind.MISSED in kinds
    assert Kind.WON not in kinds
    match = replace(match, result=Result((S1,), Closing.RESIGNED.value))
    kinds = {beat.kind for beat in beats(match, course, turns, 0)}
    assert Kind.WON in kinds
    assert Kind.MISSED not in kinds


async def test_a_win_that_the_last_turn_gave_away_was_not_certain() -> None:
    values = (0.0, (1, 9), (1, 8), (1, 7), (1, 6), (1, 5), 0.1)
    match, course, turns = await fought(*values, winners=(S1,), reason=Closing.RESIGNED.value)
    assert Kind.WON not in {beat.kind for beat in beats(match, course, turns, 0)}


@pytest.mark.parametrize("length", range(1, 6))
async def test_a_short_match_is_told_by_the_turns_it_has(length: int) -> None:
    match, course, turns = await fought(*[0.0] * (length + 1))
    story = beats(match, course, turns, 0)
    assert len(story) == min(3, length)
    assert told(story)[-1] == (length, Kind.FINISH, True)
    assert {beat.kind for beat in story[:-1]} <= {Kind.PLAYED}


async def test_a_match_that_never_departs_from_what_is_common_says_nothing_of_it() -> None:
    match, course, turns = await fought(*[0.0] * 6)
    assert Kind.OPENING not in {beat.kind for beat in beats(match, course, turns, 5)}


async def test_nothing_is_told_of_a_match_without_turns() -> None:
    match, course, turns = await fought(0.0)
    assert beats(match, course, turns, 0) == ()


async def test_a_match_of_three_is_told_by_its_seats() -> None:
    """Bob resigns after his first turn; Cem goes on and is resigned too, which ends it."""
    desk = Desk()
    match = await desk.party(ANN, BOB, CEM, game="klopodavka", board="8x8", actions="1")
    match = await desk.play(match, "a3", "g7", "g2", "b4")
    match = (await desk.act(match, BOB, Resign())).match
    match = await desk.play(match, "g3", "c4")
    match = (await desk.act(match, CEM, Resign())).match
    course = desk.table.course(match)
    story = beats(match, course, (), 1)
    assert told(story) == [
        (2, Kind.OPENING, True),
        (4, Kind.LEFT, True),
        (6, Kind.FINISH, True),
    ]
    assert only(story, Kind.LEFT) == {"other": S2}
    assert S3 in course.departed
