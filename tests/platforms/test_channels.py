"""A place that plays, on both platforms: many who vote at once, and places that the bot has lost."""

from __future__ import annotations

from collections import Counter
from typing import Final

import pytest

from bot.chat.presenting.lettered import LETTERS
from play.actions.playing import MakeMove
from play.facts import Deliberated
from play.request import Request
from rules import GAMES
from tests.platforms.halls import HALLS
from tests.platforms.telegram.harness import TelegramHarness

PEOPLE: Final = 60
MOVES: Final = "a2-a3", "b2-b3", "c2-c3"


@pytest.mark.parametrize("name", HALLS)
async def test_of_many_who_press_at_once_each_has_one_vote_and_the_board_is_edited_once(name: str) -> None:
    async with HALLS[name](PEOPLE) as hall:
        await hall.challenges("breakthrough", "5x5")
        for number, move in enumerate(MOVES):
            await hall.says(number, "move", move=move)
            await hall.says(3 + number, "vote", choice=LETTERS[number])
        await hall.says(0, "vote", choice="now")
        await hall.looked()
        shown = len(hall.platform.history(hall.place))
        for who in range(PEOPLE):  # the later press of each is their vote
            await hall.press(who, LETTERS[(who + 1) % 3])
            await hall.press(who, LETTERS[who % 2])
        await hall.settled()
        assert len(hall.platform.history(hall.place)) == shown  # until it is looked at next
        await hall.waits(seconds=10)
        turn = (await hall.council()).turn
        assert turn is not None
        assert Counter(turn.votes.values()) == {0: PEOPLE // 2, 1: PEOPLE // 2}
        assert len(hall.platform.history(hall.place)) == shown + 1
        assert f"{PEOPLE} votes" in hall.platform.history(hall.place)[-1][1]
        if isinstance(hall.harness, TelegramHarness):
            answers = [each for each in hall.harness.api.calls if each.method == "answerCallbackQuery"]
            assert len(answers) == 2 * PEOPLE  # each once


async def test_what_is_deliberated_before_it_is_shown_adds_no_words() -> None:
    async with HALLS["telegram"](3) as hall:
        await hall.challenges("breakthrough", "5x5")
        place = hall.match.addresses[0]
        await hall.says(0, "move", move="a2-a3")
        for _ in range(2):
            await hall.harness.store.matches.announce(Deliberated(hall.match, place))
        await hall.settled()
        assert hall.platform.history(hall.place)[-1][1].count("The game begins") == 1
        await hall.waits(hours=25)  # decided
        match, table = hall.match, hall.harness.table
        position = table.position(match)
        move = GAMES["breakthrough"].notation.format(position.legal_moves()[0])
        request = Request(match.player(position.to_move), hall.timed.now)
        await table.act(match.id, MakeMove(move), request)
        await hall.harness.store.matches.announce(Deliberated(hall.match, place))
        await hall.settled()
        shown = [said.count(f": {move}\n") for _, said in hall.platform.history(hall.place)]
        assert max(shown) == 1
