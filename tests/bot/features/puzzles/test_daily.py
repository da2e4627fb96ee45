"""The puzzle of the day: posted once, at its hour, also with several bots and when bots are killed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from unittest.mock import AsyncMock

import pytest

from bot.chat.callback_data import CallbackData, PuzzleStep, Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.sending.composer import Composer
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Gone, NoMessage, Recipient, RetryAfter, Transient
from bot.chat.sending.scheduled import AT_WORK, moment_of
from bot.chat.thinking import Thinker
from bot.features.events.announcing import EventComposer
from bot.features.puzzles.attempts import DailyAttempt, DailyResults, store_attempt
from bot.features.puzzles.daily import DailyPlaces, DailyPoster, schedule_of
from bot.features.puzzles.library import Library
from play.errors import Unavailable
from play.people import Account, Address, Player
from play.settings import DailyPuzzle, Settings
from play.table import Table
from render.picture import Theme
from rules import GAMES
from tests.bot.chat.sending.fakes import Post
from tests.bot.chat.thinking.workers import Inline
from tests.bot.world import Counted
from tests.support.memory import MemoryStore
from tests.support.stores import set_settings

EIGHT = datetime(2026, 11, 21, 6, tzinfo=UTC)  # 8:00 in Kyiv
NINE = DailyPuzzle(time(9), "Europe/Kyiv")
HALL, YARD = Address("toy", "hall"), Address("toy", "yard")
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Town:
    """A store, a clock, and as many bots as are wanted."""

    def __init__(self, thinker: Thinker | None = None) -> None:
        self.now = EIGHT
        self.store = MemoryStore(lambda: self.now)
        self.table = Table(self.store, GAMES, Counted())
        self.post = Post()
        self.thinker = thinker

    def bot(self) -> DailyPoster:
        delivery = Delivery(
            self.store.outgoing(),
            self.store.bucket(),
            Composer(self.table, "en", events=EventComposer(self.table, "en")),
            now=self.store.now,
            sleep=asyncio.sleep,
        )
        return DailyPoster(self.store, GAMES, delivery, {"toy": self.post}, "en", self.thinker)

    async def choose(self, place: Address, puzzle: DailyPuzzle | None, **more: object) -> None:
        chosen = replace(Settings(puzzle=puzzle), **more)  # type: ignore[arg-type]
        await set_settings(self.store, place, chosen)
        await schedule_of(self.store).plan(place, chosen, self.now)

    async def at(self, moment: datetime, bots: int = 1) -> Sequence[Recipient]:
        """Where something is posted when it is that time."""
        self.now = moment
        before = len(self.post.posted)
        await asyncio.gather(*(self.bot().tick() for _ in range(bots)))
        return [to for to, *_ in self.post.posted[before:]]


async def test_it_is_posted_at_its_hour_once_a_day() -> None:
    town = Town()
    await town.choose(HALL, NINE)
    await town.choose(YARD, replace(NINE, at=time(20)))
    assert await town.at(EIGHT + HOUR - timedelta(seconds=1)) == []
    assert await town.at(EIGHT + HOUR) == [HALL]
    assert await town.at(EIGHT + HOUR) == []
    assert await town.at(EIGHT + 2 * HOUR) == []
    assert await town.at(EIGHT + 12 * HOUR) == [YARD]
    assert await town.at(EIGHT + HOUR + DAY) == [HALL]
    assert len({name for *_, name in town.post.posted}) == 3
    assert all(len(name) <= 25 for *_, name in town.post.posted)


async def test_a_bot_that_was_down_at_the_hour_posts_later_that_day_and_not_on_the_next() -> None:
    town = Town()
    await town.choose(HALL, NINE)
    assert await town.at(EIGHT + 9 * HOUR, bots=5) == [HALL]  # one of them does
    assert await town.at(EIGHT + DAY, bots=5) == []  # 8:00 again
    assert await town.at(EIGHT + DAY + 5 * DAY) == []  # days without a bot are skipped
    assert await town.at(EIGHT + HOUR + 6 * DAY) == [HALL]


async def test_a_clock_that_is_set_back_keeps_no_place_waiting() -> None:
    town = Town()
    await town.choose(HALL, NINE)
    assert await town.at(EIGHT + 40 * DAY + HOUR) == [HALL]
    assert await town.at(EIGHT) == []
    assert await town.at(EIGHT + HOUR) == [HALL]


async def test_a_bot_that_dies_at_it_neither_loses_nor_doubles_it() -> None:
    town = Town()
    await town.choose(HALL, NINE)
    agenda, day = schedule_of(town.store), date(2026, 11, 21)
    town.now = EIGHT + HOUR
    assert await agenda.begin(HALL, day)  # and it was killed before it could post
    assert await town.at(EIGHT + HOUR) == []
    assert await town.at(EIGHT + HOUR + AT_WORK) == [HALL]
    # Killed once it had written down that it is done, before the next day was planned.
    await town.store.timelines.add("daily:toy", "hall", EIGHT)
    assert await town.at(EIGHT + HOUR + 2 * AT_WORK) == []
    assert await town.at(EIGHT + HOUR + DAY) == [HALL]


@pytest.mark.parametrize("trouble", [Transient(), RetryAfter(5.0), TimeoutError()])
async def test_what_does_not_get_through_is_tried_again_under_the_same_name(trouble: BaseException) -> None:
    town = Town()
    await town.choose(HALL, NINE)
    town.post.failing = [trouble]
    assert await town.at(EIGHT + HOUR) == []
    assert await town.at(EIGHT + HOUR + AT_WORK) == [HALL]
    assert town.post.posted[0][2] == schedule_of(town.store).nonce(HALL, date(2026, 11, 21))


async def test_a_place_that_is_gone_is_left_alone_and_does_not_stop_the_others() -> None:
    town = Town()
    await town.choose(HALL, NINE)
    await town.choose(YARD, NINE)
    town.post.failing = [Gone(), ValueError("a bug")]
    assert await town.at(EIGHT + HOUR) == []
    assert await town.at(EIGHT + HOUR + AT_WORK) == [YARD]
    assert await town.at(EIGHT + HOUR + DAY) == [YARD]
    await town.store.outgoing().set_dead(HALL, None)  # a person speaks there again
    assert set(await town.at(EIGHT + HOUR + 2 * DAY)) == {HALL, YARD}


@pytest.mark.parametrize("language", LANGUAGES)
async def test_it_speaks_as_the_place_does_and_says_how_yesterdays_went(language: str) -> None:
    town = Town(Thinker(Inline()))
    await town.choose(HALL, NINE, language=language, theme="dark")
    await town.at(EIGHT + HOUR)
    await town.at(EIGHT + HOUR + DAY)
    (_, first, _), (_, second, _) = town.post.posted
    assert first.theme is Theme.DARK
    assert first.diagram is None  # no one sees the board before their time runs
    solve, _ = first.buttons
    posed = await Library(town.store).known_of_day(date(2026, 11, 21))
    assert posed is not None
    assert solve.data == CallbackData(Verb.PUZZLE, posed.id, 0, PuzzleStep.SOLVE)
    assert len(first.lines) == 2
    assert len(second.lines) == 3  # and the solution of the first
    said = words(language)
    assert second.lines[2].startswith(said("bot.puzzle.yesterday", moves=""))


async def solves(town: Town, name: str, day: date) -> None:
    """A person solves the puzzle of a day at the hall."""
    posed = await Library(town.store).known_of_day(day)
    assert posed is not None
    attempt = DailyAttempt.start(day, posed, town.now, town.now + DAY).at(HALL).found(None, town.now)
    await store_attempt(town.store, Account("toy", name), attempt)
    await DailyResults(town.store).finished(Player(Account("toy", name), name), attempt)
    await DailyPlaces(town.store).changed(HALL, day, town.now)


async def test_a_card_is_edited_when_a_person_has_finished_and_calls_no_one() -> None:
    town, day = Town(Thinker(Inline())), date(2026, 11, 21)
    await town.choose(HALL, NINE)
    await town.at(EIGHT + HOUR - DAY)
    await town.at(EIGHT + HOUR)
    posted = town.post.posted[-1][1]
    for number, name in enumerate(("ann", "bob"), 1):
        await solves(town, name, day)
        town.post.failing = [Transient()] if number == 2 else []
        for _ in range(3):  # the second time one try fails
            await town.bot().tick()
        shown = town.post.edited[-1]
        assert len(town.post.edited) == number
        assert shown.lines[: len(posted.lines)] == posted.lines
        assert shown.lines[len(posted.lines) + 1] == words("en").count("bot.daily.finished", number)
        assert shown.lines[-1] == f"{name} 🟩 1/3"
        assert shown.buttons == posted.buttons
    await DailyPlaces(town.store).changed(HALL, day, town.now)
    town.post.failing = [NoMessage()]
    await town.bot().tick()
    assert not await DailyPlaces(town.store).outdated("toy")


async def test_without_engines_or_without_an_answer_nothing_is_said_of_yesterday() -> None:
    solver = Inline()
    solver.fails = lambda _: True
    for town in (Town(), Town(Thinker(solver))):
        await town.choose(HALL, NINE)
        await town.at(EIGHT + HOUR)
        await town.at(EIGHT + HOUR + DAY)
        assert [len(view.lines) for _, view, _ in town.post.posted] == [2, 2]


async def test_a_store_out_of_reach_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    town = Town()
    await town.choose(HALL, NINE)
    with monkeypatch.context() as patched:
        patched.setattr(town.store, "settings", AsyncMock(side_effect=Unavailable))
        assert await town.at(EIGHT + HOUR) == []
    assert await town.at(EIGHT + HOUR + timedelta(minutes=1)) == [HALL]


def test_the_hour_is_that_of_the_place_in_summer_and_in_winter() -> None:
    assert moment_of(NINE.at, NINE.zone, date(2026, 7, 1)) == datetime(2026, 7, 1, 6, tzinfo=UTC)
    assert moment_of(NINE.at, NINE.zone, date(2026, 12, 1)) == datetime(2026, 12, 1, 7, tzinfo=UTC)
    spring = replace(NINE, at=time(3, 30))  # an hour that there is not on that day
    assert moment_of(spring.at, spring.zone, date(2026, 3, 29)) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    at, after = datetime(2026, 3, 28, 7, tzinfo=UTC), schedule_of(MemoryStore()).after
    assert after(Settings(puzzle=NINE), at) == datetime(2026, 3, 29, 6, tzinfo=UTC)
    assert after(Settings(puzzle=NINE), at - timedelta(seconds=1)) == at
