"""Players who lose a channel, or take no direct messages: they are called elsewhere, and the others are told."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio

from play.match import Match
from play.people import Account
from play.time.firing import fire
from tests.bot.on_discord.playing import begun, latest, public
from tests.platforms.discord.harness import DiscordHarness, Settled
from tests.platforms.discord.world import Message
from tests.support.waiting import eventually


@pytest_asyncio.fixture(params=["gateway", "HTTP"])
async def home(request: pytest.FixtureRequest) -> AsyncIterator[DiscordHarness]:
    async with DiscordHarness(over_http=request.param == "HTTP") as home:
        yield home


def said(who: Settled, part: str) -> list[Message]:
    return [each for each in public(who) if part in each.content.replace("\\", "")]


def privately(home: DiscordHarness, who: Settled) -> Settled:
    return who.at(home.discord.conversation(who.user.id))


def members_asked(home: DiscordHarness) -> int:
    return len([each for each in home.discord.requests if re.search(r"/members/\d+$", each.path)])


async def lose(home: DiscordHarness, who: Settled, how: str) -> None:
    """A person leaves the server, or a role no longer shows the channel."""
    if how == "server":
        home.guild.left.add(who.user.id)
        return
    home.games.hidden_from.add(who.user.id)
    if home.platform.silence().get("endpoint") is None:
        await home.discord.gateway.tell("CHANNEL_UPDATE", home.games.payload(), home.guild)
        channel = home.platform.courier._client.get_channel(home.games.id)
        await eventually(lambda: bool(channel.overwrites))  # type: ignore[union-attr]


@pytest.mark.parametrize("how", ["server", "channel"])
async def test_a_player_who_loses_the_channel_is_called_in_private_until_they_are_back(
    home: DiscordHarness, how: str
) -> None:
    ann, bob = await begun(home)
    (match,) = home.matches.values()
    await ann.types("move", move="a2-a3")
    await bob.types("move", move="b4-b3")
    asked = members_asked(home)
    assert asked == 2, "one for each player who was called"
    await lose(home, bob, how)
    home.now += timedelta(hours=1)
    await ann.types("move", move="c2-c3")
    assert members_asked(home) == asked + 1
    (told,) = said(ann, "no longer")
    assert told.content.splitlines()[-1] == "Bob is no longer in this chat and plays on in private."
    assert told.pings == ()
    there = privately(home, bob)
    assert latest(there).pings == (bob.user.id,)
    assert "Turn: Bob" in latest(there).content
    await there.types("move", move="b3-c2", match=match.id)
    assert latest(ann).pings == (ann.user.id,)
    await ann.types("move", move="b1xc2")
    assert latest(ann).pings == ()
    assert latest(there).pings == (bob.user.id,)
    assert len(said(ann, "no longer")) == 1
    assert members_asked(home) <= asked + 2
    shown = len(public(there))
    home.guild.left.clear()
    home.games.hidden_from.clear()
    await bob.types("games")
    await bob.types("move", move="d4-d3", match=match.id)
    await ann.types("move", move="a1-a2")
    assert latest(ann).pings == (bob.user.id,)
    assert len(public(there)) == shown, "as before"


async def test_who_left_the_server_and_takes_no_messages_is_told_of_at_the_next_reminder(
    home: DiscordHarness,
) -> None:
    ann, bob = await begun(home, clock="3d soft")
    (match,) = home.matches.values()
    await ann.types("move", move="a2-a3")
    await lose(home, bob, "server")
    bob.user.closed = True
    for hours in (36, 60):
        home.now = match.opened + timedelta(hours=hours)
        await fire(home.table, match.id, "remind", home.table.now(home.now))
        await home.settle()
    (told,) = said(ann, "no longer")
    assert "cannot write to them in private" in told.content
    assert f"/claim match:{match.id}" in told.content
    assert f"/end match:{match.id}" in told.content
    assert told.pings == (ann.user.id,)


async def test_who_takes_no_messages_but_reads_the_channel_is_left_in_peace(home: DiscordHarness) -> None:
    ann, bob = await begun(home, clock="3d")
    (match,) = home.matches.values()
    bob.user.closed = True
    await ann.types("move", move="a2-a3")
    shown = len(public(ann))
    home.now += timedelta(hours=36)
    await fire(home.table, match.id, "remind", home.table.now(home.now))
    await home.settle()
    assert len(public(ann)) == shown


async def test_who_takes_no_messages_is_called_in_the_channel_of_a_cup(home: DiscordHarness) -> None:
    ann, bob, cem, dan = (home.person(name) for name in ("ann", "bob", "cem", "dan"))
    bob.user.closed = True
    await dan.types("cup", do="new", game="lgame", clock="1d", most="3")
    for who in (ann, bob, cem):
        await who.types("cup", do="join")

    def of_both(match: Match) -> bool:
        return [player.name for player in match.players()] == ["Ann", "Bob"]

    game = next(match for match in home.matches.values() if of_both(match))
    before = len(said(ann, "it is your move"))
    await privately(home, ann).types("move", move="L a3-a1-b1 n d1-c1", match=game.id)
    call = said(ann, "it is your move")[-1]
    assert len(said(ann, "it is your move")) == before + 1
    assert call.pings == (bob.user.id,)
    assert f"/move match:{game.id}" in call.content
    assert len(said(privately(home, dan), "It is Bob’s move")) == 1, "the host is told once"
    await bob.presses(call, f"#{game.id}")
    assert bob.private()[-1].files, "the board, where they read it"
    await bob.types("move", move="L d3-b3-b4 n a4-b2", match=game.id)
    assert len(home.matches[game.id].log) == 2
    assert not (await home.store.settings.get(Account("discord", str(bob.user.id)))).left


async def test_a_table_that_one_person_sees_is_told_in_words_beside_its_picture(home: DiscordHarness) -> None:
    people = [home.person(name) for name in ("ann", "bob", "cem")]
    await people[0].types("cup", do="new", game="lgame", clock="1d", most="3")
    for who in people:
        await who.types("cup", do="join")
    await people[0].types("cup", do="table")
    table = people[0].private()[-1]
    assert table.files
    assert all(name in table.content for name in ("Ann", "Bob", "Cem"))
