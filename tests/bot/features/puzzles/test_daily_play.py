"""The puzzle of the day as people play it: three tries, a row without a spoiler, results after one's own, streaks, the week."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from bot.chat.callback_data import CallbackData, PuzzleStep, Verb
from bot.chat.i18n import words
from bot.chat.view import Message, Person, View
from bot.features.puzzles.attempts import (
    DailyAttempt,
    DailyResult,
    DailyResults,
    Streak,
    TurnSquare,
    attempts,
    points_of,
    store_attempt,
)
from bot.features.puzzles.cards import PuzzleCard, place_card
from bot.features.puzzles.daily import place_day
from bot.features.puzzles.library import DAYS, Library, Posed, shipped
from bot.platforms.console.integration import place as place_of
from engine.core import Task
from play.people import Account, Address, Player
from play.settings import Settings
from rules import GAMES
from tests.bot.features.puzzles.solving import Solving, at_start, best, posed_of, that
from tests.bot.world import ANN, BOB, CEM, HALL, NOON, ROOM
from tests.support.stores import set_settings

DAY = NOON.date()  # a Saturday
SAVE = posed_of("lgame", Task.SAVE)
RIGHT = " ".join(best(SAVE, at_start(SAVE)).turn)
MINUTE = timedelta(minutes=1)


def all_wrong(posed: Posed) -> list[str]:
    plies = map(GAMES[posed.game].notation.format, at_start(posed).legal_moves())
    return [ply for ply in plies if ply != RIGHT]


async def solving_of(posed: Posed = SAVE, day: date = DAY) -> Solving:
    """A desk on a day with this puzzle."""
    solving = Solving()
    await solving.world.store.notes.write(f"puzzle-of-day:{day}", posed.pack())
    return solving


async def said(solving: Solving, who: Player, line: str) -> View:
    (message,) = await solving.say(who, line)
    assert message.to == Person(who.account, ROOM)
    return message.view


async def begun(solving: Solving, who: Player = ANN) -> View:
    """The person's own board."""
    return await solving.press(who, CallbackData(Verb.PUZZLE, SAVE.id, 0, PuzzleStep.SOLVE))


async def test_every_place_has_the_same_puzzle_easy_on_mondays_and_hard_on_sundays() -> None:
    library = Library(Solving().world.store)
    monday = date(2026, 11, 23)
    grades: dict[int, list[int]] = {number: [] for number in DAYS}
    for number in range(7 * 20):
        day = monday + timedelta(number)
        posed = await library.of_day(day, tuple(GAMES))
        assert posed is not None
        assert await library.known_of_day(day) == posed  # it stays that of the day
        every = sorted(each.puzzle.plies for each in shipped(posed.game).values())
        grades[day.weekday()].append(every.index(posed.puzzle.plies) * 100 // len(every))
    means = [sum(found) / len(found) for found in grades.values()]
    assert means == sorted(means)
    assert await library.of_day(monday - timedelta(7), ("none",)) is None


async def test_nothing_of_the_answer_is_shown_before_one_has_played() -> None:
    solving = await solving_of()
    (card,) = await solving.say(ANN, "/daily")
    assert card.to == ROOM
    assert (await said(solving, CEM, "/daily")).diagram is not None  # the card is there: now one's own board
    told: list[Message] = [card]
    await begun(solving)
    for text in (all_wrong(SAVE)[0], RIGHT):
        told += [
            each for each in await solving.say(ANN, f"/daily {text}") if each.to != Person(ANN.account, ROOM)
        ]
    here = await place_day(solving.world.store, ROOM, DAY)
    told.append(Message(ROOM, place_card(PuzzleCard(GAMES["lgame"], SAVE, words("en")), here)))
    told += await solving.desk.press(
        solving.world.visitor(BOB), CallbackData(Verb.PUZZLE, SAVE.id, 0, "table")
    )
    told += await solving.say(BOB, "/puzzle solution")
    for message in told:
        shown = " ".join((*message.view.lines, *message.view.after, message.view.alt, message.view.position))
        assert message.view.diagram is None
        assert not any(text in shown for text in (RIGHT, *all_wrong(SAVE)))
    # What a card says follows from the question and the squares alone: another answer makes the same card.
    alike = [
        each
        for each in shipped("lgame").values()
        if each.puzzle.task is Task.SAVE
        and each.puzzle.plies == SAVE.puzzle.plies
        and at_start(each).to_move == at_start(SAVE).to_move
        and each.puzzle.options == SAVE.puzzle.options
    ]
    assert len(alike) > 2
    cards = [place_card(PuzzleCard(GAMES["lgame"], each, words("en")), here) for each in alike]
    assert len({replace(each, buttons=()) for each in cards}) == 1


async def test_a_puzzle_of_several_turns_is_played_to_its_end_in_squares() -> None:
    posed = posed_of("lgame", Task.WIN, 3)
    solving = await solving_of(posed)
    view = await solving.press(ANN, CallbackData(Verb.PUZZLE, posed.id, 0, PuzzleStep.SOLVE))
    for _ in range(2):
        (attempt,) = await attempts(solving.world.store, DAY, ANN.account)
        assert attempt is not None
        options = GAMES["lgame"].choose(dict(posed.puzzle.options))
        here = GAMES["lgame"].notation.parse_position(attempt.position, options)
        view = await solving.turn(ANN, view, posed, here, best(posed, here).turn)
    assert "Klop 325 · L 🟩🟩 1/3 · 0:00" in view.lines


async def test_dithering_ends_an_attempt() -> None:
    attempt = DailyAttempt.start(DAY, SAVE, NOON, NOON)
    for number in range(12):
        assert not attempt.over
        attempt = attempt.found(f"p{number}", NOON)
    assert attempt.over
    assert not attempt.solved
    assert DailyAttempt.unpack(attempt.pack()) == attempt


def solved(seconds: int, *squares: TurnSquare, day: date = DAY) -> DailyAttempt:
    """An attempt that took so long."""
    begun = replace(DailyAttempt.start(day, SAVE, NOON, NOON), squares=squares, places=(ROOM,))
    return begun.found(None, NOON + timedelta(seconds=seconds))


async def test_many_who_finish_at_once_are_listed_once_each() -> None:
    store = Solving().world.store
    results, people = DailyResults(store), [Player(Account("toy", str(n)), f"p{n}") for n in range(70)]
    for who in people:
        await store_attempt(store, who.account, solved(1))
    await asyncio.gather(*(results.finished(who, solved(1)) for who in [*people, *people]))
    assert len(await results.table(ROOM, DAY)) == 70
    assert await results.streak(ROOM, DAY) == 1
    # A hole that a forgotten person leaves hides no one.
    await store.forget(people[0].account)
    assert len(await results.table(ROOM, DAY)) == 69
    await results.finished(people[3], solved(1))
    assert len(await results.table(ROOM, DAY)) == 69


async def test_the_week_has_a_table_on_sunday_and_a_crown_on_monday() -> None:
    store, sunday = Solving().world.store, DAY + timedelta(1)
    results = DailyResults(store)
    for day, people in ((DAY, (ANN, BOB)), (sunday, (BOB, CEM))):
        for seconds, who in enumerate(people, 48):
            attempt = solved(seconds, day=day)
            await store_attempt(store, who.account, attempt)
            await results.finished(who, attempt)
    card = PuzzleCard(GAMES["lgame"], SAVE, words("en"))
    view = place_card(card, await place_day(store, ROOM, sunday))
    assert view.sheet is not None
    assert [(line.name, line.total, line.crowned) for line in view.sheet.rows] == [
        ("bob", "5", True), ("ann", "3", False), ("cem", "2", False),
    ]  # fmt: skip
    assert view.alt == "Puzzles of the week. bob: 5 points. ann: 3 points. cem: 2 points."
    assert "Solved here 2 days in a row." in view.lines
    assert "bob · – – – – – 1 1 · 5" in view.in_words.lines
    assert place_card(card, await place_day(store, ROOM, DAY)).sheet is None
    monday = place_card(card, await place_day(store, ROOM, sunday + timedelta(1)))
    assert "👑 Last week: bob, 5 points." in monday.lines
    assert "Yesterday: bob 1/3 · 0:48, cem 1/3 · 0:49" in monday.lines


@pytest.mark.parametrize(
    ("days", "own", "of_place"),
    [
        ((2, 3, 4), 3, 3),
        ((2, 3, 3, 4), 3, 3),  # the same day again
        ((2, 4, 5), 3, 2),  # a Tuesday missed
        ((2, 4, 6), 1, 1),  # two in one week
        ((2, 5), 1, 1),
        ((2, 4, 5, 6, 7, 8, 10), 7, 1),  # one in each of two weeks
        ((7, 10), 2, 1),  # a Sunday and a Monday
        ((5, 7, 10), 1, 1),  # a Friday, and then Sunday is one too many
    ],
)
def test_a_person_may_miss_a_day_a_week_and_a_place_none(
    days: Sequence[int], own: int, of_place: int
) -> None:
    person = place = Streak()
    for number in days:  # November 2 is a Monday
        person = person.counted(date(2026, 11, number), forgiving=True)
        place = place.counted(date(2026, 11, number), forgiving=False)
    assert (person.days, place.days) == (own, of_place)
    last = date(2026, 11, days[-1])
    assert (
        place.standing(last, forgiving=False)
        == place.standing(last + timedelta(1), forgiving=False)
        == of_place
    )
    assert place.standing(last + timedelta(2), forgiving=False) == 0
    assert person.standing(last + timedelta(4), forgiving=True) == 0


async def test_a_wrong_turn_counts_once_and_an_attempt_is_over_with_the_day_of_the_place() -> None:
    solving = await solving_of()
    await set_settings(solving.world.store, ROOM, Settings(language="en"))
    await begun(solving)
    first, second, *_ = all_wrong(SAVE)
    for text, left in (
        (first, "🟥 2 tries left."),
        (first, "🟥 2 tries left."),
        (second, "🟥🟥 1 try left."),
    ):
        assert left in (await said(solving, ANN, f"/daily {text}")).lines
    solving.world.now = datetime.combine(DAY, datetime.max.time(), NOON.tzinfo) + MINUTE
    assert (await said(solving, ANN, f"/daily {RIGHT}")).diagram is None


async def test_an_attempt_is_listed_in_the_chats_where_it_was_begun_or_looked_at() -> None:
    solving = await solving_of()
    results, alone = DailyResults(solving.world.store), place_of("ann-alone")

    async def home(_: Account) -> Address:
        return alone

    await begun(solving)
    visitor = replace(solving.world.visitor(ANN, alone), home=home)
    (board,) = await solving.desk.answer(visitor, f"/puzzle #{SAVE.id}")
    assert board.view.grid is not None
    await solving.desk.answer(visitor, f"/daily {RIGHT}")
    assert [each.player for each in await results.table(ROOM, DAY)] == [ANN]
    assert not await results.table(alone, DAY)
    looks = CallbackData(Verb.PUZZLE, SAVE.id, 0, PuzzleStep.SOLVE)
    await solving.desk.press(solving.world.visitor(ANN, HALL), looks)
    assert [each.player for each in await results.table(HALL, DAY)] == [ANN]
    again = replace(looks, argument=PuzzleStep.AGAIN)  # as a puzzle of practice
    assert "puzzle of the day" not in (await solving.press(ANN, again)).lines[0]


def test_points_go_to_the_best_three_who_solved_it() -> None:
    def table(*attempts: DailyAttempt) -> Sequence[DailyResult]:
        return [DailyResult(ANN, attempt) for attempt in attempts]

    twice = replace(DailyAttempt.start(DAY, SAVE, NOON, NOON), squares=(TurnSquare.WRONG, TurnSquare.WRONG))
    failed = twice.missed("p", NOON)
    assert points_of(table(solved(1), solved(2), solved(3), solved(4))) == [3, 2, 1, 0]
    assert points_of(table(solved(1), solved(1), solved(3), failed)) == [3, 3, 1, 0]
    assert points_of(table(solved(9), failed)) == [3, 0]


async def test_what_is_kept_of_a_person_is_exported_and_forgotten() -> None:
    solving = await solving_of()
    await begun(solving)
    await solving.say(ANN, f"/daily {RIGHT}")
    names = {trace.name.partition(":n:")[0] for trace in await solving.world.store.traces(ANN.account)}
    assert len([name for name in names if "daily-" in name]) == 3  # the attempt, the list, the streak
    await solving.press(ANN, CallbackData(Verb.FORGET, "000000", 0, "sure"))
    assert not [each for each in await solving.world.store.traces(ANN.account) if "daily-" in each.name]
    assert not await DailyResults(solving.world.store).table(ROOM, DAY)


async def test_forged_buttons_of_the_day_change_nothing() -> None:
    solving = await solving_of()
    view = await begun(solving)
    pick = that(view, Verb.PICK)
    before = await attempts(solving.world.store, DAY, ANN.account)
    for data in (
        replace(pick, seen=pick.seen + 1),
        CallbackData(Verb.TRY, SAVE.id, pick.seen, "zz"),
        CallbackData(Verb.TRY, SAVE.id, pick.seen + 1, RIGHT),
        CallbackData(Verb.PUZZLE, "1zzzzz", 0, "hint"),
        CallbackData(Verb.PUZZLE, SAVE.id, 0, "show"),
    ):
        assert (await solving.press(ANN, data)).diagram is None
    assert await attempts(solving.world.store, DAY, ANN.account) == before
