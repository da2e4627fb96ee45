"""The lesson of every game: its tasks are positions of the game, with turns that are right and others that are not."""

from __future__ import annotations

import re

import pytest

from bot.chat.i18n import LANGUAGES, words
from rules import GAMES
from rules.core import LessonTask, Seat
from tests.rules.lessons import sorted_out, start_of

TASKS = [(key, task) for key, game in GAMES.items() for task in game.lesson]
LEARNT = {key: [task for task in game.lesson if not task.further] for key, game in GAMES.items()}
SENTENCE = re.compile(r"[.!?…](?:\s|\Z)")


def named(each: object) -> str:
    return each.key if isinstance(each, LessonTask) else str(each)


@pytest.mark.parametrize("key", GAMES)
def test_a_lesson_has_six_to_eight_tasks_and_further_ones_after_them(key: str) -> None:
    assert 6 <= len(LEARNT[key]) <= 8
    assert list(GAMES[key].lesson[: len(LEARNT[key])]) == LEARNT[key]
    keys = [task.key for task in GAMES[key].lesson]
    assert len({*keys}) == len(keys)


@pytest.mark.parametrize(("key", "task"), TASKS, ids=named)
def test_a_task_has_right_turns_and_wrong_ones(key: str, task: LessonTask) -> None:
    game = GAMES[key]
    start = start_of(game, task)
    assert start.outcome is None
    assert start.to_move is Seat.S1
    right, wrong = sorted_out(game, task)
    assert right
    assert wrong


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("key", "task"), TASKS, ids=named)
def test_a_task_says_little(key: str, task: LessonTask, language: str) -> None:
    said = words(language)
    most = {"": 2, ".right": 1, ".wrong": 1, ".hint": 1}
    for part, sentences in most.items():
        text = said(f"{key}.lesson.{task.key}{part}")
        assert 1 <= len(SENTENCE.findall(text)) <= sentences, text
        assert "/" not in text
