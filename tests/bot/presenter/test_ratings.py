"""What a rated match did to ratings, in a line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.chat.i18n import words
from bot.chat.presenting.boards import changed
from bot.chat.presenting.naming import Presentation
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.opening import Challenge
from play.people import forgotten
from play.ratings.model import NEWCOMER, RatingChange
from play.request import Request
from tests.bot.world import ANN, BOB, NOON, ROOM, World

EN = words("en", strict=True)
OFTEN = EN.count("bot.rating.often", 5)


async def over() -> Presentation:
    world = World()
    challenge = Challenge(ROOM, "breakthrough", opponents=[BOB], rated=True)
    match = (await world.table.open(challenge, Request(ANN, NOON))).match
    for who, action in ((BOB, Join()), (ANN, MakeMove("a2-a3")), (BOB, MakeMove("a7-a6")), (ANN, Resign())):
        match = (await world.table.act(match.id, action, Request(who, NOON))).match
    return world.present(match, EN)


@pytest.mark.parametrize(
    ("points", "said"), [(2, "+2"), (1, "+1"), (0, "±0"), (-1, "−1"), (-70, "−70")]
)  # fmt: skip
async def test_what_was_gained_is_told_with_its_sign(points: int, said: str) -> None:
    after = replace(NEWCOMER, skill=NEWCOMER.skill + (points + 0.1) / 30, played=30)
    changes = (None, RatingChange(NEWCOMER, after))
    [line] = changed(replace(await over(), changes=changes))
    assert line == f"Ratings: bob {after.shown} ({said})"


async def test_what_is_said_where_no_rating_changed() -> None:
    shown = await over()
    assert changed(replace(shown, changes=(None, None))) == (OFTEN,)
    assert changed(replace(shown, changes=())) == (), "it is not known yet"
    match = shown.match
    chairs = (match.chairs[0], replace(match.chairs[1], player=forgotten(1)))
    for changes in ((None, None), (None, RatingChange(NEWCOMER, NEWCOMER))):
        one_left = replace(shown, match=replace(match, chairs=chairs), changes=changes)
        assert changed(one_left) == (), "a forgotten player is not named"
    assert changed(replace(shown, match=replace(match, rated=False), changes=(None, None))) == ()
