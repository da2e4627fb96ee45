"""Evenings at the table with the real games, from the challenge to the rematch."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from play.actions.agreeing import Answer, AskTakeback
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.facts import Moved
from play.files.matchfile import Import, write
from play.files.matchreader import read, record
from play.match import Ask, Closing, Match, Phase, Result
from play.opening import Challenge
from play.people import Account, Player
from tests.support.desk import ANN, BOB, HALL, ROOM, SHUTTLE, Desk


async def test_a_draw_by_repetition_after_a_takeback(desk: Desk) -> None:
    match = await desk.duel("lgame")
    match = await desk.play(match, *SHUTTLE, *SHUTTLE[:3])
    await desk.act(match, BOB, AskTakeback())
    await desk.act(match, ANN, Answer(Ask.TAKEBACK, True))
    match = await desk.play(match, SHUTTLE[1], SHUTTLE[2])
    assert match.phase is Phase.PLAYING, "what was taken back is not counted"
    match = await desk.play(match, SHUTTLE[3])
    assert match.result == Result((), Closing.REPETITION.value)


GAMES_AND_OPTIONS: list[tuple[str, Mapping[str, str]]] = [
    ("lgame", {}),
    ("lgame", {"preset": "sudden-death"}),
    ("lgame", {"preset": "scoring"}),
    ("lgame", {"preset": "symmetry"}),
    ("breakthrough", {"preset": "6x6"}),
    ("breakthrough", {"preset": "misere", "board": "4x5"}),
    ("klopodavka", {"preset": "quick"}),
    ("klopodavka", {"players": "3", "board": "9x9"}),
    ("klopodavka", {"teams": "2v2", "board": "9x9"}),
    ("klopodavka", {"preset": "bases", "board": "8x8"}),
    ("klopodavka", {"preset": "torus", "board": "8x8", "first": "1"}),
    ("klopodavka", {"preset": "hq", "board": "10x12"}),
    ("notches", {"players": "4", "board": "9x5"}),
]


@pytest.mark.parametrize(("game", "chosen"), GAMES_AND_OPTIONS, ids=str)
async def test_whole_games_and_their_files(desk: Desk, game: str, chosen: Mapping[str, str]) -> None:
    rules = desk.games[game]
    seats = rules.seats(rules.choose(chosen))
    people = [Player(Account("console", f"p{n}"), f'P "{n}" \\') for n in range(seats)]
    made = await desk.open(people[0], Challenge(ROOM, game, chosen, opponents=people[1:]))
    match = made.match
    for who in people[1:]:
        match = (await desk.act(match, who, Join())).match
    for round_ in range(40):
        await check_file(desk, match)
        if match.phase is Phase.OVER:
            break
        if seats > 2 and round_ == 1:
            match = (await desk.act(match, people[-1], Resign())).match
            continue
        match = await playout(desk, match, seed=round_, limit=40)
    assert match.result is not None or game == "lgame"


async def check_file(desk: Desk, match: Match) -> None:
    """The file says all there is to say, both ways, and brings the same position back."""
    text = await desk.export(match.id)
    held = read(text)
    assert held == record(match)
    assert write(held) == text
    owner = match.chairs[0].player
    assert owner
    back = (await desk.open(owner, Import(text, HALL))).match
    assert (back.log, back.result, back.options) == (match.log, match.result, match.options)
    assert back.phase is (Phase.OVER if match.result else Phase.OPEN)
    assert desk.table.position(back) == desk.table.position(match)


async def playout(desk: Desk, match: Match, *, seed: int, limit: int) -> Match:
    """Some plies by chance, typed by the player on turn."""
    luck = random.Random(seed)
    for _ in range(limit):
        if match.phase is not Phase.PLAYING:
            break
        course = desk.table.course(match)
        chair = match.chairs[course.position.to_move]
        assert chair.player
        move = luck.choice(course.position.legal_moves())
        text = course.game.notation.format(move)
        fact = await desk.gives(Moved, match, chair.player, MakeMove(text), seen=match.revision)
        assert [ply.text for ply in fact.plies] == [text]
        match = fact.match
    return match
