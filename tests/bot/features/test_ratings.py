"""/profile and /top, and how rated matches count."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from unittest.mock import AsyncMock

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import words
from bot.chat.sending import Sender
from bot.chat.sending.composer import Composer
from bot.chat.view import Person
from bot.features.commands import REGISTRY
from bot.features.events.announcing import EventComposer
from bot.features.ratings.cards import BARS, Profile, profile
from bot.features.ratings.commands import Records, count_match
from play.actions.leaving import End, Resign
from play.errors import Unavailable
from play.facts import Departed
from play.match import Match
from play.opening import Challenge
from play.people import Account, Player
from play.ratings.model import MOST_A_DAY, NEWCOMER, Rating, RatingChange
from play.ratings.records import MOST, PACED, PlayedMatch, Score, sign_of, usual_pace
from play.request import Request
from rules import GAMES
from tests.bot.features.people.test_linking import ANYA, link
from tests.bot.world import ANN, BOB, CEM, HALL, NOON, ROOM, World, person
from tests.support.memory.notes import MemoryRatings
from tests.support.services import Composing, services

# /profile and /top: ratings, records, pace, head to head; and what becomes of them when accounts are linked
# or forgotten.


async def rated(world: World) -> Match:
    """A rated match in which both have moved."""
    return await world.all_move(await world.begin("lgame", {}, rated=True))


async def give(world: World, who: Player, skill: float, played: int, game: str = "lgame") -> None:
    """A rating out of nothing."""
    new = Rating(skill, 3.0, played)
    await world.store.ratings.count(
        game, f"{who.name}{game}", [who.account], lambda _: [RatingChange(NEWCOMER, new)]
    )


async def asked(world: World, who: Player, line: str) -> Sequence[str]:
    [said] = await world.say(who, line)
    assert said.to == Person(who.account, ROOM)
    return said.view.lines


async def test_the_best_ten_who_play_here_those_who_are_known_well_first() -> None:
    world = World()
    people = [person(f"p{number:02d}") for number in range(13)]
    for number, who in enumerate(people):
        await world.table.open(Challenge(ROOM, "lgame"), Request(who, world.now))
        await give(world, who, 20 + number, 3 if number > 9 else 30)
    await give(world, CEM, 50, 30)  # does not play here
    lines = list(await asked(world, ANN, "/top lgame"))
    at = lines.index("L-game:")
    ranked = [line.split()[1] for line in lines[at + 1 : at + 11]]
    assert ranked == [f"p{number:02d}" for number in (9, 8, 7, 6, 5, 4, 3, 2, 1, 0)]
    assert "1. p09 1620" in lines
    assert len(lines) == at + 11
    [elsewhere] = await world.say(ANN, "/top", HALL)
    assert elsewhere.view.lines[1] == (
        "No rated matches yet. To play one: /challenge bob breakthrough rated:yes"
    )


async def test_who_is_forgotten_has_no_rating_by_any_account() -> None:
    world = World()
    await give(world, ANYA, 30, 20)
    await link(world)
    match = await rated(world)
    await world.table.act(match.id, Resign(), Request(BOB, world.now))  # not told yet, so not counted
    await world.desk.press(world.visitor(ANN), CallbackData.without_match(Verb.FORGET, "sure"))
    accounts: list[Account] = [ANN.account, ANYA.account]
    assert await world.store.ratings.get("lgame", *accounts) == [None, None]
    [bob] = await world.store.ratings.get("lgame", BOB.account)
    assert bob is not None
    assert bob.played == 1
    await world.desk.drained()
    assert await world.store.ratings.get("lgame", *accounts) == [None, None]
    assert (await asked(world, CEM, "/profile bob"))[1].startswith("· L-game: 14")


async def test_who_gives_up_by_being_forgotten_is_told_of_without_a_name_or_a_rating() -> None:
    world = World()
    await give(world, BOB, 40, 20)
    match = await rated(world)
    told = await world.desk.press(world.visitor(BOB), CallbackData.without_match(Verb.FORGET, "sure"))
    [board] = [message.view for message in told if message.view.diagram]
    for message in told:
        assert "bob" not in " ".join((*message.view.lines, *message.view.after, message.view.alt))
    over = await world.table.get(match.id)
    assert over.result is not None
    [ann] = await world.store.ratings.get("lgame", ANN.account)
    assert ann is not None
    assert ann.shown > 1600  # for whom she has won against
    assert board.after[-1] == f"Ratings: ann {ann.shown}? (+{ann.shown - 1500})"
    assert await world.store.ratings.get("lgame", BOB.account) == [None]


async def finished(world: World, winner: Player, *, days: int = 0) -> None:
    """A rated match of Ann and Bob that one of them wins, as many days later."""
    world.now += timedelta(days=days)
    match = await rated(world)
    loser = BOB if winner is ANN else ANN
    await world.say(loser, f"/resign yes #{match.id}")


async def test_a_rating_has_a_line_of_its_days() -> None:
    world = World()
    for number in range(MOST_A_DAY):  # the notes of this store know no other day
        await finished(world, ANN if number % 3 else BOB, days=1)
    lines = await asked(world, ANN, "/profile")
    (line,) = [each for each in lines if each.startswith("· L-game")]
    spark = line.split()[3].rstrip(",")
    assert len(spark) == MOST_A_DAY
    assert {*spark} <= {*BARS}
    assert spark[0] == BARS[0]  # a loss, and the lowest of all
    assert not any("answers" in each for each in lines)  # each had one turn: there is nothing to measure


@pytest.mark.parametrize(
    ("minutes", "said"), [(0.2, "1 minute"), (59, "59 minutes"), (281, "5 hours"), (49 * 60, "3 days")]
)
async def test_the_usual_pace_is_told_roughly_and_from_ten_matches_on(minutes: float, said: str) -> None:
    store, pace = World().store, round(minutes * 60)
    for number in range(PACED):
        played = PlayedMatch(f"m{number}", "lgame", ANN, Score.WON, ("x",), NOON, None, pace)
        assert PlayedMatch.unpack(played.pack(), NOON) == played
        await store.timelines.add(f"record:{ANN.account}", played.pack(), NOON)
        record = await Records(store).of(ANN.account, NOON)
        assert (usual_pace(record) is None) is (number < PACED - 1)
    pace_now = usual_pace(await Records(store).of(ANN.account, NOON))
    view = profile(Profile(ANN, {}, pace_now), GAMES, words("en"))
    assert f"Usually answers within {said}." in view.lines


async def test_a_record_is_written_once_whoever_writes_it_and_bounded() -> None:
    world = World()
    match = await rated(world)
    fact = await world.table.act(match.id, Resign(), Request(BOB, world.now))
    await asyncio.gather(*(count_match(world.table, world.store, fact) for _ in range(12)))
    (played,) = await Records(world.store).of(ANN.account, NOON)
    assert (played.match, played.score, played.opponents) == (match.id, Score.WON, (sign_of(BOB.account),))
    assert played.rating is not None
    for number in range(MOST + 5):
        at = NOON + timedelta(minutes=number)
        text = replace(played, match=f"m{number}", ended=at).pack()
        await world.store.timelines.add(f"record:{ANN.account}", text, at, most=MOST)
    assert len(await Records(world.store).of(ANN.account, NOON)) == MOST


def test_a_match_is_counted_before_events_and_seeks_go_on_with_it() -> None:
    world = World()
    first, *others = (make(services(world.table, world.store, lambda: NOON)) for make in REGISTRY.hooks)
    assert isinstance(first, partial)
    assert first.func is count_match
    assert others


async def test_only_matches_between_people_that_were_played_are_recorded() -> None:
    world = World()
    early = await world.begin("breakthrough", {}, rated=True)
    await world.say(BOB, f"/resign yes #{early.id}")
    closed = await world.all_move(await world.begin("breakthrough", {}))
    await world.table.act(closed.id, End(), Request(ANN, world.now))
    assert not await Records(world.store).of(ANN.account, NOON)
    unrated = await world.all_move(await world.begin("breakthrough", {}))
    await world.say(BOB, f"/resign yes #{unrated.id}")
    assert await asked(world, ANN, "/profile") == ("ann", "· Breakthrough: 1 match (+1 =0 −0)")


async def test_a_hidden_profile_is_shown_to_its_person_alone() -> None:
    world = World()
    await finished(world, ANN)
    await world.say(BOB, "/settings profile:off")
    assert await asked(world, ANN, "/profile bob") == ("bob keeps their profile to themselves.",)
    for line in ("/top", "/top week", "/top everywhere", "/top week everywhere"):
        assert not any("bob" in each for each in await asked(world, ANN, line))
    assert (await asked(world, BOB, "/profile"))[-1].startswith("Only you see this")


async def test_records_are_exported_and_forgotten_and_those_of_opponents_stay_without_a_name() -> None:
    world = World()
    await finished(world, ANN)
    assert [
        each for each in await world.store.traces(ANN.account) if each.name.endswith(f"record:{ANN.account}")
    ]
    await world.desk.press(world.visitor(ANN), CallbackData.without_match(Verb.FORGET, "sure"))
    assert not await Records(world.store).of(ANN.account, NOON)
    assert await Records(world.store).ranked("lgame") == [BOB.account]
    (played,) = await Records(world.store).of(BOB.account, NOON)
    assert "ann" not in played.pack()
    assert "+0 =0 −1" in " ".join(await asked(world, CEM, "/profile bob"))


# Rated matches count when their end comes by, with or without a recipient.


async def over(world: World) -> Departed:
    match = await rated(world)
    return await world.table.act(match.id, Resign(), Request(BOB, NOON))


async def played(world: World) -> list[int]:
    found = await world.store.ratings.get("lgame", ANN.account, BOB.account)
    return [rating.played if rating else 0 for rating in found]


async def test_it_counts_once_though_no_one_is_told() -> None:
    world = World()
    await over(world)
    for _ in range(2):
        sender = Sender(
            world.store.outgoing(),
            world.store.bucket(),
            Composer(world.table, "en", events=EventComposer(world.table, "en")),
            [],
            now=world.store.now,
            also=[partial(count_match, world.table, world.store)],
        )
        await sender.drain()
        assert await played(world) == [1, 1]


async def test_while_the_store_is_silent_the_fact_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    fact = await over(world)
    with monkeypatch.context() as patched:
        patched.setattr(MemoryRatings, "counted", AsyncMock(side_effect=Unavailable))
        with pytest.raises(Unavailable):
            await count_match(world.table, world.store, fact)
    await count_match(world.table, world.store, fact)
    assert await played(world) == [1, 1]


async def test_a_match_that_is_gone_is_passed_over() -> None:
    world = World()
    fact = await over(world)
    gone: Match = world.store.matches.stored.pop(fact.match.id)
    assert gone.rated
    assert await count_match(world.table, world.store, fact) == ()
    said = await Composing(world.table, world.store).compose([fact], ROOM)
    assert len(said.view.after) == 1
