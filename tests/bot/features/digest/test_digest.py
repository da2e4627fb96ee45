"""The week of a place: /week, and what is posted on Mondays, once, also with several bots and when bots are killed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Recipient
from bot.chat.view import Message, Person, View
from bot.features.digest import MOST, drama, note_match, post, schedule_of
from bot.features.puzzles.attempts import DailyAttempt, DailyResults, TurnSquare, store_attempt
from engine.core import Task
from play.actions.leaving import Resign
from play.facts import Departed
from play.match import Match
from play.people import Address, Player
from play.replay import Course
from play.request import Request
from play.settings import QuietHours, Settings
from play.table import Table
from rules import GAMES
from rules.core import Seat
from tests.bot.chat.sending.fakes import Post
from tests.bot.features.puzzles.solving import posed_of
from tests.bot.world import ANN, BOB, CEM, HALL, NOON, ROOM, Counted, Overhearing, World
from tests.support.memory import MemoryStore
from tests.support.services import services
from tests.support.stores import set_settings

MONDAY = datetime(2026, 11, 16, tzinfo=UTC)  # of the week of `NOON`, a Saturday
NEXT = MONDAY + timedelta(days=7)
NINE = NEXT + timedelta(hours=9)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Town(World):
    """Places in which matches are played, and as many bots as are wanted."""

    def __init__(self, language: str = "en") -> None:
        super().__init__(language)
        self.store = MemoryStore(lambda: self.now)
        self.table = Table(self.store, GAMES, Counted())
        self.desk = Overhearing(self.table, self.store, lambda: self.now, language, ROOM)
        self.couriers = Post(ROOM.platform)

    async def bot(self) -> None:
        shared = services(self.table, self.store, lambda: self.now, language=self.language)
        outgoing, bucket = self.store.outgoing(), self.store.bucket()
        delivery = Delivery(outgoing, bucket, shared.composer, now=self.store.now, sleep=asyncio.sleep)
        await post(shared, delivery, {ROOM.platform: self.couriers})

    async def at(self, moment: datetime, bots: int = 1) -> Sequence[Recipient]:
        """Where something is posted when it is that time."""
        self.now, before = moment, len(self.couriers.posted)
        await asyncio.gather(*(self.bot() for _ in range(bots)))
        return [to for to, *_ in self.couriers.posted[before:]]

    async def config(self, chosen: str) -> View:
        admin = replace(self.visitor(CEM), admin=True)
        return (await self.desk.answer(admin, f"/config {chosen}"))[-1].view

    async def wanted(self, place: Address = ROOM, **more: object) -> None:
        chosen = Settings(digest=True, **more)  # type: ignore[arg-type]
        await set_settings(self.store, place, chosen)
        await schedule_of(self.store).plan(place, chosen, self.now)

    async def played(self, rounds: int = 1, people: Sequence[Player] = (ANN, BOB)) -> Match:
        """A match of so many rounds, an hour each, in which the first player then gives up."""
        match = await self.begin("lgame", {}, people=people)
        for _ in range(rounds):
            self.now += HOUR
            match = await self.all_move(match)
        await self.table.act(match.id, Resign(), Request(people[0], self.now))
        await self.desk.drained()
        return await self.table.get(match.id)

    async def solved(self, who: Player, day: date, *squares: TurnSquare) -> None:
        begun = DailyAttempt.start(day, posed_of("lgame", Task.SAVE), self.now, self.now)
        attempt = replace(begun, squares=squares, places=(ROOM,)).found(None, self.now + HOUR)
        await store_attempt(self.store, who.account, attempt)
        await DailyResults(self.store).finished(who, attempt)

    async def week(self, who: Player = ANN, line: str = "/week", where: Address = ROOM) -> Message:
        (said,) = await self.say(who, line, where)
        return said


async def test_a_week_has_its_crown_its_games_and_their_players() -> None:
    town = Town()
    assert (await town.week()).view.lines == (words("en")("bot.digest.nothing"),)
    town.now = MONDAY + HOUR
    long, short = await town.played(3), await town.played(2, people=(BOB, CEM))
    await town.solved(BOB, town.now.date())
    await town.solved(CEM, town.now.date(), TurnSquare.WRONG)
    said = await town.week()
    assert said.to == Person(ANN.account, ROOM)
    assert said.view.lines == (
        "📅 This week so far",
        "2 games, 3 players",
        "",
        "👑 Puzzles of the day: bob, 3 points",
        f"🐢 The longest game: ann – bob (#{long.id}), 6 turns, 2 hours",
    )
    assert [each.data for each in said.view.buttons] == [CallbackData(Verb.BOARD, long.id, 0)]
    assert short.id not in str(said.view)
    # To the place in its language, until a week without games is two weeks old; elsewhere nothing was played.
    town.now = NEXT + HOUR
    await set_settings(town.store, ROOM, Settings(language="uk"))
    shown = await town.week(line="/week here")
    assert shown.to == ROOM
    assert shown.view.lines[:2] == ("📅 Тиждень: 16 листопада – 22 листопада", "2 партії, 3 гравці")
    assert (await town.week(where=HALL)).view.lines == (words("en")("bot.digest.nothing"),)
    assert "tomorrow" in await town.told(ANN, "/week tomorrow")
    town.now += 7 * DAY
    assert (await town.week()).view.lines == (words("uk")("bot.digest.nothing"),)


async def test_hidden_and_forgotten_people_are_not_named() -> None:
    town = Town()
    match = await town.played(2)
    for who in (ANN, BOB, CEM):
        await town.solved(who, NOON.date())
    await town.say(ANN, "/settings profile:off")
    assert "👑 Puzzles of the day: bob and cem, 3 points" in (await town.week(CEM)).view.lines
    await town.say(ANN, "/forgetme yes")
    await town.desk.drained()
    lines = (await town.week(CEM)).view.lines
    assert "ann" not in " ".join(lines)
    assert f"(#{match.id})" in lines[-1]
    for who in (BOB, CEM):
        await town.say(who, "/settings profile:off")
    assert "👑" not in str((await town.week(CEM)).view.lines)


async def test_what_was_not_played_out_is_in_no_week_and_what_comes_twice_once() -> None:
    town = Town()
    ended = await town.begin("lgame", {})  # no one has moved
    await town.table.act(ended.id, Resign(), Request(ANN, town.now))
    match = await town.played()
    for minutes in (1, 2):  # the sender passes each fact at least once
        town.now += timedelta(minutes=minutes)
        await note_match(town.table, town.store, Departed(match, Seat(0), ANN))
    assert (await town.week()).view.lines[1] == "1 game, 2 players"
    await note_match(
        town.table,
        town.store,
        Departed(replace(match, imported=True, id="aaaaa9"), Seat(0), ANN),
    )
    assert (await town.week()).view.lines[1] == "1 game, 2 players"


async def test_a_place_keeps_a_bounded_number_of_matches() -> None:
    town = Town()
    match = await town.played()
    for number in range(MOST + 5):
        other = replace(match, id=f"zz{number:04}")
        await note_match(town.table, town.store, Departed(other, Seat(0), ANN))
    assert (await town.week()).view.lines[1] == f"{MOST} games, 2 players"
    # Of those that are not there any more a few are looked for.
    assert "🐢" not in str((await town.week()).view)


def led(course: Course, leads: str) -> float:
    """The drama of a course by who is ahead after each turn, + for who moves first."""
    worth = dict(zip(course.positions[1:], leads, strict=True))

    def evaluate(position: Any, seat: Seat) -> float:
        return {"+": 0.5, "-": -0.5, "=": 0.0}[worth[position]] * (1 if seat == 0 else -1)

    return drama(replace(course, game=replace(course.game, evaluate=evaluate)))


async def test_drama_is_a_lead_that_passes_on_late_at_the_end_of_a_round() -> None:
    town = Town()
    match = await town.begin("breakthrough", {})
    for _ in range(4):
        match = await town.all_move(match)
    course = town.table.course(match)
    assert led(course, "++++++++") == led(course, "========") == led(course, "==++==++") == 0
    assert led(course, "-+-+-+-+") == 0  # captures and recaptures
    assert 0 < led(course, "++------") < led(course, "++++++--") < led(course, "++--++--")


async def test_the_finest_story_is_the_match_of_most_drama() -> None:
    town = Town()
    dull, fine = [await town.played(2), await town.played(4)]
    for match, much in ((dull, 0.2), (fine, 0.9)):
        text = json.dumps([match.id, much, 4, 60, ["a", "b"]])
        await town.store.timelines.add(f"played:{ROOM}", text, town.now)
    view = (await town.week()).view
    assert f"✨ The finest story: ann – bob (#{fine.id}). bob won. By resignation." in view.lines
    assert {each.data.code for each in view.buttons} >= {fine.id}


async def test_it_says_who_plays_next_on_the_ladder() -> None:
    town = Town()
    await town.say(ANN, "/ladder new lgame clock:1d")
    for who in (ANN, BOB, CEM):
        await town.say(who, "/ladder join")
    await town.played()
    (event,) = town.store.events.stored.values()
    lines = (await town.week()).view.lines
    assert lines[-2:] == (
        f"🪜 Next on the ladder (L-game, #{event.id}):",
        "bob can challenge ann, who is on top",
    )
    await town.say(CEM, "/ladder challenge 2")
    assert (await town.week()).view.lines[-1].startswith("cem challenges bob: to answer by")


async def test_it_is_posted_once_a_week_on_monday_at_nine_to_places_that_want_it() -> None:
    town = Town()
    await town.played()
    await town.wanted()
    assert await town.at(NINE - timedelta(seconds=1)) == []
    assert await town.at(NINE, bots=5) == [ROOM]
    assert await town.at(NINE + HOUR, bots=5) == []
    (_, view, nonce), *_ = town.couriers.posted
    assert view.lines[:2] == ("📅 The week of 16 November – 22 November", "1 game, 2 players")
    assert len(nonce) <= 25
    await town.played()
    assert await town.at(NINE + 7 * DAY, bots=2) == [ROOM]
    assert await town.at(NINE + 14 * DAY) == []  # nothing was played
    assert await town.at(NINE + 14 * DAY + HOUR) == []
    await town.played()
    await town.config("digest:off")
    assert await town.at(NINE + 21 * DAY) == []


@pytest.mark.parametrize(
    ("late", "comes"), [(DAY, True), (2 * DAY, True), (3 * DAY, False), (6 * DAY, False)]
)
async def test_a_bot_that_was_down_posts_until_wednesday(late: timedelta, comes: bool) -> None:
    town = Town()
    await town.played()
    await town.wanted()
    assert await town.at(NINE + late) == [ROOM] * comes
    await town.played()
    assert await town.at(NINE + 7 * DAY) == [ROOM]


async def test_the_hour_and_the_week_are_those_of_the_place() -> None:
    town = Town()
    await set_settings(town.store, ROOM, Settings(quiet=QuietHours(time(23), time(8), "America/New_York")))
    said = await town.config("digest:on")
    assert "The week of this chat comes on Mondays at 9:00 (America/New_York)." in said.lines
    town.now = NEXT + 3 * HOUR  # still Sunday there
    await town.played()
    town.now = NEXT + 8 * HOUR  # Monday
    await town.played()
    assert await town.at(NINE) == []
    assert await town.at(NINE + 5 * HOUR) == [ROOM]
    assert town.couriers.posted[0][1].lines[1] == "1 game, 2 players"
    await town.config("zone:Europe/Kyiv")
    assert await town.at(NINE + 7 * DAY - 2 * HOUR) == [ROOM]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_week_is_whole_in_every_language(language: str) -> None:
    town = Town(language)
    await set_settings(town.store, ROOM, Settings(language=language))
    await town.played(3)
    await town.solved(BOB, NOON.date())
    await town.wanted(language=language)
    assert await town.at(NINE) == [ROOM]
    view = town.couriers.posted[0][1]
    assert view.language == language
    assert "bot." not in str(view.lines)
