"""A channel of Discord plays another one, and a group of Telegram another group. `test_both` has a channel and a group."""

from __future__ import annotations

from play.match import Phase
from play.people import Address, channel
from tests.platforms.discord.harness import DiscordHarness, latest
from tests.platforms.telegram.harness import HALL, telegram_bot
from tests.platforms.telegram.server import words


async def test_a_channel_challenges_another_one_of_its_server() -> None:
    async with DiscordHarness() as home:
        ann, bob = home.person("ann"), home.person("bob").at(home.hall)
        await ann.types("challenge", against=f"<#{home.hall.id}>", game="breakthrough", channel="vote")
        card = latest(bob)
        assert "#games" in card.words
        await bob.presses(card, "Accept")
        (code,) = home.matches
        match = await home.table.get(code)
        places = [Address("discord", str(each.id)) for each in (home.games, home.hall)]
        assert match.phase is Phase.PLAYING
        assert [player.account for player in match.players()] == [*map(channel, places)]
        assert [*match.addresses] == places
        for who in (ann, bob):
            assert "Turn: #games" in latest(who).words.replace("\\", "")
        await ann.types("challenge", against="#nowhere", game="breakthrough")
        assert "no channel #nowhere" in ann.private()[-1].words.replace("\\", "")


async def test_two_groups_that_seek_play_each_other() -> None:
    async with telegram_bot() as f:
        ann, bob = f.api.human("Ann"), f.api.human("Bob")
        hall, yard = f.api.group(HALL, "Hall", ann), f.api.group(HALL - 1, "Yard", bob)
        await f.say(ann, hall, "/seek channel breakthrough")
        await f.say(bob, yard, "/seek channel breakthrough")
        (match,) = f.matches
        assert {player.name for player in match.players()} == {"Hall", "Yard"}
        for room in (hall, yard):
            assert all(name in words(f.board(room)) for name in ("Hall", "Yard"))
