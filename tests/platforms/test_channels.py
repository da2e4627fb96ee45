"""A place that plays, on both platforms: many who vote at once, and places that the bot has lost."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

import pytest

from bot.chat.presenting.lettered import LETTERS
from bot.chat.thinking import Thinker
from bot.features.channels.showing import compare
from play.actions.playing import MakeMove
from play.facts import Deliberated
from play.match import Phase
from play.request import Request
from rules import GAMES
from tests.bot.chat.thinking.workers import Inline
from tests.platforms.discord.harness import DiscordHarness, latest
from tests.platforms.halls import HALLS, both
from tests.platforms.telegram.harness import TelegramHarness
from tests.support.services import services

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


@pytest.mark.parametrize("name", HALLS)
async def test_the_last_board_comes_to_say_how_often_the_engine_agreed(name: str) -> None:
    async with HALLS[name](3) as hall:
        await hall.challenges("breakthrough", "5x5")
        await hall.says(0, "move", move="a2-a3")
        for _ in range(2):
            await hall.waits(hours=25)
            await hall.answered()
        await hall.waits(hours=25)
        assert hall.match.phase is Phase.OVER
        last, shown = (
            max(number for number, _ in hall.platform.history(hall.place)),
            len(hall.platform.history(hall.place)),
        )
        thinker = Thinker(Inline())
        harness = hall.harness
        served = services(harness.table, harness.store, lambda: hall.timed.now, thinker=thinker)
        for _ in range(2):
            await compare(served)
            await hall.settled()
        [(number, said)] = hall.platform.history(hall.place)[shown:]
        assert number == last, "in place, and once"
        assert said.splitlines()[-3:-1] == [
            "Twice in a row, nobody here proposed a move.",
            "The channel played 2 turns. Whose moves: Voter0 1.",
        ]
        assert re.search(r"The engine would have played \d of the 2 turns\.", said)
        await thinker.close()


async def test_a_channel_of_a_server_challenges_another() -> None:
    async with DiscordHarness() as home:
        ann, bob = home.person("ann"), home.person("bob").at(home.hall)
        for word in ("#hall", f"<#{home.hall.id}>"):
            await ann.types("challenge", game="breakthrough", options=f"{word} channel 5x5")
            await bob.presses(latest(bob), "Accept")
            assert "Propose" in [key["label"] for key in latest(ann).pressed()]
            assert "Propose" not in [key["label"] for key in latest(bob).pressed()]
        assert [match.phase for match in home.matches.values()] == [Phase.PLAYING] * 2


@pytest.mark.parametrize("lost", [0, 1])
async def test_a_place_that_the_bot_has_lost_gives_its_seat_up_to_the_other_platform(lost: int) -> None:
    async with both(1) as halls:
        await halls[0].says(0, "seek", game="channel breakthrough clock:1d")
        await halls[1].says(0, "seek", game="breakthrough", options="channel", clock="1d")
        gone, other = halls[lost], halls[1 - lost]
        if isinstance(gone.harness, TelegramHarness):
            gone.place.inside = False
        else:
            gone.place.deleted = True
        while other.match.live and len(other.match.log) < 8:
            if other.harness.table.position(other.match).to_move in other.match.seats_of(other.account):
                await other.answered()
            await other.waits(hours=25)
        match = other.match
        assert match.result is not None
        assert match.result.winners == tuple(match.seats_of(other.account))
        assert any(" resigns." in said for _, said in other.platform.history(other.place))
