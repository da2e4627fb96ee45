"""Discord says no, is too slow, or does not answer at all: messages come once, no person waits for another, a closed place is left alone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.platforms.discord.followups import LASTS
from tests.bot.on_discord.playing import begun, latest, public
from tests.platforms.discord.faults import Fault, too_fast
from tests.platforms.discord.harness import DiscordHarness, Settled
from tests.platforms.discord.world import GROUP, Channel

MESSAGES = "/channels/[0-9]+/messages"
MESSAGE = "/channels/[0-9]+/messages/[0-9]+"


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


async def test_what_is_taken_away_unnoticed_may_be_the_files_alone(home: DiscordHarness) -> None:
    """A person who plays from elsewhere shows nothing of the bot's permissions here: text is tried once, and given up too."""
    _, bob = await begun(home)
    ann = home.person("ann", at=home.hall)
    home.games.bot_may = _SEE
    await ann.types("move", move="a2-a3", match=_code(home))
    refused = [each for each in home.discord.requests if each.status == 403]
    assert [bool(each.files) for each in refused] == [True, False]
    await bob.at(home.hall).types("move", move="b4-b3", match=_code(home))
    assert _refused(home) == 2


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


async def test_that_files_may_not_be_attached_is_found_out_once(home: DiscordHarness) -> None:
    await begun(home)
    ann, bob = home.person("ann", at=home.hall), home.person("bob", at=home.hall)
    home.games.bot_may &= ~_FILES
    for who, move in ((ann, "a2-a3"), (bob, "b4-b3")):
        await who.types("move", move=move, match=_code(home))
        assert not latest(home.person("ann")).attachments
        assert move in latest(home.person("ann")).content.replace("\\", "")
    assert _refused(home) == 1


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


async def test_among_people_the_bot_answers_though_it_is_no_member(home: DiscordHarness) -> None:
    ann, bob = home.person("ann"), home.person("bob")
    group = home.discord.add(Channel(GROUP, people=(ann.user, bob.user)))
    ann, bob = ann.at(group), bob.at(group)
    await ann.types("challenge", person=bob.user, game="lgame")
    assert "Bob" in latest(ann).content
    await bob.presses(latest(ann), "Accept")
    await ann.types("move", move="L b3-b1-a1 n a4-a2")
    board = latest(ann)
    assert "a4-a2" in board.content.replace("\\", "")
    assert board.pings == (bob.user.id,)
    assert not home.discord.asked("POST", f"/channels/{group.id}/messages")


async def test_another_process_follows_what_a_guest_was_asked(home: DiscordHarness) -> None:
    ann, _, group = await _begun_in_a_group(home)
    await home.close()
    await home.open()
    await ann.at(home.hall).types("move", move="L b3-b1-a1 n a4-a2", match=_code(home))
    assert "a4-a2" in latest(ann).content.replace("\\", "")
    assert not home.discord.asked("POST", f"/channels/{group.id}/messages")


async def test_a_guest_whose_time_is_over_is_silent_until_the_next_command(home: DiscordHarness) -> None:
    ann, bob, _ = await _begun_in_a_group(home)
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
