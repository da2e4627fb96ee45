"""Discord or the store fails, or people are out of reach: each message comes once, and no person waits for another."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio

from bot.platforms.discord.followups import LASTS
from play.match import Match
from play.people import Account
from play.time.firing import fire
from tests.platforms.discord.gateway import Fault, too_fast
from tests.platforms.discord.harness import DiscordHarness, Settled, begun, latest, public
from tests.platforms.discord.world import GROUP, Channel, Message
from tests.support.memory import MemoryStore
from tests.support.waiting import eventually

# Discord says no, is too slow, or does not answer at all: messages come once, no person waits for another, a
# closed place is left alone.


MESSAGES = "/channels/[0-9]+/messages"


@pytest.mark.parametrize("everywhere", [False, True])
async def test_too_fast_is_for_the_sender_to_wait(home: DiscordHarness, everywhere: bool) -> None:
    ann, _ = await begun(home)
    waited = home._paced
    home.discord.faults.append(too_fast(MESSAGES, 17.0, everywhere=everywhere, method="POST"))
    before = len(public(ann))
    await ann.types("move", move="a2-a3")
    assert len(public(ann)) == before + 1
    assert (home._paced - waited).total_seconds() >= 17


@pytest.mark.parametrize(
    ("status", "after"), [(500, False), (502, False), (503, False), (None, True), (500, True)]
)
async def test_a_server_that_stumbles_is_asked_again_and_a_lost_answer_says_nothing_twice(
    home: DiscordHarness, status: int | None, after: bool
) -> None:
    ann, _ = await begun(home)
    home.discord.faults.append(Fault("POST", MESSAGES, status, times=2, after=after))
    before = len(public(ann))
    await ann.types("move", move="a2-a3")
    assert len(public(ann)) == before + 1
    assert len(home.discord.asked("POST", MESSAGES)) >= 3


_SEE, _FILES = 1 << 10, 1 << 15


@pytest.mark.parametrize("bot_may", [0, _SEE])
async def test_where_the_bot_may_not_write_it_does_not_try_again(home: DiscordHarness, bot_may: int) -> None:
    ann, bob = await begun(home)
    may, home.games.bot_may = home.games.bot_may, bot_may
    await ann.types("move", move="a2-a3")
    assert _refused(home) == 1
    asked, before = len(home.discord.requests), len(public(ann))
    await bob.at(home.hall).types("move", move="b4-b3", match=_code(home))
    assert all(str(home.games.id) not in each.path for each in home.discord.requests[asked:])
    home.games.bot_may = may
    await ann.types("move", move="c2-c3")  # a command opens the place again
    assert len(public(ann)) == before + 1


async def test_without_the_right_to_attach_files_boards_are_text(home: DiscordHarness) -> None:
    ann, bob = await begun(home)
    home.games.bot_may &= ~_FILES
    await ann.types("move", move="a2-a3")
    board = latest(ann)
    assert not board.attachments
    assert board.pings == (bob.user.id,)
    assert "🌕" in board.content
    assert board.components
    await ann.types("undo")
    assert not _refused(home)  # the interactions show the permissions
    home.games.bot_may |= _FILES
    await ann.types("move", move="b2-b3")
    assert latest(ann).attachments


async def test_a_deleted_channel_is_given_up(home: DiscordHarness) -> None:
    ann, bob = await begun(home)
    home.games.deleted = True
    await ann.types("move", move="a2-a3")
    assert _refused(home, 404) == 1
    await bob.at(home.hall).types("board", match=_code(home))
    assert _refused(home, 404) == 1


async def test_a_deleted_message_is_replaced(home: DiscordHarness) -> None:
    ann, bob = await begun(home)
    await ann.types("move", move="a2-a3")
    home.games.messages.pop(latest(ann).id)
    before = len(public(ann))
    await ann.types("undo")  # would change the message that is gone
    assert len(public(ann)) == before + 1
    assert latest(ann).components
    home.games.messages.pop(latest(ann).id)
    await ann.types("move", move="a2-a3")  # would fold it
    await bob.types("move", move="b4-b3")
    assert "b4-b3" in latest(ann).content.replace("\\", "")


async def test_a_guest_whose_time_is_over_is_silent_until_the_next_command(home: DiscordHarness) -> None:
    ann, bob, group = await _begun_in_a_group(home)
    assert latest(ann).pings == (ann.user.id,)
    assert not home.discord.asked("POST", f"/channels/{group.id}/messages")
    home.now += LASTS + timedelta(seconds=1)
    seen = len(public(ann))
    await ann.at(home.hall).types("move", move="L b3-b1-a1 n a4-a2", match=_code(home))
    assert len(public(ann)) == seen
    await bob.types("move", move="L c1-c3-d3")
    assert len(public(ann)) == seen + 1


async def _begun_in_a_group(home: DiscordHarness) -> tuple[Settled, Settled, Channel]:
    """A match among two people in a group where the bot is no member."""
    ann, bob = home.person("ann"), home.person("bob")
    group = home.discord.add(Channel(GROUP, people=(ann.user, bob.user)))
    ann, bob = ann.at(group), bob.at(group)
    await ann.types("challenge", person=bob.user, game="lgame")
    await bob.presses(latest(ann), "Accept")
    return ann, bob, group


def _refused(home: DiscordHarness, status: int = 403) -> int:
    return sum(each.status == status for each in home.discord.requests)


def _code(home: DiscordHarness) -> str:
    (match,) = home.matches
    return str(match)


# Players who lose a channel, or take no direct messages: they are called elsewhere, and the others are told.


@pytest_asyncio.fixture(params=["gateway", "HTTP"])
async def each_home(request: pytest.FixtureRequest) -> AsyncIterator[DiscordHarness]:
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
    each_home: DiscordHarness, how: str
) -> None:
    ann, bob = await begun(each_home)
    (match,) = each_home.matches.values()
    await ann.types("move", move="a2-a3")
    await bob.types("move", move="b4-b3")
    asked = members_asked(each_home)
    assert asked == 2, "one for each player who was called"
    await lose(each_home, bob, how)
    each_home.now += timedelta(hours=1)
    await ann.types("move", move="c2-c3")
    assert members_asked(each_home) == asked + 1
    (told,) = said(ann, "no longer")
    assert told.content.splitlines()[-1] == "Bob is no longer in this chat and plays on in private."
    assert told.pings == ()
    there = privately(each_home, bob)
    assert latest(there).pings == (bob.user.id,)
    assert "Turn: Bob" in latest(there).content
    await there.types("move", move="b3-c2", match=match.id)
    assert latest(ann).pings == (ann.user.id,)
    pinged = len(ann.pinged())
    await ann.types("move", move="b1xc2")
    assert len(ann.pinged()) == pinged
    assert latest(there).pings == (bob.user.id,)
    assert len(said(ann, "no longer")) == 1
    assert members_asked(each_home) <= asked + 2
    shown = len(public(there))
    each_home.guild.left.clear()
    each_home.games.hidden_from.clear()
    await bob.types("games")
    await bob.types("move", move="d4-d3", match=match.id)
    await ann.types("move", move="a1-a2")
    assert latest(ann).pings == (bob.user.id,)
    assert len(public(there)) == shown, "as before"


async def test_who_left_the_server_and_takes_no_messages_is_told_of_at_the_next_reminder(
    each_home: DiscordHarness,
) -> None:
    ann, bob = await begun(each_home, clock="3d soft")
    (match,) = each_home.matches.values()
    await ann.types("move", move="a2-a3")
    await lose(each_home, bob, "server")
    bob.user.closed = True
    for hours in (36, 60):
        each_home.now = match.opened + timedelta(hours=hours)
        await fire(each_home.table, match.id, "remind", each_home.table.now(each_home.now))
        await each_home.settle()
    (told,) = said(ann, "no longer")
    assert "cannot write to them in private" in told.content
    assert f"/claim match:{match.id}" in told.content
    assert f"/end match:{match.id}" in told.content
    assert told.pings == (ann.user.id,)


async def test_who_takes_no_messages_but_reads_the_channel_is_left_in_peace(
    each_home: DiscordHarness,
) -> None:
    ann, bob = await begun(each_home, clock="3d")
    (match,) = each_home.matches.values()
    bob.user.closed = True
    await ann.types("move", move="a2-a3")
    shown = len(public(ann))
    each_home.now += timedelta(hours=36)
    await fire(each_home.table, match.id, "remind", each_home.table.now(each_home.now))
    await each_home.settle()
    assert len(public(ann)) == shown


async def test_who_takes_no_messages_is_called_in_the_channel_of_a_cup(each_home: DiscordHarness) -> None:
    ann, bob, cem, dan = (each_home.person(name) for name in ("ann", "bob", "cem", "dan"))
    bob.user.closed = True
    await dan.types("cup", do="new", game="lgame", clock="1d", most="3")
    for who in (ann, bob, cem):
        await who.types("cup", do="join")

    def of_both(match: Match) -> bool:
        return [player.name for player in match.players()] == ["Ann", "Bob"]

    game = next(match for match in each_home.matches.values() if of_both(match))
    before = len(said(ann, "it is your move"))
    await privately(each_home, ann).types("move", move="L a3-a1-b1 n d1-c1", match=game.id)
    call = said(ann, "it is your move")[-1]
    assert len(said(ann, "it is your move")) == before + 1
    assert call.pings == (bob.user.id,)
    assert f"/move match:{game.id}" in call.content
    assert len(said(privately(each_home, dan), "It is Bob’s move")) == 1, "the host is told once"
    await bob.presses(call, f"#{game.id}")
    assert bob.private()[-1].files, "the board, where they read it"
    await bob.types("move", move="L d3-b3-b4 n a4-b2", match=game.id)
    assert len(each_home.matches[game.id].log) == 2
    assert not (await each_home.store.settings.get(Account("discord", str(bob.user.id)))).left


# The store does not answer: people are answered all the same, within the time that Discord waits.


def stalled(store: MemoryStore) -> asyncio.Event:
    """Have a store answer nothing until the returned event is set."""
    answers = asyncio.Event()

    def late(real: Any) -> Any:
        async def asked(*args: Any, **how: Any) -> Any:
            await answers.wait()
            return await real(*args, **how)

        return asked

    store.matches.at = late(store.matches.at)  # type: ignore[method-assign]
    store.settings.get = late(store.settings.get)  # type: ignore[method-assign]
    return answers


async def test_people_are_answered_at_once_when_the_store_is_silent() -> None:
    store = MemoryStore()
    async with DiscordHarness(store=store) as home:
        ann, bob = await begun(home)
        answers = stalled(store)
        option = {"name": "move", "type": 3, "value": "a2-a3"}
        sent = [
            await ann.sends(2, {"id": "1", "name": "move", "type": 1, "options": [option]}),
            await ann.sends(2, {"id": "1", "name": "games", "type": 1, "options": []}),
        ]
        move = next(each["custom_id"] for each in latest(ann).pressed() if each["label"] == "Move")
        sent.append(await bob.sends(3, {"component_type": 2, "custom_id": move}, latest(ann)))
        await home.discord.until(lambda: all(each.acked is not None for each in sent))
        assert [each.ack for each in sent] == [5, 5, 6]
        assert not sent[0].settled
        answers.set()
        await home.settle()
        assert all(each.settled for each in sent)
        assert "a2-a3" in latest(ann).content.replace("\\", "")


async def test_a_modal_opens_and_nothing_is_offered_while_the_store_is_silent() -> None:
    store = MemoryStore()
    async with DiscordHarness(store=store) as home:
        ann, _ = await begun(home)
        (match,) = home.matches
        answers = stalled(store)
        opened = await ann.sends(3, {"component_type": 2, "custom_id": f"type:{match}"}, latest(ann))
        option = {"name": "move", "type": 3, "value": "", "focused": True}
        typing = await ann.sends(4, {"id": "1", "name": "move", "type": 1, "options": [option]})
        await home.discord.until(lambda: opened.modal and typing.choices is not None)
        assert typing.choices == []
        answers.set()
        await home.settle()
