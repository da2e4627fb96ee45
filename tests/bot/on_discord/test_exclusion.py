"""A person whom the admins keep out of a channel, and a thread there that people have opened."""

from __future__ import annotations

from play.people import Account
from tests.bot.on_discord.playing import begun, latest
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.discord.world import THREAD, Channel

NOTICE = "keep you out"


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
        assert (NOTICE in who.at(private).sees()[-1].content) is not joins
        seated = Account("discord", str(who.user.id)) in home.matches[match.id].people()
        assert seated is joins


async def test_the_menu_of_their_match_stays_and_what_finishing_does_not_need_is_refused_in_words(
    home: DiscordHarness,
) -> None:
    _ann, bob = await begun(home)
    eve, cem = home.person("eve"), home.person("cem")
    home.guild.admins.add(eve.user.id)
    for who in (bob, cem):
        await eve.types("exclude", person=who.user)
    board = latest(bob)
    await bob.presses(board, "More…")
    menu = bob.private()[-1]
    for _ in range(2):
        await bob.presses(menu, "Mute")
        assert NOTICE in bob.private()[-1].content
        assert menu in bob.private()
    for key in ("Flip the board", "As text", "Board in words"):
        await bob.presses(board, "More…")
        await bob.presses(bob.private()[-1], key)
        said = bob.private()[-1]
        assert "Breakthrough" in said.content
        assert NOTICE not in said.content
    for who, command, refused in (
        (bob, "board", False),
        (bob, "games", False),
        (bob, "help", True),
        (cem, "board", True),
        (cem, "games", True),
        (cem, "games", True),
    ):
        await who.types(command)
        assert (NOTICE in who.private()[-1].content) is refused, command
    await cem.presses(board, "Move")
    assert NOTICE in cem.private()[-1].content
    assert len(cem.private()) == 4
