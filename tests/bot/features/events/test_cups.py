"""Cups: in the room, as a table, and what admins see of them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest

from bot.chat.i18n import LANGUAGES, words
from bot.chat.thinking import Thinker
from bot.features.events.cup import card, table
from bot.features.events.parts import MAX_ALT, ROWS, Shown, points
from play.actions.giving import most_to_give
from play.actions.leaving import Resign
from play.events.actions import Enter
from play.events.event import Event
from play.events.events import Events
from play.events.forms import cup
from play.match import Match, Phase
from play.people import Player
from play.request import Request
from play.settings import Settings
from play.time.clock import Now
from render.picture import Tone
from rules import GAMES
from rules.core import Seat
from tests.bot.chat.thinking.workers import Inline
from tests.bot.world import ANN, BOB, CEM, DAN, EVE, HALL, ROOM, Overhearing, World
from tests.play.events.chance import RandomCup, person
from tests.support.stores import set_settings

# A cup in the room: opened by pressing, entered, played, left, stopped.


async def world_with(
    *people: Player, line: str = "/cup new lgame clock:1d most:8", language: str = "en"
) -> World:
    world = World(language)
    world.store.clock = lambda: world.now
    await world.say(ANN, line)
    for who in people:
        await world.say(who, "/cup join")
    return world


def event(world: World) -> Event:
    (found,) = world.store.events.stored.values()
    return found


async def pass_time(world: World, hours: float) -> None:
    """Time goes by, and the cup's timer fires."""
    world.now += timedelta(hours=hours)
    await Events(world.table, world.store).fire(event(world).id, world.table.now(world.now))
    await world.desk.drained()


async def play_out(world: World, *best_first: Player, turns: int = 2) -> None:
    """All games of a cup are played: who is named earlier wins, by a resignation after some moves."""
    while playing := world.playing():
        for each in playing:
            match = each
            for _ in range(turns):
                match = await world.all_move(match)
            loser = max((match.player(Seat(seat)) for seat in (0, 1)), key=best_first.index)
            if match.phase is Phase.PLAYING:
                await world.table.act(match.id, Resign(), Request(loser, world.now))
            await world.desk.drained()


@pytest.mark.parametrize("hosted", [True, False])
async def test_time_is_given_in_a_cup_only_if_its_host_allows_it(hosted: bool) -> None:
    line = "/cup new lgame clock:2d most:4" + " moretime:on" * hosted
    world = await world_with(BOB, CEM, DAN, EVE, line=line)
    shown = Shown(event(world), GAMES["lgame"], words("en"), Now(world.now))
    assert ("/moretime" in shown.clock) is hosted
    match = world.playing()[0]
    waiting = match.player(Seat(1))
    said = await world.told(waiting, f"/moretime #{match.id} 1d")
    given = most_to_give(await world.table.get(match.id)) == timedelta(days=1)
    assert (given, "moretime:on" in said) == (hosted, not hosted)


async def test_only_an_admin_stops_a_cup_that_runs() -> None:
    world = await world_with(ANN, BOB, CEM)
    await pass_time(world, 25)
    assert "Only the admins" in await world.told(ANN, "/cup stop")
    elsewhere = await world.told(EVE, f"/cup stop #{event(world).id}", HALL)  # where she may be an admin
    assert elsewhere.startswith("Stop it in a chat where it is shown")
    assert event(world).live


async def test_a_cup_that_never_began_has_no_table() -> None:
    world = await world_with(ANN, BOB)
    await pass_time(world, 25)
    assert [button.label for button in (await world.say(ANN, "/cup"))[0].view.buttons] == ["New cup"]
    assert "Too few" in await world.told(ANN, "/cup table")


async def test_a_setting_typed_wrong_is_refused_before_the_next_question() -> None:
    world = World("en")
    for typed in ("clock:banana", "clock:1d closes:never"):
        assert not (await world.say(ANN, f"/cup new lgame {typed}"))[0].view.buttons
    view = (await world.say(ANN, "/cup new lgame clock:1d closes:2h"))[0].view
    assert "2 hours" in view.lines[0]
    for typed in ("closes:2pm", "closes:до 14:00", "closes: 21 Nov 2 p.m."):
        view = (await world.say(ANN, f"/cup new lgame clock:1d {typed}"))[0].view
        assert "2 hours" in view.lines[0]
    assert "is open" in await world.told(ANN, "/cup new lgame clock:1d most:8 closes:24 листопада")
    closes = datetime(2026, 11, 25, tzinfo=UTC)
    assert cup.settings_of(event(world).setup).closes == closes


async def test_a_cup_has_tables_of_two_or_of_four() -> None:
    world = World("en")
    line = "/cup new klopodavka clock:1d most:8 players:"
    assert "not of 3" in await world.told(ANN, f"{line}3")
    for players in (2, 4):
        assert "is open" in await world.told(ANN, f"{line}{players}")
    which = await world.told(BOB, "/cup join")
    assert all(f"#{code}" in which for code in world.store.events.stored)


async def test_who_comes_late_waits_and_takes_the_seat_of_who_leaves() -> None:
    world = await world_with(ANN, BOB, CEM)
    await pass_time(world, 25)
    assert "next seat" in await world.told(DAN, "/cup join")
    await world.say(CEM, "/cup leave")
    assert [one.player.name for one in event(world).state.playing] == ["ann", "bob", "dan"]
    assert event(world).state.waiting == ()


async def test_a_cup_is_shown_in_a_chat_from_which_a_person_enters() -> None:
    world = await world_with(ANN)
    await world.say(EVE, f"/cup join #{event(world).id}", HALL)
    assert event(world).addresses == (ROOM, HALL)


@pytest.mark.parametrize("first", [True, False])
async def test_a_person_enters_once_with_linked_accounts(first: bool) -> None:
    world = await world_with(ANN)
    linked = Settings(person=ANN.account) if first else Settings(others=(ANN.account,))
    await set_settings(world.store, DAN.account, linked)
    assert "already" in await world.told(DAN, "/cup join")


async def test_boards_come_in_the_language_in_which_a_person_entered_unless_they_chose_another() -> None:
    world = await world_with(ANN)
    await world.say(CEM, "/language ru")
    for who in (BOB, CEM):
        await world.desk.answer(replace(world.visitor(who), locale="uk"), "/cup join")
    settings = await world.store.settings.get_many(BOB.account, CEM.account)
    assert [each.language for each in settings] == ["uk", "ru"]


async def test_who_is_forgotten_leaves_no_name_in_a_cup() -> None:
    world = await world_with(ANN, BOB, CEM)
    await pass_time(world, 25)
    await world.say(BOB, "/forgetme yes")
    assert "bob" not in repr(event(world))
    assert [one.number for one in event(world).state.playing] == [0, 2]
    await world.say(ANN, "/cup table")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_profile_tells_of_finished_cups_and_of_ladders(
    language: str,
) -> None:
    world = await world_with(
        ANN, BOB, CEM, line="/cup new breakthrough 5x5 clock:1d most:8", language=language
    )
    await pass_time(world, 25)
    assert "🥇" not in await world.told(BOB, "/profile ann")
    await play_out(world, BOB, ANN, CEM)
    assert not event(world).live
    await world.say(CEM, "/ladder new lgame clock:1d")
    for who in (BOB, CEM):
        await world.say(who, "/ladder join")
    assert "🥇 1" in await world.told(ANN, "/profile bob")
    assert "🥈 1" in await world.told(ANN, "/profile")
    told = await world.told(ANN, "/profile cem")
    assert "🥉 1" in told
    assert re.search(r": L-.+ 2 [^ ]+ 2", told)  # the second of two on the ladder
    await world.say(BOB, "/settings profile:off")
    assert "🥇" not in await world.told(ANN, "/profile bob")
    await world.say(CEM, "/forgetme yes")
    assert "cem" not in repr(world.store.timelines.__dict__)


@pytest.mark.parametrize("form", ["cup", "ladder", "league"])
async def test_a_game_that_does_not_exist_is_named(form: str) -> None:
    world = World("en")
    said = await world.told(ANN, f"/{form} new chess")
    assert "chess" in said
    assert "lgame" in said


# The table of a cup, as words and as a picture's cells.


def shown(seed: int, people: int, seats: int, steps: int) -> Shown:
    """A cup in which everybody entered, after so many steps."""
    played = RandomCup(seed, people, seats)
    played.calm = True
    for number in range(people):
        played.act(Enter(), person(number))
    for _ in range(steps):
        if played.event.live:
            played.step()
    event: Event = replace(played.event, setup=replace(played.event.setup, game="lgame"))
    return Shown(event, GAMES["lgame"], words("en"), Now(played.now))


ROBIN = """
1. p5 | ■ – + = = · 1 | 2
2. p3 | + ■ – · = = 1 | 2
3. p2 | – + ■ – · + 1 | 2
4. p1 | = · + ■ · · 3 | 1½
5. p4 | = = · · ■ = 2 | 1½
6. p0 | · = – · = ■ 2 | 1
"""

SWISS = """
1. ▲ p2 | +5 +6 +8 . . . 1 | 3
2. ▼ p10 | +12 +7 ·3 . . 1 2 | 2
3. ▼ p4 | =8 +4 ·2 . . 1 3 | 1½
4. ▲ p7 | =11 –3 +12 . . . 4 | 1½
5. ▲ p9 | –1 =9 =10 . . . 5 | 1
6. ▼ p0 | +9 –1 ·7 . . 1 6 | 1
7. ▼ p11 | +10 –2 ·6 . . 1 7 | 1
8. ▲ p1 | =3 ·11 –1 . . 1 8 | ½
9. ▼ p3 | –6 =5 ·11 . . 1 9 | ½
10. ▲ p5 | –7 ·12 =5 . . 1 9 | ½
11. ▼ p6 | =4 ·8 ·9 . . 2 11 | ½
12. ▼ p8 | –2 ·10 –4 . . 1 12 | 0
"""

PODS = """
1. p0 | 1 1 . . | 3½
1. p1 | 1 1 . . | 3½
1. p2 | 1 1 . . | 3½
1. p4 | 1 1 . . | 3½
5. ▼ p3 | 1 · . 1 | 1¾
5. ▼ p5 | 1 · . 1 | 1¾
5. ▼ p6 | 1 · . 1 | 1¾
5. ▼ p7 | 1 · . 1 | 1¾
"""


@pytest.mark.parametrize(
    ("cup", "golden"),
    [((3, 6, 2, 11), ROBIN), ((11, 12, 2, 16), SWISS), ((5, 8, 4, 4), PODS)],
    ids=["round robin", "swiss", "pods"],
)
def test_the_cells_of_a_table(cup: tuple[int, int, int, int], golden: str) -> None:
    sheet = table(shown(*cup), 1, ANN.account).sheet
    assert sheet is not None
    told = [
        f"{row.name} | {' '.join(text or '.' for text, _ in row.cells)} | {row.total}" for row in sheet.rows
    ]
    assert "\n".join(told) == golden.strip()
    assert {len(row.cells) for row in sheet.rows} == {len(sheet.columns)}


def test_a_colour_says_what_a_sign_says() -> None:
    sheet = table(shown(11, 12, 2, 16), 1, ANN.account).sheet
    assert sheet is not None
    tones = {"+": Tone.BEST, "=": Tone.FAIR, "–": Tone.POOR, "·": Tone.NONE, "": Tone.NONE}
    cells = [cell for row in sheet.rows for cell in row.cells[:-2]]
    assert all(tone is tones[text[:1]] for text, tone in cells)


def test_where_there_are_no_pictures_the_table_is_in_words() -> None:
    view = card(shown(11, 40, 2, 30))
    told = view.in_words.lines
    assert view.lines == told[: len(view.lines)]
    assert told[len(view.lines) + 1].startswith("1. ")
    assert told[-1] == "and 28 more"
    assert view.sheet is not None
    assert len(view.sheet.rows) == ROWS
    last = table(shown(11, 40, 2, 30), 4, ANN.account).sheet
    assert last is not None
    assert [row.name.partition(".")[0] for row in last.rows] == ["37", "38", "39", "40"]
    assert len(view.alt) <= MAX_ALT
    assert told[-1] in view.alt


# /cup admin: what admins alone see of newcomers, games given up early, and turns like the engine's.


async def seen(world: World, who: Player = ANN, line: str = "/cup admin", *, admin: bool = True) -> str:
    """What a person is told, and no one else."""
    visitor = replace(world.visitor(who), admin=admin)
    (message,) = await world.desk.answer(visitor, line)
    assert message.to != ROOM
    return "\n".join(message.view.lines)


async def lost_at_once(world: World, loser: Player, winner: Player) -> Match:
    """A match that one gives up after both have moved once."""
    match = await world.all_move(await world.begin("breakthrough", {}, people=(loser, winner), rated=True))
    match = (await world.table.act(match.id, Resign(), Request(loser, world.now))).match
    await world.desk.drained()
    return match


@pytest.mark.parametrize("language", LANGUAGES)
async def test_only_admins_of_a_chat_that_shows_it_see_it(language: str) -> None:
    world = await world_with(ANN, BOB, CEM, language=language)
    assert "ann" in await seen(world)
    assert "ann" not in await seen(world, admin=False)
    visitor = replace(world.visitor(ANN, HALL), admin=True)
    (message,) = await world.desk.answer(visitor, f"/cup admin #{event(world).id}")
    assert message.refused


async def test_who_gives_up_early_to_the_same_person_again_and_again_is_told() -> None:
    world = await world_with(ANN, BOB, CEM)
    for _ in range(2):
        await lost_at_once(world, BOB, ANN)
        await lost_at_once(world, CEM, ANN)
    assert "bob to ann" not in await seen(world)
    await lost_at_once(world, BOB, ANN)
    told = await seen(world)
    assert "bob to ann: 3 times" in told
    assert "cem to ann" not in told


async def test_games_are_compared_with_the_engine_once_an_admin_looks() -> None:
    world = await world_with(ANN, BOB, CEM, line="/cup new breakthrough 5x5 clock:1d most:8")
    solver = Inline()
    thinker = Thinker(solver)
    world.desk = Overhearing(world.table, world.store, lambda: world.now, "en", ROOM, thinker=thinker)
    await pass_time(world, 25)
    await play_out(world, BOB, ANN, CEM, turns=3)
    await world.say(ANN, f"/analyse #{next(iter(world.store.matches.stored))}")
    await thinker.settled()
    solver.asked.clear()  # none of its answers counts here: computers of people who play may have given them
    assert "0 of 6, about 3 minutes to go" in await seen(world)
    assert "of 6, about" in await seen(world)  # an impatient admin has nothing searched twice
    await thinker.settled()
    courses = [world.table.course(match) for match in world.store.matches.stored.values()]
    played = {course.game.notation.format_position(at) for course in courses for at in course.positions}
    asked = [position for job in solver.asked for position in (job.position, *job.after)]
    assert set(asked) == played
    told = await seen(world)
    assert "of 6" not in told
    assert "ann: " in told.split("engine")[1]
    assert "Nothing happens by itself" in told


def test_points_are_written_as_people_do() -> None:
    said = {"0": "0", "3": "3", "1/2": "½", "4/3": "1⅓", "5/3": "1⅔", "1/4": "¼", "11/4": "2¾", "6/5": "1.20"}
    assert {number: points(Fraction(number)) for number in said} == said
