"""Rated matches, and the maths of ratings."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from play.actions.agreeing import Answer, AskTakeback, OfferDraw, Propose, Undo
from play.actions.leaving import End, Resign, Substitute
from play.actions.renaming import forget
from play.actions.seating import Decline, Join, SeatEngine, Start
from play.errors import Refused, Unavailable
from play.facts import Asked, Challenged, Flagged, Undone
from play.files.matchfile import Import, write
from play.files.matchreader import read
from play.match import Ask, Match, Phase, engine
from play.opening import Challenge, Lobby, rematch
from play.people import Account, Player
from play.ratings.model import (
    MOST_A_DAY,
    NEWCOMER,
    SETTLED,
    START,
    Rating,
    RatingChange,
    Uncounted,
    changes,
    places,
    uncounted,
)
from play.ratings.records import count, counted, played_in
from play.request import Request
from play.settings import Settings
from rules.core import SEATS, Sides
from tests.support.desk import ANN, BOB, CEM, DAN, HALL, ROOM, Desk
from tests.support.stores import set_settings

# Rated matches: where there are none, what is not done in them, and that each counts once.


async def party(desk: Desk, *people: Player, game: str = "notches", **chosen: str) -> Match:
    chosen = {"players": str(len(people)), **chosen}
    match = (await desk.open(people[0], Lobby(ROOM, game, chosen, rated=True))).match
    for person in people[1:]:
        match = (await desk.act(match, person, Join())).match
    return (await desk.act(match, people[0], Start())).match


async def tried(desk: Desk, match: Match) -> Match:
    """Everybody has had a turn, so that giving up counts."""
    for _ in match.chairs:
        seat = desk.table.position(match).to_move
        while (position := desk.table.position(match)).to_move == seat:
            text = desk.games[match.game].notation.format(position.legal_moves()[0])
            match = await desk.play(match, text)
    return match


def gained(changes: Sequence[RatingChange | None]) -> list[int]:
    """What each rating gained, of those that changed."""
    return [change.gained for change in changes if change]


async def shown(desk: Desk, game: str, *people: Player) -> list[int | None]:
    held = await desk.store.ratings.get(game, *(person.account for person in people))
    return [rating.shown if rating else None for rating in held]


async def test_it_is_chosen_before_it_begins_and_kept(desk: Desk) -> None:
    match = await desk.duel(rated=True)
    assert match.rated
    over = (await desk.act(match, BOB, Resign())).match
    again = await rematch(desk.table, over.id, Request(BOB, desk.at))
    assert isinstance(again, Challenged)
    assert again.match.rated
    assert (await party(desk, ANN, BOB, CEM)).rated
    assert not (await desk.invited(ANN)).rated


@pytest.mark.parametrize(
    ("game", "chosen"),
    [
        ("breakthrough", {"preset": "mini"}),
        ("breakthrough", {"board": "5x5"}),
        ("lgame", {"variant": "symmetry", "symmetry": "any"}),
    ],
)
async def test_a_game_says_what_is_not_for_ratings(desk: Desk, game: str, chosen: dict[str, str]) -> None:
    asked = desk.open(ANN, Challenge(ROOM, game, chosen, rated=True))
    await desk.refuses(asked, Refused.UNRATABLE)
    await desk.refuses(desk.open(ANN, Lobby(ROOM, game, chosen, rated=True)), Refused.UNRATABLE)


async def test_no_engine_plays_in_one(desk: Desk) -> None:
    klop = engine(5)
    asked = desk.open(ANN, Challenge(ROOM, "lgame", opponents=[klop], rated=True))
    await desk.refuses(asked, Refused.RATED_ENGINE)
    lobby = desk.open(ANN, Lobby(ROOM, "notches", engines=[klop], rated=True))
    await desk.refuses(lobby, Refused.RATED_ENGINE)
    match = (await desk.open(ANN, Challenge(ROOM, "lgame", rated=True))).match
    await desk.refused(match, ANN, SeatEngine(klop), Refused.RATED_ENGINE)
    await desk.refused(match, klop, Join(), Refused.RATED_ENGINE)


async def test_a_seat_is_not_taken_over(desk: Desk) -> None:
    match = await party(desk, ANN, BOB, CEM, board="9x5")
    await desk.act(match, BOB, Resign())
    for who in (DAN, engine(3)):
        await desk.refused(match, who, Substitute(), Refused.RATED_SEAT)


async def test_a_match_against_oneself_or_from_a_file_is_not_rated(desk: Desk) -> None:
    asked = desk.open(ANN, Challenge(ROOM, "lgame", opponents=[ANN], rated=True))
    await desk.refuses(asked, Refused.YOURSELF)
    over = (await desk.act(await desk.duel(rated=True), BOB, Resign())).match
    text = write(over)
    assert '[Rated "yes"]' in text.splitlines()
    assert read(text).rated
    assert write(read(text)) == text
    brought = (await desk.open(ANN, Import(text, HALL))).match
    assert not brought.rated
    assert "Rated" not in write(brought)
    for wrong in ("no", "Yes", ""):
        bad = text.replace('[Rated "yes"]', f'[Rated "{wrong}"]')
        await desk.refuses(desk.open(ANN, Import(bad, HALL)), Refused.BAD_FILE)
    assert await count(desk.table, brought.id) == ()


async def test_a_complete_turn_goes_back_by_agreement_only(desk: Desk) -> None:
    match = await desk.play(await desk.duel(rated=True), "a2-a3")
    await desk.refused(match, ANN, Undo(), Refused.RATED_TURN)
    await desk.gives(Asked, match, ANN, AskTakeback())
    back = await desk.act(match, BOB, Answer(Ask.TAKEBACK, True))
    assert back.match.log == ()


async def test_a_turn_under_way_is_undone_freely(desk: Desk) -> None:
    match = await desk.play(await party(desk, ANN, BOB, CEM, board="9x5", cuts="3"), "a1 a2")
    fact = await desk.act(match, ANN, Undo())
    assert len(fact.match.log) == 1
    again = await desk.gives(Undone, match, ANN, AskTakeback())
    match = await desk.play(again.match, "a1 a2 a3")
    await desk.refused(match, ANN, Undo(), Refused.RATED_TURN)


async def test_a_match_counts_once_however_often_it_is_asked(desk: Desk) -> None:
    match = await tried(desk, await desk.duel(rated=True))
    assert await count(desk.table, match.id) == ()
    assert await desk.store.ratings.counted("breakthrough", match.id) is None
    await desk.act(match, BOB, Resign())
    told = await asyncio.gather(*(count(desk.table, match.id) for _ in range(10)))
    assert all(each == told[0] for each in told)
    first, second = gained(told[0])
    assert first == -second > 0
    assert await shown(desk, "breakthrough", ANN, BOB) == [START + first, START - first]
    assert await shown(desk, "lgame", ANN, BOB) == [None, None]
    assert await count(desk.table, match.id) == told[0]


async def test_time_and_draws_count(desk: Desk) -> None:
    match = await tried(desk, await desk.duel("lgame", clock="1d", rated=True))
    assert isinstance((await desk.wait(timedelta(days=2)))[-1], Flagged)
    lost, won = gained(await count(desk.table, match.id))
    assert lost < 0 < won
    match = await tried(desk, await desk.duel("lgame", rated=True))
    await desk.act(match, ANN, OfferDraw())
    await desk.act(match, BOB, OfferDraw())
    up, down = gained(await count(desk.table, match.id))
    assert up > 0 > down


async def test_what_does_not_count(desk: Desk) -> None:
    plain = await desk.duel("lgame")
    await desk.act(plain, BOB, Resign())
    off = await desk.invited(ANN, BOB, game="lgame", rated=True)
    await desk.act(off, BOB, Decline())
    ended = await desk.duel(rated=True)
    await desk.act(ended, ANN, End())
    agreed = await desk.duel(rated=True)
    for who in (ANN, BOB):
        await desk.act(agreed, who, Propose(Ask.END))
    for match in (plain, off, ended, agreed):
        assert await count(desk.table, match.id) == ()
    assert await shown(desk, "lgame", ANN, BOB) == [None, None]


@pytest.mark.parametrize("how", ["resigned", "flagged", "drawn"])
async def test_what_ends_before_each_has_moved_changes_nothing(desk: Desk, how: str) -> None:
    async def end(*moves: str) -> Sequence[RatingChange | None]:
        match = await desk.play(await desk.duel(clock="1d", rated=True), *moves)
        if how == "resigned":
            await desk.act(match, BOB, Resign())
        elif how == "flagged":
            await desk.wait(timedelta(days=2))
        else:
            for who in (ANN, BOB):
                await desk.act(match, who, OfferDraw())
        over = await desk.table.get(match.id)
        assert over.phase is Phase.OVER
        assert (uncounted(over, desk.table.course(over)) is Uncounted.UNPLAYED) is (len(moves) < 2)
        assert await counted(desk.table, over) == await count(desk.table, over.id)
        return await count(desk.table, over.id)

    assert await end() == ()
    assert await end("a2-a3") == ()
    assert await shown(desk, "breakthrough", ANN, BOB) == [None, None]
    assert len(await end("a2-a3", "a7-a6")) == 2


async def test_a_turn_that_was_begun_is_none(desk: Desk) -> None:
    match = await desk.play(await party(desk, ANN, BOB, cuts="3", board="9x5"), "a1 a2 a3", "e1 e2")
    await desk.act(match, BOB, Resign())
    assert await count(desk.table, match.id) == ()
    match = await desk.play(await party(desk, ANN, BOB, cuts="3", board="9x5"), "a1 a2 a3", "e1 e2 e3")
    await desk.act(match, BOB, Resign())
    assert len(await count(desk.table, match.id)) == 2


async def test_of_several_a_player_who_left_before_their_turn_is_left_out(desk: Desk) -> None:
    match = await party(desk, ANN, BOB, CEM, board="9x5", cuts="1")
    await desk.act(match, BOB, Resign())
    match = await desk.play(match, "a1", "i1")
    over = (await desk.act(match, CEM, Resign())).match
    assert places(over, desk.table.course(over)) == (0, 2, 1)
    changes = await count(desk.table, over.id)
    assert changes[1] is None
    first, second = gained(changes)
    assert first == -second > 0
    assert await shown(desk, "notches", BOB) == [None]


async def test_of_several_a_player_who_has_not_moved_does_not_win(desk: Desk) -> None:
    match = await desk.play(await party(desk, ANN, BOB, CEM, board="9x5", cuts="1"), "a1", "i1")
    await desk.act(match, ANN, Resign())
    over = (await desk.act(match, BOB, Resign())).match
    assert over.phase is Phase.OVER
    assert await count(desk.table, over.id) == ()
    assert await shown(desk, "notches", ANN, BOB, CEM) == [None] * 3


async def test_a_team_has_moved_when_one_of_it_has(desk: Desk) -> None:
    match = await party(desk, ANN, BOB, CEM, DAN, game="klopodavka", teams="2v2")
    for _ in range(2):
        seat = desk.table.position(match).to_move
        while (position := desk.table.position(match)).to_move == seat:
            text = desk.games["klopodavka"].notation.format(position.legal_moves()[0])
            match = await desk.play(match, text)
    for who in (ANN, CEM):
        match = (await desk.act(match, who, Resign())).match
    assert match.phase is Phase.OVER
    assert all(await count(desk.table, match.id))


async def given_up(desk: Desk, by: Player = BOB, game: str = "breakthrough") -> Match:
    """A match that counts, if the two have not played too often."""
    match = await tried(desk, await desk.duel(game, rated=True))
    return (await desk.act(match, by, Resign())).match


async def test_between_the_same_people_only_some_matches_a_day_count(desk: Desk) -> None:
    few = [await given_up(desk, (ANN, BOB)[number % 2]) for number in range(MOST_A_DAY)]
    for over in few:
        assert all(await count(desk.table, over.id))
    before = await shown(desk, "breakthrough", ANN, BOB)
    often = await given_up(desk)
    assert list(await count(desk.table, often.id)) == [None, None]
    assert await shown(desk, "breakthrough", ANN, BOB) == before
    assert all(await count(desk.table, few[0].id))  # it has counted, and is asked about again

    assert all(await count(desk.table, (await given_up(desk, game="lgame")).id))  # another game
    other = await tried(desk, await desk.begun(await desk.invited(CEM, BOB, rated=True)))
    await desk.act(other, BOB, Resign())
    assert all(await count(desk.table, other.id))  # another person

    desk.now += timedelta(days=1)
    assert all(await count(desk.table, (await given_up(desk)).id))
    assert list(await counted(desk.table, often)) == [None, None]  # what did not count never will


async def test_no_more_count_that_end_at_once(desk: Desk) -> None:
    matches = [await given_up(desk) for _ in range(2 * MOST_A_DAY)]
    await asyncio.gather(*(counted(desk.table, match) for match in matches * 2))
    done = [await counted(desk.table, match) for match in matches]
    assert sorted(all(each) for each in done) == [False] * MOST_A_DAY + [True] * MOST_A_DAY
    (ann, _) = await desk.store.ratings.get("breakthrough", ANN.account, BOB.account)
    assert ann is not None
    assert ann.played == MOST_A_DAY


async def test_one_match_that_several_count_at_once_is_one_of_the_few(desk: Desk) -> None:
    once = desk.store.notes.write_once

    async def slowly(name: str, text: str, *, keep: timedelta) -> bool:
        await asyncio.sleep(0)  # the others look as well before anything is written
        return await once(name, text, keep=keep)

    desk.store.notes.write_once = slowly  # type: ignore[assignment, method-assign]
    for _ in range(MOST_A_DAY):
        over = await given_up(desk)
        for done in await asyncio.gather(*(counted(desk.table, over) for _ in range(3))):
            assert all(done)
    assert not any(await counted(desk.table, await given_up(desk)))


async def test_a_match_that_was_let_in_and_not_counted_counts_later(desk: Desk) -> None:
    first, *others = [await given_up(desk) for _ in range(MOST_A_DAY + 1)]
    count = desk.store.ratings.count
    desk.store.ratings.count = unavailable  # type: ignore[assignment]
    with pytest.raises(Unavailable):
        await counted(desk.table, first)
    desk.store.ratings.count = count  # type: ignore[method-assign]
    done = [await counted(desk.table, match) for match in others]
    assert [all(each) for each in done] == [True] * (MOST_A_DAY - 1) + [False]
    assert all(await counted(desk.table, first))


async def unavailable(*_: object) -> None:
    raise Unavailable


async def test_of_several_the_player_who_was_out_first_is_last(desk: Desk) -> None:
    match = await tried(desk, await party(desk, ANN, BOB, CEM, DAN, board="9x5"))
    await desk.act(match, CEM, Resign())
    await desk.act(match, ANN, Resign())
    over = (await desk.act(match, BOB, Resign())).match
    assert over.phase is Phase.OVER
    assert places(over, desk.table.course(over)) == (2, 1, 3, 0)
    first, second, third, fourth = gained(await count(desk.table, over.id))
    assert fourth > second > first > third


async def test_teams_share_a_place(desk: Desk) -> None:
    match = await tried(desk, await party(desk, ANN, BOB, CEM, DAN, game="klopodavka", teams="2v2"))
    await desk.act(match, ANN, Resign())
    over = (await desk.act(match, CEM, Resign())).match
    first, second, third, fourth = gained(await count(desk.table, over.id))
    assert first == third < 0 < second == fourth


async def test_linked_accounts_have_one_rating(desk: Desk) -> None:
    other = Account("telegram", "7")
    await set_settings(desk.store, BOB.account, Settings(person=other))
    match = await tried(desk, await desk.duel(rated=True))
    await desk.act(match, ANN, Resign())
    await count(desk.table, match.id)
    assert await shown(desk, "breakthrough", BOB) == [None]
    assert (await desk.store.ratings.get("breakthrough", other))[0]


async def test_two_accounts_of_one_person_did_not_play_each_other(desk: Desk) -> None:
    match = await tried(desk, await desk.duel(rated=True))
    await desk.act(match, ANN, Resign())
    await set_settings(desk.store, BOB.account, Settings(person=ANN.account))
    assert await count(desk.table, match.id) == ()
    assert await shown(desk, "breakthrough", ANN, BOB) == [None, None]


async def test_who_is_forgotten_has_none_and_leaves_the_others_theirs(desk: Desk) -> None:
    match = await tried(desk, await desk.duel(rated=True))
    await forget(desk.table, match.id, Request(BOB, desk.at))
    await desk.store.forget(BOB.account)
    assert await shown(desk, "breakthrough", BOB) == [None]
    (won,) = await shown(desk, "breakthrough", ANN)
    assert won is not None
    assert won > START
    first, _ = await count(desk.table, match.id)
    assert first is not None
    assert first.after.shown == won
    assert await shown(desk, "breakthrough", BOB) == [None]


async def test_a_seat_whose_player_was_forgotten_changes_no_rating(desk: Desk) -> None:
    match = await tried(desk, await party(desk, ANN, BOB, CEM, board="9x5"))
    await forget(desk.table, match.id, Request(CEM, desk.at))
    await desk.act(match, BOB, Resign())
    done = await count(desk.table, match.id)
    assert done[2] is None
    assert done[0] is not None
    assert done[0].gained > 0
    assert await shown(desk, "notches", CEM) == [None]


async def test_the_pace_is_the_time_within_which_three_of_four_turns_were_answered(desk: Desk) -> None:
    match = await desk.duel()
    for hours in (1, 2, 3, 4, 100):
        for wait in (0, hours):
            desk.now += timedelta(hours=wait, seconds=-1)  # playing takes one
            move = desk.table.position(match).legal_moves()[0]
            match = await desk.play(match, desk.games[match.game].notation.format(move))
    over = (await desk.act(match, ANN, Resign())).match
    ann, bob = played_in(over, desk.table.course(over), [ANN.account, BOB.account], ())
    assert (ann.pace, bob.pace) == (0, 52 * 3600)


# What results do to ratings: properties of the maths, for any ratings.


ratings = st.builds(Rating, st.floats(0, 60), st.floats(1, 9), st.integers(0, 100))


def alone(count: int) -> Sides:
    return tuple((seat,) for seat in SEATS[:count])


@given(ratings, ratings)
def test_the_winner_goes_up_and_the_loser_goes_down(one: Rating, other: Rating) -> None:
    winner, loser = changes(alone(2), (0, 1), (one, other))
    assert winner.after.skill > winner.before.skill
    assert loser.after.skill < loser.before.skill
    assert winner.gained >= 0 >= loser.gained
    assert (winner.after.played, loser.after.played) == (one.played + 1, other.played + 1)


@given(st.lists(ratings, min_size=2, max_size=10), st.randoms(use_true_random=False))
def test_who_is_named_first_does_not_matter(people: list[Rating], luck: object) -> None:
    taken = [index // 2 for index in range(len(people))]
    straight = changes(alone(len(people)), taken, people)
    turned = changes(alone(len(people)), taken[::-1], people[::-1])
    for one, other in zip(straight, reversed(turned), strict=True):
        assert math.isclose(one.after.skill, other.after.skill, abs_tol=1e-9)
        assert math.isclose(one.after.doubt, other.after.doubt, abs_tol=1e-9)


@given(st.lists(ratings, min_size=3, max_size=10))
def test_of_more_than_two_the_first_goes_up_and_the_last_goes_down(people: list[Rating]) -> None:
    done = changes(alone(len(people)), range(len(people)), people)
    assert done[0].after.skill > done[0].before.skill
    assert done[-1].after.skill < done[-1].before.skill


@given(st.lists(ratings, min_size=4, max_size=4))
def test_team_mates_go_the_same_way(people: list[Rating]) -> None:
    first, second, third, fourth = SEATS[:4]
    done = changes(((first, third), (second, fourth)), (1, 0), people)
    assert done[0].gained <= 0
    assert done[2].gained <= 0
    assert done[1].gained >= 0
    assert done[3].gained >= 0
    assert [change.before for change in done] == people


def test_what_people_see() -> None:
    assert NEWCOMER.shown == START
    assert NEWCOMER.provisional
    assert not Rating(25.0, 3.0, SETTLED).provisional
    assert Rating(25.0 + 400 / 30, 3.0).shown == START + 400


def test_four_hundred_more_is_ten_games_of_eleven() -> None:
    """Of two who play on and on, and win as often as their ratings say, neither rating moves."""
    one, other = Rating(25.0 + 400 / 30, 0.01, 99), Rating(25.0, 0.01, 99)
    won = changes(alone(2), (0, 1), (one, other))[0]
    lost = changes(alone(2), (1, 0), (one, other))[0]
    up, down = won.after.skill - one.skill, one.skill - lost.after.skill
    assert down / (up + down) == pytest.approx(10 / 11, abs=0.01)
