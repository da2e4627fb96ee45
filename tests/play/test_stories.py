"""Evenings at the table with the real games, from the challenge to the rematch."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from play.errors import Refused
from play.facts import Asked, Drawn, Moved, Started, TakenBack, Undone
from play.match import Ask, Closing, Exit, Match, Phase, Ply, Result
from play.matchfile import read, record, write
from play.people import Account, Player
from tests.play.desk import ANN, BOB, CEM, DAN, EVE, HALL, ROOM, S1, S2, S3, S4, SHUTTLE, Desk


async def test_an_l_game_to_its_end(desk: Desk) -> None:
    match = await desk.duel("lgame")
    await desk.refuses(desk.table.move(match.id, BOB, "L a1-a3-b3", at=desk.at), Refused.NOT_YOUR_TURN)
    match = await desk.play(match, "l B3-b1-A1 N a4-a3")
    assert match.log[0] == Ply(S1, "L b3-b1-a1 n a4-a3", desk.now)
    end = await desk.table.move(match.id, BOB, "L c1-c3-d3 n d1-b4", at=desk.at)
    assert end.match.phase is Phase.OVER
    assert end.match.result == Result((S2,), "lgame.ending.blocked")
    assert not end.handed_on
    for asked in (
        desk.table.undo(match.id, BOB, at=desk.at),
        desk.table.ask_takeback(match.id, ANN, at=desk.at),
        desk.table.offer_draw(match.id, ANN, at=desk.at),
        desk.table.move(match.id, ANN, "L b3-b1-a1", at=desk.at),
    ):
        await desk.refuses(asked, Refused.OVER)


async def test_breakthrough_with_second_thoughts_a_resignation_and_two_rematches(desk: Desk) -> None:
    match = await desk.duel("breakthrough", preset="6x6")
    match = await desk.play(match, "b2-b3")
    undone = await desk.table.undo(match.id, ANN, at=desk.at)
    assert isinstance(undone, Undone)
    match = await desk.play(match, "c2-c3", "c5-c4", "b2-b3")
    asked = await desk.table.ask_takeback(match.id, BOB, at=desk.at)
    assert isinstance(asked, Asked)
    back = await desk.table.answer(match.id, ANN, Ask.TAKEBACK, True, at=desk.at)
    assert isinstance(back, TakenBack)
    assert [ply.text for ply in back.plies] == ["c5-c4", "b2-b3"]
    match = await desk.play(match, "d5-d4", "c3xd4")
    over = await desk.table.resign(match.id, BOB, at=desk.at)
    assert over.match.result == Result((S1,), Closing.RESIGNED.value)
    first = over.match
    for asker, other in ((BOB, ANN), (ANN, BOB)):
        await desk.table.rematch(match.id, asker, at=desk.at)
        started = await desk.table.rematch(match.id, other, at=desk.at)
        assert isinstance(started, Started)
        assert started.match.options == first.options
        assert [chair.player for chair in started.match.chairs] == (
            [BOB, ANN] if match.id == first.id else [ANN, BOB]
        )
        match = (await desk.table.resign(started.match.id, asker, at=desk.at)).match
    assert match.result == Result((S2,), Closing.RESIGNED.value)


async def test_breakthrough_won_on_the_far_rank(desk: Desk) -> None:
    match = await desk.duel("breakthrough", board="3x4")
    await desk.play(match, "a2xb3")
    end = await desk.play(match, "c3xb2", "b3xa4")
    assert end.result
    assert end.result.winners == (S1,)
    assert end.result.reason.startswith("breakthrough.")


async def test_klopodavka_of_four_with_one_leaving(desk: Desk) -> None:
    match = (await desk.table.open_lobby(ANN, ROOM, "klopodavka", {"players": "4"}, at=desk.at)).match
    for who in (BOB, CEM, DAN):
        await desk.table.join(match.id, who, at=desk.at)
    await desk.refuses(desk.table.join(match.id, EVE, at=desk.at), Refused.FULL)
    match = (await desk.table.start(match.id, DAN, at=desk.at)).match
    half = await desk.table.move(match.id, ANN, "b2 c3", at=desk.at)
    assert (half.handed_on, len(half.plies)) == (False, 2)
    undone = await desk.table.undo(match.id, ANN, at=desk.at)
    assert [ply.text for ply in undone.plies] == ["c3"]
    done = await desk.table.move(match.id, ANN, "b3 b4", at=desk.at)
    assert done.handed_on
    whose = desk.table.position(done.match).to_move
    assert whose is S2
    left = await desk.table.resign(match.id, BOB, at=desk.at)
    assert left.match.phase is Phase.PLAYING
    assert isinstance(left.match.log[-1], Exit)
    position = desk.table.position(left.match)
    assert position.to_move is S3
    assert position.out == {S2}
    match = await playout(desk, left.match, seed=3, limit=7)
    assert S2 not in {entry.seat for entry in match.log if isinstance(entry, Ply)}
    asked = await desk.table.offer_draw(match.id, CEM, at=desk.at)
    assert isinstance(asked, Asked)
    await desk.table.answer(match.id, ANN, Ask.DRAW, True, at=desk.at)
    drawn = await desk.table.answer(match.id, DAN, Ask.DRAW, True, at=desk.at)
    assert isinstance(drawn, Drawn)
    back = await desk.table.rematch(match.id, BOB, at=desk.at)
    assert [chair.player or chair.reserved for chair in back.match.chairs] == [DAN, ANN, BOB, CEM]


async def test_two_against_two(desk: Desk) -> None:
    made = await desk.table.open_lobby(ANN, ROOM, "klopodavka", {"teams": "2v2"}, at=desk.at)
    match = made.match
    await desk.table.join(match.id, BOB, at=desk.at, team=1)
    await desk.table.join(match.id, CEM, at=desk.at)
    await desk.refuses(desk.table.start(match.id, ANN, at=desk.at), Refused.TOO_FEW, seated=3, needed=4)
    await desk.table.join(match.id, DAN, at=desk.at, team=2)
    match = (await desk.table.start(match.id, BOB, at=desk.at)).match
    assert [chair.player for chair in match.chairs] == [ANN, CEM, BOB, DAN]
    match = await playout(desk, match, seed=1, limit=6)
    asked = await desk.table.ask_takeback(match.id, CEM, at=desk.at)
    if isinstance(asked, Asked):
        await desk.refuses(
            desk.table.answer(match.id, DAN, Ask.TAKEBACK, True, at=desk.at), Refused.OWN_OFFER
        )
        await desk.table.answer(match.id, ANN, Ask.TAKEBACK, True, at=desk.at)
        back = await desk.table.answer(match.id, BOB, Ask.TAKEBACK, True, at=desk.at)
        assert isinstance(back, TakenBack)
    await desk.table.resign(match.id, ANN, at=desk.at)
    await desk.table.offer_draw(match.id, DAN, at=desk.at)
    await desk.table.answer(match.id, BOB, Ask.DRAW, False, at=desk.at)
    end = await desk.table.resign(match.id, BOB, at=desk.at)
    assert end.match.result
    assert end.match.result.winners == (S2, S4)
    again = await desk.table.rematch(match.id, CEM, at=desk.at)
    assert [chair.player or chair.reserved for chair in again.match.chairs] == [DAN, ANN, CEM, BOB]


async def test_a_draw_by_repetition_after_a_takeback(desk: Desk) -> None:
    match = await desk.duel("lgame")
    match = await desk.play(match, *SHUTTLE, *SHUTTLE[:3])
    await desk.table.ask_takeback(match.id, BOB, at=desk.at)
    await desk.table.answer(match.id, ANN, Ask.TAKEBACK, True, at=desk.at)
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
    made = await desk.table.challenge(people[0], ROOM, game, chosen, at=desk.at, opponents=people[1:])
    match = made.match
    for who in people[1:]:
        match = (await desk.table.accept(match.id, who, at=desk.at)).match
    for round_ in range(40):
        await check_file(desk, match)
        if match.phase is Phase.OVER:
            break
        if seats > 2 and round_ == 1:
            match = (await desk.table.resign(match.id, people[-1], at=desk.at)).match
            continue
        match = await playout(desk, match, seed=round_, limit=40)
    assert match.result is not None or game == "lgame"


async def check_file(desk: Desk, match: Match) -> None:
    """The file says all there is to say, both ways, and brings the same position back."""
    text = await desk.table.export(match.id)
    held = read(text)
    assert held == record(match)
    assert write(held) == text
    owner = match.chairs[0].player
    assert owner
    back = (await desk.table.import_file(text, owner, HALL, at=desk.at)).match
    assert (back.log, back.result, back.options) == (match.log, match.result, match.options)
    assert back.phase is (Phase.OVER if match.result else Phase.OPEN)
    assert desk.table.position(back) == desk.table.position(match)


async def playout(desk: Desk, match: Match, *, seed: int, limit: int) -> Match:
    """Some plies by chance, typed by whoever is on turn."""
    luck = random.Random(seed)
    for _ in range(limit):
        if match.phase is not Phase.PLAYING:
            break
        course = desk.table.course(match)
        chair = match.chairs[course.position.to_move]
        assert chair.player
        move = luck.choice(course.position.legal_moves())
        text = course.game.notation.format(move)
        fact = await desk.table.move(match.id, chair.player, text, at=desk.at, seen=match.revision)
        assert isinstance(fact, Moved)
        assert [ply.text for ply in fact.plies] == [text]
        match = fact.match
    return match


async def test_one_person_in_many_matches_of_one_room(desk: Desk) -> None:
    matches = [await desk.duel(game) for game in ("lgame", "breakthrough", "breakthrough")]
    await desk.play(matches[1], "a2-a3")
    await desk.table.resign(matches[2].id, BOB, at=desk.at)
    shown = await desk.store.matches.at(ROOM)
    assert [match.id for match in shown] == [matches[2].id, matches[1].id, matches[0].id]
    assert len((await desk.table.get(matches[0].id)).log) == 0
    assert desk.table.position(await desk.table.get(matches[1].id)).to_move is S2
    assert desk.table.position(matches[0]).to_move is S1
