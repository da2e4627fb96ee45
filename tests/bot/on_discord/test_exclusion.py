"""A person whom the admins keep out of a channel, and a thread there that people have opened."""

from __future__ import annotations

from play.people import Account
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.discord.world import THREAD, Channel


async def test_a_match_in_a_thread_is_not_joined_by_its_code_from_elsewhere(home: DiscordHarness) -> None:
    ann, bob, cem, eve = (home.person(name) for name in ("ann", "bob", "cem", "eve"))
    home.guild.admins.add(eve.user.id)
    await eve.types("exclude", person=bob.user)
    thread = Channel(THREAD, "talk", home.guild, home.games, owner=ann.user.id)
    home.guild.channels.append(thread)
    home.discord.add(thread)
    await ann.at(thread).types("new", game="klopodavka", options="players:3")
    (match,) = home.matches.values()
    assert match.addresses[0].place == str(thread.id)
    for who, joins in ((bob, False), (cem, True)):
        private = home.discord.conversation(who.user.id)
        await who.at(private).types("join", match=match.id)
        assert ("keep you out" in who.at(private).sees()[-1].content) is not joins
        seated = Account("discord", str(who.user.id)) in home.matches[match.id].people()
        assert seated is joins
