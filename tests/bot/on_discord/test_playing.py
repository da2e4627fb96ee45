"""Matches on a Discord of our own, played with a bot that runs as its own process."""

from __future__ import annotations

import pytest

from tests.bot.on_discord.conftest import Evening

pytestmark = pytest.mark.slow


async def test_a_challenge_and_a_whole_match(evening: Evening) -> None:
    discord = evening.discord
    ann, bob = evening.person("ann"), evening.person("bob")
    async with evening.bot():
        await ann.types("challenge", person=bob.user, game="lgame")
        card = await discord.until(
            lambda: ann.sees() and ann.sees()[-1].components and ann.sees()[-1], "a card"
        )
        assert "Bob" in card.content
        await bob.presses(card, "Accept")
        board = await discord.until(lambda: ann.pinged() and ann.pinged()[-1], "a turn")
        assert board.attachments[0]["description"]
        done = await ann.types("move", move="L b3-b1-a1 n a4-a3")
        await discord.until(lambda: done.settled and bob.pinged(), "the next turn")
