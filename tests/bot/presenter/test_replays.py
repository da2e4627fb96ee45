from __future__ import annotations

import pytest

from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting.boards import show
from bot.features.matches.cards import FASTEST, OPENING, SLOWEST, frames
from play.actions.playing import MakeMove
from play.request import Request
from rules import GAMES
from rules.core import Sign
from tests.bot.presenter.playing import played
from tests.bot.world import ANN, BOB, SETTINGS, World


@pytest.mark.parametrize(("game", "chosen"), SETTINGS)
async def test_a_film_has_a_frame_for_each_entry_and_says_what_it_did(
    game: str, chosen: dict[str, str]
) -> None:
    world = World()
    match = await played(world, game, chosen, 9, seed=3)
    course = world.table.course(match)
    for language in LANGUAGES:
        shown = frames(world.present(match, words(language, strict=True)))
        assert len(shown) == len(match.log) + 2
        assert all(frame.caption for frame in shown)
        assert shown[0].seconds == OPENING
        assert {frame.seconds for frame in shown[1:]} == {SLOWEST}
        assert shown[-1].diagram == shown[-2].diagram
        assert {frame.strip for frame in shown} == {shown[0].strip}
        assert shown[-1].diagram.pieces == GAMES[game].draw(course.position).pieces


async def test_marks_gather_within_a_turn_and_a_long_match_goes_faster() -> None:
    world = World()
    match = await played(world, "klopodavka", {"board": "20x20"}, 150, seed=1)
    shown = frames(world.present(match, words("en")))
    marks = [sum(mark.sign in (Sign.ENTERED, Sign.CRUSHED) for mark in one.diagram.marks) for one in shown]
    assert marks[:8] == [0, 1, 2, 3, 1, 2, 3, 1]
    assert FASTEST <= shown[1].seconds < SLOWEST
    short = frames(world.present(match, words("en")), most=40)
    assert len(short) == 40
    assert short[-1].diagram == shown[-1].diagram


async def test_a_block_is_shown_before_the_pieces_go_back() -> None:
    world = World()
    match = await world.begin("lgame", {"variant": "scoring"})
    for who, move in ((ANN, "L a3-a1-b1 n d1-c1"), (BOB, "L d3-b3-b4 n a4-b2")):
        match = (await world.table.act(match.id, MakeMove(move), Request(who, world.now))).match
    start, _, block, again, last = frames(world.present(match, words("en")))
    board = show(world.present(match, words("en"))).diagram
    assert board is not None
    assert block.diagram == board.first
    assert block.caption == again.caption
    assert again.diagram.pieces == start.diagram.pieces
    assert last.diagram == again.diagram
