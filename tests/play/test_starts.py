"""Matches that begin elsewhere than their game: from a turn, a position, with odds, and by one person for both sides."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from play.actions.agreeing import AskPause, AskTakeback, OfferDraw, Resume, Undo
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.errors import Refused
from play.files.matchfile import Import
from play.match import Closing, Match, Phase, Result, Start
from play.opening import Challenge, rematch
from play.request import Request
from rules import GAMES
from rules.core import AnyGame, BadNotation, Position, Seat
from storage.records import codec
from tests.support.desk import ANN, BOB, ROOM, Desk

KINDS: Sequence[tuple[str, dict[str, str]]] = (
    ("lgame", {}),
    ("lgame", {"variant": "scoring"}),
    ("breakthrough", {"board": "6x6"}),
    ("klopodavka", {"board": "6x6"}),
)


def later(game: AnyGame, options: Any, seed: int, turns: int = 6) -> Position[Any]:
    """A position after some random turns, in which the game goes on."""
    luck = random.Random(seed)
    position: Position[Any] = game.start(options)
    for _ in range(turns):
        after: Position[Any] = position.play(luck.choice(list(position.legal_moves())))
        position = position if after.outcome else after
    return position


@pytest.mark.parametrize(("name", "chosen"), KINDS)
async def test_a_match_from_a_position_goes_on_there_and_keeps_it(name: str, chosen: dict[str, str]) -> None:
    desk, game = Desk(GAMES), GAMES[name]
    position = later(game, game.choose(chosen), 7)
    text = game.notation.format_position(position)
    opening = Challenge(ROOM, name, chosen, [BOB], start=Start(text, "#k7q2mz:23"))
    match = await desk.begun((await desk.open(ANN, opening)).match)
    assert desk.table.position(match) == position
    move = game.notation.format(next(iter(position.legal_moves())))
    match = await desk.play(match, move)
    stored = codec.decode(match.id, codec.encode(match))
    assert stored.start == Start(text, "#k7q2mz:23")
    over = (await desk.act(match, ANN, Resign())).match
    file = await desk.export(over.id)
    assert f'[Start "{text}" "#k7q2mz:23"]' in file
    back = (await desk.open(BOB, Import(file, ROOM))).match
    assert (back.start, back.log, back.result) == (over.start, over.log, over.result)
    again = (await rematch(desk.table, over.id, Request(ANN, desk.at))).match
    assert again.start == over.start


async def test_what_is_no_position_to_play_from_is_refused() -> None:
    desk = Desk(GAMES)

    def asked(start: Start) -> Any:
        return desk.open(ANN, Challenge(ROOM, "breakthrough", {"board": "5x5"}, [BOB], start=start))

    await desk.refuses(asked(Start("w4/5/5/bbb2/5 b")), Refused.DECIDED_START)
    game = GAMES["breakthrough"]
    whole = Start(game.notation.format_position(later(game, game.choose({}), 3)))
    await desk.refuses(
        desk.open(ANN, Challenge(ROOM, "breakthrough", {}, [BOB], rated=True, start=whole)),
        Refused.RATED_START,
    )
    with pytest.raises(BadNotation) as caught:
        await asked(Start("bw3/5/5/wwwww/wwwww w"))
    faults = (caught.value, *caught.value.also)
    assert {str(fault.reason).rpartition(".")[2] for fault in faults} == {"too-many-white", "played-on"}
    odds = Challenge(ROOM, "notches", {}, [BOB], start=Start("", "odds:1"))
    await Desk().refuses(Desk().open(ANN, odds), Refused.NO_ODDS)


async def test_odds_are_given_by_who_asks() -> None:
    desk = Desk(GAMES)

    async def with_odds(name: str, side: str, odds: str, **chosen: str) -> tuple[Match, Any]:
        start = Start("", f"odds:{odds}")
        opened = await desk.open(ANN, Challenge(ROOM, name, chosen, [BOB], side=side, start=start))
        match = await desk.begun(opened.match)
        return match, desk.table.position(match)

    match, position = await with_odds("breakthrough", "second", "2")
    assert [men.bit_count() for men in position.men] == [16, 14]
    assert match.start is not None
    assert match.start.source == "odds:2:without:2"
    _, position = await with_odds("breakthrough", "first", "a2,h2")
    assert [men.bit_count() for men in position.men] == [14, 16]
    match, position = await with_odds("klopodavka", "second", "2", board="8x8")
    assert position.plies_left == 3 + 2
    for _ in range(position.plies_left):  # the whole first turn
        assert desk.table.position(match).to_move is Seat.S1
        move = next(iter(desk.table.position(match).legal_moves()))
        match = await desk.play(match, desk.games["klopodavka"].notation.format(move))
    assert desk.table.position(match).to_move is Seat.S2


async def test_one_person_plays_both_sides() -> None:
    desk = Desk(GAMES)
    match = (await desk.open(ANN, Challenge(ROOM, "breakthrough", {"board": "5x5"}, side="both"))).match
    assert match.phase is Phase.PLAYING
    for text in ("b2-b3", "a4xb3", "c2xb3"):
        match = (await desk.act(match, ANN, MakeMove(text))).match
    assert [entry.seat for entry in match.log] == [Seat.S1, Seat.S2, Seat.S1]
    match = (await desk.act(match, ANN, Undo())).match
    assert len(match.log) == 2
    over = (await desk.act(match, ANN, Resign())).match
    assert over.result is not None
    assert over.result.winners == (Seat.S2,)
    both = Challenge(ROOM, "breakthrough", {}, side="both", rated=True)
    await desk.refuses(desk.open(ANN, both), Refused.RATED_ALONE)
    await desk.refuses(desk.open(ANN, Challenge(ROOM, "klopodavka", {}, [ANN, BOB])), Refused.YOURSELF)


async def test_who_plays_both_sides_asks_nobody_else() -> None:
    desk, chosen = Desk(GAMES), {"board": "5x5"}
    match = (await desk.open(ANN, Challenge(ROOM, "breakthrough", chosen, side="both", clock="1d"))).match
    match = await desk.play(match, "b2-b3", "a4xb3", "c2xb3", "c4-c3")
    for left in (3, 2, 1):
        match = (await desk.act(match, ANN, Undo())).match
        assert len(match.log) == left
    match = await desk.play(match, "a4xb3", "c2xb3")
    match = (await desk.act(match, ANN, AskTakeback(2))).match
    assert (len(match.log), match.offer) == (1, None)
    match = (await desk.act(match, ANN, AskPause())).match
    assert match.paused
    match = (await desk.act(match, ANN, Resume())).match
    drawn = (await desk.act(match, ANN, OfferDraw())).match
    assert drawn.result == Result((), Closing.DRAW_AGREED.value)
