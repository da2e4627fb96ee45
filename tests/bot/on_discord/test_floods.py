"""Many requests of one person: commands beyond the quota are answered with when to try again, moves never."""

from __future__ import annotations

from bot.chat.quotas import COMMANDS
from bot.platforms.discord.places import place
from play.actions.seating import Join
from play.opening import Challenge
from play.people import Account, Player
from play.request import Request
from tests.platforms.discord.harness import DiscordHarness

NOTICE = f"More than {COMMANDS.limit} commands a minute"


async def test_fifty_moves_after_a_flood_are_all_played(home: DiscordHarness) -> None:
    ann, bob = home.person("ann"), home.person("bob")
    people = [Player(Account("discord", str(who.user.id)), who.user.name) for who in (ann, bob)]
    matches = []
    for _ in range(50):
        opened = await home.table.open(
            Challenge(place(home.games.id), "breakthrough", {"board": "5x5"}, opponents=people[1:]),
            Request(people[0], home.now),
        )
        fact = await home.table.act(opened.match.id, Join(), Request(people[1], home.now))
        matches.append(fact.match)
    for _ in range(COMMANDS.limit + 1):
        await ann.types("language")
    assert sum(NOTICE in each.content for each in ann.private()) == 1
    refused = await ann.types("language")
    assert refused.acked is not None
    assert not refused.failed
    for match in matches:
        await ann.types("move", move="a2-a3", match=match.id)
    assert sum(NOTICE in each.content for each in ann.private()) == 2
    assert {len((await home.table.get(match.id)).log) for match in matches} == {1}
    await bob.types("language")
    assert NOTICE not in bob.private()[-1].content
