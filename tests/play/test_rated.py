"""Rated matches: where there are none, what is not done in them, and that each counts once."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from play.clock import Clock
from play.errors import Refused
from play.facts import Asked, Challenged, Flagged, Undone
from play.machines import engine
from play.match import Ask, Match, Phase
from play.matchfile import write
from play.people import Account, Player
from play.ratings import START, places
from play.settings import Settings
from tests.play.desk import ANN, BOB, CEM, DAN, HALL, ROOM, Desk


async def duel(desk: Desk, game: str = "breakthrough", **chosen: str) -> Match:
    made = await desk.table.challenge(ANN, ROOM, game, chosen, at=desk.at, opponents=[BOB], rated=True)
    return (await desk.table.accept(made.match.id, BOB, at=desk.at)).match


async def party(desk: Desk, *people: Player, game: str = "notches", **chosen: str) -> Match:
    chosen = {"players": str(len(people)), **chosen}
    match = (await desk.table.open_lobby(people[0], ROOM, game, chosen, at=desk.at, rated=True)).match
    for person in people[1:]:
        match = (await desk.table.join(match.id, person, at=desk.at)).match
    return (await desk.table.start(match.id, people[0], at=desk.at)).match


async def tried(desk: Desk, match: Match) -> Match:
    """Everybody has had a turn, so that giving up counts."""
    for _ in match.chairs:
        seat = desk.table.position(match).to_move
        while (position := desk.table.position(match)).to_move == seat:
            text = desk.games[match.game].notation.format(position.legal_moves()[0])
            match = await desk.play(match, text)
    return match


async def shown(desk: Desk, game: str, *people: Player) -> list[int | None]:
    held = await desk.store.ratings(game, *(person.account for person in people))
    return [rating.shown if rating else None for rating in held]


async def test_it_is_chosen_before_it_begins_and_kept(desk: Desk) -> None:
    match = await duel(desk)
    assert match.rated
    over = (await desk.table.resign(match.id, BOB, at=desk.at)).match
    again = await desk.table.rematch(over.id, BOB, at=desk.at)
    assert isinstance(again, Challenged)
    assert again.match.rated
    assert (await party(desk, ANN, BOB, CEM)).rated
    assert not (await desk.table.challenge(ANN, ROOM, "breakthrough", {}, at=desk.at)).match.rated


@pytest.mark.parametrize(
    ("game", "chosen"),
    [
        ("breakthrough", {"preset": "mini"}),
        ("breakthrough", {"board": "5x5"}),
        ("lgame", {"variant": "symmetry", "symmetry": "any"}),
    ],
)
async def test_a_game_says_what_is_not_for_ratings(desk: Desk, game: str, chosen: dict[str, str]) -> None:
    asked = desk.table.challenge(ANN, ROOM, game, chosen, at=desk.at, rated=True)
    await desk.refuses(asked, Refused.UNRATABLE)
    await desk.refuses(
        desk.table.open_lobby(ANN, ROOM, game, chosen, at=desk.at, rated=True), Refused.UNRATABLE
    )


async def test_no_engine_sits_down(desk: Desk) -> None:
    klop = engine(5)
    asked = desk.table.challenge(ANN, ROOM, "lgame", {}, at=desk.at, opponents=[klop], rated=True)
    await desk.refuses(asked, Refused.RATED_ENGINE)
    lobby = desk.table.open_lobby(ANN, ROOM, "notches", {}, at=desk.at, engines=[klop], rated=True)
    await desk.refuses(lobby, Refused.RATED_ENGINE)
    match = (await desk.table.challenge(ANN, ROOM, "lgame", {}, at=desk.at, rated=True)).match
    await desk.refuses(desk.table.seat_engine(match.id, ANN, klop, at=desk.at), Refused.RATED_ENGINE)
    await desk.refuses(desk.table.join(match.id, klop, at=desk.at), Refused.RATED_ENGINE)


async def test_nobody_takes_over_a_seat(desk: Desk) -> None:
    match = await party(desk, ANN, BOB, CEM, board="9x5")
    await desk.table.resign(match.id, BOB, at=desk.at)
    for who in (DAN, engine(3)):
        await desk.refuses(desk.table.substitute(match.id, who, at=desk.at), Refused.RATED_SEAT)


async def test_a_match_against_oneself_or_from_a_file_is_not_rated(desk: Desk) -> None:
    asked = desk.table.challenge(ANN, ROOM, "lgame", {}, at=desk.at, opponents=[ANN], rated=True)
    await desk.refuses(asked, Refused.YOURSELF)
    over = (await desk.table.resign((await duel(desk)).id, BOB, at=desk.at)).match
    brought = (await desk.table.import_file(write(over), ANN, HALL, at=desk.at)).match
    assert not brought.rated
    assert await desk.table.count(brought.id) == ()


async def test_a_complete_turn_goes_back_by_agreement_only(desk: Desk) -> None:
    match = await desk.play(await duel(desk), "a2-a3")
    await desk.refuses(desk.table.undo(match.id, ANN, at=desk.at), Refused.RATED_TURN)
    asked = await desk.table.ask_takeback(match.id, ANN, at=desk.at)
    assert isinstance(asked, Asked)
    back = await desk.table.answer(match.id, BOB, Ask.TAKEBACK, True, at=desk.at)
    assert back.match.log == ()


async def test_a_turn_under_way_is_undone_freely(desk: Desk) -> None:
    match = await desk.play(await party(desk, ANN, BOB, CEM, board="9x5", cuts="3"), "a1 a2")
    fact = await desk.table.undo(match.id, ANN, at=desk.at)
    assert len(fact.match.log) == 1
    again = await desk.table.ask_takeback(match.id, ANN, at=desk.at)
    assert isinstance(again, Undone)
    match = await desk.play(again.match, "a1 a2 a3")
    await desk.refuses(desk.table.undo(match.id, ANN, at=desk.at), Refused.RATED_TURN)


async def test_a_match_counts_once_however_often_it_is_asked(desk: Desk) -> None:
    match = await tried(desk, await duel(desk))
    assert await desk.table.count(match.id) == ()
    assert await desk.store.counted("breakthrough", match.id) is None
    await desk.table.resign(match.id, BOB, at=desk.at)
    told = await asyncio.gather(*(desk.table.count(match.id) for _ in range(10)))
    assert all(each == told[0] for each in told)
    first, second = told[0]
    assert first is not None
    assert second is not None
    assert first.gained == -second.gained > 0
    assert await shown(desk, "breakthrough", ANN, BOB) == [START + first.gained, START - first.gained]
    assert await shown(desk, "lgame", ANN, BOB) == [None, None]
    assert await desk.table.count(match.id) == told[0]


async def test_time_and_draws_count(desk: Desk) -> None:
    made = await desk.table.challenge(
        ANN, ROOM, "lgame", {}, at=desk.at, opponents=[BOB], clock=Clock(timedelta(days=1)), rated=True
    )
    match = (await desk.table.accept(made.match.id, BOB, at=desk.at)).match
    assert isinstance((await desk.wait(timedelta(days=2)))[-1], Flagged)
    lost, won = await desk.table.count(match.id)
    assert lost is not None
    assert won is not None
    assert lost.gained < 0 < won.gained
    match = await duel(desk, "lgame")
    await desk.table.offer_draw(match.id, ANN, at=desk.at)
    await desk.table.offer_draw(match.id, BOB, at=desk.at)
    up, down = await desk.table.count(match.id)
    assert up is not None
    assert down is not None
    assert up.gained > 0 > down.gained


async def test_what_does_not_count(desk: Desk) -> None:
    plain = (await desk.table.challenge(ANN, ROOM, "lgame", {}, at=desk.at, opponents=[BOB])).match
    plain = (await desk.table.accept(plain.id, BOB, at=desk.at)).match
    await desk.table.resign(plain.id, BOB, at=desk.at)
    off = (await desk.table.challenge(ANN, ROOM, "lgame", {}, at=desk.at, opponents=[BOB], rated=True)).match
    await desk.table.decline(off.id, BOB, at=desk.at)
    ended = await duel(desk)
    await desk.table.end(ended.id, ANN, at=desk.at)
    for match in (plain, off, ended):
        assert await desk.table.count(match.id) == ()
    assert await shown(desk, "lgame", ANN, BOB) == [None, None]


async def test_who_gives_up_before_each_has_moved_loses_nothing(desk: Desk) -> None:
    for moves in ((), ("a2-a3",)):
        match = await desk.play(await duel(desk), *moves)
        await desk.table.resign(match.id, BOB, at=desk.at)
        assert await desk.table.count(match.id) == ()
    assert await shown(desk, "breakthrough", ANN, BOB) == [None, None]
    match = await desk.play(await duel(desk), "a2-a3", "a7-a6")
    await desk.table.resign(match.id, BOB, at=desk.at)
    assert len(await desk.table.count(match.id)) == 2


async def test_of_several_whoever_was_out_first_is_last(desk: Desk) -> None:
    match = await tried(desk, await party(desk, ANN, BOB, CEM, DAN, board="9x5"))
    await desk.table.resign(match.id, CEM, at=desk.at)
    await desk.table.resign(match.id, ANN, at=desk.at)
    over = (await desk.table.resign(match.id, BOB, at=desk.at)).match
    assert over.phase is Phase.OVER
    assert places(over, desk.table.course(over)) == (2, 1, 3, 0)
    gained = [change.gained for change in await desk.table.count(over.id) if change]
    assert gained[3] > gained[1] > gained[0] > gained[2]


async def test_teams_share_a_place(desk: Desk) -> None:
    match = await tried(desk, await party(desk, ANN, BOB, CEM, DAN, game="klopodavka", teams="2v2"))
    await desk.table.resign(match.id, ANN, at=desk.at)
    over = (await desk.table.resign(match.id, CEM, at=desk.at)).match
    gained = [change.gained for change in await desk.table.count(over.id) if change]
    assert gained[0] == gained[2] < 0 < gained[1] == gained[3]


async def test_linked_accounts_have_one_rating(desk: Desk) -> None:
    other = Account("telegram", "7")
    await desk.store.set_settings(BOB.account, Settings(person=other))
    match = await tried(desk, await duel(desk))
    await desk.table.resign(match.id, ANN, at=desk.at)
    await desk.table.count(match.id)
    assert await shown(desk, "breakthrough", BOB) == [None]
    assert (await desk.store.ratings("breakthrough", other))[0]


async def test_two_accounts_of_one_person_did_not_play_each_other(desk: Desk) -> None:
    match = await tried(desk, await duel(desk))
    await desk.table.resign(match.id, ANN, at=desk.at)
    await desk.store.set_settings(BOB.account, Settings(person=ANN.account))
    assert await desk.table.count(match.id) == ()
    assert await shown(desk, "breakthrough", ANN, BOB) == [None, None]


async def test_who_is_forgotten_has_none_and_leaves_the_others_theirs(desk: Desk) -> None:
    match = await tried(desk, await duel(desk))
    await desk.table.forget(match.id, BOB.account, at=desk.at)
    await desk.store.forget(BOB.account, "Bob", [match.id])
    assert await shown(desk, "breakthrough", BOB) == [None]
    (won,) = await shown(desk, "breakthrough", ANN)
    assert won is not None
    assert won > START
    first, _ = await desk.table.count(match.id)
    assert first is not None
    assert first.after.shown == won
    assert await shown(desk, "breakthrough", BOB) == [None]


async def test_a_seat_whose_player_was_forgotten_is_somebody_unknown(desk: Desk) -> None:
    match = await tried(desk, await party(desk, ANN, BOB, CEM, board="9x5"))
    await desk.table.forget(match.id, CEM.account, at=desk.at)
    await desk.table.resign(match.id, BOB, at=desk.at)
    done = await desk.table.count(match.id)
    assert done[2] is None
    assert done[0] is not None
    assert done[0].gained > 0
    assert await shown(desk, "notches", CEM) == [None]
