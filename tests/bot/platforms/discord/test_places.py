"""Threads, new servers, conversations; and what is registered with Discord."""

from __future__ import annotations

from datetime import timedelta

import pytest

from play.match import Phase
from play.people import Address
from tests.platforms.discord.gateway import Fault
from tests.platforms.discord.harness import DiscordHarness, begun, latest, public
from tests.platforms.discord.people import CannotDo
from tests.platforms.discord.world import Channel, Guild


async def test_a_thread_for_each_match_where_the_channel_wants_it(home: DiscordHarness) -> None:
    await _wants_threads(home)
    ann, bob = await begun(home)
    (match,) = home.matches.values()
    (thread,) = _threads(home)
    assert thread.name == f"Ann – Bob · Breakthrough · #{match.id}"
    board = latest(ann.at(thread))
    assert board.pings == (ann.user.id,)
    assert len(public(ann)) == 1  # the card of the challenge
    await ann.at(thread).types("move", move="a2-a3")  # the thread says which match
    assert "a2-a3" in latest(ann.at(thread)).content.replace("\\", "")
    await home.close()
    await home.open()
    thread.archived = True
    await bob.at(thread).presses(latest(bob.at(thread)), "More…")
    await bob.at(thread).presses(bob.at(thread).private()[-1], "Resign")
    await bob.at(thread).presses(bob.at(thread).private()[-1], 0)
    assert home.matches[match.id].phase is Phase.OVER
    assert " won." in latest(ann.at(thread)).content
    assert len([each for each in home.discord.channels.values() if each.parent is home.games]) == 1


async def test_a_thread_of_people_with_long_names_is_of_its_match(home: DiscordHarness) -> None:
    await _wants_threads(home)
    ann, bob = home.person("ann"), home.person("bob")
    ann.user.shown = "#aaaaaa " + 90 * "n"
    await ann.types("challenge", person=bob.user, game="breakthrough", options="board:4x5")
    await bob.presses(latest(bob), "Accept")
    (match,), (thread,) = home.matches.values(), _threads(home)
    assert len(thread.name) <= 100
    assert thread.name.count(match.id) == 1
    await ann.at(thread).types("move", move="a2-a3")
    assert "a2-a3" in latest(ann.at(thread)).content.replace("\\", "")


@pytest.mark.parametrize("how", ["deleted", "locked", "archived and locked", "closed to the bot"])
async def test_a_thread_that_is_taken_away_leaves_the_match_in_its_channel(
    home: DiscordHarness, how: str
) -> None:
    await _wants_threads(home)
    ann, bob = await begun(home)
    (thread,) = _threads(home)
    _take_away(thread, how)
    await ann.types("move", move="a2-a3")
    assert latest(ann).pings == (bob.user.id,)
    assert "The match goes on here" in latest(ann).content
    await ann.types("undo")
    await ann.types("move", move="b2-b3")
    await bob.types("move", move="a4-a3")
    assert latest(ann).pings == (ann.user.id,)
    assert "The match goes on here" not in latest(ann).content, "once"
    refused = [each for each in home.discord.requests if each.status in (403, 404)]
    assert len(refused) <= 2


async def test_an_edit_that_a_locked_thread_refuses_is_shown_in_its_channel(home: DiscordHarness) -> None:
    await _wants_threads(home)
    ann, _ = await begun(home)
    (thread,) = _threads(home)
    await ann.types("move", move="a2-a3")
    thread.locked = True
    await ann.types("undo")
    assert "takes back" in latest(ann).content
    assert "The match goes on here" in latest(ann).content


async def test_a_silent_match_under_way_keeps_its_thread_open(home: DiscordHarness) -> None:
    await _wants_threads(home)
    ann, _ = await begun(home)
    (thread,) = _threads(home)
    await _days(home, 5)
    await ann.types("move", move="a2-a3")  # begins the week anew
    sent, active = len(thread.history), thread.activity
    await _days(home, 5)
    assert thread.activity == active
    await _days(home, 1)
    assert thread.activity > active
    thread.archived = True  # by a moderator
    active = thread.activity
    await _days(home, 6)
    assert not thread.archived
    assert thread.activity > active
    assert thread.silent_for == 7 * 24 * 60
    assert len(thread.history) == sent, "without a message"
    await ann.types("resign")
    await ann.presses(ann.private()[-1], 0)
    thread.archived = True
    for _ in range(2):
        await _days(home, 6)
    assert thread.archived, "the match is over"
    assert not await home.store.timelines.read("discord:threads")


@pytest.mark.parametrize("how", ["deleted", "archived and locked"])
async def test_a_thread_that_cannot_be_kept_open_is_told_in_its_channel_once(
    home: DiscordHarness, how: str
) -> None:
    await _wants_threads(home)
    ann, _ = await begun(home)
    (thread,) = _threads(home)
    _take_away(thread, how)
    seen = len(public(ann))
    for _ in range(2):
        await _days(home, 6)
        (said,) = public(ann)[seen:]
        assert "cannot write in the thread" in said.content
        assert not said.pings
    await ann.types("move", move="a2-a3")
    assert "a2-a3" in latest(ann).content.replace("\\", "")
    assert "cannot write in the thread" not in latest(ann).content


async def test_a_thread_that_discord_does_not_open_today_is_opened_later(home: DiscordHarness) -> None:
    await _wants_threads(home)
    await begun(home)
    (thread,) = _threads(home)
    thread.archived = True
    home.discord.faults.append(Fault("PATCH", f"/channels/{thread.id}", 400, code=160006))
    await _days(home, 6)
    assert thread.archived
    await _days(home, 0)
    assert not thread.archived


def _threads(home: DiscordHarness) -> list[Channel]:
    return [each for each in home.discord.channels.values() if each.parent is home.games]


def _take_away(thread: Channel, how: str) -> None:
    thread.deleted = how == "deleted"
    thread.locked = "locked" in how
    thread.archived = "archived" in how
    if how == "closed to the bot":
        assert thread.parent is not None
        thread.parent.bot_may &= ~(1 << 38)  # no messages in threads


async def _days(home: DiscordHarness, days: int) -> None:
    """Let days pass in which the bot looks after its threads."""
    home.now += timedelta(days=days)
    await home.platform._threads.keep_open(home.platform.courier)
    await home.settle()


async def test_without_the_right_to_open_threads_the_channel_is_used(home: DiscordHarness) -> None:
    await _wants_threads(home)
    home.games.bot_may &= ~(1 << 35)
    ann, _ = await begun(home)
    assert latest(ann).pings == (ann.user.id,)


@pytest.mark.parametrize("lacking", [35, 38])
async def test_threads_cannot_be_wanted_where_the_bot_may_not_open_them(
    home: DiscordHarness, lacking: int
) -> None:
    eve = home.person("eve")
    home.guild.admins.add(eve.user.id)
    home.games.bot_may &= ~(1 << lacking)
    await eve.types("config", threads="on")
    assert "Create Public Threads" in eve.private()[-1].content
    assert not (await home.store.settings.get(Address("discord", str(home.games.id)))).threads
    await eve.types("config", threads="off")
    assert "A thread for each match: off" in eve.private()[-1].content


async def test_a_film_for_all_that_may_not_be_attached_is_refused_to_who_asked(home: DiscordHarness) -> None:
    ann, _ = await begun(home)
    await ann.types("move", move="a2-a3")
    home.games.bot_may &= ~(1 << 15)  # no files
    seen = len(public(ann))
    await ann.types("replay", here=True)
    assert len(public(ann)) == seen
    assert "Attach Files" in ann.private()[-1].content
    await ann.types("replay")
    assert ann.private()[-1].attachments, "for one person it may be"
    home.games.bot_may |= 1 << 15
    await ann.types("replay", here=True)
    assert public(ann)[-1].attachments


async def _wants_threads(home: DiscordHarness) -> None:
    """An administrator of the server sets it."""
    eve = home.person("eve")
    with pytest.raises(CannotDo):
        await eve.types("config", threads="on")
    home.guild.admins.add(eve.user.id)
    await eve.types("config", threads="on")


async def test_where_the_bot_may_not_write_its_users_are_told(home: DiscordHarness) -> None:
    ann, bob = home.person("ann"), home.person("bob")
    home.games.bot_may &= ~(1 << 11)  # no messages
    await ann.types("challenge", person=bob.user, game="lgame")
    assert "Send Messages" in ann.private()[-1].content


async def test_a_channel_where_the_bot_may_write_again_is_shown_the_board_it_missed(
    home: DiscordHarness,
) -> None:
    ann, bob = await begun(home)
    (match,) = home.matches.values()
    quiet = [each for each in home.discord.requests if each.status == 403]
    home.games.bot_may &= ~(1 << 11)  # no messages
    await ann.types("move", move="a2-a3")
    shown = len(public(ann))
    await bob.types("games")
    refused = [each for each in home.discord.requests if each.status == 403]
    assert len(refused) - len(quiet) <= 2, "a press there shows that it is still shut"
    home.games.bot_may |= 1 << 11
    for _ in range(2):  # the second time nothing is missed
        await bob.types("games")
        (board,) = public(ann)[shown:]
        assert f"#{match.id}" in board.content
        assert board.pings == (bob.user.id,)
    assert not any(each.pressed() for each in public(ann)[:shown]), "the old board is retired"


async def test_in_a_server_where_people_brought_it_along_the_bot_answers(home: DiscordHarness) -> None:
    channel = Channel(name="elsewhere")
    guild = Guild("Not ours", installed=False, channels=[channel])
    channel.guild = guild
    home.discord.add(channel)
    ann, bob = home.person("ann", at=channel), home.person("bob", at=channel)
    await ann.types("challenge", person=bob.user, game="lgame")
    await bob.presses(latest(ann), "Accept")
    assert latest(ann).pings == (ann.user.id,)
    guild.admins.add(ann.user.id)
    await ann.types("language", language="uk", here=True)
    assert not home.discord.asked("POST", f"/channels/{channel.id}/messages")
    assert not [each for each in home.discord.requests if each.status == 403]


async def test_a_challenge_in_private_reaches_the_other_in_private(home: DiscordHarness) -> None:
    ann, bob = home.person("ann"), home.person("bob", locale="uk")
    await bob.types("language", language="uk")
    ann = ann.at(home.discord.conversation(ann.user.id))
    await ann.types("challenge", person=bob.user, game="breakthrough", options="board:5x5")
    bob = bob.at(home.discord.conversation(bob.user.id))
    await bob.presses(latest(bob), "Прийняти")
    (match,) = home.matches.values()
    assert match.phase is Phase.PLAYING
    await ann.types("move", move="a2-a3")
    assert "Ходить Bob" in latest(bob).content
    await bob.types("resign")
    await bob.presses(bob.private()[-1], 0)
    await ann.presses(latest(ann), "Swap colours")
    assert [each["label"] for each in latest(bob).pressed()] == ["Прийняти", "Відмовитися"]
