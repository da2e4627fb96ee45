"""Old boards stay, shrink or are deleted, as the admins of a server choose."""

from __future__ import annotations

import pytest

from tests.bot.on_discord.playing import begun, latest, public
from tests.platforms.discord.harness import DiscordHarness


@pytest.mark.parametrize("chosen", ["keep", "shrink", "delete"])
async def test_an_old_board_becomes_what_was_chosen(home: DiscordHarness, chosen: str) -> None:
    ann = home.person("ann")
    home.guild.admins.add(ann.user.id)
    await ann.types("config", **{"old-boards": chosen})
    ann, _ = await begun(home)
    board, before = latest(ann), len(public(ann))
    whole = board.files["board.png"]
    await ann.types("move", move="a2-a3")
    if chosen == "delete":
        assert len(public(ann)) == before
        assert board.id not in home.games.messages
        return
    assert len(public(ann)) == before + 1
    assert not board.pressed()
    assert (board.files["board.png"] == whole) is (chosen == "keep")
    assert latest(ann).files["board.png"] == whole


async def test_an_orphan_loses_its_buttons_once_it_is_pressed(home: DiscordHarness) -> None:
    """A process ended after it sent a board, and before it stored that."""
    ann, bob = await begun(home)
    stored = home.store.outgoing()
    (match,) = home.matches.values()
    before = await stored.shown(match.id, match.addresses[0])
    await ann.types("move", move="a2-a3")
    orphan = latest(ann)
    await stored.set_shown(match.id, match.addresses[0], before)
    await bob.types("move", move="b4-b3")
    assert orphan.pressed()
    await bob.presses(orphan, "Move")
    assert bob.private()[-1].content
    assert not orphan.pressed()
    assert latest(ann).pressed()


async def test_a_late_press_leaves_the_board_its_buttons(home: DiscordHarness) -> None:
    """It is refused, and the message is the one that is remembered."""
    ann, bob = await begun(home)
    old = next(each["custom_id"] for each in latest(ann).pressed() if each["label"] == "Move")
    await ann.types("move", move="a2-a3")
    await bob.types("move", move="b4-b3")
    await ann.presses(latest(ann), old, forged=True)
    assert ann.private()[-1].content
    assert latest(ann).pressed()
