"""What a story says of its beats, in each language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any, Final

import pytest

from bot.chat.i18n.catalogue import LANGUAGES, words
from bot.chat.presenting.naming import Naming
from bot.features.analysis.judging import Worth
from bot.features.story.beats import Beat, Kind
from bot.features.story.drawing import KEYS, caption
from play.actions.leaving import Resign
from play.match import Closing, Match, Phase, Result, Return
from play.replay import Course, turns_of
from rules.core import Seat
from tests.support.desk import ANN, BOB, CEM, NOON, S1, S2, S3, Desk

Played = tuple[Match, Course]


async def of_three() -> Played:
    desk = Desk()
    match = await desk.party(ANN, BOB, CEM, game="klopodavka", board="8x8", actions="1")
    match = await desk.play(match, "a3", "g7", "g2", "b4")
    for who in (BOB, CEM):
        match = (await desk.act(match, who, Resign())).match
    return match, desk.table.course(match)


def named(match: Match, course: Course, language: str = "en") -> Naming:
    return Naming(course.game, match, words(language, strict=True))


NAMED: Final = ("leaders", "names", "others")
FIELDS: Final[Mapping[Kind, Mapping[str, Any]]] = {
    Kind.OPENING: {"count": 0},
    Kind.LEAD: {"leaders": (S1,), "former": (S2, S3)},
    Kind.SWING: {"before": Worth(1.0, 7), "after": Worth(0.25)},
    Kind.MISSED: {"names": (S1, S3), "count": 0},
    Kind.WON: {"names": (S1,), "count": 0},
    Kind.CUT_OFF: {"other": S2, "count": 0},
    Kind.DIED: {"other": S2, "count": 0},
    Kind.OUT: {"others": (S2, S3), "count": 2},
    Kind.LEFT: {"other": S2},
    Kind.NARROW: {"count": 0},
}


@pytest.mark.parametrize(("language", "kind"), [*product(LANGUAGES, Kind)])
async def test_every_wording_names_its_turn_people_and_counts(language: str, kind: Kind) -> None:
    match, course = await of_three()
    turn, said = turns_of(course)[0], set()
    for count, sure, code in product((1, 2, 5, 21), (True, False), range(30)):
        if not sure and kind not in (Kind.LEAD, Kind.SWING, Kind.MISSED):
            continue
        fields = dict(FIELDS.get(kind, {}))
        if fields.get("count") == 0:
            fields["count"] = count
        if kind is Kind.SWING:
            fields["start"] = course.start
        text = caption(Beat(kind, turn, {}, fields, sure), named(match, course, language), f"code{code}")
        assert "a3" in text
        assert "{" not in text
        people = {name for key, value in fields.items() if key in NAMED for name in value}
        for seat in people:
            assert named(match, course, language).seat(seat) in text
        if kind is not Kind.OUT and "count" in fields:
            assert str(count) in text
        said.add((sure, count if "count" in fields else 0, text))
    assert len({text for *_, text in said}) >= 3


async def test_the_wording_follows_from_the_code_of_the_match_alone() -> None:
    match, course = await of_three()
    beat = Beat(Kind.PLAYED, turns_of(course)[0])
    names = named(match, course)
    assert len({caption(beat, names, "abcdef") for _ in range(5)}) == 1
    assert {caption(beat, names, str(code)) for code in range(20)} == {
        "Ann plays a3.",
        "Ann: a3.",
        "On the board: a3 by Ann.",
    }


def test_every_key_has_three_wordings() -> None:
    kinds, wordings = KEYS["bot.story.{}.{}"]
    for language, kind, number in product(LANGUAGES, kinds, wordings):
        assert words(language, strict=True).has(f"bot.story.{kind}.{number}")


def finish(match: Match, course: Course, result: Result, language: str = "en") -> str:
    match = replace(match, result=result, phase=Phase.OVER)
    return caption(Beat(Kind.FINISH, turns_of(course)[-1]), named(match, course, language), "c0")


WAYS: Final[Mapping[str, tuple[Result, str]]] = {
    "resigned": (Result((S1,), Closing.RESIGNED.value), "Ann won. By resignation."),
    "time": (Result((S1,), Closing.TIME.value), "Ann won. On time."),
    "agreed": (Result((), Closing.DRAW_AGREED.value), "A draw. By agreement."),
    "repeated": (
        Result((), Closing.REPETITION.value),
        "A draw. The same position came up for the third time.",
    ),
    "silent": (
        Result((), Closing.SILENCE.value),
        "Nobody played for a long time, so the game was closed without a winner.",
    ),
    "ended": (Result((), Closing.ENDED.value), "Ended without a winner by an admin of this chat."),
    "deserted": (Result((), Closing.DESERTED.value), "Ended without a winner: only engines were left."),
    "closed": (
        Result((), Closing.AGREED.value),
        "Ended without a winner by the players. It counts for nothing.",
    ),
    "proved": (
        Result((S2,), Closing.PROVED.value),
        "Bob won. Not finished by the end of the season; the engine proved the win.",
    ),
    "halved": (Result((), Closing.HALVED.value), "A draw. Not finished by the end of the season or cup."),
}


@pytest.mark.parametrize("way", WAYS)
async def test_the_end_is_told_in_whatever_way_it_came(way: str) -> None:
    desk = Desk()
    match = await desk.play(await desk.duel("breakthrough"), "a2-a3", "a7-a6")
    result, said = WAYS[way]
    text = finish(match, desk.table.course(match), result)
    assert text.endswith(said)
    assert "a7-a6" in text
    for language in LANGUAGES:
        assert finish(match, desk.table.course(match), result, language)


async def test_a_seat_that_goes_out_by_its_own_turn_is_not_put_out_by_another() -> None:
    match, course = await of_three()
    turn = turns_of(course)[0]
    names = named(match, course)
    alone = caption(Beat(Kind.OUT, turn, {}, {"others": (S1,), "count": 1}), names, "c0")
    other = caption(Beat(Kind.OUT, turn, {}, {"others": (S2,), "count": 1}), names, "c0")
    assert "Ann" in alone
    assert "Bob" not in alone
    assert "Bob" in other


async def test_a_seat_that_another_took_over_since_is_called_by_its_number() -> None:
    match, course = await of_three()
    turn = turns_of(course)[0]
    returned = replace(match, log=(*match.log, Return(Seat.S1, NOON)))
    text = caption(Beat(Kind.PLAYED, turn), named(returned, course), "c0")
    assert "Ann" not in text
    assert "Player 1" in text


async def test_a_name_with_braces_stays_as_it_is() -> None:
    match, course = await of_three()
    odd = replace(ANN, name="{moves} *x*")
    chairs = (replace(match.chairs[0], player=odd), *match.chairs[1:])
    text = caption(Beat(Kind.PLAYED, turns_of(course)[0]), named(replace(match, chairs=chairs), course), "c0")
    assert "{moves} *x*" in text
