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
