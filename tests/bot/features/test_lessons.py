"""Lessons: learnt by typing and by pressing, each at one's own pace, and what is said of right turns and others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import words
from bot.chat.presenting.selection import Selection
from bot.chat.view import View
from bot.features.analysis.judging import read_turn
from bot.features.lessons.progress import PosedTask, progress_of, task_of, tasks_of
from play.people import Account, Player
from rules import GAMES
from tests.bot.features.learning import TASKS, presses, right, turn
from tests.bot.features.puzzles.solving import Asked, Solving
from tests.bot.world import ANN, BOB, World

GAME = GAMES["klopodavka"]
FIRST, *_ = tasks_of(GAME)
WITH_LESSONS = [key for key, game in GAMES.items() if game.lesson]


def named(each: object) -> str:
    return f"{each.game.key}-{each.task.key}" if isinstance(each, PosedTask) else str(each)


def said(task: PosedTask, part: str = "", language: str = "en") -> str:
    return words(language)(f"{task.game.key}.lesson.{task.task.key}{part}")


def labels(view: View) -> list[str]:
    return [button.label for button in view.buttons if not button.on_grid]


async def answer(asked: Asked, line: str, who: Player = ANN) -> View:
    (message,) = await asked.say(who, line)
    return message.view


def lesson_pick(task: PosedTask, selection: Selection) -> CallbackData:
    return CallbackData(Verb.LESSON_PICK, task.code, 0, str(selection))


@pytest.mark.parametrize("key", WITH_LESSONS)
async def test_a_lesson_is_learnt_by_typing(key: str) -> None:
    solving = Solving()
    tasks, view = tasks_of(GAMES[key]), View()
    for number, task in enumerate(tasks, 1):
        view = await answer(solving, f"/learn {key}")
        assert view.lines[0].endswith(f"· {number}/{len(tasks)}")
        assert said(task) in view.lines
        assert view.diagram is not None
        assert view.alt
        asked = view.diagram
        view = await answer(solving, f"/learn {right(task)}")
        assert view.lines[1] == f"✓ {said(task, '.right')}"
        assert view.diagram not in (None, asked)  # the turn is seen on its own board
        assert number == len(tasks) or labels(view) == ["Next"]
    assert labels(view) == ["Play the computer", "Challenge a friend", "More rules", "From the beginning"]
    for number, task in enumerate(tasks_of(GAMES[key], further=True), 1):
        view = await answer(solving, f"/learn {key} more")
        assert f"more rules · {number}/" in view.lines[0]
        assert said(task) in view.lines
        view = await answer(solving, f"/learn {right(task)}")
    assert labels(view) == ["Play the computer", "Challenge a friend", "From the beginning"]
    assert labels(await answer(solving, f"/learn {key}"))[0] == "Play the computer"
    further = tasks_of(GAMES[key], further=True)
    assert said(further[0]) in (await answer(solving, f"/learn {key} more")).lines  # from the first again
    assert said(tasks[0]) in (await answer(solving, f"/learn {key} again")).lines


@pytest.mark.parametrize("task", TASKS, ids=named)
@pytest.mark.parametrize("buttons", [True, False])
async def test_a_right_turn_counts_as_soon_as_it_is_picked(task: PosedTask, buttons: bool) -> None:
    solving = Solving()
    *before, last = presses(task)
    for selection in before:
        view = await solving.press(ANN, lesson_pick(task, selection), confirms=buttons)
        assert said(task) in view.lines
    view = await solving.press(ANN, lesson_pick(task, last), confirms=buttons)
    assert f"✓ {said(task, '.right')}" in view.lines
    assert task.task.key in (await progress_of(solving.world.store, ANN.account)).done[task.game.key]


@pytest.mark.parametrize("task", [task for task in TASKS if turn(task, right=False)], ids=named)
async def test_another_turn_is_explained_and_the_task_stays(task: PosedTask) -> None:
    solving = Solving()
    await solving.press(ANN, lesson_pick(task, Selection()))
    again = " ".join((task.game.key, *(("more",) if task.task.further else ())))
    await answer(solving, f"/learn {again}")
    played = turn(task, right=False) or ""
    view = await solving.press(ANN, CallbackData(Verb.LESSON_TRY, task.code, 0, played))
    assert view.lines[1].startswith("Your move: ")
    assert view.lines[2] == said(task, ".wrong")
    _, after = read_turn(task.game, task.position, played)
    over = after.outcome is not None
    assert [line.startswith("The best reply: ") for line in view.lines[3:]] == ([] if over else [True])
    assert labels(view) == ["Try again", "Hint"]
    assert not (await progress_of(solving.world.store, ANN.account)).done


async def test_an_illegal_turn_is_refused_and_a_hint_is_given_on_asking() -> None:
    solving = Solving()
    assert (await answer(solving, "/learn e9")).lines == ("Start a lesson first: /learn",)
    view = await answer(solving, "/learn")
    assert view.lines == ("Which game would you like to learn?",)
    view = await answer(solving, "/learn klopodavka")
    assert said(FIRST, ".hint") not in view.lines
    (refused,) = await solving.say(ANN, "/learn d4")
    assert refused.refused
    hint = next(button.data for button in view.buttons if button.label == "Hint")
    assert said(FIRST, ".hint") in (await solving.press(ANN, hint)).lines
    assert said(FIRST, ".hint") in (await answer(solving, "/learn hint")).lines


async def test_a_turn_of_several_plies_is_typed_in_parts_or_anew() -> None:
    solving, second = Solving(), tasks_of(GAME)[1]
    await answer(solving, "/learn klopodavka")
    await answer(solving, f"/learn {right(FIRST)}")
    ply, *rest = right(second).split()
    view = await answer(solving, f"/learn {ply}")
    assert view.lines[2].startswith(f"Picked: {ply} — 2 actions left")
    view = await answer(solving, f"/learn {' '.join(rest)}")
    assert view.lines[1] == f"✓ {said(second, '.right')}"


async def test_a_hint_keeps_what_is_picked_of_a_turn() -> None:
    solving, second = Solving(), tasks_of(GAME)[1]
    ply, *rest = right(second).split()
    view = await solving.press(ANN, lesson_pick(second, Selection((ply,))))
    hint = next(button.data for button in view.buttons if button.label == "Hint")
    hinted = await solving.press(ANN, hint)
    assert hinted.diagram == view.diagram
    assert hinted.grid == view.grid
    assert hinted.lines == (*view.lines[:2], said(second, ".hint"), *view.lines[2:])
    typed = await answer(solving, "/learn hint")
    assert (typed.lines, typed.diagram) == (hinted.lines, hinted.diagram)
    view = await answer(solving, f"/learn {' '.join(rest)}")
    assert view.lines[1] == f"✓ {said(second, '.right')}"


async def test_of_two_tasks_solved_at_once_none_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    solving = Solving()
    notes, tasks = solving.world.store.notes, tasks_of(GAME)[:2]
    read = notes.read

    async def slow(*names: str) -> Sequence[str | None]:
        found = await read(*names)
        await asyncio.sleep(0)  # the other press goes on
        return found

    monkeypatch.setattr(notes, "read", slow)
    presses = [CallbackData(Verb.LESSON_TRY, task.code, 0, right(task)) for task in tasks]
    await asyncio.gather(*(solving.press(ANN, data) for data in presses))
    done = (await progress_of(solving.world.store, ANN.account)).done["klopodavka"]
    assert set(done) == {task.task.key for task in tasks}


async def test_the_next_task_and_another_try_begin_on_the_plain_board() -> None:
    solving, (_, second, *_) = Solving(), tasks_of(GAME)
    view = await solving.press(ANN, CallbackData(Verb.LESSON_TRY, FIRST.code, 0, right(FIRST)))
    view = await solving.press(ANN, next(button.data for button in view.buttons))
    assert view == await solving.press(ANN, lesson_pick(second, Selection()))
    assert view.lines[1:] == (said(second),)
    assert view.diagram == GAME.draw(second.position)
    failed = await solving.press(
        ANN, CallbackData(Verb.LESSON_TRY, second.code, 0, turn(second, right=False) or "")
    )
    assert view == await solving.press(ANN, failed.buttons[0].data)


async def test_no_key_plays_a_part_of_a_turn() -> None:
    solving, second = Solving(), tasks_of(GAME)[1]
    plies = tuple((turn(second, right=False) or "").split())
    view = await solving.press(ANN, lesson_pick(second, Selection(plies[:1])))
    assert labels(view) == ["Back", "Hint"]
    view = await solving.press(ANN, lesson_pick(second, Selection(plies)))
    assert labels(view) == ["Play", "Back", "Hint"]


async def test_an_unknown_game_is_refused_by_its_name() -> None:
    solving = Solving()
    for begun in (False, True):
        if begun:
            await answer(solving, "/learn klopodavka")
        assert (await answer(solving, "/learn chess")).lines[0].startswith("There is no game “chess”.")


async def test_a_linked_person_goes_on_from_the_other_platform() -> None:
    solving, other = Solving(), Player(Account("elsewhere", "7"), "Ann")
    await answer(solving, "/learn klopodavka")
    await answer(solving, f"/learn {right(FIRST)}")
    store = solving.world.store
    assert said(FIRST) in (await answer(solving, "/learn klopodavka", other)).lines
    await store.settings.change(other.account, lambda now: replace(now, person=ANN.account))
    await store.settings.change(ANN.account, lambda now: replace(now, others=(other.account,)))
    assert said(tasks_of(GAME)[1]) in (await answer(solving, "/learn", other)).lines


async def test_forged_buttons_are_refused() -> None:
    solving = Solving()
    for data in (
        CallbackData(Verb.LESSON_PICK, "zzzzzz", 0, ""),
        CallbackData(Verb.LESSON_PICK, FIRST.code, 0, "zz/9;"),
        CallbackData(Verb.LESSON_TRY, FIRST.code, 0, "zz"),
        CallbackData(Verb.LESSON_TRY, "abcdef", 0, "b2"),
        CallbackData.without_match(Verb.LEARN, "nonsense"),
    ):
        view = await solving.press(ANN, data)
        assert view.diagram is None
        assert view.lines
    assert task_of(GAMES.values(), "zzzzzz") is None
    assert not (await progress_of(solving.world.store, ANN.account)).done


async def test_newcomers_are_offered_the_lesson_on_the_card_of_one_challenge() -> None:
    world = World()
    learn = "Learn it in two minutes"

    async def card(game: str) -> list[str]:
        *_, message = await world.say(ANN, f"/challenge bob {game}")
        return labels(message.view)

    assert learn in await card("klopodavka")
    await world.say(BOB, "/accept")
    assert learn not in await card("klopodavka")  # he plays it
    assert learn in await card("lgame")
    await world.say(BOB, "/decline")
    assert learn not in await card("lgame")  # he was offered it
    fresh = World()
    store = fresh.store
    await fresh.say(ANN, "/challenge bob cem klopodavka players:3")
    *_, changed = await fresh.say(BOB, "/accept")
    assert learn in labels(changed.view)  # as before, to Cem
    await fresh.say(ANN, "/cancel")
    await fresh.say(BOB, "/learn klopodavka")
    await fresh.say(BOB, f"/learn {right(FIRST)}")
    *_, message = await fresh.say(ANN, "/challenge bob klopodavka")
    assert learn not in labels(message.view)
    assert (await progress_of(store, BOB.account)).done


def test_every_task_has_a_code_of_its_own() -> None:
    assert len({task.code for task in TASKS}) == len(TASKS)
    assert all(task_of(GAMES.values(), task.code) == task for task in TASKS)
