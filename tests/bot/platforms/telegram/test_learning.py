"""Lessons on Telegram: how many presses and words it takes to learn a game, and where a lesson is shown."""

from __future__ import annotations

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import words as words_for
from bot.chat.thinking import Thinker
from bot.features.lessons.progress import tasks_of
from rules import GAMES
from tests.bot.chat.thinking.workers import Inline
from tests.bot.features.learning import presses
from tests.platforms.telegram.harness import HALL, telegram_bot, words
from tests.platforms.telegram.server import Json, keys

MOST_PRESSES = 25
MOST_WORDS = 220


class Learner:
    """A person who reads each line once, and counts words and presses; what the board shows is folded away."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.pressed = 0

    def reads(self, message: Json) -> None:
        lines = words(message).splitlines()
        self.read += [line for line in lines if not line.startswith("Board: ") and line not in self.read]

    @property
    def words(self) -> int:
        return sum(any(map(str.isalnum, word)) for line in self.read for word in line.split())


def lesson_key(message: Json, argument: str) -> str:
    found = [str(key.get("callback_data", "")) for key in keys(message)]
    return next(
        data for data in found if data.startswith(f"1{Verb.LESSON_PICK}:") and data.endswith(f":{argument}")
    )


async def test_from_the_start_to_the_end_of_the_lesson_of_the_lgame() -> None:
    async with telegram_bot(thinker=Thinker(Inline()), pictures=True) as f:
        ann, learner = f.api.human("Ann", started=False), Learner()
        await f.say(ann, None, "/start")
        learner.reads(f.api.last(ann))
        for label in ("Learn to play", words_for("en")("lgame.name")):
            assert await f.press(ann, f.api.last(ann), label) is None
            learner.pressed += 1
            learner.reads(f.api.last(ann))
        shown = len(f.api.shown(ann))
        tasks = tasks_of(GAMES["lgame"])
        for task in tasks:
            for selection in presses(task):
                assert await f.tap(ann, f.api.last(ann), lesson_key(f.api.last(ann), str(selection))) is None
                learner.pressed += 1
                learner.reads(f.api.last(ann))
            if task != tasks[-1]:
                assert await f.press(ann, f.api.last(ann), "Next") is None
                learner.pressed += 1
                learner.reads(f.api.last(ann))
        assert len(f.api.shown(ann)) == shown  # all in one message
        assert "Play the computer" in [key["text"] for key in keys(f.api.last(ann))]
        assert learner.pressed <= MOST_PRESSES, learner.read
        assert learner.words <= MOST_WORDS, (learner.words, learner.read)
        await f.say(ann, None, "/start")
        assert "Learn to play" not in [key["text"] for key in keys(f.api.last(ann))]  # only at first


async def test_a_hint_counts_on_top_of_a_key_that_was_pressed_before_the_message_changed() -> None:
    async with telegram_bot() as f:
        ann, (_, second, *_) = f.api.human("Ann"), tasks_of(GAMES["klopodavka"])
        await f.say(ann, None, "/learn klopodavka")
        await f.say(ann, None, "/learn b2")
        assert await f.press(ann, f.api.last(ann), "Next") is None
        before = dict(f.api.last(ann))
        (hint,) = (key["callback_data"] for key in keys(before) if key["text"] == "Hint")
        await f.tap(ann, before, lesson_key(before, "b1"))
        await f.tap(ann, before, hint)
        assert "Picked: b1" in words(f.api.last(ann))
        assert words_for("en")(f"klopodavka.lesson.{second.task.key}.hint") in words(f.api.last(ann))


async def test_who_is_challenged_in_a_group_learns_the_game_in_private() -> None:
    async with telegram_bot() as f:
        ann, bob = f.api.human("Ann"), f.api.human("Bob", started=False)
        hall = f.api.group(HALL, "Hall", ann, bob)
        await f.say(bob, hall, "/games")
        await f.say(ann, hall, "/challenge bob lgame")
        card = f.api.last(hall)
        (learn,) = (key["callback_data"] for key in keys(card) if key["text"] == "Learn it in two minutes")
        assert CallbackData.unpack(learn).verb is Verb.LEARN
        shown = len(f.api.shown(hall))
        query = f.api.press(bob, card, learn)
        await f.settled()
        assert f.api.answered[query]["url"].endswith("?start=learn-lgame")
        await f.say(bob, None, "/start learn-lgame")
        assert "L-game · 1/7" in words(f.api.last(bob))
        before = len(f.api.shown(bob))
        await f.tap(bob, card, learn)
        assert len(f.api.shown(bob)) == before + 1
        assert len(f.api.shown(hall)) == shown


@pytest.mark.parametrize("feedback", [False, True])
async def test_a_card_in_a_chat_of_others_leads_to_the_lesson_in_private(feedback: bool) -> None:
    async with telegram_bot() as f:
        ann, bob = f.api.human("Ann"), f.api.human("Bob", language="uk")
        sent = await f.card(ann, "breakthrough", feedback=feedback)
        urls = {key["text"]: key["url"] for key in keys(sent) if "url" in key}
        assert urls == {"Learn it in two minutes": "https://t.me/klop_test_bot?start=learn-breakthrough"}
        await f.say(bob, None, "/start learn-breakthrough")
        assert "Прорив · 1/7" in words(f.api.last(bob))
        await f.press(bob, sent, "Join")
        assert "Learn it in two minutes" not in [key["text"] for key in keys(sent)]
