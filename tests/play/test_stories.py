"""Evenings at the table with the real games, from the challenge to the rematch."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from play.actions.agreeing import Answer, OfferDraw
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join, Start
from play.actions.undoing import AskTakeback, Undo
from play.errors import Refused
from play.facts import Asked, Drawn, Moved, Started, TakenBack, Undone
from play.files.importing import Import
from play.files.matchfile import read, record, write
from play.match import Ask, Closing, Exit, Match, Phase, Ply, Result
from play.opening import Challenge, Lobby
from play.people import Account, Player
from play.rematching import rematch
from play.request import AtRevision, Request
from tests.support.desk import ANN, BOB, CEM, DAN, EVE, HALL, ROOM, S1, S2, S3, S4, SHUTTLE, Desk


async def test_an_l_game_to_its_end(desk: Desk) -> None:
    match = await desk.duel("lgame")
    await desk.refused(match, BOB, MakeMove("L a1-a3-b3"), Refused.NOT_YOUR_TURN)
    match = await desk.play(match, "l B3-b1-A1 N a4-a3")
    assert match.log[0] == Ply(S1, "L b3-b1-a1 n a4-a3", desk.now)
    end = await desk.act(match, BOB, MakeMove("L c1-c3-d3 n d1-b4"))
    assert end.match.phase is Phase.OVER
    assert end.match.result == Result((S2,), "lgame.ending.blocked")
    assert not end.handed_on
    for asked in (
        desk.act(match, BOB, Undo()),
        desk.act(match, ANN, AskTakeback()),
        desk.act(match, ANN, OfferDraw()),
        desk.act(match, ANN, MakeMove("L b3-b1-a1")),
    ):
        await desk.refuses(asked, Refused.OVER)


async def test_breakthrough_with_second_thoughts_a_resignation_and_two_rematches(desk: Desk) -> None:
    match = await desk.duel("breakthrough", preset="6x6")
    match = await desk.play(match, "b2-b3")
    await desk.gives(Undone, match, ANN, Undo())
    match = await desk.play(match, "c2-c3", "c5-c4", "b2-b3")
    await desk.gives(Asked, match, BOB, AskTakeback())
    back = await desk.gives(TakenBack, match, ANN, Answer(Ask.TAKEBACK, True))
    assert [ply.text for ply in back.plies] == ["c5-c4", "b2-b3"]
    match = await desk.play(match, "d5-d4", "c3xd4")
    over = await desk.act(match, BOB, Resign())
    assert over.match.result == Result((S1,), Closing.RESIGNED.value)
    first = over.match
    for asker, other in ((BOB, ANN), (ANN, BOB)):
        await rematch(desk.table, match.id, Request(asker, desk.at))
        started = await rematch(desk.table, match.id, Request(other, desk.at))
        assert isinstance(started, Started)
        assert started.match.options == first.options
        assert [chair.player for chair in started.match.chairs] == (
            [BOB, ANN] if match.id == first.id else [ANN, BOB]
        )
        match = (await desk.act(started.match, asker, Resign())).match
    assert match.result == Result((S2,), Closing.RESIGNED.value)


async def test_breakthrough_won_on_the_far_rank(desk: Desk) -> None:
    match = await desk.duel("breakthrough", board="3x4")
    await desk.play(match, "a2xb3")
    end = await desk.play(match, "c3xb2", "b3xa4")
    assert end.result
    assert end.result.winners == (S1,)
    assert end.result.reason.startswith("breakthrough.")


async def test_klopodavka_of_four_with_one_leaving(desk: Desk) -> None:
    match = (await desk.open(ANN, Lobby(ROOM, "klopodavka", {"players": "4"}))).match
    for who in (BOB, CEM, DAN):
        await desk.act(match, who, Join())
    await desk.refused(match, EVE, Join(), Refused.FULL)
    match = (await desk.act(match, DAN, Start())).match
    half = await desk.act(match, ANN, MakeMove("b2 c3"))
    assert (half.handed_on, len(half.plies)) == (False, 2)
    undone = await desk.act(match, ANN, Undo())
    assert [ply.text for ply in undone.plies] == ["c3"]
    done = await desk.act(match, ANN, MakeMove("b3 b4"))
    assert done.handed_on
    whose = desk.table.position(done.match).to_move
    assert whose is S2
    left = await desk.act(match, BOB, Resign())
    assert left.match.phase is Phase.PLAYING
    assert isinstance(left.match.log[-1], Exit)
    position = desk.table.position(left.match)
    assert position.to_move is S3
    assert position.out == {S2}
    match = await playout(desk, left.match, seed=3, limit=7)
    assert S2 not in {entry.seat for entry in match.log if isinstance(entry, Ply)}
    await desk.gives(Asked, match, CEM, OfferDraw())
    await desk.act(match, ANN, Answer(Ask.DRAW, True))
    await desk.gives(Drawn, match, DAN, Answer(Ask.DRAW, True))
    back = await rematch(desk.table, match.id, Request(BOB, desk.at))
    assert [chair.player or chair.reserved for chair in back.match.chairs] == [DAN, ANN, BOB, CEM]


async def test_two_against_two(desk: Desk) -> None:
    made = await desk.open(ANN, Lobby(ROOM, "klopodavka", {"teams": "2v2"}))
    match = made.match
    await desk.act(match, BOB, Join(1))
    await desk.act(match, CEM, Join())
    await desk.refused(match, ANN, Start(), Refused.TOO_FEW, seated=3, needed=4)
    await desk.act(match, DAN, Join(2))
    match = (await desk.act(match, BOB, Start())).match
    assert [chair.player for chair in match.chairs] == [ANN, CEM, BOB, DAN]
    match = await playout(desk, match, seed=1, limit=6)
    asked = await desk.act(match, CEM, AskTakeback())
    if isinstance(asked, Asked):
        await desk.refused(match, DAN, Answer(Ask.TAKEBACK, True), Refused.OWN_OFFER)
        await desk.act(match, ANN, Answer(Ask.TAKEBACK, True))
        await desk.gives(TakenBack, match, BOB, Answer(Ask.TAKEBACK, True))
    await desk.act(match, ANN, Resign())
    await desk.act(match, DAN, OfferDraw())
    await desk.act(match, BOB, Answer(Ask.DRAW, False))
    end = await desk.act(match, BOB, Resign())
    assert end.match.result
    assert end.match.result.winners == (S2, S4)
    again = await rematch(desk.table, match.id, Request(CEM, desk.at))
    assert [chair.player or chair.reserved for chair in again.match.chairs] == [DAN, ANN, CEM, BOB]


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
        fact = await desk.gives(Moved, match, chair.player, MakeMove(text), seen=AtRevision(match.revision))
        assert [ply.text for ply in fact.plies] == [text]
        match = fact.match
    return match


async def test_one_person_in_many_matches_of_one_room(desk: Desk) -> None:
    matches = [await desk.duel(game) for game in ("lgame", "breakthrough", "breakthrough")]
    await desk.play(matches[1], "a2-a3")
    await desk.act(matches[2], BOB, Resign())
    shown = await desk.store.matches.at(ROOM)
    assert [match.id for match in shown] == [matches[2].id, matches[1].id, matches[0].id]
    assert len((await desk.table.get(matches[0].id)).log) == 0
    assert desk.table.position(await desk.table.get(matches[1].id)).to_move is S2
    assert desk.table.position(matches[0]).to_move is S1
